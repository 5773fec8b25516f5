"""Kinds of entity, their quasi-identifiers (what an outsider can look up), and how prose about them is composed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model.columns import CodeShape

ALL_IN_ONE = "all entities"
"""Stands for the industry of entities that have none, as the column's name and as its only value. It is never published."""


@dataclass(frozen=True, kw_only=True)
class AliasSource:
    """A raw table that lists further names of entities. Each row names its entity by code, or else by legal name."""

    table: str
    alias: str
    code: str = ""
    name: str = ""
    kind: str = ""
    """Column of the kind of alias (short, english, chinese, former, called, person, subsidiary, product)."""
    only_kind: str = ""
    """The kind of every row, where no column holds it."""


@dataclass(frozen=True, kw_only=True)
class Entities:
    """One kind of entity: which tables list it, and the columns that naming, grouping and linking need."""

    tables: tuple[str, ...]
    """Raw tables with one row an entity. Of the main kind, the first table lists the entities that report figures."""
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
    """The language of the names."""
    code_examples: tuple[str, ...] = ()
    """How codes are written in prose, an example each: `SEHK: 808`, `(SHSE : 600488)`, `600488.SH`. Case, width, blanks,
    brackets and leading zeros do not count, and the codes themselves need not be anybody's."""
    code_mention: str = ""
    """A regular expression, where examples do not suffice; its first group is the code without its suffix. Without either,
    prose is searched for the codes as they are, except for codes that are short or digits alone."""
    code_shape: CodeShape = "six digits"
    """The shape of the pseudonymous codes: the nearest to that of the raw codes."""
    aliases: tuple[AliasSource, ...] = ()
    looked_up: tuple[str, ...] = ()
    """Columns of numbers that a register of these entities discloses (seats, depths): quasi-identifiers, like texts."""
    same_name: Literal["error", "one company", "several companies"] = "error"
    """What several codes with the same name mean, however the name is written. `one company`: they are listings of one
    company, with one invented name. `several companies`: each has an invented name of its own. Prose, which names no code,
    gets that of the smallest code."""

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
    def groups(self) -> dict[str, str]:
        """Return the columns that group entities, each with the field that names it."""
        named = {self.sub_industry: "sub_industry", self.industry: "industry"}
        return {column: field for column, field in named.items() if column != ALL_IN_ONE}

    @property
    def called(self) -> str:
        """Return what an error calls entities of this kind."""
        return f"entities of the kind {self.kind!r}" if self.kind else "the entities"

    def label(self, what: str) -> str:
        """Return the identity map's word for a code, name or alias of this kind: `code`, `aircraft code`."""
        return f"{self.kind} {what}".strip()


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifier:
    """A column that an outsider can look up in a register of the entities. Under `guarded` it is drawn anew."""

    column: str
    along: tuple[str, ...] = ()
    """Columns that state the same in another form (a number, a year), or depend on it: drawn together with it."""
    within: str = ""
    """A quasi-identifier named before this one, within whose groups it is drawn (a city within its province)."""
    known: Mapping[str, tuple[object, ...]] | tuple[object, ...] = ()
    """The vocabulary, where everybody knows it whatever the tables hold (a standard, a list of states; None where a field may
    be blank): by value of `within`, or else of the industry, or one for all. A date counts by its year. What is not in it is
    left blank. Without one, a category is published if enough entities have it."""

    def __post_init__(self) -> None:
        if self.within and self.known and not isinstance(self.known, Mapping):
            raise InputError(f"{self.column!r} is within {self.within!r}: give its vocabulary by value of that")

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the column and those that go along with it."""
        return (self.column, *self.along)


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifiers:
    """What a register says of the entities of the first entity table. Of a date only the year counts; the day is redrawn."""

    kept: tuple[str, ...]
    """Columns that every policy leaves with their owner, because the environment is built on them."""
    dealt: tuple[QuasiIdentifier, ...]
    """The other columns. A policy that samples records draws them anew; the first depends most on the figures."""

    def __post_init__(self) -> None:
        seen = set(self.kept)
        for item in self.dealt:
            if repeated := seen.intersection(item.columns):
                raise InputError(f"quasi-identifiers {sorted(repeated)} are declared twice")
            if item.within and item.within not in seen:
                raise InputError.unknown(f"quasi-identifier before {item.column!r}", item.within, seen)
            seen.update(item.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return every column: the kept ones, then the others in order."""
        return (*self.kept, *(column for item in self.dealt for column in item.columns))


@dataclass(frozen=True, kw_only=True)
class Decoys:
    """Published rows that look like entities with figures, but are not. No filter on one column should find them."""

    among: str
    """Published table that holds firms and decoys."""
    is_decoy: Callable[[], pl.Expr]
    """Makes a Boolean expression over that table's text columns."""
    apart: tuple[str, ...] = ()
    """Published tables of decoys alone, with the same columns."""
    inherent: tuple[str, ...] = ()
    """Columns that separate decoys from firms because the shape of the table does."""
    inherent_apart: tuple[str, ...] = ()
    """The same for the tables of `apart`."""


@dataclass(frozen=True, kw_only=True)
class Subjects:
    """What a writer of texts may see: published facts about the entities of each text. Row i of each frame is for text i."""

    entities: pl.DataFrame
    """The row in which the text will stand (code, year, ...), then the published attributes of its entity."""
    names: pl.DataFrame
    """Invented names: `legal`, `short`, `english`, and the lists `subsidiaries` and `products`."""
    figures: pl.DataFrame
    """The published figures of the entity's latest year, in quanta; null where it has none."""


@dataclass(frozen=True, kw_only=True)
class Prose:
    """How new texts about entities are written for a raw column, in a release that may not quote any original.

    `write` returns one text for each row, or null to leave it out. A text depends on the key and on its own row alone. If a
    column has no writer, all its texts are left out.
    """

    table: str
    column: str
    write: Callable[[Subjects, Key], pl.Series]


@dataclass(frozen=True, kw_only=True)
class Exemption:
    """Ordinary words that the search for names takes for a company. `validation/escapes/exemptions.py` has the rules."""

    token: str = field(repr=False)
    """The name, alias, code or other identifier, as the raw tables list it."""
    reason: str = field(repr=False)
    """Why it names nobody there."""
    table: str = ""
    """Published table or document for which it is exempted; all of them if empty."""
    column: str = ""
    """Column of the table for which it is exempted; all of them if empty."""
    is_word: bool = False
    """Whether the name is a word of the tables or reports themselves: a state, a sector, a measure, a header. Then it counts
    as a finding only in columns of codes, names and texts."""

    def __post_init__(self) -> None:
        if not self.token.strip() or not self.reason.strip():
            raise InputError(
                "an exemption has no token or no reason; say what is exempted, and why it names nobody there"
            )
