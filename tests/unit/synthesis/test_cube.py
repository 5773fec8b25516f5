"""Pools of groups: none is too small, and what is large enough stays itself."""

from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.cube import pooled


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9)), st.integers(1, 9))
def test_no_pool_is_too_small(sizes: dict[str, int], at_least: int) -> None:
    """Unless all labels together are; at most one large label is taken for those that are small."""
    pools = pooled([label for label, size in sizes.items() for _ in range(size)], at_least=at_least)
    assert pools.keys() == sizes.keys()
    members = {pool: sum(sizes[label] for label in pools if pools[label] == pool) for pool in pools.values()}
    assert len(members) == 1 or all(size >= at_least for size in members.values())
    assert sum(pool != label and sizes[label] >= at_least for label, pool in pools.items()) <= 1
