"""What a declaration's code read since it was loaded, with the digest of what was found there; and whether it is as it was.

One process has one declaration loaded at a time, and remembers all that was read since: a value that was read once may be used
anywhere later. Who notices that something is read is `observed.py`.
"""

import hashlib
import os
import time
from collections.abc import Mapping
from os import stat  # Python's own: another module puts one that observes in its place
from stat import S_ISDIR, S_ISREG
from uuid import uuid4

from pipeline.errors import InputError

Seen = Mapping[str, str]
"""What was read -> the digest of what was found there; that of nothing is the empty text."""

PATH, PRESENCE, VARIABLE, UNSEEN = "path ", "presence ", "variable ", "unseen "
"""Kinds of what is read: a file or the names in a folder, the state of one, a variable, and what cannot be observed."""

_State = tuple[int, ...] | None
"""By what a change of a file shows, even if its content is as before in the end; None of what is no file."""

_YOUNG = 10**8
"""Nanoseconds after which another change of a file has another time for certain: the clocks of file systems tick."""

_read: dict[str, tuple[str, _State]] = {}
"""All that was read."""
_loaded: dict[str, str] = {}
"""What of it was read by loading the declaration, with digests."""
_own: set[str] = set()
"""What the declaration's code wrote itself."""
_known: dict[str, tuple[_State, str]] = {}
"""State of a file when it was last looked at, with its digest."""

_base = ""
"""The folder from which paths are counted: a copy of all that lies below it is as good, wherever it is built from."""


def forget(folder: str = ".") -> None:
    """Begin with a declaration that is about to be loaded: from its folder paths are counted, else from the working folder."""
    global _base  # noqa: PLW0603
    _base = os.path.join(os.path.abspath(folder), "")  # noqa: PTH100, PTH118
    for each in (_read, _loaded, _own):
        each.clear()


def end_loading() -> None:
    """Take all that was read for what loading the declaration read.

    Raises:
        InputError: Something was written while it was read.
    """
    _loaded.update(_whole())


def note(kind: str, name: str) -> None:
    """Note that something is about to be read."""
    what = kind + (name.removeprefix(_base) or ".")
    if what not in _read and what not in _own:
        _read.setdefault(what, _now(what))


def note_written(path: str) -> None:
    """Note that the declaration's code writes or removes a file itself: what it read of it before is all that counts."""
    _own.add(PATH + path.removeprefix(_base))


def loaded() -> str:
    """Return the fingerprint of all that was read by loading the declaration."""
    return hashlib.sha256(repr(sorted(_loaded.items())).encode()).hexdigest()


def seen() -> Seen:
    """Return what was read after the declaration was loaded, by all steps that this process has performed.

    Raises:
        InputError: Something was written while it was read.
    """
    return {what: digest for what, digest in _whole().items() if what not in _loaded}


def is_as_seen(what_was_seen: Seen) -> bool:
    """Say whether all that was read is as it was."""
    return all(_now(what)[0] == digest for what, digest in what_was_seen.items())


def _whole() -> Seen:
    """Return all that was read, none of which may have been written since.

    A build makes folders itself, beside what a declaration may list: what was found in one that changes stands for nothing.

    Raises:
        InputError: Something was written while it was read.
    """
    whole: dict[str, str] = {}
    for what, (digest, state) in list(_read.items()):
        is_same = what in _own or what.startswith(UNSEEN) or _now(what) == (digest, state)
        if not is_same and state is not None:
            path = os.path.join(_base, what.removeprefix(PATH))  # noqa: PTH118
            raise InputError(f"{path} was written while the declaration's code read it; run again, in a new process")
        whole[what] = digest if is_same else uuid4().hex
    return whole


def _now(what: str) -> tuple[str, _State]:
    """Return the digest of what there is to be read by now, with its state if it is a file that is read."""
    kind, name = what[: what.index(" ") + 1], what[what.index(" ") + 1 :]
    if kind == UNSEEN:
        return uuid4().hex, None
    if kind == VARIABLE:
        value = os.environ.get(name)
        return "" if value is None else hashlib.sha256(os.fsencode(value)).hexdigest(), None
    path = os.path.join(_base, name)  # noqa: PTH118
    return (_presence(path), None) if kind == PRESENCE else _content(path)


def _presence(path: str) -> str:
    """Return what the state of a file tells; of a folder that it is there."""
    try:
        status = stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return ""
    return "folder" if S_ISDIR(status.st_mode) else f"{status.st_mode} {status.st_size} {status.st_mtime_ns}"


def _content(path: str) -> tuple[str, _State]:
    """Return the digest of a file's bytes or of the names in a folder; of what is neither, nothing that stays."""
    try:
        status = stat(path)  # noqa: PTH116
        if S_ISDIR(status.st_mode):
            # NOTE: what is hidden is left out: a build keeps keys and records there.
            names = sorted(name for name in os.listdir(path) if not name.startswith((".", "__")))  # noqa: PTH208
            return hashlib.sha256(os.fsencode("/".join(names))).hexdigest(), None
        if not S_ISREG(status.st_mode):
            return uuid4().hex, None
        state = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        known, digest = _known.get(path, (None, ""))
        if known != state:
            with open(path, "rb") as file:  # noqa: PTH123
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if time.time_ns() - status.st_ctime_ns > _YOUNG:
                _known[path] = state, digest
    except (OSError, ValueError):
        return "", None
    return digest, state
