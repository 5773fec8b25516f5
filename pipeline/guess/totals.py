"""Which figures of a panel are sums or counts of records: those of the same entity and period."""

from collections.abc import Iterator, Sequence

import polars as pl

from pipeline.guess.identities import FEWEST, HOLDS, Held
from pipeline.guess.shape import Dated
from pipeline.model import PERIOD, Events, Measure, Total
from pipeline.model.periods import period_of


def totals(
    figures: pl.DataFrame, measures: Sequence[Measure], events: Events, records: pl.DataFrame, dated: Dated
) -> Iterator[Held]:
    """Yield a total for each figure that is one, the best if several are.

    Args:
        figures: The panel: code, `PERIOD` and measures in quanta.
        measures: Its measures.
        events: The declared records.
        records: Their entity, time and measures in quanta.
        dated: Says which column of the panel is the code, and how long its periods are.
    """
    period = period_of(pl.col(events.time), dated.period.frequency).alias(PERIOD)
    sums = [pl.col(each.name).sum().cast(pl.Float64) / 10**each.decimals for each in events.measures]
    taken = records.group_by(pl.col(events.entity).alias(dated.code), period).agg(
        pl.len().cast(pl.Float64).alias(_COUNT), *(each.name.prefix(_SUM) for each in sums)
    )
    joined = figures.join(taken, on=[dated.code, PERIOD], how="inner")
    for measure in measures:
        found = [
            held
            for of in ("", *(each.name for each in events.measures))
            if (held := _held(joined, measure, events, of))
        ]
        yield from sorted(found, key=lambda each: -each.holds)[:1]


# ----------------------------------------------------------------------------------------------------------------------

_COUNT, _SUM = "count of records", "sum of records: "


def _held(joined: pl.DataFrame, measure: Measure, events: Events, of: str) -> Held | None:
    """Return a total if it holds in nearly all rows that have both."""
    value = pl.col(measure.name).cast(pl.Float64) / 10**measure.decimals
    taken = pl.col(_SUM + of if of else _COUNT)
    told = joined.select(value.alias("value"), (value - taken).abs().alias("off")).drop_nulls()
    holding = told.filter(pl.col("off") < 0.5 * 10.0**-measure.decimals)
    if holding.height < max(HOLDS * told.height, FEWEST) or holding["value"].n_unique() < FEWEST:
        return None
    return Held(
        Total(output=measure.name, events=events.table, of=of, statistic="sum" if of else "count"),
        holding.height,
        told.height,
    )
