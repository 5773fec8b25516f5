"""Turns failures of the file system into `InputError`, and forces what was written to the disk."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polars.exceptions import ComputeError

from pipeline.errors import InputError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def reporting_disk(folder: Path, *, otherwise: str = "give another folder with --out (OUT)") -> Iterator[None]:
    """Run code that writes under `folder`; a failure of the file system becomes an `InputError` that names it.

    `otherwise` says what the user can do instead of mending the disk.
    """
    try:
        yield
    except (OSError, ComputeError) as error:
        number = _number(error)
        if number is None:
            raise
        remedy = "free space there, or" if number in FULL else "make it writable, or"
        raise InputError(f"cannot write under {folder}: {os.strerror(number)}; {remedy} {otherwise}") from error


def sync_tree(folder: Path) -> None:
    """Force a folder and everything in it to the disk, so that no later rename reaches the disk before its content."""
    for path in sorted(folder.rglob("*")):
        sync_folder(path)
    sync_folder(folder)


def sync_folder(path: Path) -> None:
    """Force one folder's entries, or one file's content, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _number(error: OSError | ComputeError) -> int | None:
    # NOTE: polars raises OSError without `errno`, and ComputeError for Parquet; both say Rust's "(os error 28)".
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    stated = re.search(r"\(os error (\d+)\)", str(error))
    return int(stated.group(1)) if stated else None
