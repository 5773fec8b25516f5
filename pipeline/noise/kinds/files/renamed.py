"""Renamed columns: headers say something else, the cells are as they were. Columns that move are another kind."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import NOT_EMPTY, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import Draws, Family, FileKind, TextFile
from pipeline.noise.kinds.parts.refusals import refuse_header
from pipeline.noise.mechanisms import ColumnName

_HAN = re.compile(r"[\u4e00-\u9fff]")


class RenamedColumns(FileKind):
    """Gives columns other headers: abbreviated, misspelt, or those of another system; each header is decided on alone."""

    name: ClassVar[str] = "renamed_columns"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by what stands in the columns."

    names: Annotated[Mapping[ColumnName, Text], NOT_EMPTY]
    """Column -> its new header, which no other column may have."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse one header for two columns, and one that another of the columns has."""
        headers = list(self.names.values())
        if len({*headers, *self.names}) < 2 * len(headers):
            yield Refusal("names", headers, "each new header once, and none that is a column's own")

    def choices(self, _table: PublishedTable) -> tuple[str, ...]:
        """Return the columns to be renamed."""
        return tuple(self.names)

    def restructured(self, file: TextFile, choice: str, draws: Draws) -> TextFile:
        """Return the file with the column under its new header."""
        header = self.names[choice]
        if choice not in file.frame.columns:
            return file
        if header in file.frame.columns:
            refuse_header(draws.table, header, f"a header that no column has yet, for {choice!r}; name another")
        renamed = {choice: header}
        return TextFile(frame=file.frame.rename(renamed), dialect=file.dialect, renamed=renamed)

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Each row is mended by itself."""
        return True

    def mended(
        self, rows: pl.DataFrame, _table: PublishedTable, _environment: Environment, _beside: Frames
    ) -> pl.DataFrame:
        """Return the rows with the columns under their declared headers."""
        return rows.rename(
            {
                header: column
                for column, header in self.names.items()
                if header in rows.columns and column not in rows.columns
            }
        )


class ForeignHeaders(RenamedColumns):
    """Gives columns headers in the other language: Chinese where they are English, English where they are Chinese."""

    name: ClassVar[str] = "foreign_headers"
    family: ClassVar[Family] = Family.LANGUAGE
    recovery: ClassVar[str] = "Yes, by translating the headers back, or by what stands in the columns."

    names: Annotated[Mapping[ColumnName, Text], NOT_EMPTY]
    """Column -> its header in the other language, which no other column may have."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse what `renamed_columns` refuses, and a header in the same script."""
        yield from super().refusals(environment)
        same = [
            header for column, header in self.names.items() if bool(_HAN.search(column)) == bool(_HAN.search(header))
        ]
        if same:
            yield Refusal("names", same, "headers in Chinese for columns in English, and the reverse")
