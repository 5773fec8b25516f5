"""Trailing blanks: keys that look alike and do not join. Blanks inside names are another kind."""

from typing import Annotated, ClassVar

import polars as pl

from pipeline.noise.documents.fields import Some, Within
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn

_BLANK = " "


class TrailingBlanks(ColumnsKind):
    """Puts one or more blanks after a key, so that it looks the same and joins nothing."""

    name: ClassVar[str] = "trailing_blanks"
    family: ClassVar[Family] = Family.KEYS
    recovery: ClassVar[str] = "Yes, by taking blanks off the end."

    columns: Some[WrittenColumn]
    """Columns that hold keys; keys that end in a blank anyway are left alone."""
    most: Annotated[int, Within(1)] = 3
    """The largest number of blanks; each number from one to it alike."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        uniform = draws.uniform(column, "how many")
        width = pl.col(column).str.len_chars() + 1 + (uniform * self.most).cast(pl.UInt32)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=~pl.col(column).str.ends_with(_BLANK),
            draws={"width": width},
            after={column: pl.col(column).str.pad_end(drawn("width"), _BLANK)},
            is_recoverable=pl.lit(value=True),
        )

    def _restored(self, text: pl.Expr) -> pl.Expr:
        return text.str.strip_chars_end(_BLANK)
