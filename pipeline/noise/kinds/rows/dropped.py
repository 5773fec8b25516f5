"""Dropped rows: records that are gone. Cells that are gone are another kind."""

from typing import ClassVar

import polars as pl

from pipeline.model import Frames
from pipeline.noise.kinds.interface import CHOSEN, Draws, Family, RowKind


class DroppedRows(RowKind):
    """Leaves rows out; the row keys of the others stay, so gaps of ids are what is left of them."""

    name: ClassVar[str] = "dropped_rows"
    family: ClassVar[Family] = Family.ROWS
    recovery: ClassVar[str] = "No, unless other tables tell what the row said."
    claims_realism: ClassVar[bool] = True

    def rearranged(self, rows: pl.DataFrame, _draws: Draws, _beside: Frames) -> pl.DataFrame:
        """Return the rows that were not chosen."""
        return rows.filter(~pl.col(CHOSEN))
