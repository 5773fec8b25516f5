"""The shape of a column: how its numbers are distributed over all entities and years, as a noised histogram shows it.

Bins are quarters of decades, or eighths where there are many entities, the same for every column, with one of its own for
zero. Two histograms enter: one of decades, which finds where there is anything, and the fine one. Bins in which noise is all
that can be seen are empty.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from anonymize.synthesis.cube import Booleans, Floats, Integers
from anonymize.synthesis.records import DECADES

PER_DECADE = 4
"""Bins of a decade: the numbers of a bin are within a factor of 1.8."""

FINER = 8
"""The same where noise is small: within a factor of 1.33."""

ZERO = DECADES * PER_DECADE
"""Position of the bin of zero among quarters; negative numbers are before it, the largest first, positive ones behind it."""

BINS = 2 * ZERO + 1

_SEEN, SEEN_NEXT = 3.5, 2.0
"""How many standard deviations of its noise a decade holds at least, to be the first of its sign, or to follow one (our
choice: of the decades that are empty one in 4,000, and one in 40, is then taken for one with figures)."""

_CERTAIN = 5.0
"""How many a decade holds at least to be there wherever it stands, as times of the day with nights between them do."""

_OUTERMOST = 3.0
"""Standard normal scores end here: what is beyond one firm in 700 counts no more."""

_RARE = 0.005
"""Share of a sign, or of zero, below which there is none."""


@dataclass(frozen=True, kw_only=True)
class ColumnShape:
    """A distribution over the bins."""

    shares: Floats
    """Of bins from the largest negative to the largest positive, zero in the middle: adding up to 1."""

    @property
    def _zero(self) -> int:
        return len(self.shares) // 2

    @property
    def _per_decade(self) -> int:
        return per_decade(self.shares)

    @cached_property
    def negative(self) -> float:
        """Return the share below zero."""
        return _without_rare(float(self.shares[: self._zero].sum()))

    @cached_property
    def zero(self) -> float:
        """Return the share of zeros."""
        return _without_rare(float(self.shares[self._zero]))

    @cached_property
    def positive(self) -> float:
        """Return the share above zero."""
        return _without_rare(float(self.shares[self._zero + 1 :].sum()))

    @cached_property
    def _upto(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.shares)])

    @cached_property
    def _magnitudes(self) -> dict[int, tuple[Floats, Floats]]:
        """Return for each sign the shares of its bins from small to large, and these cumulated."""
        sides = {1: self.shares[self._zero + 1 :], -1: self.shares[: self._zero][::-1]}
        parts = {sign: part / max(part.sum(), 1e-300) for sign, part in sides.items()}
        return {sign: (part, np.concatenate([[0.0], np.cumsum(part)])) for sign, part in parts.items()}

    def scores(self, logs: Floats) -> Floats:
        """Return standard normal scores of numbers; equal for all zeros."""
        bins, zero = bins_of(logs, self._per_decade), self._zero
        within = np.where(bins == zero, 0.5, logs * self._per_decade - (bins - zero - (bins > zero)))
        return _scored(self._upto[bins] + self.shares[bins] * np.clip(within, 0.0, 1.0))

    def magnitude_scores(self, logs: Floats) -> Floats:
        """Return standard normal scores of magnitudes among those of one sign: large is high; NaN for zero."""
        found = np.full(logs.shape, np.nan)
        for sign, (part, upto) in self._magnitudes.items():
            is_so = np.sign(logs) == sign
            at = np.abs(logs[is_so]) * self._per_decade
            bins = np.clip(np.ceil(at).astype(np.int64), 1, self._zero) - 1
            found[is_so] = _scored(upto[bins] + part[bins] * np.clip(at - bins, 0.0, 1.0))
        return found

    def magnitudes(self, shares: Floats, sign: int) -> Floats:
        """Return the logarithms of magnitudes at quantiles of one sign."""
        part, upto = self._magnitudes[sign]
        bins = np.clip(np.searchsorted(upto, shares, side="right") - 1, 0, self._zero - 1)
        within = (shares - upto[bins]) / np.maximum(part[bins], 1e-300)
        logs: Floats = (bins + np.clip(within, 0.0, 1.0)) / self._per_decade
        return logs


def per_decade(fine: Floats) -> int:
    """Return how many bins of a decade there are in a fine histogram (the last axis)."""
    return int(fine.shape[-1]) // 2 // DECADES


def bins_of(logs: Floats, per_decade: int = PER_DECADE) -> Integers:
    """Return the bin of each number."""
    zero = DECADES * per_decade
    steps = np.clip(np.ceil(np.abs(logs) * per_decade), 0, zero).astype(np.int64)
    bins: Integers = zero + np.sign(logs).astype(np.int64) * steps
    return bins


def histograms(values: Floats, per_decade: int = PER_DECADE) -> Floats:
    """Return what each entity contributes to the fine histograms, shape (n, columns, bins): its periods weigh one together.

    So a column's histogram moves by sqrt(2) at most, in Euclidean norm, when an entity is replaced: two vectors of no negative
    number, each with a sum of 1 at most, are no further apart.
    """
    n, _, columns = values.shape
    known = ~np.isnan(values)
    weights = known / np.maximum(known.sum(axis=1, keepdims=True), 1)
    entity, _, column = np.nonzero(known)
    found = np.zeros((n, columns, 2 * DECADES * per_decade + 1))
    np.add.at(found, (entity, column, bins_of(values[known], per_decade)), weights[known])
    return found


def decades_of(fine: Floats) -> Floats:
    """Return histograms by sign and decade, with zero in the middle, of fine ones (the last axis)."""
    zero = fine.shape[-1] // 2
    sides = fine[..., :zero], fine[..., zero + 1 :]
    below, above = (side.reshape(*side.shape[:-1], DECADES, per_decade(fine)).sum(axis=-1) for side in sides)
    return np.concatenate([below, fine[..., zero : zero + 1], above], axis=-1)


def shape_within(decades: tuple[int, int], fine: Floats, fine_noise: float) -> ColumnShape:
    """Return the distribution by a noised histogram of a column whose numbers are known to be between two decades above zero.

    Its bins are drawn towards each other by the share of their variance that noise explains (James and Stein 1961).
    """
    bins = slice(*(len(fine) // 2 + 1 + decade * per_decade(fine) for decade in decades))
    shares = np.zeros(len(fine))
    shares[bins] = _within(fine[bins], max(float(fine[bins].sum()), fine_noise), fine_noise)
    return ColumnShape(shares=shares / shares.sum())


def shape_of(
    coarse: Floats,
    coarse_noise: float,
    fine: Floats,
    fine_noise: float,
    *,
    seen_next: float = SEEN_NEXT,
    is_sure: bool = False,
) -> ColumnShape | None:
    """Return the distribution that two noised histograms of one column show; None if they show no number.

    Where it is sure that there are numbers (`is_sure`), the fullest decade is one of theirs, whatever the noise. Each decade
    has the mean of both sums, weighed by their noise; within it bins are drawn towards each other as above.
    """
    widths = decades_of(np.ones(len(fine)))
    fine_sums = decades_of(fine)
    of_fine, of_coarse = 1 / (widths * fine_noise**2), 1 / coarse_noise**2
    sums = (fine_sums * of_fine + coarse * of_coarse) / (of_fine + of_coarse)
    is_there = _seen(sums, np.sqrt(1 / (of_fine + of_coarse)), seen_next, is_sure=is_sure)
    shares = np.zeros(len(fine))
    place = 0
    for total, width, is_kept in zip(sums, widths.astype(int), is_there, strict=True):
        if is_kept:
            shares[place : place + width] = _within(fine[place : place + width], max(total, 0.0), fine_noise)
        place += width
    return ColumnShape(shares=shares / shares.sum()) if shares.sum() > 0 else None


def _within(bins: Floats, total: float, noise: float) -> Floats:
    """Return the bins of a decade, of a given sum."""
    even = total / len(bins)
    moved = bins + even - bins.mean()
    spread = float(((moved - even) ** 2).mean())
    kept = np.maximum(even + max(1 - noise**2 / max(spread, 1e-300), 0.0) * (moved - even), 0.0)
    found: Floats = kept * total / max(kept.sum(), 1e-300)
    return found


def _seen(sums: Floats, noise: Floats, seen_next: float, *, is_sure: bool) -> Booleans:
    """Return the decades in which there is something: those far above noise, and for each sign a run around the fullest.

    The rarer sign has no larger magnitudes than the other one.
    """
    above_noise = sums / noise
    is_there = above_noise > _CERTAIN
    is_there[DECADES] |= above_noise[DECADES] > seen_next
    sides = [np.arange(DECADES + 1, len(sums)), np.arange(DECADES)[::-1]]
    fuller, rarer = sorted(sides, key=lambda side: -float(above_noise[side].max()))
    if above_noise[fuller].max() < _SEEN and not is_sure:
        return is_there
    run = _run(above_noise[fuller], seen_next)
    is_there[fuller[run]] = True
    below = rarer[: run.stop]
    if above_noise[below].max() > _SEEN:
        is_there[below[_run(above_noise[below], seen_next)]] = True
    return is_there


def _run(above_noise: Floats, seen_next: float) -> slice:
    """Return the run of what stands out, around what stands out most."""
    first = int(above_noise.argmax())
    seen = above_noise > seen_next
    seen[first] = True
    after = np.flatnonzero(~seen[first:])
    before = np.flatnonzero(~seen[:first])
    return slice(int(before[-1]) + 1 if len(before) else 0, first + int(after[0]) if len(after) else len(above_noise))


def _scored(shares: Floats) -> Floats:
    scores: Floats = np.clip(scipy.special.ndtri(np.clip(shares, 1e-12, 1 - 1e-12)), -_OUTERMOST, _OUTERMOST)
    return scores


def _without_rare(share: float) -> float:
    return share if share >= _RARE else 0.0
