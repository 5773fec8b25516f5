"""Distributions over entities with many rows: no number is fewer than five entities', none is mostly one's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.synthesis.marginal import FEWEST, MOST_KNOTS
from anonymize.synthesis.owned import Owned, owned_marginal, reported, shares_of

OWNERS = st.lists(st.integers(0, 9), min_size=1, max_size=200)


def owned(values: list[float], owners: list[int]) -> Owned:
    """Return values of owners."""
    return Owned(values=np.asarray(values, np.float64), owners=np.asarray(owners, np.int64))


@settings(max_examples=200, deadline=None)
@given(owners=OWNERS)
def test_nobody_counts_for_more_than_a_fifth(owners: list[int]) -> None:
    """Of five entities or more none has more than a fifth of the weight; together they weigh as much as they are."""
    sample = owned([1.0] * len(owners), owners)
    weights = np.bincount(sample.owners, weights=sample.weights())
    assert weights.sum() == pytest.approx(sample.count())
    if sample.count() >= FEWEST:
        assert weights.max() <= weights.sum() / FEWEST + 1e-9


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.integers(1, 30), min_size=5, max_size=20))
def test_weights_are_those_of_rows_where_nobody_has_too_many(rows: list[int]) -> None:
    """Where no entity has more than a fifth of the rows, each row weighs the same."""
    owners = np.repeat(np.arange(len(rows)), rows)
    weights = owned([1.0] * len(owners), owners.tolist()).weights()
    if max(rows) <= sum(rows) / FEWEST:
        assert np.ptp(weights) < 1e-12


@settings(max_examples=200, deadline=None)
@given(values=st.lists(st.tuples(st.sampled_from([-3.0, 0.0, 2.0, 700.0]), st.integers(0, 7)), min_size=1, max_size=60))
def test_nothing_is_told_of_what_fewer_than_five_have(values: list[tuple[float, int]]) -> None:
    """A sign or a zero that fewer than five entities have is not there; with fewer than five entities nothing is."""
    sample = owned([value for value, _ in values], [owner for _, owner in values])
    told = owned_marginal([sample])
    if told is None:
        assert sample.count() < FEWEST
        return
    has = {sign: len({owner for value, owner in values if np.sign(value) == sign}) for sign in (-1, 0, 1)}
    assert (told.below is not None) == (has[-1] >= FEWEST)
    assert (told.above is not None) == (has[1] >= FEWEST)
    assert told.negative == 0 or has[-1] >= FEWEST
    assert told.zero == 0 or has[0] >= FEWEST


@settings(max_examples=100, deadline=None)
@given(
    values=st.lists(st.tuples(st.floats(0.5, 1e6), st.integers(0, 11)), min_size=20, max_size=150),
    factor=st.floats(1e-3, 1e3),
    rows=st.integers(1, 200),
)
def test_one_entity_moves_a_mean_as_one_of_five(values: list[tuple[float, int]], factor: float, rows: int) -> None:
    """However many rows an entity adds at one place, it makes no block its own: the mean stays between those of others."""
    base = owned([value for value, _ in values], [owner for _, owner in values])
    if base.count() < FEWEST:
        return
    place = float(np.median(base.values)) * factor
    more = owned([*base.values, *[place] * rows], [*base.owners, *[99] * rows])
    told = owned_marginal([more])
    assert told is not None
    assert told.above is not None
    assert 1 <= len(told.above.logs) <= MOST_KNOTS + 1
    others = np.sort(np.log(base.values))
    for log in told.above.logs:
        # The other four, at their most extreme, hold four fifths of a mean.
        assert log >= 0.8 * others[0] + 0.2 * min(np.log(place), others[0]) - 0.06
        assert log <= 0.8 * others[-1] + 0.2 * max(np.log(place), others[-1]) + 0.06


def test_a_distribution_of_rows_is_recovered() -> None:
    """Drawn values have the quantiles of lognormal rows, within the noise of rounding to two digits."""
    rng = np.random.default_rng(7)
    owners = rng.integers(0, 50, 5_000)
    values = np.exp(3 + 0.8 * rng.standard_normal(5_000))
    told = owned_marginal([reported(np.append(values, np.nan), np.append(owners, 0))])
    assert told is not None
    drawn = told.values(5_000)
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert np.quantile(drawn, share) == pytest.approx(np.quantile(values, share), rel=0.08)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 6)), max_size=80))
def test_categories_of_fewer_than_five_have_no_share(rows: list[tuple[str | None, int]]) -> None:
    """Exactly the categories that five entities have get a share, and shares add up to 1."""
    shares = shares_of([category for category, _ in rows], np.asarray([owner for _, owner in rows], np.int64))
    held = {category for category, _ in rows if len({owner for each, owner in rows if each == category}) >= FEWEST}
    assert set(shares) == held
    assert sum(shares.values()) == pytest.approx(1.0 if held else 0.0)
