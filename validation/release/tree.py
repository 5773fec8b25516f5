"""What lies below a folder: names, kinds and sizes first, then digests, then what may be read whole.

A folder may hold anything: a pipe, a device, a file of 50 GB. Nothing is opened that is no regular file, digests are taken in
parts, and nothing is read whole that is longer than a list of the release states. A text, and a line of a table, is bounded
besides: a list may lie.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from polars.exceptions import PolarsError

from pipeline.errors import GateError, InputError
from pipeline.publish.files import sha256
from pipeline.publish.formats import is_text
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.variant import VARIANTS
from pipeline.release.layout import ARCHIVE, RELEASE
from pipeline.small_files import content_of, opened

UNREADABLE = (InputError, PolarsError, ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError)
"""What reading a file may meet that is not what it should be."""

TEXT = 2**25
"""Bytes of the longest text (our choice: nearly twice the statistics that `guarded` publishes of the paper's environment)."""

PARTS = 2**19
"""Values, objects and lists in JSON (our choice: nearly twice those of that report): each takes far more than its text."""

LINE = 2**22
"""Bytes of a line of a table (our choice)."""

ENTRIES = 2**16
"""Files below a folder (our choice: six times what an archive may hold)."""

_MORE = 2**18
"""Bytes that a file may be longer than it is listed, so that the cell can be named that somebody made longer (our choice)."""

_BLOCK = 2**20


@dataclass(frozen=True)
class Tree:
    """What lies below a folder, and the digests of files that somebody asked for."""

    folder: Path
    files: Mapping[str, int]
    """Path below the folder -> bytes, of regular files."""
    strange: Mapping[str, str]
    """Path -> what it is, of what is neither a file nor a folder."""
    empty: tuple[str, ...] = ()
    """Folders that hold nothing."""
    _digests: dict[str, str] = field(default_factory=dict)
    _tables: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, folder: Path) -> "Tree":
        """Look at everything below a folder, following no links; raise `GateError` if it holds more than any release does."""
        found: dict[str, os.stat_result] = {}
        for path in _below(folder):
            found[path.relative_to(folder).as_posix()] = path.lstat()
            if len(found) > ENTRIES:
                raise GateError(f"{folder} holds more than {ENTRIES:,} files, and no release does; do not use it")
        kinds = {path: status.st_mode for path, status in sorted(found.items())}
        return cls(
            folder=folder,
            files={path: found[path].st_size for path, mode in kinds.items() if stat.S_ISREG(mode)},
            strange={
                path: "a link" if stat.S_ISLNK(mode) else "a device or pipe"
                for path, mode in kinds.items()
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
            },
            empty=tuple(path for path, mode in kinds.items() if stat.S_ISDIR(mode)),
        )

    @cached_property
    def stated(self) -> Mapping[str, int]:
        """Return how many bytes files have by the lists: by the head, and by a manifest where the head says nothing."""
        sizes: dict[str, int] = {}
        for prefix, name in (("", RELEASE), ("", MANIFEST), *((f"{variant}/", MANIFEST) for variant in VARIANTS)):
            for entry in entries(self._json(prefix + name)):
                if isinstance(entry.get("bytes"), int):
                    sizes.setdefault(prefix + entry["path"], entry["bytes"])
        return sizes

    def is_as_long(self, path: str) -> bool:
        """Say whether a file is about as long as it is listed, or no longer than a text where it is not listed."""
        return self.files.get(path, 0) <= self.stated.get(path, TEXT - _MORE) + _MORE

    @property
    def unread(self) -> list[str]:
        """Return the files that no list names and that are longer than any text: they are not read."""
        files = (path for path in self.files if path not in self.stated and not path.endswith(ARCHIVE))
        return [path for path in files if not self.is_as_long(path)]

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file in hexadecimal."""
        if path not in self._digests:
            self._digests[path] = sha256(self.folder / path)
        return self._digests[path]

    def is_same(self, path: str, other: "Tree") -> bool:
        """Say whether a file of both trees is the same: as long, and then of the same digest."""
        return self.files[path] == other.files[path] and self.digest(path) == other.digest(path)

    def content(self, path: str) -> bytes:
        """Return the bytes of a text.

        Raises:
            InputError: It is no file of the tree, or longer than it is listed or any text is.
        """
        self._refuse_longer(path)
        return self._text(path)

    def table(self, path: str) -> Path:
        """Return where a table or a document of data stands, if it may be read whole.

        Raises:
            InputError: It is no file of the tree, longer than it is listed, or has a line that no table has.
        """
        self._refuse_longer(path)
        if path not in self._tables and is_text(path):
            self._refuse_long_lines(path)
        self._tables.add(path)
        return self.folder / path

    def blocks(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of a file in parts."""
        with opened(self.folder / path)[0] as file:
            while block := file.read(_BLOCK):
                yield block

    def json(self, path: str) -> Mapping[str, Any]:
        """Return the object in a file of JSON; an empty one if it holds none, or may not be read."""
        return self._json(path) if self.is_as_long(path) else {}

    def _json(self, path: str) -> Mapping[str, Any]:
        try:
            content = json.loads(self._text(path))
        except UNREADABLE:
            return {}
        return content if isinstance(content, dict) else {}

    def _text(self, path: str) -> bytes:
        if path not in self.files:
            raise InputError(f"{path} is not there")
        try:
            content = content_of(self.folder / path, most=TEXT)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from error
        if path.endswith(".json") and sum(map(content.count, (b",", b"[", b"{"))) > PARTS:
            raise InputError(f"{path} has more than {PARTS:,} values, and no report does")
        return content

    def _refuse_longer(self, path: str) -> None:
        if path not in self.files:
            raise InputError(f"{path} is not there")
        if not self.is_as_long(path):
            listed = f"it is listed with {self.stated[path]:,}" if path in self.stated else "no list names it"
            raise InputError(f"{path} has {self.files[path]:,} bytes, and {listed}: it is not read")

    def _refuse_long_lines(self, path: str) -> None:
        line = 0
        for block in self.blocks(path):
            ended = block.rfind(b"\n")
            if ended < 0:
                line += len(block)
            elif line + block.find(b"\n") > LINE:
                break
            else:
                line = len(block) - ended - 1
            if line > LINE:
                break
        else:
            return
        raise InputError(f"{path} has a line of more than {LINE:,} bytes, and no table does: it is not read")


def entries(listing: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the files that a manifest or a head lists, without what is no entry."""
    listed = listing.get("files")
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("path"), str):
            yield entry


def of_variants(folder: Path, names: list[str]) -> Tree:
    """Look at the variants in the output folder of a build alone: what else lies there is the curator's."""
    trees = {name: Tree.of(folder / name) for name in names}
    return Tree(
        folder=folder,
        files={f"{name}/{path}": size for name, tree in trees.items() for path, size in tree.files.items()},
        strange={f"{name}/{path}": what for name, tree in trees.items() for path, what in tree.strange.items()},
    )


def _below(folder: Path) -> Iterator[Path]:
    """Yield what lies below a folder: what is no folder, links to folders, and folders that hold nothing."""
    for place, folders, files in os.walk(folder, followlinks=False):
        yield from (Path(place, name) for name in files)
        yield from (path for name in folders if (path := Path(place, name)).is_symlink())
        if not folders and not files and Path(place) != folder:
            yield Path(place)
