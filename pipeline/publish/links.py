"""Files with the same bytes, stored once under several names (hard links). Their content is their writers' business.

Changing such a file in place changes it under all its names; replacing or copying it leaves the other names as they were.
"""

import errno
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.publish.files import sha256

IMPOSSIBLE = frozenset(
    {errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
)
"""Errors of a file system without links, without links to that place, or with too many of them."""

FileId = tuple[int, int]
"""Device and number of a file, the same under each of its names."""


def file_id(path: Path) -> FileId:
    """Return which file has this name."""
    status = path.stat()
    return status.st_dev, status.st_ino


def link_or_copy(source: Path, target: Path) -> bool:
    """Give a file a further name, or copy it where that is impossible; return whether it is a link. Or raise `OSError`."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in IMPOSSIBLE:
            raise
        shutil.copyfile(source, target)
        return False
    return True


@dataclass(frozen=True)
class Digests:
    """SHA-256 of files that do not change meanwhile. A file is read once, whatever the number of its names."""

    known: dict[FileId, str] = field(default_factory=dict)

    def of(self, path: Path) -> str:
        """Return the SHA-256 of a file's bytes in hexadecimal."""
        found = file_id(path)
        if found not in self.known:
            self.known[found] = sha256(path)
        return self.known[found]


@dataclass
class Pool:
    """Stores one file for all files with the same bytes, also for those of its peers at the same path."""

    peers: Sequence[Path] = ()
    """Published folders. They are only read, and their files get further names."""
    files: dict[str, Path] = field(default_factory=dict)
    """SHA-256 -> the first file with these bytes."""
    copies: int = 0
    """Files that were copied, because no link was possible."""

    def merge(self, file: Path, digest: str, peer_path: str) -> None:
        """Take in a written file: it becomes another name of a file with the same bytes, if there is one."""
        # A peer's file is linked rather than ours kept, so that published variants share it as well.
        same = self.files.get(digest) or self._in_peers(peer_path, digest, file.stat().st_size)
        self.files.setdefault(digest, same or file)
        if same is not None:
            file.unlink()
            self.place(digest, file)

    def place(self, digest: str, target: Path) -> None:
        """Put the bytes of a digest, taken in before, at a further place."""
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copies += not link_or_copy(self.files[digest], target)

    def _in_peers(self, path: str, digest: str, size: int) -> Path | None:
        for candidate in (peer / path for peer in self.peers):
            if candidate.is_file() and candidate.stat().st_size == size and sha256(candidate) == digest:
                return candidate
        return None
