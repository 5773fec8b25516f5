"""The two evaluators give one answer: on random programs over random small tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.errors import GateError
from pipeline.tasks.drawing import Drawer, Plain
from pipeline.tasks.families import Families, TaskFamily
from pipeline.tasks.gates import is_near_rounding, is_tied
from pipeline.tasks.running import arithmetic
from pipeline.tasks.running.arithmetic import NoAnswerError
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.wording import unit
from silt.environments.us_listed import US_LISTED
from tests.unit.tasks.small import COMPANIES, KEY, database, drawn, family, figures_of

VALUES = st.none() | st.decimals(-10_000, 10_000, places=2).map(str)
STATISTICS = ("count", "count_distinct", "sum", "mean", "median", "min", "max", "std", "sample_std")
HOW = ("ratio", "percent", "difference", "sum", "growth", "scaled", "changed")

FIGURES = {"type": "table", "table": "company_figures", "where": [{"column": "measure", "is": "Price"}]}
OTHERS = {"type": "table", "table": "company_figures", "where": [{"column": "measure", "is": "Total Revenue"}]}
PROFILE = {"type": "table", "table": "company_profile"}


@st.composite
def tables(draw: Callable[..., Any]) -> list[Any]:
    """Draw two measures of some companies."""
    letters = st.sampled_from("ABCDEFGH")
    first, second = (draw(st.dictionaries(letters, VALUES, min_size=1)) for _ in range(2))
    return [*figures_of("Price", first), *figures_of("Total Revenue", second)]


@st.composite
def programs(draw: Callable[..., Any]) -> tuple[dict[str, Any], str]:
    """Draw a program: figures joined with companies and other figures, filtered, derived, then reduced in one of many ways."""
    steps: dict[str, Any] = {
        "figures": FIGURES,
        "others": OTHERS,
        "profile": PROFILE,
        "named": {
            "type": "join",
            "left": "figures",
            "right": "profile",
            "keys": {"code": "code"},
            "take": {"name": "name", "sector": "sector"},
        },
        "both": {
            "type": "join",
            "left": "named",
            "right": "others",
            "keys": {"code": "code"},
            "take": {"other": "value"},
        },
    }
    last = draw(st.sampled_from(["named", "both"]))
    if draw(st.booleans()):
        test = draw(st.sampled_from(["above", "below", "at_least", "at_most", "is", "is_not"]))
        limit: object = draw(st.integers(-5000, 5000))
        if draw(st.booleans()):
            steps["limit"] = {
                "type": "aggregate",
                "of": last,
                "statistic": draw(st.sampled_from(["mean", "median", "max"])),
                "column": "value",
            }
            limit = "@limit"
        steps["kept"] = {
            "type": "filter",
            "of": last,
            "where": [{"column": "value", test: limit}, {"column": "sector", "in": ["X", "Y"]}],
        }
        last = "kept"
    column = "value"
    if draw(st.booleans()):
        second = (
            "other"
            if "other" in draw(st.just(_columns(steps, last))) and draw(st.booleans())
            else draw(st.integers(1, 9))
        )
        how = draw(st.sampled_from(HOW if second != "other" else ("scaled", "ratio", "difference", "percent")))
        if how in ("percent", "growth", "sum", "difference") and second != "other":
            how = "scaled"
        steps["derived"] = {
            "type": "derive",
            "of": last,
            "how": how,
            "first": "value",
            "second": second,
            "into": "made",
        }
        last, column = "derived", "made"
    return steps | draw(st.sampled_from(_ends(last, column))), "answer"


def _columns(steps: dict[str, Any], last: str) -> set[str]:
    of = steps[last].get("of", last)
    return {"value", "other"} if of == "both" else {"value"}


def _ends(last: str, column: str) -> list[dict[str, Any]]:
    """Return the ways in which rows become an answer."""
    whole = [{"answer": {"type": "aggregate", "of": last, "statistic": each, "column": column}} for each in STATISTICS]
    grouped = [
        {
            "groups": {
                "type": "aggregate",
                "of": last,
                "statistic": each,
                "column": column,
                "by": ["sector"],
                "into": "found",
            },
            "first": {"type": "rank", "of": "groups", "column": "found", "order": order, "top": 1},
            "answer": {"type": "lookup", "of": "first", "column": what},
        }
        for each in STATISTICS
        for order, what in (("highest", "sector"), ("lowest", "found"))
    ]
    ranked = [
        {
            "first": {"type": "rank", "of": last, "column": column, "order": order, "top": 2},
            "answer": {"type": "list", "of": "first", "column": "name"},
        }
        for order in ("highest", "lowest")
    ]
    scored = {
        "scored": {
            "type": "decide",
            "of": last,
            "criteria": [
                {"column": column, "weight": 2, "better": "lower"},
                {"column": "year", "weight": 0, "better": "higher"},
            ],
        },
        "first": {"type": "rank", "of": "scored", "column": "score", "order": "highest", "top": 1},
        "answer": {"type": "list", "of": "first", "column": "name"},
    }
    several = {"answer": {"type": "list", "of": last, "column": "sector"}}
    return [*whole, *grouped, *ranked, scored, several]


@given(tables(), programs())
def test_random_programs_have_one_answer(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], program: tuple[dict[str, Any], str]
) -> None:
    folder = database(tmp_path_factory.mktemp("clean"), rows)
    made = family(program[0], program[1])
    drawer = Drawer(Families(environment="us-listed", families=(made,)), Clean(US_LISTED, folder), KEY)
    try:
        draw = drawer.draw(made, 0)
    except NoAnswerError:
        assume(False)
        return
    assume(not is_tied(draw) and not is_near_rounding(draw))
    drawer.refuse_disagreement(draw)


def test_a_wrong_evaluator_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = database(tmp_path, figures_of("Price", {"A": "1", "B": "2", "C": "6"}))
    steps = {
        "figures": FIGURES,
        "answer": {"type": "aggregate", "of": "figures", "statistic": "mean", "column": "value"},
    }
    assert agreed(folder, family(steps, "answer")) == 3
    monkeypatch.setitem(arithmetic.OF_SORTED, "mean", arithmetic.OF_SORTED["median"])  # type: ignore[arg-type]
    with pytest.raises(GateError, match="two programs disagree") as refused:
        agreed(folder, family(steps, "answer"))
    assert "frames give 2, SQL gives 3" in refused.value.failing["tested"]


def test_sums_are_exact_where_doubles_are_not(tmp_path: Path) -> None:
    folder = database(tmp_path, figures_of("Price", {"A": "90071992547409.93", "B": "0.01", "C": "0.01"}))
    steps = {
        "figures": FIGURES,
        "answer": {"type": "aggregate", "of": "figures", "statistic": "sum", "column": "value"},
    }
    assert agreed(folder, family(steps, "answer")) == 90071992547409.95


def agreed(folder: Path, made: TaskFamily) -> Plain:
    drawer = Drawer(Families(environment="us-listed", families=(made,)), Clean(US_LISTED, folder), KEY)
    draw = drawer.draw(made, 0)
    drawer.refuse_disagreement(draw)
    return draw.answer


def test_a_column_with_a_cell_that_is_no_number_is_text(tmp_path: Path) -> None:
    folder = database(tmp_path, figures_of("Price", {"A": "1", "B": "n/a"}))
    steps = {"figures": FIGURES, "answer": {"type": "list", "of": "figures", "column": "value"}}
    assert agreed(folder, family(steps, "answer")) == ["1", "n/a"]
    steps["answer"] = {"type": "aggregate", "of": "figures", "statistic": "sum", "column": "value"}
    with pytest.raises(NoAnswerError, match="a column of numbers"):
        agreed(folder, family(steps, "answer"))


def test_evidence_is_the_cells_that_were_read(tmp_path: Path) -> None:
    folder = database(
        tmp_path, [*figures_of("Price", {"A": "1", "B": None, "E": "5"}), *figures_of("Total Revenue", {"A": "3"})]
    )
    steps = {
        "figures": FIGURES,
        "xs": {"type": "table", "table": "company_profile", "where": [{"column": "sector", "is": "X"}]},
        "of_xs": {"type": "join", "left": "figures", "right": "xs", "keys": {"code": "code"}, "take": {}},
        "answer": {"type": "aggregate", "of": "of_xs", "statistic": "sum", "column": "value"},
    }
    row = {"1"}  # of company A in both tables; B has no figure, E is of another sector
    assert drawn(folder, family(steps, "answer")).outcome.read == {
        ("company_figures", "value"): row,
        ("company_figures", "measure"): row,
        ("company_figures", "code"): row,
        ("company_profile", "code"): row,
        ("company_profile", "sector"): row,
    }


def _of_two(how: str, new: int, old: int) -> TaskFamily:
    """Return a family that computes one value of two percentages."""
    values = {name: {"type": "literal", "value": value, "unit": "%"} for name, value in (("new", new), ("old", old))}
    return family(values | {"answer": {"type": "compute", "how": how, "first": "@new", "second": "@old"}}, "answer")


def test_a_difference_of_percentages_is_in_points(tmp_path: Path) -> None:
    draw = drawn(database(tmp_path, []), _of_two("difference", 3, 5))
    assert (draw.answer, unit(draw)) == (-2, "percentage points")


def test_growth_from_a_negative_base_has_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NoAnswerError, match="negative base"):
        drawn(database(tmp_path, []), _of_two("growth", 3, -5))


def test_a_join_with_several_partners_has_no_answer(tmp_path: Path) -> None:
    folder = database(tmp_path, figures_of("Price", {"A": "1"}), [*COMPANIES, ("AAAAA", "Company A again", "X")])
    steps = {
        "figures": FIGURES,
        "profile": PROFILE,
        "named": {"type": "join", "left": "figures", "right": "profile", "keys": {"code": "code"}, "take": {}},
        "answer": {"type": "aggregate", "of": "named", "statistic": "count"},
    }
    with pytest.raises(NoAnswerError, match="several rows for one key"):
        drawn(folder, family(steps, "answer"))
