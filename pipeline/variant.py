"""Assembles one variant: files, reports and manifest staged, scanned for escapes, then published or refused.

What goes into the files is decided upstream; how a folder is swapped in belongs to `publish`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.identity_map import seal
from pipeline.environment.model import Environment, PublishedDocument, PublishedTable, Role
from pipeline.errors import GateError
from pipeline.keyed import Key
from pipeline.noise.ledger import as_noised, renamed_columns
from pipeline.publish.disk import reporting_disk
from pipeline.publish.files import FileRecord, write_document, write_table
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import exclusive, publish_variant, refuse_variant, stage
from pipeline.render import path_of, published_files
from validation.escapes import Escape, Identities, find_escapes
from validation.privacy_page import privacy_page
from validation.reports import report_json

NOISY, CLEAN = "noisy", "clean"
VARIANTS = (NOISY, CLEAN)

IDENTITY_MAP, NOISE_LEDGER = "identity_map.enc", "noise_ledger.parquet"
"""Files of the curator."""


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
    ledger: pl.DataFrame | None
    """Changes made by noise; None for a variant without."""


@dataclass(frozen=True, kw_only=True)
class Originals:
    """What the curator knows and no published byte may hold."""

    identity_map: pl.DataFrame
    """`kind, original, pseudonym` of every code, name and alias."""
    identifiers: pl.DataFrame
    """`kind, original` of every other identifier."""
    key: Key


def publish(folder: Path, variant: Variant, source: Source, originals: Originals) -> tuple[FileRecord, ...]:
    """Write a variant, scan it, and swap it in; return what was published.

    Raises:
        GateError: Something that identifies a company stands in a file; the variant is kept with the curator.
        InputError: The folder cannot be written; the last build is untouched.
    """
    with exclusive(folder):
        staging = stage(folder, variant.name)
        records = _write_files(staging.public, variant, source)
        escapes = scan(staging.public, variant.environment, originals, ledger=variant.ledger)
        _write_privacy(staging.public, variant, escapes)
        _write(staging.curator / IDENTITY_MAP, seal(originals.identity_map, originals.key))
        if variant.ledger is not None:
            with reporting_disk(folder):
                variant.ledger.write_parquet(staging.curator / NOISE_LEDGER)
        if escapes:
            kept = refuse_variant(staging)
            raise GateError(_refusal(escapes, kept))
        publish_variant(staging)
    return records


def scan(
    public: Path, environment: Environment, originals: Originals, *, ledger: pl.DataFrame | None = None
) -> tuple[Escape, ...]:
    """Search a variant's folder for all that identifies a company; the ledger tells how noise renamed columns of codes.

    Raises:
        InputError: A file lacks a column that the environment declares, one that holds codes.
    """
    known = pl.concat([originals.identity_map, originals.identifiers], how="diagonal")
    identities = Identities.of_map(known, code_mention=environment.entities.code_mention)
    return find_escapes(public, identities, code_columns=_code_columns(environment, ledger))


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
    write_manifest(variant.manifest(tuple(records)), public)
    return tuple(records)


def _is_elsewhere(published: PublishedTable | PublishedDocument, variant: Variant) -> bool:
    """Say whether the file stands beside the clean database only."""
    return published.folder != "database" and variant.name != CLEAN


def _code_columns(environment: Environment, ledger: pl.DataFrame | None) -> dict[str, tuple[str, ...]]:
    """Return the columns that hold codes by published path: those named like a raw column of codes, or `code`."""
    names = {column.name for table in environment.raw_tables for column in table.of_role(Role.CODE)} | {"code"}
    by_path = {
        path_of(table): tuple(now for column, now in _headers(table, ledger).items() if column in names)
        for table in environment.tables
    }
    return {path: columns for path, columns in by_path.items() if columns}


def _headers(table: PublishedTable, ledger: pl.DataFrame | None) -> dict[str, str]:
    """Return the table's columns and what they are called in the file; one that noise took apart has no name any more."""
    return {column: column for column in table.columns} if ledger is None else renamed_columns(table, ledger)


def _write_privacy(public: Path, variant: Variant, escapes: tuple[Escape, ...]) -> None:
    """Write `privacy.json`, and its page beside it."""
    is_passed = variant.privacy["passed"] and not escapes
    report = {**variant.privacy, "passed": is_passed, "escapes": [vars(escape) for escape in escapes]}
    environment = variant.environment
    page = privacy_page(report, environment=environment.name, title=environment.title)
    _write(public / "reports" / "privacy.json", report_json(report))
    _write(public / "reports" / "privacy.html", page)


def _refusal(escapes: tuple[Escape, ...], kept: Path) -> str:
    places = "; ".join(f"{e.file} row {e.row} column {e.column!r}: a {e.kind}" for e in escapes[:5])
    return f"{len(escapes)} escape(s) of what identifies a company, so nothing is published: {places}. Kept in {kept}"


def _write(path: Path, content: bytes) -> None:
    with reporting_disk(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
