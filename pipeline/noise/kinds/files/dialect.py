"""Other dialect: how the file is written. What its cells hold are other kinds."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Literal

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import Draws, Family, FileKind, TextFile
from pipeline.noise.kinds.parts.refusals import refuse_any


class OtherDialect(FileKind):
    """Writes the file with other quotes, or with a text where a field is empty."""

    name: ClassVar[str] = "other_dialect"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by reading the file as it is written."

    quote: Literal["minimal", "non_empty", "all"] | None = None
    """Which fields are quoted: those that must be, those that are not empty, or all; as the table is declared if not given."""
    null_text: Text | None = None
    """What stands in an empty field (`NULL`, `NA`, `-`, `\\N`); a build in which a cell holds that text is refused."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a dialect that says nothing, and a text that would have to be quoted."""
        if self.quote is None and self.null_text is None:
            yield Refusal("", "neither quote nor null_text", "one of them, or both")
        if set(self.null_text or "") & set(',"\r\n'):
            yield Refusal("null_text", self.null_text, "a text without commas, quotes and line breaks")

    def restructured(self, file: TextFile, _choice: str, draws: Draws) -> TextFile:
        """Return the same table in the other dialect."""
        for column in file.frame.columns if self.null_text is not None else ():
            expected = "an empty field or another text, since it is to stand for empty fields; name another null_text"
            is_taken = pl.col(column) == self.null_text
            refuse_any(file.frame, draws.table, column, is_taken, expected, above=file.above)
        quote, null = self.quote or file.dialect.quote, file.dialect.null if self.null_text is None else self.null_text
        return TextFile(frame=file.frame, dialect=replace(file.dialect, quote=quote, null=null))

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Each row is mended by itself."""
        return True

    def mended(
        self, rows: pl.DataFrame, _table: PublishedTable, _environment: Environment, _beside: Frames
    ) -> pl.DataFrame:
        """Return the rows with empty cells for the text that stands for them."""
        return rows if self.null_text is None else rows.with_columns(pl.all().replace(self.null_text, None))
