"""The shared checkers accept what is right and reject what is slightly wrong."""

import numpy as np
import pytest
from scipy import stats

from tests.stats import check_law, check_rate, check_rate_within, check_shares, rate_bounds

GRID = (np.arange(2_000) + 0.5) / 2_000


def test_rate_bounds_leave_at_most_alpha_outside() -> None:
    """The chance of leaving the bounds is at most alpha, and one step narrower would exceed its half on a side."""
    low, high = rate_bounds(1_000, 0.3, alpha=0.01)
    law = stats.binom(1_000, 0.3)
    assert law.cdf(low - 1) + law.sf(high) <= 0.01
    assert law.cdf(low) > 0.005
    assert law.sf(high - 1) > 0.005


def test_rate_is_rejected_one_success_beyond_its_bounds() -> None:
    """The bounds themselves pass; one more success fails."""
    low, high = rate_bounds(1_000, 0.3)
    check_rate(low, 1_000, 0.3)
    check_rate(high, 1_000, 0.3)
    with pytest.raises(AssertionError, match=r"a rate of 0\.3 allows"):
        check_rate(high + 1, 1_000, 0.3)


def test_rate_outside_of_an_interval_is_rejected() -> None:
    """Any rate inside of the interval passes; one far outside fails."""
    check_rate_within(800, 1_000, 0.75, 0.85)
    with pytest.raises(AssertionError, match=r"rates of 0\.75 to 0\.85 allow"):
        check_rate_within(950, 1_000, 0.75, 0.85)


def test_law_that_is_shifted_is_rejected() -> None:
    """A perfect uniform sample passes as uniform; shifted by 0.1 it fails."""
    check_law(GRID, stats.uniform.cdf)
    with pytest.raises(AssertionError, match="KS rejects"):
        check_law(GRID * 0.9 + 0.1, stats.uniform.cdf)


def test_shares_that_differ_are_rejected() -> None:
    """Equal counts pass as equal shares; a category short of a third fails."""
    check_shares([300, 300, 300])
    check_shares([600, 300], [2 / 3, 1 / 3])
    with pytest.raises(AssertionError, match="chi2 rejects"):
        check_shares([350, 350, 200])


def test_shares_over_too_few_draws_are_refused() -> None:
    """Chi-squared is not valid below five expected counts, so it is not applied."""
    with pytest.raises(AssertionError, match="draw more"):
        check_shares([2, 2])
