"""What a declaration's code read since it was loaded, with the digest of what was found there; and whether it is as it was.

One process has one declaration loaded at a time, and remembers all that was read since: a value that was read once may be used
anywhere later. Who notices that something is read is `observed.py`.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from threading import local
from uuid import uuid4

from pipeline.errors import InputError

Seen = Mapping[str, str]
"""What was read -> the digest of what was found there; that of nothing is the empty text."""

PATH, PRESENCE, VARIABLE, UNSEEN = "path ", "presence ", "variable ", "unseen "
"""Kinds of what is read: a file or the names in a folder, whether one is there, a variable, and what cannot be observed."""

_YOUNG = 10**8
"""Nanoseconds after which another change of a file has another time for certain: the clocks of file systems tick."""

_read: dict[str, str] = {}
"""All that was read."""
_loaded: set[str] = set()
"""What of it was read by loading the declaration."""
_own: set[str] = set()
"""What the declaration's code wrote itself."""
_states: dict[str, tuple[object, str]] = {}
"""State of a file when it was last looked at, with its digest."""


class _Thread(local):
    is_looking = False


_thread = _Thread()


def is_looking() -> bool:
    """Say whether it is this module that reads."""
    return _thread.is_looking


_base = ""
"""The working folder, from which paths are told: a copy of all that lies below it is as good."""


def forget() -> None:
    """Begin with a declaration that is about to be loaded."""
    global _base  # noqa: PLW0603
    _base = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    for each in (_read, _loaded, _own):
        each.clear()


def end_loading() -> None:
    """Take all that was read for what loading the declaration read.

    Raises:
        InputError: Something was written while it was read.
    """
    _refuse_written()
    _loaded.update(_read)


def note(kind: str, name: str) -> None:
    """Note that something is about to be read."""
    what = _what(kind, name)
    if what not in _read and what not in _own:
        _read.setdefault(what, _now(what))


def note_written(path: str) -> None:
    """Note that the declaration's code writes or removes a file: what is there later says nothing of what was there before."""
    if (what := _what(PATH, path)) not in _loaded:
        _read.pop(what, None)
        _own.add(what)


def is_read(path: str) -> bool:
    """Say whether a file was read."""
    return _what(PATH, path) in _read and Path(path).is_file()


def loaded() -> str:
    """Return the identity of all that was read by loading the declaration."""
    return hashlib.sha256(repr(sorted((what, _read[what]) for what in _loaded)).encode()).hexdigest()


def seen() -> Seen:
    """Return what was read after the declaration was loaded, by all steps that this process has performed.

    Raises:
        InputError: Something was written while it was read.
    """
    _refuse_written()
    return {what: digest for what, digest in list(_read.items()) if what not in _loaded}


def is_as_seen(what_was_seen: Seen) -> bool:
    """Say whether all that was read is as it was."""
    return all(_now(what) == digest for what, digest in what_was_seen.items())


# ----------------------------------------------------------------------------------------------------------------------


def _what(kind: str, name: str) -> str:
    return kind + (name.removeprefix(_base) or ".")


def _refuse_written() -> None:
    for what, digest in list(_read.items()):
        if what.startswith(UNSEEN) or _now(what) == digest:
            continue
        path = os.path.join(_base, what.removeprefix(PATH))  # noqa: PTH118
        if what.startswith(PATH) and not Path(path).is_dir():
            raise InputError(f"{path} was written while the declaration's code read it; run again")
        # NOTE: a build makes folders itself, beside what a declaration may list. What was found there stands for nothing then.
        _read[what] = uuid4().hex


def _now(what: str) -> str:
    """Return the digest of what there is to be read by now."""
    _, _, name = what.partition(" ")
    if what.startswith(UNSEEN):
        return uuid4().hex
    with _looking():
        if what.startswith(VARIABLE):
            value = os.environ.get(name)
            return "" if value is None else hashlib.sha256(os.fsencode(value)).hexdigest()
        path = os.path.join(_base, name)  # noqa: PTH118
        if what.startswith(PRESENCE):
            return "folder" if Path(path).is_dir() else "file" if Path(path).exists() else ""
        return _digest(path)


@contextmanager
def _looking() -> Iterator[None]:
    _thread.is_looking = True
    try:
        yield
    finally:
        _thread.is_looking = False


def _digest(path: str) -> str:
    """Return the digest of a file's bytes or of the names in a folder; of what is neither, nothing that stays."""
    try:
        status = os.stat(path)  # noqa: PTH116
        state = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        known, digest = _states.get(path, (None, ""))
        if known == state:
            return digest
        if S_ISDIR(status.st_mode):
            # NOTE: what is hidden is left out: a build keeps keys and records there.
            names = sorted(name for name in os.listdir(path) if not name.startswith((".", "__")))  # noqa: PTH208
            return hashlib.sha256(os.fsencode("/".join(names))).hexdigest()
        if not S_ISREG(status.st_mode):
            return uuid4().hex
        with open(path, "rb") as file:  # noqa: PTH123
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
    if time.time_ns() - status.st_ctime_ns > _YOUNG:
        _states[path] = (state, digest)
    return digest
