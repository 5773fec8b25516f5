"""Evaluates declared identities over a panel: exact integer arithmetic, one expression an identity.

A panel frame has a code column, `PERIOD` (Int64) and one Int64 column of quanta for each measure. This file computes what an
identity says; whether it held in the originals, and restoring it, belong to `anonymize/figures`.
"""

import polars as pl

from pipeline.environment.model import PERIOD, Difference, Growth, Identity, Panel, Ratio, Sum


def stated_by(identity: Identity, panel: Panel, *, code: str) -> pl.Expr:
    """Return the output of an identity in quanta (Int64), null where an input is null or a divisor is zero.

    Growth and differences look at the row of the same code one year before, wherever it stands in the frame.
    """
    exponent = panel.measure(identity.output).decimals
    quantum: int = 10**exponent
    match identity:
        case Sum(plus=plus, minus=minus):
            common = max(panel.measure(name).decimals for name in (identity.output, *plus, *minus))
            terms = [_at(panel, name, common) for name in plus] + [_at(panel, name, common) * -1 for name in minus]
            result = rounded_quotient(_added(terms), pl.lit(10 ** (common - exponent)))
        case Ratio(numerator=numerator, denominator=denominator, scale=scale, is_absolute=is_absolute):
            common = max(panel.measure(name).decimals for name in (*numerator, denominator))
            quotient = rounded_quotient(
                _added([_at(panel, name, common) for name in numerator]) * (scale * quantum),
                _at(panel, denominator, common),
            )
            result = quotient.abs() if is_absolute else quotient
        case Growth(base=base):
            now, before = _wide(pl.col(base)), _wide(year_before(base, code=code))
            result = rounded_quotient((now - before) * (100 * quantum), before.abs())
        case Difference(base=base):
            result = _wide(pl.col(base)) - _wide(year_before(base, code=code))
    return result.cast(pl.Int64, strict=False)


def year_before(column: str, *, code: str) -> pl.Expr:
    """Return the column's value in the row of the same code and the year before, null if there is none."""
    by_year = (pl.col(column).shift(1), pl.col(PERIOD).shift(1))
    is_adjacent = by_year[1] == pl.col(PERIOD) - 1
    return pl.when(is_adjacent).then(by_year[0]).over(code, order_by=PERIOD)


def rounded_quotient(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Return numerator / denominator rounded half away from zero (Int128), null where the denominator is zero."""
    n, d = _wide(numerator), _wide(denominator)
    magnitude = (2 * n.abs() + d.abs()) // (2 * d.abs())
    return pl.when(d != 0).then(n.sign() * d.sign() * magnitude)


def _at(panel: Panel, name: str, decimals: int) -> pl.Expr:
    """Return a measure in quanta of at least its own number of decimals."""
    factor: int = 10 ** (decimals - panel.measure(name).decimals)
    return _wide(pl.col(name)) * factor


def _added(terms: list[pl.Expr]) -> pl.Expr:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _wide(value: pl.Expr) -> pl.Expr:
    return value.cast(pl.Int128)
