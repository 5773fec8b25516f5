"""Stages one variant: files, reports and manifest are written and searched; it is refused if anything escaped.

The content of the files is decided upstream; swapping folders in belongs to `publication.py`. The search for escapes, the
sealed map and the reports are handed in.
"""

import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import polars as pl

from pipeline.disk import reporting_disk
from pipeline.errors import SiltError
from pipeline.model import Environment, PublishedDocument, PublishedTable, Role
from pipeline.noise.ledger import renamed_columns
from pipeline.places import CLEAN, NOISY, VARIANTS
from pipeline.private import private_file
from pipeline.publish.draft import REFUSED
from pipeline.publish.files import FileRecord
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import Staging, stage
from pipeline.publish.refusal import REPORTS
from pipeline.render import published_files

__all__ = [
    "CLEAN",
    "IDENTITY_MAP",
    "NOISE_LEDGER",
    "NOISY",
    "README",
    "VARIANTS",
    "SearchedT",
    "Variant",
    "Written",
    "columns_of_codes",
    "copy_files",
    "headers_of",
    "is_elsewhere",
    "stage_variant",
    "write_reports",
]

IDENTITY_MAP, NOISE_LEDGER = "identity_map.enc", "noise_ledger.parquet"
"""Files in the curator's folder."""

README = "README.md"
"""The page beside the database that says what a build's variant is. No release has it."""


@dataclass(frozen=True)
class Written:
    """A file of a variant that is written already, wherever it lies, and what the manifest says of it."""

    file: Path
    record: FileRecord


Source = Callable[[PublishedTable | PublishedDocument], Written | None]
"""Returns a published file; None if the build does not have it."""


class Searched(Protocol):
    """The result of a search for escapes."""

    @property
    def escapes(self) -> Sequence[object]:
        """Return the escapes; nothing is published if there are any."""
        ...

    @property
    def is_mentioned(self) -> bool:
        """Say whether reports have to state more than that nothing was found."""
        ...

    def refused(self, staging: Staging, *, rewritten: Collection[str] = ()) -> SiltError:
        """Keep the findings with the curator, without lines of files rewritten since; return the error that says so."""
        ...

    def notes(self) -> Iterable[str]:
        """Return what the log of a published build should say, a line each."""
        ...


SearchedT = TypeVar("SearchedT", bound=Searched)


@dataclass(frozen=True, kw_only=True)
class Variant(Generic[SearchedT]):
    """Everything that makes one variant, except for the content of its files."""

    environment: Environment
    name: str
    manifest: Callable[[tuple[FileRecord, ...]], Manifest]
    readme: Callable[[Path, Manifest], bytes]
    """Makes the page that says what the variant is, of the folder in which the variant's folder lies."""
    reports: Mapping[str, bytes]
    """File name -> content of the reports, those on the search for escapes as they are before it."""
    search: Callable[[Path, pl.DataFrame | None], SearchedT]
    """Searches the staged folder for escapes. The ledger is needed because noise may have renamed columns of codes."""
    of_search: Callable[[Manifest, SearchedT], Mapping[str, bytes]]
    """Makes the reports that say more of the search than that nothing was found: file name -> content."""
    sealed_map: bytes
    ledger: pl.DataFrame | None
    """Changes made by noise; None for a variant without noise."""
    log: Callable[[str], None]
    """Called with each line for the log."""


def stage_variant(folder: Path, variant: Variant[SearchedT], source: Source) -> tuple[Staging, tuple[FileRecord, ...]]:
    """Write a variant and search it; return where it is staged, and its files.

    Raises:
        GateError: A file holds something that identifies a company; the variant is kept with the curator.
        InputError: The folder cannot be written.
    """
    staging = stage(folder, variant.name)
    manifest = variant.manifest(_write_files(staging.public, variant, source))
    write_manifest(manifest, staging.public)
    with reporting_disk(folder):
        (staging.public / README).write_bytes(variant.readme(staging.public.parent, manifest))
    searched = variant.search(staging.public, variant.ledger)
    # These reports differ from the searched ones in counts only. If anything escaped, they are not published.
    rewritten = variant.of_search(manifest, searched) if searched.is_mentioned else {}
    write_reports(staging.public, rewritten)
    with reporting_disk(folder):
        private_file(staging.curator / IDENTITY_MAP).write_bytes(variant.sealed_map)
        if variant.ledger is not None:
            variant.ledger.write_parquet(private_file(staging.curator / NOISE_LEDGER))
    if searched.escapes:
        (staging.public / README).write_text(REFUSED, encoding="utf-8")
        raise searched.refused(staging, rewritten=[README, *(f"{REPORTS}/{name}" for name in rewritten)])
    for line in searched.notes():
        variant.log(f"{variant.name}: {line}")
    return staging, manifest.files


def columns_of_codes(environment: Environment, table: PublishedTable, ledger: pl.DataFrame | None) -> tuple[str, ...]:
    """Return the columns of a published file that hold codes: those that are named like a raw column of codes, or `code`."""
    names = {column.name for raw in environment.raw_tables for column in raw.of_role(Role.CODE)} | {"code"}
    return tuple(now for column, now in headers_of(table, ledger).items() if column in names)


def headers_of(table: PublishedTable, ledger: pl.DataFrame | None) -> dict[str, str]:
    """Return each column of the table with its name in the file. A column that noise split or merged is left out."""
    return {column: column for column in table.columns} if ledger is None else renamed_columns(table, ledger)


def _write_files(public: Path, variant: Variant[SearchedT], source: Source) -> tuple[FileRecord, ...]:
    records = copy_files(public, map(source, published_files(variant.environment)))
    write_reports(public, variant.reports)
    return records


def copy_files(public: Path, files: Iterable[Written | None]) -> tuple[FileRecord, ...]:
    """Copy the files that a build has into a variant's folder, and return what the manifest says of them."""
    there = [written for written in files if written]
    with reporting_disk(public):
        for written in there:
            target = public / written.record.path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(written.file, target)
    return tuple(written.record for written in there)


def is_elsewhere(published: PublishedTable | PublishedDocument, variant: str) -> bool:
    """Say whether the file belongs only beside the clean database."""
    return published.folder != "database" and variant != CLEAN


def write_reports(public: Path, reports: Mapping[str, bytes]) -> None:
    """Write the reports of a variant into its folder."""
    folder = public / REPORTS
    with reporting_disk(folder):
        for name, content in reports.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
