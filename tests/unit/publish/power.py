"""What a disk holds after a power cut: the work done in a folder is watched, and what was not forced to the disk is dropped.

At every moment there are two such disks. On a *strict* one a folder has the entries, and a file the content, that it had when
it was last synced itself. On a *journaled* one all folders are as they are at that moment, as common file systems write names
down in order; only the content of files that were not synced is lost.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

Tree = dict[str, bytes | None]
"""Content of each file by its path; None for a folder."""

TOUCHING = ("open", "os.", "shutil.", "ctypes.")
"""Audit events of calls that touch the file system."""

IN_MEMORY = Path("/dev/shm")  # noqa: S108
"""A file system in memory, where no inode is used twice."""


class Disk:
    """What of a folder is on the disk."""

    def __init__(self, root: Path) -> None:
        """Take a folder; all that is in it now is on the disk."""
        self.root = root
        self._synced: dict[int, bytes | dict[str, tuple[int, bool]]] = {}
        """By inode: a file's content; a folder's entries, each with its inode and whether it is a folder."""
        self.trees: dict[str, Tree] = {}
        """The different disks that a power cut could have left, each under a text that says which one it is."""
        self.now: list[Tree] = []
        """Those that the last one could have left: the strict one and the journaled one."""
        for path in (root, *root.rglob("*")):
            self.sync(path)

    def sync(self, path: Path) -> None:
        """Force a file's content or a folder's entries to the disk."""
        inode = path.stat().st_ino
        if path.is_dir():
            self._synced[inode] = {entry.name: (entry.inode(), entry.is_dir()) for entry in os.scandir(path)}
        else:
            self._synced[inode] = path.read_bytes()

    def cut(self) -> None:
        """Note what a power cut would leave now."""
        self.now = [dict(self._strict("", self.root.stat().st_ino, is_folder=True)), dict(self._journaled())]
        for tree in self.now:
            self.trees.setdefault(repr(sorted(tree.items())), tree)

    def _strict(self, path: str, inode: int, *, is_folder: bool) -> Iterator[tuple[str, bytes | None]]:
        # What was made and never synced is there by name at most.
        content = self._synced.get(inode, {} if is_folder else b"")
        if isinstance(content, bytes):
            yield path, content
            return
        if path:
            yield path, None
        for name, (inner, is_inner_folder) in content.items():
            yield from self._strict(f"{path}/{name}".lstrip("/"), inner, is_folder=is_inner_folder)

    def _journaled(self) -> Iterator[tuple[str, bytes | None]]:
        for path in self.root.rglob("*"):
            content = None if path.is_dir() else self._synced.get(path.stat().st_ino, b"")
            yield path.relative_to(self.root).as_posix(), content if isinstance(content, bytes) else None


_watching: list[Disk] = []


def _audit(event: str, _arguments: object) -> None:
    if _watching and event.startswith(TOUCHING):
        disk = _watching.pop()  # what is done here is not watched
        disk.cut()
        _watching.append(disk)


@cache
def _hook() -> None:
    """Hear of every call from now on; a hook cannot be taken away."""
    sys.addaudithook(_audit)


@contextmanager
def _watched(disk: Disk) -> Iterator[None]:
    """Watch what this process does to the file system."""
    sync = os.fsync

    def forced(descriptor: int) -> None:
        watching = [_watching.pop()]
        watching[0].cut()
        watching[0].sync(Path(f"/proc/self/fd/{descriptor}").resolve())
        watching[0].cut()
        _watching.extend(watching)
        sync(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", forced)
        _watching.append(disk)
        try:
            yield
        finally:
            _watching.clear()
            disk.cut()


def power_cuts(root: Path, work: Callable[[], object]) -> list[Tree]:
    """Do a piece of work in a folder below `IN_MEMORY`; return the different disks that a power cut could have left."""
    return list(_done(root, work).trees.values())


def when_done(root: Path, work: Callable[[], object]) -> list[Tree]:
    """Do a piece of work likewise; return the two disks that a power cut could leave afterwards."""
    return _done(root, work).now


def _done(root: Path, work: Callable[[], object]) -> Disk:
    _hook()
    disk = Disk(root)
    with _watched(disk):
        work()
    return disk


def on_disk(tree: Tree, folder: Path) -> Path:
    """Write down what a disk holds, as an empty folder's content."""
    for path, content in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            (folder / path).mkdir(exist_ok=True)
        else:
            (folder / path).write_bytes(content)
    return folder
