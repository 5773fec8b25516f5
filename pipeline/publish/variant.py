"""Publishes one variant: files, reports and manifest staged, searched, then swapped in or refused.

What goes into the files is decided upstream; how a folder is swapped in belongs to `publication.py`. What searches, what
seals and what writes reports is handed in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import polars as pl

from pipeline.disk import reporting_disk
from pipeline.errors import SiltError
from pipeline.model import Environment, PublishedDocument, PublishedTable, Role
from pipeline.noise.ledger import as_noised, renamed_columns
from pipeline.places import CURATOR
from pipeline.private import private_file
from pipeline.publish.files import FileRecord, write_document, write_table
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import Staging, exclusive, publish_variant, stage
from pipeline.publish.refusal import forget_findings
from pipeline.render import published_files

NOISY, CLEAN = "noisy", "clean"
VARIANTS = (NOISY, CLEAN)

IDENTITY_MAP, NOISE_LEDGER = "identity_map.enc", "noise_ledger.parquet"
"""Files of the curator."""

Source = Callable[[PublishedTable | PublishedDocument], pl.DataFrame | str | None]
"""Gives the content of a published file, None where the build does not have it."""


class Searched(Protocol):
    """What a search for escapes came to."""

    @property
    def escapes(self) -> Sequence[object]:
        """Return what escaped; nothing is published if there is any."""
        ...

    @property
    def is_mentioned(self) -> bool:
        """Say whether reports have more to say of it than that nothing was found."""
        ...

    def refused(self, staging: Staging) -> SiltError:
        """Keep what was found with the curator; return the error that says so."""
        ...

    def notes(self) -> Iterable[str]:
        """Return what a person should know, a line each."""
        ...


SearchedT = TypeVar("SearchedT", bound=Searched)


@dataclass(frozen=True, kw_only=True)
class Variant(Generic[SearchedT]):
    """Everything that makes one variant, besides the content of its files."""

    environment: Environment
    name: str
    manifest: Callable[[tuple[FileRecord, ...]], Manifest]
    reports: Mapping[str, bytes]
    """File name -> content, of the reports that do not depend on the search for escapes."""
    search: Callable[[Path, pl.DataFrame | None], SearchedT]
    """Searches the staged folder for escapes; the ledger says how noise renamed columns of codes."""
    of_search: Callable[[Manifest, SearchedT | None], Mapping[str, bytes]]
    """Makes the reports that say what the search came to: file name -> content; None stands for no search yet."""
    sealed_map: bytes
    ledger: pl.DataFrame | None
    """Changes made by noise; None for a variant without."""
    log: Callable[[str], None]
    """Called with a line for whatever a person should know of what was published."""
    claim_key: Callable[[], None]
    """Called when every gate has passed: puts on record what the key is used for, or refuses."""


def publish(folder: Path, variant: Variant[SearchedT], source: Source) -> tuple[FileRecord, ...]:
    """Write a variant, search it, and swap it in; return what was published.

    Raises:
        GateError: Something that identifies a company stands in a file; the variant is kept with the curator.
        InputError: The folder cannot be written, or the key is for something else; the last build is untouched.
    """
    with exclusive(folder):
        staging = stage(folder, variant.name)
        manifest = variant.manifest(_write_files(staging.public, variant, source))
        write_manifest(manifest, staging.public)
        # What says that nothing escaped is published, too: written before the search, and again if that finds something.
        _write_reports(staging.public, variant.of_search(manifest, None))
        searched = variant.search(staging.public, variant.ledger)
        if searched.is_mentioned:
            # Then other counts stand in the same words, all of which have been searched; or nothing is published.
            _write_reports(staging.public, variant.of_search(manifest, searched))
        with reporting_disk(folder):
            private_file(staging.curator / IDENTITY_MAP).write_bytes(variant.sealed_map)
            if variant.ledger is not None:
                variant.ledger.write_parquet(private_file(staging.curator / NOISE_LEDGER))
        if searched.escapes:
            raise searched.refused(staging)
        variant.claim_key()
        publish_variant(staging)
        forget_findings(folder / CURATOR)
    for line in searched.notes():
        variant.log(f"{variant.name}: {line}")
    return manifest.files


def columns_of_codes(environment: Environment, table: PublishedTable, ledger: pl.DataFrame | None) -> tuple[str, ...]:
    """Return the columns of a published file that hold codes: those named like a raw column of codes, or `code`."""
    names = {column.name for raw in environment.raw_tables for column in raw.of_role(Role.CODE)} | {"code"}
    return tuple(now for column, now in headers_of(table, ledger).items() if column in names)


def headers_of(table: PublishedTable, ledger: pl.DataFrame | None) -> dict[str, str]:
    """Return the table's columns and what they are called in the file; one that noise took apart has no name any more."""
    return {column: column for column in table.columns} if ledger is None else renamed_columns(table, ledger)


def _write_files(public: Path, variant: Variant[SearchedT], source: Source) -> tuple[FileRecord, ...]:
    records = []
    for published in published_files(variant.environment):
        content = None if _is_elsewhere(published, variant.name) else source(published)
        if isinstance(published, PublishedTable) and isinstance(content, pl.DataFrame):
            noised = published if variant.ledger is None else as_noised(published, variant.ledger)
            records.append(write_table(content, noised, public))
        elif isinstance(published, PublishedDocument) and isinstance(content, str):
            records.append(write_document(content, published, public))
    _write_reports(public, variant.reports)
    return tuple(records)


def _is_elsewhere(published: PublishedTable | PublishedDocument, variant: str) -> bool:
    """Say whether the file stands beside the clean database only."""
    return published.folder != "database" and variant != CLEAN


def _write_reports(public: Path, reports: Mapping[str, bytes]) -> None:
    folder = public / "reports"
    with reporting_disk(folder):
        for name, content in reports.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
