"""What every kind of noise is: typed parameters, and what it does to cells, to rows or to the file.

Three levels, applied in this order whatever the order of rules between levels: a *cell kind* rewrites cells that are
there, a *row kind* adds, drops or moves rows, a *file kind* changes columns or dialect. Choosing what is changed, applying
it and keeping the ledger belong to `engine.py`; reading parameters to `documents/`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar

import polars as pl

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import KnownName
from pipeline.keyed import BlockKey, Key
from pipeline.model import Dialect, Environment, Frames, PublishedTable
from pipeline.noise.kinds.parts.distinct import rewritten
from pipeline.noise.mechanisms import ColumnName

WrittenColumn = Annotated[str, KnownName("column to change")]
"""A column whose cells a rule changes: any that all tables of the rule have, but the row key."""

Restored = Callable[[pl.Expr], pl.Expr]
"""Gives texts back as they were before the noise, where they alone show it."""

_CLEAN, _DRAWN = "\x1fclean:", "\x1fdrawn:"


class Family(StrEnum):
    """What is mended or left together in an ablation."""

    UNITS = "units"
    NAMES = "names"
    LANGUAGE = "language"
    MISSING = "missing"
    KEYS = "keys"
    DATES = "dates"
    ROWS = "rows"
    DEFINITIONS = "definitions"
    PROSE = "prose"
    FORMAT = "format"


def clean(column: str) -> pl.Expr:
    """Return a column as it stands in the clean table; a bare name in `after` is the current text."""
    return pl.col(clean_name(column))


def clean_name(column: str) -> str:
    """Return the name under which the engine puts a clean column beside the current one."""
    return _CLEAN + column


def drawn(name: str) -> pl.Expr:
    """Return what an edit has looked up or worked out under a name."""
    return pl.col(drawn_name(name))


def drawn_name(name: str) -> str:
    """Return the name under which the engine puts what an edit looks up or works out."""
    return _DRAWN + name


@dataclass(frozen=True, kw_only=True)
class Draws:
    """The randomness of one rule in one table: PRF(key of rule, table, column and purpose; owner)."""

    rule: Key
    table: PublishedTable
    reserved: pl.Series | None = None
    """What no made-up code may equal, in the form of `pipeline/model/plain_codes.py`: whatever identifies an original."""

    @property
    def row_key(self) -> str:
        """Return the column by which the table's rows are known."""
        return self.table.row_key

    def of(self, column: str, purpose: str) -> Key:
        """Return the key for one decision about the cells of a column of this table."""
        return BlockKey(self.rule.derive(self.table.name, column, purpose).secret)

    def uniform(self, column: str, purpose: str) -> pl.Expr:
        """Return a uniform draw on [0, 1) for one decision about each cell of a column: by its row's clean key."""
        return self.of(column, purpose).uniform(clean(self.row_key))

    def shared(self, purpose: str) -> Key:
        """Return the key for one decision that all tables of the rule share (an entity's, drawn by its code)."""
        return BlockKey(self.rule.derive(purpose).secret)


@dataclass(frozen=True)
class NoisyRows:
    """A table with noise as `Kind.mended` is given it."""

    rows: pl.DataFrame
    table: PublishedTable
    environment: Environment
    beside: Frames

    def has(self, *columns: str) -> bool:
        """Say whether these columns are there."""
        return set(columns) <= set(self.rows.columns)


class Kind(YamlDocument, ABC):
    """One kind of noise; a frozen dataclass whose fields are the parameters that a specification gives."""

    name: ClassVar[str]
    family: ClassVar[Family]
    recovery: ClassVar[str]
    """Whether the truth can be found in the environment alone, and how: one sentence that begins with Yes or No."""
    claims_realism: ClassVar[bool] = False
    """Whether neither row position nor metadata nor formatting may give away which cells it changed (`noise.json`)."""
    invents_codes: ClassVar[bool] = False
    """Whether it makes up codes, which needs `Draws.reserved`."""
    needs_whole_table: ClassVar[bool] = False
    """Whether all rows of a table must be there at once; a table with such a rule is noised as a single block."""
    mends_each_row: ClassVar[bool] = False
    """Whether it mends each row by itself."""

    @property
    def is_recoverable(self) -> bool:
        """Return whether `mended` takes every change back; a kind on cells says it of each cell instead."""
        return self.recovery.startswith("Yes")

    @property
    def spans(self) -> tuple[str, ...]:
        """Return the tables that a rule of the kind must name, all of them, where they decide together; else nothing."""
        return ()

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Return noisy rows with this noise taken back wherever the environment alone shows the truth; as they are otherwise.

        It sees what an agent sees: never rates, keys or the ledger. A change is recoverable exactly where this takes it back,
        and text that has no such noise comes back as it was. The reference cleaner (`validation/cleaner`) is made of these.

        Args:
            rows: The noisy table, as text, maybe with other columns than declared.
            beside: The other noisy tables, by name.
        """
        return self._mended(NoisyRows(rows, table, environment, beside))

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Say whether it mends a row the same if of each table only rows with the row's own text in a column are there.

        Row keys are to stand once, and to rise. Nobody has to say so of a kind: tables are then mended whole.

        Args:
            by: The column of each table.
        """
        return self.mends_each_row

    def _mended(self, noisy: "NoisyRows") -> pl.DataFrame:
        return noisy.rows


# --- cells -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """One value from the rows that belong to a row: its siblings in the table, or rows of a table beside it."""

    table: str = ""
    """Published table that is looked into, one of `PublishedTable.beside`; empty for the table itself."""
    on: tuple[tuple[pl.Expr, pl.Expr], ...]
    """Pairs of expressions that must be equal: over the clean row here, over the clean rows there. Null fits nothing."""
    where: pl.Expr = field(default_factory=lambda: pl.lit(value=True))
    """Which rows there count."""
    value: pl.Expr
    """An aggregate over the rows there that fit, by no order of rows (a sum, the only one, a sorted list)."""

    def joined(self, rows: pl.DataFrame, source: pl.DataFrame, name: str) -> pl.DataFrame:
        """Return the rows with one more column, `drawn_name(name)`: the value for each, null where nothing fits."""
        return self.answered(rows, self.answers(self.said(self.asked(rows), source), name))

    def asked(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return what rows ask for: each combination of keys once."""
        return rows.select(here.alias(key) for key, (here, _) in zip(self._keys, self.on, strict=True)).unique()

    def said(self, asked: pl.DataFrame, source: pl.DataFrame) -> pl.DataFrame:
        """Return the keys and cells of the rows there that somebody asks for: what grouping needs, which is dear."""
        there = [there.alias(key) for key, (_, there) in zip(self._keys, self.on, strict=True)]
        cells = source.filter(self.where).select(*there, *set(self.value.meta.root_names()))
        return cells.join(asked, on=self._keys, how="semi")

    def answers(self, said: pl.DataFrame, name: str) -> pl.DataFrame:
        """Return the one value for each combination of keys."""
        return said.group_by(self._keys).agg(self.value.alias(drawn_name(name)))

    def answered(self, rows: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
        """Return the rows with their value, given the answers to all that they ask for."""
        asking = rows.with_columns(here.alias(key) for key, (here, _) in zip(self._keys, self.on, strict=True))
        return asking.join(answers, on=self._keys, how="left", maintain_order="left").drop(self._keys)

    @property
    def _keys(self) -> list[str]:
        return [f"\x1fkey:{place}" for place in range(len(self.on))]


@dataclass(frozen=True, kw_only=True)
class Edit:
    """What happens to one cell, and to those that move with it, in each row that is chosen.

    `is_eligible` and `lookups` are over clean rows. The others are over chosen rows that hold the current text under the
    columns' own names and the clean text under `clean(column)`: so a cell depends on the rules that touch it only.
    Expressions name their columns one by one (no `pl.all()`), for only those are at hand.
    """

    column: str
    """The cell that the mechanism looks at and is drawn for."""
    owner: str
    """The clean column that decisions are drawn by: the row key, or an entity whose cells are decided on together."""
    whether: Key | None = None
    """Draws whether an owner is chosen, where tables share the decision (`Draws.shared`); each column's own if None."""
    lookups: Mapping[str, Lookup] = field(default_factory=dict)
    """What is looked up for each row; `is_eligible` and all that comes later use it as `drawn(name)`, null if not found."""
    is_eligible: pl.Expr
    draws: Mapping[str, pl.Expr] = field(default_factory=dict)
    """What is worked out once for each row, in order; whatever comes later uses it as `drawn(name)`."""
    after: Mapping[str, pl.Expr]
    """The new text (String) of every written column; null empties the cell, and an empty cell stays empty."""
    is_recoverable: pl.Expr | Mapping[str, pl.Expr] = field(default_factory=lambda: pl.lit(value=False))
    """Whether the truth can be found in the environment alone: of all written columns alike, or of each; never by default."""

    def recoverability(self, column: str) -> pl.Expr:
        """Return whether the truth of one written column can be found."""
        return self.is_recoverable if isinstance(self.is_recoverable, pl.Expr) else self.is_recoverable[column]


class CellKind(Kind):
    """Noise that rewrites cells; whether the truth can be recovered is said cell by cell."""

    @abstractmethod
    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return what the kind does to the cells of a row of `draws.table`, in order."""


class OneEdit(CellKind):
    """Noise that rewrites one cell, and those that move with it."""

    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return the one edit."""
        return (self._edit(environment, draws),)

    @abstractmethod
    def _edit(self, environment: Environment, draws: Draws) -> Edit:
        """Return what happens to the cell."""


class ColumnsKind(CellKind):
    """Noise that rewrites the cells of some columns, each column by itself and with its own draws.

    A change is recoverable where the text that it leaves is restored to what stood there.
    """

    mends_each_row = True
    columns: tuple[str, ...]

    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column."""
        restored = self._restoring(environment)
        return tuple(self._edit(column, draws, restored) for column in self.columns)

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        return rewritten(noisy.rows, self.columns, self._restoring(noisy.environment))

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        """Return what happens to a cell of one of the columns."""
        steps = self._steps(column, draws)
        text = drawn([*steps][-1])
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._fits(pl.col(column)),
            draws=steps,
            after={column: text},
            is_recoverable=restored(text) == pl.col(column),
        )

    def _fits(self, text: pl.Expr) -> pl.Expr:
        """Return whether the kind can do anything to a clean text."""
        return pl.lit(value=True)

    @abstractmethod
    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        """Return what is worked out of a cell of a column, in order (`Edit.draws`); the last is its new text."""

    def _restoring(self, _environment: Environment) -> Restored:
        """Return what restores texts, given the public declaration."""
        return self._restored

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return texts with this noise taken back where they alone show the truth; as they are otherwise."""
        return text


# --- rows --------------------------------------------------------------------------------------------------------------

ORIGIN = "\x1forigin"
"""Beside the text columns of `RowKind.rearranged`: the row's number before the rule (UInt32), null for an added row."""

CHOSEN = "\x1fchosen"
"""Beside the text columns of `RowKind.rearranged`: whether the mechanism chose the row (Boolean)."""

ELIGIBLE = "\x1feligible"
"""Beside the text columns of `RowKind.rearranged`: whether the mechanism could choose the row; null if noise added it."""


class RowKind(Kind):
    """Noise that adds, drops or moves rows."""

    needs_whole_table = True
    """Rows move to anywhere, a row key that is added must be free, and the ledger counts places from the first row on."""

    judged_by: ColumnName | None = None
    """The column that the mechanism `not_at_random` looks at; the row key if not given."""

    def is_eligible(self) -> pl.Expr:
        """Return, over clean rows, whether the kind can do anything to a row."""
        return pl.lit(value=True)

    def looks_into(self) -> tuple[str, ...]:
        """Return the published tables whose clean rows `rearranged` needs; without one of them the rule does nothing."""
        return ()

    @abstractmethod
    def rearranged(self, rows: pl.DataFrame, draws: Draws, beside: Frames) -> pl.DataFrame:
        """Return the rows as they stand after the noise.

        Args:
            rows: The current rows: the table's text columns, `ORIGIN`, `CHOSEN` and `ELIGIBLE`.
            draws: Randomness, and the table's declaration.
            beside: The clean rows of the tables that `PublishedTable.beside` names.

        Returns:
            The text columns and `ORIGIN`. Rows with an `ORIGIN` hold their text as it was; added rows have none, and a row
            key of their own unless they repeat a row.

        Raises:
            InputError: The rows are such that the kind cannot keep its word: file, row, column and value.
        """


# --- files -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TextFile:
    """A table as a file: text columns in the order of the header, and how they are written."""

    frame: pl.DataFrame
    dialect: Dialect
    renamed: Mapping[str, str] = field(default_factory=dict)
    """What a file kind renamed, old header -> new one: so that no cell counts as changed."""
    above: int = 0
    """How many rows of the file stand above these, if they are a block of it."""
    is_reshaped: bool = False
    """Whether a file kind made other rows out of the rows (long to wide), so that all of them count as changed."""


class FileKind(Kind):
    """Noise that changes columns or dialect; the mechanism's rate decides for each of the `choices`."""

    mends_each_row = True

    def choices(self, table: PublishedTable) -> tuple[str, ...]:
        """Return what is decided on one by one: the file as a whole (its table's name), or columns."""
        return (table.name,)

    @abstractmethod
    def restructured(self, file: TextFile, choice: str, draws: Draws) -> TextFile:
        """Return the file with the noise done for one of the `choices` that was chosen; called for each in their order.

        A column that an earlier change took away is not there any more: what cannot be done is not done, and `file` comes
        back.

        Raises:
            InputError: The file is such that the kind cannot keep its word: file, row, column and value.
        """
