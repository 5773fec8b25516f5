"""The power of a two-sample Kolmogorov-Smirnov test of a given size.

Belongs here: power, which does not depend on data. p and critical values are in `law.py`, the tests in `two_sample.py`.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import scipy

from validation.distributions.law import critical_steps
from validation.distributions.samples import Floats
from validation.laws import normal_density

POWER = 0.8
"""Probability of rejection at which a shift counts as detectable; the convention of Cohen (1988), section 2.4."""

KNOTS = 17
STEP = 0.05
REACH = 100
"""Half of the bridge in 16 linear pieces, on a grid of 100 steps of 0.05: shifts are right to 0.06 %."""


def detectable_shift(n: npt.ArrayLike, *, alpha: float, power: float = POWER) -> Floats:
    """Return the shift, in standard deviations, that the test of two normal samples of n each detects with this power.

    Two normal laws d apart are farthest apart, by D = 2 * Phi(d / 2) - 1, half-way between their means. As n grows,
    sqrt(n / 2) times the distance of the samples becomes a Brownian bridge plus a drift (Hajek and Sidak, 1967, Theory
    of Rank Tests, chapter VI), whose peak must be `_needed_peak` to cross the limit's critical value with this power.
    At a finite n the test rejects from k = `critical_steps` of 1 / n on; D is raised by the excess of this threshold,
    (k - 1/2) / n with continuity correction, over that of the limit. In simulations the power at a stated shift is 0.73 to
    0.79 from n = 4 to 101 (8,000 trials each), so that stated shifts are slightly too small.

    Args:
        n: size of each sample, at least 4.
        alpha: significance level.
    """
    sizes = np.asarray(n, dtype=np.float64)
    steps = np.array([critical_steps(size, size, alpha) for size in sizes.astype(int).ravel().tolist()])
    threshold = (steps.reshape(sizes.shape) - 0.5) / sizes
    # The peak of the drift must exceed the critical value by this much for the required power.
    slack = _needed_peak(alpha, power) - scipy.special.kolmogi(alpha)
    return np.asarray(2 * scipy.special.ndtri((1 + threshold + slack / np.sqrt(sizes / 2)) / 2))


@cache
def _needed_peak(alpha: float, power: float) -> float:
    critical = float(scipy.special.kolmogi(alpha))
    return float(scipy.optimize.brentq(lambda peak: crossing_chance(peak, critical) - power, 0.0, 2 * critical + 4))


def crossing_chance(peak: float, critical: float) -> float:
    """Return the probability that a Brownian bridge plus the drift of a normal shift exceeds `critical` on [0, 1].

    The drift is peak * phi(Phi^-1(t)) / phi(0). The bridge is followed from 0 to 1/2 by its distance below the boundary,
    and killed where it crosses; each step has the exact survival 1 - exp(-2 * a * b / h) of a linear boundary (Wang and
    Poetzelberger, 1997, Journal of Applied Probability 34, 54-65). The second half mirrors the first. Crossing on the other
    side, against the drift, is neglected: its probability is below alpha / 2.
    """
    times = np.arange(KNOTS, dtype=np.float64) / (2 * KNOTS - 2)
    rises = np.diff(critical - peak * normal_density(scipy.special.ndtri(times)) / normal_density(0.0))
    distances = np.arange(0.5, REACH, dtype=np.float64) * STEP
    density = _transition(np.array(critical), distances, rises[0], times[1])
    for rise in rises[1:]:
        density = np.matmul(density, _transition(distances[:, None], distances, rise, times[1])) * STEP
    # The bridge is two halves that meet at 1/2: squaring joins them, and the factor conditions on its end at 0.
    return float(1 - np.sqrt(2 * np.pi) * np.sum(density**2) * STEP)


def _transition(before: Floats, after: Floats, rise: float, duration: float) -> Floats:
    """Return the density of moving from one distance to another without crossing the boundary, which rises meanwhile."""
    survival = -np.expm1(-2 * before * after / duration)
    return np.asarray(normal_density(after - before - rise, scale=np.sqrt(duration)) * survival)
