"""Correlations seen through ties, and a process drawn with them: scores by integration, correlations from simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from anonymize.synthesis.cube import Floats
from anonymize.synthesis.dependence import Dependence, fit_dependence, normal_scores

COLUMNS = st.lists(st.one_of(st.just(float("nan")), st.integers(-3, 3).map(float)), min_size=1, max_size=12)


def scores_of(column: Floats) -> Floats:
    """Return the scores of one column in one group."""
    scores: Floats = normal_scores(column[:, None, None], [np.arange(len(column))])[:, 0, 0]
    return scores


@settings(max_examples=40)
@given(COLUMNS)
def test_scores_are_expected_normal_quantiles(values: list[float]) -> None:
    """The score of a figure is the mean of the standard normal law between the shares where its ties lie (scipy.integrate)."""
    column = np.array(values)
    known = column[~np.isnan(column)]
    for value, score in zip(column, scores_of(column), strict=True):
        if np.isnan(value):
            assert np.isnan(score)
            continue
        low, high = (stats.norm.ppf(share) for share in ((known < value).mean(), (known <= value).mean()))
        moment = integrate.quad(lambda z: z * stats.norm.pdf(z), low, high)[0]
        assert score == pytest.approx(moment / (known == value).mean(), abs=1e-6)


@given(COLUMNS)
def test_scores_depend_on_order_alone(values: list[float]) -> None:
    """A rising function of the figures changes no score."""
    column = np.array(values)
    assert np.array_equal(scores_of(column), scores_of(np.exp(column) * 7 + 1), equal_nan=True)


def test_scores_have_mean_0_in_each_group() -> None:
    """Groups are scored apart: each has mean 0, whatever the level of the other."""
    rng = np.random.default_rng(0)
    column = np.maximum(rng.normal(size=(60, 3, 2)), 0)
    column[:20] += 100
    groups = [np.arange(20), np.arange(20, 60)]
    scores = normal_scores(column, groups)
    for group in groups:
        assert np.allclose(scores[group].mean(axis=0), 0, atol=1e-12)


def fitted(constant: Floats, yearly: Floats) -> Dependence:
    """Fit the process to columns of one group."""
    everybody = [np.arange(len(yearly))]
    scores = normal_scores(constant[:, None], everybody)[:, 0], normal_scores(yearly, everybody)
    total = constant.shape[1] + yearly.shape[2]
    return fit_dependence(constant, yearly, scores, np.zeros((total, total)))


def tied(normal: Floats, share: float) -> Floats:
    """Return figures of which a share is zero, the others above it."""
    return np.maximum(normal - stats.norm.ppf(share), 0) if share else normal


SHARES = [(0, 0), (0, 0.5), (0.5, 0.5), (0, 0.9), (0.5, 0.9), (0.9, 0.9)]
SEEN = [(shares, r) for shares in SHARES for r in (-0.3, 0.0, 0.5, 0.8, 0.95) if r >= 0 or min(shares) < 0.5]
"""That two rare things never meet is no evidence of a negative correlation: those are drawn to 0, and not here."""


@pytest.mark.parametrize(("shares", "r"), SEEN)
def test_a_correlation_is_seen_through_zeros(shares: tuple[float, float], r: float) -> None:
    """With zeros below the median or nine in ten, r comes back within 5 standard errors of n firms that are not zero."""
    n = 20_000
    normal = stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).rvs(n, random_state=1)
    columns = np.stack([tied(normal[:, side], share) for side, share in enumerate(shares)], axis=1)
    found = fitted(np.empty((n, 0)), columns[:, None]).now[0, 1]
    informative = n * (1 - shares[0]) * (1 - shares[1])
    assert found == pytest.approx(r, abs=5 * (1 - r**2) / np.sqrt(informative) + 0.012)


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("r", [-0.5, 0.6])
def test_a_correlation_is_seen_through_states(share: float, r: float) -> None:
    """A state of 0 and 1 (a gap) has the correlation of the normal variable behind it: both its values are tied."""
    n = 20_000
    normal = stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).rvs(n, random_state=2)
    columns = np.stack([normal[:, 0], normal[:, 1] > stats.norm.isf(share)], axis=1)
    found = fitted(np.empty((n, 0)), columns[:, None]).now[0, 1]
    assert found == pytest.approx(r, abs=0.025)


def test_strong_negative_correlations_are_seen_through_zeros_of_half() -> None:
    """A correlation of -0.8 comes back where half of one column is zero."""
    normal = stats.multivariate_normal([0, 0], [[1, -0.8], [-0.8, 1]]).rvs(20_000, random_state=3)
    columns = np.stack([normal[:, 0], tied(normal[:, 1], 0.5)], axis=1)
    assert fitted(np.empty((20_000, 0)), columns[:, None]).now[0, 1] == pytest.approx(-0.8, abs=0.03)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(21, 60), st.integers(0, 3), st.integers(1, 3))
def test_a_fitted_process_can_be_drawn(seed: int, n: int, p: int, years: int) -> None:
    """Any panel, with gaps, constants and copies, gives a positive definite matrix with ones on its diagonal."""
    rng = np.random.default_rng(seed)
    yearly = np.maximum(rng.normal(size=(n, years, 4)), rng.normal(size=4))
    yearly[:, :, 1], yearly[:, :, 2] = yearly[:, :, 0], 1.0
    yearly[rng.random(yearly.shape) < 0.3] = np.nan
    dependence = fitted(rng.normal(size=(n, p)), yearly)
    assert np.allclose(np.diag(dependence.now), 1)
    assert np.linalg.eigvalsh(dependence.now).min() > 0
    constant, moving = dependence.draw(rng.normal(size=(n, p + 4 * years)), years)
    assert constant.shape == (n, p)
    assert moving.shape == (n, years, 4)
    assert np.isfinite(moving).all()


def process(n: int = 400) -> tuple[Dependence, Floats, Floats]:
    """Return a process fitted to two constant and three yearly columns, and one draw of it over four years."""
    rng = np.random.default_rng(5)
    size = rng.normal(size=(n, 1))
    constant = size + rng.normal(0, 0.4, (n, 2))
    yearly = np.empty((n, 4, 3))
    yearly[:, 0] = size + rng.normal(size=(n, 3))
    for year in range(1, 4):
        yearly[:, year] = 0.7 * yearly[:, year - 1] + rng.normal(size=(n, 3))
    dependence = fitted(constant, yearly)
    return dependence, *dependence.draw(rng.normal(size=(n, 2 + 3 * 4)), 4)


def test_last_bits_of_an_estimate_change_last_bits_of_a_draw() -> None:
    """Processors differ in last bits, and then columns without a correlation have no eigenvectors of their own."""
    rng, alone = np.random.default_rng(6), np.eye(7)
    noise = 1e-13 * rng.normal(size=(7, 7))
    normal = rng.normal(size=(200, 7 + 5 * 3))
    one, other = (
        Dependence(constant=2, now=now, next=np.zeros((7, 5))).draw(normal, 4)
        for now in (alone, alone + noise + noise.T)
    )
    assert all(np.allclose(mine, its, rtol=0, atol=1e-9) for mine, its in zip(one, other, strict=True))


def test_the_first_year_has_exactly_the_models_correlations() -> None:
    """Sampling adds no error in the first year: moments of the sample are the model's (numpy)."""
    dependence, constant, yearly = process()
    both = np.concatenate([constant, yearly[:, 0]], axis=1)
    assert np.allclose(both.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(np.cov(both.T, bias=True), dependence.now, atol=1e-9)


def test_the_year_after_has_the_models_correlations() -> None:
    """Between the first year and the second they are exact, later ones within 4 / sqrt(n)."""
    dependence, constant, yearly = process()
    for year, tolerance in ((0, 1e-9), (1, 0.2), (2, 0.2)):
        before = np.concatenate([constant, yearly[:, year]], axis=1)
        assert np.allclose(before.T @ yearly[:, year + 1] / len(before), dependence.next, atol=tolerance)


def test_variance_does_not_drift() -> None:
    """Every year has variance 1, within 5 standard errors of n = 400."""
    _, _, yearly = process()
    assert np.allclose(yearly.var(axis=0), 1, atol=5 * np.sqrt(2 / 400))


def test_a_draw_is_that_of_its_normal_numbers() -> None:
    """The same numbers give the same paths, to the bit."""
    assert np.array_equal(process()[2], process()[2])


def test_few_firms_are_drawn_without_exact_moments() -> None:
    """Fewer rows than columns are drawn all the same."""
    dependence, _, _ = process()
    constant, yearly = dependence.draw(np.random.default_rng(0).normal(size=(3, 14)), 4)
    assert np.isfinite(constant).all()
    assert np.isfinite(yearly).all()
