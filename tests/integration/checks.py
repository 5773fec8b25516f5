"""What must be true of any build, written independently of the code that makes it true."""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

csv.field_size_limit(2**31 - 1)


def published_bytes(variant: Path) -> dict[str, bytes]:
    """Return every published file of a variant by its path."""
    return {path.relative_to(variant).as_posix(): path.read_bytes() for path in files_of(variant)}


def files_of(folder: Path) -> Iterator[Path]:
    """Return all files below a folder, sorted."""
    return iter(sorted(path for path in folder.rglob("*") if path.is_file()))


def rows_of(file: Path) -> list[dict[str, str]]:
    """Read a published table by the standard library: text, an empty field being the empty string."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def report(variant: Path, name: str) -> dict[str, Any]:
    """Return one of a variant's reports."""
    content: dict[str, Any] = json.loads((variant / "reports" / name).read_text(encoding="utf-8"))
    return content


def apply_by_hand(
    source: Path, ledger: pl.DataFrame, *, names: dict[str, Path], is_undo: bool
) -> dict[str, list[dict[str, str]]]:
    """Return the tables of a variant with a ledger's changes made one by one, in order or backwards: the obvious way."""
    tables = {name: rows_of(source / path) for name, path in names.items()}
    places = {name: {row["id"]: row for row in rows} for name, rows in tables.items()}
    changes = list(ledger.iter_rows(named=True))
    for change in reversed(changes) if is_undo else changes:
        row = places[change["table"]][change["row_key"]]
        found, put = ("after", "before") if is_undo else ("before", "after")
        assert row[change["column"]] == change[found], change["rule"]
        row[change["column"]] = change[put]
    return tables


def escapes(folder: Path, tokens: Iterable[str]) -> list[str]:
    """Return the files of a folder in which any token occurs, anywhere: whole files at once, no windows, no rules."""
    files = list(files_of(folder))
    contents = pl.Series([path.read_text(encoding="utf-8") for path in files])
    return [
        path.name for path, is_there in zip(files, contents.str.contains_any(list(tokens)), strict=True) if is_there
    ]


def cells(folder: Path, columns: set[str]) -> set[str]:
    """Return every cell of the named columns in every CSV file below a folder."""
    return {row[column] for path in folder.rglob("*.csv") for row in rows_of(path) for column in columns & row.keys()}
