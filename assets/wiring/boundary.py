"""The border between the stages and Dagster's event log, which is no place for raw data.

Every step runs inside `within_boundary`: an error of Silt's own goes on as a failure with its text; anything whose text may
hold values of the originals (problems of the raw tables, defects of our own) is written to the curator's area, and the log
names the file.
"""

import traceback
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polars.exceptions import PanicException

from assets.making.scheduler import HeldBackError
from pipeline.disk import reporting_disk
from pipeline.errors import CRASH_STATUS, ContractError, GateError, InputError, SiltError
from pipeline.model.refused.failing import place_of
from pipeline.places import CURATOR
from pipeline.private import private_file, private_folder
from pipeline.publish.refusal import CRASH, PROBLEMS_IN_WORDS, keep_problems
from pipeline.wording import counted


class StepFailure(Exception):  # noqa: N818  (what Dagster calls it)
    """What a step met, in words that hold nothing raw."""

    def __init__(self, description: str, **facts: Any) -> None:
        """Take what is known of it, by the names below; that it does not follow from another one goes without saying."""
        super().__init__(description)
        self.facts: Mapping[str, Any] = {DETAILS: "", FOLLOWS: False, **facts}


EXIT_STATUS = "exit_status"
"""Metadata of a failure: what the command line ends with."""

DETAILS = "details"
"""Metadata of a failure: the curator's file that says more, if any; of bad input it is shown in full where somebody builds."""

FAILING, REPORT, DRAWN = "failing", "report", "drawn"
"""Metadata of a refusal: what each gate found, by its name, the page of the build, and whether the draw of its key decided."""

FOLLOWS = "follows"
"""Metadata of a failure: whether another one is its cause."""


@contextmanager
def within_boundary(folder: Path) -> Iterator[None]:
    """Turn exceptions into failures that hold nothing raw; `folder` is the environment's output."""
    try:
        yield
    except ContractError as error:
        summary = f"{counted(len(error.problems), 'problem')} in the raw tables; their list"
        text = f"{error}{_all_problems(folder, error)}"
        raise _kept_apart(folder, PROBLEMS_IN_WORDS, summary, text, error.exit_status) from None
    except HeldBackError as error:
        raise StepFailure(str(error), exit_status=error.exit_status, follows=True) from None
    except GateError as error:
        facts = {FAILING: error.failing, REPORT: error.report, DRAWN: error.is_drawn}
        raise StepFailure(str(error), exit_status=error.exit_status, **facts) from None
    except SiltError as error:
        raise StepFailure(str(error), exit_status=error.exit_status) from None
    except CancelledError:
        said = "not begun, since another part of the build failed"
        raise StepFailure(said, exit_status=GateError.exit_status, follows=True) from None
    # NOTE: a panic of polars is no Exception, and its text may hold values as well.
    except (Exception, PanicException) as error:  # noqa: BLE001
        kind, place = type(error).__name__, place_of(error)
        summary = f"a defect in Silt ({kind}); the traceback"
        if place:
            summary = f"the declaration failed with {kind}{place}; mend it; the traceback"
        status = InputError.exit_status if place else CRASH_STATUS
        raise _kept_apart(folder, CRASH, summary, traceback.format_exc(), status, says_more=not place) from None


def _all_problems(folder: Path, error: ContractError) -> str:
    """Write every problem to a file of the curator's, and say where if the error does not show them all."""
    try:
        file = keep_problems(private_folder(folder / CURATOR), error.problems)
    except InputError:
        return ""  # the list itself cannot be kept either, and whoever keeps that says why
    return f"\nAll of them are in {file}, for the curator alone." if len(error.problems) > error.shown else ""


def keep(folder: Path, name: str, text: str) -> Path:
    """Write a file that is the curator's alone, and return it; or raise `InputError`."""
    with reporting_disk(folder):
        file = private_file(private_folder(folder / CURATOR) / name)
        file.write_text(text + "\n", encoding="utf-8")
    return file


def _kept_apart(
    folder: Path, name: str, summary: str, text: str, exit_status: int, *, says_more: bool = True
) -> StepFailure:
    """Return a failure that names the curator's file in which its text stands."""
    try:
        file = keep(folder, name, text)
    except InputError as error:
        return StepFailure(f"{summary} is lost: {error}", exit_status=exit_status)
    return StepFailure(f"{summary} is in {file}", exit_status=exit_status, details=str(file) if says_more else "")
