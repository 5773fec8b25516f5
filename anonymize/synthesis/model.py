"""The model: what the noised statistics of a panel say, as what figures are drawn from. The originals are not seen here.

Where noise is as large as what it hides, a statistic is drawn towards what is usual, in proportion (empirical Bayes), and the
locations of an industry together, by the correlations of its columns. So an industry with few companies is like all others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from anonymize.synthesis.contributions import INDICATOR
from anonymize.synthesis.cube import Booleans, Floats
from anonymize.synthesis.dependence import (
    Dependence,
    normal_correlations,
    process,
    with_diagonal,
)
from anonymize.synthesis.scale import state_scores
from anonymize.synthesis.statistics import LOCATION, SPREAD, STEPS, TREND, Statistics

_LOCATIONS, _SPREADS, _TRENDS = 0.45, 0.35, 0.02
"""Standard deviations by which industries usually differ in location and spread, and columns in their trend a year."""

_INDICATORS = 0.5
"""Share of the largest variance that a share can have by which industries usually differ in it."""

_FARTHEST, _NARROWEST, _WIDEST = 2.5, 0.25, 2.5
"""Bounds of locations, and of variances as shares of the usual one."""

_LEAST_WITHIN = 0.2
"""Share of a column's variance that is left within industries at least."""

_FEWEST = 0.1
"""Share of entities with a number that is not zero at least, by which locations are divided."""

_ROOT_OF_NORMAL = 0.8221789586623885
"""The mean of the square root of the absolute value of a standard normal variable: 2**(1/4) * gamma(3/4) / sqrt(pi)."""

_GRID = (np.arange(200) + 0.5) / 200


@dataclass(frozen=True, kw_only=True)
class FigureModel:
    """What figures are drawn from; rows are industries, columns those of numbers, then of states."""

    statistics: Statistics
    negative: Floats
    zero: Floats
    states: Floats
    location: Floats
    spread: Floats
    trend: Floats
    """Normal scores a year."""
    correlations: Floats
    """Of the normal variables behind all columns, within industries."""
    lagged: Floats
    """Correlation of each column with itself in an entity's next record."""

    @cached_property
    def dependence(self) -> Dependence:
        """Return how records hang together that follow each other by years."""
        return process(self.correlations, self.lagged)

    def row_of(self, industry: str | None) -> int:
        """Return the row of a published industry: the first one, where nobody of it has figures."""
        return {name: place for place, name in enumerate(self.statistics.sizes)}.get(industry or "", 0)

    def numbers(self, row: int, column: int, shares: Floats) -> Floats:
        """Return the logarithms of a column's numbers at quantiles of an industry."""
        own = (each[row, column] for each in (self.negative, self.zero, self.location, self.spread))
        return _numbers(self.statistics, _Marginal(*map(float, own)), column, shares)


@dataclass(frozen=True)
class _Marginal:
    """One column in one industry."""

    negative: float
    zero: float
    location: float
    spread: float


def understood(statistics: Statistics) -> FigureModel:
    """Return the model that noised statistics make."""
    return _Reading(statistics).model()


@dataclass(frozen=True)
class _Reading:
    """Statistics on their way to a model."""

    statistics: Statistics

    def model(self) -> FigureModel:
        negative, zero, states = self._shares
        location, spread = self._location, self._spread
        statistics, scale = self.statistics, self.statistics.scale
        marginals = [
            [_Marginal(*map(float, own)) for own in zip(*rows, strict=True)]
            for rows in zip(negative, zero, location, spread, strict=True)
        ]
        within = self.statistics.covariance - self._between(marginals, states)
        variances = scale.deviations**2
        within = with_diagonal(within, np.ones(len(within)), was=np.maximum(np.diag(within), _LEAST_WITHIN * variances))
        return FigureModel(
            statistics=statistics,
            negative=negative,
            zero=zero,
            states=states,
            location=location,
            spread=spread,
            trend=self._trend,
            correlations=normal_correlations(within, scale.coefficients),
            lagged=self._lagged,
        )

    @cached_property
    def _sizes(self) -> Floats:
        return np.asarray([*self.statistics.sizes.values()], np.float64)[:, None]

    @cached_property
    def _located(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the means of industries: scores of magnitudes, and how far shares of zeros, negatives and states differ."""
        means, p = self.statistics.passed[LOCATION].values / self._sizes, len(self.statistics.scale.shapes)
        return (
            means[:, :p] @ self.statistics.whitening.undone,
            means[:, p : 2 * p],
            means[:, 2 * p : 3 * p],
            means[:, 3 * p :],
        )

    @cached_property
    def _noise(self) -> Floats:
        """Return the noise of the means of each industry, shape (industries, 1)."""
        return self.statistics.passed[LOCATION].sigma / self._sizes

    @cached_property
    def _shares(self) -> tuple[Floats, Floats, Floats]:
        """Return the shares of negatives, zeros and states in each industry."""
        scale = self.statistics.scale
        _, *differing = self._located
        usual = scale.zero, scale.negative, scale.states
        zero, negative, states = (
            np.clip(share + self._drawn_to_usual(each / INDICATOR, share), 0.0, 1.0)
            for each, share in zip(differing, usual, strict=True)
        )
        kinds = np.stack([negative, zero, np.maximum(1 - negative - zero, 0.0)])
        # What nobody has, by the shape, no industry has.
        kinds *= np.stack([scale.negative, scale.zero, scale.positive])[:, None, :] > 0
        kinds /= np.maximum(kinds.sum(axis=0), 1e-9)
        return kinds[0], kinds[1], states

    def _drawn_to_usual(self, differences: Floats, usual: Floats) -> Floats:
        """Return differences of shares, less what noise explains; half of their variance is measured, half is known before."""
        noise = self._noise / INDICATOR
        seen = (self._sizes * (differences**2 - noise**2)).sum(axis=0) / self._sizes.sum()
        variances = (np.maximum(seen, 0.0) + _INDICATORS * usual * (1 - usual)) / 2
        kept: Floats = differences * variances / np.maximum(variances + noise**2, 1e-300)
        return kept

    @cached_property
    def _present(self) -> Floats:
        """Return the share of entities of an industry with a number that is not zero, bounded from below."""
        present: Floats = np.maximum(1 - self._shares[1], _FEWEST)
        return present

    @cached_property
    def _location(self) -> Floats:
        """Return locations of magnitudes: each industry's columns together, by their correlations (Lindley and Smith 1972)."""
        found, whitening = self._located[0] / self._present, self.statistics.whitening
        usual = _LOCATIONS**2 * whitening.correlations
        noises = [whitening.noise * np.outer(own, own) for own in self._noise / self._present]
        drawn = [usual @ np.linalg.solve(usual + noise, mean) for mean, noise in zip(found, noises, strict=True)]
        return np.clip(np.stack(drawn), -_FARTHEST, _FARTHEST)

    @cached_property
    def _spread(self) -> Floats:
        """Return standard deviations of scores of magnitudes around their location."""
        passed = self.statistics.passed[SPREAD]
        means = passed.values / self._sizes / self._present
        noise = passed.sigma / self._sizes / self._present
        return np.sqrt(np.clip(1 + means * _SPREADS**2 / (_SPREADS**2 + noise**2), _NARROWEST, _WIDEST))

    def _between(self, marginals: list[list[_Marginal]], states: Floats) -> Floats:
        """Return the covariance between industries of the mean scores that the model's marginals have."""
        shapes, (low, high) = self.statistics.scale.shapes, state_scores(self.statistics.scale.states)
        of_numbers = np.asarray(
            [
                [
                    float(shapes[column].scores(_numbers(self.statistics, own, column, _GRID)).mean())
                    for column, own in enumerate(row)
                ]
                for row in marginals
            ]
        )
        means = np.concatenate([of_numbers, states * high + (1 - states) * low], axis=1)
        centred = means - (self._sizes * means).sum(axis=0) / self._sizes.sum()
        between: Floats = (self._sizes * centred).T @ centred / self._sizes.sum()
        return between

    @property
    def _trend(self) -> Floats:
        """Return trends of the normal variables behind the scores."""
        passed, scale = self.statistics.passed[TREND], self.statistics.scale
        noise = passed.sigma / self.statistics.count
        slopes = passed.values / self.statistics.count * _TRENDS**2 / (_TRENDS**2 + noise**2)
        found: Floats = slopes / np.maximum(scale.coefficients[:, 0], _FEWEST)
        return found

    @property
    def _lagged(self) -> Floats:
        """Return the correlation of each column with itself in the next record, by how far its scores move.

        Were the distances of scores those of a normal variable with variance v, their square roots would have the mean
        `_ROOT_OF_NORMAL` * v**(1/4), and the correlation would be 1 - v / 2. The means of columns are drawn to each other by
        the share of their variance that noise explains (James and Stein 1961).
        """
        passed = self.statistics.passed[STEPS]
        pairs = max(passed.values[-1], 1.0)
        roots = passed.values[:-1] / pairs
        if not roots.size:  # so small a budget keeps no column
            return np.zeros(0)
        usual, noise = roots.mean(), passed.sigma / pairs
        roots = usual + max(1 - noise**2 / max(float(roots.var()), 1e-300), 0.0) * (roots - usual)
        variances = (np.maximum(roots, 0.0) / _ROOT_OF_NORMAL) ** 4
        found: Floats = 1 - np.minimum(variances, 2.0) / 2
        return found


def _numbers(statistics: Statistics, own: _Marginal, column: int, shares: Floats) -> Floats:
    """Return the logarithms of a column's numbers at quantiles: negative ones, zeros, positive ones."""
    shape, found = statistics.scale.shapes[column], np.zeros(len(shares))
    for sign, is_so, within in _sides(own, shares):
        scores = own.location + own.spread * scipy.special.ndtri(np.clip(within, 1e-9, 1 - 1e-9))
        found[is_so] = sign * shape.magnitudes(scipy.special.ndtr(scores), sign)
    return found


def _sides(own: _Marginal, shares: Floats) -> Iterator[tuple[int, Booleans, Floats]]:
    """Yield for each sign where it is, and the quantiles of magnitudes there."""
    is_negative, is_positive = shares < own.negative, shares >= own.negative + own.zero
    if is_negative.any():
        yield -1, is_negative, (own.negative - shares[is_negative]) / own.negative
    if is_positive.any():
        above = max(1 - own.negative - own.zero, 1e-9)
        yield 1, is_positive, (shares[is_positive] - own.negative - own.zero) / above
