"""The bars of a histogram: where bins begin and end, and how many cells fall into each.

Belongs here: bins. Their bounds are round figures that follow from the smallest and the largest one alone, by decimal
arithmetic, so that the same column has the same bars on every machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Literal

import polars as pl

MOST_BINS = 24
"""Bins of a histogram at most."""

_WIDE = 1000
"""How many times larger than 1 a figure must be for bins that grow with their distance from 0."""

_FAR = 10
"""How many times larger the largest figure must be than the smallest of the same sign for the same (our choice)."""

_FINE = 1e-6
"""Share of a figure that bins of one width may divide: binary digits hold more."""

_ROUND = ((1,), (1, 3), (1, 2, 5))
"""First digits of bounds that grow, the coarsest first."""


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Bars, and how many cells each stands for."""

    of: Literal["values", "numbers"]
    """A bar for each of the most frequent texts, or bins of figures."""
    values: tuple[str, ...] = ()
    """The texts of the bars, long ones clipped."""
    edges: tuple[float, ...] = ()
    """Bounds of the bins, one more than there are: each from its bound on to the next, which is not part of it."""
    counts: tuple[int, ...]
    other: int = 0
    """Filled cells that are in no bar: rarer texts, or what is no figure."""


def edges_of(low: float, high: float) -> tuple[float, ...]:
    """Return the bounds of bins of which the first holds `low` and the last `high`.

    Bins are of one width, unless figures reach far: then they grow with their distance from 0. Years do not.
    """
    near, far = sorted((abs(low), abs(high)))
    is_of_one_size = low * high > 0 and far < _FAR * near and far - near > far * _FINE
    return _even(low, high) if far < _WIDE or is_of_one_size else _growing(low, high)


def in_bins(value: pl.Expr, edges: Sequence[float]) -> list[pl.Expr]:
    """Return how many values fall into each bin."""
    return [((value >= start) & (value < end)).sum() for start, end in pairwise(edges)]


def _even(low: float, high: float) -> tuple[float, ...]:
    step = next(step for step in _steps(high - low) if _bins(low, high, step) <= MOST_BINS)
    first = (_as_written(low) / step).__floor__()
    return tuple(float((first + i) * step) for i in range(_bins(low, high, step) + 1))


def _steps(span: float) -> Iterator[Decimal]:
    """Yield round widths from a small one on."""
    exponent = _as_written(span).adjusted() - 2 if span else 0
    while True:
        yield from (Decimal(digit).scaleb(exponent) for digit in _ROUND[-1])
        exponent += 1


def _bins(low: float, high: float, step: Decimal) -> int:
    return int((_as_written(high) / step).__floor__() - (_as_written(low) / step).__floor__()) + 1


def _as_written(value: float) -> Decimal:
    """Return the number that a figure is written as: 0.3, and not what stands for it in binary digits."""
    return Decimal(repr(value))


def _growing(low: float, high: float) -> tuple[float, ...]:
    fitting = [edges for digits in _ROUND if len(edges := _series(low, high, digits)) <= MOST_BINS + 1]
    return fitting[-1] if fitting else _series(low, high, _ROUND[0])


def _series(low: float, high: float, digits: Sequence[int]) -> tuple[float, ...]:
    """Return 0 and round figures of both signs from 1 on, as far as they are needed."""
    end = Decimal(max(abs(low), abs(high))).adjusted() + 1
    sizes = [float(Decimal(digit).scaleb(power)) for power in range(end + 1) for digit in digits]
    every = sorted({0.0, *sizes, *(-size for size in sizes)})
    first = max(i for i, edge in enumerate(every) if edge <= low)
    last = min(i for i, edge in enumerate(every) if edge > high)
    return tuple(every[first : last + 1])
