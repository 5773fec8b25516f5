"""Kinds of entity, what an outsider can look up about them, and how prose about them is written anew."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model.columns import CodeShape

ALL_IN_ONE = "all entities"
"""The column that stands for the industry of entities that have none; its only value, too. It is never published."""


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
