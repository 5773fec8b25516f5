"""Redrawn dates: the year stays, the day is keyed and uniform, the order of a row holds."""

import random
from datetime import date, timedelta

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from anonymize.dates import redraw_dates
from pipeline.keyed import Key

KEY = Key(bytes(range(32)))
COLUMNS = ("founded", "listed", "restructured", "delisted")

# Three years, one of them a leap year, so that the dates of a row often share one.
days = st.one_of(st.none(), st.dates(date(2019, 1, 1), date(2021, 12, 31)))
rows = st.lists(st.tuples(days, days, days, days), min_size=1, max_size=12)


def framed(dates: list[tuple[date | None, ...]]) -> pl.DataFrame:
    """Give each row of dates a code of its own."""
    schema = dict.fromkeys(COLUMNS, pl.Date)
    return pl.DataFrame(dates, schema=schema, orient="row").with_columns(code=pl.int_range(pl.len()).cast(pl.String))


def redrawn(frame: pl.DataFrame, key: Key = KEY) -> pl.DataFrame:
    """Redraw all four columns."""
    return redraw_dates(frame, columns=COLUMNS, entity="code", key=key)


@settings(deadline=None)
@given(rows)
def test_years_nulls_and_order_stay(dates: list[tuple[date | None, ...]]) -> None:
    """Each date keeps its year, nulls stay null, and a <= b stays so for every pair of a row."""
    before = framed(dates)
    after = redrawn(before)
    assert after.schema == before.schema
    for old, new in zip(before.select(COLUMNS).rows(), after.select(COLUMNS).rows(), strict=True):
        assert [day and day.year for day in old] == [day and day.year for day in new]
        pairs = [(i, j) for i in range(4) for j in range(4) if old[i] is not None and old[j] is not None]
        assert all(new[i] <= new[j] for i, j in pairs if old[i] <= old[j])


@settings(deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_a_row_is_redrawn_by_itself(dates: list[tuple[date | None, ...]], shuffler: random.Random) -> None:
    """Rows in another order, or without the others, have the same dates."""
    frame = framed(dates)
    places = list(range(frame.height))
    shuffler.shuffle(places)
    assert redrawn(frame[places]).equals(redrawn(frame)[places])
    assert redrawn(frame[:1]).equals(redrawn(frame)[:1])


def test_a_single_date_is_the_keyed_draw() -> None:
    """A date alone in its year is 1 January plus the days that the keyed function says."""
    frame = framed([(date(2020, 5, 5), None, None, None)])
    share = pl.select(KEY.uniform(pl.lit("0"), pl.lit("founded"), pl.lit(2020))).item()
    assert redrawn(frame)["founded"].item() == date(2020, 1, 1) + timedelta(days=int(366 * share))


def test_days_are_uniform() -> None:
    """Days of 20,000 dates that were all 10 October are uniform over the leap year (chi-square, alpha 0.001)."""
    frame = framed([(date(2020, 10, 10), None, None, None)] * 20_000)
    counts = redrawn(frame)["founded"].dt.ordinal_day().value_counts().sort("founded")
    assert counts["founded"].to_list() == list(range(1, 367))
    assert chisquare(counts["count"].to_numpy()).pvalue > 0.001


def test_equal_dates_do_not_lean_early() -> None:
    """Two columns with one date share one draw, not the smaller of two: the mean day is mid-year within five sigma."""
    frame = framed([(date(2021, 3, 3), date(2021, 3, 3), None, None)] * 20_000)
    after = redrawn(frame)
    assert after["founded"].equals(after["listed"])
    assert abs(after["founded"].dt.ordinal_day().to_numpy().mean() - 183) < 5 * 105.4 / 20_000**0.5


def test_another_key_redraws_differently() -> None:
    """Under another key about one date in 365 is the same."""
    frame = framed([(date(2021, 3, 3), None, None, None)] * 5_000)
    same = (redrawn(frame)["founded"] == redrawn(frame, KEY.derive("another"))["founded"]).sum()
    assert same < 40


def test_one_column_is_enough_and_others_stay() -> None:
    """Columns that are not named stay as they are."""
    frame = framed([(date(2021, 3, 3), date(2021, 4, 4), None, None)])
    after = redraw_dates(frame, columns=["listed"], entity="code", key=KEY)
    assert after["founded"].to_list() == [date(2021, 3, 3)]
    assert after.columns == frame.columns
