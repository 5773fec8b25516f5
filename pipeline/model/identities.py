"""Evaluates declared identities over a panel: exact integer arithmetic, one expression an identity.

A panel frame has a code column, `PERIOD` (Int64) and one Int64 column of quanta for each measure. This module computes what
an identity gives. Whether it held in the originals, and restoring it, belong to `anonymize/figures`.
"""

from fractions import Fraction
from functools import reduce
from operator import add, mul

import polars as pl

from pipeline.keyed import SEPARATOR
from pipeline.model import (
    PERIOD,
    Difference,
    Environment,
    Events,
    Formula,
    Frames,
    Growth,
    Identity,
    Measured,
    Panel,
    Product,
    Ratio,
    Sum,
    Total,
)
from pipeline.model.periods import period_of
from pipeline.model.refused.failing import declared_function

_LARGEST = 1e37
"""A product of quanta beyond this magnitude might not fit 128 bits, so it counts as null."""


def stated_by(identity: Identity, panel: Measured, *, code: str) -> pl.Expr:
    """Return what an identity gives for its output, in quanta (Int64); null where an input is null or a divisor is zero.

    Growth and differences use the row of the same code some periods before, wherever it stands in the frame. Totals use the
    columns that `with_totals` adds.
    """
    exponent = panel.measure(identity.output).decimals
    quantum: int = 10**exponent
    match identity:
        case Sum(plus=plus, minus=minus):
            common = max(panel.measure(name).decimals for name in (identity.output, *plus, *minus))
            terms = [_at(panel, name, common) for name in plus] + [_at(panel, name, common) * -1 for name in minus]
            result = rounded_quotient(reduce(add, terms), pl.lit(10 ** (common - exponent)))
        case Ratio(numerator=numerator, denominator=denominator, scale=scale, is_absolute=is_absolute):
            common = max(panel.measure(name).decimals for name in (*numerator, denominator))
            quotient = rounded_quotient(
                reduce(add, (_at(panel, name, common) for name in numerator)) * (scale * quantum),
                _at(panel, denominator, common),
            )
            result = quotient.abs() if is_absolute else quotient
        case Growth(base=base, periods=periods):
            now, before = _wide(pl.col(base)), _wide(period_before(base, code=code, periods=periods))
            result = rounded_quotient((now - before) * (100 * quantum), before.abs())
        case Difference(base=base, periods=periods):
            result = _wide(pl.col(base)) - _wide(period_before(base, code=code, periods=periods))
        case Product(factors=factors, scale=scale):
            quanta = sum(panel.measure(name).decimals for name in factors)
            by = scale * 10**exponent / Fraction(10**quanta)
            roughly = reduce(mul, (pl.col(name).cast(pl.Float64) for name in factors))
            product = reduce(mul, (_wide(pl.col(name)) for name in factors))
            fits = (roughly * float(by.numerator)).abs() < _LARGEST
            result = pl.when(fits).then(rounded_quotient(product * by.numerator, pl.lit(by.denominator)))
        case Formula(inputs=inputs, compute=compute, rounding=rounding):
            rounded = rounded_down if rounding == "down" else rounded_quotient
            with declared_function(f"the formula of {identity.output!r}"):
                result = rounded(*compute(*(_wide(pl.col(name)) for name in inputs)))
                pl.LazyFrame(schema=dict.fromkeys(inputs, pl.Int64)).select(result).collect_schema()
        case Total():
            result = pl.col(column_of_total(identity))
    return result.cast(pl.Int64, strict=False)


def period_before(column: str, *, code: str, periods: int = 1) -> pl.Expr:
    """Return the column's value in the row of the same code that many periods before, null if there is no such row.

    Sorted by period, that row stands at most that many rows before, and nearer if periods are missing.
    """
    found = [
        pl.when(pl.col(PERIOD).shift(rows) == pl.col(PERIOD) - periods).then(pl.col(column).shift(rows))
        for rows in range(1, periods + 1)
    ]
    return pl.coalesce(found).over(code, order_by=PERIOD)


def rounded_quotient(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Return numerator / denominator rounded half away from zero (Int128), null where the denominator is zero."""
    n, d = _wide(numerator), _wide(denominator)
    magnitude = (2 * n.abs() + d.abs()) // (2 * d.abs())
    return pl.when(d != 0).then(n.sign() * d.sign() * magnitude)


def rounded_down(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Return numerator / denominator rounded towards minus infinity (Int128), null where the denominator is zero."""
    n, d = _wide(numerator), _wide(denominator)
    return pl.when(d != 0).then(n // d)


def column_of_total(total: Total) -> str:
    """Return the column that holds, beside the figures, what an entity's events add up to."""
    return f"events{SEPARATOR}{total.output}"


def with_totals(figures: pl.DataFrame, environment: Environment, tables: Frames) -> pl.DataFrame:
    """Return the panel with a column for each total over events, in quanta; null where there are no events.

    Args:
        figures: The panel. Totals of other events are replaced.
        tables: Tables by name. Their events have the panel's codes; totals over an absent table are null.
    """
    keys = [environment.entities.code, PERIOD]
    figures = figures.drop([column_of_total(total) for total in environment.panel.totals], strict=False)
    for total in environment.panel.totals:
        if total.events not in tables:
            figures = figures.with_columns(pl.lit(None, pl.Int64).alias(column_of_total(total)))
            continue
        taken = _taken(total, environment, tables[total.events])
        figures = figures.join(taken, on=keys, how="left", maintain_order="left")
    return figures


def summed(events: Events, rows: pl.DataFrame, environment: Environment, tables: Frames) -> pl.DataFrame:
    """Return for each sum of events, row for row, what the rows of another table that refer to it add up to, in quanta.

    It is null where no row refers to it, or the other table is absent, and cut where the sum has more decimals.

    Args:
        rows: The events.
        tables: Tables by name, under the codes of `rows`.
    """
    found = [pl.Series(total.output, [None] * rows.height, dtype=pl.Int64) for total in events.sums]
    for place, total in enumerate(events.sums):
        if total.events in tables:
            references = environment.raw_table(total.events).references
            to = next(each for each in references if each.to_table == events.table)
            parts, decimals = environment.events_of(total.events), events.measure(total.output).decimals
            value = pl.len() if total.statistic == "count" else pl.col(total.of).sum()
            own = 0 if total.statistic == "count" else parts.measure(total.of).decimals
            added = (_wide(value) * 10**decimals // 10**own).cast(pl.Int64, strict=False).alias(_ADDED)
            by_row = tables[total.events].group_by(pl.col(to.columns).name.prefix(_ADDED)).agg(added)
            keys = [f"{_ADDED}{name}" for name in to.columns]
            both = rows.select(to.to_columns).join(
                by_row, left_on=to.to_columns, right_on=keys, how="left", maintain_order="left"
            )
            found[place] = both[_ADDED].alias(total.output)
    return pl.DataFrame(found)


_ADDED = f"added{SEPARATOR}"


def without_totals(figures: pl.DataFrame, panel: Panel) -> pl.DataFrame:
    """Return the panel without the columns that `with_totals` added."""
    return figures.drop(column_of_total(total) for total in panel.totals)


def _taken(total: Total, environment: Environment, table: pl.DataFrame) -> pl.DataFrame:
    events, panel = environment.events_of(total.events), environment.panel
    exponent = panel.measure(total.output).decimals
    if total.statistic == "count":
        taken = _wide(pl.len()) * 10**exponent
    else:
        value, quantum = _wide(pl.col(total.of)), 10 ** events.measure(total.of).decimals
        count = pl.col(total.of).count() if total.statistic == "mean" else (value.count() > 0).cast(pl.Int64)
        taken = rounded_quotient(value.sum() * 10**exponent, _wide(count) * quantum)
    period = period_of(pl.col(events.time), panel.period.frequency).alias(PERIOD)
    rows = table.lazy().with_columns(period).group_by(pl.col(events.entity).alias(environment.entities.code), PERIOD)
    return rows.agg(taken.cast(pl.Int64, strict=False).alias(column_of_total(total))).drop_nulls(PERIOD).collect()


def _at(panel: Measured, name: str, decimals: int) -> pl.Expr:
    """Return a measure in quanta of at least its own number of decimals."""
    factor: int = 10 ** (decimals - panel.measure(name).decimals)
    return _wide(pl.col(name)) * factor


def _wide(value: pl.Expr) -> pl.Expr:
    return value.cast(pl.Int128)
