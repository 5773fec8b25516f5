"""What a table shows of each of its expectations, from all of its rows: counts, bounds, and the first few unexpected values.

That is all that Great Expectations judges by; its own engine would compute each of them anew for every expectation. The names
are those of its metrics. Belongs here: looking at rows. Judging and wording belong to `running.py`.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from validation.expectations.suites import Expected

Observed = Mapping[str, Any]
"""Metric -> value. Counts of parts of a table add up, and bounds are the bounds of its parts'."""

SHOWN = 20
"""Number of unexpected values that are kept: as many as Great Expectations shows."""


def observed(suite: Sequence[Expected], table: pl.DataFrame) -> list[Observed]:
    """Return what a table shows of each expectation of a suite, in its order; nothing of those that read findings alone.

    Args:
        suite: The expectations.
        table: The published table, as text.
    """
    columns = dict.fromkeys(expected.column for expected in suite if expected.reads == "numbers")
    # To Great Expectations, what is no number is missing.
    numbers = table.select(pl.col(list(columns)).cast(pl.Float64, strict=False).fill_nan(None))
    read = {"texts": table, "numbers": numbers}
    return [_OF[expected.name](read[expected.reads], expected) if expected.reads in read else {} for expected in suite]


def _columns(table: pl.DataFrame, _: Expected) -> Observed:
    return {"table.columns": table.columns}


def _row_count(table: pl.DataFrame, _: Expected) -> Observed:
    return {"table.row_count": table.height}


def _nulls(table: pl.DataFrame, expected: Expected) -> Observed:
    cells = table[expected.column]
    return _unexpected("column_values.nonnull", cells, cells.filter(cells.is_null()))


def _repeated(table: pl.DataFrame, expected: Expected) -> Observed:
    cells = table[expected.column]
    there = cells.drop_nulls()
    is_unique = there.n_unique() == there.len()
    return _unexpected(
        "column_values.unique", cells, there.clear() if is_unique else there.filter(there.is_duplicated())
    )


def _outside(table: pl.DataFrame, expected: Expected) -> Observed:
    cells = table[expected.column]
    allowed = pl.Series(expected.arguments["value_set"], dtype=cells.dtype)
    return _unexpected("column_values.in_set", cells, cells.filter(~cells.is_in(allowed.implode())))


def _of_another_form(table: pl.DataFrame, expected: Expected) -> Observed:
    """Match the distinct texts, by the regular expressions of pandas, as Great Expectations does."""
    cells = table[expected.column]
    texts = cells.drop_nulls().unique()
    with warnings.catch_warnings(action="ignore"):  # pandas warns about groups in a pattern, which are not used here
        is_met = texts.to_pandas(use_pyarrow_extension_array=True).astype(str).str.contains(expected.arguments["regex"])
    others = texts.filter(~pl.Series(is_met.to_numpy(dtype=bool)))
    found = cells.filter(cells.is_in(others.implode())) if others.len() else others
    return _unexpected("column_values.match_regex", cells, found)


def _bound(table: pl.DataFrame, expected: Expected, *, of: str) -> Observed:
    cells = table[expected.column]
    return {f"column.{of}": cells.min() if of == "min" else cells.max()}


def _unexpected(metric: str, cells: pl.Series, found: pl.Series) -> Observed:
    return {
        "table.row_count": cells.len(),
        "column_values.nonnull.unexpected_count": cells.null_count(),
        f"{metric}.unexpected_count": found.len(),
        f"{metric}.unexpected_values": found.head(SHOWN).to_list(),
    }


_OF: Mapping[str, Callable[[pl.DataFrame, Expected], Observed]] = {
    "expect_table_columns_to_match_ordered_list": _columns,
    "expect_table_row_count_to_equal": _row_count,
    "expect_column_values_to_not_be_null": _nulls,
    "expect_column_values_to_be_unique": _repeated,
    "expect_column_values_to_be_in_set": _outside,
    "expect_column_values_to_match_regex": _of_another_form,
    "expect_column_min_to_be_between": partial(_bound, of="min"),
    "expect_column_max_to_be_between": partial(_bound, of="max"),
}
"""What each expectation of `suites.py` is judged by."""
