"""Records that noise changed, as they stand without and with it: chosen so that a few show many rules.

Belongs here: choosing records and listing their cells. That the ledger says all that noise did is proven where noise is made
(`ledger_is_exact`); here it is only read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.model import PublishedTable
from pipeline.noise.described.examples import around_difference
from pipeline.noise.ledger import of_cells, of_file, of_rows

SHOWN = 5
"""Records of a table."""

CLIPPED = 60
"""Characters of a text that are shown."""


@dataclass(frozen=True, kw_only=True)
class ChangedCell:
    """One cell that noise changed."""

    column: str
    """As the table declares it: the noisy file may call it otherwise."""
    before: str
    """Empty for an empty field; of long texts the part in which they begin to differ."""
    after: str
    rules: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ChangedRow:
    """A record with at least one cell that noise changed."""

    row: tuple[str | None, ...]
    """Its cells without noise, by the declared columns, long texts clipped; null for an empty field."""
    cells: tuple[ChangedCell, ...]


@dataclass(frozen=True, kw_only=True)
class TableChanges:
    """How much of a table noise changed."""

    rows: int
    """Rows that stand in both variants, with at least one cell that is another."""
    of_rows: int
    """Rows without noise."""
    cells: int
    """Cells that are others, each counted once."""
    added: int
    """Rows that noise put in."""
    removed: int
    """Rows that noise took out."""
    is_rebuilt: bool
    """Whether noise changed columns, their names or the file's form: that counts as no row and no cell."""


def clipped(text: str | None) -> str | None:
    """Return the beginning of a text; null stays null."""
    return text if text is None or len(text) <= CLIPPED else f"{text[: CLIPPED - 1]}\u2026"


def clipped_cells(column: str) -> pl.Expr:
    """Return the texts of a column, each as `clipped` returns it."""
    text = pl.col(column)
    return pl.when(text.str.len_chars() <= CLIPPED).then(text).otherwise(text.str.head(CLIPPED - 1) + "\u2026")


def table_changes(clean: pl.LazyFrame, ledger: pl.DataFrame) -> TableChanges:
    """Return how much noise changed of a table."""
    rows = of_rows(ledger)
    removed = rows.filter(pl.col("after") == "")
    ends = of_cells(ledger).group_by("row_key", "column").agg(pl.col("before").first(), pl.col("after").last())
    stays = ~pl.col("row_key").is_in(removed["row_key"].implode())
    cells = ends.filter(pl.col("before") != pl.col("after"), stays)
    return TableChanges(
        rows=cells["row_key"].n_unique(),
        of_rows=clean.select(pl.len()).collect().item(),
        cells=cells.height,
        added=rows.filter(pl.col("before") == "").height,
        removed=removed.height,
        is_rebuilt=not of_file(ledger).is_empty(),
    )


def changed_rows(published: PublishedTable, clean: pl.LazyFrame, ledger: pl.DataFrame) -> tuple[ChangedRow, ...]:
    """Return a few records that noise changed, in published order."""
    dropped = of_rows(ledger).filter(pl.col("after") == "")["row_key"]
    cells = of_cells(ledger).filter(~pl.col("row_key").is_in(dropped.implode()))
    keys = _chosen(cells)
    if not keys:
        return ()
    rows = clean.filter(pl.col(published.row_key).is_in(keys)).select(published.columns).collect()
    changes = cells.filter(pl.col("row_key").is_in(keys)).partition_by("row_key", as_dict=True)
    place = published.columns.index(published.row_key)
    return tuple(
        ChangedRow(row=tuple(map(clipped, row)), cells=_changed_cells(changes[(row[place],)], published.columns))
        for row in rows.iter_rows()
    )


def _chosen(cells: pl.DataFrame) -> list[str]:
    """Return keys of records that together show as many rules as they can, from the ones that each rule changed first."""
    first = cells.group_by("rule", maintain_order=True).agg(pl.col("row_key").first())["row_key"].unique()
    near = cells.filter(pl.col("row_key").is_in(first.implode()))
    rules = near.group_by("row_key", maintain_order=True).agg(pl.col("rule").unique())
    chosen = _covering({key: set(of) for key, of in rules.iter_rows()})
    further = cells["row_key"].unique(maintain_order=True).head(SHOWN * 2)
    return [*dict.fromkeys([*chosen, *further])][:SHOWN]


def _covering(rules: Mapping[str, set[str]]) -> Iterable[str]:
    """Yield keys, each the one that shows most rules that none before it shows, the first one of several."""
    left = {rule for of in rules.values() for rule in of}
    while left:
        best = max(rules, key=lambda key: len(rules[key] & left))
        yield best
        left -= rules[best]


def _changed_cells(changes: pl.DataFrame, columns: Sequence[str]) -> tuple[ChangedCell, ...]:
    """Return the changed cells of a record; one that several rules changed has the text before the first of them."""
    by_column = changes.group_by("column", maintain_order=True).agg(
        pl.col("before").first(), pl.col("after").last(), pl.col("rule").unique(maintain_order=True)
    )
    cells = {
        column: ChangedCell(column=column, before=old, after=new, rules=tuple(rules))
        for column, before, after, rules in by_column.iter_rows()
        for old, new in [around_difference(before, after, CLIPPED)]
    }
    return tuple(cells[column] for column in columns if column in cells)
