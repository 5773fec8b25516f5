"""Anonymises events under `lsd`: figures of a row perturbed, times moved, numbers drawn anew, the order of rows destroyed.

Everything is keyed by the row's own key or its entity, never by where the row stands.

*Times.* All times of an entity move by one keyed number of whole weeks, never none: weekdays, times of day, the order of
the entity's events and the spans between the times of a row stay. Who knows that a company paid on 3 May finds no payment
of it there. It does not stop somebody who knows many days: weeks are few, and he tries them all, or compares what a move
cannot hide (how many events, at what times of day, in which rhythm). `validation/attacks/records/events.py` does, and
`privacy.json` reports what it finds.

*Numbers.* Each number of an entity becomes another number of the table, the same wherever it stands in it; that two tables
have the same numbers is not kept.
"""

import polars as pl

from anonymize.figures.closure import breaks, restore
from anonymize.figures.lsd import perturb_low_digits
from pipeline.keyed import Key
from pipeline.model import Events, RawTable, Role
from pipeline.model.periods import Frequency, first_day, period_of

_MOST_WEEKS = 26
"""Weeks by which a time moves at most, to either side, where it may leave its period (our choice: half a year)."""


def anonymise_events(
    events: Events, table: RawTable, frame: pl.DataFrame, key: Key, *, sums: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return the events with new figures, times and numbers, in the order of `published_order`; other columns as they are.

    Args:
        frame: The events, under the original codes.
        key: Release key.
        sums: What the rows of other tables add up to for each row, where that is one of its figures in the originals.
    """
    purpose = key.derive("events", table.name)
    figures = frame.with_columns(
        perturb_low_digits(measure, of=table.key, key=purpose.derive("figures")) for measure in events.measures
    )
    if sums is not None:
        figures = figures.with_columns(pl.coalesce(sums[name], name).alias(name) for name in sums.columns)
    closed = restore(figures, breaks(frame, events, code=events.entity), events, code=events.entity)
    return moved(events, table, closed, key)[published_order(table, frame, key)]


def moved(events: Events, table: RawTable, frame: pl.DataFrame, key: Key) -> pl.DataFrame:
    """Return the events with new times and numbers, each in its row; arguments as above."""
    purpose = key.derive("events", table.name)
    return frame.with_columns(
        *_moved(events, table, purpose.derive("times")),
        *(
            _renumbered(frame, column.name, events.entity, purpose.derive("numbers"))
            for column in table.of_role(Role.NUMBER)
        ),
    )


def published_order(table: RawTable, frame: pl.DataFrame, key: Key) -> pl.Series:
    """Return the places of the original rows in the order of the anonymised ones."""
    order = key.derive("events", table.name, "order")
    return frame.select(pl.arg_sort_by(order.mac(*table.key))).to_series()


def _moved(events: Events, table: RawTable, key: Key) -> list[pl.Expr]:
    """Return the times, those of one row moved by the same days: what the first of them needs that there is."""
    names = [column.name for column in table.of_role(Role.TIME)]
    if not names:
        return []
    ordered = dict.fromkeys([*([events.time] if events.time else []), *names])
    anchor = pl.coalesce(pl.col(name).cast(pl.Date) for name in ordered)
    draw = key.draw(pl.col(events.entity).fill_null(""))
    days = _days_across(draw) if events.stay_within is None else _days_within(draw, anchor, events.stay_within)
    return [(pl.col(name) + pl.duration(days=days)).alias(name) for name in names]


def _days_across(draw: pl.Expr) -> pl.Expr:
    """Return a number of days that is whole weeks and not 0, to either side."""
    weeks = draw % (2 * _MOST_WEEKS) - _MOST_WEEKS
    return 7 * (weeks + (weeks >= 0).cast(pl.Int64))


def _days_within(draw: pl.Expr, date: pl.Expr, frequency: Frequency) -> pl.Expr:
    """Return the days that lead from a date to another of its period, whole weeks round a circle of all its whole weeks.

    The one to three days behind the last whole week are taken for the first ones: the same weekdays.
    """
    period = period_of(date, frequency)
    start, end = (first_day(period + step, frequency) for step in (0, 1))
    weeks = (end - start).dt.total_days() // 7
    since = (date - start).dt.total_days()
    return (since + 7 * (1 + draw % (weeks - 1))) % (7 * weeks) - since


def _renumbered(frame: pl.DataFrame, column: str, entity: str, key: Key) -> pl.Series:
    """Return a column of numbers with one of 1, 2, ... for each number of each entity."""
    rows = frame.select(owner=entity, was=column)
    order = key.mac(pl.lit(column), pl.col("owner").fill_null(""), "was")
    drawn = rows.drop_nulls("was").unique().sort(order).with_row_index("number", offset=1)
    numbers = rows.join(drawn, on=rows.columns, how="left", nulls_equal=True, maintain_order="left")
    return numbers["number"].cast(frame.schema[column]).alias(column)
