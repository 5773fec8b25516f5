"""The whole of a declaration, and the declarations that are refused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from keyword import kwlist
from pathlib import Path
from typing import TypeVar

import polars as pl

from pipeline.errors import InputError
from pipeline.model.budget import Budget
from pipeline.model.columns import Column, RawTable, Role
from pipeline.model.entities import ALL_IN_ONE, Decoys, Entities, Exemption, Prose, QuasiIdentifiers
from pipeline.model.figures import TAKEN_BY_AGGREGATES, Aggregate, Derivation, Events, Panel, refuse_taken
from pipeline.model.measures import Total
from pipeline.model.periods import Period, is_made_of
from pipeline.model.published import DocumentRows, PublishedDocument, PublishedTable, Views, Vocabulary
from pipeline.model.refused.mistyped import refuse_mistyped
from pipeline.model.schema.domains import Domains
from pipeline.model.schema.fields import TableFacts, TableLineage, with_former

_Named = TypeVar("_Named", RawTable, PublishedTable, PublishedDocument, Vocabulary)
_WithFields = TypeVar("_WithFields", PublishedTable, DocumentRows)


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Generated originals, for when the real ones are not there."""

    version: str
    """Names the corpus: the same version and scale give the same tables."""
    generate: Callable[[Path, float], None]
    """Writes the raw tables into a folder at a scale."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The declaration of an environment: what comes in, what it means, and what is published."""

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
    tables: tuple[PublishedTable, ...] = ()
    """What is published; `as_raw` adds a table for each raw one."""
    documents: tuple[PublishedDocument, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    prose: tuple[Prose, ...] = ()
    """How new texts about entities are written. Under `guarded`, a column of texts without an entry is left out."""
    events: tuple[Events, ...] = ()
    """Tables of records that belong to entities and come at any time, not once a period."""
    vocabularies: tuple[Vocabulary, ...] = ()
    quasi_identifiers: QuasiIdentifiers | None = None
    """What an outsider can look up about an entity, in order and with the columns that depend on each. Attributes and dates of
    entities that are not declared here come after these, each by itself (`pipeline/model/treatments.py`)."""
    decoys: Decoys | None = None
    views: Views | None = None
    """How the published files are read back; `silt audit` needs it."""
    units: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Units that may replace a base unit, each with its number of base units: {"元": {"元": 1, "万元": 10_000}}."""
    corpus: Corpus | None = None
    budget: Budget | None = None
    """How much releases under `guarded` may reveal of one company; `Budget()` if nothing is declared."""
    domains: Domains | None = None
    """What published tables state about each other across domains. If None, nothing is compared."""
    facts: Mapping[str, TableFacts] = field(default_factory=dict)
    lineage: Mapping[str, TableLineage] = field(default_factory=dict)
    """What published tables say by themselves now (`PublishedTable.fields`); read for this version, and moved there."""
    exemptions: tuple[Exemption, ...] = ()
    """False alarms of the escape scan, each with its reason."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What a column holds, for every table that has it. Used where nothing else says so; prefer a field's own `meaning`."""
    english: Mapping[str, str] = field(default_factory=dict)
    """English names of measures and groups that have names in another language: pages of reports show both."""
    volatile: bool = False
    """Whether it depends on something that cannot be observed, such as a native library that reads the network. Then nothing
    is reused."""
    declared_in: str = ""
    """Where the declaration was found: `FILE.py:NAME`, from the working folder; empty for shipped ones. Silt sets it."""
    read: str = ""
    """A digest of all that was read as it was loaded, its own files first; empty for shipped ones. Silt sets it."""

    def __post_init__(self) -> None:
        try:
            self._read_former()
            self._refuse_contradictions()
            self._complete_views()
        except Exception:
            # What is of another type has no name that could be looked up: its type is what is wrong.
            refuse_mistyped(self)
            raise
        grouped = tuple(map(self._with_one_group, self.raw_tables))
        object.__setattr__(self, "raw_tables", grouped)

    def _read_former(self) -> None:
        """Move what is declared as in a version ago to the fields of published tables and documents."""
        facts, lineage = self.facts, self.lineage
        if not facts and not lineage:
            return
        tables = (_with_former(table, table.name, facts, lineage) for table in self.tables)
        documents = (
            replace(each, rows=_with_former(each.rows, each.name, facts, lineage)) if each.rows else each
            for each in self.documents
        )
        for name, value in (("tables", tuple(tables)), ("documents", tuple(documents)), ("facts", {}), ("lineage", {})):
            object.__setattr__(self, name, value)

    def _complete_views(self) -> None:
        """Give views that name no columns those that the fields of their tables have from the raw table."""
        if self.views is None:
            return
        main, *further = (
            view if view.columns else replace(view, columns=self._shown(view.table, *self.kind(view.of).tables))
            for view in self.views.listings
        )
        events = (
            view if view.columns else replace(view, columns=self._shown(view.table, view.events))
            for view in self.views.events
        )
        views = replace(self.views, entities=main, further=tuple(further), events=tuple(events))
        object.__setattr__(self, "views", views)

    def _shown(self, table: str, *sources: str) -> dict[str, str]:
        """Return the columns of a published table that come from raw ones -> their columns there; of entities, no texts."""
        listed = {name for kind in self.kinds for name in kind.tables}
        texts = {(of, text.name) for of in sources if of in listed for text in self.raw_table(of).of_role(Role.TEXT)}
        shown = [(field.name, origin) for field in self.table(table).fields for origin in field.origins or ()]
        return {name: origin[1] for name, origin in shown if origin[0] in sources and origin not in texts}

    def _refuse_contradictions(self) -> None:
        refuse_taken("entities", self.entities.code, TAKEN_BY_AGGREGATES)
        for table in self.raw_tables:
            refuse_taken("raw tables", table.name, OF_STAGES - set(self.panel.tables))
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
        for total, of in ((total, each) for each in self.events for total in each.sums):
            _refuse_unreferred(total, of, self.events_of(total.events), self.raw_table(total.events))
        for total in self.panel.totals:
            _refuse_incomplete(total, self.events_of(total.events), self.panel.period)
            if kind := self.kind_of_events(self.events_of(total.events)).kind:
                raise InputError(
                    f"{total.output!r} is a total over {total.events!r}, whose events are those of {kind!r}"
                )

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
        """Return the argument that names the environment on the command line."""
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
    def figures_of_events(self) -> int:
        """Return how many figures of events are declared, of all tables."""
        return sum(len(events.measures) for events in self.events)

    @property
    def kinds(self) -> tuple[Entities, ...]:
        """Return every kind of entity, the main one first."""
        return (self.entities, *self.further)

    def kind(self, name: str) -> Entities:
        """Return the kind of entity of that name, the main one for the empty name."""
        return next(kind for kind in self.kinds if kind.kind == name)

    def owner(self, table: str) -> Column | None:
        """Return the column that holds the owner of a row: the code of the kind that the table lists, else its first code."""
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


OF_STAGES = frozenset(
    {"broken_identities", "figures", "identifiers", "identity_map", "names", "workspace"}
    | {"arg_dict", "bool", "conf", "config", "context", "dict", "float", "input", "input_arg_dict", "int", "meta"}
    | {"output", "output_arg_dict", "str", "type"}
    | set(kwlist)
)
"""Names that are taken: tables that the stages make, parameters of their steps, and words of Dagster and Python."""


def _with_former(
    published: _WithFields, name: str, facts: Mapping[str, TableFacts], lineage: Mapping[str, TableLineage]
) -> _WithFields:
    of = lineage.get(name)
    fields = with_former(published.fields, facts.get(name), of)
    return replace(published, fields=fields, rows_from=of.rows if of else published.rows_from)


def _named(items: Sequence[_Named], name: str, what: str) -> _Named:
    by_name = {item.name: item for item in items}
    if name not in by_name:
        raise InputError.unknown(what, name, by_name)
    return by_name[name]


_OF_ENTITIES = (Role.CODE, Role.NAME, Role.ALIAS)
"""Roles of the columns that identify an entity."""


def _refuse_undeclared_kinds(environment: Environment) -> None:
    """Refuse kinds that cannot be distinguished, and columns of entities that no kind declares."""
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


def _refuse_undeclared(events: Events, table: RawTable) -> None:
    """Refuse events if a column is missing in their raw table or has another role than they need."""
    declared = [(events.entity, Role.CODE), *((measure.name, Role.MEASURE) for measure in events.measures)]
    for name, role in [*declared, *([(events.time, Role.TIME)] if events.time else [])]:
        names = [column.name for column in table.of_role(role)]
        if name not in names:
            raise InputError.unknown(f"column of role {role} in the events {table.name!r}", name, names)
    for column in table.of_role(Role.TIME):
        if column.type not in ("date", "timestamp"):
            raise InputError(f"column {column.name!r} of {table.name!r} is a time, but of type {column.type}")


def _refuse_untreated(table: RawTable, events: Sequence[Events]) -> None:
    """Refuse columns that nothing would treat: times and numbers outside of events, and measures that `Events` leaves out."""
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


def _refuse_unreferred(total: Total, events: Events, parts: Events, table: RawTable) -> None:
    """Refuse a sum over rows that refer to nothing in the table, over no measure of theirs, or over sums."""
    what = f"{total.output!r} of {events.table!r} is a sum over {total.events!r}"
    if events.table not in {reference.to_table for reference in table.references}:
        raise InputError(f"{what}, which has no reference to {events.table!r}; declare one")
    if total.statistic == "mean" or parts.sums:
        raise InputError(f"{what}: means, and sums of a table that has sums itself, are not kept")
    if total.of and total.of not in {measure.name for measure in parts.measures}:
        raise InputError.unknown(f"measure in {what}", total.of, {measure.name for measure in parts.measures})


def _refuse_incomplete(total: Total, events: Events, period: Period) -> None:
    """Refuse a total whose events lack the measure that is totalled, or may leave their period when they are moved."""
    if total.statistic != "count" and total.of not in (names := [measure.name for measure in events.measures]):
        raise InputError.unknown(f"measure of the events {events.table!r}", total.of, names)
    if not events.time or events.stay_within is None or not is_made_of(period.frequency, events.stay_within):
        raise InputError(
            f"{total.output!r} is a total over {events.table!r} for each {period.frequency}: its events need a `time`, and "
            f"have to `stay_within` the {period.frequency} when they are moved"
        )
