"""The border between the stages and Dagster's event log, which is no place for raw data.

Every asset runs inside `guarded`: an error of Silt's own goes on as a Dagster failure; anything whose text may hold values of
the originals (problems of the raw tables, defects of our own) is written to the curator's area, and the log names the file.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from pipeline.environment.model import Environment
from pipeline.errors import ContractError, GateError, SiltError
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
    except dg.Failure:
        raise
    except ContractError as error:
        name = "problems.txt"
        details = _keep(workspace, environment, name, str(error))
        summary = f"{len(error.problems)} problem(s) in the raw tables; listed in the curator's {name}"
        raise _failure(summary, error.exit_status, details) from None
    except SiltError as error:
        raise _failure(str(error), error.exit_status, "") from None
    except Exception as error:  # noqa: BLE001  (nothing may reach the log with raw values in its text)
        name = "crash.txt"
        details = _keep(workspace, environment, name, traceback.format_exc())
        summary = f"a defect in Silt ({type(error).__name__}); the traceback is in the curator's {name}"
        raise _failure(summary, CRASH_STATUS, details) from None


def refuse(message: str) -> dg.Failure:
    """Return the failure of a gate."""
    return _failure(message, GateError.exit_status, "")


def _failure(description: str, exit_status: int, details: str) -> dg.Failure:
    return dg.Failure(description, metadata={EXIT_STATUS: exit_status, DETAILS: details}, allow_retries=False)


def _keep(workspace: Workspace, environment: Environment, name: str, text: str) -> str:
    try:
        path = workspace.curator(environment) / name
        path.write_text(text + "\n", encoding="utf-8")
        path.chmod(0o600)
    except OSError:
        return ""
    return str(path)
