"""Statistical checkers that tests share, so that no tolerance is made up on the spot.

Each checker takes a sample that was drawn with fixed keys, and raises `AssertionError` if a named test rejects it.
`alpha` is the chance that a right implementation is rejected; `tests` is how many checks share it (Bonferroni).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

ALPHA = 1e-4
"""One right test in ten thousand is rejected, and the keys are fixed: a rejection is a defect or a changed draw."""

Floats = npt.NDArray[np.float64]


def rate_bounds(trials: int, rate: float, *, alpha: float = ALPHA, tests: int = 1) -> tuple[int, int]:
    """Return the fewest and most successes, both allowed, of a binomial at this rate: exact, alpha / 2 on each side."""
    law = stats.binom(trials, rate)
    return int(law.ppf(alpha / tests / 2)), int(law.isf(alpha / tests / 2))


def check_rate(successes: int, trials: int, rate: float, *, alpha: float = ALPHA, tests: int = 1) -> None:
    """Check that the successes are within the exact binomial bounds of a rate."""
    low, high = rate_bounds(trials, rate, alpha=alpha, tests=tests)
    assert low <= successes <= high, f"{successes} of {trials}; a rate of {rate} allows {low} to {high}"


def check_rate_within(
    successes: int, trials: int, low: float, high: float, *, alpha: float = ALPHA, tests: int = 1
) -> None:
    """Check that the successes are compatible with some rate between `low` and `high`, both included."""
    fewest = rate_bounds(trials, low, alpha=alpha, tests=tests)[0]
    most = rate_bounds(trials, high, alpha=alpha, tests=tests)[1]
    assert fewest <= successes <= most, f"{successes} of {trials}; rates of {low} to {high} allow {fewest} to {most}"


def check_law(
    sample: Sequence[float] | Floats, cdf: Callable[[Any], Any], *, alpha: float = ALPHA, tests: int = 1
) -> None:
    """Check that a sample has a continuous law: one-sample Kolmogorov-Smirnov, exact p."""
    found = stats.kstest(sample, cdf, method="exact")
    assert found.pvalue > alpha / tests, f"KS rejects the law: D = {found.statistic:.4f}, p = {found.pvalue:.2g}"


def check_shares(
    counts: Sequence[int], shares: Sequence[float] | None = None, *, alpha: float = ALPHA, tests: int = 1
) -> None:
    """Check that counts have the given shares (equal ones by default): chi-squared, no expected count below 5."""
    total = sum(counts)
    expected = [total * share for share in shares or [1 / len(counts)] * len(counts)]
    assert min(expected) >= 5, f"expected counts go down to {min(expected):.3g}; draw more for chi-squared to be valid"
    found = stats.chisquare(counts, expected)
    assert found.pvalue > alpha / tests, f"chi2 rejects the shares: {found.statistic:.2f}, p = {found.pvalue:.2g}"
