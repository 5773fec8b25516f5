"""Pools of groups: none is too small, and what is large enough stays itself. The order of scores does not hang on last bits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.cube import order_of, pooled


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9)), st.integers(1, 9))
def test_no_pool_is_too_small(sizes: dict[str, int], at_least: int) -> None:
    """Unless all labels together are; at most one large label is taken for those that are small."""
    pools = pooled([label for label, size in sizes.items() for _ in range(size)], at_least=at_least)
    assert pools.keys() == sizes.keys()
    members = {pool: sum(sizes[label] for label in pools if pools[label] == pool) for pool in pools.values()}
    assert len(members) == 1 or all(size >= at_least for size in members.values())
    assert sum(pool != label and sizes[label] >= at_least for label, pool in pools.items()) <= 1


@given(st.lists(st.integers(-50, 50), max_size=12), st.integers(-300, 300), st.data())
def test_last_bits_order_nothing(levels: list[int], scale: int, data: st.DataObject) -> None:
    """Equal levels keep their order though each may differ in its last bits; others rise. Python's sort is the oracle."""
    bits = data.draw(st.lists(st.integers(-8, 8), min_size=len(levels), max_size=len(levels)))
    exact = np.asarray(levels, np.float64) * 10.0**scale / 7
    scores = exact * (1 + np.asarray(bits, np.float64) * 2.0**-52)
    assert order_of(scores).tolist() == sorted(range(len(levels)), key=lambda place: levels[place])
