"""Correlations seen through ties and noise, and a process drawn with them: against simulation and exact moments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from anonymize.synthesis.cube import Floats
from anonymize.synthesis.dependence import (
    Dependence,
    hermite_coefficients,
    normal_correlations,
    positive_definite,
    process,
    whitening,
    without_noise,
)

Tied = tuple[tuple[float, float], ...]


def scores(normal: Floats, tied: Tied) -> Floats:
    """Return the scores of normal draws whose quantiles between such shares are tied: the mean of each tie."""
    found = normal.copy()
    shares = stats.norm.cdf(normal)
    for low, high in tied:
        moment = stats.norm.pdf(stats.norm.ppf(low)) - stats.norm.pdf(stats.norm.ppf(high))
        found[(shares > low) & (shares < high)] = moment / (high - low)
    return found


TIES: tuple[Tied, ...] = ((), ((0.0, 0.5),), ((0.2, 0.5),), ((0.0, 0.9), (0.9, 1.0)))


@pytest.mark.parametrize("first", TIES)
@pytest.mark.parametrize("second", TIES[:3])
@pytest.mark.parametrize("r", [-0.5, 0.0, 0.5, 0.9])
def test_a_correlation_is_seen_through_ties(first: Tied, second: Tied, r: float) -> None:
    """Zeros, states and their absence: r comes back from the correlation of the scores (n = 100,000)."""
    both = stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).rvs(100_000, random_state=1)
    columns = [scores(both[:, place], tied) for place, tied in enumerate((first, second))]
    observed = np.corrcoef(np.stack(columns))
    coefficients = np.stack([hermite_coefficients(tied) for tied in (first, second)])
    assert normal_correlations(observed, coefficients)[0, 1] == pytest.approx(r, abs=0.04)


@pytest.mark.parametrize("tied", TIES)
def test_the_last_coefficient_is_the_deviation_of_the_score(tied: Tied) -> None:
    """Against a sample of 200,000."""
    normal = np.random.default_rng(2).normal(size=200_000)
    assert hermite_coefficients(tied)[-1] == pytest.approx(scores(normal, tied).std(), abs=0.01)


def noised(correlations: Floats, noise: float, seed: int) -> Floats:
    """Return a matrix with symmetric noise off its diagonal."""
    drawn = np.triu(np.random.default_rng(seed).normal(0, noise, correlations.shape), 1)
    return np.asarray(correlations + drawn + drawn.T)


def planted(columns: int = 40) -> Floats:
    """Return correlations of columns with two common factors."""
    loadings = np.random.default_rng(3).uniform(0.2, 0.7, (columns, 2))
    found = loadings @ loadings.T
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


@pytest.mark.parametrize("noise", [0.03, 0.1])
def test_noise_is_taken_off_a_matrix(noise: float) -> None:
    """With the noise of 40 x 40 numbers the error that is left is about half (root mean square, five draws)."""
    whole, level = planted(), np.full(40, 0.5)
    left = [without_noise(noised(whole, noise, seed), noise, level) - whole for seed in range(5)]
    off = ~np.eye(40, dtype=bool)
    assert np.sqrt(np.mean([(each[off] ** 2).mean() for each in left])) < 0.55 * noise


@given(st.integers(0, 10**6), st.integers(2, 12), st.floats(0.0, 3.0))
def test_every_matrix_becomes_positive_definite(seed: int, columns: int, noise: float) -> None:
    """Whatever noise did, eigenvalues are above 0, and the diagonal is as it was."""
    found = positive_definite(noised(np.eye(columns), noise, seed))
    assert np.linalg.eigvalsh(found).min() > 0
    assert np.allclose(np.diag(found), 1)


def paths(dependence: Dependence, rows: int, years: int, seed: int = 0) -> Floats:
    """Return drawn paths."""
    normal = np.random.default_rng(seed).normal(size=dependence.draws(rows, years))
    return dependence.paths(normal, rows, years)


def test_the_first_year_has_exactly_the_models_correlations() -> None:
    """Sampling adds no error to common and own parts: what is left is the product of both (3 / sqrt(n))."""
    found = paths(process(planted(), np.full(40, 0.9)), 2_000, 1)[:, 0]
    assert np.allclose(found.mean(axis=0), 0, atol=1e-9)
    assert np.abs(np.corrcoef(found.T) - planted()).max() < 3 * 2 / np.sqrt(2_000)


@pytest.mark.parametrize("lagged", [0.3, 0.8, 0.97])
def test_years_hang_together_as_much_as_they_should(lagged: float) -> None:
    """The mean correlation of a column with itself a year later is the stated one (n = 2,000, four years)."""
    loadings = np.random.default_rng(4).uniform(0.1, 0.4, (10, 1))
    correlations = loadings @ loadings.T
    np.fill_diagonal(correlations, 1.0)
    found = paths(process(correlations, np.full(10, lagged)), 2_000, 4)
    seen = [np.corrcoef(found[:, year, j], found[:, year + 1, j])[0, 1] for year in range(3) for j in range(10)]
    assert np.mean(seen) == pytest.approx(lagged, abs=0.02)
    assert found.var(axis=0).mean() == pytest.approx(1, abs=0.05)


def test_last_bits_of_an_estimate_change_last_bits_of_a_draw() -> None:
    """Processors differ in last bits, and columns without a correlation have no eigenvectors of their own."""
    alone, lagged = np.eye(7) + 1e-9, np.full(7, 0.5)
    one, other = (paths(process(each, lagged), 200, 4) for each in (alone, noised(alone, 1e-13, 6)))
    assert np.allclose(one, other, rtol=0, atol=1e-9)


@settings(max_examples=20)
@given(st.integers(1, 30), st.integers(1, 4))
def test_few_entities_are_drawn_all_the_same(rows: int, years: int) -> None:
    """Fewer rows than columns have no exact moments, and finite scores."""
    assert np.isfinite(paths(process(planted(), np.full(40, 0.9)), rows, years)).all()


@given(seed=st.integers(0, 1_000), columns=st.integers(2, 12))
def test_whitening_leaves_least_unknown(seed: int, columns: int) -> None:
    """Noise in proportion to the length of weighted rows, undone, is least: no other power of the correlations does better."""
    loads = np.random.default_rng(seed).normal(size=(columns, 2))
    correlations = loads @ loads.T + 2 * np.eye(columns)
    correlations /= np.sqrt(np.outer(np.diag(correlations), np.diag(correlations)))
    found = whitening(correlations)
    assert np.allclose(found.weights @ found.undone, np.eye(columns))
    left = found.expected(np.ones(columns)) * np.trace(found.noise)
    values = np.linalg.eigvalsh(correlations)
    others = [(values ** (1 - 2 * power)).sum() * (values ** (2 * power)).sum() for power in (0.0, 0.1, 0.2, 0.3, 0.5)]
    if values.min() > 0.1:
        assert left <= min(others) * (1 + 1e-9)
