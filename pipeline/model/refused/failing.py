"""Functions of a declaration that fail: what they raise is an error of the declaration, and its text may hold values."""

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
        called = [step for step in extract_tb(error.__traceback__)[1:2] if "site-packages" not in step.filename]
        where = "".join(f" in {Path(step.filename).name}, line {step.lineno}" for step in called)
        raise InputError(
            f"{what} failed with {type(error).__name__}{where} (its message is not shown: it may hold values); mend the "
            "declaration"
        ) from error
