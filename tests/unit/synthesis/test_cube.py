"""The order of scores does not hang on last bits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.cube import order_of


@given(st.lists(st.integers(-50, 50), max_size=12), st.integers(-300, 300), st.data())
def test_last_bits_order_nothing(levels: list[int], scale: int, data: st.DataObject) -> None:
    """Equal levels keep their order though each may differ in its last bits; others rise. Python's sort is the oracle."""
    bits = data.draw(st.lists(st.integers(-8, 8), min_size=len(levels), max_size=len(levels)))
    exact = np.asarray(levels, np.float64) * 10.0**scale / 7
    scores = exact * (1 + np.asarray(bits, np.float64) * 2.0**-52)
    assert order_of(scores).tolist() == sorted(range(len(levels)), key=lambda place: levels[place])
