"""Noisy cells that differ from the clean ones or break strict expectations: does the ledger explain each of them?

A deviation that no rule made is damage, whatever it looks like. How often a rule may deviate belongs to `rates.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from pipeline.errors import InputError
from pipeline.model import Field, PublishedTable
from pipeline.model.schema.complete import Schema
from pipeline.noise.ledger import of_rows_and_file, undo
from pipeline.noise.steps import Source, blocks_of
from pipeline.numerals import number_of
from validation.expectations.observing import Ends, are_apart, ends_of
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
    published: PublishedTable, facts: Schema, clean: Source, noisy: Source, ledger: pl.DataFrame, referred: Referred
) -> tuple[Deviation, ...]:
    """Return how the cells of each column deviate, after undoing the ledger's changes to rows and file.

    Both sides are walked through block by block; the noisy one is whole in memory if rows or the file were changed.

    Raises:
        InputError: The ledger's rows or columns are not those of the noisy table, or the remaining rows are not the clean
            ones.
    """
    own = ledger.filter(pl.col("table") == published.name)
    if (of_others := of_rows_and_file(own)).height:
        noisy = undo(pl.concat(blocks_of(noisy)), of_others, published)
    cells = own.filter(pl.col("row_key") != "", pl.col("column") != "")
    by_column = {str(name): part for (name,), part in cells.partition_by("column", as_dict=True).items()}
    entries = {name: by_column.get(name, cells.clear()) for name in published.columns}
    blockwise = {name: replace(facts[name], unique=False) for name in published.columns}
    parts = {name: list[_Part]() for name in published.columns}
    ends = {name: list[Ends]() for name in published.columns if facts[name].unique}
    for rows in _side_by_side(published, clean, noisy):
        for name, of_column in parts.items():
            of_column.append(_part(rows.column(name), blockwise[name], referred))
        for name, of_unique in ends.items():
            of_unique.append(ends_of(rows.noisy[name]))
    for name, of_unique in ends.items():
        if not are_apart(of_unique):
            whole = _whole(name, _side_by_side(published, clean, noisy))
            # Uniqueness is checked only among cells that no rule changed.
            free = _part(whole.without(entries[name]["row_key"]), facts[name], referred)
            parts[name] = [_part(whole, facts[name], referred)._replace(broken=free.broken)]
    return tuple(_deviation(name, entries[name], parts[name]) for name in published.columns)


def breaks(facts: Field, column: str, referred: Referred) -> pl.Expr:
    """Return which cells of a text column break the facts (Boolean, without nulls); of forbidden repetitions, all."""
    cell = pl.col(column)
    is_missing = cell.is_null() & pl.lit(not facts.nullable)
    return pl.any_horizontal(
        is_missing, *(test.fill_null(value=False) for test in _broken_texts(cell, facts, referred))
    )


def _broken_texts(cell: pl.Expr, facts: Field, referred: Referred) -> Iterator[pl.Expr]:
    if facts.form:
        yield ~cell.str.contains(f"^({facts.form})$")
    if facts.allowed is not None:
        yield ~cell.is_in(facts.allowed)
    number = number_of(cell)
    if facts.minimum is not None:
        yield number < facts.minimum
    if facts.maximum is not None:
        yield number > facts.maximum
    if facts.unique:
        yield cell.is_duplicated() & cell.is_not_null()
    if facts.refers_to is not None and facts.refers_to in referred:
        yield ~cell.is_in(referred[facts.refers_to].implode())


# --- side by side ------------------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """The same rows of both sides."""

    keys: pl.Series
    clean: pl.DataFrame
    noisy: pl.DataFrame

    def column(self, name: str) -> "_Cells":
        """Return the cells of a column."""
        return _Cells(self.keys, self.clean[name], self.noisy[name])


class _Cells(NamedTuple):
    """The same cells of both sides."""

    keys: pl.Series
    clean: pl.Series
    noisy: pl.Series

    def without(self, keys: pl.Series) -> "_Cells":
        """Return the cells of all other rows."""
        is_other = ~self.keys.is_in(keys.implode())
        return _Cells(*(each.filter(is_other) for each in self))


def _side_by_side(published: PublishedTable, clean: Source, noisy: Source) -> Iterator[_Rows]:
    """Yield the rows of both sides, and raise `InputError` where they are others."""
    above = 0
    for first, second in _of_one_height(iter(blocks_of(clean)), iter(blocks_of(noisy))):
        keys = _keys(first, published, above)
        if second.columns != first.columns or not keys.equals(_keys(second, published, above)):
            raise InputError(
                f"the noise ledger is not of this table {published.name!r}: without its rows, others stay than clean ones"
            )
        yield _Rows(keys, first, second)
        above += first.height


def _of_one_height(
    clean: Iterator[pl.DataFrame], noisy: Iterator[pl.DataFrame]
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield pairs of blocks with as many rows; if one side has more, its last ones are paired with none."""
    first, second = next(clean), next(noisy)
    while True:
        height = min(first.height, second.height)
        yield first[:height], second[:height]
        after_first, after_second = _rest(first, height, clean), _rest(second, height, noisy)
        if after_first is None or after_second is None:
            break
        first, second = after_first, after_second
    for side in (after_first, after_second):
        if side is not None and side.height:
            yield (side, side.clear())


def _rest(block: pl.DataFrame, height: int, others: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
    return block[height:] if block.height > height else next(others, None)


def _keys(rows: pl.DataFrame, published: PublishedTable, above: int) -> pl.Series:
    """Return the identity of the rows: their key, or their position if no column is a key (then noise changes nothing)."""
    if published.row_key:
        return rows[published.row_key]
    return pl.int_range(above, above + rows.height, eager=True).cast(pl.String)


def _whole(name: str, blocks: Iterable[_Rows]) -> _Cells:
    return _Cells(*map(pl.concat, zip(*(rows.column(name) for rows in blocks), strict=True)))


# --- one column --------------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """What some cells of a column show."""

    deviating: pl.Series
    """The keys of cells that differ."""
    breaking: int
    broken: pl.Series
    """The keys of cells that break a strict expectation."""


def _part(cells: _Cells, facts: Field, referred: Referred) -> _Part:
    keys, clean, noisy = cells
    if facts.unique and _is_distinct(noisy):
        facts = replace(facts, unique=False)  # finding no repetition once more would take longer than all else
    breaking = noisy.to_frame().lazy().select(breaks(facts, noisy.name, referred)).collect().to_series()
    return _Part(keys.filter(noisy.ne_missing(clean)), int(breaking.sum()), keys.filter(breaking))


def _deviation(column: str, entries: pl.DataFrame, parts: Sequence[_Part]) -> Deviation:
    """Return how the cells of a column deviate."""
    deviating = pl.concat(part.deviating for part in parts)
    found = pl.concat([deviating, *(part.broken for part in parts)]).unique(maintain_order=True)
    unexplained = found.filter(~found.is_in(entries["row_key"].implode()))
    return Deviation(
        column=column,
        rules=tuple(entries["rule"].unique(maintain_order=True)),
        cells=entries["row_key"].n_unique(),
        deviating=deviating.len(),
        breaking=sum(part.breaking for part in parts),
        unexplained=unexplained.len(),
        row_keys=tuple(unexplained.head(SAMPLES)),
    )


def _is_distinct(cells: pl.Series) -> bool:
    """Return whether no text occurs twice; false also if two texts have one hash, for then nothing is known."""
    there = cells.drop_nulls()
    return there.hash().n_unique() == there.len()
