"""Reordered columns: the same columns in another order. The order of rows is another kind."""

from collections.abc import Mapping
from typing import ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Some
from pipeline.noise.kinds.interface import Draws, Family, FileKind, TextFile
from pipeline.noise.mechanisms import ColumnName


class ReorderedColumns(FileKind):
    """Puts the columns of the file into another order, drawn or given."""

    name: ClassVar[str] = "reordered_columns"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by the headers."

    first: Some[ColumnName] | None = None
    """The columns that come first, in this order; the others follow as they stood. All are drawn if not given."""

    def restructured(self, file: TextFile, _choice: str, draws: Draws) -> TextFile:
        """Return the file with its columns in the new order."""
        return TextFile(frame=file.frame.select(self._order(file.frame.columns, draws)), dialect=file.dialect)

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Each row is mended by itself."""
        return True

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, _environment: Environment, _beside: Frames
    ) -> pl.DataFrame:
        """Return the rows with the declared columns in the declared order; columns that are not declared come last."""
        declared = [column for column in table.columns if column in rows.columns]
        return rows.select(*declared, *(column for column in rows.columns if column not in declared))

    def _order(self, columns: list[str], draws: Draws) -> list[str]:
        if self.first is not None:
            given = [column for column in self.first if column in columns]
            return [*given, *(column for column in columns if column not in given)]
        drawn = pl.DataFrame({"column": columns}).sort(draws.of("", "order").uniform("column"))
        return drawn["column"].to_list()
