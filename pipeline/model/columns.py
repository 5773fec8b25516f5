"""What a raw column and a raw table are: types, roles, keys, and how cells and rows that break them are treated."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

import polars as pl

from pipeline.errors import InputError
from pipeline.model.periods_said import period_column
from pipeline.model.schema.types import ColumnType


class Role(StrEnum):
    """What a raw column holds, and so what becomes of it."""

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
    """A time of an event, a date or a timestamp: sampled, or moved by the same number of weeks for all events of an entity."""
    NUMBER = "number"
    """Numbers an event (a flight, an invoice): replaced by another number of the entity, drawn by key."""
    ATTRIBUTE = "attribute"
    """Kept as it is: categories, geography, periods. Of an entity it is a quasi-identifier, unless it is `public`."""
    IDENTIFIER = "identifier"
    """Identifies an entity and is never published; known to the escape scan."""
    IGNORED = "ignored"
    """Read, checked for presence, and dropped: row numbers, load stamps, junk."""


@dataclass(frozen=True)
class CodesLike:
    """Codes that look like an example (`N12345`, `JFK`): as long, with a digit, a letter or the same sign in each place."""

    example: str


CodeShape = Literal["six digits", "five letters"] | CodesLike
"""What published codes look like; `anonymize/codes.py` defines which codes have each shape."""


LONGEST: Mapping[Role, int] = {
    Role.CODE: 100,
    Role.NUMBER: 100,
    Role.NAME: 1_000,
    Role.ALIAS: 1_000,
    Role.IDENTIFIER: 1_000,
    Role.ATTRIBUTE: 10_000,
    Role.TEXT: 1_000_000,
}
"""Characters of the longest cell of a text column, where it declares nothing (our choice: a defect in a raw file can run
cells together, and searching for a name of megabytes takes for ever)."""


Cause = Literal["unreadable", "too long", "too precise", "not allowed", "out of range", "empty"]
"""What can be wrong with a cell, in the order in which the causes are checked: it can't be read as its type, it has more
characters than its column allows or more places than its decimal, it is not in the closed set, it is outside the bounds, or it
is empty where it may not be."""


CellTreatment = Literal["error", "null", "round", "drop"]
"""How a wrong cell is treated: the build stops, the cell becomes null, its number is rounded half away from zero, or its row
is dropped. The log and the manifest count every treatment but the first."""


# A missing treatment is one that would make no sense: a number is rounded only if it has too many places, and an empty cell
# that may not be empty cannot become null.
_TREATMENTS: Mapping[Cause, tuple[CellTreatment, ...]] = {
    "unreadable": ("error", "null", "drop"),
    "too long": ("error", "null", "drop"),
    "too precise": ("error", "null", "round", "drop"),
    "not allowed": ("error", "null", "drop"),
    "out of range": ("error", "null", "drop"),
    "empty": ("error", "drop"),
}


@dataclass(frozen=True, kw_only=True)
class CsvDialect:
    """How a raw CSV file is written. By default: UTF-8, commas, the header in the first line."""

    separator: Literal[",", ";", "\t", "|"] = ","
    encoding: Literal[
        "utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "cp1250", "cp1251", "latin-1", "gb18030", "big5", "cp932"
    ] = "utf-8"
    title_lines: int = 0
    """Lines before the header (a title, the day of the export). They are not read."""
    header_lines: int = 1
    """Lines of the header. If there are several, an upper cell also covers the empty cells behind it, and a column is named
    by all cells above it: `2019 sales`."""
    foot: tuple[str, ...] = ()
    """How the first line below the last row begins (`Source:`). This line and all that follow are not read."""
    totals: tuple[str, ...] = ()
    """Labels of rows that add up others (`Total`), head a section or repeat the header, in their first cell that is not empty;
    the empty text stands for empty rows and blank lines. These rows are dropped and counted."""


@dataclass(frozen=True, kw_only=True)
class Reshape:
    """How a raw table in wide format becomes long: a row for each entity and period, and a column for each figure.

    Periods are taken out of headers. Cells that name figures become headers. A row that would have no figure is left out.
    A table that declares none of the figures keeps its rows, without the columns of figures: so a second one over the same
    file lists whom they are about.
    """

    figures: Mapping[str, str]
    """Column of figures -> what its headers are, with the column of the period in braces: `{"sales": "sales_{year}"}`.
    A period is written like `2023`, `2023Q1` or `2023-01`."""
    named_by: str = ""
    """Column whose cells name the figures, a row each. These cells become columns, in place of the one in `figures`."""

    def __post_init__(self) -> None:
        headers, columns = list(self.figures.values()), {period_column(each) for each in self.figures.values()}
        if len(columns) != 1 or len(set(headers)) < len(headers) or not columns.isdisjoint(self.figures):
            expected = (
                "each figure has headers of its own, and all of them name the same column of periods in braces, or none"
            )
            raise InputError(f"reshaping {headers}: {expected}")
        if self.named_by and len(headers) > 1:
            raise InputError(
                f"a reshaping by the cells of {self.named_by!r} has one column of figures, not {len(headers)}"
            )


@dataclass(frozen=True, kw_only=True)
class Numerals:
    """How the numbers of a raw column are written. By default: digits, and a point before decimals. Others are unreadable."""

    mark: Literal[".", ","] = "."
    """What stands before decimals."""
    grouping: str = ""
    """What stands between groups of three digits, where they are grouped."""
    around: tuple[str, ...] = ()
    """What may stand before or after a number: `€`, `%`."""
    brackets: bool = False
    """Whether a number in brackets is below zero, as in books: `(1,234)`."""
    minus_behind: bool = False
    """Whether the sign may stand behind a number: `1.234,50-`."""
    least_decimals: int = 0
    """Decimals that each number has, zeros where need be: 2 for `120.50`, 1 for `12.0` as floats are written. It is published
    so by `as_raw`; fewer are read, too."""

    @property
    def is_plain(self) -> bool:
        """Say whether numbers are digits with a point before decimals, so that they are read as they stand."""
        return replace(self, least_decimals=0) == PLAIN


PLAIN = Numerals()
"""Digits, a point before decimals, and no zero more than is needed."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a raw table. The defaults declare a nullable text attribute.

    After conforming: text -> String, integer -> Int64, decimal -> Int64 quanta of 10**-decimals, float -> Float64,
    date -> Date, timestamp -> Datetime, a period (`2023Q1`, `2023-01`, ...) -> Int64 as `periods.py` counts. An empty cell is
    null. Declare figures as decimals; a float is only compared with, never published.
    """

    name: str
    role: Role = Role.ATTRIBUTE
    of: str = ""
    """Kind of the entity whose code, name or alias it holds (`Entities.kind`); the main kind if empty."""
    type: ColumnType = "text"
    unit: str = ""
    decimals: int = 0
    """Places after the decimal point that a decimal may have; more are an error unless `treat` has a treatment for them."""
    numerals: Numerals = PLAIN
    """How a number is written."""
    nullable: bool = True
    null_tokens: tuple[str, ...] = ()
    """Texts that stand for null (`#N/A`); treated, and counted in the log."""
    longest: int | None = None
    """Characters of the longest cell of a text; by default what is usual for the role (`LONGEST`)."""
    allowed: tuple[str, ...] | None = None
    """The closed set of values, if there is one."""
    minimum: int | None = None
    maximum: int | None = None
    """Inclusive bounds of a number, in its unit, or of a date's year."""
    treat: Mapping[Cause, CellTreatment] = field(default_factory=dict)
    """How cells that break this declaration are treated, by cause; a cause that is not there is an error."""
    date_format: str = "%d/%m/%Y"
    """How a date or a timestamp is written; a timestamp says its own ("%Y-%m-%dT%H:%M:%SZ")."""
    follows: str = ""
    """The time in the same row that this text repeats in part. The published text is the published time, written as
    `date_format` says (`%-H` is the hour)."""
    is_trading_day: bool = False
    """Whether the date is a day on which an exchange was open (a listing). Its redrawn day is then one, too."""
    required: bool = True
    """Whether the column must be there; an absent optional column is all null."""
    public: str = ""
    """Why an attribute or text discloses nothing about anybody, so that it may be published as it is. The manifest repeats
    these words. Of an ignored column: why published columns may have the same values."""
    description: str = ""

    def __post_init__(self) -> None:
        # An identifier that became null would be unknown to the escape scan, which would miss it where prose repeats it.
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
    """Says that the values of `columns` stand together in a row of another table. A row with a null among them need not."""

    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...] = ()
    """Columns of that table, in the same order; `columns` if empty."""
    broken: Literal["error", "null", "drop", "keep"] = "error"
    """How a row is treated whose values occur nowhere: the build stops, the values become null, the row is dropped, or it
    stays as it is (a code that no table lists is an entity without attributes, with a pseudonym like every other). The last
    three are counted. If the row that is referred to was dropped, `error` means `drop`."""

    def __post_init__(self) -> None:
        # The dataclass is frozen, so that a default that depends on another field is set past it.
        object.__setattr__(self, "to_columns", self.to_columns or self.columns)
        if len(self.columns) != len(self.to_columns) or not self.columns:
            raise InputError(f"a reference has as many columns as it refers to: {self.columns} to {self.to_columns}")


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """What is done with records that have the same key: one stays, the others are dropped and counted."""

    first_by: tuple[str, ...] = ()
    """Columns whose values decide which record stays: the smallest ones, null last. If empty, the records must be equal in
    all columns, and any one stays. It is an error if records differ and none of them comes first."""
    descending: bool = False
    """Whether the record with the largest values stays."""


@dataclass(frozen=True, kw_only=True)
class RowRule:
    """What must be true of each row as a whole. If a row breaks it, the error names `column`."""

    column: str
    holds: Callable[[], pl.Expr]
    """Makes a Boolean expression over the typed columns; null counts as true."""
    expected: str
    """What was expected, for the error message."""
    treatment: Literal["error", "drop"] = "error"
    """How a row that breaks it is treated."""


@dataclass(frozen=True, kw_only=True)
class RawTable:
    """One raw table: `<file>.csv` or `<file>.parquet` (or `<file>.json` for a flat object of text: columns `key`, `value`)."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    """Columns whose values together are unique and not null."""
    repeats: Repeats | None = None
    """How records with the same key are treated; without it they are an error."""
    file: str = ""
    """File name without its ending; the table's name if empty. `sales_{year}` stands for a file each period, which are read as
    one table: the period in the name becomes the column `year`."""
    dialect: CsvDialect = CsvDialect()
    """How the file is written, if it is CSV."""
    reshape: Reshape | None = None
    """How it becomes long, if its headers say periods or its cells name figures. All else is declared of the long table."""
    ignored: tuple[str, ...] = ()
    """Headers that are dropped, the empty header included; each may occur more than once. Any other header is an error."""
    references: tuple[Reference, ...] = ()
    rules: tuple[RowRule, ...] = ()
    required: bool = True
    """Whether a build needs the table. Without it, everything that depends on it is left out, and the manifest says so."""
    complete: Callable[[pl.LazyFrame], pl.LazyFrame] | None = None
    """Adds columns that follow from the typed ones (a fiscal year from a period's end); runs before keys are checked and after
    all other checks."""
    adds: tuple[Column, ...] = ()
    """The columns that `complete` adds. A column that is not declared here is not published."""
    public: str = ""
    """As `Column.public`, for every attribute and text of a table that is not about entities (a macro series, a policy)."""
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
