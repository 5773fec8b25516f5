"""What all kinds of typos have in common: one slip in a text, and the one known name that a misspelt one is near to.

Which slips there are belongs to the kinds, drawing and writing them to `slips.py`.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Known, Some, Text
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn, clean, drawn
from pipeline.noise.kinds.parts.distinct import rewritten
from pipeline.noise.kinds.parts.known_names import NearNames, known_names, mended_names
from pipeline.noise.kinds.parts.slips import Slip, is_possible, slip_draws


@dataclass(frozen=True, kw_only=True)
class Typos(CellKind):
    """Writes one place of a text wrong."""

    family: ClassVar[Family] = Family.NAMES

    columns: Some[WrittenColumn]
    """Columns of names or prose, each with its own draw."""
    separator: Text | None = None
    """What stands between the names of a list, where a reader looks them up in the vocabulary one by one."""
    vocabulary: Annotated[str, Known("vocabulary")] | None = None
    """The names, if a reader can know them."""

    @abstractmethod
    def slips(self) -> tuple[Slip, ...]:
        """Return the slips to draw from."""

    @abstractmethod
    def is_near(self, text: str, name: str) -> bool:
        """Return whether a text is one slip away from a name, as a reader counts who does not know which slips there are."""

    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column."""
        slips, mended = self.slips(), self._mended(environment)
        return tuple(self._edit(column, slips, mended, draws) for column in self.columns)

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Return rows with every text corrected that is no name and near to exactly one."""
        mended = self._mended(environment)
        return rewritten(rows, self.columns, mended) if mended else rows

    def _edit(
        self, column: str, slips: tuple[Slip, ...], mended: Callable[[pl.Expr], pl.Expr] | None, draws: Draws
    ) -> Edit:
        cell = pl.col(column)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=is_possible(cell, slips),
            draws=slip_draws(cell, slips, clean(draws.row_key), draws, column),
            after={column: drawn("slipped")},
            is_recoverable=mended(drawn("slipped")) == cell if mended else pl.lit(value=False),
        )

    def _mended(self, environment: Environment) -> Callable[[pl.Expr], pl.Expr] | None:
        if self.vocabulary is None:
            return None
        near = NearNames(known_names(environment.vocabulary(self.vocabulary)), self.is_near)
        return lambda cell: mended_names(cell, near.mended, self.separator)
