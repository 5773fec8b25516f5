"""What stands where in a release, each name once, and its head: the file that lists all the others.

releases/<environment>-<version>/              public
  release.json                                 the head: everything below the folder but itself, statements and archives
  README.md CITATION.cff croissant.json datapackage.json compose.yaml sbom.cdx.json
  data_dictionary.csv data_dictionary.md       where the release is documented
  provenance.intoto.json deidentification.intoto.json    about the head and the archives, so neither lists them
  tasks/                                       questions, if they were asked for (`tasks.py`)
  <variant>/database/ manifest.json reports/   and ideal/, and the tables in further formats: parquet/
  <environment>-<version>-<variant>.tar.zst    the head, what it lists of metadata, and one variant
releases/<environment>-<version>.curator/      mode 0700
"""

import re
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from pipeline.errors import InputError
from pipeline.legible import one_line
from pipeline.publish.files import sha256
from pipeline.publish.formats import FORMATS, Format
from pipeline.release.reading import Stated, read_as
from pipeline.small_files import REPORTED, content_of

RELEASE = "release.json"
"""The head."""

README, CITATION, COMPOSE = "README.md", "CITATION.cff", "compose.yaml"
CROISSANT, DATA_PACKAGE = "croissant.json", "datapackage.json"
DICTIONARY_CSV, DICTIONARY_PAGE = "data_dictionary.csv", "data_dictionary.md"
DESCRIBING = (README, CITATION, COMPOSE, CROISSANT, DATA_PACKAGE, DICTIONARY_CSV, DICTIONARY_PAGE)
"""What a release says of itself and its data."""

SBOM = "sbom.cdx.json"
PROVENANCE, DEIDENTIFICATION = "provenance.intoto.json", "deidentification.intoto.json"
STATEMENTS = (PROVENANCE, DEIDENTIFICATION)
"""Statements about the head and the archives, in envelopes."""

FORMER = ("column_sums.json",)
"""Files that releases had once; whoever verifies one of these finds them listed."""

ARCHIVE = ".tar.zst"
REPORTS = "reports"
OPTIONS = "options.json"
"""File of the curator's half that says what the build was asked for, and of which raw files."""

SPECIFICATION = "noise.yaml"
"""File of the curator's half: the specification of the noise."""

LINKS = "links.json"
"""File of the curator's half: what whoever has an earlier release of the same raw tables links, by its name."""

OF_CURATOR = ".curator"
"""Ending of the folder that stays with the curator."""

STAGING = ".staging"
"""Where both folders are made, beside where they are put."""

Mode = Literal["underexplored", "documented"]
UNDEREXPLORED: Final = "underexplored"
"""Agents get no schema: columns have names, and that is all."""
DOCUMENTED: Final = "documented"
"""There is a data dictionary, and columns have types, units and meanings."""

OTHER_LICENSE: Final = "other"
"""What hubs call a licence that has no identifier."""

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?")
"""semver.org, without build metadata: `+` in a name is read differently by different tools."""


class Listed(Stated):
    """A file of a release."""

    path: str
    bytes: int
    sha256: str


class ReleaseHead(Stated):
    """What a release is, and every file that belongs to it."""

    format: Literal[1] = 1
    environment: str
    version: str
    released: str
    """The day, as YYYY-MM-DD."""
    mode: Mode
    discloses_noise: bool
    """Whether anything public says which noise was added, and how often."""
    policy: str
    variants: tuple[str, ...]
    files: tuple[Listed, ...]

    @property
    def name(self) -> str:
        """Return the name of the release, and of its folder."""
        return name_of(self.environment, self.version)

    def to_bytes(self) -> bytes:
        """Return the head as JSON."""
        return (self.model_dump_json(indent=2) + "\n").encode()

    def paths_of(self, variant: str) -> list[str]:
        """Return the paths of what the archive of a variant holds: the head, metadata, and the variant's own files."""
        others = tuple(f"{name}/" for name in self.variants if name != variant)
        return [RELEASE, *(file.path for file in self.files if not file.path.startswith(others))]


def read_head(folder: Path) -> ReleaseHead:
    """Read the head of a release, or raise `InputError`."""
    try:
        content = content_of(folder / RELEASE, most=REPORTED)
    except OSError as error:
        raise InputError(
            f"no {RELEASE} can be read in {folder}; give the folder of a release, or its archive"
        ) from error
    return read_as(ReleaseHead.model_validate_json, content, f"the head of a release ({folder / RELEASE})")


def name_of(environment: str, version: str) -> str:
    """Return the name of a release, or raise `InputError` if the version is none."""
    refuse_no_version(version)
    return f"{environment}-{version}"


def refuse_no_version(version: str) -> None:
    """Refuse what is no version."""
    if not version:
        raise InputError("a release needs a version; give --version 1.0.0 (VERSION)")
    if VERSION.fullmatch(version) is None:
        raise InputError(
            f"found {version!r} for a version; give --version (VERSION) as MAJOR.MINOR.PATCH: 1.0.0, or marked: 1.0.0-rc.1"
        )


def license_of(text: str) -> str:
    """Return an identifier or expression of SPDX, given in any case, as SPDX spells it, or `other`; refuse all else."""
    with suppress(InvalidLicenseExpression):
        if text == " ".join(text.split()):
            return OTHER_LICENSE if text.lower() == OTHER_LICENSE else str(canonicalize_license_expression(text))
    raise InputError(
        f"found {text!r} for a licence; give --license as an SPDX identifier, as in CC-BY-4.0 (spdx.org/licenses), or "
        f"{OTHER_LICENSE}"
    )


def refuse_no_author(author: str) -> None:
    """Refuse what names nobody, or is no line of text."""
    if author != author.strip() or not author or one_line(author) != author:
        raise InputError(f"found {author!r} for an author; give --author as a name, in one line")


def archive_of(release: str, variant: str) -> str:
    """Return the name of the archive of a variant."""
    return f"{release}-{variant}{ARCHIVE}"


def copy_of(path: str, in_: Format) -> str:
    """Return where a variant has a table once more in a further format; both paths are below the variant."""
    return PurePosixPath(in_.name, path).with_suffix(in_.suffix).as_posix()


def is_copy(path: str) -> bool:
    """Say whether a file of a variant is a table in a further format."""
    return path.partition("/")[0] in FORMATS


def is_listed(path: str) -> bool:
    """Say whether the head lists a file at this path: it is no head, no statement and no archive."""
    return path not in {RELEASE, *STATEMENTS} and not ("/" not in path and path.endswith(ARCHIVE))


def listed(folder: Path) -> tuple[Listed, ...]:
    """Return every file below a release's folder that its head lists, by path."""
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return tuple(
        Listed(path=path, bytes=(folder / path).stat().st_size, sha256=sha256(folder / path))
        for path in paths
        if is_listed(path)
    )
