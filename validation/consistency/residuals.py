"""Residuals of declared identities: how far stated figures are from what the identity gives, in units of their last digit.

Belongs here: an independent test. It shares no arithmetic with `pipeline/model/identities.py`, which computes the published
figures, so that it can detect errors there: it multiplies where that divides, and joins where that shifts rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pipeline.keyed import SEPARATOR
from pipeline.model import (
    PERIOD,
    Difference,
    Environment,
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
from pipeline.model.periods import period_number

_MOST = 1e37
"""Magnitude of a product beyond which 128 bits could not decide whether the identity holds."""

_STRFTIME = {"year": "%Y", "quarter": "%YQ%q", "month": "%Y-%m", "week": "%G-W%V", "day": "%Y-%m-%d"}


@dataclass(frozen=True, kw_only=True)
class Residual:
    """How far a declared identity is from holding, in units of the output's last published digit."""

    identity: str
    records: int
    max_residual: int
    worst_cell: Mapping[str, object] = field(default_factory=dict)
    """The published code and year of the record with the largest residual; empty if all are 0."""


def identity_residuals(
    figures: pl.DataFrame,
    panel: Measured,
    *,
    code: str,
    held: pl.DataFrame | None = None,
    at: Sequence[str] = (),
) -> list[Residual]:
    """Test each declared identity by cross-multiplication in 128-bit integers, without dividing.

    output = numerator / denominator, rounded half away from zero, is true if and only if
    -|denominator| < 2 * (|output| * |denominator| - |numerator|) <= |denominator| and the signs agree.

    Args:
        figures: the panel: `code`, `PERIOD` and one column of quanta for each measure; one row a code and period. Or events,
            whose identities use a single row.
        held: rows aligned with those of `figures`, one Boolean column for each identity, named by its output: whether
            the identity is claimed in the row. Without it, every identity is claimed in every row.
        at: columns that name a record; code and period if empty.

    Returns:
        For each identity, the number of records in which it is claimed, has output and inputs, and divides by no zero.
    """
    keys = list(at) or [code, PERIOD]
    rows = figures if held is None else figures.hstack(held.select(pl.all().name.prefix("held ")))
    for base, periods in _bases(panel):
        before = figures.select(code, pl.col(PERIOD) + periods, pl.col(base).alias(_before(base, periods)))
        rows = rows.join(before, on=[code, PERIOD], how="left")
    rows = rows.sort(keys)
    residuals = [
        rows.lazy()
        .filter(pl.lit(True) if held is None else pl.col(f"held {identity.output}"))
        .select(*keys, residual=_residual(identity, panel))
        .select(
            pl.col("residual").count().alias("records"),
            pl.col("residual").max().alias("worst"),
            *(pl.col(column).get(pl.col("residual").arg_max()).alias(f"at {column}") for column in keys),
        )
        for identity in panel.identities
    ]
    found = [frame.row(0) for frame in pl.collect_all(residuals)]
    return [
        Residual(
            identity=_formula(identity, panel),
            records=records,
            max_residual=int(worst or 0),
            worst_cell=dict(zip(keys, place, strict=True)) if worst else {},
        )
        for identity, (records, worst, *place) in zip(panel.identities, found, strict=True)
    ]


def broken_identities(
    originals: pl.DataFrame, published: pl.DataFrame, *, allowed: pl.DataFrame
) -> list[dict[str, Any]]:
    """Count the records that break each identity on both sides, from Boolean columns named by its output.

    `only_published` counts the published records that break an identity without being `allowed` to (rows aligned); it must
    be 0.
    """
    return [
        {
            "identity": name,
            "originals": int(originals[name].sum()),
            "published": int(published[name].sum()),
            "only_published": int((published[name] & ~allowed[name]).sum()),
        }
        for name in originals.columns
    ]


def with_sums_of_events(figures: pl.DataFrame, environment: Environment, tables: Frames) -> pl.DataFrame:
    """Return the panel with two columns for each total over events: numerator and denominator, summed from the events.

    It does not use the code that computes published totals (`pipeline/model/identities.py`): here events find their period by
    its name.
    """
    keys = [environment.entities.code, PERIOD]
    for total in environment.panel.totals:
        summed = _summed(total, environment, tables.get(total.events), keys)
        figures = figures.join(summed, on=keys, how="left", maintain_order="left")
    return figures


def _summed(total: Total, environment: Environment, table: pl.DataFrame | None, keys: Sequence[str]) -> pl.DataFrame:
    code, above, below = keys[0], *_sums_of(total)
    if table is None:
        nothing = dict.fromkeys((above, below), pl.Int128)
        return pl.DataFrame(schema={code: pl.String, PERIOD: pl.Int64, **nothing})
    events, frequency = environment.events_of(total.events), environment.panel.period.frequency
    named = table[events.time].dt.strftime(_STRFTIME[frequency]).alias(PERIOD)
    value = pl.lit(1, pl.Int64) if total.statistic == "count" else pl.col(total.of)
    decimals = 0 if total.statistic == "count" else events.measure(total.of).decimals
    rows = table.select(pl.col(events.entity).alias(code), named, value.alias("value")).drop_nulls()
    counted = _wide("value").count() if total.statistic == "mean" else _integer(1)
    return (
        rows.with_columns(period_number(pl.col(PERIOD), frequency))
        .group_by(keys)
        .agg(
            (_wide("value").sum() * 10 ** environment.panel.measure(total.output).decimals).alias(above),
            (counted.cast(pl.Int128) * 10**decimals).alias(below),
        )
    )


def _sums_of(total: Total) -> tuple[str, str]:
    return f"sum{SEPARATOR}{total.output}", f"of{SEPARATOR}{total.output}"


def _residual(identity: Identity, panel: Measured) -> pl.Expr:
    numerator, denominator = _fraction(identity, panel)
    if isinstance(identity, Formula) and identity.rounding == "down":
        return _residual_below(_wide(identity.output), numerator, denominator)
    sign = pl.when((numerator < 0) != (denominator < 0)).then(-1).otherwise(1)
    magnitude = denominator.abs()
    twice = 2 * (_wide(identity.output) * sign * magnitude - numerator.abs())
    above, below = twice - magnitude, _integer(0) - magnitude - twice
    steps = (
        pl.when(above > 0)
        .then((above + 2 * magnitude - 1) // (2 * magnitude))
        .when(below >= 0)
        .then(below // (2 * magnitude) + 1)
        .otherwise(0)
    )
    return pl.when(twice.is_not_null() & (denominator != 0)).then(steps)


def _residual_below(output: pl.Expr, numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Return how far an output is from the largest whole number that does not exceed the fraction."""
    sign = pl.when(denominator < 0).then(-1).otherwise(1)
    left, size = (numerator - output * denominator) * sign, denominator.abs()
    steps = pl.when(left < 0).then((size - 1 - left) // size).otherwise(left // size)
    return pl.when(left.is_not_null() & (denominator != 0)).then(steps)


def _fraction(identity: Identity, panel: Measured) -> tuple[pl.Expr, pl.Expr]:
    """Return numerator and denominator of what the identity gives for its output, in quanta of the output."""
    exponent = panel.measure(identity.output).decimals
    match identity:
        case Sum(plus=plus, minus=minus):
            common = _finest(panel, (identity.output, *identity.inputs))
            total = _total(plus, panel, common) - _total(minus, panel, common)
            return total, _integer(10 ** (common - exponent))
        case Ratio(numerator=names, denominator=name, scale=scale, is_absolute=is_absolute):
            common = _finest(panel, identity.inputs)
            parts = _total(names, panel, common) * _integer(scale * 10**exponent), _total((name,), panel, common)
            return (parts[0].abs(), parts[1].abs()) if is_absolute else parts
        case Growth(base=base, periods=periods):
            before = _wide(_before(base, periods))
            return (_wide(base) - before) * _integer(100 * 10**exponent), before.abs()
        case Difference(base=base, periods=periods):
            return _wide(base) - _wide(_before(base, periods)), _integer(1)
        case Product(factors=factors, scale=scale):
            places = sum(panel.measure(name).decimals for name in factors)
            parts = _product(factors, scale.numerator * 10**exponent), _integer(scale.denominator * 10**places)
        case Formula(inputs=inputs, compute=compute):
            parts = compute(*(_wide(name) for name in inputs))
        case Total():
            parts = pl.col(_sums_of(identity)[0]), pl.col(_sums_of(identity)[1])
    return parts[0].cast(pl.Int128), parts[1].cast(pl.Int128)


def _product(factors: Sequence[str], scale: int) -> pl.Expr:
    """Return the exact product of columns and a number; null if it does not fit."""
    # 128-bit integers wrap around without an error, so a float beside them detects products that do not fit.
    product, roughly = _integer(scale), pl.lit(float(scale))
    for name in factors:
        product, roughly = product * _wide(name), roughly * pl.col(name)
    return pl.when(roughly.abs() < _MOST).then(product)


def _finest(panel: Measured, names: Iterable[str]) -> int:
    return max(panel.measure(name).decimals for name in names)


def _total(names: Sequence[str], panel: Measured, decimals: int) -> pl.Expr:
    terms = [_wide(name) * _integer(10 ** (decimals - panel.measure(name).decimals)) for name in names]
    return sum(terms, start=_integer(0))


def _wide(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.Int128)


def _integer(value: int) -> pl.Expr:
    return pl.lit(value, pl.Int128)


def _bases(panel: Measured) -> list[tuple[str, int]]:
    """Return the figures that are compared with earlier ones, each with the number of periods between."""
    return list(dict.fromkeys((i.base, i.periods) for i in panel.identities if isinstance(i, Growth | Difference)))


def _before(base: str, periods: int) -> str:
    return f"{periods} before {base}"


def _in_words(periods: int, frequency: str) -> str:
    return f"the {frequency} before" if periods == 1 else f"{periods} {frequency}s before"


def _formula(identity: Identity, panel: Measured) -> str:
    frequency = panel.period.frequency if isinstance(panel, Panel) else ""
    match identity:
        case Sum(plus=plus, minus=minus):
            terms = " + ".join(plus) + "".join(f" - {name}" for name in minus)
        case Ratio(numerator=numerator, denominator=denominator, scale=scale, is_absolute=is_absolute):
            terms = f"{scale} * ({' + '.join(numerator)}) / {denominator}"
            terms = f"|{terms}|" if is_absolute else terms
        case Growth(base=base, periods=periods):
            before = _in_words(periods, frequency)
            terms = f"100 * change of {base} over {before} / |{base} of {before}|"
        case Difference(base=base, periods=periods):
            terms = f"change of {base} over {_in_words(periods, frequency)}"
        case Product(factors=factors, scale=scale):
            terms = " * ".join(factors if scale == 1 else (str(scale), *factors))
        case Formula(inputs=inputs, text=text):
            terms = text or f"f({', '.join(inputs)})"
        case Total(events=events, of=of, statistic=statistic):
            terms = f"number of {events}" if statistic == "count" else f"{statistic} of {of} over {events}"
    return f"{identity.output} = {terms}"
