"""The published files of a release, described once: every metadata file is a view of this.

Where a release leaves its data unexplained, columns have names, and that is all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.model import (
    Column,
    Environment,
    LongFigures,
    Measure,
    PublishedDocument,
    PublishedTable,
    Role,
    WideFigures,
)
from pipeline.model.claims.facts import ColumnFacts
from pipeline.model.types import PublishedType
from pipeline.publish.files import FileRecord
from pipeline.publish.formats import Format, format_of, format_of_path

Types = Mapping[str, Mapping[str, PublishedType]]
"""Path of a table below the release -> column -> type, of columns that are no text."""

Facts = Callable[[Environment, PublishedTable], Mapping[str, ColumnFacts]]
"""Returns what is declared of a table's columns."""

MADE_OF: Mapping[Role, str] = {
    Role.CODE: "invented code of {of}",
    Role.NAME: "invented name of {of}",
    Role.ALIAS: "invented other name of {of}",
    Role.TEXT: "prose; names in it are invented",
}
"""What columns of a role hold, where their declaration says no more."""


@dataclass(frozen=True, kw_only=True)
class DescribedColumn:
    """A column of a published table."""

    name: str
    type: PublishedType = "text"
    unit: str = ""
    meaning: str = ""
    is_key: bool = False
    refers_to: str = ""
    """Table and column in which its texts occur, with a dot between."""
    fate: str = ""
    """What became of the original, in the manifest's words."""

    @property
    def words(self) -> str:
        """Return in words what it holds, and in which unit."""
        return ", ".join(filter(None, (self.meaning, self.unit and f"in {self.unit}")))


@dataclass(frozen=True, kw_only=True)
class DescribedFile:
    """A published file; a document has no columns."""

    path: str
    """Below the release."""
    variant: str
    name: str
    """Unique within its variant."""
    record: FileRecord
    description: str = ""
    null: str = ""
    columns: tuple[DescribedColumn, ...] = ()

    @property
    def format(self) -> Format | None:
        """Return the format of a table; None for a document."""
        return format_of_path(self.record.path) if self.columns else None

    @property
    def is_ideal(self) -> bool:
        """Say whether it stands beside the database."""
        return self.record.path.startswith("ideal/")

    @property
    def slug(self) -> str:
        """Return a name that is unique in the release, of letters, digits and hyphens as far as the file's name is."""
        return f"{self.variant}-{self.name}".replace("_", "-").lower()


@dataclass(frozen=True, kw_only=True)
class Described:
    """All of a release's data, and what else its metadata state."""

    name: str
    title: str
    version: str
    released: str
    policy: str
    is_sampled: bool
    """Whether records are sampled, so that none is a company's own."""
    is_demonstration: bool
    """Whether the originals are invented."""
    variants: tuple[str, ...]
    is_documented: bool
    discloses_noise: bool
    languages: tuple[str, ...]
    license: str
    authors: tuple[str, ...]
    files: tuple[DescribedFile, ...]
    measures: tuple[Measure, ...] = ()
    archives: Mapping[str, str] = field(default_factory=dict)
    """Name of the archive by variant."""
    formats: tuple[Format, ...] = ()
    """Formats in which all tables are there once more."""

    @property
    def tables(self) -> tuple[DescribedFile, ...]:
        """Return the files that are tables."""
        return tuple(file for file in self.files if file.columns)

    @property
    def means(self) -> str:
        """Return what the policy means for whoever is in the data, in a sentence: what a reader of its card meets first."""
        if self.is_sampled:
            return (
                f"Synthetic records, sampled from statistics of the originals with noise (policy `{self.policy}`): "
                "no record, figure, place or date is a company's own."
            )
        who = "Invented companies, treated as real ones are" if self.is_demonstration else "Real companies"
        return (
            f"{who} under invented names (policy `{self.policy}`): pseudonymised, not anonymous and not synthetic; whoever has "
            "the originals finds companies again by their figures, places and texts."
        )

    @property
    def records(self) -> int:
        """Return how many records the largest variant's database has."""
        counts = {
            variant: sum(f.record.records or 0 for f in self.tables if f.variant == variant and not f.is_ideal)
            for variant in self.variants
        }
        return max(counts.values(), default=0)


def describe_files(
    environment: Environment,
    folder: Path,
    variant: str,
    records: Sequence[FileRecord],
    *,
    known: "Known | None",
) -> Iterator[DescribedFile]:
    """Describe the files of a variant below the release's folder; without what is known of columns, these have names alone."""
    tables = {f"{table.folder}/{table.path}": table for table in environment.tables}
    documents = {f"{document.folder}/{document.path}": document for document in environment.documents}
    for record in records:
        path, declared = f"{variant}/{record.path}", tables.get(record.path) or documents[record.path]
        header = format_of(declared).header(folder / path) if isinstance(declared, PublishedTable) else ()
        yield DescribedFile(
            path=path,
            variant=variant,
            name=declared.name,
            record=record,
            description=declared.description if known else "",
            null=declared.dialect.null if isinstance(declared, PublishedTable) else "",
            columns=tuple(
                known.column(declared, path, name) if known else DescribedColumn(name=name) for name in header
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of columns."""

    environment: Environment
    facts: Facts
    types: Types
    fates: Mapping[str, Mapping[str, Sequence[str]]]
    """Table -> what became of originals -> columns, as the manifest has it."""
    has_keys: bool
    """Whether keys are unique: noise may repeat rows."""

    def column(self, table: PublishedTable | PublishedDocument, path: str, name: str) -> DescribedColumn:
        """Describe a column; one that noise renamed or made has its name alone, and the type of its cells."""
        kind = self.types.get(path, {}).get(name, "text")
        if not isinstance(table, PublishedTable) or name not in table.columns:
            return DescribedColumn(name=name, type=kind)
        fact = self.facts(self.environment, table)[name]
        unit, meaning = _meaning(self.environment, table, name)
        return DescribedColumn(
            name=name,
            type=kind,
            unit=unit,
            meaning=meaning,
            is_key=self.has_keys and name == table.row_key,
            refers_to=".".join(fact.refers_to) if fact.refers_to else "",
            fate=next((fate for fate, names in self.fates.get(table.name, {}).items() if name in names), ""),
        )


def meanings(environment: Environment, table: PublishedTable) -> dict[str, str]:
    """Return what each column of a published table holds, in words."""
    meant = {name: _meaning(environment, table, name) for name in table.columns}
    return {name: DescribedColumn(name=name, unit=unit, meaning=told).words for name, (unit, told) in meant.items()}


def invented(environment: Environment, found: Column | Measure) -> tuple[str, str]:
    """Return unit and meaning of an anonymised column of a raw table, or of a measure."""
    told = MADE_OF.get(found.role, "").format(of=_called(environment, found.of)) if isinstance(found, Column) else ""
    return found.unit, found.description or told or environment.meanings.get(found.name, "")


def _meaning(environment: Environment, table: PublishedTable, name: str) -> tuple[str, str]:
    """Return unit and meaning of a column: as its view has it, or the raw column or measure that it is made of."""
    unit, told = (
        _as_figure(environment, table, name)
        or _as_declared(environment, table, name)
        or ("", "identifies the row" if name == table.row_key else "")
    )
    return unit, told or environment.meanings.get(name, "")


def _as_figure(environment: Environment, table: PublishedTable, name: str) -> tuple[str, str] | None:
    panel = environment.panel
    for view in environment.views.figures if environment.views else ():
        if view.table != table.name:
            continue
        if isinstance(view, LongFigures) and name in (parts := _parts(view)):
            return "", parts[name]
        if isinstance(view, WideFigures):
            of = view.columns or {measure.name: measure.name for measure in panel.measures}
            if measure := next((each for each in panel.measures if each.name == of.get(name)), None):
                return measure.unit, measure.description or f"the figure {measure.name!r}"
        if name == view.year:
            return "", f"{panel.period.frequency} of the figures"
    return None


def _as_declared(environment: Environment, table: PublishedTable, name: str) -> tuple[str, str] | None:
    lineage = environment.lineage.get(table.name)
    origins = lineage.columns.get(name, ()) if lineage else ()
    of = {raw.name: raw for raw in environment.raw_tables}
    raw = [
        column for origin, source in origins if origin in of for column in of[origin].columns if column.name == source
    ]
    found: Column | Measure | None = next(iter(raw), None) or next(
        (each for _, source in origins for each in environment.panel.measures if each.name == source == name), None
    )
    if found is not None:
        return invented(environment, found)
    code = any(source == environment.entities.code for _, source in origins)
    return ("", MADE_OF[Role.CODE].format(of=_called(environment, ""))) if code else None


def _parts(view: LongFigures) -> dict[str, str]:
    told = {
        view.code: "code of whom the figure is",
        view.year: "period of the figure",
        view.measure: "what the figure is",
        view.value: "the figure",
        view.unit: "unit of the figure",
    }
    return {name: meaning for name, meaning in told.items() if name}


def _called(environment: Environment, kind: str) -> str:
    entities = environment.kind(kind)
    return f"a {entities.kind}" if entities.kind else f"a {entities.named}"
