"""The published files of a release, described once: every metadata file is a view of this.

Where a release leaves its data unexplained, columns have names, and that is all.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.model import Environment, Field, Measure, PublishedTable
from pipeline.model.schema.complete import schema_of
from pipeline.model.schema.types import PublishedType
from pipeline.places import NOISY, TASKS
from pipeline.publish.files import FileRecord
from pipeline.publish.formats import Format, format_of, format_of_path
from pipeline.release.layout import OTHER_LICENSE

Types = Mapping[str, Mapping[str, PublishedType]]
"""Path of a table below the release -> column -> type, of columns that are no text."""


_LISTED = re.compile(r"(?!LicenseRef-)[A-Za-z0-9.-]+")
"""Identifiers of SPDX that are no expression: without blanks, brackets and the plus of later versions."""

_MEDIA: Mapping[str, tuple[str, str]] = {
    ".jsonl": ("jsonlines", "application/jsonlines"),
    ".md": ("md", "text/markdown"),
    ".html": ("html", "text/html"),
}
"""Ending of a document that is no JSON -> format and media type."""


@dataclass(frozen=True, kw_only=True)
class DescribedColumn:
    """A column of a published table: its field, and what is true of it in one file."""

    field: Field
    type: PublishedType = "text"
    is_key: bool = False
    treatment: str = ""
    """What became of the original, in the manifest's words."""

    @property
    def name(self) -> str:
        """Return its name."""
        return self.field.name

    @property
    def refers_to(self) -> str:
        """Return the table and column in which its texts occur, with a dot between."""
        return ".".join(self.field.refers_to or ())


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
    def media(self) -> tuple[str, str]:
        """Return format and media type of a document."""
        return _MEDIA.get(PurePosixPath(self.path).suffix, ("json", "application/json"))

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
    silt: str
    """The version of Silt that made it; empty where a manifest states none."""
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
    """As they were given, persons as `Family, Given`; empty if nobody stated any."""
    files: tuple[DescribedFile, ...]
    measures: tuple[Measure, ...] = ()
    archives: Mapping[str, str] = field(default_factory=dict)
    """Name of the archive by variant."""
    formats: tuple[Format, ...] = ()
    """Formats in which all tables are there once more."""
    tasks: Mapping[str, Any] = field(default_factory=dict)
    """The manifest of tasks, where there are some."""
    argument: str = ""
    """What names the environment on the command line: its name, or `FILE.py:NAME` of the makers' own, whose path nobody has."""

    @property
    def tables(self) -> tuple[DescribedFile, ...]:
        """Return the files that are tables."""
        return tuple(file for file in self.files if file.columns)

    @property
    def has_no_license(self) -> bool:
        """Say whether the makers state none."""
        return self.license == OTHER_LICENSE

    @property
    def spdx(self) -> str:
        """Return the licence if it is one that SPDX lists, and no expression of several or of the makers' own."""
        is_listed = not self.has_no_license and _LISTED.fullmatch(self.license)
        return self.license if is_listed else ""

    @property
    def means(self) -> str:
        """Return what the policy means for whoever is in the data."""
        return means(self.policy, is_sampled=self.is_sampled, is_demonstration=self.is_demonstration)

    @property
    def records(self) -> int:
        """Return how many records the database has: with noise, if it is released so.

        Both archives have the card: how many there are without would tell an agent what noise dropped or doubled.
        """
        variant = NOISY if NOISY in self.variants else self.variants[0]
        return sum(f.record.records or 0 for f in self.tables if f.variant == variant and not f.is_ideal)


def person(author: str) -> tuple[str, str] | None:
    """Return family and given name of an author who is a person, given as `Family, Given`; None of an organisation."""
    family, _, given = author.partition(", ")
    return (family, given) if family and given else None


def means(policy: str, *, is_sampled: bool, is_demonstration: bool) -> str:
    """Return what a policy means for whoever is in the data, in a sentence: what a reader of a card meets first."""
    if is_sampled:
        whose = " The originals are invented, and the key is public: a demonstration." if is_demonstration else ""
        return (
            f"Synthetic records, sampled from statistics of the originals with noise (policy `{policy}`): "
            f"no record, figure, place or date is a company's own.{whose} Not promised: that nobody learns whether a company "
            "is among the originals; the report says under Privacy how surely."
        )
    who = (
        "Invented companies, renamed as real ones would be"
        if is_demonstration
        else "The companies of the originals under invented names"
    )
    return (
        f"{who} (policy `{policy}`): pseudonymised, not anonymous and not synthetic. "
        "Whoever has the originals can find companies again by values that stay the same, or nearly so."
    )


def describe_files(
    environment: Environment, folder: Path, variant: str, records: Sequence[FileRecord], *, known: "Known | None"
) -> Iterator[DescribedFile]:
    """Describe the files of a variant below the release's folder; without what is known of columns, these have names alone."""
    tables = {f"{table.folder}/{table.path}": table for table in environment.tables}
    documents = {f"{document.folder}/{document.path}": document for document in environment.documents}
    for record in records:
        path, declared = f"{variant}/{record.path}", tables.get(record.path) or documents[record.path]
        table = declared if isinstance(declared, PublishedTable) else None
        header = format_of(table).header(folder / path) if table else ()
        yield DescribedFile(
            path=path,
            variant=variant,
            name=declared.name,
            record=record,
            description=declared.description if known else "",
            null=table.dialect.null if table else "",
            columns=tuple(
                known.columns(table, path, header)
                if known and table
                else (DescribedColumn(field=Field(name)) for name in header)
            ),
        )


def describe_tasks(manifest: Mapping[str, Any]) -> Iterator[DescribedFile]:
    """Describe the files that the manifest of tasks lists."""
    for each in manifest.get("files", ()):
        record = FileRecord(**each, records=None, columns=None)
        yield DescribedFile(path=f"{TASKS}/{record.path}", variant=TASKS, name=record.path, record=record)


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of columns."""

    environment: Environment
    types: Types
    treatments: Mapping[str, Mapping[str, Sequence[str]]]
    """Table -> what became of originals -> columns, as the manifest has it."""
    has_keys: bool
    """Whether keys are unique: noise may repeat rows."""

    def columns(self, table: PublishedTable, path: str, names: Iterable[str]) -> Iterator[DescribedColumn]:
        """Describe columns; one that noise renamed or made has its name alone, and the type of its cells."""
        schema = schema_of(self.environment, table)
        treatments = {
            name: treatment
            for treatment, of_treatment in self.treatments.get(table.name, {}).items()
            for name in of_treatment
        }
        for name in names:
            yield DescribedColumn(
                field=schema.get(name, Field(name)),
                type=self.types.get(path, {}).get(name, "text"),
                is_key=self.has_keys and name == table.row_key,
                treatment=treatments.get(name, "") if name in schema else "",
            )
