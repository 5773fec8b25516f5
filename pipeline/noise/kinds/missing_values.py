"""Missing values: a cell becomes empty. Texts that stand for missing, and whole rows gone, are other kinds."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import polars as pl

from pipeline.environment.model import Environment
from pipeline.noise.documents import NotEmpty
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn


@dataclass(frozen=True, kw_only=True)
class MissingValues(CellKind):
    """Empties each of the columns' cells, every column by its own draw."""

    name: ClassVar[str] = "missing_values"
    family: ClassVar[Family] = Family.MISSING
    recovery: ClassVar[str] = "No, unless another table repeats the value."

    columns: Annotated[tuple[WrittenColumn, ...], NotEmpty()]

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column."""
        return tuple(
            Edit(
                column=column,
                owner=draws.row_key,
                is_eligible=pl.lit(value=True),
                after={column: pl.lit(None, pl.String)},
                is_recoverable=pl.lit(value=False),
            )
            for column in self.columns
        )
