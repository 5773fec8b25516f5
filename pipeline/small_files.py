"""Reads small files that somebody wrote by hand, or a program earlier: specifications, plans, keys, manifests, reports.

Only regular files are read, and no more of one than it may have: a pipe would never end, and a device would fill the memory.
Errors are those that reading raises anyway (`OSError`, `ValueError`), so that whoever reads says what the file should be.
"""

import errno
import json
import os
import re
import stat
from pathlib import Path
from typing import Any, BinaryIO

from pipeline.errors import KeyFileError

WRITTEN = 2**20
"""Bytes of the largest file that people write by hand (our choice: forty times the longest specification that is shipped)."""

REPORTED = 2**29
"""Bytes of the largest report or manifest (our choice: a hundred times the longest report of 2 million records)."""


def opened(path: Path) -> tuple[BinaryIO, int]:
    """Open a regular file for reading, and return it with its mode.

    Raises:
        OSError: It cannot be opened, or is no regular file.
    """
    # Without O_NONBLOCK, opening a named pipe would wait for a writer for ever.
    file = os.fdopen(_descriptor(path), "rb")
    return file, os.fstat(file.fileno()).st_mode


def content_of(path: Path, *, most: int = WRITTEN) -> bytes:
    """Return the bytes of a regular file that has `most` of them at most.

    Raises:
        OSError: It cannot be read, is no regular file, or is longer.
    """
    content = b""
    with opened(path)[0] as file:
        # What says that it is longer is not read. What the system makes says nothing of its length.
        is_longer = os.fstat(file.fileno()).st_size > most
        try:
            # In parts: for all that it may have, memory would be reserved at once.
            while not is_longer and len(content) <= most and (part := file.read(min(_PART, most + 1 - len(content)))):
                content += part
        except OSError as error:  # of reading, the system does not say which file
            raise OSError(error.errno, error.strerror, str(path)) from error
    if is_longer or len(content) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes", str(path))
    return content


def refuse_key(name: object, content: bytes) -> None:
    """Refuse what may be a key: digits of one, or a private key in PEM. Nothing of such a file may stand in an error.

    Raises:
        KeyFileError: It may be one; `name` is the file's.
    """
    if len(content) <= _KEYS and _KEY.fullmatch(content):
        raise KeyFileError(f"{name} holds what may be a key, so that nothing of it is shown; give another file here")


def json_of(path: Path) -> Any:
    """Return what a report or a manifest of JSON holds.

    Raises:
        OSError: It cannot be read, is no regular file, or is longer than any report.
        ValueError: It is no JSON, or is nested too deeply.
        KeyFileError: It may be a key.
    """
    content = content_of(path, most=REPORTED)
    refuse_key(path, content)
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


_PART = 2**24
"""Bytes that are read at once: nearly every file is one part."""

_KEYS = 4096
"""Bytes of the longest file that may be a key (our choice: one has 65, an encrypted private one 350)."""

_KEY = re.compile(
    rb"(?:\xef\xbb\xbf)?[\s\"']*(?:[0-9a-fA-F]{16,}[\s\"']+)*[0-9a-fA-F]{16,}[\s\"']*|.*-----BEGIN [A-Z ]*PRIVATE KEY-----.*",
    re.DOTALL,
)
"""Nothing but a release key's digits, a quarter of them or more together, however they are quoted; or a private key."""


def _descriptor(path: Path) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is no regular file", str(path))
