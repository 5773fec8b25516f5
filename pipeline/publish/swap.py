"""Puts one folder in another's place, durably and in one step if the file system can. Knows no environments."""

import ctypes
import errno
import os
from pathlib import Path

from pipeline.disk import sync_folder

AT_FDCWD = -100
"""linux/fcntl.h: paths are relative to the working directory."""

RENAME_EXCHANGE = 2
"""linux/fs.h, for renameat2(2)."""

RENAME_SWAP = 2
"""macOS sys/stdio.h, for renamex_np(2)."""

UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})
"""Errors of a kernel or file system that cannot exchange two paths."""


def put_in_place(staged: Path, target: Path, retired: Path) -> None:
    """Make `staged` the folder at `target`. The old folder ends at `staged`, or at `retired` if nothing can exchange paths.

    In the second case `target` is missing for a moment; recovery detects that by a `retired` without a `target`.
    """
    if not target.exists():
        staged.rename(target)
    elif not exchange(staged, target):
        target.rename(retired)
        staged.rename(target)
    sync_folder(target.parent)


def exchange(first: Path, second: Path) -> bool:
    """Exchange two paths in one step; return False and do nothing if that is unsupported, raise `OSError` if it fails."""
    libc = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(first), os.fsencode(second)
    if hasattr(libc, "renameat2"):
        # Python has no call for an exchange of two paths, so the C library's is called.
        status = libc.renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], RENAME_EXCHANGE)
    elif hasattr(libc, "renamex_np"):
        status = libc.renamex_np(*paths, RENAME_SWAP)
    else:
        return False
    number = ctypes.get_errno()
    if status and number not in UNSUPPORTED:
        raise OSError(number, os.strerror(number), str(first))
    return not status
