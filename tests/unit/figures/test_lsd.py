"""The least-significant-digit mechanism, against its promises and an obvious version in decimal text."""

import re

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from anonymize.figures.lsd import perturb_low_digits
from pipeline.keyed import Key
from pipeline.model import Measure
from tests.stats import check_shares

KEY = Key(b"k" * 32)
VALUES = st.integers(-(10**17), 10**17)
DECIMALS = st.integers(0, 3)


def perturbed(values: list[int | None], *, decimals: int = 0, digits: int = 3, key: Key = KEY) -> list[int | None]:
    measure = Measure(name="m", unit="元", decimals=decimals, significant_digits=digits)
    frame = pl.DataFrame(
        {"code": [f"c{i}" for i in range(len(values))], "year": [2022] * len(values), "m": values},
        schema={"code": pl.String, "year": pl.Int64, "m": pl.Int64},
    )
    return frame.with_columns(perturb_low_digits(measure, of=("code", "year"), key=key))["m"].to_list()


def shown(value: int, decimals: int) -> str:
    """Return the value as a person writes it: no zeros at the end of its decimals."""
    text = f"{value:0{decimals + 1}d}" if value >= 0 else "-" + f"{-value:0{decimals + 1}d}"
    whole, fraction = (text[:-decimals], text[-decimals:].rstrip("0")) if decimals else (text, "")
    return f"{whole}.{fraction}" if fraction else whole


@given(st.lists(VALUES, max_size=30), DECIMALS, st.integers(1, 4))
def test_keeps_sign_digits_decimals_and_leading_digits(values: list[int], decimals: int, digits: int) -> None:
    """Each value keeps its sign, its numbers of digits before and after the point, and its leading digits."""
    for before, after in zip(values, perturbed(values, decimals=decimals, digits=digits), strict=True):
        assert after is not None
        old, new = shown(before, decimals), shown(after, decimals)
        assert [len(part) for part in old.split(".")] == [len(part) for part in new.split(".")]
        leading = [re.sub(r"\D", "", text).lstrip("0")[:digits] for text in (old, new)]
        assert leading[0] == leading[1]
        assert (before > 0) == (after > 0)
        assert (before < 0) == (after < 0)


def test_keeps_null_and_zero() -> None:
    """Null stays null and zero stays zero."""
    assert perturbed([None, 0]) == [None, 0]


def test_does_not_touch_values_without_low_digits() -> None:
    """A value with no more digits than are kept is unchanged: a small count is no noise."""
    assert perturbed([1, 12, 999, -45]) == [1, 12, 999, -45]


def test_changes_low_digits() -> None:
    """A long figure changes, and differently under another key."""
    values: list[int | None] = [123_456_789_012] * 50
    first, other = perturbed(values), perturbed(values, key=Key(b"o" * 32))
    assert first != values
    assert len(set(first)) == 50
    assert not set(first) & set(other)


def test_low_digits_are_uniform() -> None:
    """The fresh digits of 10,000 figures are uniform over all that they can be."""
    low = [value % 100 for value in perturbed([12_345] * 10_000) if value is not None]
    check_shares([low.count(digits) for digits in range(100)])


def test_depends_on_nothing_but_its_own_identity() -> None:
    """A figure's noise is the same whatever other rows there are and in which order they stand."""
    measure = Measure(name="m", unit="元")
    frame = pl.DataFrame({"code": ["a", "b", "c"], "year": [2020, 2021, 2022], "m": [987_654_321] * 3})
    noise = perturb_low_digits(measure, of=("code", "year"), key=KEY)
    together = dict(frame.with_columns(noise).select("code", "m").iter_rows())
    alone = dict(frame.reverse().filter(pl.col("code") != "b").with_columns(noise).select("code", "m").iter_rows())
    assert alone == {code: value for code, value in together.items() if code != "b"}


@given(st.lists(VALUES.filter(bool), max_size=30), DECIMALS)
def test_where_no_digit_stays_no_figure_does(values: list[int], decimals: int) -> None:
    """With 0 significant digits a figure keeps its sign and gets no longer; it is neither what it was nor 0."""
    for before, after in zip(values, perturbed(values, decimals=decimals, digits=0), strict=True):
        assert after is not None
        assert after not in {0, before}
        assert (before > 0) == (after > 0)
        assert len(shown(after, decimals)) <= len(shown(before, decimals))
