"""The worst of some cells: the largest gap, and always the same cell of equal ones."""

from datetime import date
from random import Random

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from validation.consistency.worst import worst_cell

CELLS = st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(2020, 2023), st.integers(0, 3)), max_size=8)


def frame(cells: list[tuple[str | None, int, int]]) -> pl.DataFrame:
    return pl.DataFrame(cells, schema={"group": pl.String, "year": pl.Int64, "gap": pl.Int64}, orient="row")


@given(CELLS, st.randoms())
def test_order_of_rows_does_not_matter(cells: list[tuple[str | None, int, int]], random: Random) -> None:
    """Shuffled cells name the same one, which has the largest gap."""
    shuffled = sorted(cells, key=lambda _: random.random())
    found = worst_cell(frame(cells), ["group", "year"], "gap")
    assert found == worst_cell(frame(shuffled), ["group", "year"], "gap")
    if cells:
        largest = max(gap for *_, gap in cells)
        assert (found.get("group"), found["year"]) in {(group, year) for group, year, gap in cells if gap == largest}
    else:
        assert found == {}


def test_other_types_are_told_as_text() -> None:
    """A day stands as text, a number as a number, and what is null is left out."""
    cells = pl.DataFrame(
        {"day": [date(2022, 5, 1)], "year": [2022], "group": pl.Series([None], dtype=pl.String), "gap": [1.0]}
    )
    assert worst_cell(cells, ["day", "year", "group"], "gap") == {"day": "2022-05-01", "year": 2022}
