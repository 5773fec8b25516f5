"""Statistics over published events: how many there are, and sum, mean, median, least and largest of their measures, by group.

A declaration uses `event_statistics` among its derivations; the arithmetic is that of aggregates (`derive.py`).
"""

from collections.abc import Sequence

import polars as pl

from pipeline.derive import statistics
from pipeline.environment.model import PERIOD, Aggregate, Derivation, Events, Frames, Panel
from pipeline.environment.periods import YEARS, Period, period_of


def event_statistics(
    name: str, events: Events, *, by: Sequence[str], of: str, code: str, period: Period = YEARS
) -> Derivation:
    """Return the declaration of a table of statistics over events: columns as `derive.statistics` has them.

    Args:
        name: Name of the table.
        events: The events; without a `time` they count for one period, 0.
        by: Columns of the entity table that make the groups; the code for statistics of single entities.
        of: The entity table.
        code: Its column of codes.
        period: That of the panel, or another one.
    """

    def derived(tables: Frames) -> pl.DataFrame:
        when = period_of(pl.col(events.time), period.frequency) if events.time else pl.lit(0, pl.Int64)
        rows = tables[events.table].select(
            pl.col(events.entity).alias(code), when.alias(PERIOD), *(measure.name for measure in events.measures)
        )
        measured = Panel(tables=(events.table,), measures=events.measures)
        return statistics(Aggregate(name=name, by=tuple(by)), tables[of], rows, panel=measured, code=code)

    return Derivation(name=name, needs=(events.table, of), derive=derived)
