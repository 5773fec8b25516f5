"""Reordered rows: the same records in another order. The order of columns is another kind."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import CHOSEN, ELIGIBLE, Draws, Family, RowKind
from pipeline.noise.kinds.parts.added_rows import number
from pipeline.noise.kinds.parts.refusals import refuse_any
from pipeline.noise.mechanisms import ColumnName
from pipeline.numerals import number_of


class ReorderedRows(RowKind):
    """Sorts the chosen rows by a column, or shuffles them; the other rows keep their places.

    Rules on rows that come after see the order that it leaves.
    """

    name: ClassVar[str] = "reordered_rows"
    family: ClassVar[Family] = Family.ROWS
    recovery: ClassVar[str] = "Yes, by the row key, if its numbers rise in the clean table."

    order: Literal["shuffled", "ascending", "descending"]
    """The order of the chosen rows: drawn for each by its row key, or by a column."""
    by: ColumnName | None = None
    """The column that they are sorted by; rows without it come last, and rows alike keep their order."""
    compared_as: Literal["number", "text"] = "number"
    """How its cells are compared; text that is no number then comes last."""
    is_keyed: bool = True
    """Whether the row keys of the clean table are numbers that rise, so that they tell the order; refused where they do not."""

    @property
    def is_recoverable(self) -> bool:
        """Return whether the row key gives the order."""
        return self.is_keyed

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse to sort by nothing, and to shuffle by something."""
        if (self.order == "shuffled") != (self.by is None):
            yield Refusal("by", self.by, "a column if rows are sorted, nothing if they are shuffled")

    def rearranged(self, rows: pl.DataFrame, draws: Draws, _beside: Frames) -> pl.DataFrame:
        """Return the rows with the chosen ones in their new order, among the places that they had."""
        if self.is_keyed:
            _refuse_other_order(rows, draws.table)
        places = rows[CHOSEN].arg_true()
        ranked = rows.select(self._rank(draws).alias("rank"))[places].with_columns(places.alias("from"))
        is_falling = self.order == "descending"
        ordered = ranked.sort("rank", descending=is_falling, nulls_last=True, maintain_order=True)["from"]
        return rows[pl.int_range(rows.height, dtype=pl.UInt32, eager=True).scatter(places, ordered)]

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Row keys rise."""
        return True

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, _environment: Environment, _beside: Frames
    ) -> pl.DataFrame:
        """Return the rows in the order of their row keys, where all are numbers."""
        if (
            not self.is_keyed
            or table.row_key not in rows.columns
            or rows.select(number(table.row_key).has_nulls()).item()
        ):
            return rows
        return rows.sort(number(table.row_key), maintain_order=True)

    def _rank(self, draws: Draws) -> pl.Expr:
        if self.by is None:
            return draws.of("", "order").uniform(draws.row_key)
        return number_of(pl.col(self.by)) if self.compared_as == "number" else pl.col(self.by)


def _refuse_other_order(rows: pl.DataFrame, table: PublishedTable) -> None:
    """Refuse row keys of the table's own rows that do not rise; rows that noise added may stand anywhere."""
    own = number(table.row_key)
    before = pl.when(pl.col(ELIGIBLE).is_not_null()).then(own).shift(1).forward_fill()
    is_wrong = pl.col(ELIGIBLE).is_not_null() & (own.is_null() | (own <= before).fill_null(value=False))
    refuse_any(rows, table, table.row_key, is_wrong, "numbers that rise from row to row; or say is_keyed: false")
