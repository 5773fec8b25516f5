"""Entities with several records of one kind: how alike these are, how they are ranked, and columns whose range is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.cube import Floats
from anonymize.synthesis.dependence import alike
from anonymize.synthesis.records import even_ranks
from anonymize.synthesis.shape import BINS, PER_DECADE, ZERO, shape_within


def correlations(size: int, seed: int) -> Floats:
    """Return a correlation matrix."""
    normal = np.random.default_rng(seed).normal(size=(size, size + 3))
    matrix = normal @ normal.T
    scale = np.sqrt(np.diag(matrix))
    found: Floats = matrix / np.outer(scale, scale)
    return found


@given(size=st.integers(1, 6), seed=st.integers(0, 99), share=st.floats(0, 1))
def test_parts_of_entities_and_of_records_make_the_whole(size: int, seed: int, share: float) -> None:
    """Where all columns are the entity's in one part, both parts have the correlations that the whole has."""
    whole = correlations(size, seed)
    parts = alike(whole, np.full(size, share))
    share = min(share, 0.999)
    assert parts.of_entity @ parts.of_entity == pytest.approx(share * whole, abs=1e-6)
    assert parts.own @ parts.own == pytest.approx((1 - share) * whole, abs=0.01)


@given(size=st.integers(1, 6), seed=st.integers(0, 99), data=st.data())
def test_every_column_has_variance_one(size: int, seed: int, data: st.DataObject) -> None:
    """Whatever is the entity's of each column, its two parts have variances that add up to 1, the first its share."""
    shares = np.asarray(data.draw(st.lists(st.floats(0, 0.99), min_size=size, max_size=size)))
    parts = alike(correlations(size, seed), shares)
    of_entity, own = (np.diag(part @ part) for part in (parts.of_entity, parts.own))
    assert of_entity == pytest.approx(shares, abs=1e-6)
    assert of_entity + own == pytest.approx(np.ones(size), abs=2e-3)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=30))
def test_a_record_that_weighs_more_is_as_many_records(scored: list[tuple[int, int]]) -> None:
    """The rank of a record of weight w is the mean rank of w records in its place."""
    scores, weights = (np.asarray(each, np.float64) for each in zip(*scored, strict=True))
    times = weights.astype(np.int64)
    copies = even_ranks(np.repeat(scores, times), np.ones(times.sum()))
    means = [part.mean() for part in np.split(copies, np.cumsum(times)[:-1])]
    assert even_ranks(scores, weights) == pytest.approx(np.asarray(means))


@given(
    decades=st.tuples(st.integers(0, 8), st.integers(9, 18)),
    noised=st.lists(st.floats(-1e6, 1e6), min_size=BINS, max_size=BINS),
    sigma=st.floats(1e-3, 1e6),
)
def test_a_column_of_a_known_range_is_within_it(decades: tuple[int, int], noised: list[float], sigma: float) -> None:
    """Whatever noise says, there is nothing outside the range, and shares add up to 1."""
    shape = shape_within(decades, np.asarray(noised), sigma)
    inside = slice(ZERO + 1 + decades[0] * PER_DECADE, ZERO + 1 + decades[1] * PER_DECADE)
    assert shape.shares.min() >= 0
    assert shape.shares.sum() == pytest.approx(1)
    assert shape.shares[inside].sum() == pytest.approx(1)


def test_a_range_of_which_nothing_is_known_is_even() -> None:
    """Where noise is far larger than what it hides, all bins are drawn to their mean."""
    inside = slice(ZERO + 1, ZERO + 1 + 4 * PER_DECADE)
    noised = np.zeros(BINS)
    noised[inside] = 3 + 50 * np.cos(np.arange(4 * PER_DECADE))
    assert shape_within((0, 4), noised, 200.0).shares[inside] == pytest.approx(np.full(4 * PER_DECADE, 1 / 16))
