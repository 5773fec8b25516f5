"""The fingerprint of code: every file of Silt's packages, and every library that is installed and a step may run.

Too much is better than too little: what is not used makes a step again for nothing, what is used and not seen would leave
something stale. What a process runs is what its files held when it began, so none of them may change while it runs.
"""

import hashlib
import os
import sys
import sysconfig
import time
from collections.abc import Iterator
from functools import cache
from os import stat  # Python's own: another module puts one that observes in its place
from pathlib import Path

from assets.making.inputs.libraries import counting
from pipeline.errors import InputError

ROOT = Path(__file__).parents[3]

_OURS = ("anonymize", "assets", "pipeline", "raw", "silt", "validation")
"""Silt's own packages: code, wherever they are installed."""

_LANDS = "raw"
"""The package beside whose modules raw tables land, in folders of their own."""


@cache
def silts_files() -> frozenset[str]:
    """Return the paths of all files of Silt's packages: modules, templates, style sheets, scripts, data."""
    return frozenset(path for package in _OURS for path in _files_below(ROOT / package, has_data=package != _LANDS))


@cache
def code() -> str:
    """Return the fingerprint of Silt's code and of all libraries.

    Raises:
        InputError: A file of Silt's was changed since this process began.
    """
    return hashlib.sha256(repr((own_code(), libraries())).encode()).hexdigest()


@cache
def own_code() -> str:
    """Return the fingerprint of Silt's own files, as the graph shows it: installing a library does not change it.

    Raises:
        InputError: A file of Silt's was changed since this process began.
    """
    refuse_changed_code()
    files = [(os.path.relpath(path, ROOT), _digest(path)) for path in sorted(silts_files())]
    return hashlib.sha256(repr(files).encode()).hexdigest()


@cache
def libraries() -> tuple[str, ...]:
    """Return the names and versions of all that is installed and a step may run, and the version of Python."""
    return (sys.version, *sorted(counting(Path(folder) for folder in sys.path if folder)))


def library_folders() -> tuple[str, ...]:
    """Return the folders of Python's own modules and of what is installed, each with a separator at its end."""
    named = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    named += [folder for folder in sys.path if os.path.basename(folder) in ("site-packages", "dist-packages")]  # noqa: PTH119
    return tuple({os.path.join(spelt, "") for folder in named for spelt in (folder, os.path.realpath(folder))})  # noqa: PTH118


def refuse_changed_code() -> None:
    """Refuse to go on with code of which a part may be another by now.

    Raises:
        InputError: A file of Silt's was changed since this process began.
    """
    for path in silts_files():
        if _changed(path) > _BEGAN:
            raise InputError(
                f"{path} is a part of Silt and was changed after this process began, which may run both the old and the new "
                "one; run again, in a new process"
            )


def _files_below(package: Path, *, has_data: bool) -> Iterator[str]:
    for folder, below, names in os.walk(package):
        if not has_data:
            below[:] = [name for name in below if Path(folder, name, "__init__.py").is_file()]
        below[:] = [name for name in below if name != "__pycache__" and not name.startswith(".")]
        for name in names:
            # NOTE: an editor keeps hidden files and backups beside those that it has open.
            if (has_data or name.endswith(".py")) and not name.startswith(".") and not name.endswith("~"):
                yield os.path.join(folder, name)  # noqa: PTH118  (a thousand paths, at every start)


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return ""


def _changed(path: str) -> int:
    """Return when a file was changed, in nanoseconds; nobody can set that time. One that is gone was changed just now."""
    try:
        return stat(path).st_ctime_ns  # noqa: PTH116
    except FileNotFoundError:
        return time.time_ns()


def _began() -> int:
    """Return when this process began, in nanoseconds, at most three ticks of the system's clock late, and never early.

    By the clock that files have, which is another than Python's where somebody runs it under a clock of their own, and a tick
    behind. What is written right before a process begins is older than it.
    """
    try:
        ticks = int(Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]) + 2
        up = float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
    except OSError:  # not Linux
        return time.time_ns()
    file = os.memfd_create("now")
    try:
        return os.fstat(file).st_ctime_ns - int((up - ticks / os.sysconf("SC_CLK_TCK")) * 1e9)
    finally:
        os.close(file)


_BEGAN = _began()
