"""Published tables and documents, their dialect, and how they are read back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

import polars as pl

from pipeline.keyed import Key
from pipeline.model.figures import Frames
from pipeline.model.refused.mistyped import refuse_mistyped
from pipeline.model.schema.fields import Field, Origin, all_fields


@dataclass(frozen=True, kw_only=True)
class EntityView:
    """Says which published table lists the entities of a kind, with one row for each, and in which columns."""

    table: str
    of: str = ""
    """Kind of the entities (`Entities.kind`); the main kind if empty."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Published column -> column of the first entity table, declared or completed; the code is among them. Empty: as the fields
    of the published table say it, but for texts."""
    vocabularies: Mapping[str, str] = field(default_factory=dict)
    """Published column -> vocabulary whose aliases noise may put in it."""


@dataclass(frozen=True, kw_only=True)
class LongFigures:
    """Says which published table has one row for each figure, and in which columns."""

    table: str
    code: str
    year: str
    measure: str
    value: str
    unit: str = ""
    """Column of the unit; empty where each figure is in its measure's unit."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Label in the column `measure` -> measure; a row with another label holds no figure. Empty: labels are measures' names."""
    vocabulary: str = ""
    """Vocabulary whose aliases noise may put in the column `measure`."""


@dataclass(frozen=True, kw_only=True)
class WideFigures:
    """Says which published table has one row for each entity and year. Each figure is in its measure's unit."""

    table: str
    code: str
    year: str
    columns: Mapping[str, str] = field(default_factory=dict)
    """Published column -> measure. Empty: the columns that are named like measures."""


@dataclass(frozen=True, kw_only=True)
class EventView:
    """Says which published table has one row for each event. Figures are in their measures' units, times as in the raw one."""

    table: str
    events: str
    """The raw table of the events."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Published column -> column of the raw table; the entity is among them. Empty: as the table's fields say."""


@dataclass(frozen=True, kw_only=True)
class NameList:
    """A published document of JSON that pairs legal names with English ones."""

    document: str
    field: str = ""
    """The field that holds the pairs; empty where the document is the pairs."""


@dataclass(frozen=True, kw_only=True)
class Views:
    """How the published files are read back (`pipeline/conform/read_back.py`)."""

    entities: EntityView
    further: tuple[EntityView, ...] = ()
    """Views of further kinds, and of further tables of the main kind. An entity in several tables is read from the first."""
    figures: tuple[LongFigures | WideFigures, ...] = ()
    """A figure that stands in several tables is read from the first; later tables that differ are attacked on their own."""
    english: NameList | None = None
    events: tuple[EventView, ...] = ()
    """Tables of events. An audit of published files attacks only events that have a view."""

    @property
    def listings(self) -> tuple[EntityView, ...]:
        """Return the views of every table of entities, that of the main kind first."""
        return (self.entities, *self.further)


@dataclass(frozen=True)
class Dialect:
    """How a published CSV is written. It is UTF-8 with commas; lines end in a line feed."""

    quote: Literal["minimal", "non_empty", "all"] = "minimal"
    """`minimal` quotes where it must; `non_empty` quotes every field that is not empty, `all` quotes these as well."""
    null: str = ""
    """The text for null, quoted if all fields are. No cell may hold this text."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What `render` is given: the anonymised and derived tables, and a key for the order of rows and for load times."""

    tables: Frames
    order: Key


RECORDS = 100_000
"""Records of a block at most (our choice: a hundredth of a second of work on each, and 20 MB of text)."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """A long table in parts, in published order. Any range of parts can be rendered without the others.

    A part is what one row of a small table gives, such as the figures of a firm's year. The row key is the number of the
    record, from 1 on, so counts alone give it.
    """

    sizes: pl.Series
    """How many records each part has, from 0 on."""
    render: Callable[[int, int, int], pl.DataFrame]
    """Renders the records of parts from one number to another (exclusive), given the number of the first record."""
    records: int = RECORDS
    """How many records a block has at most, unless a single part has more; fewer where each is long."""


@dataclass(frozen=True, kw_only=True)
class DocumentRows:
    """A document as rows that noise can change. Reading and writing lose nothing: `text(rows(x))` is `x`, byte for byte."""

    columns: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    """As `PublishedTable.fields`."""
    rows_from: tuple[Origin, ...] = ()
    row_key: str
    """Column that identifies a row's place in the document; noise never changes it."""
    rows: Callable[[str], pl.DataFrame]
    """Reads a document's text into text columns, null for an empty value; raises `ValueError` if it is another document."""
    text: Callable[[pl.DataFrame], str]
    """Writes the document's text from its rows, in their order."""

    def __post_init__(self) -> None:
        _complete(self)


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """One published table.

    `render` returns a frame of text columns (String, null for an empty field, never the empty string), exactly `columns`,
    rows in published order; of a table that may be long, its parts, which give such frames.
    """

    path: str
    """Below its folder. Its ending says in which format it is written (`pipeline/publish/formats`)."""
    fields: tuple[Field, ...] = ()
    """What is declared of its columns, in their order."""
    columns: tuple[str, ...] = ()
    """The names of the columns; they follow from the fields. Of a name without a field nothing is declared."""
    source: str = ""
    """The table that columns without origins of their own come from, under the same names."""
    rows_from: tuple[Origin, ...] = ()
    """Columns that decide which rows there are and which id each has, so they may change every column."""
    needs: tuple[str, ...] = ()
    """Anonymised and derived tables; if one is absent, the file is left out. Empty: the `source`, if there is one."""
    render: Callable[[Truth], pl.DataFrame | Parts]
    uses: tuple[str, ...] = ()
    """Tables that add rows if they are there; the manifest names the absent ones."""
    row_key: str = "id"
    """Column that is unique and never null; the ledger names rows by it. If empty, the table has no noise."""
    dialect: Dialect = Dialect()
    folder: Literal["database", "ideal"] = "database"
    """`ideal` stands beside the clean variant's database and never has noise."""
    beside: tuple[str, ...] = ()
    """Published tables of the database whose clean rows noise in this table may read."""
    document: DocumentRows | None = None
    """Set if the table is the rows of a document, so that its file is no CSV. Noise changes only its cells."""
    description: str = ""

    def __post_init__(self) -> None:
        _complete(self, self.source)
        object.__setattr__(self, "needs", self.needs or tuple(filter(None, (self.source,))))

    @cached_property
    def name(self) -> str:
        """Return the table's name in ledger, specifications and graph: the file's stem, marked outside of the database."""
        return name_of(self.folder, self.path)


@dataclass(frozen=True, kw_only=True)
class PublishedDocument:
    """A published file that is not a table, such as a list of translations. `render` returns its text."""

    path: str
    needs: tuple[str, ...]
    render: Callable[[Truth], str]
    uses: tuple[str, ...] = ()
    folder: Literal["database", "ideal"] = "database"
    rows: DocumentRows | None = None
    """What noise may change in it; None if nothing."""
    description: str = ""

    @cached_property
    def name(self) -> str:
        """Return the document's name in the graph: the file's stem, marked outside of the database."""
        return name_of(self.folder, self.path)

    @property
    def table(self) -> PublishedTable | None:
        """Return the document's rows as a table of its name, for noise and ledger; None if it has none."""
        rows, render = self.rows, self.render
        if rows is None:
            return None
        return PublishedTable(
            path=self.path,
            columns=rows.columns,
            fields=rows.fields,
            rows_from=rows.rows_from,
            needs=self.needs,
            render=lambda truth: rows.rows(render(truth)),
            uses=self.uses,
            row_key=rows.row_key,
            folder=self.folder,
            document=rows,
            description=self.description,
        )


def _complete(published: DocumentRows | PublishedTable, source: str = "") -> None:
    """Give each column a field: the dataclasses are frozen, so that what follows is set past them."""
    are_tuples = isinstance(published.columns, tuple) and isinstance(published.fields, tuple)
    if not are_tuples or not all(isinstance(field, Field) for field in published.fields):
        refuse_mistyped(published)
    fields = all_fields(published.columns, published.fields, source)
    object.__setattr__(published, "columns", tuple(field.name for field in fields))
    object.__setattr__(published, "fields", fields)


def name_of(folder: str, path: str) -> str:
    """Return the name of what is published at a path in a folder of a variant."""
    stem = Path(path).stem
    return stem if folder == "database" else f"{folder}_{stem}"


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Other forms of the names of one kind: canonical form -> its aliases, the most frequent first."""

    name: str
    aliases: Mapping[str, tuple[str, ...]]
