"""Sums of columns tell which cells were changed: one or two of a column for certain, and of more that they are more."""

import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.release.locating import Changed, changed_cells, sums_of

CELLS = st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=3, max_size=40)


def table(cells: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": [str(n) for n in range(len(cells))], "cell": cells}, schema=dict.fromkeys(("id", "cell"), pl.String)
    )


@given(CELLS, st.data())
def test_one_and_two_changed_cells_are_found(cells: list[str | None], data: st.DataObject) -> None:
    """Wherever they stand, whatever was there and is there now; what was there is told if it stands elsewhere, too."""
    places = data.draw(st.lists(st.integers(0, len(cells) - 1), min_size=1, max_size=2, unique=True))
    changed = [f"{cell or ''}+" if place in places else cell for place, cell in enumerate(cells)]
    found = list(changed_cells(sums_of(table(cells)), table(changed)))
    assert {(each.record, each.column, each.found) for each in found} == {(p + 1, "cell", changed[p]) for p in places}
    for each in found:
        was = cells[each.record - 1] or ""
        assert each.expected == (was if was in [cell or "" for cell in changed] else None)


@given(CELLS, st.data())
def test_exchanged_rows_are_found(cells: list[str | None], data: st.DataObject) -> None:
    """Two rows that changed places differ in two cells of each column, and each cell's text is told."""
    one, other = sorted(data.draw(st.lists(st.integers(0, len(cells) - 1), min_size=2, max_size=2, unique=True)))
    assume((cells[one] or "") != (cells[other] or ""))
    rows = table(cells)
    order = list(range(len(cells)))
    order[one], order[other] = other, one
    found = {(each.record, each.column): each.expected for each in changed_cells(sums_of(rows), rows[order])}
    assert found == {
        (one + 1, "id"): str(one),
        (other + 1, "id"): str(other),
        (one + 1, "cell"): cells[one] or "",
        (other + 1, "cell"): cells[other] or "",
    }


def test_more_changed_cells_are_known_to_be_more() -> None:
    """Nobody is told a wrong place: the column alone is named."""
    rows = table([str(n) for n in range(30)])
    changed = rows.with_columns(cell=pl.when(pl.col("id").cast(int) % 7 == 3).then(pl.lit("x")).otherwise("cell"))
    assert list(changed_cells(sums_of(rows), changed)) == [Changed(0, "cell", "", None)]


def test_sums_stay_exact_in_a_long_table() -> None:
    """Ten million records fit: the last one is found by the cube of its number."""
    rows = pl.DataFrame({"cell": pl.Series(["a"] * 3_000_000)})
    changed = rows.with_columns(cell=pl.when(pl.int_range(pl.len()) == 2_999_999).then(pl.lit("b")).otherwise("cell"))
    assert list(changed_cells(sums_of(rows), changed)) == [Changed(3_000_000, "cell", "b", "a")]
