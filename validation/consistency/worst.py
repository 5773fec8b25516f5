"""Names the worst cell in reports: the same one for any order of rows."""

from collections.abc import Mapping, Sequence

import polars as pl


def worst_cell(cells: pl.DataFrame, place: Sequence[str], gap: str) -> dict[str, str | int]:
    """Return the place with the largest gap, the first in order if several have it; empty if there is no cell.

    Args:
        cells: columns of `place` and `gap`.
        place: the columns that name a cell; null ones are left out.
        gap: a number, never null.
    """
    order = cells.sort(gap, *place, descending=[True, *(False for _ in place)], nulls_last=True)
    return named_cell(order.select(place).row(0, named=True)) if cells.height and place else {}


def named_cell(row: Mapping[str, object]) -> dict[str, str | int]:
    """Return a cell's place as reports have it: numbers and text, without nulls."""
    return {
        column: value if isinstance(value, int) else str(value) for column, value in row.items() if value is not None
    }
