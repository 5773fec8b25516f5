"""Functions of a declaration that fail: what they raise is an error of the declaration, and its text may hold values."""

import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb

from polars.exceptions import PanicException

from pipeline.errors import InputError, SiltError


@contextmanager
def declared_function(what: str) -> Iterator[None]:
    """Run a function of a declaration, `what` it is called, and whatever has to hold of its result.

    Raises:
        InputError: Anything was raised. The message has its kind and place, not its text, which may hold values of raw tables.
    """
    try:
        yield
    except SiltError:
        raise
    except (Exception, PanicException) as error:
        raise InputError(
            f"{what} failed with {type(error).__name__}{place_of(error)} (its message is not shown: it may hold values); "
            "mend the declaration"
        ) from error


def place_of(error: BaseException) -> str:
    """Return in which file and line of a user's own an error arose, whatever was called from there; empty if in none."""
    own = [step for step in extract_tb(error.__traceback__) if _is_own(Path(step.filename))]
    return f" in {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""


_FOLDERS = ("anonymize", "assets", "benchmarks", "pipeline", "raw", "silt", "tests", "validation")
_SILT = [Path(__file__).parents[3] / name for name in _FOLDERS]
_LIBRARIES = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def _is_own(file: Path) -> bool:
    """Say whether a file is neither Silt's nor a library's; what is no file has no whole path."""
    return file.is_absolute() and not any(file.is_relative_to(folder) for folder in (*_SILT, *_LIBRARIES))
