"""What is its owner's alone, under any umask: folders of mode 0700, and files of mode 0600 before anything stands in them.

Belongs here: making them. What is private is decided by who writes it; what may be read by others is never made here.
"""

import os
import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def private_folder(folder: Path, *inner: str) -> Path:
    """Make a folder that is its owner's alone, and others one in the other inside it, and return the innermost.

    What is there already is closed; folders above `folder` are made if they are missing, and left as open as they are.
    """
    for place in (folder, *(folder.joinpath(*inner[: i + 1]) for i in range(len(inner)))):
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(FOLDER_MODE)
    return folder.joinpath(*inner)


def private_file(path: Path) -> Path:
    """Put an empty file that is its owner's alone in the place of what stands there, and return it, to be written to.

    A file that was there is no longer under this name: whoever has it open, or by another name, sees nothing of the new one.
    """
    path.unlink(missing_ok=True)
    os.close(_opened(path, os.O_EXCL))
    return path


def make_private(folder: Path) -> None:
    """Close a folder and all that is in it; a file that has names elsewhere as well becomes another one than under those."""
    names: defaultdict[tuple[int, int], list[Path]] = defaultdict(list)
    for path in (folder, *folder.rglob("*")):
        status = path.stat()
        if path.is_dir():
            path.chmod(FOLDER_MODE)
        else:
            names[status.st_dev, status.st_ino].append(path)
    for same in names.values():
        if same[0].stat().st_nlink > len(same):
            _part(same)
        same[0].chmod(FILE_MODE)


def private_lock(path: Path) -> BinaryIO:
    """Open a file that is its owner's alone and stays the same one, for a lock; make it if it is not there."""
    return os.fdopen(_opened(path, 0), "wb")


def _part(names: Sequence[Path]) -> None:
    """Make of one file under some of its names another with the same bytes."""
    first, *others = names
    own = first.with_name(f".{first.name}.own")
    shutil.copyfile(first, private_file(own))
    for name in others:
        name.unlink()
        os.link(own, name)
    own.replace(first)


def _opened(path: Path, flags: int) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flags, FILE_MODE)
    # NOTE: a file that was there keeps its mode, and a strange umask takes the owner's part away.
    os.fchmod(descriptor, FILE_MODE)
    return descriptor
