"""Nothing is left in a release that is the curator's: private keys, names of the curator's files, paths of a machine.

Identifiers of the originals cannot be looked for, because whoever verifies does not have them; a build is searched for them
before it is published. Which words give noise away is decided where releases are made.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from pipeline.conform.source import shortened
from pipeline.errors import Problem
from pipeline.places import CURATOR
from pipeline.publish.curator import HOLDS
from pipeline.publish.manifest import DATA_FOLDERS
from pipeline.release.disclosure import NoiseWords, giving_away
from pipeline.release.layout import ARCHIVE
from validation.release.opened import Release
from validation.release.tree import TEXT

_KEYS = (b"PRIVATE KEY-----", b"AGE-SECRET-KEY-", b"PuTTY-User-Key-File")
"""What a private key is written with."""

_PATH = re.compile(
    rb"(?<![\w/.:<])(?:/(?:home|root|Users|tmp|var|mnt|opt|srv|private|work(?:space)?)/[\w.~+-]+|[A-Z]:\\\\?[\w.~+-]+\\)"
)
"""An absolute path below a folder in which people and programs work; `/database` is where a container has the data."""

_SHOWN = 64
"""Bytes of a part of a file that are looked at again with the next one: what is looked for is shorter, or shown no longer."""

_CURATORS = frozenset({name for name in HOLDS if "/" not in name and "<" not in name} | {CURATOR})


def nothing_left_over(release: Release) -> Iterator[Problem]:
    """Find private keys, absolute paths, and files that are the curator's."""
    yield from _unread(release)
    for path in release.tree.files:
        parts = PurePosixPath(path).parts
        if named := _CURATORS & set(parts) or [part for part in parts[-1:] if part.endswith((".key", ".pem", ".enc"))]:
            yield Problem(path, 0, "", ", ".join(sorted(named)), "expected nothing that is named like the curator's")
        if not path.endswith(ARCHIVE) and release.tree.is_as_long(path):
            yield from _in_content(path, release.tree.blocks(path))


def no_noise_stated(release: Release) -> Iterator[Problem]:
    """Find names of kinds of noise, in a release that does not disclose its noise."""
    yield from _unread(release)
    texts = [path for path, size in release.tree.files.items() if release.tree.is_as_long(path) and size <= TEXT]
    yield from giving_away(release.tree.folder, texts, NoiseWords())


def _unread(release: Release) -> Iterator[Problem]:
    for path in release.tree.unread:
        yield Problem(path, 0, "", f"{release.tree.files[path]:,} bytes", "expected fewer: it is not read")


def _in_content(path: str, blocks: Iterable[bytes]) -> Iterator[Problem]:
    """Find the first of each that is looked for."""
    left = {re.compile(re.escape(mark)): "no private key" for mark in _KEYS}
    if not set(DATA_FOLDERS) & set(path.split("/")):
        left[_PATH] = "no path of a machine"
    kept, line = b"", 1
    for block in blocks:
        content = kept + block
        for pattern in list(left):
            # What begins with a part was looked at with the one before, where what stands before it can be seen.
            if found := pattern.search(content, 1 if kept else 0):
                at = line + content.count(b"\n", 0, found.start())
                shown = shortened(found[0].decode(errors="replace"))
                yield Problem(path, at, "", shown, f"expected {left.pop(pattern)}")
        kept = content[-_SHOWN:]
        line += content.count(b"\n", 0, len(content) - len(kept))
