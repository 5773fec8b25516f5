"""Laws of probability are those of `scipy.stats`, to the last bit."""

import numpy as np
import scipy
from hypothesis import given
from hypothesis import strategies as st

from validation.laws import exceeded, normal_density, of_successes, ranks_of, share_at_least

SIZES, CHANCES = st.integers(1, 100_000), st.floats(0, 1)


@given(SIZES, CHANCES, st.integers(-2, 100_002))
def test_that_more_successes_come_is_as_likely_as_scipy_says(of: int, chance: float, successes: int) -> None:
    assert exceeded(successes, of, chance) == scipy.stats.binom.sf(successes, of, chance)


@given(SIZES, CHANCES, st.floats(1e-18, 1e-3))
def test_a_law_of_successes_is_scipys_between_its_quantiles(of: int, chance: float, rarest: float) -> None:
    binom = scipy.stats.binom
    smallest, largest = max(0, int(binom.ppf(rarest, of, chance))), int(binom.isf(rarest, of, chance))
    first, law = of_successes(of, chance, rarest=rarest)
    assert first == smallest
    assert law.tolist() == binom.pmf(np.arange(smallest, largest + 1), of, chance).tolist()


@given(st.integers(1, 5_000).flatmap(lambda of: st.tuples(st.integers(1, of), st.just(of))), st.floats(0.5, 0.999))
def test_a_lower_bound_is_a_quantile_of_scipys_beta_law(found: tuple[int, int], confidence: float) -> None:
    successes, of = found
    assert share_at_least(successes, of, confidence) == scipy.stats.beta.ppf(
        1 - confidence, successes, of - successes + 1
    )


@given(st.lists(st.floats(-30, 30), min_size=1), st.floats(0.01, 10))
def test_a_normal_density_is_scipys(values: list[float], scale: float) -> None:
    found = normal_density(np.array(values), scale=scale)
    assert found.tolist() == scipy.stats.norm.pdf(values, scale=scale).tolist()


@given(st.lists(st.integers(0, 9).map(float)))
def test_ranks_are_scipys(values: list[float]) -> None:
    assert ranks_of(values).tolist() == scipy.stats.rankdata(values).tolist()
