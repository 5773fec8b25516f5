"""Clipped text: a text ends where a field was full, in the middle of a word. A whole text gone is another kind."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Some, Within
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, clean
from pipeline.noise.kinds.parts.distinct import rewritten
from pipeline.noise.mechanisms import ColumnName

_SPREAD = 0.1
"""A clipped text is this share shorter or longer than asked, at most; our choice."""


class ClippedText(ColumnsKind):
    """Cuts a longer text off after about so many characters, inside a word where there is one."""

    name: ClassVar[str] = "clipped_text"
    family: ClassVar[Family] = Family.PROSE
    recovery: ClassVar[str] = "No, unless the first line of another column (`whole_in`) is the whole text."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw."""
    characters: Annotated[int, Within(2)]
    """How many characters are left, give or take a tenth; texts that are not longer anyway stay."""
    whole_in: ColumnName | None = None
    """A column whose first line may hold the whole text (a title above its text)."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a text that is whole in itself."""
        if self.whole_in in self.columns:
            yield Refusal("whole_in", self.whole_in, "another column than `columns`")

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Take the first line of `whole_in` where a text that may be clipped is its beginning."""
        if self.whole_in is None or self.whole_in not in rows.columns:
            return rows
        whole = _first_line(pl.col(self.whole_in))

        def completed(text: pl.Expr) -> pl.Expr:
            may_be_clipped = (text.str.len_chars() >= self._shortest) & whole.str.starts_with(text)
            return pl.when(may_be_clipped).then(whole).otherwise(text)

        return rewritten(rows, self.columns, completed)

    @property
    def _shortest(self) -> int:
        return int(self.characters * (1 - _SPREAD))

    @property
    def _longest(self) -> int:
        return int(self.characters * (1 + _SPREAD))

    def _edit(self, column: str, draws: Draws) -> Edit:
        text, uniform = pl.col(column), draws.uniform(column, "length")
        length = (uniform * (self._longest - self._shortest + 1)).cast(pl.Int64) + self._shortest
        whole = pl.lit(None, pl.String) if self.whole_in is None else _first_line(pl.col(self.whole_in))
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=text.str.len_chars() > self._longest,
            after={column: _clipped(text, length)},
            is_recoverable=whole.eq_missing(clean(column)),
        )


def _clipped(text: pl.Expr, length: pl.Expr) -> pl.Expr:
    """Return the text up to the first place inside a word that leaves `length` characters or more; else just so many."""
    inside = text.str.slice(length - 1).str.extract(r"(?s)^(.*?\p{L})\p{L}", 1)
    return text.str.slice(0, length - 1) + pl.coalesce(inside, text.str.slice(length - 1, 1))


def _first_line(text: pl.Expr) -> pl.Expr:
    return text.str.extract(r"^([^\r\n]*)", 1)
