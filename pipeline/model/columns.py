"""What a raw column and a raw table are: types, roles, keys, and how what breaks them is treated."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import polars as pl

from pipeline.errors import InputError


class Role(StrEnum):
    """What a raw column is to the anonymiser."""

    CODE = "code"
    """Identifies an entity in every table: replaced by its pseudonymous code. `Column.of` says of which kind it is."""
    NAME = "name"
    """The entity's legal or full name: replaced by its pseudonymous name."""
    ALIAS = "alias"
    """Another name of the entity (short, English, of a subsidiary or product): replaced, here and in all prose."""
    TEXT = "text"
    """Prose: every code, name and alias in it is replaced."""
    MEASURE = "measure"
    """A figure: its low-order digits are perturbed."""
    DATE = "date"
    """A date of the entity: redrawn within its year, order kept; a trading day on a weekday."""
    TIME = "time"
    """A time of an event, a date or a timestamp: moved by whole weeks, as far for all events of the entity, or sampled."""
    NUMBER = "number"
    """Numbers an event (a flight, an invoice): each number of an entity becomes another one, drawn by key."""
    ATTRIBUTE = "attribute"
    """Kept as it is: categories, geography, periods. Of an entity it is a quasi-identifier, unless it is `public`."""
    IDENTIFIER = "identifier"
    """Identifies an entity and is never published; known to the escape scan."""
    IGNORED = "ignored"
    """Read, checked for presence, and dropped: row numbers, load stamps, junk."""


ColumnType = Literal[
    "text", "integer", "decimal", "float", "date", "timestamp", "year", "quarter", "month", "week", "day"
]


@dataclass(frozen=True)
class CodesLike:
    """Codes that look like an example (`N12345`, `JFK`): as long as it, place by place a digit, a letter or the same sign."""

    example: str


CodeShape = Literal["six digits", "five letters"] | CodesLike
"""What published codes look like; `anonymize/codes.py` says which codes those are."""


Cause = Literal["unreadable", "too precise", "not allowed", "out of range", "empty"]
"""What can be wrong with a cell, in the order in which it is looked for: it can't be read as its type, it has more places
than its decimal, it is not in the closed set, it is outside the bounds, or it is empty where it may not be."""


Treatment = Literal["error", "null", "round", "drop"]
"""What is done with what is wrong: the build stops, the cell becomes null, its number is rounded half away from zero, or its
row is dropped. All but the first are counted, in the log and in the manifest."""


_TREATMENTS: Mapping[Cause, tuple[Treatment, ...]] = {
    "unreadable": ("error", "null", "drop"),
    "too precise": ("error", "null", "round", "drop"),
    "not allowed": ("error", "null", "drop"),
    "out of range": ("error", "null", "drop"),
    "empty": ("error", "drop"),
}


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a raw table. The defaults declare a nullable text attribute.

    After conforming: text -> String, integer -> Int64, decimal -> Int64 quanta of 10**-decimals, float -> Float64,
    date -> Date, timestamp -> Datetime, a period (`2023Q1`, `2023-01`, ...) -> Int64 as `periods.py` counts. An empty cell is
    null. Figures are decimals; a float is for numbers that are only looked at.
    """

    name: str
    role: Role = Role.ATTRIBUTE
    of: str = ""
    """Kind of the entity whose code, name or alias it holds (`Entities.kind`); the main kind if empty."""
    type: ColumnType = "text"
    unit: str = ""
    decimals: int = 0
    """Places after the decimal point that a decimal may have; more are an error unless `treat` says how they are treated."""
    nullable: bool = True
    null_tokens: tuple[str, ...] = ()
    """Texts that stand for null (`#N/A`); treated, and counted in the log."""
    allowed: tuple[str, ...] | None = None
    """The closed set of values, if there is one."""
    minimum: int | None = None
    maximum: int | None = None
    """Inclusive bounds of a number, in its unit, or of a date's year."""
    treat: Mapping[Cause, Treatment] = field(default_factory=dict)
    """What is done with cells that break this declaration, by cause; a cause that is not there is an error."""
    date_format: str = "%d/%m/%Y"
    """How a date or a timestamp is written; a timestamp says its own ("%Y-%m-%dT%H:%M:%SZ")."""
    is_trading_day: bool = False
    """Whether an exchange was open on the date (a listing), so that its redrawn day must be one on which it could be."""
    required: bool = True
    """Whether the column must be there; an absent optional column is all null."""
    public: str = ""
    """Why an attribute or text tells nobody's secret, in words that the manifest repeats: it may be published as it is. Of an
    ignored column: why what is published may have the same values."""
    description: str = ""

    def __post_init__(self) -> None:
        # NOTE: an identifier that became null would be known to nobody, and not be found where it stands in prose.
        is_known = self.role in (Role.CODE, Role.NAME, Role.ALIAS, Role.IDENTIFIER)
        for cause, treatment in self.treat.items():
            if cause not in _TREATMENTS:
                raise InputError.unknown(f"cause in the treatments of column {self.name!r}", cause, _TREATMENTS)
            allowed = [name for name in _TREATMENTS[cause] if not (is_known and name == "null")]
            if treatment not in allowed:
                what = f"treatment of what is {cause} in the {self.role} column {self.name!r}"
                raise InputError.unknown(what, treatment, allowed)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The values of `columns` occur together in one row of another table. A row with a null among them refers to nothing."""

    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...] = ()
    """Columns of that table, in the same order; `columns` if empty."""
    broken: Literal["error", "null", "drop", "keep"] = "error"
    """What is done with a row whose values occur nowhere: the build stops, the values become null, the row is dropped, or it
    stays as it is (a code that no table lists is an entity without attributes, with a pseudonym like every other). The last
    three are counted. Where the row referred to is dropped by a treatment, an `error` is a `drop`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "to_columns", self.to_columns or self.columns)
        if len(self.columns) != len(self.to_columns) or not self.columns:
            raise InputError(f"a reference has as many columns as it refers to: {self.columns} to {self.to_columns}")


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """How records with one key are treated: one of them stays, the others are dropped and counted."""

    first_by: tuple[str, ...] = ()
    """Columns by whose values the first record stays, null coming last. Empty: any of records that are equal in all columns.
    Records that differ though neither comes first are an error."""
    descending: bool = False
    """Whether the record with the largest values stays."""


@dataclass(frozen=True, kw_only=True)
class RowRule:
    """What must be true of each row, beyond its single cells; where it is not, `column` is at fault."""

    column: str
    holds: Callable[[], pl.Expr]
    """Makes a Boolean expression over the typed columns; null counts as true."""
    expected: str
    """What was expected, for the error's text."""
    treatment: Literal["error", "drop"] = "error"
    """What is done with a row that breaks it."""


@dataclass(frozen=True, kw_only=True)
class RawTable:
    """One raw table: `<file>.csv` or `<file>.parquet` (or `<file>.json` for a flat object of text: columns `key`, `value`)."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    """Columns whose values together are unique and not null."""
    repeats: Repeats | None = None
    """How records with one key are treated; an error if nothing is declared."""
    file: str = ""
    """File name without its ending; the table's name if empty."""
    ignored: tuple[str, ...] = ()
    """Headers that are dropped, the empty header included; each may occur more than once. Any other header is an error."""
    references: tuple[Reference, ...] = ()
    rules: tuple[RowRule, ...] = ()
    required: bool = True
    """Whether a build is possible without it; what an absent table would have given is left out and said so in the manifest."""
    complete: Callable[[pl.LazyFrame], pl.LazyFrame] | None = None
    """Adds columns that follow from the typed ones (a fiscal year from a period's end); runs after all checks but the key's."""
    adds: tuple[Column, ...] = ()
    """The columns that `complete` adds: what is not declared here is not published."""
    public: str = ""
    """As `Column.public`, for every attribute and text of a table that is about no entity (a macro series, a policy)."""
    description: str = ""

    def __post_init__(self) -> None:
        if not self.file:
            object.__setattr__(self, "file", self.name)
        for reference in self.references:
            if reference.broken == "null" and (lost := set(reference.columns) & set(self.key)):
                raise InputError(f"a broken reference of {self.name!r} can't be null: {sorted(lost)} are of its key")

    def of_role(self, *roles: Role, of: str | None = None) -> tuple[Column, ...]:
        """Return the columns of these roles, in order, those that `complete` adds last; of one kind if `of` names it."""
        return tuple(
            column for column in (*self.columns, *self.adds) if column.role in roles and of in {None, column.of}
        )

    def is_of_entities(self) -> bool:
        """Say whether its rows belong to entities: it has a code or a name."""
        return bool(self.of_role(Role.CODE, Role.NAME, Role.ALIAS))
