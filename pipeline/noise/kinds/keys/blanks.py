"""Trailing blanks: keys that look alike and do not join. Blanks inside names are another kind."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Some, Within
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn, clean, drawn

_BLANK = " "


@dataclass(frozen=True, kw_only=True)
class TrailingBlanks(CellKind):
    """Puts one or more blanks after a key, so that it looks the same and joins nothing."""

    name: ClassVar[str] = "trailing_blanks"
    family: ClassVar[Family] = Family.KEYS
    recovery: ClassVar[str] = "Yes, by taking blanks off the end."

    columns: Some[WrittenColumn]
    """Columns that hold keys; keys that end in a blank anyway are left alone."""
    most: Annotated[int, Within(1)] = 3
    """The largest number of blanks; each number from one to it alike."""

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column."""
        return tuple(self._edit(column, draws) for column in self.columns)

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Take blanks off the end of the keys."""
        return rows.with_columns(
            pl.col(column).str.strip_chars_end(_BLANK) for column in self.columns if column in rows.columns
        )

    def _edit(self, column: str, draws: Draws) -> Edit:
        uniform = draws.of(column, "how many").uniform(clean(draws.row_key))
        width = pl.col(column).str.len_chars() + 1 + (uniform * self.most).cast(pl.UInt32)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=~pl.col(column).str.ends_with(_BLANK),
            draws={"width": width},
            after={column: pl.col(column).str.pad_end(drawn("width"), _BLANK)},
            is_recoverable=pl.lit(value=True),
        )
