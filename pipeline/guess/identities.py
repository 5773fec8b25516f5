"""Which figures follow from which: sums, products, ratios and changes that hold in nearly all rows.

Candidates are found on a sample of rows by floats, all figures at once; each is then judged on all rows by the very function
that restores identities, so that what is said to hold holds to the last digit.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.model import PERIOD, Difference, Growth, Identity, Measure, Measured, Product, Ratio, Sum, Total
from pipeline.model.identities import stated_by

HOLDS = 0.8
"""Part of the rows in which an identity has to hold to be told (our choice; in real tables few hold in all)."""

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
class Held:
    """An identity, and in how many of the rows that have all of its figures it holds."""

    identity: Identity
    holds: int
    rows: int

    @property
    def evidence(self) -> str:
        """Return what was counted."""
        return f"? holds in {self.holds:,} of {self.rows:,} rows"


def held(figures: pl.DataFrame, measures: Sequence[Measure], code: str) -> tuple[Held, ...]:
    """Return the identities that hold, in an order in which they can be restored.

    Args:
        figures: Code, `PERIOD` (Int64; null where rows have none) and the measures in quanta.
        measures: The measures.
        code: Column of the code.
    """
    measured = Measured(measures=tuple(measures))
    candidates = dict.fromkeys(_candidates(figures, measures[:_MOST], code))
    judged = [found for each in candidates if (found := _judged(figures, each, measured, code))]
    return ordered(judged)


def ordered(found: Sequence[Held]) -> tuple[Held, ...]:
    """Return the best identities, each output once and none in a circle, in an order in which they can be restored."""
    return _ordered(_chosen(found))


# ----------------------------------------------------------------------------------------------------------------------


def _candidates(figures: pl.DataFrame, measures: Sequence[Measure], code: str) -> Iterator[Identity]:
    rows = figures.height
    picked = np.unique(np.linspace(0, rows - 1, min(rows, _SAMPLE)).astype(int)) if rows else np.arange(0)
    now = _floats(figures, measures)
    yield from _sums(now[picked], measures)
    yield from _runs(now[picked], measures)
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
    """Yield pairs that add up to a third figure, and figures that equal another."""
    small = _tolerance(measures) / 10
    for first in range(len(measures)):
        is_equal = np.abs(now - now[:, [first]]) <= small
        for output in np.flatnonzero(_often(is_equal, (now != 0) & ~np.isnan(now + now[:, [first]]))).tolist():
            if output > first:
                yield Sum(output=measures[output].name, plus=(measures[first].name,))
        for second in range(first + 1, len(measures)):
            both = now[:, first] + now[:, second]
            parts = (now[:, first] != 0) & (now[:, second] != 0)
            yield from _outputs(now, both, parts, measures, (first, second), small)


def _runs(now: Floats, measures: Sequence[Measure]) -> Iterator[Identity]:
    """Yield three or more neighbouring columns that add up to another."""
    small = _tolerance(measures) / 10
    for first in range(len(measures)):
        total, parts = now[:, first].copy(), (now[:, first] != 0).astype(int)
        for last in range(first + 1, min(first + _LONGEST, len(measures))):
            total, parts = total + now[:, last], parts + (now[:, last] != 0)
            if last > first + 1:
                yield from _outputs(now, total, parts > 1, measures, range(first, last + 1), small)


def _outputs(
    now: Floats,
    total: Floats,
    counts: npt.NDArray[np.bool_],
    measures: Sequence[Measure],
    parts: Collection[int],
    small: Floats,
) -> Iterator[Identity]:
    is_near = np.abs(now - total[:, None]) <= small + 1e-9 * np.abs(total[:, None])
    known = ~np.isnan(now + total[:, None]) & counts[:, None]
    for output in np.flatnonzero(_often(is_near, known)).tolist():
        if output not in parts:
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


def _judged(figures: pl.DataFrame, identity: Identity, measured: Measured, code: str) -> Held | None:
    output = pl.col(identity.output)
    told = figures.select(output, stated_by(identity, measured, code=code).alias("stated")).drop_nulls()
    told = told.filter((output != 0) | (pl.col("stated") != 0))
    holding = told.filter(output == pl.col("stated"))
    if holding.height < max(HOLDS * told.height, FEWEST) or holding[identity.output].n_unique() < FEWEST:
        return None
    return Held(identity, holding.height, told.height)


def _chosen(judged: Sequence[Held]) -> list[Held]:
    """Take the best first, each output and each set of figures once, and nothing that would go round in a circle."""
    chosen: list[Held] = []
    told: set[frozenset[str]] = set()
    inputs: dict[str, set[str]] = {}
    for each in sorted(judged, key=_worth):
        identity = each.identity
        figures = frozenset((identity.output, *identity.inputs))
        above = {name for part in identity.inputs for name in inputs.get(part, {part})} | set(identity.inputs)
        if identity.output in inputs or identity.output in above or figures in told:
            continue
        chosen.append(each)
        told.add(figures)
        for known in (each for each in inputs.values() if identity.output in each):
            known.update(above)
        inputs[identity.output] = set(above)
    return chosen


def _worth(each: Held) -> tuple[float, int, int, int, str]:
    """Order identities: what holds more often; then sums, products and what keeps signs before others, the shorter first."""
    identity = each.identity
    kinds = (Total, Sum, Difference, Product, Growth, Ratio)
    is_absolute = isinstance(identity, Ratio) and identity.is_absolute
    share = round(each.holds / each.rows, 2)
    return -share, kinds.index(type(identity)) + 9 * is_absolute, -each.holds, len(identity.inputs), identity.output


def _ordered(chosen: Sequence[Held]) -> tuple[Held, ...]:
    """Put identities after those of their inputs."""
    left, ordered = list(chosen), list[Held]()
    while left:
        outputs = {each.identity.output for each in left}
        ready = [each for each in left if not outputs & set(each.identity.inputs)]
        ordered += ready
        left = [each for each in left if each not in ready]
    return tuple(ordered)
