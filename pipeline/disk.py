"""Turns failures of the file system into `InputError`; nothing here writes."""

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


def _number(error: OSError | ComputeError) -> int | None:
    # NOTE: polars raises OSError without `errno`, and ComputeError for Parquet; both say Rust's "(os error 28)".
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    stated = re.search(r"\(os error (\d+)\)", str(error))
    return int(stated.group(1)) if stated else None
