"""Which numbers an event is drawn as, and how they are read off the originals and turned back into a row.

Figures are drawn as they are, but for those that an identity gives. The first time is a position in its period and one in its
day, every other time of the row a span from the first. Where something is missing, and where an identity does not hold, are
columns, too. Distributions and their dependence are `rows.py`'s, whatever is no number `values.py`'s.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from anonymize.figures.closure import broken_by, close
from anonymize.synthesis.columns import is_frequent, missing_together
from anonymize.synthesis.cube import Booleans, Floats
from anonymize.synthesis.model import decimals_of
from anonymize.synthesis.sampling import whole
from pipeline.model import PERIOD, Events, RawTable, Role
from pipeline.model.identities import stated_by
from pipeline.model.periods import Frequency, first_day

DAY, CLOCK, WEEKDAY = "day of the period", "time of the day", "weekday"
"""Columns of the positions of an event's time, and of its weekday."""

_SPREAD = 8.0
"""What a position from 0 to 1 is multiplied by before its exponential is taken: of means of these two digits are
kept, which are then within 1 % of the whole, everywhere alike."""

_GRAINS = (86_400, 3_600, 1_800, 900, 600, 300, 60, 1)
"""Seconds to which times are written: the coarsest that suits most of them."""

_USUAL = 0.9
"""Share of times that a grain must suit."""

_SECONDS, _WEEK = 86_400, 7


@dataclass(frozen=True, kw_only=True)
class EventColumns:
    """The layout, decided from the originals; each decision rests on a share over all rows."""

    events: Events
    anchor: str
    """The first time; empty if events have none."""
    has_clock: bool
    spans: tuple[str, ...]
    """Other times and dates."""
    frequency: Frequency
    """That of the periods in which positions are taken."""
    gaps: tuple[tuple[str, ...], ...]
    """Figures and spans that are missing together."""
    broken: tuple[str, ...]
    """Outputs of the identities that do not hold everywhere."""
    grains: Mapping[str, int]
    """Quanta of a figure, seconds of a time."""

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Return the measures that are drawn: not those that an identity gives in every row."""
        given = {identity.output for identity in self.events.identities} - set(self.broken)
        return tuple(measure.name for measure in self.events.measures if measure.name not in given)

    @cached_property
    def drawn(self) -> tuple[str, ...]:
        """Return the columns of magnitudes."""
        positions = (*([DAY] if self.anchor else []), *([CLOCK] if self.has_clock else []))
        return (*self.figures, *self.spans, *positions)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Return the columns of zeros and ones."""
        return (*(f"gap of {group[0]}" for group in self.gaps), *(f"break of {output}" for output in self.broken))

    def missing(self, states: Booleans) -> dict[str, Booleans]:
        """Return for each figure and span that can be missing where it is; states of shape (n, states)."""
        return {name: states[:, place] for place, group in enumerate(self.gaps) for name in group}


def always_hold(events: Events, originals: pl.DataFrame) -> set[str]:
    """Return the outputs of the identities that hold in the originals, but for rare rows: they hold in every sampled event."""
    broken = originals.select(broken_by(identity, events, code=events.entity) for identity in events.identities)
    return {name for name in broken.columns if not is_frequent(broken[name].to_numpy().astype(np.float64))}


def event_columns(
    events: Events, table: RawTable, frame: pl.DataFrame, *, frequency: Frequency, hold: Collection[str]
) -> EventColumns:
    """Decide the layout.

    Args:
        events: Declares figures and times.
        table: The raw table.
        frame: The originals.
        frequency: That of the periods.
        hold: Of `always_hold`.
    """
    times = [column.name for column in table.of_role(Role.TIME, Role.DATE)]
    anchor, *spans = dict.fromkeys([*([events.time] if events.time else []), *times]) if times else [""]
    layout = EventColumns(
        events=events,
        anchor=anchor,
        has_clock=bool(anchor) and frame.schema[anchor] != pl.Date,
        spans=tuple(spans),
        frequency=frequency,
        gaps=(),
        broken=tuple(identity.output for identity in events.identities if identity.output not in hold),
        grains={},
    )
    gaps, names = _gaps(layout, frame), _can_be_missing(layout)
    return replace(
        layout,
        gaps=tuple(tuple(names[place] for place in group) for group in missing_together(gaps)),
        grains=dict(_grains(layout, frame)),
    )


def numbers_of(layout: EventColumns, frame: pl.DataFrame) -> tuple[Floats, Floats]:
    """Return the originals' magnitudes, NaN where there are none, and their states, NaN where nothing can be said.

    The frame has `PERIOD`. Shapes (n, drawn) and (n, states).
    """
    figures = [pl.col(name).cast(pl.Float64) for name in layout.figures]
    spans = [_span(layout, frame, name) for name in layout.spans]
    positions = list(_positions(layout)) if layout.anchor else []
    magnitudes = frame.select(
        expression.alias(name) for name, expression in zip(layout.drawn, [*figures, *spans, *positions], strict=True)
    )
    gaps, names = _gaps(layout, frame), _can_be_missing(layout)
    breaks = [
        broken_by(identity, layout.events, code=layout.events.entity).cast(pl.Float64).alias(identity.output)
        for identity in layout.events.identities
        if identity.output in layout.broken
    ]
    states = [gaps[:, [names.index(group[0]) for group in layout.gaps]]]
    states.append(frame.select(breaks).to_numpy().reshape(frame.height, -1) if breaks else np.zeros((frame.height, 0)))
    return (
        magnitudes.fill_null(float("nan")).to_numpy().reshape(frame.height, -1).astype(np.float64),
        np.concatenate(states, axis=1),
    )


def weekdays_of(layout: EventColumns, frame: pl.DataFrame) -> pl.Series:
    """Return the weekday of each event, 0 being Monday."""
    return frame.select((pl.col(layout.anchor).dt.weekday().cast(pl.Int64) - 1).alias(WEEKDAY)).to_series()


def rows_of(
    layout: EventColumns, periods: pl.Series, magnitudes: Floats, states: Booleans, weekdays: Floats
) -> pl.DataFrame:
    """Return the columns of figures and times that drawn numbers stand for, every identity's output computed.

    Args:
        layout: Of `event_columns`.
        periods: The period of each row.
        magnitudes: Shape (n, drawn), NaN where nothing is.
        states: Shape (n, states).
        weekdays: The weekday on which each event is to fall.
    """
    column = dict(zip(layout.drawn, magnitudes.T, strict=True))
    missing = layout.missing(states)
    figures = {name: whole(column[name], layout.grains[name]) for name in layout.figures}
    closed = _closed(layout, figures, missing, states)
    if not layout.anchor:
        return closed
    seconds = _clock(column[CLOCK], layout.grains[CLOCK]) if layout.has_clock else np.zeros(len(periods))
    times = pl.DataFrame({PERIOD: periods, "at": column[DAY], WEEKDAY: weekdays}).select(_day(layout.frequency))
    start = times.select(pl.col("day").cast(pl.Datetime("us")) + pl.duration(seconds=pl.lit(pl.Series(seconds))))
    return closed.with_columns(start.to_series().alias(layout.anchor), *_ends(layout, start, column, missing))


# ----------------------------------------------------------------------------------------------------------------------


def _can_be_missing(layout: EventColumns) -> list[str]:
    return [*(measure.name for measure in layout.events.measures), *layout.spans]


def _gaps(layout: EventColumns, frame: pl.DataFrame) -> Floats:
    """Return whether each figure and span is missing; NaN where an identity's inputs do not give its output."""
    events = layout.events
    can = {i.output: stated_by(i, events, code=events.entity).is_not_null() for i in events.identities}
    gaps = [
        pl.when(can.get(name, True)).then(pl.col(name).is_null()).cast(pl.Float64).alias(name)
        for name in _can_be_missing(layout)
    ]
    found = frame.select(gaps).fill_null(float("nan")).to_numpy()
    return found.reshape(frame.height, len(gaps)).astype(np.float64)


def _grains(layout: EventColumns, frame: pl.DataFrame) -> Iterator[tuple[str, int]]:
    for name in layout.figures:
        measure = layout.events.measure(name)
        values = frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        yield name, 10 ** (measure.decimals - decimals_of(measure, values))
    for name in layout.spans:
        yield name, _grain(frame.select(_span(layout, frame, name)).to_series())
    if layout.has_clock:
        yield CLOCK, _grain(frame.select(_since_midnight(layout.anchor)).to_series())


def _grain(seconds: pl.Series) -> int:
    known = seconds.drop_nulls().to_numpy()
    return next((grain for grain in _GRAINS if len(known) and (known % grain == 0).mean() >= _USUAL), 1)


def _span(layout: EventColumns, frame: pl.DataFrame, name: str) -> pl.Expr:
    """Return the seconds from the first time, whole days of them where either is a date."""
    end, start = pl.col(name), pl.col(layout.anchor)
    if pl.Date in (frame.schema[name], frame.schema[layout.anchor]):
        end, start = end.cast(pl.Date), start.cast(pl.Date)
    return (end.cast(pl.Datetime("us")) - start.cast(pl.Datetime("us"))).dt.total_seconds().cast(pl.Float64)


def _positions(layout: EventColumns) -> Iterator[pl.Expr]:
    start, end = (first_day(pl.col(PERIOD) + step, layout.frequency) for step in (0, 1))
    day = (pl.col(layout.anchor).cast(pl.Date) - start).dt.total_days()
    yield _as_magnitude(day / (end - start).dt.total_days())
    if layout.has_clock:
        yield _as_magnitude(_since_midnight(layout.anchor) / _SECONDS)


def _since_midnight(name: str) -> pl.Expr:
    time = pl.col(name).dt
    return time.hour().cast(pl.Int64) * 3_600 + time.minute().cast(pl.Int64) * 60 + time.second().cast(pl.Int64)


def _as_magnitude(position: pl.Expr) -> pl.Expr:
    return (position * _SPREAD).exp()


def _position(magnitudes: Floats) -> Floats:
    """Return positions from 0 to below 1."""
    position: Floats = np.clip(np.log(np.maximum(magnitudes, 1.0)) / _SPREAD, 0.0, np.nextafter(1.0, 0.0))
    return position


def _clock(magnitudes: Floats, grain: int) -> Floats:
    seconds: Floats = np.minimum(np.rint(_position(magnitudes) * _SECONDS / grain) * grain, _SECONDS - grain)
    return seconds


def _day(frequency: Frequency) -> pl.Expr:
    """Return the date of the wanted weekday that is next to the position `at`, within its period."""
    start, end = (first_day(pl.col(PERIOD) + step, frequency) for step in (0, 1))
    length = (end - start).dt.total_days()
    place = pl.col("at").map_batches(lambda at: pl.Series(_position(at.to_numpy())), return_dtype=pl.Float64)
    day = (place * length).floor().cast(pl.Int64)
    on = (start + pl.duration(days=day)).dt.weekday().cast(pl.Int64) - 1
    step = (pl.col(WEEKDAY).cast(pl.Int64) - on + _WEEK // 2) % _WEEK - _WEEK // 2
    moved = day + step
    inside = moved + pl.when(moved < 0).then(_WEEK).when(moved >= length).then(-_WEEK).otherwise(0)
    return (start + pl.duration(days=inside)).alias("day")


def _closed(
    layout: EventColumns, figures: Mapping[str, pl.Series], missing: Mapping[str, Booleans], states: Booleans
) -> pl.DataFrame:
    """Return the measures; an identity is broken only in rows that have what it is computed from."""
    events, rows = layout.events, len(states)
    names = [measure.name for measure in events.measures]
    nothing, never = pl.Series([None] * rows, dtype=pl.Int64), np.zeros(rows, np.bool_)
    breaks = dict(zip(layout.broken, states[:, len(layout.gaps) :].T, strict=True))
    for identity in events.identities:
        is_given = ~np.any([never, *(missing.get(name, never) for name in identity.inputs)], axis=0)
        breaks[identity.output] = breaks.get(identity.output, never) & is_given
    return close(
        pl.DataFrame({name: figures.get(name, nothing) for name in names}),
        pl.DataFrame({identity.output: breaks[identity.output] for identity in events.identities}),
        pl.DataFrame({name: missing.get(name, never) for name in names}),
        events,
        code=events.entity,
    )


def _ends(
    layout: EventColumns, start: pl.DataFrame, column: Mapping[str, Floats], missing: Mapping[str, Booleans]
) -> Sequence[pl.Series]:
    """Return the other times of each row: the first and a span."""
    never, found = np.zeros(start.height, np.bool_), []
    for name in layout.spans:
        span = whole(column[name], layout.grains[name]).set(pl.Series(missing.get(name, never)), None)
        found.append((start.to_series() + (span * 1_000_000).cast(pl.Duration("us"))).alias(name))
    return found
