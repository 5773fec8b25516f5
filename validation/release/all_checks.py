"""All checks of a release in order: what each establishes, what it needs and reads, and what nobody can check from here.

What each looks at belongs to `checks/`, how they are made to `verifying.py`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pipeline.errors import Problem
from pipeline.places import TASKS
from pipeline.publish.formats import FORMATS
from pipeline.publish.manifest import DATA_FOLDERS, MANIFEST
from pipeline.publish.variant import CLEAN, VARIANTS
from pipeline.release.layout import RELEASE, REPORTS, SBOM, STATEMENTS
from validation.release.checks.attested import envelopes, signed, stated_of_this
from validation.release.checks.copies import copies_hold_the_same
from validation.release.checks.derived import aggregates_again, identities_hold
from validation.release.checks.described import (
    archives_hold_the_same,
    has_own_requirements,
    materials_follow,
    metadata_follow,
)
from validation.release.checks.expected import facts_hold
from validation.release.checks.files import no_links, none_besides, none_missing, same_bytes
from validation.release.checks.leftovers import no_noise_stated, nothing_left_over
from validation.release.checks.pages import pages_do_nothing_else
from validation.release.checks.pair import noise_within_bounds, of_one_build
from validation.release.checks.reports import agree_with_files, of_their_types, same_in_variants
from validation.release.checks.tables import as_written
from validation.release.checks.tasks import answers_follow, has_tasks, tasks_agree
from validation.release.opened import Release

Find = Callable[[Release], Iterator[Problem]]

Need = Callable[[Release], str]
"""Returns why a check cannot be made; empty if it can. With `NEEDS` it begins where something goes unchecked."""

NEEDS = "needs "

UNDISCLOSED = "the release does not disclose its noise"
"""Why a check of the noise cannot be made."""

NAMELESS = "the release"
"""What stands for the file where a check could not be carried out."""

_ALL = ".*"

_VARIANT = rf"(?:(?:{'|'.join(VARIANTS)})/)?"

_DATA = rf"{MANIFEST}|(?:{'|'.join(DATA_FOLDERS)})/.*"

_TABLES, _CLEAN = rf"{_VARIANT}(?:{_DATA})", rf"(?:{CLEAN}/)?(?:{_DATA})"

_COPIES = rf"{_VARIANT}(?:{'|'.join(FORMATS)})/.*"

_REPORTS, _PAGES = rf"{_VARIANT}{REPORTS}/[^/]+\.json", rf"{_VARIANT}{REPORTS}/.*\.(?:html|js)"

_OF_TASKS = rf"{TASKS}/.*"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check: what it establishes, in words, and how what breaks it is found."""

    says: str
    find: Find
    needs: tuple[Need, ...] = ()
    """The first that is not met is named: what an option gives comes last, since it alone would let the check be made."""
    reads: str = ""
    """Pattern of the paths below the release that it reads. Where one of them is wrong, the check is not made."""
    of_files: bool = False
    """Whether it tells of each file if it is what it should be, for all checks that read the file."""

    def reads_file(self, path: str) -> bool:
        """Say whether it reads a file; what has no name may be any."""
        return bool(self.reads) and (path == NAMELESS or re.fullmatch(self.reads, path) is not None)


def _head(release: Release) -> str:
    if not release.is_release:
        return "needs a release: a build has no statements and no signatures"
    is_there = any(release.statement(path) for path in STATEMENTS) or release.archive is None
    return "" if is_there else f"needs the statements beside the archive ({', '.join(STATEMENTS)})"


def _whole(release: Release) -> str:
    names, here = release.head.get("variants"), {variant.name for variant in release.variants}
    return "" if release.is_release and names and here == set(map(str, names)) else "needs all variants of a release"


def _archives(release: Release) -> str:
    is_folder = release.is_release and release.archive is None
    return "" if is_folder else "needs the folder of a release, with its archives"


def _materials(release: Release) -> str:
    return "" if has_own_requirements(release) else "needs the requirements that the release was made with"


def _words(release: Release) -> str:
    return f"needs Silt {release.silt}, which made the release" if release.is_of_another_silt else ""


def _kept_back(release: Release) -> str:
    if release.is_release and not release.head:
        return f"needs {RELEASE}"
    return "" if release.head.get("discloses_noise") is False else "the release discloses its noise"


def _key(release: Release) -> str:
    if release.public_key:
        return ""
    signatures = [read.signatures for read in envelopes(release).values()] if release.is_release else []
    if any(signatures):
        return "needs the public key of whoever signed it (--public-key)"
    return "nobody signed it" if signatures else _head(release) or "needs the statements"


def _declaration(release: Release) -> str:
    return "" if release.environment else "needs the declaration of the environment (--environment)"


def _clean(release: Release) -> str:
    return "" if release.clean else "needs the clean variant"


def _some(pattern: str) -> Need:
    """Ask for files that are there, or that a list names."""

    def need(release: Release) -> str:
        named = (*release.tree.files, *release.tree.stated)
        return "" if any(re.fullmatch(pattern, path) for path in named) else "there are none"

    return need


def _links(release: Release) -> str:
    views = release.environment.views if release.environment else None
    if views is not None and release.clean and views.entities.table not in release.truth:
        return f"needs {release.clean.path_of(views.entities.table)}"
    return "" if release.links else "there are none"


def _identities(release: Release) -> str:
    environment = release.environment
    has_figures = environment is not None and environment.views is not None and environment.views.figures
    return "" if environment and has_figures and environment.panel.identities else "there are none"


def _pair(release: Release) -> str:
    return "" if release.clean and release.noisy else "needs both variants"


def _noise(release: Release) -> str:
    if release.head.get("discloses_noise") is False:
        return UNDISCLOSED
    is_stated = release.noisy and "rules" in release.noisy.report("noise")
    return "" if is_stated or not release.noisy else f"needs {release.noisy.path_of_report('noise.json')}"


CHECKS = (
    Check(says="there are files alone: no links, no devices", find=no_links, of_files=True),
    Check(says="every file is there that a list names", find=none_missing, of_files=True),
    Check(says="no file is there besides", find=none_besides),
    Check(says="every file has the bytes that the lists state", find=same_bytes, reads=_ALL, of_files=True),
    Check(says="archives hold what the folder holds", find=archives_hold_the_same, needs=(_archives,), reads=_ALL),
    Check(
        says="metadata say what follows from the files and the declaration",
        find=metadata_follow,
        needs=(_whole, _words, _declaration),
        reads=_ALL,
    ),
    Check(
        says="the bill of materials lists the requirements",
        find=materials_follow,
        needs=(_whole, _materials),
        reads=f"{RELEASE}|{SBOM}|{_VARIANT}{MANIFEST}",
    ),
    Check(
        says="statements are about this release, and agree with its files",
        find=stated_of_this,
        needs=(_head,),
        reads=_ALL,
    ),
    Check(says="statements are signed with the given key", find=signed, needs=(_key,), reads="|".join(STATEMENTS)),
    Check(
        says="tables are written as declared, and have the records that the manifest states",
        find=as_written,
        reads=rf"{_TABLES}|{_VARIANT}{REPORTS}/noise\.json",
        of_files=True,
    ),
    Check(
        says="tables in further formats hold what the tables hold",
        find=copies_hold_the_same,
        needs=(_some(_COPIES), _declaration),
        reads=f"{_TABLES}|{_COPIES}",
    ),
    Check(
        says="the cells of the clean variant meet what is declared of their columns",
        find=facts_hold,
        needs=(_clean, _declaration),
        reads=_CLEAN,
    ),
    Check(
        says="aggregates, counts and repeated figures follow from the published firms",
        find=aggregates_again,
        needs=(_clean, _declaration, _links),
        reads=_CLEAN,
    ),
    Check(
        says="identities between figures hold",
        find=identities_hold,
        needs=(_clean, _declaration, _identities),
        reads=rf"{_CLEAN}|(?:{CLEAN}/)?{REPORTS}/consistency\.json",
    ),
    Check(
        says="the noisy variant has at least half of the clean one's records",
        find=of_one_build,
        needs=(_pair, _declaration),
        reads=_TABLES,
    ),
    Check(
        says="the noisy variant differs from the clean one where and as often as noise may",
        find=noise_within_bounds,
        needs=(_pair, _noise, _declaration),
        reads=rf"{_TABLES}|{_VARIANT}{REPORTS}/noise\.json",
    ),
    Check(
        says="reports are what their schemas say",
        find=of_their_types,
        needs=(_some(_REPORTS),),
        reads=_REPORTS,
        of_files=True,
    ),
    Check(
        says="reports of both variants on what is beneath the noise are the same",
        find=same_in_variants,
        needs=(_pair,),
        reads=f"{_REPORTS}|{_VARIANT}{MANIFEST}",
    ),
    Check(
        says="figures of reports agree with the files and with each other",
        find=agree_with_files,
        needs=(_some(_REPORTS),),
        reads=f"{_TABLES}|{_REPORTS}",
    ),
    Check(
        says="tasks are what their schemas say, and agree with manifests and commitments",
        find=tasks_agree,
        needs=(_some(_OF_TASKS),),
        reads=rf"{_OF_TASKS}|{RELEASE}|{_VARIANT}{MANIFEST}",
    ),
    Check(
        says="answers to tasks are what their statements give over the clean tables",
        find=answers_follow,
        needs=(_some(_OF_TASKS), _clean, _declaration),
        reads=f"{_OF_TASKS}|{_CLEAN}",
    ),
    Check(
        says="no private key, path of a machine or file of the curator's is left", find=nothing_left_over, reads=_ALL
    ),
    Check(
        says="nothing tells which kinds of noise there are",
        find=no_noise_stated,
        needs=(_kept_back,),
        reads=rf"(?!{_TABLES}$|{_COPIES}$).*|{_VARIANT}{MANIFEST}",
    ),
    Check(
        says="pages have text, drawings and Silt's own scripts alone",
        find=pages_do_nothing_else,
        needs=(_some(_PAGES), _words),
        reads=_PAGES,
    ),
)
"""In the order in which they are made and printed."""


def _every(_release: Release) -> bool:
    return True


def _reports(name: str) -> Callable[[Release], bool]:
    return lambda release: any(path.endswith(f"reports/{name}.json") for path in release.tree.files)


BEYOND: Mapping[str, Callable[[Release], bool]] = {
    "how figures compare (ks.json, distributions.json): needs the raw tables or, of sampled records, the key": _reports(
        "ks"
    ),
    "how aggregates compare (consistency.json): needs the raw tables or, of sampled records, the key": _reports(
        "consistency"
    ),
    "what attacks find (privacy.json), and that no original identifier is left: `silt audit`, with the raw tables": _every,
    "that pages say what their reports say: the digests cover both": _every,
    "answers to the test of tasks, and that statements are what questions ask for: needs the curator's half, and people": (
        has_tasks
    ),
    "which rule changed a cell: needs the curator's ledger": lambda release: bool(release.noisy),
    "that these files come from those inputs: `silt rebuild`, with the raw tables and the release key": _every,
}
"""What cannot be checked from a release alone -> whether the release has any of it."""
