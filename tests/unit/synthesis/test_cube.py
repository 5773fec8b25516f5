"""Pools of groups: none is too small, and what is large enough stays itself."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.cube import pooled


@given(st.lists(st.sampled_from("abcdef"), max_size=60), st.integers(1, 12))
def test_no_pool_is_too_small(labels: list[str], at_least: int) -> None:
    """Unless all labels together are; at most one large label is taken for those that are small."""
    pools, sizes = pooled(labels, at_least=at_least), Counter(labels)
    members = Counter(pools[label] for label in labels)
    assert pools.keys() == sizes.keys()
    assert all(size >= at_least for size in members.values()) or len(members) == 1
    taken = [label for label, pool in pools.items() if pool != label and sizes[label] >= at_least]
    assert len(taken) <= 1
