"""Which numbers an event is drawn as, and how they are read off the originals and turned back into a row.

Everything follows from the declaration. Figures are drawn as they are, but for those that an identity gives. The first time is
a position in its period and one in its day, every other time of the row a span from the first; how many events its entity has
is a column, too. Distributions and their dependence are `rows.py`'s, whatever is no number `values.py`'s.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from anonymize.figures.closure import close
from anonymize.synthesis.cube import Floats
from anonymize.synthesis.sampling import Drawn
from anonymize.synthesis.statistics import grains_of
from pipeline.model import PERIOD, Events, Measure, Measured, RawTable, Role
from pipeline.model.periods import Frequency, first_day

DAY, CLOCK, NUMBER, WEEKDAY = "day of the period", "time of the day", "number of events", "weekday"
"""Columns of the positions of an event's time, of how many its entity has, and of its weekday."""

DECADES_OF_POSITIONS = 6, 12
"""A position from 0 to 1 is on the scale of figures between these decades: of the bins of shapes (`shape.py`) 24 make the
whole, hours of a day or half months of a year."""

PLACE = "place among the rows of its entity"
"""Column that says which row of an entity comes first: drawn by key."""

_GRAINS = (86_400, 3_600, 1_800, 900, 600, 300, 60, 1)
"""Seconds to which times are written: the coarsest that suits most entities."""

_LONGEST_SPAN = 36_525 * 86_400
"""Seconds: a span is drawn within a hundred years, so that every time is one of the calendar."""

_SECONDS, _WEEK = 86_400, 7


@dataclass(frozen=True, kw_only=True)
class EventColumns:
    """The layout, decided by the declaration."""

    events: Events
    anchor: str
    """The first time; empty if events have none."""
    spans: tuple[str, ...]
    """Other times and dates."""
    dates: frozenset[str]
    """Those of the times that are dates."""
    required: frozenset[str]
    """Figures and times that are never missing, as declared."""
    frequency: Frequency
    """That of the periods in which positions are taken."""

    @property
    def has_clock(self) -> bool:
        """Return whether the first time has a time of the day."""
        return bool(self.anchor) and self.anchor not in self.dates

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """Return the columns of positions."""
        return (*([DAY] if self.anchor else []), *([CLOCK] if self.has_clock else []))

    @cached_property
    def measured(self) -> Measured:
        """Return what is drawn as figures, and the identities among it."""
        seconds = tuple(Measure(name=name, unit="s") for name in self.spans)
        others = tuple(Measure(name=name, unit="") for name in (*self.positions, NUMBER))
        return Measured(measures=(*self.events.measures, *seconds, *others), identities=self.events.identities)

    @property
    def grains(self) -> Floats:
        """Return the grains that figures and times may have, from coarse to fine (`noised_statistics`)."""
        of_figures = (
            {measure.name: grains for measure, grains in zip(self.events.measures, grains_of(self.events), strict=True)}
            if self.events
            else {}
        )
        of_times = dict.fromkeys((*self.spans, CLOCK), np.asarray(_GRAINS, np.float64))
        grains = [(of_figures | of_times).get(measure.name, np.ones(1)) for measure in self.measured.measures]
        longest = max(len(each) for each in grains)
        return np.stack([np.pad(each, (0, longest - len(each)), mode="edge") for each in grains])


def event_columns(events: Events, table: RawTable, frequency: Frequency) -> EventColumns:
    """Return the layout of a table, with the frequency of its periods."""
    times = table.of_role(Role.TIME, Role.DATE)
    anchor, *spans = dict.fromkeys([*([events.time] if events.time else []), *(each.name for each in times)]) or [""]
    return EventColumns(
        events=events,
        anchor=anchor,
        spans=tuple(spans),
        dates=frozenset(each.name for each in times if each.type == "date"),
        required=frozenset(each.name for each in table.columns if not each.nullable),
        frequency=frequency,
    )


def figures_of(layout: EventColumns, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the originals' figures, spans and positions in whole numbers; the frame has `PERIOD` and `NUMBER`."""
    spans = [_span(layout, name).alias(name) for name in layout.spans]
    positions = [_as_figure(position).alias(name) for name, position in _positions(layout)]
    figures = (measure.name for measure in layout.events.measures)
    return frame.select(*figures, *spans, *positions, pl.col(NUMBER).cast(pl.Int64))


def seconds_of_day(figures: Floats) -> Floats:
    """Return the times of the day of positions, in seconds."""
    seconds: Floats = np.floor(_position(figures) * _SECONDS)
    return seconds


def rows_of(
    layout: EventColumns, periods: pl.Series, drawn: Drawn, weekdays: pl.Series | None, grain: int
) -> pl.DataFrame:
    """Return the columns of figures and times that drawn numbers stand for, every identity's output computed.

    Args:
        layout: Of `event_columns`.
        periods: The period of each row.
        drawn: Figures, spans and positions.
        weekdays: The weekday on which each event is to fall, 0 being Monday; None if events have no time.
        grain: Seconds to which times of the day are written.
    """
    never = [pl.lit(value=False).alias(name) for name in drawn.missing.columns if name in layout.required]
    drawn = replace(drawn, missing=drawn.missing.with_columns(never))
    closed = _closed(layout, drawn)
    if weekdays is None:
        return closed
    clock = drawn.figures[CLOCK].to_numpy().astype(np.float64) if layout.has_clock else None
    seconds = np.zeros(len(periods)) if clock is None else _clock(clock, grain)
    places = pl.Series(_position(drawn.figures[DAY].to_numpy().astype(np.float64)))
    times = pl.DataFrame({PERIOD: periods, "at": places, WEEKDAY: weekdays}).select(_day(layout.frequency))
    start = times.select(pl.col("day").cast(pl.Datetime("us")) + pl.duration(seconds=pl.lit(pl.Series(seconds))))
    first = start.to_series()
    # Of events without figures `closed` has no column, and no height.
    return pl.concat(
        [closed, pl.DataFrame([first.alias(layout.anchor), *_ends(layout, first, drawn)])], how="horizontal"
    )


# ----------------------------------------------------------------------------------------------------------------------


def _span(layout: EventColumns, name: str) -> pl.Expr:
    """Return the seconds from the first time, whole days of them where either is a date."""
    end, start = pl.col(name), pl.col(layout.anchor)
    if layout.dates & {name, layout.anchor}:
        end, start = end.cast(pl.Date), start.cast(pl.Date)
    return (end.cast(pl.Datetime("us")) - start.cast(pl.Datetime("us"))).dt.total_seconds()


def _positions(layout: EventColumns) -> Iterator[tuple[str, pl.Expr]]:
    """Yield the middle of the day, and that of the second: what begins a bin is then within it."""
    if layout.anchor:
        start, end = (first_day(pl.col(PERIOD) + step, layout.frequency) for step in (0, 1))
        day = (pl.col(layout.anchor).cast(pl.Date) - start).dt.total_days()
        yield DAY, (day + 0.5) / (end - start).dt.total_days()
    if layout.has_clock:
        time = pl.col(layout.anchor).dt
        seconds = time.hour().cast(pl.Int64) * 3_600 + time.minute().cast(pl.Int64) * 60 + time.second()
        yield CLOCK, (seconds + 0.5) / _SECONDS


def _as_figure(position: pl.Expr) -> pl.Expr:
    first, last = DECADES_OF_POSITIONS
    return (10.0 ** (first + (last - first) * position) - 1).round().cast(pl.Int64)


def _position(figures: Floats) -> Floats:
    """Return positions from 0 to below 1."""
    first, last = DECADES_OF_POSITIONS
    places = (np.log10(np.maximum(figures, 0.0) + 1) - first) / (last - first)
    position: Floats = np.clip(places, 0.0, np.nextafter(1.0, 0.0))
    return position


def _clock(figures: Floats, grain: int) -> Floats:
    seconds: Floats = np.floor(seconds_of_day(figures) / grain) * grain
    return seconds


def _day(frequency: Frequency) -> pl.Expr:
    """Return the date of the wanted weekday that is next to the position `at`, within its period."""
    start, end = (first_day(pl.col(PERIOD) + step, frequency) for step in (0, 1))
    length = (end - start).dt.total_days()
    day = (pl.col("at") * length).floor().cast(pl.Int64)
    on = (start + pl.duration(days=day)).dt.weekday().cast(pl.Int64) - 1
    step = (pl.col(WEEKDAY).cast(pl.Int64) - on + _WEEK // 2) % _WEEK - _WEEK // 2
    moved = day + step
    inside = moved + pl.when(moved < 0).then(_WEEK).when(moved >= length).then(-_WEEK).otherwise(0)
    return (start + pl.duration(days=inside)).alias("day")


def _closed(layout: EventColumns, drawn: Drawn) -> pl.DataFrame:
    """Return the measures; an identity is broken only in rows that have what it is computed from."""
    events = layout.events
    names = [measure.name for measure in events.measures]
    missing = drawn.missing
    broken = {
        identity.output: drawn.broken[identity.output]
        & ~missing.select(pl.any_horizontal(*identity.inputs)).to_series()
        for identity in events.identities
    }
    return close(drawn.figures.select(names), pl.DataFrame(broken), missing.select(names), events, code=events.entity)


def _ends(layout: EventColumns, first: pl.Series, drawn: Drawn) -> Iterator[pl.Series]:
    """Yield the other times of each row: the first and a span."""
    for name in layout.spans:
        span = drawn.figures[name].clip(-_LONGEST_SPAN, _LONGEST_SPAN).set(drawn.missing[name], None)
        yield (first + (span * 1_000_000).cast(pl.Duration("us"))).alias(name)
