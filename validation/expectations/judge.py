"""The process that judges. Great Expectations takes seconds and 100 MB to import, so one process does, beside all others.

It is begun as early as one likes, serves whoever asks in the process that began it, one suite at a time, and ends with it.
It is silent about what goes wrong in it: whoever asks judges by himself then, and meets the error.

Both ends of its pipe are here: `python -m validation.expectations.judge PIPE`. Nothing of Silt is imported but what is data.
"""

import atexit
import gc
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from types import ModuleType

from validation.expectations.expected import JudgedSuite, SuiteVerdict

_NEVER_CALLED, _NOT_NEEDED = ("altair", "scipy", "scipy.stats"), ("pyarrow", "pyspark", "rfc3987_syntax", "sqlalchemy")
"""What Great Expectations imports for pictures and tests that no suite here has; and what it goes without if it is not there.
They take three fifths of the time."""

_SOURCES, _INVALID = "great_expectations.datasource.fluent", "invalid_datasource"
"""Where Great Expectations has a module for each kind of database that it can read, of which none is read here; they take a
third of what is left. One stands for what is wrong, and is needed."""

_asking = Lock()


def judged(suite: JudgedSuite) -> SuiteVerdict:
    """Return what Great Expectations makes of a suite."""
    return _asked(suite) or _judged_here(suite)


def _asked(suite: JudgedSuite) -> SuiteVerdict | None:
    """Return the verdict of the process; None if it has none."""
    with _asking, suppress(OSError, EOFError):
        judge = begun()
        judge.send(suite)
        verdict: SuiteVerdict | None = judge.recv()
        return verdict
    return None


@cache
def begun() -> Connection:
    """Begin, and return the pipe to the process; it takes seconds until that answers."""
    here, there = Pipe()
    # NOTE: -P, or a folder of the user's that is called like one of Silt's would be imported in its place.
    command = [sys.executable, "-P", "-m", __spec__.name, str(there.fileno())]
    nowhere = subprocess.DEVNULL
    with there:
        process = subprocess.Popen(  # noqa: S603  (Silt itself)
            command, pass_fds=[there.fileno()], stdin=nowhere, stdout=nowhere, stderr=nowhere
        )
    atexit.register(_end, process)
    return here


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _judged_here(suite: JudgedSuite) -> SuiteVerdict:
    with warnings.catch_warnings(action="ignore"):  # its libraries use what Python and pandas have deprecated
        from validation.expectations.running import judged as made  # noqa: PLC0415

        return made(suite)


def _serve(pipe: Connection) -> None:
    """Judge what is asked for, until the other end is closed."""
    absent = [ModuleType(name) for name in _NEVER_CALLED]
    absent[-2].__dict__["stats"] = absent[-1]
    absent += map(_Absent, _sources())
    sys.modules.update({each.__name__: each for each in absent} | dict.fromkeys(_NOT_NEEDED))  # type: ignore[arg-type]
    gc.disable()
    from validation.expectations import running  # noqa: F401, PLC0415

    gc.freeze()
    gc.enable()
    with suppress(OSError, EOFError):
        while True:
            pipe.send(_verdict(pipe.recv()))


class _Absent(ModuleType):
    """A module in which there is an empty class of every name."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def _sources() -> Iterator[str]:
    """Yield the names of the modules of databases."""
    package, *path = _SOURCES.split(".")
    found = find_spec(package)
    for folder in found.submodule_search_locations or () if found else ():
        names = (file.stem for file in Path(folder, *path).glob("*_datasource.py"))
        yield from (f"{_SOURCES}.{name}" for name in names if name != _INVALID)


def _verdict(suite: JudgedSuite) -> SuiteVerdict | None:
    try:
        return _judged_here(suite)
    except Exception:  # noqa: BLE001  (raised again where it can be reported)
        return None


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts a build ends it, and this with it
    warnings.simplefilter("ignore")
    _serve(Connection(int(sys.argv[1])))
