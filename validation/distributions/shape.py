"""Differences that a Kolmogorov-Smirnov test misses: moments, quantiles, tails, distances, ranks. Many samples at once.

Belongs here: effects, each with the standard error that `equivalence.py` needs; no verdict. All is on the signed log scale
(`samples.py`) and relative to the originals, so that no statistic discloses a figure.

A standard error is that of a mean of paired differences. In a release that keeps its companies, the perturbation of each is
random, not the companies. The error of a two-sample test would be that of drawing other companies, and could show equivalence
only above some 430 of them. In sampled records, pairs are equal ranks (`samples.ranked_samples`), and the error is that of
moving one set of figures to the other: it tests how alike the two sets are, not the distributions that they were drawn from.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import polars as pl

from validation.distributions.samples import Booleans, Floats, Samples, SortedFigures, from_signed_log

DECILES = tuple(i / 10 for i in range(1, 10))

TAIL = 0.05
"""Share of the originals beyond each of the two tail quantiles."""


_ROUNDING = 1e-9
"""A difference of shares or of ranks below this is a rounding error."""


@dataclass(frozen=True)
class Effect:
    """A difference and its standard error, one of each for a sample; NaN if undefined."""

    size: Floats
    error: Floats


@dataclass(frozen=True, kw_only=True)
class Shapes:
    """The effects in every sample; sd is the originals' standard deviation in the sample (with n - 1)."""

    labels: pl.DataFrame
    """The columns `samples.KEYS`, one row a sample."""
    sizes: Floats
    """Pairs of figures."""
    is_same: Booleans
    """Whether no figure changed."""
    shift: Effect
    """Difference of the means, in sd."""
    distance: Effect
    """Wasserstein-1 distance, in sd."""
    factor: Effect
    """Mean log of |anonymised| / |original|, over figures that are 0 on neither side."""
    spread: Effect
    """Log of the ratio of the standard deviations."""
    tails: Effect
    """Share of anonymised minus share of original figures beyond the originals' 5th and 95th percentiles."""
    spearman: Floats
    """Rank correlation of anonymised with original figures."""
    skewness: Floats
    """Difference of the skewnesses."""
    kurtosis: Floats
    """Difference of the excess kurtoses."""
    decile: Floats
    """Largest |difference| of a decile, in sd."""

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """Return the samples of all parts, at least one."""
        columns = {each.name: [getattr(part, each.name) for part in parts] for each in fields(cls)}
        return cls(**{name: _joined(column) for name, column in columns.items()})


def shapes(samples: Samples) -> Shapes:
    """Compare the two sides of each sample."""
    sides = samples.sides
    before, after = _moments(samples, samples.original, sides[0]), _moments(samples, samples.anonymised, sides[1])
    return Shapes(
        labels=samples.labels,
        sizes=np.minimum(sides[0].sizes, sides[1].sizes).astype(np.float64),
        is_same=samples.total(_differ(samples).astype(np.float64)) == 0,
        shift=_scaled(_difference(samples, samples.original, samples.anonymised), before.sd),
        distance=_scaled(_distance(samples), before.sd),
        factor=_difference(samples, _log_size(samples.original), _log_size(samples.anonymised)),
        spread=_spread(samples, before, after),
        tails=_tails(samples),
        spearman=_spearman(samples),
        skewness=after.skewness - before.skewness,
        kurtosis=after.kurtosis - before.kurtosis,
        decile=_largest_decile(samples) / before.sd,
    )


def _joined(parts: Sequence[Any]) -> Any:
    """Return one column of all parts: a frame, an effect, or an array."""
    match parts[0]:
        case pl.DataFrame():
            return pl.concat(parts)
        case Effect():
            return Effect(*(np.concatenate(side) for side in zip(*((p.size, p.error) for p in parts), strict=True)))
        case _:
            return np.concatenate(parts)


@dataclass(frozen=True)
class _Moments:
    """Moments of one side of each sample, NaN where all its figures are equal."""

    leverage: Floats
    """Half the squared standardised deviation of each row: its contribution to the log of the sd."""
    sd: Floats
    """With n - 1."""
    skewness: Floats
    kurtosis: Floats


def _moments(samples: Samples, figures: Floats, side: SortedFigures) -> _Moments:
    """Return the moments as `scipy.stats.skew` and `kurtosis` define them: biased, the kurtosis in excess of a normal law's."""
    sizes = side.sizes.astype(np.float64)
    deviations = figures - (samples.total(figures) / _positive(sizes))[samples.sample]
    square = deviations**2
    # The mean of equal figures may differ from them by a rounding error, which would look like a spread.
    variance = np.where(_is_constant(side), np.nan, samples.total(square) / _positive(sizes))
    third, fourth = (samples.total(power) / _positive(sizes) for power in (square * deviations, square**2))
    sd = np.sqrt(variance * sizes / _positive(sizes - 1))
    return _Moments(square / variance[samples.sample] / 2, sd, third / variance**1.5, fourth / variance**2 - 3)


def _is_constant(side: SortedFigures) -> Booleans:
    """Return in which samples all figures are equal: the last equals the first."""
    occupied = side.sizes > 0
    first = side.starts[occupied]
    found = np.ones(side.sizes.shape, dtype=np.bool_)
    found[occupied] = side.values[first] == side.values[first + side.sizes[occupied] - 1]
    return found


def _difference(samples: Samples, before: Floats, after: Floats) -> Effect:
    """Return the difference of the two sides' means of one number a row (NaN if missing), and its error.

    Rows are independent, the two sides of a row are not: the error is that of the sum over rows of each row's contribution to
    the difference. Without gaps it is the standard error of the mean of paired differences.
    """
    added, means = [], []
    for values in (before, after):
        counted = ~np.isnan(values)
        sizes = _positive(samples.total(counted.astype(np.float64)))
        mean = samples.total(values) / sizes
        added.append(np.where(counted, (values - mean[samples.sample]) / sizes[samples.sample], 0.0))
        means.append(mean)
    rows = samples.total((~np.isnan(before) | ~np.isnan(after)).astype(np.float64))
    squares = samples.total((added[1] - added[0]) ** 2)
    return Effect(means[1] - means[0], np.sqrt(squares * rows / _positive(rows - 1)))


def _distance(samples: Samples) -> Effect:
    """Return the Wasserstein-1 distance: the difference of the means of a potential whose slope is 1 or -1.

    The slope is the sign of the difference of the two cumulative distributions (Kantorovich and Rubinstein; Villani 2009,
    Optimal Transport, remark 6.5). The error treats it as given, which is allowed because it is the best potential.
    """
    merged, (first, second) = samples.merged, samples.sides
    share = [1 / _positive(side.sizes.astype(np.float64)) for side in (first, second)]
    steps = np.where(merged.is_anonymised, -share[1][merged.number], share[0][merged.number])
    gaps = np.diff(merged.values, prepend=0.0)
    is_first = np.diff(merged.number, prepend=-1) > 0
    ahead = np.cumsum(steps) - steps
    ahead -= ahead[np.maximum.accumulate(np.where(is_first, np.arange(steps.size), 0))]
    # Where the two distributions agree, rounding errors would have a sign.
    slopes = np.where(np.abs(ahead) > _ROUNDING, np.sign(ahead), 0.0)
    potential = np.cumsum(np.where(is_first, 0.0, slopes * gaps))
    sides = [np.full(samples.sample.shape, np.nan) for _ in range(2)]
    for side, chosen in zip(sides, (~merged.is_anonymised, merged.is_anonymised), strict=True):
        side[merged.row[chosen]] = potential[chosen]
    return _difference(samples, *sides)


def _spread(samples: Samples, before: _Moments, after: _Moments) -> Effect:
    """Return the log ratio of the sds with the error of its influence function, or of the normal law if that is larger.

    The first assumes no law, and is too small for few figures; the second is Pitman's (1939, Biometrika 31, 9-12).
    """
    error = _difference(samples, before.leverage, after.leverage).error
    pearson = _pearson(samples, samples.original, samples.anonymised)
    rows = np.minimum(samples.sides[0].sizes, samples.sides[1].sizes)
    normal = np.sqrt(np.maximum(1 - pearson**2, 0) / _positive(rows - 2.0))
    # fmax takes the other one if either is undefined.
    return Effect(np.log(after.sd / before.sd), np.fmax(error, normal))


def _tails(samples: Samples) -> Effect:
    low, high = (quantile[samples.sample] for quantile in _quantiles(samples.sides[0], (TAIL, 1 - TAIL)))
    before, after = (
        np.where(np.isnan(side), np.nan, (side < low) | (side > high))
        for side in (samples.original, samples.anonymised)
    )
    return _difference(samples, before, after)


def _spearman(samples: Samples) -> Floats:
    """Return the correlation of the ranks, each side ranked among all its figures, ties at their mean rank."""
    return _pearson(samples, *(_ranks(side, samples.sample.size) for side in samples.sides))


def _pearson(samples: Samples, before: Floats, after: Floats) -> Floats:
    """Return the correlation over the rows that have both, NaN where one side is constant there."""
    both = ~np.isnan(before) & ~np.isnan(after)
    sizes = _positive(samples.total(both.astype(np.float64)))
    centred = [
        np.where(both, side - (samples.total(np.where(both, side, 0.0)) / sizes)[samples.sample], 0.0)
        for side in (before, after)
    ]
    products, *squares = (
        samples.total(left * right) for left, right in (centred, (centred[0], centred[0]), (centred[1], centred[1]))
    )
    found = products / np.sqrt(_positive(np.where(squares[0] * squares[1] > _ROUNDING**2, squares[0] * squares[1], 0)))
    return np.asarray(np.clip(found, -1, 1))


def _ranks(side: SortedFigures, rows: int) -> Floats:
    """Return each row's rank in its sample, from 1; NaN for a row without a figure."""
    is_new = np.ones(side.values.shape, dtype=np.bool_)
    is_new[1:] = (np.diff(side.values) > 0) | (np.diff(side.number) > 0)
    starts = np.flatnonzero(is_new)
    ends = np.append(starts[1:], side.values.size)
    ranks = np.full(rows, np.nan)
    ranks[side.row] = ((starts + ends + 1) / 2)[np.cumsum(is_new) - 1] - side.starts[side.number]
    return ranks


def _largest_decile(samples: Samples) -> Floats:
    before, after = (_quantiles(side, DECILES) for side in samples.sides)
    return np.asarray(np.max([np.abs(new - old) for old, new in zip(before, after, strict=True)], axis=0))


def _quantiles(side: SortedFigures, probabilities: Iterable[float]) -> list[Floats]:
    """Return quantiles of each sample, interpolated as in `numpy.quantile`; NaN for an empty one."""
    last = side.sizes - 1
    values = np.append(side.values, np.nan)
    found = []
    for probability in probabilities:
        place = np.maximum(last * probability, 0)
        whole = np.floor(place).astype(np.int64)
        below, above = (
            values[np.where(last < 0, -1, side.starts + np.minimum(step, last))] for step in (whole, whole + 1)
        )
        found.append(below + (above - below) * (place - whole))
    return found


def _differ(samples: Samples) -> Booleans:
    both = np.isnan(samples.original) & np.isnan(samples.anonymised)
    return np.asarray((samples.original != samples.anonymised) & ~both)


def _log_size(values: Floats) -> Floats:
    """Return the log of each figure's absolute value, NaN of 0."""
    sizes = np.abs(from_signed_log(values))
    return np.log(np.where(sizes > 0, sizes, np.nan))


def _scaled(effect: Effect, unit: Floats) -> Effect:
    return Effect(effect.size / unit, effect.error / unit)


def _positive(values: Floats) -> Floats:
    """Return the values with NaN for those that cannot be divided by."""
    return np.where(values > 0, values, np.nan)
