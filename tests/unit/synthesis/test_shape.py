"""Shapes of columns from noised histograms: near the truth where it can be seen, empty where there is noise alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anonymize.synthesis.cube import Floats
from anonymize.synthesis.records import scaled, unscaled
from anonymize.synthesis.scale import state_scores
from anonymize.synthesis.shape import (
    BINS,
    DECADES,
    FINER,
    PER_DECADE,
    ZERO,
    ColumnShape,
    bins_of,
    decades_of,
    histograms,
    shape_of,
)


def shape(numbers: Floats, *, noise: float = 0.0, seed: int = 0, per_decade: int = PER_DECADE) -> ColumnShape:
    """Return the shape of one number an entity, from histograms with noise."""
    rng = np.random.default_rng(seed)
    fine = histograms(scaled(numbers)[:, None, None], per_decade).sum(axis=0)[0]
    sigma = max(noise, 1e-9)
    noised = fine + rng.normal(0, sigma, len(fine))
    coarse = decades_of(fine) + rng.normal(0, 2 * sigma, 2 * DECADES + 1)
    found = shape_of(coarse, 2 * sigma, noised, sigma)
    assert found
    return found


def drawn(found: ColumnShape, count: int) -> Floats:
    """Return even quantiles of a shape."""
    shares = (np.arange(count) + 0.5) / count
    below, positive = shares < found.negative, shares >= found.negative + found.zero
    logs = np.zeros(count)
    logs[below] = -found.magnitudes(1 - shares[below] / max(found.negative, 1e-9), -1)
    above = (shares[positive] - found.negative - found.zero) / max(found.positive, 1e-9)
    logs[positive] = found.magnitudes(above, 1)
    return unscaled(logs)


@given(st.floats(-17.9, 17.9), st.sampled_from((PER_DECADE, FINER)))
def test_each_number_lies_in_its_bin(log: float, per_decade: int) -> None:
    """A bin holds a quarter or an eighth of a decade of one sign; zero has one of its own."""
    place = int(bins_of(np.asarray([log]), per_decade)[0]) - DECADES * per_decade
    assert (abs(place) - 1) / per_decade < abs(log) <= abs(place) / per_decade or log == place == 0
    assert np.sign(place) == np.sign(log)


@pytest.mark.parametrize("noise", [1e-9, 2.0])
def test_finer_bins_are_nearer_to_narrow_figures(noise: float) -> None:
    """Logarithms of 738 firms' staff, from 2 to 9, come back with half the distance, also with the usual noise."""
    numbers = np.random.default_rng(3).normal(4.8, 1.2, 738).clip(2, 9.3) * 1e6
    far, near = (
        stats.ks_2samp(numbers, drawn(shape(numbers, noise=noise, per_decade=bins), 738)).statistic
        for bins in (PER_DECADE, FINER)
    )
    assert near < 0.5 * far


def test_without_noise_a_shape_is_the_distribution() -> None:
    """Lognormal figures, a third zero and a tenth negative, come back with D below 0.02 (scipy)."""
    rng = np.random.default_rng(1)
    numbers = np.exp(rng.normal(16, 2, 3_000)) * rng.choice([1, 0, -1], 3_000, p=[0.57, 0.33, 0.1])
    assert stats.ks_2samp(numbers, drawn(shape(numbers), 3_000)).statistic < 0.02


def test_with_noise_a_shape_is_near_the_distribution() -> None:
    """With noise of 4 on histograms of 448 the median D over 20 draws is below 0.08; that of two halves is 0.06."""
    numbers = np.exp(np.random.default_rng(2).normal(16, 2, 448))
    found = [stats.ks_2samp(numbers, drawn(shape(numbers, noise=4.0, seed=seed), 448)).statistic for seed in range(20)]
    assert np.median(found) < 0.08


def test_noise_alone_is_not_taken_for_figures() -> None:
    """Where 400 of 448 figures are within a decade, none is drawn a thousand times larger in 100 of 100 draws."""
    numbers = np.full(448, 50_000.0)
    largest = [np.abs(drawn(shape(numbers, noise=6.0, seed=seed), 448)).max() for seed in range(100)]
    assert max(largest) < 50_000 * 1e3


@given(st.lists(st.integers(-(10**15), 10**15), min_size=5, max_size=40))
def test_magnitudes_are_the_quantiles_of_their_scores(values: list[int]) -> None:
    """From a number to its score and back: the same number, where scores are not cut off, and not at the edge of a bin."""
    found, logs = shape(np.asarray(values, np.float64)), scaled(np.asarray(values, np.float64))
    scores = found.magnitude_scores(logs)
    assert np.array_equal(np.isnan(scores), logs == 0)
    for sign in (1, -1):
        at_edge = np.abs(logs * PER_DECADE - np.rint(logs * PER_DECADE)) < 1e-6
        is_so = (np.sign(logs) == sign) & (np.abs(scores) < 2.99) & ~at_edge
        assert np.allclose(found.magnitudes(stats.norm.cdf(scores[is_so]), sign), np.abs(logs[is_so]), atol=1e-6)


def test_scores_rise_with_numbers_and_are_bounded() -> None:
    """Larger numbers have larger scores, none beyond 3, and all zeros the same."""
    numbers = np.concatenate([-(10.0 ** np.arange(0, 19)), np.zeros(9), 10.0 ** np.arange(0, 19)])
    scores = shape(numbers).scores(scaled(np.sort(numbers)))
    assert (np.diff(scores) >= 0).all()
    assert np.abs(scores).max() <= 3
    assert len(np.unique(scores[19:28])) == 1


@pytest.mark.parametrize("value", [0.0, 7.0, -3.0])
def test_a_constant_has_one_sign(value: float) -> None:
    """One number for everybody: all that is drawn is of its sign."""
    assert set(np.sign(drawn(shape(np.full(100, value)), 50))) == {np.sign(value)}


def test_a_column_of_which_noise_alone_is_left_has_no_shape() -> None:
    """Three figures in noise of 6 are not seen in 95 of 100 draws, and 300 are in each."""
    for count, seen in ((3, 5), (300, 100)):
        numbers, found = np.full(count, 50_000.0), 0
        for seed in range(100):
            rng = np.random.default_rng(seed)
            fine = histograms(scaled(numbers)[:, None, None]).sum(axis=0)[0]
            coarse = decades_of(fine) + rng.normal(0, 12, 2 * DECADES + 1)
            found += shape_of(coarse, 12.0, fine + rng.normal(0, 6, BINS), 6.0) is not None
        assert found <= seen if count == 3 else found == seen


def test_the_rarer_sign_has_no_larger_magnitudes() -> None:
    """What stands out by four deviations is noise, five decades beyond all positive figures."""
    fine = np.zeros(BINS)
    fine[ZERO + 1 + 3 * PER_DECADE :][:PER_DECADE] = 50.0
    spike = 4 * np.sqrt(2) / PER_DECADE
    for decade, is_seen in ((8, False), (2, True)):
        with_spike = fine.copy()
        with_spike[ZERO - (decade + 1) * PER_DECADE :][:PER_DECADE] = spike
        found = shape_of(decades_of(with_spike), 2.0, with_spike, 1.0)
        assert found is not None
        assert (found.negative > 0) == is_seen


def test_the_score_of_a_rare_state_is_bounded() -> None:
    """By 3; that of one in two is the mean of a normal variable above its median."""
    low, high = state_scores(np.asarray([1e-6, 0.5]))
    assert high.tolist() == pytest.approx([3.0, np.sqrt(2 / np.pi)])
    assert low.tolist() == pytest.approx([0.0, -np.sqrt(2 / np.pi)], abs=1e-4)
