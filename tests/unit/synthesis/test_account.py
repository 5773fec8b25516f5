"""The account: noise of the stated size and law, keyed; budgets that add up, and no more than there is."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from anonymize.synthesis.account import BudgetAccount, clipped, shared_out
from anonymize.synthesis.cube import Floats
from pipeline.keyed import Key
from tests.stats import ALPHA

KEY = Key(b"a" * 32)


def noise_of(key: Key = KEY, *, sensitivity: float = 3.0, rho: float = 0.5) -> Floats:
    """Return the noise that 20,000 zeros get."""
    account = BudgetAccount(budget=1.0, key=key)
    return account.noised("zeros", np.zeros(20_000), sensitivity=sensitivity, rho=rho).values


def test_noise_is_normal_with_the_deviation_that_the_budget_buys() -> None:
    """Sigma is sensitivity / sqrt(2 rho), normal by a KS test (n = 20,000: a factor of 1.1 is seen)."""
    assert stats.kstest(noise_of(sensitivity=3.0, rho=0.5), stats.norm(scale=3.0).cdf).pvalue > ALPHA
    assert stats.kstest(noise_of(sensitivity=3.0, rho=0.125), stats.norm(scale=6.0).cdf).pvalue > ALPHA
    assert stats.kstest(noise_of(sensitivity=3.0), stats.norm(scale=3.3).cdf).pvalue < ALPHA


def test_noise_is_that_of_key_and_statistic() -> None:
    """The same key gives the same noise, another one other noise, and so does another statistic."""
    assert np.array_equal(noise_of(), noise_of())
    account = BudgetAccount(budget=1.0, key=KEY)
    other = account.noised("others", np.zeros(20_000), sensitivity=3.0, rho=0.5).values
    for different in (other, noise_of(KEY.derive("another"))):
        assert abs(stats.pearsonr(noise_of(), different)[0]) < 5 / sqrt(20_000)


def test_last_bits_do_not_pass() -> None:
    """Sums that differ in a billionth of the noise, as processors' do, pass as the same."""
    exact = np.linspace(-1e6, 1e6, 1_000)
    first, other = (
        BudgetAccount(budget=1.0, key=KEY).noised("sums", total, sensitivity=1.0, rho=0.5).values
        for total in (exact, exact * (1 + 1e-16) + 1e-10)
    )
    assert (first == other).mean() > 0.99


def test_no_more_is_spent_than_there_is() -> None:
    """Parts add up to the budget and no further; each statistic stands in the account once."""
    account = BudgetAccount(budget=1.0, key=KEY)
    for name, rho in shared_out(1.0, [("one", 1.0), ("two", 3.0)]):
        account.noised(name, np.zeros(2), sensitivity=1.0, rho=rho)
    assert account.spent() == pytest.approx(1.0)
    assert [line.rho for line in account.lines] == [0.25, 0.75]
    with pytest.raises(ValueError, match="'three' would spend more than the budget of 1"):
        account.noised("three", np.zeros(2), sensitivity=1.0, rho=0.01)
    with pytest.raises(ValueError, match="'one' is in the account already"):
        BudgetAccount(budget=2.0, key=KEY, lines=account.lines).noised("one", np.zeros(2), sensitivity=1.0, rho=0.5)


@given(arrays(np.float64, (4, 5), elements=st.floats(-1e300, 1e300)), st.floats(0.1, 10))
def test_clipped_vectors_are_no_longer_than_stated(vectors: Floats, norm: float) -> None:
    """Whatever there is, extremes included, is as long as the norm at most, and stays as it is if it was."""
    found = clipped(vectors / 1e150, norm)
    assert np.linalg.norm(found, axis=-1).max() <= norm * (1 + 1e-12)
    short = np.linalg.norm(vectors / 1e150, axis=-1) <= norm
    assert np.allclose(found[short], vectors[short] / 1e150)
