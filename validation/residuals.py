"""Residuals of declared identities: how far stated figures are from what the identity says, in their last digit.

Belongs here: an independent test. It shares no arithmetic with `pipeline/environment/identities.py`, which computes
what is published, so that it can find it wrong: it multiplies where that divides, and joins where that shifts rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pipeline.environment.model import PERIOD, Difference, Growth, Identity, Panel, Ratio, Sum


@dataclass(frozen=True, kw_only=True)
class Residual:
    """How far a declared identity is from holding, in units of the output's last published digit."""

    identity: str
    records: int
    max_residual: int
    worst_cell: Mapping[str, object] = field(default_factory=dict)
    """The published code and year of the record that is farthest off; empty if none is."""


def identity_residuals(
    figures: pl.DataFrame, panel: Panel, *, code: str, held: pl.DataFrame | None = None
) -> list[Residual]:
    """Test each declared identity by cross-multiplication in 128-bit integers, without dividing.

    output = numerator / denominator, rounded half away from zero, is true if and only if
    -|denominator| < 2 * (|output| * |denominator| - |numerator|) <= |denominator| and the signs agree.

    Args:
        figures: the panel: `code`, `PERIOD` and one column of quanta for each measure; one row a code and year.
        panel: declares measures and identities.
        code: the column of codes.
        held: rows aligned with those of `figures`, one Boolean column for each identity, named by its output: whether
            it is claimed in the row. Without it, every identity is claimed in every row.

    Returns:
        For each identity, the records in which it is claimed and output and inputs are there (no divisor being zero).
    """
    before = figures.select(code, pl.col(PERIOD) + 1, *(pl.col(base).alias(f"before {base}") for base in _bases(panel)))
    rows = figures if held is None else figures.hstack(held.select(pl.all().name.prefix("held ")))
    rows = rows.join(before, on=[code, PERIOD], how="left").sort(code, PERIOD)
    residuals = [
        rows.lazy()
        .filter(pl.lit(True) if held is None else pl.col(f"held {identity.output}"))
        .select(code, PERIOD, residual=_residual(identity, panel))
        .select(
            pl.col("residual").count().alias("records"),
            pl.col("residual").max().alias("worst"),
            *(pl.col(column).get(pl.col("residual").arg_max()).alias(f"at {column}") for column in (code, PERIOD)),
        )
        for identity in panel.identities
    ]
    found = [frame.row(0) for frame in pl.collect_all(residuals)]
    return [
        Residual(
            identity=_formula(identity),
            records=records,
            max_residual=int(worst or 0),
            worst_cell={code: entity, PERIOD: year} if worst else {},
        )
        for identity, (records, worst, entity, year) in zip(panel.identities, found, strict=True)
    ]


def broken_identities(
    originals: pl.DataFrame, published: pl.DataFrame, *, allowed: pl.DataFrame
) -> list[dict[str, Any]]:
    """Count the records that break each identity on both sides, from Boolean columns named by its output.

    `only_published` counts the published records that break one which may not, rows aligned with `allowed`: there must be none.
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


def _residual(identity: Identity, panel: Panel) -> pl.Expr:
    numerator, denominator = _fraction(identity, panel)
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


def _fraction(identity: Identity, panel: Panel) -> tuple[pl.Expr, pl.Expr]:
    """Return numerator and denominator of what the identity says of its output, in quanta of the output."""
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
        case Growth(base=base):
            before = _wide(f"before {base}")
            return (_wide(base) - before) * _integer(100 * 10**exponent), before.abs()
        case Difference(base=base):
            return _wide(base) - _wide(f"before {base}"), _integer(1)


def _finest(panel: Panel, names: Iterable[str]) -> int:
    return max(panel.measure(name).decimals for name in names)


def _total(names: Sequence[str], panel: Panel, decimals: int) -> pl.Expr:
    terms = [_wide(name) * _integer(10 ** (decimals - panel.measure(name).decimals)) for name in names]
    return sum(terms, start=_integer(0))


def _wide(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.Int128)


def _integer(value: int) -> pl.Expr:
    return pl.lit(value, pl.Int128)


def _bases(panel: Panel) -> list[str]:
    return list(dict.fromkeys(i.base for i in panel.identities if isinstance(i, Growth | Difference)))


def _formula(identity: Identity) -> str:
    match identity:
        case Sum(plus=plus, minus=minus):
            terms = " + ".join(plus) + "".join(f" - {name}" for name in minus)
        case Ratio(numerator=numerator, denominator=denominator, scale=scale, is_absolute=is_absolute):
            terms = f"{scale} * ({' + '.join(numerator)}) / {denominator}"
            terms = f"|{terms}|" if is_absolute else terms
        case Growth(base=base):
            terms = f"100 * change of {base} over the year before / |{base} of the year before|"
        case Difference(base=base):
            terms = f"change of {base} over the year before"
    return f"{identity.output} = {terms}"
