"""The border between the stages and Dagster's event log, which is no place for raw data.

Every asset runs inside `guarded`: an error of Silt's own goes on as a Dagster failure; anything whose text may hold values of
the originals (problems of the raw tables, defects of our own) is written to the curator's area, and the log names the file.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from polars.exceptions import PanicException

from pipeline.environment.model import Environment
from pipeline.errors import ContractError, SiltError
from pipeline.resources import Workspace

EXIT_STATUS = "exit_status"
"""Metadata of a failure: what the command line ends with."""

DETAILS = "details"
"""Metadata of a failure: the curator's file that says more, if any."""

CRASH_STATUS = 3
"""Exit status of a defect in Silt itself."""


@contextmanager
def guarded(workspace: Workspace, environment: Environment) -> Iterator[None]:
    """Turn exceptions into Dagster failures that hold nothing raw."""
    try:
        yield
    except ContractError as error:
        file = workspace.curator(environment) / "problems.txt"
        summary = f"{len(error.problems)} problem(s) in the raw tables; their list"
        raise _kept_apart(summary, str(error), file, error.exit_status) from None
    except SiltError as error:
        raise _failure(str(error), error.exit_status) from None
    # NOTE: a panic of polars is no Exception, and its text may hold values as well.
    except (Exception, PanicException) as error:  # noqa: BLE001
        file = workspace.curator(environment) / "crash.txt"
        summary = f"a defect in Silt, or in what the environment declares ({type(error).__name__}); the traceback"
        raise _kept_apart(summary, traceback.format_exc(), file, CRASH_STATUS) from None


def _kept_apart(summary: str, text: str, file: Path, exit_status: int) -> dg.Failure:
    """Return a failure that names the curator's file in which its text stands."""
    try:
        file.write_text(text + "\n", encoding="utf-8")
        file.chmod(0o600)
    except OSError as error:
        return _failure(f"{summary} cannot be written to {file}: {error.strerror}", exit_status)
    return _failure(f"{summary} is in {file}", exit_status, details=str(file))


def _failure(description: str, exit_status: int, *, details: str = "") -> dg.Failure:
    return dg.Failure(description, metadata={EXIT_STATUS: exit_status, DETAILS: details}, allow_retries=False)
