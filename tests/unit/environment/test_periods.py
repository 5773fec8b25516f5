"""Periods: consecutive numbers, read from text and written back."""

from datetime import date, timedelta
from fractions import Fraction
from typing import get_args

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.model import PERIOD, Difference, Growth, Measure, Panel
from pipeline.model.identities import period_before, stated_by
from pipeline.model.periods import WRITTEN, Frequency, Period, first_day, period_number, period_of, period_text
from validation.consistency.residuals import identity_residuals
from validation.distributions.named_periods import with_named_periods

FREQUENCIES: tuple[Frequency, ...] = get_args(Frequency)
DAYS = st.dates(date(1900, 1, 1), date(2199, 12, 30))


def told(day: date, frequency: Frequency) -> str:
    """Return the period of a day, by Python's own calendar."""
    week = day.isocalendar()
    return {
        "year": f"{day.year}",
        "quarter": f"{day.year}Q{(day.month + 2) // 3}",
        "month": f"{day:%Y-%m}",
        "week": f"{week.year}-W{week.week:02}",
        "day": day.isoformat(),
    }[frequency]


@pytest.mark.parametrize("frequency", FREQUENCIES)
@given(day=DAYS)
def test_a_day_falls_into_the_period_of_the_calendar(frequency: Frequency, day: date) -> None:
    """Number, text and number again agree with Python's calendar, and the first day is the first."""
    number = pl.select(period_of(pl.lit(day), frequency)).item()
    text = pl.select(period_text(pl.lit(number), frequency)).item()
    first = pl.select(first_day(pl.lit(number), frequency)).item()
    assert text == told(day, frequency)
    assert pl.select(period_number(pl.lit(text), frequency)).item() == number
    assert told(first, frequency) == text
    assert told(first - timedelta(days=1), frequency) != text


@pytest.mark.parametrize("frequency", FREQUENCIES)
@given(day=DAYS)
def test_the_day_after_is_of_this_period_or_the_next(frequency: Frequency, day: date) -> None:
    """No number is left out between two periods: the one before is one less."""
    days = pl.DataFrame({"day": [day, day + timedelta(days=1)]})
    now, after = days.select(period_of(pl.col("day"), frequency)).to_series()
    assert after - now == (told(day, frequency) != told(day + timedelta(days=1), frequency))


@pytest.mark.parametrize(
    ("frequency", "text"),
    [
        ("year", "23"),
        ("quarter", "2023Q0"),
        ("quarter", "2023Q5"),
        ("quarter", "2023-Q1"),
        ("month", "2023-13"),
        ("month", "2023-1"),
        ("week", "2023-W53"),
        ("week", "2023-W00"),
        ("day", "2023-02-29"),
        ("day", "2023-2-1"),
    ],
)
def test_what_is_no_period_has_no_number(frequency: Frequency, text: str) -> None:
    """A week 53 that the year has not, a day that the month has not, other spellings: none is read."""
    assert pl.select(period_number(pl.lit(text), frequency)).item() is None
    with pytest.raises(InputError, match=f"no {frequency}; one is written like {WRITTEN[frequency]}"):
        Period("p", frequency).number(text)


@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_a_period_has_a_name_and_a_number(frequency: Frequency) -> None:
    """A declaration goes from the one to the other and back."""
    period = Period("p", frequency)
    assert period.name(period.number(WRITTEN[frequency])) == WRITTEN[frequency]


def test_the_quarter_before_a_first_quarter_is_of_another_year() -> None:
    """Growth of a first quarter is over the last of the year before, and not over one further back."""
    numbers = [Period("q", "quarter").number(name) for name in ("2022Q4", "2023Q1", "2023Q3")]
    rows = pl.DataFrame({"code": "a", PERIOD: numbers, "value": [1, 2, 3]})
    assert rows.select(period_before("value", code="code")).to_series().to_list() == [None, 1, None]


def test_reports_name_periods_wherever_they_stand() -> None:
    """Single numbers, lists of them, and cells deep in a report are named; what is no period stays."""
    quarters = Period("q", "quarter")
    found = {
        "year": 8092,
        "n": 8092,
        "columns": {"year": [8092, 8093]},
        "tests": [{"year": None}, {"at": ({"year": 8092},)}],
    }
    assert with_named_periods(found, quarters) == {
        "year": "2023Q1",
        "n": 8092,
        "columns": {"year": ["2023Q1", "2023Q2"]},
        "tests": [{"year": None}, {"at": [{"year": "2023Q1"}]}],
    }
    assert with_named_periods({"years": [8091, 8092]}, quarters) == {"years": ["2022Q4", "2023Q1"]}
    assert with_named_periods(found, Period("year", "year")) is found


QUARTERLY = Panel(
    tables=("t",),
    period=Period("q", "quarter"),
    measures=tuple(Measure(name=name, unit="", additive=False) for name in ("value", "growth", "change")),
    identities=(Growth(output="growth", base="value", periods=4), Difference(output="change", base="value", periods=2)),
)


@given(numbers=st.sets(st.integers(8080, 8100), min_size=1), data=st.data())
def test_growth_over_the_year_before_equals_a_slow_version(numbers: set[int], data: st.DataObject) -> None:
    """The same quarter of the year before is found whatever quarters are left out between, in whatever order rows stand."""
    values = {number: data.draw(st.integers(-50, 50)) for number in data.draw(st.permutations(sorted(numbers)))}
    rows = pl.DataFrame({"code": "a", PERIOD: list(values), "value": list(values.values())})
    for identity in QUARTERLY.identities:
        rows = rows.with_columns(stated_by(identity, QUARTERLY, code="code").alias(identity.output))
    for row in rows.to_dicts():
        before, year_before = values.get(row[PERIOD] - 2), values.get(row[PERIOD] - 4)
        assert row["change"] == (None if before is None else row["value"] - before)
        grown = Fraction(100 * (row["value"] - year_before), abs(year_before)) if year_before else None
        assert row["growth"] == (None if grown is None else half_away(grown))
    found = identity_residuals(rows, QUARTERLY, code="code")
    assert [each.max_residual for each in found] == [0, 0]
    assert [each.records for each in found] == [rows[name].count() for name in ("growth", "change")]
    assert [each.identity for each in found] == [
        "growth = 100 * change of value over 4 quarters before / |value of 4 quarters before|",
        "change = change of value over 2 quarters before",
    ]


def half_away(value: Fraction) -> int:
    """Round half away from zero."""
    return int(abs(value) + Fraction(1, 2)) * (1 if value >= 0 else -1)
