"""The pinned requirements (`requirements.txt`, as uv compiles it): library, version, digests, and who needs it.

Reading the file belongs here; the bill of materials that is made of it belongs to `sbom.py`.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import InputError

REQUIREMENTS, PROJECT = "requirements.txt", "pyproject.toml"

_PINNED = re.compile(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)(?: ; ([^\\\n]*))?((?:.*\n[ ]+.*)*)", re.MULTILINE)
"""Name, version, marker, and the indented lines below."""
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_VIA = re.compile(r"#   (?!via\b)([\w.-]+)|# via ([\w.-]+)")
_NAME = re.compile(r"^[\w.-]+")


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One pinned library."""

    name: str
    version: str
    marker: str
    """On which machines it is installed; empty for all."""
    sha256: tuple[str, ...]
    """Digests of the files that it may be installed from."""
    wanted_by: tuple[str, ...]
    """Names of the libraries that need it."""

    @property
    def url(self) -> str:
        """Return the package URL (purl)."""
        return f"pkg:pypi/{self.name}@{self.version}"


def read_requirements(root: Path) -> bytes:
    """Return the content of the file of pinned requirements, or raise `InputError` if it is not there."""
    try:
        return (root / REQUIREMENTS).read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read {root / REQUIREMENTS}: {error.strerror}; make releases from a checkout, which has it"
        ) from error


def pinned(content: bytes) -> list[Requirement]:
    """Return the libraries that the file pins, in its order."""
    return [_requirement(found) for found in _PINNED.finditer(content.decode())]


def at_run_time(requirements: Sequence[Requirement], project: bytes) -> set[str]:
    """Return the names of what Silt runs with: what the project names, and all that those need. The others are for tests."""
    named = tomllib.loads(project.decode())["project"]["dependencies"]
    found = {normal(match.group()) for text in named if (match := _NAME.match(text))}
    while more := {each.name for each in requirements if each.name not in found and found & set(each.wanted_by)}:
        found |= more
    return found


def normal(name: str) -> str:
    """Return the name of a library in its one form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirement(found: re.Match[str]) -> Requirement:
    name, version, marker, rest = found.groups(default="")
    users = (normal(first or second) for first, second in _VIA.findall(rest))
    return Requirement(
        name=normal(name),
        version=version,
        marker=marker.strip(),
        sha256=tuple(_HASH.findall(rest)),
        wanted_by=tuple(users),
    )
