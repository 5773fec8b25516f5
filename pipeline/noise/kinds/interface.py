"""What every kind of noise is: typed parameters, and edits of cells as polars expressions.

Choosing cells, applying edits and keeping the ledger belong to `engine.py`; reading parameters to `documents.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import polars as pl

from pipeline.environment.model import Environment
from pipeline.keyed import Key
from pipeline.noise.documents import Known, Refusal

WrittenColumn = Annotated[str, Known("column to change")]
"""A column whose cells a rule changes: any that all tables of the rule have, but the row key."""

_CLEAN, _DRAWN = "\x1fclean:", "\x1fdrawn:"


def clean(column: str) -> pl.Expr:
    """Return a column as it stands in the clean table; a bare name in `after` is the current text."""
    return pl.col(clean_name(column))


def clean_name(column: str) -> str:
    """Return the name under which the engine puts a clean column beside the current one."""
    return _CLEAN + column


def drawn(name: str) -> pl.Expr:
    """Return what an edit has worked out under a name."""
    return pl.col(drawn_name(name))


def drawn_name(name: str) -> str:
    """Return the name under which the engine puts what an edit works out."""
    return _DRAWN + name


@dataclass(frozen=True)
class Draws:
    """The randomness of one rule in one table: PRF(key of rule, table, column and purpose; owner)."""

    key: Key
    row_key: str

    def of(self, column: str, purpose: str) -> Key:
        """Return the key for one decision about the cells of a column."""
        return self.key.derive(column, purpose)


@dataclass(frozen=True, kw_only=True)
class Edit:
    """What happens to one cell, and to those that move with it, in each row that is chosen.

    `is_eligible` is over clean rows. The others are over chosen rows that hold the current text under the columns' own
    names and the clean text under `clean(column)`: so a cell depends on the rules that touch it only.
    """

    column: str
    """The cell that the mechanism looks at and is drawn for."""
    owner: str
    """The clean column that decisions are drawn by: the row key, or an entity whose cells are decided on together."""
    is_eligible: pl.Expr
    draws: Mapping[str, pl.Expr] = field(default_factory=dict)
    """What is worked out once for each row, in order; whatever comes later uses it as `drawn(name)`."""
    after: Mapping[str, pl.Expr]
    """The new text (String) of every written column; null empties the cell, and an empty cell stays empty."""
    is_recoverable: pl.Expr


class Kind(ABC):
    """One kind of noise; a frozen dataclass whose fields are the parameters that a specification gives."""

    name: ClassVar[str]
    recovery: ClassVar[str]
    """Whether the truth can be found in the environment alone, and how: one sentence."""

    @abstractmethod
    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return what the kind does to the cells of a row, in order."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Yield what is wrong with the parameters together, or with the environment given them."""
        yield from ()
