"""Statistics over published events by group: count, and sum, mean, median, minimum and maximum of each measure.

A declaration puts `event_statistics` among its derivations. The arithmetic is that of aggregates (`pipeline/derive`).
"""

from collections.abc import Sequence

import polars as pl

from pipeline.derive import statistics
from pipeline.keyed import SEPARATOR
from pipeline.model import PERIOD, Aggregate, Derivation, Events, Frames, Panel
from pipeline.model.periods import YEARS, Period, is_made_of, period_of

_OWNER = f"owner{SEPARATOR}"
"""Holds the code of an event's entity under a name of its own, so that the code itself may be a column of groups."""


def event_statistics(
    name: str, events: Events, *, by: Sequence[str], of: str, code: str, period: Period = YEARS
) -> Derivation:
    """Return the declaration of a table of statistics over events, with the columns of `derive.statistics`.

    Args:
        by: Columns of the entity table that make the groups; the code for statistics of single entities.
        period: The period of the panel, or another one.
    """

    def derived(tables: Frames) -> pl.DataFrame:
        rows = with_period(tables[events.table], events, period).select(
            pl.col(events.entity).alias(_OWNER), PERIOD, *(measure.name for measure in events.measures)
        )
        measured = Panel(tables=(events.table,), measures=events.measures)
        owners = tables[of].with_columns(pl.col(code).alias(_OWNER))
        return statistics(Aggregate(name=name, by=tuple(by)), owners, rows, panel=measured, code=_OWNER)

    return Derivation(name=name, needs=(events.table, of), derive=derived)


def with_period(table: pl.DataFrame, events: Events, period: Period) -> pl.DataFrame:
    """Return the events with their `PERIOD`; 0 for all if they have no time or may leave their period when moved."""
    stays = bool(events.time) and events.stay_within is not None and is_made_of(period.frequency, events.stay_within)
    when = period_of(pl.col(events.time), period.frequency) if stays else pl.lit(0, pl.Int64)
    return table.with_columns(when.alias(PERIOD))
