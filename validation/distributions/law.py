"""The law of the Kolmogorov-Smirnov distance: how often two samples of one distribution are so far apart.

Belongs here: p of a distance, the smallest that two sizes can have, and the smallest distance that is significant. None of it
depends on data.
"""

import inspect
import warnings
from functools import cache

import numpy as np
import numpy.typing as npt
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


def critical_distance(effective: Floats, alpha: float) -> Floats:
    """Return the D that is significant at `effective` = n * m / (n + m) observations, where these are many.

    At alpha = 0.05 it is within 0.5 % of the one-sample law, which takes scipy seconds to invert for one environment's sizes.
    Source: Stephens (1970), Journal of the Royal Statistical Society B 32, 115-122, the modified Kolmogorov statistic.
    """
    root = np.sqrt(effective)
    return np.asarray(scipy.special.kolmogi(alpha) / (root + 0.12 + 0.11 / root))


def critical_steps(n: npt.ArrayLike, alpha: float) -> Floats:
    """Return the smallest k for which D = k / n between two samples of n is significant: the law's, or one more."""
    sizes, place = np.unique(np.asarray(n, dtype=np.float64), return_inverse=True)
    steps = np.ceil(sizes * critical_distance(np.round(sizes / 2), alpha))
    steps += p_values(np.minimum(steps / sizes, 1.0), sizes, sizes) > alpha
    return np.asarray(steps[place].reshape(np.shape(n)))


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
    """Return samples of zeros and ones with this distance: i zeros of n and j of m, with i / n - j / m = distance."""
    zeros = np.arange(n + 1)
    others = zeros * m - round(distance * n * m)
    i = int(np.argmax((others >= 0) & (others % n == 0)))
    j = int(others[i] // n)
    return np.repeat([0, 1], [i, n - i]), np.repeat([0, 1], [j, m - j])
