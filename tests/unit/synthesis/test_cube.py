"""The panel as a cube, and the order of scores, which does not hang on last bits."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.cube import cube_of, order_of
from pipeline.model import PERIOD


@given(st.lists(st.integers(-50, 50), max_size=12), st.integers(-300, 300), st.data())
def test_last_bits_order_nothing(levels: list[int], scale: int, data: st.DataObject) -> None:
    """Equal levels keep their order though each may differ in its last bits; others rise. Python's sort is the oracle."""
    bits = data.draw(st.lists(st.integers(-8, 8), min_size=len(levels), max_size=len(levels)))
    exact = np.asarray(levels, np.float64) * 10.0**scale / 7
    scores = exact * (1 + np.asarray(bits, np.float64) * 2.0**-52)
    assert order_of(scores).tolist() == sorted(range(len(levels)), key=lambda place: levels[place])


def test_entities_and_years_are_sorted_whatever_the_order_of_rows() -> None:
    """What is summed in parts, and drawn, hangs on no order."""
    rows = [("b", 2021, 1.0), ("a", 2020, 2.0), ("b", 2020, 3.0)]
    cube = cube_of(pl.DataFrame(rows, schema=["mill", PERIOD, "sales"], orient="row"), ["sales"], code="mill")
    assert (cube.firms, cube.years) == (("a", "b"), (2020, 2021))
    assert np.array_equal(cube.values[:, :, 0], [[2.0, np.nan], [3.0, 1.0]], equal_nan=True)
