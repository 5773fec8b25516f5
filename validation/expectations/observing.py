"""What a table shows of each of its expectations, from all of its rows: counts, bounds, and the first few unexpected values.

That is all that Great Expectations judges by; its own engine would compute each of them anew for every expectation. The names
are those of its metrics. A table is looked at block by block; nothing depends on the size of these. Belongs here: looking at
rows. Judging and wording belong to `running.py`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from math import nan
from typing import Any

import polars as pl

from pipeline.model.schema.fields import FORMS
from pipeline.noise.steps import Source, blocks_of
from pipeline.numerals import number_of
from validation.expectations.expected import Expected, Observed

SHOWN = 20
"""Number of unexpected values that are kept: as many as Great Expectations shows."""

_PLAIN = {f"^({form})$": rf"^({form})\n?$" for form in FORMS.values()}
"""Regular expressions of numbers, as polars writes them: to Python, which reads all others, a line may end the text."""

_UNIQUE, _ENDS = "expect_column_values_to_be_unique", "ends"


def observed(suite: Sequence[Expected], table: Source) -> list[Observed]:
    """Return what a table shows of each expectation of a suite, in its order; nothing of those that read findings alone."""
    seen = [_of_block(suite, block) for block in blocks_of(table)]
    return [_together(table, expected, parts) for expected, *parts in zip(suite, *seen, strict=True)]


def _of_block(suite: Sequence[Expected], block: pl.DataFrame) -> list[Observed]:
    columns = dict.fromkeys(expected.column for expected in suite if expected.reads == "numbers")
    read = {"texts": block, "numbers": block.select(number_of(pl.col(column)) for column in columns)}
    return [_OF[expected.name](read[expected.reads], expected) if expected.reads in read else {} for expected in suite]


def _together(table: Source, expected: Expected, parts: Sequence[Observed]) -> Observed:
    """Return what all parts show together; whether a cell is repeated is asked of the whole column, unless they show it."""
    if expected.name == _UNIQUE and len(parts) > 1 and not are_apart([part[_ENDS] for part in parts]):
        cells = number_of(pl.col(expected.column)) if expected.reads == "numbers" else pl.col(expected.column)
        return _repeated(pl.concat(block.select(cells) for block in blocks_of(table)), expected)
    return {metric: _merged(metric, [part[metric] for part in parts]) for metric in parts[0]}


def _merged(metric: str, values: Sequence[Any]) -> Any:
    match metric.rpartition(".")[2]:
        case "row_count" | "unexpected_count":
            return sum(values)
        case "unexpected_values":
            return list(chain(*values))[:SHOWN]
        case "min" | "max" as bound:
            there = [value for value in values if value is not None]
            return (min if bound == "min" else max)(there, default=None)
        case _:
            return values[0]


Ends = tuple[float, float] | None
"""The smallest and the largest number of some cells, all distinct; NaN if that is not what they are, None without any."""


def ends_of(cells: pl.Series) -> Ends:
    """Return the ends of cells, each of which is a number that no other one is."""
    there = cells.drop_nulls()
    if not there.len():
        return None
    numbers = number_of(there)
    if numbers.null_count() or numbers.n_unique() < numbers.len():
        return nan, nan
    found = numbers.to_frame("").select(low=pl.col("").min(), high=pl.col("").max())
    return found["low"][0], found["high"][0]


def are_apart(parts: Sequence[Ends]) -> bool:
    """Say whether the parts of a column show that no cell stands twice in it: each begins behind the one before."""
    there = [part for part in parts if part is not None]
    are_distinct = all(low <= high for low, high in there)
    return are_distinct and all(before[1] < after[0] for before, after in pairwise(there))


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
    repeated = there.clear() if is_unique else there.filter(there.is_duplicated())
    return {**_unexpected("column_values.unique", cells, repeated), _ENDS: ends_of(cells)}


def _outside(table: pl.DataFrame, expected: Expected) -> Observed:
    cells = table[expected.column]
    allowed = pl.Series(expected.arguments["value_set"], dtype=cells.dtype)
    return _unexpected("column_values.in_set", cells, cells.filter(~cells.is_in(allowed.implode())))


def _of_another_form(table: pl.DataFrame, expected: Expected) -> Observed:
    """Match the distinct texts, by the regular expressions of Python, as Great Expectations does."""
    cells, form = table[expected.column], expected.arguments["regex"]
    texts = cells.drop_nulls().unique()
    others = texts.filter(~(texts.str.contains(_PLAIN[form]) if form in _PLAIN else _matched(texts, form)))
    found = cells.filter(cells.is_in(others.implode())) if others.len() else others
    return _unexpected("column_values.match_regex", cells, found)


def _matched(texts: pl.Series, form: str) -> pl.Series:
    matched = re.compile(form).search
    return pl.Series([matched(text) is not None for text in texts], dtype=pl.Boolean)


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
    _UNIQUE: _repeated,
    "expect_column_values_to_be_in_set": _outside,
    "expect_column_values_to_match_regex": _of_another_form,
    "expect_column_min_to_be_between": partial(_bound, of="min"),
    "expect_column_max_to_be_between": partial(_bound, of="max"),
}
"""What each expectation of `suites.py` is judged by."""
