"""What an environment is: the typed objects in which one is declared.

A declaration says everything that the stages need to know about somebody's tables: columns, types, units, roles and keys;
the identities between measures; the aggregates; the published tables with their dialect. The stages read declarations and
know nothing of any one environment; an environment's own code (a rendering, a derived table) stands in its declaration.

Figures are integers. A measure with `decimals=2` is held as a signed 64-bit count of hundredths of its unit (its
*quantum*), so that perturbing, summing and comparing are exact; text with a decimal point exists only at the two ends.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from keyword import kwlist
from pathlib import Path
from typing import Literal, TypeVar

import polars as pl

from pipeline.model.documented import Documented
from pipeline.model.domains import Domains
from pipeline.model.facts import TableFacts
from pipeline.model.lineage import TableLineage
from pipeline.model.periods import YEARS, Frequency, Period, is_made_of
from pipeline.errors import InputError
from pipeline.keyed import Key

Frames = Mapping[str, pl.DataFrame]
"""Tables by name."""

PERIOD = "year"
"""The column of every panel and aggregate that holds the period (Int64): a year, or what `periods.py` counts."""


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

ALL_IN_ONE = "all entities"
"""The column that stands for the industry of entities that have none; its only value, too. It is never published."""


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


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A figure that entities report for a period, and how it is treated everywhere."""

    name: str
    unit: str
    decimals: int = 0
    additive: bool = True
    """Whether a sum over entities means anything; ratios and rates have no sum."""
    significant_digits: int = 3
    """Leading digits that the `lsd` mechanism keeps."""
    null_tokens: tuple[str, ...] = ()
    treat: Mapping[Cause, Treatment] = field(default_factory=dict)
    """What is done with cells that break the declaration, as in `Column`."""
    description: str = ""

    def column(self) -> Column:
        """Return the raw column that holds the measure in a wide table."""
        return Column(
            name=self.name,
            role=Role.MEASURE,
            type="decimal",
            unit=self.unit,
            decimals=self.decimals,
            null_tokens=self.null_tokens,
            treat=self.treat,
            description=self.description,
        )


@dataclass(frozen=True, kw_only=True)
class Sum:
    """output = sum of `plus` - sum of `minus`, in the unit that all share."""

    output: str
    plus: tuple[str, ...]
    minus: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return self.plus + self.minus


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """output = scale * sum of `numerator` / denominator, rounded half away from zero to the output's decimals."""

    output: str
    numerator: tuple[str, ...]
    denominator: str
    scale: int = 100
    is_absolute: bool = False
    """Whether the sign is dropped."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return (*self.numerator, self.denominator)


@dataclass(frozen=True, kw_only=True)
class Growth:
    """output = 100 * (base - base before) / |base before|, rounded half away from zero."""

    output: str
    base: str
    periods: int = 1
    """How many periods before: 1 is the period before, 4 of quarters the same quarter of the year before."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return (self.base,)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """output = base - base before; both have the same decimals."""

    output: str
    base: str
    periods: int = 1
    """As in `Growth`."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return (self.base,)


@dataclass(frozen=True, kw_only=True)
class Product:
    """output = scale * product of `factors`, rounded half away from zero to the output's decimals."""

    output: str
    factors: tuple[str, ...]
    scale: int | Fraction = 1
    """What the product is multiplied by: Fraction(1, 100) where one factor is a percentage."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return self.factors


@dataclass(frozen=True, kw_only=True)
class Formula:
    """output = what `compute` says, a fraction of whole numbers, rounded as `rounding` says."""

    output: str
    inputs: tuple[str, ...]
    compute: Callable[..., tuple[pl.Expr, pl.Expr]]
    """Takes the inputs in quanta (Int128), in order; returns numerator and denominator of the output in quanta."""
    rounding: Literal["half away from zero", "down"] = "half away from zero"
    """`down` is towards minus infinity."""
    text: str = ""
    """The formula in words, for reports; the inputs' names if empty."""


@dataclass(frozen=True, kw_only=True)
class Total:
    """output = the number of an entity's events in a period, or sum or (rounded like a ratio) mean of one of their measures.

    It is an identity of the panel: where it held, it is computed from the published events, and no table contradicts the other.
    """

    output: str
    events: str
    """The raw table of the events."""
    of: str = ""
    """Their measure; empty for a count."""
    statistic: Literal["count", "sum", "mean"] = "sum"

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures of the panel that the output is computed from: none."""
        return ()


Identity = Sum | Ratio | Growth | Difference | Product | Formula | Total
"""Identities are restored in the order of their declaration, each in the records in which it held in the originals."""


@dataclass(frozen=True, kw_only=True)
class AliasSource:
    """A raw table that lists further names of entities, found by their code or else by their legal name."""

    table: str
    alias: str
    code: str = ""
    name: str = ""
    kind: str = ""
    """Column saying what kind of alias it is (short, english, chinese, former, called, person, subsidiary, product)."""
    only_kind: str = ""
    """The kind of every row, where no column says it."""


@dataclass(frozen=True, kw_only=True)
class Entities:
    """One kind of entity: which tables list it, and the columns that naming, grouping and linking need."""

    tables: tuple[str, ...]
    """Raw tables with one row an entity; of the main kind, the first lists those that report figures."""
    code: str
    kind: str = ""
    """What such an entity is, in one word (`aircraft`); empty for the main kind, that of the panel."""
    name: str = ""
    """Column of the name; empty where entities have codes alone."""
    named: Literal["company", "person"] = "company"
    """What kind of names are invented."""
    industry: str = ""
    """Column by which invented names are made plausible; empty where all entities are one group."""
    sub_industry: str = ""
    """Column whose groups the statistical tests compare; that of the industry if empty."""
    language: Literal["zh", "en"] = "en"
    """That of the names."""
    code_examples: tuple[str, ...] = ()
    """How codes are written in prose, an example each: `SEHK: 808`, `(SHSE : 600488)`, `600488.SH`. Case, width, blanks,
    brackets and leading zeros do not count, and the codes themselves need not be anybody's."""
    code_mention: str = ""
    """Instead of examples, where they do not do: a regular expression whose first group is the code without its suffix. If
    neither is given, codes are looked for in prose as they are, but for those that are short or digits alone."""
    code_shape: CodeShape = "six digits"
    """That of the pseudonymous codes, as near to the raw codes' as there is."""
    aliases: tuple[AliasSource, ...] = ()
    looked_up: tuple[str, ...] = ()
    """Columns of numbers that a register of these entities tells (seats, depths): quasi-identifiers, like texts."""
    same_name: Literal["error", "one company", "several companies"] = "error"
    """What several codes with one name are, however it is written: listings of one company, which has one invented name, or
    companies that have one each; prose, which names no code, says that of the smallest code."""

    def __post_init__(self) -> None:
        if self.code_examples and self.code_mention:
            raise InputError("codes in prose are declared twice; give `code_examples` or `code_mention`, not both")
        if self.aliases and not self.name:
            raise InputError(
                f"{self.called} have aliases and no column of names; an alias needs a name that it stands for"
            )
        object.__setattr__(self, "industry", self.industry or ALL_IN_ONE)
        object.__setattr__(self, "sub_industry", self.sub_industry or self.industry)

    @property
    def called(self) -> str:
        """Return what an error calls entities of this kind."""
        return f"entities of the kind {self.kind!r}" if self.kind else "the entities"

    def label(self, what: str) -> str:
        """Return what the identity map calls a code, name or alias of this kind: `code`, `aircraft code`."""
        return f"{self.kind} {what}".strip()


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifier:
    """A column that an outsider can look up in a register of the entities. A policy that samples records deals it out anew."""

    column: str
    along: tuple[str, ...] = ()
    """Columns that say the same in another form (a number, a year), or hang together with it: dealt out with it."""
    within: str = ""
    """A quasi-identifier named before this one, within which it is dealt out (the province of a city)."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the column and those that go along with it."""
        return (self.column, *self.along)


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifiers:
    """What a register says of the entities of the first entity table. A date counts by its year, its day is redrawn."""

    kept: tuple[str, ...]
    """Columns that stay the owner's, because the environment stands on them."""
    told: tuple[QuasiIdentifier, ...]
    """The others, those that go with figures most first."""

    def __post_init__(self) -> None:
        seen = set(self.kept)
        for item in self.told:
            if repeated := seen.intersection(item.columns):
                raise InputError(f"quasi-identifiers {sorted(repeated)} are declared twice")
            if item.within and item.within not in seen:
                raise InputError.unknown(f"quasi-identifier before {item.column!r}", item.within, seen)
            seen.update(item.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return every column: the kept ones, then the others in order."""
        return (*self.kept, *(column for item in self.told for column in item.columns))


@dataclass(frozen=True, kw_only=True)
class Decoys:
    """Published rows that look like entities with figures and are none: no filter on one column should tell them."""

    among: str
    """Published table that holds firms and decoys."""
    is_decoy: Callable[[], pl.Expr]
    """Makes a Boolean expression over that table's text columns."""
    apart: tuple[str, ...] = ()
    """Published tables of decoys alone, with the same columns."""
    inherent: tuple[str, ...] = ()
    """Columns that tell decoys because the shape of the table says so."""
    inherent_apart: tuple[str, ...] = ()
    """The same for the tables of decoys alone."""


@dataclass(frozen=True, kw_only=True)
class EntityView:
    """A published table that lists the entities of the first table of their kind, one row each."""

    table: str
    of: str = ""
    """Kind of the entities (`Entities.kind`); the main kind if empty."""
    columns: Mapping[str, str]
    """Published column -> column of the first entity table, declared or completed; the code is among them."""
    vocabularies: Mapping[str, str] = field(default_factory=dict)
    """Published column -> vocabulary whose aliases noise may put in it."""


@dataclass(frozen=True, kw_only=True)
class LongFigures:
    """A published table with one row for each figure."""

    table: str
    code: str
    year: str
    measure: str
    value: str
    unit: str = ""
    """Column of the unit; empty where each figure is in its measure's unit."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What stands in the column `measure` -> measure; a row with anything else holds no figure. Empty: the names themselves."""
    vocabulary: str = ""
    """Vocabulary whose aliases noise may put in the column `measure`."""


@dataclass(frozen=True, kw_only=True)
class WideFigures:
    """A published table with one row for each entity and year, each figure in its measure's unit."""

    table: str
    code: str
    year: str
    columns: Mapping[str, str] = field(default_factory=dict)
    """Published column -> measure. Empty: the columns that are named like measures."""


@dataclass(frozen=True, kw_only=True)
class EventView:
    """A published table with one row for each event, figures in their measures' units, times written as in the raw table."""

    table: str
    events: str
    """The raw table of the events."""
    columns: Mapping[str, str]
    """Published column -> column of the raw table; the entity is among them."""


@dataclass(frozen=True, kw_only=True)
class NameList:
    """A published document of JSON that pairs legal names with English ones."""

    document: str
    field: str = ""
    """The field that holds the pairs; empty where the document is the pairs."""


@dataclass(frozen=True, kw_only=True)
class Views:
    """How the published files are read back (`pipeline/conform/read_back.py`): where entities, figures and English names stand."""

    entities: EntityView
    further: tuple[EntityView, ...] = ()
    """Those of further kinds, and further tables of the main kind: of an entity in several tables the first is read."""
    figures: tuple[LongFigures | WideFigures, ...] = ()
    """A figure that several tables give is taken from the first; others that differ are attacked on their own."""
    english: NameList | None = None
    events: tuple[EventView, ...] = ()
    """Events that are not there are not attacked in an audit of published files."""

    @property
    def listings(self) -> tuple[EntityView, ...]:
        """Return the views of every table of entities, that of the main kind first."""
        return (self.entities, *self.further)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Rows of figures, and what binds the figures of a row."""

    measures: tuple[Measure, ...] = ()
    identities: tuple[Identity, ...] = ()

    def __post_init__(self) -> None:
        _refuse_unordered(self.identities, {measure.name for measure in self.measures})

    def __bool__(self) -> bool:
        return bool(self.measures)

    def measure(self, name: str) -> Measure:
        """Return the measure of that name."""
        return next(measure for measure in self.measures if measure.name == name)


_NAMES_OF_AGGREGATES = """
    additive aggregate anonymised breakdown cell count decimals is_hidden is_total largest len line magnitude mantissa max
    mean measure min n offset original reason sample scale statistic sum total twice_median value
"""
_OF_AGGREGATES = frozenset(_NAMES_OF_AGGREGATES.split())
"""Columns of aggregates, and of what is made of them: neither codes nor groups can stand beside these under the same name."""


@dataclass(frozen=True, kw_only=True)
class Panel(Measured):
    """The figures: one wide row for each entity and period, spread over one or more raw tables of the same measures.

    The defaults declare that there are no figures.
    """

    tables: tuple[str, ...] = ()
    period: Period = YEARS
    known: tuple[tuple[str, ...], ...] = ()
    """Sets of measures that an outsider may know, from annual reports say; each is tried in a linkage attack."""

    def __post_init__(self) -> None:
        if self.tables and not self.measures:
            raise InputError(
                f"the panel of {', '.join(self.tables)} has no measures; leave it out where there are no figures"
            )
        super().__post_init__()

    @property
    def totals(self) -> tuple[Total, ...]:
        """Return the measures that are totals over events."""
        return tuple(identity for identity in self.identities if isinstance(identity, Total))

    @property
    def without_events(self) -> "Panel":
        """Return the panel with the identities that hold within it: without the totals over events."""
        return replace(self, identities=tuple(each for each in self.identities if not isinstance(each, Total)))


@dataclass(frozen=True, kw_only=True)
class Events(Measured):
    """Records of entities that come as they come: flights, payments, filings. One raw table, one row an event.

    A row is named by the raw table's key; its times and numbers are the columns of roles `TIME` and `NUMBER`. Identities bind
    figures of one row.
    """

    table: str
    entity: str
    """Column with the code of the entity."""
    time: str = ""
    """The time by which an event belongs to a period; empty if there is none."""
    stay_within: Frequency | None = None
    """What an event's time does not leave when it is moved: what is pushed out at one end comes in at the other. None: it may
    leave every period, and all events of an entity keep their order."""

    def __post_init__(self) -> None:
        super().__post_init__()
        of_rows = Sum | Ratio | Product | Formula
        for identity in self.identities:
            if not isinstance(identity, of_rows):
                raise InputError(
                    f"the identity of {identity.output!r} in {self.table!r} looks beyond the row of an event"
                )
        if self.stay_within in ("week", "day"):
            raise InputError(f"events of {self.table!r} cannot be moved by whole weeks within a {self.stay_within}")


@dataclass(frozen=True, kw_only=True)
class GivenAggregate:
    """A wide raw table in which the originals' publisher gave the same statistics: compared with, never published."""

    table: str
    by: Mapping[str, str]
    """Column of the aggregate -> column of the raw table."""
    statistics: tuple[tuple[str, str, str], ...]
    """Measure, statistic and the raw column (of type float) that holds it."""


@dataclass(frozen=True, kw_only=True)
class Aggregate:
    """A table of statistics and counts over groups of entities, always derived from the anonymised ones."""

    name: str
    by: tuple[str, ...]
    """Columns of the first entity table that make the groups."""
    domain: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values of a `by` column for which groups exist even when empty, and to which statistics are limited."""
    total_over: str = ""
    """The `by` column over which a total is also taken, if any."""
    total_label: str = ""
    """The value that the total carries in that column."""
    years: tuple[int, ...] | None = None
    """Years for which it is taken; every year of the panel if None."""
    counts: tuple[tuple[str, ...], ...] = ()
    """Breakdowns by which the entities of each group are counted, `()` being the group itself."""
    members: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda entities: entities
    """Selects the rows of the entity table that count."""
    given: GivenAggregate | None = None

    @property
    def counts_name(self) -> str:
        """Return the name of the table of counts."""
        return f"{self.name}_counts"

    def __post_init__(self) -> None:
        for column in (*self.by, *(column for breakdown in self.counts for column in breakdown)):
            _refuse_taken(f"aggregate {self.name!r}", column, _OF_AGGREGATES)

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that it gives: statistics, and counts if any are declared."""
        return (self.name, self.counts_name) if self.counts else (self.name,)


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """A table of an environment's own that follows from anonymised ones (policy counts from policy texts)."""

    name: str
    needs: tuple[str, ...]
    derive: Callable[[Frames], pl.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a writer may see: what the release says of those it writes about. Row i of each frame belongs to text i."""

    entities: pl.DataFrame
    """The row that the text will stand in (code, year, ...), then the published attributes of its entity."""
    names: pl.DataFrame
    """Invented names: `legal`, `short`, `english`, and the lists `subsidiaries` and `products`."""
    figures: pl.DataFrame
    """The entity's published figures of its latest year, in quanta; null where it has none."""


@dataclass(frozen=True, kw_only=True)
class Prose:
    """How a raw column of prose about entities is written anew, for a release in which no original may be quoted.

    `write` returns one text for each row, null to leave it out; a text depends on the key and its own row alone. Where a
    column has no writer, every text is left out.
    """

    table: str
    column: str
    write: Callable[[Told, Key], pl.Series]


@dataclass(frozen=True, kw_only=True)
class Exemption:
    """Ordinary words that the escape scan takes for a company. What may be exempted: `validation/escapes/exemptions.py`."""

    token: str = field(repr=False)
    """The name, alias, code or other identifier, as the raw tables list it."""
    reason: str = field(repr=False)
    """Why it names nobody there."""
    table: str = ""
    """Published table or document in which it is exempted; everywhere if empty."""
    column: str = ""
    """Column of the table; every column if empty."""

    def __post_init__(self) -> None:
        if not self.token.strip() or not self.reason.strip():
            raise InputError(
                "an exemption has no token or no reason; say what is exempted, and why it names nobody there"
            )


@dataclass(frozen=True)
class Dialect:
    """How a published CSV is written: UTF-8, commas, lines that end in a line feed."""

    quote: Literal["minimal", "non_empty", "all"] = "minimal"
    """`minimal` quotes where it must; `non_empty` quotes every field that is not empty, `all` quotes these as well."""
    null: str = ""
    """What stands for null, quoted if all fields are; no cell may hold it as its text."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What a rendering may see: the anonymised and derived tables, and a key for orders and stamps."""

    tables: Frames
    order: Key


@dataclass(frozen=True, kw_only=True)
class DocumentRows:
    """What noise may change in a document, as rows; no text is lost on the way: `text(rows(x))` is `x`, byte for byte."""

    columns: tuple[str, ...]
    row_key: str
    """Column that says where in the document a row stands; noise never changes it."""
    rows: Callable[[str], pl.DataFrame]
    """Reads a document's text into text columns, null for an empty value; raises `ValueError` if it is something else."""
    text: Callable[[pl.DataFrame], str]
    """Writes the document's text from its rows, in their order."""


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """One published CSV file.

    `render` returns a frame of text columns (String, null for an empty field, never the empty string), exactly `columns`,
    rows in published order.
    """

    path: str
    columns: tuple[str, ...]
    needs: tuple[str, ...]
    """Anonymised and derived tables without which the file is left out."""
    render: Callable[[Truth], pl.DataFrame]
    uses: tuple[str, ...] = ()
    """Tables that add rows when they are there; the manifest says which were not."""
    row_key: str = "id"
    """Column that is unique and never null; the ledger names rows by it. Empty where no column is: then no noise either."""
    dialect: Dialect = Dialect()
    folder: Literal["database", "ideal"] = "database"
    """`ideal` stands beside the clean variant's database and never has noise."""
    beside: tuple[str, ...] = ()
    """Published tables of the database whose clean rows noise in this one may look at."""
    document: DocumentRows | None = None
    """Set where the table is the rows of a document, so that its file is no CSV; only cells have noise there."""
    description: str = ""

    @property
    def name(self) -> str:
        """Return the table's name in ledger, specs and graph: the file's, marked where it stands beside the database."""
        return _name_of(self)


@dataclass(frozen=True, kw_only=True)
class PublishedDocument:
    """One published file that is not a table (a translation list). `render` returns its text."""

    path: str
    needs: tuple[str, ...]
    render: Callable[[Truth], str]
    uses: tuple[str, ...] = ()
    folder: Literal["database", "ideal"] = "database"
    rows: DocumentRows | None = None
    """What noise may change in it; nothing if None."""
    description: str = ""

    @property
    def name(self) -> str:
        """Return the document's name in the graph: the file's, marked where it stands beside the database."""
        return _name_of(self)

    @property
    def table(self) -> PublishedTable | None:
        """Return the document's rows as a table of its name, for noise and ledger; None if it has none."""
        rows, render = self.rows, self.render
        if rows is None:
            return None
        return PublishedTable(
            path=self.path,
            columns=rows.columns,
            needs=self.needs,
            render=lambda truth: rows.rows(render(truth)),
            uses=self.uses,
            row_key=rows.row_key,
            folder=self.folder,
            document=rows,
            description=self.description,
        )


def _name_of(published: PublishedTable | PublishedDocument) -> str:
    stem = Path(published.path).stem
    return stem if published.folder == "database" else f"{published.folder}_{stem}"


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Aliases of one kind of name: canonical form -> other forms, in the order of their weight."""

    name: str
    aliases: Mapping[str, tuple[str, ...]]


_Named = TypeVar("_Named", RawTable, PublishedTable, PublishedDocument, Vocabulary)


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Generated originals, for an environment whose own cannot be had."""

    version: str
    """Names what is generated: the same version and scale give the same tables."""
    generate: Callable[[Path, float], None]
    """Writes the raw tables into a folder at a scale."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """One environment, declared."""

    name: str
    title: str
    raw_tables: tuple[RawTable, ...]
    entities: Entities
    """The main kind."""
    further: tuple[Entities, ...] = ()
    """Kinds of entities besides the main one (aircraft beside airlines), each with pseudonyms of its own."""
    panel: Panel = field(default_factory=Panel)
    """The figures of the main kind."""
    aggregates: tuple[Aggregate, ...] = ()
    tables: tuple[PublishedTable, ...]
    documents: tuple[PublishedDocument, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    prose: tuple[Prose, ...] = ()
    """How prose about entities is written anew; columns that are not there are left out where no original may be quoted."""
    events: tuple[Events, ...] = ()
    """Tables of records that belong to entities without a period."""
    vocabularies: tuple[Vocabulary, ...] = ()
    quasi_identifiers: QuasiIdentifiers | None = None
    """What an outsider can look up about an entity, in an order and with what hangs together. Attributes and dates of entities
    that are not there come after these, each by itself (`pipeline/model/fates.py`)."""
    decoys: Decoys | None = None
    views: Views | None = None
    """How the published files are read back; `silt audit` needs it."""
    units: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Units that may stand for a base unit, with the number of base units in one: {"元": {"元": 1, "万元": 10_000}}."""
    corpus: Corpus | None = None
    domains: Domains | None = None
    """What published tables say of each other across domains; None if nothing is declared: then nothing is compared."""
    documented: tuple[Documented, ...] = ()
    """What is told about the real data: `silt noise realism` holds the noisy tables against it."""
    facts: Mapping[str, TableFacts] = field(default_factory=dict)
    """What is true of the columns of each published table before noise: expectations are generated from it. A table that is
    not there has the facts that follow from the rest of the declaration."""
    lineage: Mapping[str, TableLineage] = field(default_factory=dict)
    """Where the columns of each published table come from; a table that is not there says nothing of it."""
    exemptions: tuple[Exemption, ...] = ()
    """What the escape scan may find: false alarms, each with its reason."""
    declared_in: str = ""
    """Where it was found: `FILE.py:NAME`, from the working folder; empty for what Silt ships. Not to be declared."""

    def __post_init__(self) -> None:
        _refuse_taken("entities", self.entities.code, _OF_AGGREGATES)
        for table in self.raw_tables:
            _refuse_taken("raw tables", table.name, _OF_STAGES - set(self.panel.tables))
        for prose in self.prose:
            texts = [column.name for column in self.raw_table(prose.table).of_role(Role.TEXT)]
            if prose.column not in texts:
                raise InputError.unknown(f"text column of {prose.table!r}", prose.column, texts)
        for exemption in self.exemptions:
            self._refuse_misplaced(exemption)
        _refuse_undeclared_kinds(self)
        for events in self.events:
            _refuse_undeclared(events, self.raw_table(events.table))
        for table in self.raw_tables:
            _refuse_untreated(table, [events for events in self.events if events.table == table.name])
        for total in self.panel.totals:
            _refuse_untold(total, self.events_of(total.events), self.panel.period)
            if kind := self.kind_of_events(self.events_of(total.events)).kind:
                raise InputError(
                    f"{total.output!r} is a total over {total.events!r}, whose events are those of {kind!r}"
                )
        grouped = tuple(map(self._with_one_group, self.raw_tables))
        object.__setattr__(self, "raw_tables", grouped)

    def _refuse_misplaced(self, exemption: Exemption) -> None:
        columns: dict[str, tuple[str, ...]] = {one.name: () for one in self.documents}
        columns |= {table.name: table.columns for table in self.tables}
        if exemption.table and exemption.table not in columns:
            raise InputError.unknown("published table or document of an exemption", exemption.table, columns)
        if exemption.column and not exemption.table:
            raise InputError(f"an exemption names the column {exemption.column!r} and no table; say of which")
        if exemption.column and exemption.column not in columns[exemption.table]:
            known = columns[exemption.table]
            raise InputError.unknown(f"column of an exemption in table {exemption.table!r}", exemption.column, known)

    @property
    def argument(self) -> str:
        """Return what names it on the command line."""
        return self.declared_in or self.name

    def kind_of_events(self, events: Events) -> Entities:
        """Return the kind of entity to which events belong."""
        return self.kind(next(code.of for code in self.raw_table(events.table).columns if code.name == events.entity))

    def events_of(self, table: str) -> Events:
        """Return the events of a raw table, or raise `InputError`."""
        by_table = {events.table: events for events in self.events}
        if table not in by_table:
            raise InputError.unknown("table of events", table, by_table)
        return by_table[table]

    @property
    def kinds(self) -> tuple[Entities, ...]:
        """Return every kind of entity, the main one first."""
        return (self.entities, *self.further)

    def kind(self, name: str) -> Entities:
        """Return the kind of entity of that name, the main one for the empty name."""
        return next(kind for kind in self.kinds if kind.kind == name)

    def owner(self, table: str) -> Column | None:
        """Return the column that says to whom a raw table's rows belong: the code of the kind that it lists, or the first."""
        codes = self.raw_table(table).of_role(Role.CODE)
        listed = [code for kind in self.kinds if table in kind.tables for code in codes if code.name == kind.code]
        main = [code for code in codes if not code.of]
        return next(iter((*listed, *main, *codes)), None)

    def raw_table(self, name: str) -> RawTable:
        """Return the raw table of that name, or raise `InputError`."""
        return _named(self.raw_tables, name, "raw table")

    def table(self, name: str) -> PublishedTable:
        """Return the published table of that name, or a document's rows as one, or raise `InputError`."""
        return _named((*self.tables, *self._rows_of_documents()), name, "published table")

    def noisy_tables(self) -> tuple[PublishedTable, ...]:
        """Return what can have noise: the tables of the database, and the rows of its documents."""
        return tuple(table for table in (*self.tables, *self._rows_of_documents()) if table.folder == "database")

    def document(self, name: str) -> PublishedDocument:
        """Return the published document of that name, or raise `InputError`."""
        return _named(self.documents, name, "published document")

    def vocabulary(self, name: str) -> Vocabulary:
        """Return the vocabulary of that name, or raise `InputError`."""
        return _named(self.vocabularies, name, "vocabulary")

    def _with_one_group(self, table: RawTable) -> RawTable:
        """Give a table of entities without an industry the column that stands for it."""
        if not any(table.name in kind.tables and kind.industry == ALL_IN_ONE for kind in self.kinds):
            return table
        complete, one = table.complete, pl.lit(ALL_IN_ONE).alias(ALL_IN_ONE)
        added = [column for column in table.adds if column.name != ALL_IN_ONE]
        return replace(
            table,
            complete=lambda frame: (complete(frame) if complete else frame).with_columns(one),
            adds=(*added, Column(name=ALL_IN_ONE, public="the same for every entity")),
        )

    def _rows_of_documents(self) -> tuple[PublishedTable, ...]:
        return tuple(table for document in self.documents if (table := document.table) is not None)


_OF_STAGES = frozenset(
    {"broken_identities", "figures", "identifiers", "identity_map", "names", "workspace"}
    | {"arg_dict", "bool", "conf", "config", "context", "dict", "float", "input", "input_arg_dict", "int", "meta"}
    | {"output", "output_arg_dict", "str", "type"}
    | set(kwlist)
)
"""Tables that the stages make beside the raw ones, what their steps are handed, and what Dagster and Python reserve."""


def _refuse_taken(where: str, name: str, taken: Collection[str]) -> None:
    if name in taken:
        raise InputError(
            f"{where}: {name!r} is what Silt calls a column or a table of its own; give it another name in the raw table "
            f"and in the declaration. Taken: {', '.join(sorted(taken))}"
        )


def _named(items: Sequence[_Named], name: str, what: str) -> _Named:
    by_name = {item.name: item for item in items}
    if name not in by_name:
        raise InputError.unknown(what, name, by_name)
    return by_name[name]


_OF_ENTITIES = (Role.CODE, Role.NAME, Role.ALIAS)
"""Roles of the columns that say which entity is meant."""


def _refuse_undeclared_kinds(environment: Environment) -> None:
    """Refuse kinds that cannot be told apart, and columns of entities that no kind declares."""
    names = [kind.kind for kind in environment.further]
    if "" in names or len(set(names)) < len(names):
        raise InputError(f"each further kind of entity needs a name of its own; found {names}")
    if environment.entities.kind:
        raise InputError(f"the main kind of entity has no name of its own; found kind={environment.entities.kind!r}")
    for kind in environment.further:
        for name in kind.tables:
            _refuse_other_roles(environment.raw_table(name), kind)
    for view in environment.views.listings if environment.views else ():
        listed = [kind.kind for kind in environment.kinds if kind.tables]
        if view.of not in listed:
            raise InputError.unknown(
                f"kind of entity that a table lists, in the view of {view.table!r}", view.of, listed
            )
    listing = [name for kind in environment.kinds for name in kind.tables]
    if twice := sorted({name for name in listing if listing.count(name) > 1}):
        raise InputError(f"raw tables {twice} list entities of two kinds; a table lists one")
    for table in environment.raw_tables:
        for column in table.columns:
            _refuse_strange_column(table, column, {kind.kind: kind for kind in environment.kinds})


def _refuse_other_roles(table: RawTable, kind: Entities) -> None:
    for role, wanted in ((Role.CODE, kind.code), (Role.NAME, kind.name)):
        known = [column.name for column in table.of_role(role, of=kind.kind)]
        if wanted and wanted not in known:
            raise InputError.unknown(
                f"column of role {role.name} in {table.name!r}, which lists {kind.called},", wanted, known
            )


def _refuse_strange_column(table: RawTable, column: Column, kinds: Mapping[str, Entities]) -> None:
    place = f"column {column.name!r} of {table.name!r}"
    if column.of not in kinds:
        raise InputError.unknown(f"kind of entity in {place}", column.of, filter(None, kinds))
    if column.of and column.role not in _OF_ENTITIES:
        raise InputError(f"{place} says of which kind its entity is, and holds no code, name or alias")
    if column.role in {Role.NAME, Role.ALIAS} and not kinds[column.of].name:
        raise InputError(
            f"{place} holds a {column.role}, and {kinds[column.of].called} have no column of names; say which it is "
            "(`Entities.name`), or give the column the role IDENTIFIER, which is not published"
        )


def _refuse_unordered(identities: Sequence[Identity], measures: set[str]) -> None:
    restored: set[str] = set()
    for identity in identities:
        later = {i.output for i in identities} - restored
        for name in (identity.output, *identity.inputs):
            if name not in measures:
                raise InputError.unknown(f"measure in the identity of {identity.output!r}", name, measures)
        if set(identity.inputs) & later:
            raise InputError(
                f"identity of {identity.output!r} is declared before those of its inputs {sorted(set(identity.inputs) & later)}"
            )
        restored.add(identity.output)


def _refuse_undeclared(events: Events, table: RawTable) -> None:
    """Refuse events whose columns their raw table does not have in the role that they need."""
    declared = [(events.entity, Role.CODE), *((measure.name, Role.MEASURE) for measure in events.measures)]
    for name, role in [*declared, *([(events.time, Role.TIME)] if events.time else [])]:
        names = [column.name for column in table.of_role(role)]
        if name not in names:
            raise InputError.unknown(f"column of role {role} in the events {table.name!r}", name, names)
    for column in table.of_role(Role.TIME):
        if column.type not in ("date", "timestamp"):
            raise InputError(f"column {column.name!r} of {table.name!r} is a time, but of type {column.type}")


def _refuse_untreated(table: RawTable, events: Sequence[Events]) -> None:
    """Refuse what nothing would move, number anew or perturb: times and numbers elsewhere, figures that `Events` leaves out."""
    if len(events) > 1:
        raise InputError(f"the raw table {table.name!r} is declared as events twice")
    treated = {measure.name for each in events for measure in each.measures}
    for column in table.of_role(Role.TIME, Role.NUMBER):
        if not events:
            raise InputError(
                f"column {column.name!r} of {table.name!r} has the role {column.role}, which only tables of events have"
            )
    for column in table.of_role(Role.MEASURE):
        if events and column.name not in treated:
            raise InputError.unknown(f"measure of the events {table.name!r}", column.name, treated)


def _refuse_untold(total: Total, events: Events, period: Period) -> None:
    """Refuse a total whose events do not say what is totalled, or leave the period when they are moved."""
    if total.statistic != "count" and total.of not in (names := [measure.name for measure in events.measures]):
        raise InputError.unknown(f"measure of the events {events.table!r}", total.of, names)
    if not events.time or events.stay_within is None or not is_made_of(period.frequency, events.stay_within):
        raise InputError(
            f"{total.output!r} is a total over {events.table!r} for each {period.frequency}: its events need a `time`, and "
            f"have to `stay_within` the {period.frequency} when they are moved"
        )
