"""Types of raw columns: what is guessed of cells is what conforming then reads, and nothing is lost in silence."""

from datetime import date
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.conform.cells import understand
from pipeline.guess.digits import code_shape, is_scale, significant_digits
from pipeline.guess.looking import Looked
from pipeline.guess.typing import typed
from pipeline.guess.unique import _as_it_was
from pipeline.model import CodesLike
from pipeline.numerals import decimal_text


def text(values: list[str | None]) -> pl.Series:
    return pl.Series("cells", values, dtype=pl.String)


@given(st.lists(st.decimals(-(10**9), 10**9, places=3), min_size=1, max_size=30))
def test_numbers_are_read_whole(numbers: list[Decimal]) -> None:
    """Whatever decimals occur: every number that was written is read, to its last digit."""
    cells = text([str(number) for number in numbers])
    column = typed("sales", cells).column
    assert column.type in ("decimal", "integer") or column.allowed is not None
    if column.type != "text":
        quanta = understand(column, cells).values.to_list()
        assert [Decimal(each) / 10**column.decimals for each in quanta] == numbers


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30), st.integers(0, 3), st.integers(0, 3))
def test_zeros_behind_the_point_are_declared_where_they_stand(quanta: list[int], decimals: int, least: int) -> None:
    """Numbers are then written as they were, and need no zero more than some of them shows."""
    written = pl.select(decimal_text(pl.Series(quanta), decimals, least=least)).to_series()
    found = typed("sales", text(written.to_list())).column
    if found.type != "text":
        again = decimal_text(understand(found, written).values, found.decimals, least=found.numerals.least_decimals)
        assert pl.select(again).to_series().to_list() == written.to_list()
        shown = [len(each.partition(".")[2]) for each in written if each.endswith("0") and "." in each]
        assert found.numerals.least_decimals in {0, *shown}


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %B %Y", "%Y-%m-%dT00:00:00Z"])
@settings(max_examples=15)
@given(days=st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=1, max_size=20))
def test_days_are_read_in_the_format_in_which_they_are_written(written: str, days: list[date]) -> None:
    """Day and month change places only where no cell says which is which, and then it is asked."""
    cells = text([day.strftime(written) for day in days])
    guess = typed("opened", cells)
    assert guess.column.type == "date"
    read = understand(guess.column, cells).values.to_list()
    assert (
        read == days
        or any("all cells are days as well" in note for note in guess.notes)
        or guess.column.date_format != written
    )
    if any(day.day > 12 for day in days):
        assert read == days


def test_gaps_by_another_name_and_mistakes_are_told() -> None:
    """A token becomes null, and so does what is no number, with its row; neither makes the column text."""
    cells = text(["1.5"] * 40 + ["n/a", "12o"])
    guess = typed("sales", cells)
    assert (guess.column.type, guess.column.null_tokens, dict(guess.column.treat)) == (
        "decimal",
        ("n/a",),
        {"unreadable": "null"},
    )
    assert guess.notes == (
        "? 'n/a' stands for a gap",
        "? emptied, being no decimal: 1 of 42 cells (row 43)",
    )


@pytest.mark.parametrize("values", [["007", "008"], ["A1", "B2"], ["1,20,4", "3,100"]])
def test_what_only_looks_like_a_number_is_text(values: list[str]) -> None:
    """Codes with leading zeros and figures with separators are not read as numbers."""
    assert typed("code", text(values)).column.type == "text"


def test_noise_of_floats_is_rounded_and_told() -> None:
    """A few cells with many more decimals than the others are no reason to declare as many."""
    guess = typed("price", text([f"{number}.25" for number in range(100)] + ["0.30000000004"]))
    assert (guess.column.decimals, dict(guess.column.treat)) == (2, {"too precise": "round"})
    assert guess.notes == ("? decimals: 2 in nearly all cells; what has more (1 values) is rounded",)


def looked(values: list[str | None], header: str = "cells") -> Looked:
    cells = text(values)
    return Looked(cells, typed(header, cells).column)


def test_codes_have_room_for_three_times_as_many() -> None:
    """A letter and a digit are 200 codes: enough for 66 entities, and a digit too few for 67."""
    codes: list[str | None] = [f"{letter}{digit}" for letter in "ABCDEFG" for digit in range(10)]
    assert (code_shape(looked(codes[:66])), code_shape(looked(codes[:67]))) == (CodesLike("B1"), CodesLike("B12"))


def test_of_digits_that_stay_figures_that_are_not_zero_decide() -> None:
    """Three of six, though most of the cells are a zero."""
    assert significant_digits(looked(["0"] * 60 + [str(100_000 + 20_000 * number) for number in range(40)])) == 3


def test_a_figure_of_which_no_digit_stays_is_drawn_anew() -> None:
    """It is not published as it was, unless it is a zero; of one digit that stays, one is."""
    lengths = [pl.Series("fare", [0, 1, 2, 2])]
    found = [_as_it_was(pl.Series([True] * 4), lengths, {"fare": digits}) for digits in (0, 1, 2)]
    assert found == pytest.approx([1 / 4, (1 + 1 + 0.1 + 0.1) / 4, 1])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([str(number % 5 + 1) for number in range(25)], True),
        ([*(str(number % 5 + 1) for number in range(25)), None], True),
        ([str(number % 11) for number in range(200)], False),
        ([str(number % 5 + 7) for number in range(25)], False),
        ([str(number % 5 - 2) for number in range(25)], False),
        ([f"{number % 5}.5" for number in range(25)], False),
        (["4"] * 20 + ["5"] * 4, False),
        (["4"] * 20, False),
    ],
    ids=["stars", "a gap", "eleven marks", "above ten", "below zero", "halves", "a rare mark", "one mark"],
)
def test_marks_of_a_scale(cells: list[str | None], *, expected: bool) -> None:
    """Few whole numbers up to ten, each in five rows or more, under a header that says so in any of five languages."""
    assert [is_scale(looked(cells, header)) for header in ("stars", "Bewertung", "items")] == [
        expected,
        expected,
        False,
    ]
