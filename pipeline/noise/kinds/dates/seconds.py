"""Impossible seconds: times that no clock shows, as a spreadsheet's fill-down leaves them."""

from typing import ClassVar

import polars as pl

from pipeline.noise.documents.fields import Some
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.date_texts import replaced

_TIME = r"\b[0-9]{1,2}:[0-9]{2}:[0-5][0-9]\b"

_FIRST, _LAST = 60, 105
"""The seconds that are put in, both included: the release goes up to `10:16:105` (reference 4.16e)."""


class ImpossibleSeconds(ColumnsKind):
    """Gives a time seconds from 60 to 105 in place of its own (`10:16:93`), each alike."""

    name: ClassVar[str] = "impossible_seconds"
    family: ClassVar[Family] = Family.DATES
    recovery: ClassVar[str] = "No: the true seconds are gone."

    columns: Some[WrittenColumn]
    """Columns that hold times H:MM:SS, alone or with a date; other text is left alone."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        text = pl.col(column)
        uniform = draws.uniform(column, "seconds")
        seconds = (uniform * (_LAST - _FIRST + 1)).cast(pl.Int64) + _FIRST
        time = text.str.extract(_TIME, 0).str.head(-2) + drawn("seconds").cast(pl.String)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=text.str.contains(_TIME),
            draws={"seconds": seconds},
            after={column: pl.coalesce(replaced(text, _TIME, time), text)},
        )
