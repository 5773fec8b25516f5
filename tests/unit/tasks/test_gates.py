"""Each gate refuses what it is for, and lets the same question pass where the tables give it an answer."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.tasks.gates import Accepted
from tests.unit.tasks.small import Figure, database, drawn, family, figures_of

FIGURES = {"type": "table", "table": "company_figures", "where": [{"column": "measure", "is": "Price"}]}
TOP = {
    "figures": FIGURES,
    "first": {"type": "rank", "of": "figures", "column": "value", "order": "highest", "top": 1},
    "answer": {"type": "list", "of": "first", "column": "code"},
}
MEAN = {"figures": FIGURES, "answer": {"type": "aggregate", "of": "figures", "statistic": "mean", "column": "value"}}
SUM = {"figures": FIGURES, "answer": {"type": "aggregate", "of": "figures", "statistic": "sum", "column": "value"}}
COUNT = {"figures": FIGURES, "answer": {"type": "aggregate", "of": "figures", "statistic": "count"}}
LIST = {"figures": FIGURES, "answer": {"type": "list", "of": "figures", "column": "code"}}


def prices(**values: str) -> list[Figure]:
    return figures_of("Price", values)


SHARE = {
    "figures": FIGURES,
    "high": {"type": "filter", "of": "figures", "where": [{"column": "value", "above": 3}]},
    "part": {"type": "aggregate", "of": "high", "statistic": "count"},
    "whole": {"type": "aggregate", "of": "figures", "statistic": "count"},
    "answer": {"type": "compute", "how": "percent", "first": "@part", "second": "@whole"},
}

REASONS = {
    "it is too close to call",
    "its answer says nothing",
    "it rests on too few values",
    "it is too long to write or to check",
}
"""Reasons by which refusals are counted: they hold nothing of a draw, so that a reader of counts understands them."""

CASES: dict[str, tuple[Any, list[Figure], list[Figure], str]] = {
    "a tie at the cut": (TOP, prices(A="5", B="5"), prices(A="5", B="4"), "step 'first' is decided by 0"),
    "a near tie at the cut": (TOP, prices(A="5000", B="4999"), prices(A="5000", B="4900"), "less than 0.001"),
    "the edge of rounding": (
        MEAN,
        prices(A="1.01", B="1.02", C="1.01", D="1.02"),
        prices(A="1.01", B="1.02", C="1.01"),
        "1.015 lies on the edge of rounding",
    ),
    "nothing": (SUM, prices(A="1", B="2", C="-3"), prices(A="1", B="2", C="3"), "empty or zero"),
    "too few values": (MEAN, prices(A="1", B="4"), prices(A="1", B="4", C="8"), "a statistic of 2 values"),
    "a share of too few rows": (SHARE, prices(A="1", B="4"), prices(A="1", B="4", C="8"), "a share of 2 rows"),
    "a choice that leaves nothing out": (TOP, prices(A="5"), prices(A="5", B="4"), "as many rows are asked for"),
    "too many digits": (
        SUM,
        prices(A="123456789012345.67", B="0.01", C="0.01"),
        prices(A="123456789012.67", B="0.01", C="0.01"),
        "more than 15 digits",
    ),
    "a list that nobody copies": (
        LIST,
        [(f"AAAA{i}", 2014, "Price", "1") for i in range(11)],
        prices(A="1", B="1"),
        "the answer has 11 entries",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_gate_refuses_what_it_is_for(tmp_path: Path, case: str) -> None:
    steps, bad, good, why = CASES[case]
    refusals = [
        Accepted(100).refusal(drawn(database(tmp_path / name, rows), family(steps, "answer")))
        for name, rows in (("bad", bad), ("good", good))
    ]
    reason, _, found = (refusals[0] or "").partition(": ")
    assert (reason in REASONS, why in found) == (True, True)
    assert refusals[1] is None


def worded(text: str, steps: Any = COUNT, **further: Any) -> Any:
    return family(steps, "answer", wording={"en": [f"{text} {number}" for number in "abcd"]}, **further)


@pytest.mark.parametrize(
    ("text", "steps", "is_refused"),
    [
        ("Who leads, AAAAA or another?", TOP, True),
        ("Who leads?", TOP, False),
        ("Is the sum 1234.5?", SUM, True),
        ("Is the sum 11234.5?", SUM, False),
        ("Is the sum 1234.56?", SUM, False),
    ],
)
def test_a_question_does_not_say_its_answer(tmp_path: Path, text: str, steps: Any, is_refused: bool) -> None:  # noqa: FBT001
    folder = database(tmp_path, prices(A="1000", B="200", C="34.5"))
    refusal = Accepted(100).refusal(drawn(folder, worded(text, steps)))
    assert bool(refusal and "a question gives its answer away: the question says" in refusal) == is_refused


def test_an_answer_stands_in_no_other_question(tmp_path: Path) -> None:
    folder = database(tmp_path, prices(A="1000", B="20000", C="345.67"))
    asked, said = drawn(folder, worded("How much is it?", SUM)), drawn(folder, worded("More than 21345.67?"))
    assert asked.answer == 21345.67
    for first, second in ((asked, said), (said, asked)):
        accepted = Accepted(100)
        accepted.add(first)
        assert "stands in the question of another" in (accepted.refusal(second) or "")
        assert Accepted(100).refusal(second) is None


def test_one_program_is_asked_once(tmp_path: Path) -> None:
    folder, accepted = database(tmp_path, prices(A="1", B="2", C="4")), Accepted(100)
    accepted.add(drawn(folder, worded("One?", SUM)))
    assert "same program" in (accepted.refusal(drawn(folder, worded("The same in other words?", SUM))) or "")
    assert accepted.refusal(drawn(folder, worded("Another?", MEAN))) is None


def test_a_pair_is_asked_about_once(tmp_path: Path) -> None:
    """Which of a and b is asked, and by how much; b and a have the same answer with another sign."""
    folder = database(tmp_path, prices(A="1", B="2", C="4"))
    names = {"values": {"table": "company_figures", "column": "code"}}
    steps: dict[str, Any] = {
        "answer": {"type": "compute", "how": "difference", "first": "@value_a", "second": "@value_b"}
    }
    for side in ("a", "b"):
        where = [*FIGURES["where"], {"column": "code", "is": f"${side}"}]  # type: ignore[misc]
        steps[f"row_{side}"] = FIGURES | {"where": where}
        steps[f"value_{side}"] = {"type": "lookup", "of": f"row_{side}", "column": "value"}
    slots = {"a": names, "b": names | {"differs_from": ["a"]}}
    asked = family(steps, "answer", slots=slots, wording={"en": [f"{i}: {{a}} less {{b}}?" for i in range(4)]})
    draws = [drawn(folder, asked, number=number) for number in range(30)]
    accepted = Accepted(1000)
    for draw in draws:
        if accepted.refusal(draw) is None:
            accepted.add(draw)
    assert len(accepted.draws) == 3
    assert {frozenset(map(str, draw.slots.values())) for draw in accepted.draws} == {
        frozenset(map(str, draw.slots.values())) for draw in draws
    }


def test_no_answer_is_so_frequent_that_guessing_it_pays(tmp_path: Path) -> None:
    accepted = Accepted(40)
    for year in (2012, 2013):
        rows = figures_of("Price", {"A": "1", "B": "2", "C": "4"}, year)
        accepted.add(drawn(database(tmp_path / str(year), rows), of_year(year)))
    third = drawn(
        database(tmp_path / "third", figures_of("Price", {"A": "1", "B": "2", "C": "4"}, 2014)), of_year(2014)
    )
    assert "it is the answer of 2 tasks already" in (accepted.refusal(third) or "")
    accepted.wanted = 60
    assert accepted.refusal(third) is None


def of_year(year: int) -> Any:
    where = [*FIGURES["where"], {"column": "year", "is": year}]  # type: ignore[misc]
    return worded(f"How much in {year}?", {"figures": FIGURES | {"where": where}, "answer": SUM["answer"]})


def test_sides_win_equally_often(tmp_path: Path) -> None:
    accepted, folder = Accepted(100), database(tmp_path, prices(A="1", B="2", C="4"))
    accepted.add(drawn(folder, compared("A", "B")))
    assert "this side has won" in (accepted.refusal(drawn(folder, compared("A", "C"))) or "")
    assert accepted.refusal(drawn(folder, compared("C", "B"))) is None


def compared(first: str, second: str) -> Any:
    steps: dict[str, Any] = {
        "answer": {"type": "compare", "first": f"@{first}", "second": f"@{second}", "labels": [first, second]}
    }
    for letter in (first, second):
        steps[f"row_{letter}"] = FIGURES | {"where": [{"column": "code", "is": f"AAAA{letter}"}]}
        steps[letter] = {"type": "lookup", "of": f"row_{letter}", "column": "value"}
    return worded(f"Is {first} or {second} larger?", steps)
