"""Merged columns: the texts of several columns stand in one. The reverse is another kind."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import Draws, Family, FileKind, TextFile, WrittenColumn
from pipeline.noise.kinds.parts.refusals import refuse_any, refuse_header


class MergedColumns(FileKind):
    """Puts several columns into one with a separator, as province, city and district; an empty cell leaves nothing between.

    A build is refused if a cell holds the separator: cells could not be divided again.
    """

    name: ClassVar[str] = "merged_columns"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by the separator, which stands in no cell."
    needs_whole_table: ClassVar[bool] = True
    """The ledger has all cells of a column in one entry."""

    columns: Some[WrittenColumn]
    """The columns, in the order of their texts; the new one stands where the first of them stood."""
    into: Text
    """The header of the new column."""
    separator: Text
    """What stands between the texts."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a single column."""
        if len(self.columns) < 2:  # noqa: PLR2004
            yield Refusal("columns", self.columns, "two columns or more")

    def restructured(self, file: TextFile, _choice: str, draws: Draws) -> TextFile:
        """Return the file with the new column in place of the others."""
        frame, first = file.frame, self.columns[0]
        if not set(self.columns) <= set(frame.columns):
            return file
        if self.into in set(frame.columns) - set(self.columns):
            refuse_header(draws.table, self.into, "a header that no column has yet; name another with into")
        cells = [pl.col(column).fill_null("") for column in self.columns]
        is_there = pl.any_horizontal(pl.col(column).is_not_null() for column in self.columns)
        merged = pl.when(is_there).then(pl.concat_str(cells, separator=self.separator))
        for cell, column, part in zip(cells, self.columns, self._split(merged), strict=True):
            is_other = (part != cell).fill_null(value=True) & is_there
            expected = f"no {self.separator!r} in cells that are merged with it; name another separator"
            refuse_any(frame, draws.table, column, is_other, expected)
        kept = [column for column in frame.columns if column == first or column not in self.columns]
        return TextFile(
            frame=frame.select(merged.alias(self.into) if column == first else pl.col(column) for column in kept),
            dialect=file.dialect,
        )

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Each row is mended by itself."""
        return True

    def mended(
        self, rows: pl.DataFrame, _table: PublishedTable, _environment: Environment, _beside: Frames
    ) -> pl.DataFrame:
        """Return the rows with the columns in place of the merged one."""
        own = set(self.columns) - {self.into}
        if self.into not in rows.columns or own & set(rows.columns):
            return rows
        parts = [
            pl.when(part != "").then(part).alias(column)
            for part, column in zip(self._split(pl.col(self.into)), self.columns, strict=True)
        ]
        groups = [parts if column == self.into else [pl.col(column)] for column in rows.columns]
        return rows.select(column for group in groups for column in group)

    def _split(self, merged: pl.Expr) -> list[pl.Expr]:
        """Return the texts of a merged cell; null where there are not as many as columns."""
        texts = merged.str.split(self.separator)
        is_whole = texts.list.len() == len(self.columns)
        return [pl.when(is_whole).then(texts.list.get(place, null_on_oob=True)) for place in range(len(self.columns))]
