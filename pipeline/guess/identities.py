"""Which figures follow from which: sums, products, ratios and changes that hold in nearly all rows.

Candidates are found on a sample of rows by floats, all figures at once; each is then judged on all rows by the very function
that restores identities, so that what is said to hold holds to the last digit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.model import PERIOD, Difference, Growth, Identity, Measure, Measured, Product, Ratio, Sum, Total
from pipeline.model.identities import stated_by

HOLDS = 0.8
"""Part of the rows in which an identity has to hold to be declared (our choice; in real tables few hold in all)."""

FEWEST = 3
"""Rows in which it has to hold, with as many different outputs (our choice)."""

_SAMPLE = 64
_MOST = 100
"""Rows and measures that are tried at first (our choice: a second of work)."""

_LONGEST = 12
"""Columns of a sum, at most."""

_SCALES = (1, 100)

Floats = npt.NDArray[np.float64]
Trues = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class HeldIdentity:
    """An identity, and in how many of the rows that have all of its figures it holds."""

    identity: Identity
    holds: int
    rows: int

    @property
    def evidence(self) -> str:
        """Return what was counted."""
        return f"? holds in {self.holds:,} of {self.rows:,} rows"


def held(figures: pl.DataFrame, measures: Sequence[Measure], code: str) -> tuple[HeldIdentity, ...]:
    """Return the identities that hold, in an order in which they can be restored.

    Args:
        figures: Code, `PERIOD` (Int64; null where rows have none) and the measures in quanta.
    """
    measured = Measured(measures=tuple(measures))
    candidates = dict.fromkeys(_candidates(figures, measures[:_MOST], code))
    judged = [found for each in candidates if (found := _judged(figures, each, measured, code))]
    return ordered(judged)


def ordered(found: Sequence[HeldIdentity]) -> tuple[HeldIdentity, ...]:
    """Return the best identities, each output and each set of figures once, in an order in which they can be restored."""
    chosen: dict[str, HeldIdentity] = {}
    known: set[frozenset[str]] = set()
    for each in sorted(found, key=_worth):
        output, figures = each.identity.output, frozenset((each.identity.output, *each.identity.inputs))
        if output not in chosen and figures not in known and _in_turn({**chosen, output: each}):
            chosen[output] = each
            known.add(figures)
    return tuple(chosen[output] for output in _in_turn(chosen) if output in chosen)


def _candidates(figures: pl.DataFrame, measures: Sequence[Measure], code: str) -> Iterator[Identity]:
    rows = figures.height
    picked = np.unique(np.linspace(0, rows - 1, min(rows, _SAMPLE)).astype(int)) if rows else np.arange(0)
    now = _floats(figures, measures)
    yield from _sums(now[picked], measures)
    yield from _quotients(now[picked], measures)
    yield from _changes(now, _floats(_before(figures, code), measures), measures)


def _floats(figures: pl.DataFrame, measures: Sequence[Measure]) -> Floats:
    """Return the figures in their units, a column for each measure, NaN for none."""
    columns = [figures[each.name].cast(pl.Float64).to_numpy() / 10**each.decimals for each in measures]
    return np.array(columns, dtype=np.float64).T.reshape(figures.height, len(measures))


def _before(figures: pl.DataFrame, code: str) -> pl.DataFrame:
    """Return, row for row, the figures of the same code in the period before, null where there are none."""
    before = figures.unique([code, PERIOD], keep="first").with_columns(pl.col(PERIOD) + 1)
    return figures.select(code, PERIOD).join(before, on=[code, PERIOD], how="left", maintain_order="left")


def _tolerance(measures: Sequence[Measure]) -> Floats:
    return np.array([0.5 * 10.0**-each.decimals * (1 + 1e-9) for each in measures])


def _often(is_near: Trues, counts: Trues) -> Trues:
    """Say for each column whether most rows that count are near."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (is_near & counts).sum(axis=0) / counts.sum(axis=0)
    often: Trues = (share >= HOLDS) & (counts.sum(axis=0) >= FEWEST)
    return often


def _sums(now: Floats, measures: Sequence[Measure]) -> Iterator[Identity]:
    """Yield figures that equal one before them, and pairs and runs of neighbouring columns that add up to another."""
    small, last = _tolerance(measures) / 10, len(measures)
    runs = (range(first, end) for first in range(last) for end in range(first + 3, min(first + _LONGEST, last) + 1))
    for parts in (*combinations(range(last), 1), *combinations(range(last), 2), *runs):
        total, filled = now[:, list(parts)].sum(axis=1), (now[:, list(parts)] != 0).sum(axis=1)
        is_near = np.abs(now - total[:, None]) <= small + 1e-9 * np.abs(total[:, None])
        known = ~np.isnan(now + total[:, None]) & (filled >= min(len(parts), 2))[:, None]
        for output in np.flatnonzero(_often(is_near, known)).tolist():
            if output not in parts and (len(parts) > 1 or output > parts[0]):
                yield Sum(output=measures[output].name, plus=tuple(measures[part].name for part in parts))


def _quotients(now: Floats, measures: Sequence[Measure]) -> Iterator[Identity]:
    """Yield products and ratios of two figures, as they are or in per cent."""
    tolerance, names = _tolerance(measures), [each.name for each in measures]
    for first, name in enumerate(names):
        for scale in _SCALES:
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                quotients = scale * now[:, [first]] / now
                products = now[:, [first]] * now / scale
            for second in range(len(names)):
                if second == first:
                    continue
                other = names[second]
                for output in _near(now, quotients[:, second], tolerance, (first, second)):
                    yield Ratio(output=names[output], numerator=(name,), denominator=other, scale=scale)
                for output in _near(np.abs(now), np.abs(quotients[:, second]), tolerance, (first, second)):
                    yield Ratio(
                        output=names[output], numerator=(name,), denominator=other, scale=scale, is_absolute=True
                    )
                for output in _near(now, products[:, second], tolerance, (first, second)) if second > first else ():
                    by: int | Fraction = 1 if scale == 1 else Fraction(1, scale)
                    yield Product(output=names[output], factors=(name, other), scale=by)


def _near(now: Floats, computed: Floats, tolerance: Floats, parts: tuple[int, int]) -> list[int]:
    known = np.isfinite(computed)[:, None] & ~np.isnan(now) & (now != 0)
    is_near = np.abs(now - np.where(np.isfinite(computed), computed, 0)[:, None]) <= tolerance
    return [int(output) for output in np.flatnonzero(_often(is_near, known)) if output not in parts]


def _changes(now: Floats, before: Floats, measures: Sequence[Measure]) -> Iterator[Identity]:
    """Yield growth over the period before, and differences from it."""
    tolerance = _tolerance(measures)
    rows = np.flatnonzero(~np.isnan(before).all(axis=1))[:_SAMPLE]
    now, before = now[rows], before[rows]
    for base, measure in enumerate(measures):
        difference = now[:, base] - before[:, base]
        with np.errstate(invalid="ignore", divide="ignore"):
            growth = 100 * difference / np.abs(before[:, base])
        for output in _near(now, growth, tolerance, (base, base)):
            yield Growth(output=measures[output].name, base=measure.name)
        for output in _near(now, difference, tolerance / 10, (base, base)):
            yield Difference(output=measures[output].name, base=measure.name)


def _judged(figures: pl.DataFrame, identity: Identity, measured: Measured, code: str) -> HeldIdentity | None:
    output = pl.col(identity.output)
    known = figures.select(output, stated_by(identity, measured, code=code).alias("stated")).drop_nulls()
    known = known.filter((output != 0) | (pl.col("stated") != 0))
    holding = known.filter(output == pl.col("stated"))
    if holding.height < max(HOLDS * known.height, FEWEST) or holding[identity.output].n_unique() < FEWEST:
        return None
    return HeldIdentity(identity, holding.height, known.height)


def _worth(each: HeldIdentity) -> tuple[float, int, int, int, str]:
    """Order identities: what holds more often; then sums, products and what keeps signs before others, the shorter first."""
    identity = each.identity
    kinds = (Total, Sum, Difference, Product, Growth, Ratio)
    is_absolute = isinstance(identity, Ratio) and identity.is_absolute
    share = round(each.holds / each.rows, 2)
    return -share, kinds.index(type(identity)) + 9 * is_absolute, -each.holds, len(identity.inputs), identity.output


def _in_turn(chosen: Mapping[str, HeldIdentity]) -> tuple[str, ...]:
    """Return all figures, each after those that it follows from; none if they go round in a circle."""
    try:
        return tuple(
            TopologicalSorter({output: each.identity.inputs for output, each in chosen.items()}).static_order()
        )
    except CycleError:
        return ()
