"""Noisy cells that differ from the clean ones or break strict expectations: does the ledger explain each of them?

A deviation that no rule made is damage, whatever it looks like. How often a rule may deviate belongs to `rates.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from pipeline.errors import InputError
from pipeline.model import PublishedTable
from pipeline.model.claims.facts import ColumnFacts, TableFacts
from pipeline.noise.ledger import of_rows_and_file, undo
from validation.expectations.suites import Referred

SAMPLES = 5
"""Number of row keys that are reported for unexplained deviations: enough to find them."""


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """The cells of one column that deviate."""

    column: str
    rules: tuple[str, ...]
    """The rules that changed cells of it, in the order of application."""
    cells: int
    """Number of cells in the ledger."""
    deviating: int
    """Number of cells whose text differs from the clean table's."""
    breaking: int
    """Number of all cells that break a strict expectation."""
    unexplained: int
    """Number of cells that differ or break a strict expectation, without an entry in the ledger."""
    row_keys: tuple[str, ...]
    """Some of the rows with unexplained cells."""


def deviations(
    published: PublishedTable,
    facts: TableFacts,
    clean: pl.DataFrame,
    noisy: pl.DataFrame,
    ledger: pl.DataFrame,
    referred: Referred,
) -> tuple[Deviation, ...]:
    """Return how the cells of each column deviate, after undoing the ledger's changes to rows and file.

    Raises:
        InputError: The ledger's rows or columns are not those of the noisy table, or the remaining rows are not the clean
            ones.
    """
    own = ledger.filter(pl.col("table") == published.name)
    rows = undo(noisy, of_rows_and_file(own), published)
    keys = _keys(rows, published)
    if rows.columns != clean.columns or not keys.equals(_keys(clean, published)):
        raise InputError(
            f"the noise ledger is not of this {published.name}: without its rows, others stay than clean ones"
        )
    cells = own.filter(pl.col("row_key") != "", pl.col("column") != "")
    by_column = {str(name): part for (name,), part in cells.partition_by("column", as_dict=True).items()}
    return tuple(
        _deviation(name, facts[name], (clean[name], rows[name]), keys, by_column.get(name, cells.clear()), referred)
        for name in published.columns
    )


def breaks(facts: ColumnFacts, column: str, referred: Referred) -> pl.Expr:
    """Return which cells of a text column break the facts (Boolean, without nulls); of forbidden repetitions, all."""
    cell = pl.col(column)
    is_missing = cell.is_null() & pl.lit(not facts.nullable)
    return pl.any_horizontal(
        is_missing, *(test.fill_null(value=False) for test in _broken_texts(cell, facts, referred))
    )


def _broken_texts(cell: pl.Expr, facts: ColumnFacts, referred: Referred) -> Iterator[pl.Expr]:
    if facts.form:
        yield ~cell.str.contains(f"^({facts.form})$")
    if facts.allowed is not None:
        yield ~cell.is_in(facts.allowed)
    number = cell.cast(pl.Float64, strict=False)
    if facts.minimum is not None:
        yield number < facts.minimum
    if facts.maximum is not None:
        yield number > facts.maximum
    if facts.unique:
        yield cell.is_duplicated() & cell.is_not_null()
    if facts.refers_to is not None and facts.refers_to in referred:
        yield ~cell.is_in(referred[facts.refers_to].implode())


def _keys(rows: pl.DataFrame, published: PublishedTable) -> pl.Series:
    """Return the identity of the rows: their key, or their position if no column is a key (then noise changes nothing)."""
    return rows[published.row_key] if published.row_key else pl.int_range(rows.height, eager=True).cast(pl.String)


def _deviation(
    column: str,
    facts: ColumnFacts,
    sides: tuple[pl.Series, pl.Series],
    keys: pl.Series,
    entries: pl.DataFrame,
    referred: Referred,
) -> Deviation:
    """Return how the cells of a column (of `sides`, clean and noisy) deviate, told by the ledger's `entries` for them.

    Uniqueness is checked only among cells that no rule changed.
    """

    def broken(cells: pl.Series) -> pl.Series:
        return cells.to_frame(column).lazy().select(breaks(facts, column, referred)).collect().to_series()

    clean, noisy = sides
    if facts.unique and _is_distinct(noisy):
        facts = replace(facts, unique=False)  # finding no repetition once more would take longer than all else
    is_other, breaking = noisy.ne_missing(clean), broken(noisy)
    deviating, is_broken = int(is_other.sum()), breaking
    if entries.height:
        is_free = ~keys.is_in(entries["row_key"].unique().implode())
        is_broken = broken(noisy.filter(is_free)) if facts.unique else breaking.filter(is_free)
        keys, is_other = keys.filter(is_free), is_other.filter(is_free)
    unexplained = pl.concat([keys.filter(is_other), keys.filter(is_broken)]).unique(maintain_order=True)
    return Deviation(
        column=column,
        rules=tuple(entries["rule"].unique(maintain_order=True)),
        cells=entries["row_key"].n_unique(),
        deviating=deviating,
        breaking=int(breaking.sum()),
        unexplained=unexplained.len(),
        row_keys=tuple(unexplained.head(SAMPLES)),
    )


def _is_distinct(cells: pl.Series) -> bool:
    """Return whether no text occurs twice; false also if two texts have one hash, for then nothing is known."""
    there = cells.drop_nulls()
    return there.hash().n_unique() == there.len()
