"""What stands in each column of a table: how many cells are empty or formulas, how many are distinct, a histogram, examples.

Belongs here: counting columns. A table's columns are counted one after the other, in passes: what is known of every column, the
bounds of histograms, and their bars.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.numerals import number_of
from validation.profile.changed import clipped
from validation.profile.histograms import Histogram, edges_of, in_bins

COUNTED_UP_TO = 5_000_000
"""Records up to which distinct texts are counted: of more, they might not fit into memory."""

MOST_VALUES = 12
"""Texts that have a bar."""

COUNTABLE = 1_000
"""Distinct texts up to which the most frequent have bars: of more, each is rare, or the column is prose."""

EXAMPLES = 3
"""Examples of a column: the first distinct texts."""

_LOOKED_AT = 1_000
"""Records among which examples are looked for."""

_NUMBERS = {"integer", "number"}

_COUNTED = "\x1fcount"
"""A column of our own, named as none of a user's is."""

_WHOLE = re.compile("-?[0-9]{1,18}")

_FORMULA, _NUMBER = (
    "^[=+@\t\r-]",
    r"^(?:[+-]+|[+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?)$",
)
"""How a cell begins that a spreadsheet runs as a formula, unless it is a number, or a sign alone."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What stands in one column."""

    missing: int
    """Empty cells."""
    formulas: int
    """Cells that a spreadsheet would run as a formula; the column's name counts as one."""
    distinct: int | None
    """Distinct texts; null where the table has too many records to count them."""
    histogram: Histogram | None
    """Null where there is nothing to draw: no figure, too many distinct texts, or several units."""
    examples: tuple[str, ...]


def counted(rows: pl.LazyFrame, types: Mapping[str, str], undrawn: Collection[str]) -> tuple[int, dict[str, Counts]]:
    """Return the number of records, and what stands in each column; those in `undrawn` have no histogram."""
    records = rows.select(pl.len()).collect().item()
    numbers = [name for name, kind in types.items() if kind in _NUMBERS and name not in undrawn]
    figures = rows.with_columns(_figures(name).alias(_read(name)) for name in numbers)
    known = _row(figures, [_known(name, numbers, records) for name in types])
    # The most frequent texts have bars; of numbers only where each has one.
    most = {name: MOST_VALUES if name in numbers else COUNTABLE for name in types if name not in undrawn}
    bars = [name for name, limit in most.items() if 0 < (known[name]["distinct"] or 0) <= limit]
    histograms = _histograms(figures, known, bars, [name for name in numbers if name not in bars])
    first = rows.head(_LOOKED_AT).collect()
    return records, {
        name: Counts(
            missing=known[name]["missing"],
            formulas=known[name]["formulas"] + bool(re.match(_FORMULA, name)),
            distinct=known[name]["distinct"],
            histogram=histograms.get(name),
            examples=_examples(first[name]),
        )
        for name in types
    }


def _known(name: str, numbers: Sequence[str], records: int) -> pl.Expr:
    """Return the empty cells and distinct texts of a column, and the ends of its figures."""
    text = pl.col(name)
    figure = pl.col(_read(name))
    ends = [figure.min().alias("min"), figure.max().alias("max")] if name in numbers else []
    distinct = text.drop_nulls().n_unique() if records <= COUNTED_UP_TO else pl.lit(None)
    formulas = text.filter(text.str.contains(_FORMULA)).str.contains(_NUMBER).not_().sum()
    return pl.struct(*ends, missing=text.null_count(), formulas=formulas, distinct=distinct).alias(name)


def _read(name: str) -> str:
    return f"\x1f{name}"


def _figures(name: str) -> pl.Expr:
    value = number_of(pl.col(name))
    return pl.when(value.is_finite()).then(value)


def _examples(texts: pl.Series) -> tuple[str, ...]:
    return tuple(clipped(text) or "" for text in texts.drop_nulls().unique(maintain_order=True).head(EXAMPLES))


def _row(rows: pl.LazyFrame, asked: Sequence[pl.Expr]) -> dict[str, Any]:
    """Return what is asked of each column: one after the other, or all of a long table would be in memory."""
    found = (rows.select(one).collect(engine="streaming").row(0, named=True) for one in asked)
    return {name: value for row in found for name, value in row.items()}


# --- histograms --------------------------------------------------------------------------------------------------------


def _histograms(
    figures: pl.LazyFrame, known: Mapping[str, Mapping[str, Any]], bars: Sequence[str], numbers: Sequence[str]
) -> dict[str, Histogram]:
    ends = {name: (known[name]["min"], known[name]["max"]) for name in numbers if known[name]["min"] is not None}
    edges = {name: edges_of(low, high) for name, (low, high) in ends.items()}
    asked = [pl.col(name).drop_nulls().value_counts(name=_COUNTED).implode().alias(name) for name in bars]
    asked += [
        pl.struct(filled=pl.col(name).count(), counts=pl.concat_list(in_bins(pl.col(_read(name)), of))).alias(name)
        for name, of in edges.items()
    ]
    found = _row(figures, asked)
    values = {name: _of_values([(each[name], each[_COUNTED]) for each in found[name]]) for name in bars}
    return values | {name: _of_numbers(of, **found[name]) for name, of in edges.items()}


def _of_values(counts: Sequence[tuple[str, int]]) -> Histogram:
    """Return a bar for each of the most frequent texts; if they are numbers, in their order."""
    most = sorted(counts, key=lambda counted: (-counted[1], counted[0]))[:MOST_VALUES]
    if all(_WHOLE.fullmatch(text) for text, _ in most):
        most = sorted(most, key=lambda counted: int(counted[0]))
    return Histogram(
        of="values",
        values=tuple(clipped(text) or "" for text, _ in most),
        counts=tuple(count for _, count in most),
        other=sum(count for _, count in counts) - sum(count for _, count in most),
    )


def _of_numbers(edges: tuple[float, ...], *, filled: int, counts: Sequence[int]) -> Histogram:
    return Histogram(of="numbers", edges=edges, counts=tuple(counts), other=filled - sum(counts))
