"""Which numbers an event is drawn as: read off rows and put together again they are the rows, whatever is drawn is a row."""

from dataclasses import replace
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.events.columns import (
    CLOCK,
    DAY,
    DECADES_OF_POSITIONS,
    NUMBER,
    event_columns,
    figures_of,
    rows_of,
)
from anonymize.synthesis.sampling import Drawn
from pipeline.model import PERIOD
from pipeline.model.periods import Frequency, first_day, period_of
from tests.unit.events.voyages import TABLE, VOYAGES, many, voyages

PERIODS: tuple[Frequency, ...] = ("year", "quarter", "month")


def test_numbers_of_an_event_give_the_event_again() -> None:
    """Figures, gaps and times read off rows and put together again are the rows, to the minutes that they are written to."""
    frame = many(3, 10).with_columns(period_of(pl.col("left"), "year").alias(PERIOD), pl.lit(1).alias(NUMBER))
    frame = frame.with_columns(tons=pl.when(pl.int_range(pl.len()) % 3 > 0).then("tons")).with_columns(
        takings=pl.col("tons") * pl.col("fare")
    )
    layout = event_columns(VOYAGES, TABLE, "year")
    weekdays = frame["left"].dt.weekday().cast(pl.Int64) - 1
    again = rows_of(layout, frame[PERIOD], drawn_of(figures_of(layout, frame)), weekdays, 1_800)
    columns = ["tons", "fare", "takings", "crew", "guests", "aboard", "left"]
    assert again.select(columns).equals(frame.select(columns))
    assert again["due"].cast(pl.Date).equals(frame["due"])


def drawn_of(figures: pl.DataFrame) -> Drawn:
    """Return figures as if they had been drawn, gaps where they have none."""
    return Drawn(
        figures=figures,
        broken=pl.DataFrame({each.output: pl.repeat(False, figures.height, eager=True) for each in VOYAGES.identities}),
        missing=figures.select(pl.all().is_null()),
    )


def test_what_is_declared_never_to_be_missing_never_is() -> None:
    """A gap that noise made of a column that is never empty is none."""
    frame = many(3, 10).with_columns(period_of(pl.col("left"), "year").alias(PERIOD), pl.lit(1).alias(NUMBER))
    table = replace(
        TABLE, columns=tuple(replace(each, nullable=each.name not in ("fare", "due")) for each in TABLE.columns)
    )
    layout = event_columns(VOYAGES, table, "year")
    drawn = drawn_of(figures_of(layout, frame))
    drawn = replace(
        drawn, missing=drawn.missing.select(pl.repeat(True, pl.len()).alias(name) for name in drawn.missing.columns)
    )
    found = rows_of(layout, frame[PERIOD], drawn, frame["left"].dt.weekday().cast(pl.Int64) - 1, 60)
    assert found.select("fare", "due", "left").null_count().row(0) == (0, 0, 0)
    assert found.select("tons", "takings").null_count().row(0) == (frame.height, frame.height)


@pytest.mark.parametrize("frequency", PERIODS)
@given(
    days=st.lists(
        st.tuples(st.dates(date(1999, 1, 1), date(2030, 12, 31)), st.integers(-(10**18), 10**18), st.integers(0, 6)),
        min_size=1,
    )
)
def test_drawn_days_are_of_their_period_and_weekday(frequency: Frequency, days: list[tuple[date, int, int]]) -> None:
    """Whatever is drawn, a day is in its period and falls on the wanted weekday, and its other times are of the calendar."""
    layout = event_columns(VOYAGES, TABLE, frequency)
    periods = pl.select(period_of(pl.lit(pl.Series([day for day, _, _ in days])), frequency)).to_series().alias(PERIOD)
    numbers = pl.Series([number for _, number, _ in days], dtype=pl.Int64)
    names = [measure.name for measure in layout.measured.measures]
    drawn = dict.fromkeys(names, pl.zeros(len(days), pl.Int64, eager=True)) | dict.fromkeys(
        (DAY, CLOCK, "due"), numbers
    )
    figures = pl.DataFrame(drawn)
    weekdays = pl.Series([weekday for _, _, weekday in days], dtype=pl.Int64)
    found = rows_of(layout, periods, drawn_of(figures), weekdays, 60)
    bounds = pl.DataFrame({PERIOD: periods}).select(
        start=first_day(pl.col(PERIOD), frequency), end=first_day(pl.col(PERIOD) + 1, frequency)
    )
    at = found["left"].dt.date()
    assert ((at >= bounds["start"]) & (at < bounds["end"])).all()
    assert (at.dt.weekday() - 1).to_list() == weekdays.to_list()
    assert found["due"].dt.year().is_between(1890, 2140).all()


@given(at=st.datetimes(datetime(1999, 1, 1), datetime(2030, 12, 31)))  # noqa: DTZ001
def test_positions_are_within_the_decades_that_are_known(at: datetime) -> None:
    """Whatever the time, its positions are where the shape of positions has its bins."""
    frame = voyages([("s1", at, 1, 1)]).with_columns(pl.lit(at.year, pl.Int64).alias(PERIOD), pl.lit(1).alias(NUMBER))
    found = figures_of(event_columns(VOYAGES, TABLE, "year"), frame).select(DAY, CLOCK).row(0)
    first, last = DECADES_OF_POSITIONS
    assert all(first < np.log10(1 + figure) < last for figure in found)
