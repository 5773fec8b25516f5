"""The rows of a table that a reader can look into: all of a short one; of a long one the first, and some that noise changed.

Belongs here: choosing rows, and finding the changes that show in them. Rows are as the file has them, long texts clipped.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from pipeline.model import PublishedTable
from pipeline.noise.described.examples import around_difference
from pipeline.noise.ledger import of_cells, renamed_columns
from validation.profile.changed import CLIPPED, clipped_cells

SHORT = 5_000
"""Of a table with fewer rows all can be looked into (our choice: they are searched without a pause)."""

FIRST = 50
"""Of a longer one so many, which fill a page (our choice)."""

CHANGED = 450
"""Of a longer one in a variant with noise so many rows more, which noise changed (our choice: with the first ten pages)."""

COLUMNS = 40
"""Columns of a table that are shown: the first. The file has all of them."""

Change = tuple[int, int, str, str]
"""Row and column of a cell, from 0, its text without noise and with it; of long texts the part around the difference."""


@dataclass(frozen=True, kw_only=True)
class ShownRows:
    """Rows of a published table."""

    table: str
    columns: tuple[str, ...]
    records: int
    """How many the file has."""
    rows: tuple[tuple[str | None, ...], ...]
    """The first of them, then some that noise changed; null for an empty field."""
    first: int
    """How many of them are the first of the file."""
    changed: tuple[Change, ...] = ()


def shown_rows(table: PublishedTable, rows: pl.LazyFrame, ledger: pl.DataFrame | None = None) -> ShownRows:
    """Return the rows that can be looked into.

    Args:
        rows: Its rows as a variant publishes them, as text; null for an empty field.
        ledger: Its changes by noise; None for a variant without noise.
    """
    columns = rows.collect_schema().names()[:COLUMNS]
    records = rows.select(pl.len()).collect().item()
    most = records if records < SHORT else FIRST
    further = pl.LazyFrame() if ledger is None or records < SHORT else _further(table, rows.slice(most), ledger)
    shown = pl.concat([rows.head(most), further], how="diagonal").collect()
    return ShownRows(
        table=table.name,
        columns=tuple(columns),
        records=records,
        rows=tuple(shown.select(map(clipped_cells, columns)).rows()),
        first=min(most, records),
        changed=() if ledger is None else tuple(_changes(table, shown, columns, ledger)),
    )


def _further(table: PublishedTable, rows: pl.LazyFrame, ledger: pl.DataFrame) -> pl.LazyFrame:
    """Return some of the rows that noise changed, in the order of the file."""
    key = renamed_columns(table, ledger).get(table.row_key)
    changed = of_cells(ledger)["row_key"].unique(maintain_order=True).head(CHANGED + FIRST)
    return rows.filter(pl.col(key).is_in(changed.implode())).head(CHANGED) if key else pl.LazyFrame()


def _changes(table: PublishedTable, shown: pl.DataFrame, columns: list[str], ledger: pl.DataFrame) -> Iterator[Change]:
    """Yield the cells of rows that hold what noise made of them; where rows are no longer the clean ones there are none."""
    names = renamed_columns(table, ledger)
    key = names.get(table.row_key)
    if key is None:
        return
    keys = shown.select(pl.col(key).alias("row_key")).with_row_index("row")
    cells = of_cells(ledger).filter(pl.col("row_key").is_in(keys["row_key"].implode()))
    ends = cells.group_by("row_key", "column").agg(pl.col("before").first(), pl.col("after").last())
    found = keys.join(ends.filter(pl.col("before") != pl.col("after")), on="row_key").sort("row", "column")
    places = {clean: columns.index(now) for clean, now in names.items() if now in columns}
    for row, column, before, after in found.select("row", "column", "before", "after").iter_rows():
        if column in places and (shown.item(row, columns[places[column]]) or "") == after:
            yield row, places[column], *around_difference(before, after, CLIPPED)
