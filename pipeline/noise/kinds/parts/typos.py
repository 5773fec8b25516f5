"""What all kinds of typos have in common: one slip in a text, and the one known name that a misspelt one is near to.

Which slips there are belongs to the kinds, drawing and writing them to `slips.py`.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, ClassVar

import polars as pl

from pipeline.noise.documents.fields import KnownName, Some, Text
from pipeline.noise.kinds.interface import Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.known_names import Mended, NamesKind, NearNames
from pipeline.noise.kinds.parts.slips import Slip, is_possible, slip_draws


class Typos(NamesKind):
    """Writes one place of a text wrong."""

    family: ClassVar[Family] = Family.NAMES

    columns: Some[WrittenColumn]
    """Columns of names or prose, each with its own draw."""
    separator: Text | None = None
    """What stands between the names of a list, where a reader looks them up in the vocabulary one by one."""
    vocabulary: Annotated[str, KnownName("vocabulary")] | None = None
    """The names, if a reader can know them."""

    @abstractmethod
    def slips(self) -> tuple[Slip, ...]:
        """Return the slips to draw from."""

    @abstractmethod
    def is_near(self, text: str, name: str) -> bool:
        """Return whether a text is one slip away from a name, as a reader counts who does not know which slips there are."""

    def _edit(self, column: str, mended: Mended, draws: Draws) -> Edit:
        cell, slips = pl.col(column), self.slips()
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=is_possible(cell, slips),
            draws=slip_draws(cell, slips, draws, column),
            after={column: drawn("slipped")},
            is_recoverable=mended(drawn("slipped")) == cell,
        )

    def _meaning(self, names: frozenset[str]) -> Callable[[str], str]:
        return NearNames(names, self.is_near).mended
