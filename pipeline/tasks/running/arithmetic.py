"""Arithmetic of the first evaluator: of single values as exact fractions, and of columns as polars expressions."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import polars as pl

from pipeline.tasks.program.operators import How, Statistic

Rational = int | Fraction


class NoAnswerError(Exception):
    """The program has no answer with these slots: no rows, several where one is wanted, a division by nothing."""


def computed(how: How, first: Fraction, second: Fraction) -> Fraction:
    """Return the result of one arithmetic operation."""
    if how in DIVISIONS and second == 0:
        raise NoAnswerError("a division by nothing")
    if how == "growth" and second < 0:
        raise NoAnswerError("growth from a negative base")
    result: Fraction = OPERATIONS[how](first, second)
    return result


def computed_cells(how: How, first: pl.Expr, second: pl.Expr) -> pl.Expr:
    """Return the result of the operation in each row; null where a division has none."""
    result: pl.Expr = OPERATIONS[how](first, pl.when(second != 0).then(second) if how in DIVISIONS else second)
    return result


TESTS: Mapping[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "is": pl.Expr.eq,
    "in": pl.Expr.eq,
    "is_not": pl.Expr.ne,
    "above": pl.Expr.gt,
    "below": pl.Expr.lt,
    "at_least": pl.Expr.ge,
    "at_most": pl.Expr.le,
    "contains": lambda cell, text: cell.str.contains(text, literal=True),
}

DIVISIONS = ("ratio", "percent", "growth")
OPERATIONS: Mapping[How, Callable[[Any, Any], Any]] = {
    "ratio": lambda first, second: first / second,
    "percent": lambda first, second: 100 * first / second,
    "growth": lambda first, second: 100 * (first - second) / second,
    "difference": lambda first, second: first - second,
    "sum": lambda first, second: first + second,
    "scaled": lambda first, second: first * second,
    "changed": lambda first, second: first * (100 + second) / 100,
}
"""What is computed of two numbers, or of two columns of them."""


def statistic_of(statistic: Statistic, cells: pl.Series | None, rows: int) -> Fraction:
    """Return a statistic of a column without empty cells, exactly; of rows, how many there are."""
    if statistic == "count" or cells is None:
        return Fraction(rows)
    if statistic == "count_distinct":
        return Fraction(cells.n_unique())
    if len(cells) < (2 if statistic == "sample_std" else 1):
        raise NoAnswerError("a statistic of too few values")
    if isinstance(
        cells.dtype, pl.Decimal
    ):  # counted in their last place: each statistic of them is as many times as large
        return OF_SORTED[statistic](cells.sort().to_physical().to_list()) * Fraction(1, 10**cells.dtype.scale)
    return OF_SORTED[statistic](sorted(map(Fraction, cells)))


def _deviation(values: Sequence[Rational], freedom: int) -> Fraction:
    total, count = Fraction(sum(values)), len(values)
    variance = (Fraction(sum(value * value for value in values)) - total * total / count) / (count - freedom)
    with localcontext(prec=50):
        return Fraction((Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt())


OF_SORTED: Mapping[Statistic, Callable[[Sequence[Rational]], Fraction]] = {
    "sum": lambda values: Fraction(sum(values)),
    "mean": lambda values: Fraction(sum(values)) / len(values),
    "median": lambda values: Fraction(values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2,
    "min": lambda values: Fraction(values[0]),
    "max": lambda values: Fraction(values[-1]),
    "std": lambda values: _deviation(values, 0),
    "sample_std": lambda values: _deviation(values, 1),
}


def statistic_in_groups(statistic: Statistic, cells: pl.Expr | None) -> pl.Expr:
    """Return a statistic of each group: sums and extremes are as exact as their column, all else are floats or counts."""
    return pl.len().cast(pl.Int64) if cells is None or statistic == "count" else _OF_CELLS[statistic](cells)


_OF_CELLS: Mapping[Statistic, Callable[[pl.Expr], pl.Expr]] = {
    "count_distinct": lambda cells: cells.n_unique().cast(pl.Int64),
    "sum": pl.Expr.sum,
    "min": pl.Expr.min,
    "max": pl.Expr.max,
    "mean": lambda cells: cells.cast(pl.Float64).mean(),
    "median": lambda cells: cells.cast(pl.Float64).median(),
    "std": lambda cells: cells.cast(pl.Float64).std(ddof=0),
    "sample_std": lambda cells: cells.cast(pl.Float64).std(ddof=1),
}


def decimal_of(value: Fraction) -> Decimal | None:
    """Return a fraction as a decimal, None if it has no end or is too long."""
    with localcontext(prec=60):
        found = Decimal(value.numerator) / Decimal(value.denominator)
    return found if Fraction(found) == value and -found.as_tuple().exponent < 30 else None  # type: ignore[operator]  # noqa: PLR2004
