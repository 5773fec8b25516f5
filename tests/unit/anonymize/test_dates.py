"""Redrawn dates: the year stays, the day is keyed and uniform, the order of a row holds, trading days are weekdays."""

import random
from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.dates import redraw_dates
from pipeline.keyed import Key
from tests.stats import check_rate, check_shares

KEY = Key(bytes(range(32)))
COLUMNS = ("founded", "listed", "restructured", "delisted")
TRADING = ("listed", "delisted")

# Three years, one of them a leap year, so that the dates of a row often share one.
days = st.one_of(st.none(), st.dates(date(2019, 1, 1), date(2021, 12, 31)))
rows = st.lists(st.tuples(days, days, days, days), min_size=1, max_size=12)


def framed(dates: list[tuple[date | None, ...]]) -> pl.DataFrame:
    """Give each row of dates a code of its own."""
    schema = dict.fromkeys(COLUMNS, pl.Date)
    return pl.DataFrame(dates, schema=schema, orient="row").with_columns(code=pl.int_range(pl.len()).cast(pl.String))


def redrawn(frame: pl.DataFrame, key: Key = KEY, trading: tuple[str, ...] = ()) -> pl.DataFrame:
    """Redraw all four columns."""
    return redraw_dates(frame, columns=COLUMNS, entity="code", key=key, trading_days=trading)


def trading_days_of(year: int) -> list[date]:
    """Return Monday to Friday of a year without 1 January, counted day by day."""
    year_days = [date(year, 1, 2) + timedelta(days=day) for day in range(365)]
    return [day for day in year_days if day.year == year and day.weekday() < 5]


@given(rows, st.sampled_from([(), TRADING]))
def test_years_nulls_and_order_stay(dates: list[tuple[date | None, ...]], trading: tuple[str, ...]) -> None:
    """Each date keeps its year, nulls stay null, and a <= b stays so for every pair of a row (so equal days stay equal)."""
    before = framed(dates)
    after = redrawn(before, trading=trading)
    assert after.schema == before.schema
    for old, new in zip(before.select(COLUMNS).rows(), after.select(COLUMNS).rows(), strict=True):
        assert [day and day.year for day in old] == [day and day.year for day in new]
        pairs = [(i, j) for i in range(4) for j in range(4) if old[i] is not None and old[j] is not None]
        assert all(new[i] <= new[j] for i, j in pairs if old[i] <= old[j])


@given(rows, st.randoms(use_true_random=False), st.sampled_from([(), TRADING]))
def test_a_row_is_redrawn_by_itself(
    dates: list[tuple[date | None, ...]], shuffler: random.Random, trading: tuple[str, ...]
) -> None:
    """Rows in another order, or without the others, have the same dates."""
    frame = framed(dates)
    places = list(range(frame.height))
    shuffler.shuffle(places)
    whole = redrawn(frame, trading=trading)
    assert redrawn(frame[places], trading=trading).equals(whole[places])
    assert redrawn(frame[:1], trading=trading).equals(whole[:1])


@given(rows)
def test_trading_days_are_weekdays_but_1_january(dates: list[tuple[date | None, ...]]) -> None:
    """Whatever the original day, even a Sunday: a trading day is redrawn from Monday to Friday, never on 1 January."""
    for day in redrawn(framed(dates), trading=TRADING).select(TRADING).unpivot()["value"].drop_nulls():
        assert day.weekday() < 5
        assert (day.month, day.day) != (1, 1)


@given(rows)
def test_years_without_a_trading_day_are_drawn_as_ever(dates: list[tuple[date | None, ...]]) -> None:
    """A row's dates in a year in which none of its trading days falls may be any day, the same as without trading days."""
    before = framed(dates)
    plain, after = redrawn(before), redrawn(before, trading=TRADING)
    for old, without, new in zip(*(frame.select(COLUMNS).rows() for frame in (before, plain, after)), strict=True):
        trading_years = {old[i].year for i in (1, 3) if old[i] is not None}
        assert all(new[i] == without[i] for i in range(4) if old[i] is not None and old[i].year not in trading_years)


def test_a_single_trading_day_is_the_keyed_draw() -> None:
    """In each year from 1900 to 2100 it is the weekday at the share of them that the keyed function says."""
    years = range(1900, 2101)
    after = redrawn(framed([(None, date(year, 7, 1), None, None) for year in years]), trading=TRADING)
    identity = pl.DataFrame({"code": [str(place) for place in range(len(years))], "year": years})
    shares = identity.select(KEY.uniform("code", pl.lit("listed"), "year")).to_series()
    expected = [trading_days_of(year) for year in years]
    assert after["listed"].to_list() == [
        days[int(share * len(days))] for days, share in zip(expected, shares, strict=True)
    ]


def test_a_single_date_is_the_keyed_draw() -> None:
    """A date alone in its year is 1 January plus the days that the keyed function says."""
    frame = framed([(date(2020, 5, 5), None, None, None)])
    share = pl.select(KEY.uniform(pl.lit("0"), pl.lit("founded"), pl.lit(2020))).item()
    assert redrawn(frame)["founded"].item() == date(2020, 1, 1) + timedelta(days=int(366 * share))


def test_days_are_uniform() -> None:
    """Days of 20,000 dates that were all 10 October are uniform over the leap year."""
    frame = framed([(date(2020, 10, 10), None, None, None)] * 20_000)
    counts = redrawn(frame)["founded"].dt.ordinal_day().value_counts().sort("founded")
    assert counts["founded"].to_list() == list(range(1, 367))
    check_shares(counts["count"].to_list())


@pytest.mark.parametrize("year", [2021, 2022, 2024], ids=["from a Friday", "from a Saturday", "leap"])
def test_trading_days_are_uniform(year: int) -> None:
    """Days of 20,000 dates that were all 10 October are uniform over the year's weekdays but 1 January."""
    frame = framed([(None, date(year, 10, 10), None, None)] * 20_000)
    counts = redrawn(frame, trading=TRADING)["listed"].value_counts().sort("listed")
    assert counts["listed"].to_list() == trading_days_of(year)
    check_shares(counts["count"].to_list(), tests=3)


def test_equal_dates_do_not_lean_early() -> None:
    """Two columns with one date share one draw, not the smaller of two: the mean day is mid-year within five sigma."""
    frame = framed([(date(2021, 3, 3), date(2021, 3, 3), None, None)] * 20_000)
    after = redrawn(frame)
    assert after["founded"].equals(after["listed"])
    assert abs(after["founded"].dt.ordinal_day().to_numpy().mean() - 183) < 5 * 105.4 / 20_000**0.5


@pytest.mark.parametrize(("trading", "days"), [((), 365), (("founded",), 260)], ids=["any day", "trading day"])
def test_another_key_redraws_differently(trading: tuple[str, ...], days: int) -> None:
    """Under another key a date is the same as often as chance has it: one in 365, of the weekdays of 2021 one in 260."""
    frame = framed([(date(2021, 3, 3), None, None, None)] * 5_000)
    one, other = (redrawn(frame, key, trading)["founded"] for key in (KEY, KEY.derive("another")))
    check_rate((one == other).sum(), 5_000, 1 / days, tests=2)


def test_one_column_is_enough_and_others_stay() -> None:
    """Columns that are not named stay as they are."""
    frame = framed([(date(2021, 3, 3), date(2021, 4, 4), None, None)])
    after = redraw_dates(frame, columns=["listed"], entity="code", key=KEY)
    assert after["founded"].to_list() == [date(2021, 3, 3)]
    assert after.columns == frame.columns
