"""Statistics over published events: how many there are, and sum, mean, median, least and largest of their measures, by group.

A declaration uses `event_statistics` among its derivations; the arithmetic is that of aggregates (`./`).
"""

from collections.abc import Sequence

import polars as pl

from pipeline.derive import statistics
from pipeline.keyed import SEPARATOR
from pipeline.model import PERIOD, Aggregate, Derivation, Events, Frames, Panel
from pipeline.model.periods import YEARS, Period, is_made_of, period_of

_OWNER = f"owner{SEPARATOR}"
"""The code of an event's entity, beside which the code may be a column of groups, too."""


def event_statistics(
    name: str, events: Events, *, by: Sequence[str], of: str, code: str, period: Period = YEARS
) -> Derivation:
    """Return the declaration of a table of statistics over events: columns as `derive.statistics` has them.

    Args:
        name: Name of the table.
        events: The events.
        by: Columns of the entity table that make the groups; the code for statistics of single entities.
        of: The entity table.
        code: Its column of codes.
        period: That of the panel, or another one.
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
    """Return the events with their `PERIOD`: 0 for all where they have no time, or do not stay within a period when moved."""
    stays = bool(events.time) and events.stay_within is not None and is_made_of(period.frequency, events.stay_within)
    when = period_of(pl.col(events.time), period.frequency) if stays else pl.lit(0, pl.Int64)
    return table.with_columns(when.alias(PERIOD))
