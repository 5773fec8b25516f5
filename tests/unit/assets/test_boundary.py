"""The border to Dagster's log: errors of Silt's own pass with their text, whatever may hold raw values is kept apart."""

import resource
import stat
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.exceptions import PanicException

from assets.wiring.boundary import StepFailure, keep, within_boundary
from pipeline.errors import ContractError, GateError, InputError, Problem
from silt.environments.us_listed import US_LISTED

RAW_VALUE = "Miller & Daughter"

PROBLEMS = ContractError([Problem("firms.csv", 2, "sales", "plenty", "expected a number")])


def failure_of(error: BaseException, folder: Path) -> StepFailure:
    with pytest.raises(StepFailure, match=r".") as caught, within_boundary(folder / US_LISTED.name):
        raise error
    return caught.value


@pytest.mark.parametrize(("kind", "status"), [(GateError, 1), (InputError, 2)])
def test_own_errors_pass_with_their_text(tmp_path: Path, kind: Callable[[str], Exception], status: int) -> None:
    """What Silt says itself holds nothing raw: it goes on as it is, with its exit status."""
    failure = failure_of(kind("say what to do"), tmp_path)
    assert str(failure) == "say what to do"
    assert failure.facts["exit_status"] == status
    assert failure.facts["details"] == ""


def test_problems_of_the_raw_tables_are_kept_apart(tmp_path: Path) -> None:
    """The log gets their number and the curator's file, which holds them all."""
    failure = failure_of(PROBLEMS, tmp_path)
    assert str(failure).startswith("1 problem in the raw tables; their list is in ")
    assert "plenty" not in str(failure)
    assert failure.facts["exit_status"] == 2
    details = Path(failure.facts["details"])
    assert details == tmp_path / "us-listed/curator/problems.txt"
    assert details.read_text(encoding="utf-8") == f"{PROBLEMS}\n"


def test_every_problem_is_kept_where_few_are_shown(tmp_path: Path) -> None:
    """The error shows the first and names the file that has them all, which is the curator's alone."""
    many = [Problem("firms.csv", row, "sales", "plenty", "expected a number") for row in range(2, 300)]
    details = Path(failure_of(ContractError(many), tmp_path).facts["details"]).read_text(encoding="utf-8")
    file = tmp_path / "us-listed/curator/refused/problems.csv"
    assert details.count("plenty") == ContractError.shown
    assert f"All of them are in {file}" in details
    assert pl.read_csv(file).rows() == [(p.file, p.row, p.column, p.value, p.expected) for p in many]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    few = Path(failure_of(PROBLEMS, tmp_path).facts["details"]).read_text(encoding="utf-8")
    assert "All of them" not in few
    assert pl.read_csv(file).height == 1


@pytest.mark.parametrize("kind", [KeyError, RuntimeError, PanicException])
def test_defect_is_kept_apart(tmp_path: Path, kind: Callable[[str], BaseException]) -> None:
    """Any other exception, a panic of polars included, is told by its type alone; its text is with the curator."""
    failure = failure_of(kind(RAW_VALUE), tmp_path)
    assert RAW_VALUE not in str(failure)
    assert failure.__suppress_context__  # or Dagster would log the exception that it came from
    assert failure.facts["exit_status"] == 3
    assert RAW_VALUE in Path(failure.facts["details"]).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit])
def test_what_ends_a_run_is_no_defect(tmp_path: Path, kind: type[BaseException]) -> None:
    """An interruption and a closed generator pass as they are, and leave no file."""
    with pytest.raises(kind, match=r"^$"), within_boundary(tmp_path / US_LISTED.name):
        raise kind
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("error", "status"), [(PROBLEMS, 2), (KeyError(RAW_VALUE), 3)])
def test_full_disk_is_told_beside_what_it_swallowed(tmp_path: Path, error: Exception, status: int) -> None:
    """Where the curator's file cannot be written, the failure keeps its status and says so."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        failure = failure_of(error, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "is lost: cannot write under" in str(failure)
    assert RAW_VALUE not in str(failure)
    assert failure.facts["exit_status"] == status


def test_what_is_kept_is_the_curators_alone(tmp_path: Path) -> None:
    """The folder has mode 0700 and the file 0600, also if it was there before and open."""
    curator = tmp_path / "us-listed" / "curator"
    curator.mkdir(parents=True)
    (curator / "crash.txt").touch(mode=0o644)
    file = keep(tmp_path / US_LISTED.name, "crash.txt", "text")
    assert file.read_text(encoding="utf-8") == "text\n"
    assert (stat.S_IMODE(curator.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)
