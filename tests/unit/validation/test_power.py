"""Power of the tests: stated shifts are found as often as stated."""

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy import stats

from tests.stats import check_rate_within
from validation.distributions.law import critical_distance, critical_steps, smallest_p, usual_distance
from validation.distributions.power import crossing_chance, detectable_shift
from validation.distributions.two_sample import two_sample_tests


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (3, 3), (4, 4), (3, 9), (10, 12)])
def test_smallest_p_is_the_exact_p_of_samples_apart(n: int, m: int) -> None:
    """No outcome is more significant than two samples that do not overlap; scipy's exact p says how much that is."""
    expected = stats.ks_2samp(np.arange(n), np.arange(m) + n, method="exact").pvalue
    assert smallest_p(np.array([float(n)]), np.array([float(m)]))[0] == pytest.approx(expected)


@pytest.mark.parametrize("effective", [2, 3, 7, 15, 75, 300, 3_000])
def test_usual_distance_is_within_half_a_per_cent_of_the_exact_law(effective: float) -> None:
    """Stephens' formula agrees with scipy's inversion of the exact law at alpha = 0.05."""
    assert usual_distance(np.array([effective]), 0.05)[0] == pytest.approx(stats.kstwo.isf(0.05, effective), rel=0.005)


@pytest.mark.parametrize("n", [*range(4, 120), 200, 333, 500, 660])
def test_critical_steps_are_the_fewest_that_are_significant(n: int) -> None:
    """One step fewer is not significant by scipy's exact test, and this many are."""
    steps = critical_steps(n, n, 0.05)
    apart = [
        stats.ks_2samp(np.repeat([0, 1], [k, n - k]), np.ones(n), method="exact" if n <= 500 else "asymp").pvalue
        for k in (steps - 1, steps)
    ]
    assert apart[0] > 0.05 >= apart[1]


@pytest.mark.parametrize(("n", "m"), [(1, 40), (2, 9), (3, 7), (4, 6), (7, 7), (12, 30), (29, 31), (17, 58)])
def test_critical_distance_is_the_smallest_that_is_significant(n: int, m: int) -> None:
    """Of all distances that two sizes can have, it is the first that scipy's exact test rejects."""
    outcomes = [(i / n - j / m, i, j) for i, j in np.ndindex(n + 1, m + 1) if i / n - j / m > 0.3]
    rejected = [
        distance
        for distance, i, j in outcomes
        if stats.ks_2samp(np.repeat([0, 1], [i, n - i]), np.repeat([0, 1], [j, m - j]), method="exact").pvalue <= 0.05
    ]
    assert len(rejected) < len(outcomes)
    assert critical_distance(n, m, 0.05) == pytest.approx(min(rejected), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 3), (2, 4)])
def test_sizes_without_a_significant_distance_have_one_that_no_samples_reach(n: int, m: int) -> None:
    """A share of it stays below 1, as these tests never reject."""
    assert critical_distance(n, m, 0.05) > 1


@pytest.mark.parametrize("critical", [0.5, 1.0, 1.36, 2.0])
def test_bridge_without_drift_crosses_with_the_known_chance(critical: float) -> None:
    """Without a shift, the chance is Smirnov's exp(-2 c^2)."""
    assert crossing_chance(0.0, critical) == pytest.approx(math.exp(-2 * critical**2), rel=1e-3)


@pytest.mark.parametrize("n", [8, 30, 150, 600])
def test_detectable_shift_is_detected_in_four_of_five_cases(n: int) -> None:
    """Simulated power at the stated shift is between 0.74 and 0.84; at half the shift it is below 0.4."""
    trials = max(1_500, 160_000 // n)
    draws = np.random.default_rng(n).normal(size=(2, trials, n))
    shift = detectable_shift(n, alpha=0.05).item()
    check_rate_within(rejections(draws, shift), trials, 0.74, 0.84, tests=8)
    check_rate_within(rejections(draws, shift / 2), trials, 0.0, 0.4, tests=8)


def rejections(draws: npt.NDArray[np.float64], shift: float) -> int:
    """Return in how many trials the second sample, shifted, is told from the first."""
    trials, n = draws.shape[1:]
    numbers = np.tile(np.repeat(np.arange(trials), n), 2)
    values = np.concatenate([draws[0].ravel(), draws[1].ravel() + shift])
    sides = np.repeat([0, 1], trials * n)
    found = two_sample_tests(pl.DataFrame({"sample": numbers, "value": values, "is_anonymised": sides}))
    return found.filter(pl.col("p_value") <= 0.05).height


def test_more_power_needs_a_larger_shift() -> None:
    """A shift found in 95 % of cases is larger than one found in 80 %, and so is one at a stricter alpha."""
    usual = detectable_shift(150, alpha=0.05)
    assert detectable_shift(150, alpha=0.05, power=0.95) > usual
    assert detectable_shift(150, alpha=0.01) > usual


def test_detectable_shift_falls_with_size() -> None:
    """More firms detect less; at 150 firms, a typical sub-industry, 0.38 standard deviations are the limit."""
    shifts = detectable_shift([10, 30, 150, 600, 6_000], alpha=0.05)
    assert all(larger > smaller for larger, smaller in pairwise(shifts))
    assert shifts[2] == pytest.approx(0.38, abs=0.01)
