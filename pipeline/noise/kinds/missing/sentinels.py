"""Sentinels: the value is gone and some text stands where it was. Cells that are merely empty are `missing_values`."""

from typing import ClassVar

import polars as pl

from pipeline.noise.documents.fields import Some, Text
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.sentences import picked


class Sentinels(ColumnsKind):
    """Puts a text that stands for "missing" (0, -1, 9999, 无, N/A) in place of the value."""

    name: ClassVar[str] = "sentinels"
    family: ClassVar[Family] = Family.MISSING
    recovery: ClassVar[str] = "No: the value is gone, and its text may be a value elsewhere."

    columns: Some[WrittenColumn]
    """Columns whose values go missing, each by its own draw."""
    texts: Some[Text]
    """What may stand for a missing value, each text alike; cells that hold one of them anyway are left alone."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=~pl.col(column).is_in(self.texts),
            draws={"text": picked(draws.uniform(column, "which"), self.texts)},
            after={column: drawn("text")},
        )
