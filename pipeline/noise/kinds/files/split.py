"""Split columns: the parts of one column's texts stand in columns of their own. The reverse is another kind."""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import Draws, Family, FileKind, TextFile, WrittenColumn
from pipeline.noise.kinds.parts.refusals import refuse_header

_PART = re.compile(r"\{([^{}]+)\}")


class SplitColumns(FileKind):
    """Takes a column apart into several, as a date into year, month and day.

    A text that is not laid out like that stands whole in the first of the new columns, the others empty.
    """

    name: ClassVar[str] = "split_columns"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by putting the parts together again."
    needs_whole_table: ClassVar[bool] = True
    """The ledger has all cells of a column in one entry."""

    column: WrittenColumn
    """The column that is taken apart; the new ones stand in its place."""
    layout: Text
    """How its texts are laid out, each new header in braces and something between them: `{day}/{month}/{year}`."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a layout of fewer than two parts, of one header twice, and of parts with nothing between them."""
        headers, between = self._parts()
        if len(headers) < 2 or len(set(headers)) < len(headers) or not all(between[1:-1]):  # noqa: PLR2004
            yield Refusal(
                "layout", self.layout, "two headers in braces or more, each once, with something between them"
            )

    def choices(self, _table: PublishedTable) -> tuple[str, ...]:
        """Return the column."""
        return (self.column,)

    def restructured(self, file: TextFile, choice: str, draws: Draws) -> TextFile:
        """Return the file with the parts in place of the column."""
        if choice not in file.frame.columns:
            return file
        headers, between = self._parts()
        others = [column for column in file.frame.columns if column != choice]
        for header in headers:
            if header in others:
                refuse_header(draws.table, header, f"headers that no column has yet, for the parts of {choice!r}")
        pattern = "(?s)^" + "(.+?)".join(map(pl.escape_regex, between)) + "$"
        found = [pl.col(choice).str.extract(pattern, number + 1) for number in range(len(headers))]
        whole = pl.coalesce(found[0], pl.col(choice)).alias(headers[0])
        parts = [whole, *(part.alias(header) for part, header in zip(found[1:], headers[1:], strict=True))]
        columns = [[pl.col(column)] if column != choice else parts for column in file.frame.columns]
        return TextFile(frame=file.frame.select(column for group in columns for column in group), dialect=file.dialect)

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Each row is mended by itself."""
        return True

    def mended(
        self, rows: pl.DataFrame, _table: PublishedTable, _environment: Environment, _beside: Frames
    ) -> pl.DataFrame:
        """Return the rows with the column in place of its parts; what stands alone in the first was not taken apart."""
        headers, between = self._parts()
        if self.column in rows.columns or not set(headers) <= set(rows.columns):
            return rows
        alternating = [text for header, literal in zip(headers, between[1:], strict=True) for text in (header, literal)]
        pieces = [pl.col(piece) if place % 2 == 0 else pl.lit(piece) for place, piece in enumerate(alternating)]
        joined = pl.concat_str(pl.lit(between[0]), *pieces)  # null if a part is
        whole = pl.coalesce(joined, pl.col(headers[0])).alias(self.column)
        return rows.select(
            whole if column == headers[0] else pl.col(column) for column in rows.columns if column not in headers[1:]
        )

    def _parts(self) -> tuple[list[str], list[str]]:
        """Return the headers, and the texts before, between and after them."""
        pieces = _PART.split(self.layout)
        return pieces[1::2], pieces[::2]
