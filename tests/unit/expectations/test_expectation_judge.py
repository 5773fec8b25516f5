"""The process that judges: its verdicts and pages are those of Great Expectations as it is everywhere else."""

import warnings
from multiprocessing import Pipe

import pytest

from validation.expectations import judge
from validation.expectations.expected import Expected, JudgedSuite

FORM = {"regex": "^(-?(0|[1-9][0-9]*))$"}
TABLE = JudgedSuite(
    table="guilds",
    variant="clean",
    title="Guilds & dues",
    expected=(
        Expected(name="expect_table_row_count_to_equal", arguments={"value": 3}),
        Expected(name="expect_column_values_to_match_regex", column="dues", arguments=FORM),
        Expected(name="expect_column_min_to_be_between", column="dues", arguments={"min_value": 0}),
        Expected(name="expect_identity_to_hold", arguments={"identity": "a = b", "records": 3, "max_residual": 1}),
    ),
    seen=(
        {"table.row_count": 3},
        {
            "table.row_count": 3,
            "column_values.nonnull.unexpected_count": 0,
            "column_values.match_regex.unexpected_count": 1,
            "column_values.match_regex.unexpected_values": ["<x>"],
        },
        {"column.min": 1.0},
        {},
    ),
)


def test_verdict_of_the_process_is_that_of_the_library() -> None:
    """Results and page are equal, though the process has not imported all that the library imports."""
    with warnings.catch_warnings(action="ignore"):
        from validation.expectations.running import judged  # noqa: PLC0415

    found = judge._asked(TABLE)
    assert found == judged(TABLE)
    assert found is not None
    assert [is_met for is_met, _ in found.results] == [True, False, True, False]


def test_suite_that_the_process_cannot_judge_is_judged_here(capfd: pytest.CaptureFixture[str]) -> None:
    """An expectation that nobody knows is an error where it was asked for; the process says nothing, and goes on."""
    unknown = JudgedSuite(table="t", variant="clean", title="", expected=(Expected(name="expect_wonders"),), seen=({},))
    with pytest.raises(Exception, match="expect_wonders"):
        judge.judged(unknown)
    assert capfd.readouterr() == ("", "")
    assert judge._asked(TABLE) is not None


def test_suite_is_judged_though_the_process_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks has the same verdict."""
    there = judge.judged(TABLE)
    here, gone = Pipe()
    gone.close()
    monkeypatch.setattr(judge, "begun", lambda: here)
    assert judge.judged(TABLE) == there
