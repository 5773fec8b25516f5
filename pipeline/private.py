"""Makes folders and files that their owner alone can read, under any umask: folders have mode 0700, files mode 0600.

A file gets its mode before its content. Which files are private is decided where they are written. No error here holds any
part of a file's content.
"""

import os
import re
import shutil
import stat
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pipeline.disk import sync_folder
from pipeline.errors import KeyFileError
from pipeline.small_files import opened

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def private_folder(folder: Path, *inner: str) -> Path:
    """Make a folder that its owner alone can read, and the folders `inner` nested in it; return the innermost.

    Folders that exist already are closed. Missing folders above `folder` are made, with the usual mode.
    """
    for place in (folder, *(folder.joinpath(*inner[: i + 1]) for i in range(len(inner)))):
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(FOLDER_MODE)
    return folder.joinpath(*inner)


def private_file(path: Path) -> Path:
    """Put an empty file that its owner alone can read in the place of any older one, and return it for writing.

    The older file loses this name: a process that has it open, or another name of it, sees nothing of the new one.
    """
    path.unlink(missing_ok=True)
    os.close(_opened(path, os.O_EXCL))
    return path


def write_new(path: Path, content: bytes, *, mode: int = FILE_MODE) -> None:
    """Create a complete file or none, on the disk: link a finished one to the path, which fails if the path is taken.

    Raises:
        OSError: The path is taken, or the place cannot be written.
    """
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mkstemp's mode is 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        # A link fails if the path is taken, where a rename would replace another's file.
        os.link(unfinished, path)
    finally:
        Path(unfinished).unlink()
    sync_folder(path.parent)


def replace_file(path: Path, content: bytes) -> None:
    """Put a complete file that its owner alone can read in the place of any older one, on the disk, in one step.

    Raises:
        OSError: The place cannot be written; the older file stays.
    """
    unfinished = private_file(path.with_name(f".{path.name}-unfinished"))
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    sync_folder(path.parent)


def read_secret(path: Path, form: re.Pattern[bytes], otherwise: str, *, most: int) -> bytes:
    """Return the first `most` bytes of a regular file that its owner alone can read.

    Args:
        form: What all of these bytes look like.
        otherwise: What the file is said to be if they do not. Nobody is asked to close a file that is no secret.
        most: Bytes that are read.

    Raises:
        OSError: It cannot be read, or is no regular file.
        KeyFileError: It has another form, or is open to group or others.
    """
    file, mode = opened(path)
    with file:
        content = file.read(most)
    if form.fullmatch(content) is None:
        raise KeyFileError(f"{path} {otherwise}")
    if stat.S_IMODE(mode) & 0o077:
        raise KeyFileError(f"{path} is open to group or others (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {path}")
    return content


def make_private(folder: Path) -> None:
    """Close a folder and everything in it. A file that has names elsewhere, too, is copied, so that those stay open."""
    names: defaultdict[tuple[int, int], list[Path]] = defaultdict(list)
    for path in (folder, *folder.rglob("*")):
        status = path.stat()
        if path.is_dir():
            path.chmod(FOLDER_MODE)
        else:
            names[status.st_dev, status.st_ino].append(path)
    for same in names.values():
        if same[0].stat().st_nlink > len(same):
            # The mode is shared with the names outside of the folder, which must stay readable.
            _part(same)
        same[0].chmod(FILE_MODE)


def private_lock(path: Path) -> BinaryIO:
    """Open a lock file that its owner alone can read, made if it is missing. It is never replaced, or locks would not meet."""
    return os.fdopen(_opened(path, 0), "wb")


def _part(names: Sequence[Path]) -> None:
    """Replace a file, under these of its names, by a copy with the same bytes."""
    first, *others = names
    own = first.with_name(f".{first.name}.own")
    shutil.copyfile(first, private_file(own))
    for name in others:
        name.unlink()
        os.link(own, name)
    own.replace(first)


def _opened(path: Path, flags: int) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flags, FILE_MODE)
    # An existing file keeps its mode when it is opened, and a strict umask may take the owner's own rights away.
    os.fchmod(descriptor, FILE_MODE)
    return descriptor
