"""Laws of probability, and ranks, as `scipy.stats` has them, to the last bit, without its import: 0.7 s in each process.

Only the law of Kolmogorov and Smirnov, which scipy has nowhere else, is taken from there (`distributions/law.py`).
"""

import numpy as np
import numpy.typing as npt
import scipy

Floats = npt.NDArray[np.float64]


def normal_density(x: Floats | float, *, scale: float = 1.0) -> Floats:
    """Return the density of a normal law around 0."""
    return np.asarray(np.exp(-((x / scale) ** 2) / 2.0) / np.sqrt(2 * np.pi) / scale)


def exceeded(successes: npt.ArrayLike, of: npt.ArrayLike, chance: npt.ArrayLike) -> Floats:
    """Return with which probability there are more successes than these, of so many tries."""
    inside = scipy.special._ufuncs._binom_sf(*(np.asarray(each, dtype=np.float64) for each in (successes, of, chance)))
    return np.where(np.less(successes, 0), 1.0, np.where(np.greater_equal(successes, of), 0.0, inside))


def of_successes(of: int, chance: float, *, rarest: float) -> tuple[int, Floats]:
    """Return the probability of each number of successes, from the smallest that is not rarer than stated to the largest.

    Returns:
        That smallest number, and the probabilities.
    """
    first, last = (
        max(0, int(scipy.special._ufuncs._binom_ppf(rarest, of, chance))),
        int(scipy.special._ufuncs._binom_isf(rarest, of, chance)),
    )
    # NOTE: as scipy does: what is certain may come out a little over 1.
    return first, np.clip(scipy.special._ufuncs._binom_pmf(np.arange(first, last + 1), of, chance), 0.0, 1.0)


def share_at_least(successes: int, of: int, confidence: float) -> float:
    """Return the one-sided lower bound of a share: exact binomial (Clopper and Pearson 1934)."""
    return float(scipy.special.betaincinv(successes, of - successes + 1, 1 - confidence)) if successes else 0.0


def ranks_of(values: npt.ArrayLike) -> Floats:
    """Return the rank of each value, from 1; equal ones have the mean of their ranks."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((times.cumsum() - (times - 1) / 2)[place])
