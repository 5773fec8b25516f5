"""Lays figures out as long tables: for each row of a wide frame one record for each cell that is there.

What is in which order, and what a record says beside its figure, belongs to the declarations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from pipeline.model import Parts
from pipeline.model.published import RECORDS
from pipeline.numerals import decimal_text

NUMBER, FIGURE = "\x1fnumber", "\x1ffigure"
"""Columns of a record: its number (Int64), from 1 on, and its figure as text (String)."""

_DECIMALS = "\x1fdecimals"

_COUNTED = 10_000
"""Wide rows that are counted at a time (our choice: some megabytes)."""


@dataclass(frozen=True, kw_only=True)
class LongCell:
    """One of the records that a wide row may give."""

    figure: pl.Expr
    """Its figure in quanta (Int64); null where a wide row has no such record."""
    decimals: int
    """The figure's decimals."""
    labels: Mapping[str, str | None] = field(default_factory=dict)
    """What it says beside: column -> text. All cells of a table have the same columns."""


@dataclass(frozen=True, kw_only=True)
class LongSection:
    """Records that stand together: those of one wide row after the other, each row's in the order of the cells."""

    rows: pl.Series
    """Numbers of the wide rows, in published order."""
    cells: Sequence[LongCell]


def long_table(
    sections: Sequence[LongSection],
    gathered: Callable[[pl.Series], pl.DataFrame],
    written: Callable[[pl.DataFrame, int], pl.DataFrame],
    *,
    index: Sequence[str],
) -> Parts:
    """Return a long table as parts: one for each wide row of one section after the other.

    Args:
        gathered: Returns wide rows, given their numbers.
        written: Writes records as published, given `index`, labels, `NUMBER` and `FIGURE`, and the number of all records.
        index: Columns of the wide rows that each record repeats.
    """
    sizes = pl.concat([_sizes(gathered, section) for section in sections])
    total = int(sizes.sum())

    def render(start: int, stop: int, first: int) -> pl.DataFrame:
        found, before = [], 0
        for section in sections:
            rows = section.rows.slice(max(start - before, 0), max(stop - before, 0) - max(start - before, 0))
            found.append(_records(gathered(rows), section.cells, index))
            before += len(section.rows)
        block = pl.concat(found)
        numbers = pl.int_range(first, first + block.height, eager=True)
        return written(block.with_columns(numbers.alias(NUMBER)), total)

    return Parts(sizes=sizes, render=render)


def one_by_one(
    rows: pl.DataFrame, written: Callable[[pl.DataFrame, int], pl.DataFrame], *, records: int = RECORDS
) -> Parts:
    """Return a table of one record for each of some rows, in their order, as parts.

    Args:
        written: Writes records as published, given rows with `NUMBER`, and the number of all records.
        records: How many records a block has at most.
    """

    def render(start: int, stop: int, first: int) -> pl.DataFrame:
        numbers = pl.int_range(first, first + stop - start, eager=True)
        return written(rows[start:stop].with_columns(numbers.alias(NUMBER)), rows.height)

    return Parts(sizes=pl.repeat(1, rows.height, dtype=pl.UInt32, eager=True), render=render, records=records)


def _sizes(gathered: Callable[[pl.Series], pl.DataFrame], section: LongSection) -> pl.Series:
    """Return how many records each wide row of a section gives."""
    count = pl.sum_horizontal(cell.figure.is_not_null().cast(pl.UInt32) for cell in section.cells)
    slices = range(0, max(len(section.rows), 1), _COUNTED)
    counted = [gathered(section.rows.slice(start, _COUNTED)).select(count.alias("size")) for start in slices]
    return pl.concat(counted)["size"]


def _records(wide: pl.DataFrame, cells: Sequence[LongCell], index: Sequence[str]) -> pl.DataFrame:
    """Return a record for each cell that is there, row by row: the index, the labels, and `FIGURE`."""
    figures = wide.select(cell.figure.alias(str(place)) for place, cell in enumerate(cells))
    rows, places = np.nonzero(figures.select(pl.all().is_not_null()).to_numpy())
    said = pl.DataFrame([{**cell.labels, _DECIMALS: cell.decimals} for cell in cells])[places]
    quanta = pl.Series(FIGURE, figures.fill_null(0).to_numpy()[rows, places])
    text = decimal_text(pl.col(FIGURE), pl.col(_DECIMALS)).alias(FIGURE)
    return pl.concat([wide.select(index)[rows], said.with_columns(quanta)], how="horizontal").with_columns(text)
