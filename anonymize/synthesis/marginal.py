"""One column's distribution in one industry and year: shares of signs and gaps, and a few quantiles of each sign.

Every number is a mean over at least `FEWEST` firms and has two significant digits: no value of an original passes. The firms
of one sign are split into blocks that share none; the last block has two means, of the logarithms and of the figures, in
both of which a firm that dominates the others counts with a bounded figure. How columns depend on each other is told by
`dependence.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from anonymize.synthesis.cube import Floats
from pipeline.keyed import Key

FEWEST = 5
"""Firms over which a mean is taken at least: the usual least k of microaggregation (Domingo-Ferrer and Mateo-Sanz 2002)."""

MOST_KNOTS = 24
"""Means of one sign at most: with 24, two distributions of one sign differ by D = 0.02 or so."""

DIGITS = 2
"""Significant digits of a published mean."""

LARGEST_SHARE = 0.7
"""What the largest firm may have of its block's sum; a larger one counts with so much (p% rule, Hundepool et al. 2012)."""

NOISE_OF_ALL, NOISE_OF_TOP = 1.0, 0.2
"""Standard deviation of the logarithm of a factor, times the firms that it moves: those of one sign, or of the last block."""

NOISE_OF_EACH = 0.35
"""Standard deviation of a mean's noise, as a share of half the distance between its neighbours."""

_STEEPEST = 8.0
"""The most by which the logarithm may grow per standard deviation beyond the last mean."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """The magnitudes of one sign: logarithms of block means from small to large, and the arithmetic mean of the last block."""

    logs: tuple[float, ...]
    sizes: tuple[float, ...]
    """Firms of each block; of values that are not one a firm (`owned.py`), how many firms' worth they are."""
    top: float

    def noised(self, normal: Floats) -> "Side":
        """Return the side with noise: one standard normal draw for all its means, then one for each.

        All magnitudes move by a common factor, and each mean by a share of the distance of its neighbours.
        """
        logs = np.asarray(self.logs)
        gaps = np.gradient(logs) if len(logs) > 1 else np.zeros(1)
        common = NOISE_OF_ALL / sum(self.sizes) * normal[0]
        moved = np.maximum.accumulate(logs + common + NOISE_OF_EACH * gaps * normal[1 : len(logs) + 1])
        top = self.top * np.exp(common + NOISE_OF_TOP / max(self.sizes[-1], FEWEST) * normal[len(logs)])
        return Side(logs=tuple(moved.tolist()), sizes=self.sizes, top=float(top))

    def values(self, count: int) -> Floats:
        """Return so many magnitudes, ascending: the quantile function at (i - 1/2) / count, its tail set by `top`."""
        share = (np.arange(count) + 0.5) / count
        edges = np.cumsum(self.sizes) / sum(self.sizes)
        places, at = scipy.special.ndtri(edges - np.diff(edges, prepend=0.0) / 2), scipy.special.ndtri(share)
        logs = _interpolated(at, places, np.asarray(self.logs))
        is_last = share > (edges[-2] if len(edges) > 1 else 0.0)
        magnitudes = np.exp(logs)
        if is_last.any():
            magnitudes[is_last] *= self.top / magnitudes[is_last].mean()
        ascending: Floats = np.maximum.accumulate(magnitudes)
        return ascending


@dataclass(frozen=True, kw_only=True)
class Marginal:
    """Shares of negative figures and zeros among those reported; the magnitudes of both signs, None where there are none."""

    negative: float
    zero: float
    below: Side | None
    above: Side | None

    def values(self, count: int) -> Floats:
        """Return so many figures, ascending, in these shares."""
        first = round(self.negative * count) if self.below else 0
        second = round((self.negative + self.zero) * count) if self.above else count
        figures = np.zeros(count)
        if self.below and first:
            figures[:first] = -self.below.values(first)[::-1]
        if self.above and second < count:
            figures[second:] = self.above.values(count - second)
        return figures

    def noised(self, below: Floats, above: Floats) -> "Marginal":
        """Return the marginal with noise on the magnitudes of both signs; draws as in `Side.noised`."""
        return Marginal(
            negative=self.negative,
            zero=self.zero,
            below=self.below and self.below.noised(below),
            above=self.above and self.above.noised(above),
        )

    def numbers(self) -> int:
        """Return how many numbers the marginal consists of: two shares; of each sign its means, its top and its firms."""
        return 2 + sum(len(side.logs) + 2 for side in (self.below, self.above) if side)

    def described(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        sides = {"below_zero": self.below, "above_zero": self.above}
        return {"negative": self.negative, "zero": self.zero} | {
            name: {
                "means": [float(f"{np.exp(log):.2g}") for log in side.logs],
                "top": float(f"{side.top:.2g}"),
                "firms": sum(side.sizes),
            }
            for name, side in sides.items()
            if side
        }


Table = Mapping[tuple[str, int, int], Marginal | None]
"""Pool, year (its position, of events itself) and column -> its distribution."""


def noised_table(table: Table, key: Key) -> dict[tuple[str, int, int], Marginal | None]:
    """Return distributions with keyed noise, the same in every year."""
    return {at: one and noised(one, key, at[0], str(at[2])) for at, one in table.items()}


def noised(one: Marginal, key: Key, *label: str) -> Marginal:
    """Return a distribution with the noise of a label."""
    below, above = scipy.special.ndtri(key.uniforms(2 * (MOST_KNOTS + 2), *label) + 2.0**-54).reshape(2, -1)
    return one.noised(below, above)


def marginal(samples: Sequence[Floats]) -> Marginal | None:
    """Return the marginal of the first sample; of each sign, that of the first sample with enough firms, which are told apart.

    Args:
        samples: Figures without NaN: those of the industry and year, then wider ones to fall back on.

    Returns:
        None if no sample has enough.
    """
    enough = next((sample for sample in samples if len(sample) >= FEWEST), None)
    if enough is None:
        return None
    below = next((side for sample in samples if (side := _side(-sample[sample < 0]))), None)
    above = next((side for sample in samples if (side := _side(sample[sample > 0]))), None)
    return Marginal(
        negative=round(float((enough < 0).mean()), 3) if below else 0.0,
        zero=round(float((enough == 0).mean()), 3),
        below=below,
        above=above,
    )


def rounded(values: Floats, digits: int = DIGITS) -> Floats:
    """Return values rounded to significant digits; 0 stays 0."""
    with np.errstate(divide="ignore"):
        exponent = np.where(values == 0, 0.0, np.floor(np.log10(np.abs(values)))) - digits + 1
    result: Floats = np.round(values / 10**exponent) * 10**exponent
    return result


def _side(magnitudes: Floats) -> Side | None:
    if len(magnitudes) < FEWEST:
        return None
    count = min(len(magnitudes) // FEWEST, MOST_KNOTS)
    sizes = np.full(count, len(magnitudes) // count)
    sizes[: len(magnitudes) % count] += 1
    starts = np.cumsum(sizes) - sizes
    ascending = np.sort(magnitudes)
    last = ascending[starts[-1] :]
    last[-1] = largest_bounded(last)[-1]
    return side_of(np.add.reduceat(np.log(ascending), starts) / sizes, sizes.tolist(), last.mean())


def largest_bounded(ascending: Floats) -> Floats:
    """Return magnitudes, of which the largest counts with no more than its share of the sum."""
    largest = min(ascending[-1], ascending[:-1].sum() * LARGEST_SHARE / (1 - LARGEST_SHARE))
    return np.append(ascending[:-1], largest)


def side_of(logs: Floats, sizes: Sequence[float], top: float) -> Side:
    """Return a side of block means, rounded: means of logarithms from small to large, and the mean of the last block."""
    published = rounded(np.append(np.exp(logs), top))
    return Side(
        logs=tuple(np.maximum.accumulate(np.log(published[:-1])).tolist()), sizes=tuple(sizes), top=float(published[-1])
    )


def _interpolated(at: Floats, places: Floats, logs: Floats) -> Floats:
    """Return logarithms at standard normal places: between the means in straight lines, beyond them by the nearest slope."""
    if len(logs) == 1:
        return np.full(len(at), logs[0])
    found = np.interp(at, places, logs)
    slopes = np.clip(np.diff(logs) / np.diff(places), 0.0, _STEEPEST)
    found = np.where(at > places[-1], logs[-1] + slopes[-1] * (at - places[-1]), found)
    result: Floats = np.where(at < places[0], logs[0] + slopes[0] * (at - places[0]), found)
    return result
