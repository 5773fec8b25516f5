"""Verifies a release from its public files alone: all checks in order, what they need, and what nobody can check from here.

Belongs here: which checks there are, and the verdict in words. What each looks at belongs to `checks/`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pipeline.errors import Problem
from pipeline.legible import one_line
from pipeline.release.layout import STATEMENTS, is_copy
from validation.release.checks.attested import envelopes, signed, stated_of_this, unknown_maker, whose
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
from validation.release.checks.pair import noise_within_bounds
from validation.release.checks.reports import agree_with_files, of_their_types, same_in_variants
from validation.release.checks.tables import as_written
from validation.release.checks.tasks import answers_follow, has_tasks, tasks_agree
from validation.release.opened import Release
from validation.release.tree import UNREADABLE

SHOWN = 10
"""Differences of a check that are named."""

Find = Callable[[Release], Iterator[Problem]]

Need = Callable[[Release], str]
"""Returns why a check cannot be made; empty if it can. With `_NEEDS` it begins where something goes unchecked."""

_NEEDS = "needs "


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check: what it establishes, in words, and how what breaks it is found."""

    says: str
    find: Find
    needs: tuple[Need, ...] = ()


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
    return "" if release.head.get("discloses_noise") is False else "the release discloses its noise"


def _key(release: Release) -> str:
    if release.public_key:
        return ""
    is_signed = release.is_release and any(read.signatures for read in envelopes(release).values())
    return f"needs the public key of whoever signed it{' (--public-key)' if is_signed else ''}"


def _declaration(release: Release) -> str:
    return "" if release.environment else "needs the declaration of the environment (--environment)"


def _clean(release: Release) -> str:
    return "" if release.clean else "needs the clean variant"


def _copies(release: Release) -> str:
    has_copies = any(is_copy(path.removeprefix(each.prefix)) for each in release.variants for path in each.files)
    return "" if has_copies else "there are none"


def _tasks(release: Release) -> str:
    return "" if has_tasks(release) else "there are none"


def _links(release: Release) -> str:
    return "" if release.links else "there are none"


def _identities(release: Release) -> str:
    return "" if release.environment and release.environment.panel.identities else "there are none"


def _pair(release: Release) -> str:
    return "" if release.clean and release.noisy else "needs both variants"


CHECKS = (
    Check(says="there are files alone: no links, no devices", find=no_links),
    Check(says="every file is there that a list names", find=none_missing),
    Check(says="no file is there besides", find=none_besides),
    Check(says="every file has the bytes that the lists state", find=same_bytes),
    Check(says="archives hold what the folder holds", find=archives_hold_the_same, needs=(_archives,)),
    Check(
        says="metadata say what follows from the files and the declaration",
        find=metadata_follow,
        needs=(_whole, _declaration, _words),
    ),
    Check(says="the bill of materials lists the requirements", find=materials_follow, needs=(_whole, _materials)),
    Check(says="statements are about this release, and agree with its files", find=stated_of_this, needs=(_head,)),
    Check(says="statements are signed with the given key", find=signed, needs=(_key,)),
    Check(says="tables are written as declared, and have the records that the manifest states", find=as_written),
    Check(
        says="tables in further formats hold what the tables hold",
        find=copies_hold_the_same,
        needs=(_copies, _declaration),
    ),
    Check(
        says="the cells of the clean variant meet what is declared of their columns",
        find=facts_hold,
        needs=(_declaration, _clean),
    ),
    Check(
        says="aggregates, counts and repeated figures follow from the published firms",
        find=aggregates_again,
        needs=(_declaration, _clean, _links),
    ),
    Check(says="identities between figures hold", find=identities_hold, needs=(_declaration, _clean, _identities)),
    Check(
        says="the noisy variant differs from the clean one where and as often as noise may",
        find=noise_within_bounds,
        needs=(_declaration, _pair),
    ),
    Check(says="reports are what their schemas say", find=of_their_types),
    Check(
        says="reports of both variants on what is beneath the noise are the same", find=same_in_variants, needs=(_pair,)
    ),
    Check(says="figures of reports agree with the files and with each other", find=agree_with_files),
    Check(
        says="tasks are what their schemas say, and agree with manifests and commitments",
        find=tasks_agree,
        needs=(_tasks,),
    ),
    Check(
        says="answers to tasks are what their statements give over the clean tables",
        find=answers_follow,
        needs=(_tasks, _declaration, _clean),
    ),
    Check(says="no private key, path of a machine or file of the curator's is left", find=nothing_left_over),
    Check(says="nothing tells which kinds of noise there are", find=no_noise_stated, needs=(_kept_back,)),
    Check(says="pages have text, drawings and Silt's own scripts alone", find=pages_do_nothing_else, needs=(_words,)),
)
"""In the order in which they are made and printed."""


def _every(_release: Release) -> bool:
    return True


def _reports(name: str) -> Callable[[Release], bool]:
    return lambda release: any(path.endswith(f"reports/{name}.json") for path in release.tree.files)


BEYOND: Mapping[str, Callable[[Release], bool]] = {
    "that figures are distributed as the originals' (ks.json, distributions.json): needs the raw tables": _reports(
        "ks"
    ),
    "that aggregates are near those of the originals (consistency.json): needs the raw tables": _reports("consistency"),
    "what attacks find (privacy.json), and that no original identifier is left: `silt audit`, with the raw tables": _every,
    "that pages say what their reports say: the digests cover both": _every,
    "answers to the test of tasks, and that statements are what questions ask for: needs the curator's half, and people": (
        has_tasks
    ),
    "which rule changed a cell: needs the curator's ledger": lambda release: bool(release.noisy),
    "that these files come from those inputs: `silt rebuild`, with the raw tables and the release key": _every,
}
"""What cannot be checked from a release alone -> whether the release has any of it."""


@dataclass(frozen=True)
class Made:
    """A check that was made, and the first differences that it found."""

    check: Check
    problems: tuple[Problem, ...]


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What verifying a release came to."""

    release: Release
    made: tuple[Made, ...]
    not_made: tuple[tuple[Check, str], ...]
    """Checks with the reason why they could not be made."""

    @property
    def problems(self) -> list[Problem]:
        """Return every difference that is named."""
        return [problem for made in self.made for problem in made.problems]

    @property
    def _unchecked(self) -> list[str]:
        """Return what would be needed for checks of what is there."""
        return [why for _, why in self.not_made if why.startswith(_NEEDS)]

    @property
    def missing_options(self) -> list[str]:
        """Return the options of the command that would let it make further checks."""
        named = (re.search(r"\((--[a-z-]+)\)$", why) for why in self._unchecked)
        return list(dict.fromkeys(found[1] for found in named if found))

    def text(self) -> str:
        """Return what was checked, what it came to, what was not checked, and whose release it is."""
        lines = [
            *self._of_made(),
            *self._of_rest(),
            *whose(self.release),
            *_made_under(self.release),
            "",
            self._verdict(),
        ]
        return "\n".join(map(one_line, lines))

    def _of_made(self) -> Iterator[str]:
        for made in self.made:
            yield f"{'FAILED' if made.problems else 'ok    '}  {made.check.says}"
            yield from (f"        {problem}" for problem in made.problems[:SHOWN])
            if len(made.problems) > SHOWN:
                yield "        ... and more"

    def _of_rest(self) -> Iterator[str]:
        for check, why in self.not_made:
            yield f"{'not made' if why.startswith(_NEEDS) else 'n/a     '}  {check.says}: {why}"
        yield "Cannot be checked from the release alone:"
        yield from (f"  - {sentence}" for sentence, is_there in BEYOND.items() if is_there(self.release))

    def _verdict(self) -> str:
        every, failed = len(self.made) + len(self.not_made), sum(bool(made.problems) for made in self.made)
        if failed:
            return f"NOT VERIFIED: {failed} of {len(self.made)} checks found differences."
        unchecked = len(self._unchecked)
        empty = len(self.not_made) - unchecked
        parts = [f"{len(self.made)} of {every} checks made, no difference"]
        parts += (
            [f"{unchecked} {'lacks what it needs' if unchecked == 1 else 'lack what they need'}"] if unchecked else []
        )
        parts += [f"{empty} {'has' if empty == 1 else 'have'} nothing to look at"] if empty else []
        if not unchecked and not unknown_maker(self.release):
            return f"Verified: {'; '.join(parts)}."
        words = f"pages and words were not compared with those of Silt {self.release.silt}"
        but = [unknown_maker(self.release), words if self.release.is_of_another_silt else ""]
        return f"Verified in part: {'; '.join(filter(None, [*parts, *but]))}."


def verify(
    release: Release, checks: Sequence[Check] = CHECKS, *, watch: Callable[[str], None] = lambda _check: None
) -> Verified:
    """Make every check that can be made. Nothing is written, and nothing of the release is run.

    Args:
        watch: Called with the claim of each check before it is made.
    """
    reasons = [(check, next(filter(None, (need(release) for need in check.needs)), "")) for check in checks]
    made = list[Made]()
    for check in [check for check, why in reasons if not why]:
        watch(check.says)
        made.append(Made(check, tuple(islice(_found(check, release), SHOWN + 1))))
    not_made = tuple((check, why) for check, why in reasons if why)
    return Verified(release=release, made=tuple(made), not_made=not_made)


def _found(check: Check, release: Release) -> Iterator[Problem]:
    """Yield what a check finds; content on which it cannot be carried out is a finding, too."""
    try:
        yield from check.find(release)
    except UNREADABLE as error:
        what = f"{type(error).__name__}: {error}"
        yield Problem("the release", 0, "", what.splitlines()[0], f"the check cannot be carried out: {check.says}")


def _made_under(release: Release) -> Iterator[str]:
    """Yield under which release key the variants say that they were made."""
    keys = {
        variant.name: (variant.manifest.get("key_fingerprint"), variant.manifest.get("is_demonstration_key"))
        for variant in release.variants
    }
    for name, (fingerprint, is_demonstration) in keys.items():
        note = ", which is public and protects nothing" if is_demonstration else ""
        yield f"{name}: made under the release key of fingerprint {fingerprint}{note} (its own statement)"
    if len({fingerprint for fingerprint, _ in keys.values()}) > 1:
        yield "The variants were made under different keys."
