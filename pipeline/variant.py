"""Assembles one variant: files, reports and manifest staged, scanned for escapes, then published or refused.

What goes into the files is decided upstream; how a folder is swapped in belongs to `publish`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.identity_map import seal
from pipeline.environment.model import Environment, PublishedDocument, PublishedTable, Role
from pipeline.errors import GateError
from pipeline.keyed import Key
from pipeline.noise.ledger import as_noised, of_file, renamed_columns, undo
from pipeline.private import private_file
from pipeline.publish.disk import reporting_disk
from pipeline.publish.files import FileRecord, write_document, write_table
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import exclusive, publish_variant, refuse_variant, stage
from pipeline.render import path_of, published_files
from pipeline.replay import read_published
from validation.escapes import Escape, Identities, find_escapes
from validation.privacy_page import privacy_page
from validation.reports import report_json

NOISY, CLEAN = "noisy", "clean"
VARIANTS = (NOISY, CLEAN)

IDENTITY_MAP, NOISE_LEDGER = "identity_map.enc", "noise_ledger.parquet"
"""Files of the curator."""

REPORT = "report.html"
"""The page of all reports."""


Source = Callable[[PublishedTable | PublishedDocument], pl.DataFrame | str | None]
"""Gives the content of a published file, None where the build does not have it."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    """Everything that makes one variant, besides the content of its files."""

    environment: Environment
    name: str
    manifest: Callable[[tuple[FileRecord, ...]], Manifest]
    reports: Mapping[str, bytes]
    """File name -> content."""
    privacy: Mapping[str, Any]
    """What `privacy.json` and its page hold besides escapes: what attacks found."""
    page: Callable[[Mapping[str, Any], Manifest], bytes]
    """Makes the report of all reports, from that on privacy, escapes included, and the manifest."""
    ledger: pl.DataFrame | None
    """Changes made by noise; None for a variant without."""
    claim_key: Callable[[], None]
    """Called when every gate has passed: puts on record what the key is used for, or refuses."""


@dataclass(frozen=True, kw_only=True)
class Originals:
    """What the curator knows and no published byte may hold."""

    identity_map: pl.DataFrame
    """`kind, original, pseudonym` of every code, name and alias."""
    identifiers: pl.DataFrame
    """`kind, original` of every other identifier."""
    key: Key
    """Seals the map: the release key itself, so that its file opens the map whatever the policy was."""

    def identities(self, environment: Environment) -> Identities:
        """Return what identifies a company, as the escape scan searches for it."""
        known = pl.concat([self.identity_map, self.identifiers], how="diagonal")
        codes = environment.entities
        return Identities.of_map(known, code_mention=codes.code_mention, code_examples=codes.code_examples)


def publish(folder: Path, variant: Variant, source: Source, originals: Originals) -> tuple[FileRecord, ...]:
    """Write a variant, scan it, and swap it in; return what was published.

    Raises:
        GateError: Something that identifies a company stands in a file; the variant is kept with the curator.
        InputError: The folder cannot be written, or the key is for something else; the last build is untouched.
    """
    with exclusive(folder):
        staging = stage(folder, variant.name)
        manifest = variant.manifest(_write_files(staging.public, variant, source))
        write_manifest(manifest, staging.public)
        # What says that nothing escaped is published, too: written before the search, and again if that finds something.
        _tell(staging.public, variant, manifest, ())
        escapes = scan(staging.public, variant.environment, originals, ledger=variant.ledger)
        if escapes:
            _tell(staging.public, variant, manifest, escapes)
        with reporting_disk(folder):
            sealed = seal(originals.identity_map, originals.key)
            private_file(staging.curator / IDENTITY_MAP).write_bytes(sealed)
            if variant.ledger is not None:
                variant.ledger.write_parquet(private_file(staging.curator / NOISE_LEDGER))
        if escapes:
            kept = refuse_variant(staging)
            raise GateError(refusal(escapes, kept))
        variant.claim_key()
        publish_variant(staging)
    return manifest.files


def scan(
    public: Path, environment: Environment, originals: Originals, *, ledger: pl.DataFrame | None = None
) -> tuple[Escape, ...]:
    """Search a variant's folder for all that identifies a company; the ledger tells how noise renamed columns of codes.

    Raises:
        InputError: A file lacks a column that the environment declares, one that holds codes.
    """
    columns = {path_of(table): columns_of_codes(environment, table, ledger) for table in environment.tables}
    relaid = {} if ledger is None else dict(_relaid(public, environment, ledger))
    columns |= {path: tuple(frame.columns) for path, frame in relaid.items()}
    return find_escapes(
        public,
        originals.identities(environment),
        code_columns={path: names for path, names in columns.items() if names},
        relaid={path: frame.write_csv() for path, frame in relaid.items()},
    )


def columns_of_codes(environment: Environment, table: PublishedTable, ledger: pl.DataFrame | None) -> tuple[str, ...]:
    """Return the columns of a published file that hold codes: those named like a raw column of codes, or `code`."""
    names = {column.name for raw in environment.raw_tables for column in raw.of_role(Role.CODE)} | {"code"}
    return tuple(now for column, now in _headers(table, ledger).items() if column in names)


def _relaid(public: Path, environment: Environment, ledger: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield, of each file in which noise took columns of codes apart or put them into others, these as they stood before."""
    for table in environment.tables:
        codes, file = columns_of_codes(environment, table, None), public / path_of(table)
        if len(columns_of_codes(environment, table, ledger)) < len(codes) and file.is_file():
            own = ledger.filter(pl.col("table") == table.name)
            frame = undo(read_published(file, as_noised(table, own)), of_file(own), table)
            yield path_of(table), frame.select(codes)


def privacy_reports(
    environment: Environment, privacy: Mapping[str, Any], escapes: tuple[Escape, ...]
) -> dict[str, bytes]:
    """Return `privacy.json`, and its page beside it: what attacks and the scan found."""
    report = with_escapes(privacy, escapes)
    page = privacy_page(report, environment=environment.name, title=environment.title)
    return {"privacy.json": report_json(report), "privacy.html": page}


def with_escapes(privacy: Mapping[str, Any], escapes: tuple[Escape, ...]) -> dict[str, Any]:
    """Return the report on privacy with what the scan found."""
    is_passed = privacy["passed"] and not escapes
    return {**privacy, "passed": is_passed, "escapes": [vars(escape) for escape in escapes]}


def refusal(escapes: tuple[Escape, ...], kept: Path) -> str:
    """Say what escaped, and where the refused files are kept."""
    places = "; ".join(f"{e.file} row {e.row} column {e.column!r}: a {e.kind}" for e in escapes[:5])
    return f"{len(escapes)} escape(s) of what identifies a company, so nothing is published: {places}. Kept in {kept}"


def _write_files(public: Path, variant: Variant, source: Source) -> tuple[FileRecord, ...]:
    records = []
    for published in published_files(variant.environment):
        content = None if _is_elsewhere(published, variant) else source(published)
        if isinstance(published, PublishedTable) and isinstance(content, pl.DataFrame):
            noised = published if variant.ledger is None else as_noised(published, variant.ledger)
            records.append(write_table(content, noised, public))
        elif isinstance(published, PublishedDocument) and isinstance(content, str):
            records.append(write_document(content, published, public))
    for name, report in variant.reports.items():
        _write(public / "reports" / name, report)
    return tuple(records)


def _tell(public: Path, variant: Variant, manifest: Manifest, escapes: tuple[Escape, ...]) -> None:
    """Write the reports that say what escaped: those on privacy, and the one of all."""
    page = variant.page(with_escapes(variant.privacy, escapes), manifest)
    reports = privacy_reports(variant.environment, variant.privacy, escapes) | {REPORT: page}
    for name, report in reports.items():
        _write(public / "reports" / name, report)


def _is_elsewhere(published: PublishedTable | PublishedDocument, variant: Variant) -> bool:
    """Say whether the file stands beside the clean database only."""
    return published.folder != "database" and variant.name != CLEAN


def _headers(table: PublishedTable, ledger: pl.DataFrame | None) -> dict[str, str]:
    """Return the table's columns and what they are called in the file; one that noise took apart has no name any more."""
    return {column: column for column in table.columns} if ledger is None else renamed_columns(table, ledger)


def _write(path: Path, content: bytes) -> None:
    with reporting_disk(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
