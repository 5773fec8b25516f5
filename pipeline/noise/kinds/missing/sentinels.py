"""Sentinels: the value is gone and some text stands where it was. Cells that are merely empty are `missing_values`."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import Some, Text
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn, clean, drawn


@dataclass(frozen=True, kw_only=True)
class Sentinels(CellKind):
    """Puts a text that stands for "missing" (0, -1, 9999, 无, N/A) in place of the value."""

    name: ClassVar[str] = "sentinels"
    family: ClassVar[Family] = Family.MISSING
    recovery: ClassVar[str] = "No: the value is gone, and its text may be a value elsewhere."

    columns: Some[WrittenColumn]
    """Columns whose values go missing, each by its own draw."""
    texts: Some[Text]
    """What may stand for a missing value, each text alike; cells that hold one of them anyway are left alone."""

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column."""
        return tuple(self._edit(column, draws) for column in self.columns)

    def _edit(self, column: str, draws: Draws) -> Edit:
        uniform = draws.of(column, "which").uniform(clean(draws.row_key))
        texts = dict(enumerate(self.texts))
        which = (uniform * len(texts)).cast(pl.Int64)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=~pl.col(column).is_in(self.texts),
            draws={"which": which},
            after={column: drawn("which").replace_strict(texts, return_dtype=pl.String)},
            is_recoverable=pl.lit(value=False),
        )
