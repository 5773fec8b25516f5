"""Nothing is left in a release that is the curator's: private keys, names of the curator's files, paths of a machine.

Identifiers of the originals cannot be looked for, because whoever verifies does not have them; a build is searched for them
before it is published. Which words give noise away is decided where releases are made.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pipeline.conform.source import shortened
from pipeline.errors import Problem
from pipeline.places import CURATOR
from pipeline.publish.curator import HOLDS
from pipeline.publish.manifest import DATA_FOLDERS
from pipeline.release.disclosure import NoiseWords, giving_away
from validation.release.opened import Release

_KEYS = (b"PRIVATE KEY-----", b"AGE-SECRET-KEY-", b"PuTTY-User-Key-File")
"""What a private key is written with."""

_PATH = re.compile(
    rb"(?<![\w/.:<])(?:/(?:home|root|Users|tmp|var|mnt|opt|srv|private|work(?:space)?)/[\w.~+-]+|[A-Z]:\\\\?[\w.~+-]+\\)"
)
"""An absolute path below a folder in which people and programs work; `/database` is where a container has the data."""

_CURATORS = frozenset({name for name in HOLDS if "/" not in name and "<" not in name} | {CURATOR})


def nothing_left_over(release: Release) -> Iterator[Problem]:
    """Find private keys, absolute paths, and files that are the curator's."""
    for path in release.tree.files:
        parts = PurePosixPath(path).parts
        if named := _CURATORS & set(parts) or [part for part in parts[-1:] if part.endswith((".key", ".pem", ".enc"))]:
            yield Problem(path, 0, "", ", ".join(sorted(named)), "expected nothing that is named like the curator's")
        if not path.endswith(".tar.zst"):
            yield from _in_content(path, release.tree.content(path))


def no_noise_told(release: Release) -> Iterator[Problem]:
    """Find names of kinds of noise, in a release that does not disclose its noise."""
    yield from giving_away(release.tree.folder, release.tree.files, NoiseWords())


def _in_content(path: str, content: bytes) -> Iterator[Problem]:
    for mark in _KEYS:
        if mark in content:
            yield _at(path, content, content.index(mark), mark, "no private key")
    if not set(DATA_FOLDERS) & set(path.split("/")) and (found := _PATH.search(content)):
        yield _at(path, content, found.start(), found[0], "no path of a machine")


def _at(path: str, content: bytes, offset: int, found: bytes, expected: str) -> Problem:
    line = content.count(b"\n", 0, offset) + 1
    return Problem(path, line, "", shortened(found.decode(errors="replace")), f"expected {expected}")
