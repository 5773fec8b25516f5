"""One distribution: means of enough firms with two digits, and figures drawn from them that are like the originals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anonymize.synthesis.cube import Floats
from anonymize.synthesis.marginal import FEWEST, MOST_KNOTS, Marginal, Side, marginal, rounded
from tests.stats import check_rate_within

FIGURES = st.one_of(st.just(0.0), st.floats(1, 1e15), st.floats(-1e15, -1))
SAMPLES = st.lists(FIGURES, max_size=150).map(lambda values: np.array(values, np.float64))


def sides_of(one: Marginal | None) -> list[Side]:
    """Return the sides that are there."""
    return [side for side in (one.below, one.above) if side] if one else []


def lognormal(count: int, *, seed: int = 0, spread: float = 1.5) -> Floats:
    """Return magnitudes with a heavy tail."""
    return np.exp(np.random.default_rng(seed).normal(14, spread, count))


@given(SAMPLES)
def test_every_mean_is_over_enough_firms(sample: Floats) -> None:
    """Blocks have at least `FEWEST` firms, share none, and hold all firms of the sign; there are at most `MOST_KNOTS`."""
    one = marginal([sample])
    for side, count in ((one and one.below, (sample < 0).sum()), (one and one.above, (sample > 0).sum())):
        assert (side is not None) == (count >= FEWEST)
        if side:
            assert min(side.sizes) >= FEWEST
            assert sum(side.sizes) == count
            assert len(side.sizes) == len(side.logs) <= MOST_KNOTS


@given(SAMPLES)
def test_every_mean_has_two_digits(sample: Floats) -> None:
    """Means and tops are what they are with two significant digits."""
    for side in sides_of(marginal([sample])):
        for number in (*np.exp(side.logs), side.top):
            assert number == pytest.approx(float(f"{number:.1e}"), rel=1e-9)


@given(st.lists(st.floats(1, 1e12), min_size=FEWEST, max_size=200))
def test_means_are_those_of_a_slow_version(values: list[float]) -> None:
    """Each mean is that of the logarithms of its block of the sorted figures, the last one's largest firm bounded."""
    (side,) = sides_of(marginal([np.array(values)]))
    left = sorted(values)
    for place, (log, size) in enumerate(zip(side.logs, side.sizes, strict=True)):
        block, left = left[:size], left[size:]
        if place == len(side.sizes) - 1:
            block[-1] = min(block[-1], sum(block[:-1]) * 7 / 3)
            assert side.top == pytest.approx(sum(block) / len(block), rel=0.051)
        exact = float(np.exp(np.mean(np.log(block))))
        assert np.exp(log) == pytest.approx(exact, rel=0.051)


@given(SAMPLES, st.integers(0, 200))
def test_drawn_figures_ascend_in_the_shares_of_signs(sample: Floats, count: int) -> None:
    """Figures ascend, and their signs are those of the sample, one figure more or less."""
    one = marginal([sample])
    if one is None:
        return
    drawn = one.values(count)
    assert len(drawn) == count
    assert (np.diff(drawn) >= 0).all()
    if one.below and one.above:
        assert abs((drawn < 0).sum() - count * (sample < 0).mean()) <= 1
        assert abs((drawn == 0).sum() - count * (sample == 0).mean()) <= 2


@pytest.mark.parametrize("size", range(FEWEST))
def test_too_few_have_no_marginal(size: int) -> None:
    """Fewer than `FEWEST` figures, none at all too, say nothing."""
    assert marginal([np.ones(size), np.ones(size)]) is None


def test_negatives_of_too_few_count_as_positive() -> None:
    """Where too few firms are below zero anywhere, nobody is drawn there."""
    one = marginal([np.array([-1.0, *range(1, 40)])])
    assert one is not None
    assert one.negative == 0
    assert (one.values(400) > 0).all()


def test_a_negative_share_without_magnitudes_is_drawn_as_zeros() -> None:
    """A marginal that names a share below zero but no magnitudes there gives no negative figure, and as many figures."""
    one = Marginal(negative=0.5, zero=0.0, below=None, above=Side(logs=(1.0,), sizes=(9,), top=3.0))
    assert (one.values(10) == 0).sum() == 5


def test_a_wider_sample_is_used_only_where_the_first_is_too_small() -> None:
    """Magnitudes of a sign come from the first sample that has enough, shares from the first one that is large enough."""
    own, wider = np.array([1.0] * 8 + [-1.0] * 2), np.array([500.0] * 50 + [-500.0] * 50)
    one = marginal([own, wider])
    assert one is not None
    assert (one.negative, one.above and one.above.top, one.below and one.below.top) == (0.2, 1.0, 500.0)
    few = marginal([own[:3], wider])
    assert few is not None
    assert (few.negative, few.above and few.above.top) == (0.5, 500.0)


def test_a_firm_that_dominates_does_not_show() -> None:
    """Whether the largest firm has a thousand or a million times what the others have, the same numbers are published."""
    others = lognormal(30)
    first, other = (marginal([np.append(others, others.max() * factor)]) for factor in (1e3, 1e6))
    assert first == other


def test_constant_and_empty_sides_are_drawn() -> None:
    """All zero, one value, and all negative samples come out as they are."""
    for value in (0.0, 7.0, -7.0):
        one = marginal([np.full(30, value)])
        assert one is not None
        assert one.values(11).tolist() == pytest.approx([value] * 11)


@pytest.mark.parametrize("seed", range(4))
def test_sums_are_near_the_originals(seed: int) -> None:
    """The sum of 400 log-normal figures is met within 10 % (the largest firms' block has its own mean)."""
    sample = lognormal(400, seed=seed)
    one = marginal([sample])
    assert one is not None
    assert one.values(400).sum() == pytest.approx(sample.sum(), rel=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_the_distribution_is_near_the_originals(seed: int) -> None:
    """Two-sample D is at most 0.03 for 400 figures of both signs (scipy): 24 means of a sign leave 1 / 48 between them."""
    rng = np.random.default_rng(seed)
    sample = np.where(rng.random(400) < 0.3, -1, 1) * lognormal(400, seed=seed)
    one = marginal([sample])
    assert one is not None
    assert stats.ks_2samp(sample, one.values(400), method="asymp").statistic <= 0.03


def test_noise_is_that_of_its_draws_alone() -> None:
    """The same draws give the same numbers, others others; means still ascend, sizes and shares stay."""
    one = marginal([lognormal(200)])
    assert one is not None
    draws = np.random.default_rng(1).normal(size=(2, MOST_KNOTS + 2))
    first, again, other = (one.noised(row, row) for row in (draws[0], draws[0], draws[1]))
    assert first == again != other
    (side,), (noised,) = sides_of(one), sides_of(first)
    assert (noised.sizes, first.zero) == (side.sizes, one.zero)
    assert (np.diff(noised.logs) >= 0).all()


def test_no_draw_is_no_noise() -> None:
    """Noise of zero changes nothing."""
    one = marginal([lognormal(200)])
    assert one is not None
    zeros = np.zeros(MOST_KNOTS + 2)
    noised = one.noised(zeros, zeros)
    assert noised.values(50) == pytest.approx(one.values(50))


def test_originals_come_out_to_three_digits_no_more_often_than_others() -> None:
    """Drawn figures agree in three digits with originals as often as with these moved by up to 3 % (n = 20 * 200 each)."""
    hits = [0, 0]
    for seed in range(20):
        sample = lognormal(200, seed=seed)
        one = marginal([sample])
        assert one is not None
        drawn = {f"{value:.2e}" for value in one.values(200)}
        moved = sample * np.random.default_rng(seed).uniform(0.97, 1.03, 200)
        for place, values in enumerate((sample, moved)):
            hits[place] += sum(f"{value:.2e}" in drawn for value in values)
    check_rate_within(hits[0], 4_000, 0.0, hits[1] / 4_000)


@given(st.floats(1e-12, 1e17))
def test_rounding_is_that_of_printing(value: float) -> None:
    """Rounding to significant digits is what printing with so many gives, but for ties."""
    (found,) = rounded(np.array([value]))
    assert found == pytest.approx(value, rel=0.0501)
    assert float(f"{found:.1e}") == pytest.approx(found, rel=1e-9)
