"""Which figures are sums or counts of records: of the same entity and period, or of those that refer to their row."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from pipeline.guess.identities import FEWEST, HOLDS, HeldIdentity
from pipeline.guess.looking import Looks
from pipeline.guess.shape import Dated, Shape
from pipeline.model import PERIOD, Events, Measure, Total
from pipeline.model.periods import period_of

_ROW = "code of the row"


def totals(
    shape: Shape, figures: pl.DataFrame, measures: Sequence[Measure], dated: Dated, events: Sequence[Events]
) -> Iterator[HeldIdentity]:
    """Yield the figures of a panel that are totals over records of the same entity and period.

    Args:
        figures: The panel: code, `PERIOD` and measures in quanta.
        dated: Says which column of the panel is the code, and how long its periods are.
        events: The declared records.
    """
    for each in events:
        table = shape.table(each.table)
        if each.time and shape.kind_in(table, each.entity) is shape.kinds[0]:
            times = table.columns[each.time].values.to_frame(PERIOD)
            period = times.select(period_of(pl.col(PERIOD), dated.period.frequency)).to_series()
            records = _values(table, {each.entity: dated.code}, each.measures).with_columns(period)
            yield from _totals(figures, measures, each, records, [dated.code, PERIOD])


def sums(shape: Shape, events: Events, others: Sequence[Events]) -> tuple[HeldIdentity, ...]:
    """Return the figures of records that are sums or counts over those that refer to their rows, and to whom nothing refers."""
    table, own = shape.table(events.table), shape.by_home.get(events.table)
    bound, found = {identity.output for identity in events.identities}, dict[str, HeldIdentity]()
    for other in others if own else ():
        owners = shape.owners(shape.table(other.table)) if other.table not in shape.by_home else {}
        column = next((name for name, kind in owners.items() if kind is own), "")
        if own and column:
            measures = [measure for measure in events.measures if measure.name not in bound | found.keys()]
            records = _values(shape.table(other.table), {column: _ROW}, other.measures)
            held = _totals(_values(table, {own.code: _ROW}, measures), measures, other, records, [_ROW])
            found |= {each.identity.output: each for each in held}
    return tuple(found.values())


def _values(table: Looks, codes: Mapping[str, str], measures: Sequence[Measure]) -> pl.DataFrame:
    """Return codes under other names, and the figures of measures in quanta."""
    named = [table.columns[name].text.alias(other) for name, other in codes.items()]
    return pl.DataFrame([*named, *(table.columns[each.name].values.alias(each.name) for each in measures)])


def _totals(
    figures: pl.DataFrame, measures: Sequence[Measure], events: Events, records: pl.DataFrame, by: Sequence[str]
) -> Iterator[HeldIdentity]:
    """Yield a total for each figure that is one, the best if several are; `by` are the columns that both tables share."""
    added = [pl.col(each.name).sum().cast(pl.Float64) / 10**each.decimals for each in events.measures]
    taken = records.group_by(by).agg(
        pl.len().cast(pl.Float64).alias(_COUNT), *(each.name.prefix(_SUM) for each in added)
    )
    joined = figures.join(taken, on=by, how="inner")
    for measure in measures:
        found = [
            held
            for of in ("", *(each.name for each in events.measures))
            if (held := _held(joined, measure, events, of))
        ]
        yield from sorted(found, key=lambda each: -each.holds)[:1]


_COUNT, _SUM = "count of records", "sum of records: "


def _held(joined: pl.DataFrame, measure: Measure, events: Events, of: str) -> HeldIdentity | None:
    """Return a total if it holds in nearly all rows that have both."""
    value = pl.col(measure.name).cast(pl.Float64) / 10**measure.decimals
    taken = pl.col(_SUM + of if of else _COUNT)
    known = joined.select(value.alias("value"), (value - taken).abs().alias("off")).drop_nulls()
    holding = known.filter(pl.col("off") < 0.5 * 10.0**-measure.decimals)
    if holding.height < max(HOLDS * known.height, FEWEST) or holding["value"].n_unique() < FEWEST:
        return None
    return HeldIdentity(
        Total(output=measure.name, events=events.table, of=of, statistic="sum" if of else "count"),
        holding.height,
        known.height,
    )
