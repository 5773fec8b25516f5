"""What each entity contributes to each statistic, and by how much the sum can move: the proofs of the account.

All of an entity's periods together are one contribution, so that a company is protected, not a record. Every sensitivity is a
bound of |a - b| for the contributions a and b of any two entities; `tests/unit/synthesis/test_contributions.py` tries them on
extremes. Two vectors of norm c at most are 2c apart at most; if no number of either is negative, or both are positive
semidefinite matrices, their inner product is not negative, and they are sqrt(2) * c apart at most.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from anonymize.synthesis.account import clipped
from anonymize.synthesis.cube import Floats
from anonymize.synthesis.dependence import Whitening
from anonymize.synthesis.records import Records, yearly_mean
from anonymize.synthesis.scale import Scale
from anonymize.synthesis.shape import PER_DECADE, decades_of, histograms

_TOGETHER = 500
"""Entities whose contributions are in memory at a time."""

INDICATOR = 2.0
"""Weight of a sign, a zero or a state beside a score in one vector (our choice: a share is then known half as exactly)."""

_LONGEST_LOCATION, _LONGEST_SCORES, _LONGEST_SPREAD = 0.9, 1.0, 1.1
"""Norms at which vectors are clipped, in root mean squares of what the shapes let expect (our choice: most entities are below
or little above, so that clipping costs less than the noise that it saves)."""

_LONGEST_TREND, _LONGEST_STEP = 0.2, 0.7
"""The same, in standard deviations of a score for each column: the usual change over a year."""

_SHORTEST = 0.1
"""Norm at which vectors are clipped at the least, where next to nothing is expected."""

_WIDEST = 3.0
"""The most that one score adds to a spread."""


@dataclass(frozen=True, kw_only=True)
class Contributions:
    """A statistic before noise."""

    of: Callable[[Records], Floats]
    """Returns what each entity contributes, shape (n, ...)."""
    sensitivity: float

    def total(self, records: Records) -> Floats:
        """Return the sum over all entities, some of them at a time."""
        count = len(records.entities)
        parts = (np.arange(start, min(start + _TOGETHER, count)) for start in range(0, count, _TOGETHER))
        total: Floats = np.sum([self.of(records.of(part)).sum(axis=0) for part in parts], axis=0)
        return total

    def totals(self, records: Records) -> Floats:
        """Return the sum over each industry, shape (industries, ...)."""
        return np.stack([self.total(records.of(members)) for members in records.groups.values()])


def states(records: Records) -> Contributions:
    """Return the share of an entity's periods in which each state is: none is negative, clipped."""
    longest = max(1.0, sqrt(len(records.layout.states)) / 4)

    def of(part: Records) -> Floats:
        periods = np.maximum(part.has_row.sum(axis=1), 1)[:, None]
        return clipped((part.states & part.has_row[:, :, None]).sum(axis=1) / periods, longest)

    return Contributions(of=of, sensitivity=sqrt(2) * longest)


def grains(steps: Floats) -> Contributions:
    """Return of which grain all figures of an entity are multiples: the first of those of each measure, or none."""

    def of(part: Records) -> Floats:
        quanta = part.quanta
        found = np.zeros((len(part.entities), *steps.shape))
        is_open = ~np.isnan(quanta).all(axis=1)
        for place in range(steps.shape[1]):
            fits = (np.where(np.isnan(quanta), 0.0, quanta) % steps[:, place] == 0).all(axis=1)
            found[:, :, place] = is_open & fits
            is_open &= ~fits
        return found

    return Contributions(of=of, sensitivity=sqrt(2 * len(steps)))


def fine(columns: Sequence[int], per_decade: int = PER_DECADE) -> Contributions:
    """Return the histograms of columns of numbers; of each, two entities are sqrt(2) apart (`histograms`)."""
    return Contributions(
        of=lambda part: histograms(part.values[:, :, list(columns)], per_decade), sensitivity=sqrt(2 * len(columns))
    )


def coarse(columns: Sequence[int]) -> Contributions:
    """Return the histograms by decade: sums of fine bins, so no negative number, and each column with a sum of 1 at most."""
    each = fine(columns)
    return Contributions(of=lambda part: decades_of(each.of(part)), sensitivity=each.sensitivity)


def location(scale: Scale, whitening: Whitening) -> Contributions:
    """Return mean scores of magnitudes, whitened, then shares of zeros, of negatives and of states less the usual: clipped.

    Args:
        whitening: Of scores of magnitudes.
    """
    expected = whitening.expected(1 - scale.zero) + INDICATOR**2 * sum(
        (usual * (1 - usual)).sum() for usual in (scale.zero, scale.negative, scale.states)
    )
    longest = max(_LONGEST_LOCATION * sqrt(expected), _SHORTEST)

    def of(part: Records) -> Floats:
        values = scale.chosen(part)
        known = ~np.isnan(values)
        is_reported = known.any(axis=1)
        indicators = [
            np.where(is_reported, yearly_mean(np.where(known, is_so, np.nan)) - usual, 0.0)
            for is_so, usual in ((values == 0, scale.zero), (values < 0, scale.negative))
        ]
        periods = np.where(part.has_row[:, :, None], scale.chosen_states(part), np.nan)
        rates = np.where(part.has_row.any(axis=1, keepdims=True), yearly_mean(periods) - scale.states, 0.0)
        parts = [
            yearly_mean(scale.magnitudes(values)) @ whitening.weights,
            *(INDICATOR * each for each in (*indicators, rates)),
        ]
        return clipped(np.concatenate(parts, axis=1), longest)

    return Contributions(of=of, sensitivity=2 * longest)


def products(scale: Scale) -> Contributions:
    """Return the mean over periods of the products of all pairs of scores: matrices z z', z clipped, as vectors of their norm.

    A matrix of one vector of norm c has Frobenius norm c**2 and is positive semidefinite; so is a mean of such. The upper
    triangle, off the diagonal times sqrt(2), has the norm of the matrix.
    """
    longest = max(_LONGEST_SCORES * float(np.linalg.norm(scale.deviations)), _SHORTEST)
    rows, columns = np.triu_indices(len(scale.deviations))
    weights = np.where(rows == columns, 1.0, sqrt(2))

    def of(part: Records) -> Floats:
        scores = scale.scores(part)
        short = clipped(np.nan_to_num(scores), longest)
        years = np.maximum((~np.isnan(scores)).any(axis=2).sum(axis=1), 1)
        matrices = np.einsum("ntc,ntd->ncd", short, short) / years[:, None, None]
        found: Floats = matrices[:, rows, columns] * weights
        return found

    return Contributions(of=of, sensitivity=sqrt(2) * longest**2)


def spread(scale: Scale, locations: Floats) -> Contributions:
    """Return mean squares of an industry's scores of magnitudes around their location, less 1: each bounded, then clipped.

    Args:
        locations: Of the industry, shape (columns,).
    """
    longest = max(_LONGEST_SPREAD * sqrt((1 - scale.zero).sum()), _SHORTEST)

    def of(part: Records) -> Floats:
        squares = (scale.magnitudes(scale.chosen(part)) - locations) ** 2 - 1
        return clipped(yearly_mean(np.clip(squares, -1.0, _WIDEST)), longest)

    return Contributions(of=of, sensitivity=2 * longest)


def trend(scale: Scale) -> Contributions:
    """Return the slope of each score over an entity's periods (least squares), in scores a period: clipped."""
    longest = max(_LONGEST_TREND * float(np.linalg.norm(scale.deviations)), _SHORTEST)

    def of(part: Records) -> Floats:
        scores = scale.scores(part)
        known = ~np.isnan(scores)
        periods = np.where(known, np.arange(scores.shape[1])[None, :, None], np.nan)
        centred = np.where(known, periods - yearly_mean(periods)[:, None, :], 0.0)
        slopes = (centred * np.nan_to_num(scores)).sum(axis=1) / np.maximum((centred**2).sum(axis=1), 0.5)
        return clipped(slopes, longest)

    return Contributions(of=of, sensitivity=2 * longest)


def steps(scale: Scale) -> Contributions:
    """Return the mean square root of the distance between scores of one period and the next: none is negative, clipped.

    Behind them, whether an entity reports two periods in a row, bounded by 1.
    """
    longest = max(_LONGEST_STEP * sqrt(len(scale.deviations)), _SHORTEST)

    def of(part: Records) -> Floats:
        scores = scale.scores(part)
        roots = np.sqrt(np.abs(np.diff(scores, axis=1)) / scale.deviations)
        has_pair = np.sum(~np.isnan(roots), axis=(1, 2), keepdims=True)[:, :, 0] > 0
        return np.concatenate([clipped(yearly_mean(roots), longest), has_pair], axis=1)

    return Contributions(of=of, sensitivity=sqrt(2 * longest**2 + 1))
