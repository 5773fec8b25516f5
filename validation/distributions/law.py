"""The law of the Kolmogorov-Smirnov distance: how often two samples of one distribution are so far apart.

Belongs here: p of a distance, the smallest that two sizes can have, and the smallest distance that is significant. None of it
depends on data.
"""

import inspect
import math
import warnings
from bisect import bisect_left
from functools import cache

import numpy as np
import scipy

from validation.distributions.samples import Floats, Integers


def p_values(statistic: Floats, n: Floats, m: Floats) -> Floats:
    """Return P(D >= statistic) as `scipy.stats.ks_2samp` gives it, one for each statistic.

    It is exact where the number of orders of both samples, C(n + m, n), is a float: up to about 500 figures on each side.
    Beyond it is asymptotic.
    """
    outcomes = np.column_stack([statistic, n, m])
    # scipy takes one outcome after the other, and most outcomes of many small samples are equal.
    distinct, place = np.unique(outcomes, axis=0, return_inverse=True)
    return np.array([_p_value(distance, int(n), int(m)) for distance, n, m in distinct])[place.ravel()]


def smallest_p(n: Floats, m: Floats) -> Floats:
    """Return the exact p of samples that do not overlap: 2 of C(n + m, n) equally likely orders, 1 if one is empty.

    Source: Hodges (1958), Arkiv foer Matematik 3, section 2. Below sizes of 4 and 4 no outcome reaches 0.05.
    """
    return np.minimum(2 / scipy.special.binom(n + m, n), 1.0)


def critical_distance(n: int, m: int, alpha: float) -> float:
    """Return the smallest D of samples of n and m whose p, as `p_values` gives it, is at most alpha; above 1 if no D's is."""
    return critical_steps(n, m, alpha) / math.lcm(n, m)


@cache
def critical_steps(n: int, m: int, alpha: float) -> int:
    """Return `critical_distance` in steps of 1 / lcm(n, m), which every D is a multiple of; one above 1 if no D is enough."""
    # The distance that is usual for many figures is at most two figures of the smaller sample off.
    steps, reach = math.lcm(n, m), 2 * math.lcm(n, m) // min(n, m)
    near = int(steps * usual_distance(np.array(n * m / (n + m)), alpha))
    ends = max(near - reach, 1), min(near + reach, steps) + 1
    found = bisect_left(range(steps + 1), True, *ends, key=lambda k: _p_value(k / steps, n, m) <= alpha)
    if found > steps:
        return found
    i, j = _outcome(found / steps, n, m)
    return (i * m - j * n) // math.gcd(n, m)


def usual_distance(effective: Floats, alpha: float) -> Floats:
    """Return the D that has p = alpha at `effective` = n * m / (n + m) observations, where these are many.

    At alpha = 0.05 it is within 0.5 % of the one-sample law, which takes scipy seconds to invert for one environment's sizes.
    Source: Stephens (1970), Journal of the Royal Statistical Society B 32, 115-122, the modified Kolmogorov statistic.
    """
    root = np.sqrt(effective)
    return np.asarray(scipy.special.kolmogi(alpha) / (root + 0.12 + 0.11 / root))


@cache
def _p_value(distance: float, n: int, m: int) -> float:
    is_exact = smallest_p(np.array(n), np.array(m)) > 0
    with warnings.catch_warnings(
        action="ignore"
    ):  # where a p of 1 exceeds it by a rounding, scipy takes the asymptotic one
        # Without scipy's reading of axes and missing figures, which takes twice the time of the test itself.
        test = inspect.unwrap(scipy.stats.ks_2samp)
        found = test(*_samples(distance, n, m), method="exact" if is_exact else "asymp")
    return float(found.pvalue)


def _samples(distance: float, n: int, m: int) -> tuple[Integers, Integers]:
    """Return samples of zeros and ones with this distance, or the next larger one that there is."""
    i, j = _outcome(distance, n, m)
    return np.repeat([0, 1], [i, n - i]), np.repeat([0, 1], [j, m - j])


def _outcome(distance: float, n: int, m: int) -> tuple[int, int]:
    """Return i and j, up to n and m, of which i / n - j / m is at least the distance, and nearest to it."""
    above = np.arange(n + 1) * m - round(distance * n * m)
    i = int(np.argmin(np.where(above >= 0, above % n, n)))
    return i, int(above[i] // n)
