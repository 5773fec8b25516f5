"""Writes published tables and documents into a staged folder and describes the files. Renderings make the content."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

import polars as pl

from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.model import Dialect, PublishedDocument, PublishedTable

BYTE_ORDER_MARK = "\ufeff"

_QUOTE_STYLES: Mapping[str, Literal["necessary", "non_numeric", "always"]] = {
    "minimal": "necessary",
    "non_empty": "non_numeric",
    "all": "always",
}
"""Polars' names of the dialects. All columns are text, so `non_numeric` quotes every field but null."""


@dataclass(frozen=True, kw_only=True)
class FileRecord:
    """One published file: its path below the variant's folder (`/` on every system), size, counts and digest.

    `records` and `columns` are None for a file that is not a table.
    """

    path: str
    bytes: int
    records: int | None
    columns: int | None
    sha256: str


@dataclass(kw_only=True)
class TableFile:
    """A published table that is written block after block: as UTF-8 CSV in its dialect. A document's rows are one block."""

    table: PublishedTable
    folder: Path
    """The variant's folder; the file stands below it."""
    records: int = 0
    """How many records are written."""
    _is_begun: bool = False

    def append(self, block: pl.DataFrame) -> None:
        """Write the next rows, at first under the header.

        Raises:
            InputError: The block breaks the contract of `PublishedTable`, or the disk is full or read-only.
        """
        _refuse_wrong_shape(block, self.table)
        _refuse_empty_text(block, self.table, above=self.records)
        with reporting_disk(self.folder):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab" if self._is_begun else "wb") as file:
                self._write(block, file)
        self._is_begun, self.records = True, self.records + block.height

    def record(self) -> FileRecord:
        """Describe the file as it stands."""
        if self.table.document is not None:
            return record_file(self._file, self.folder)
        return record_file(self._file, self.folder, records=self.records, columns=len(self.table.columns))

    @property
    def _file(self) -> Path:
        return self.folder / self.table.folder / self.table.path

    def _write(self, block: pl.DataFrame, file: BinaryIO) -> None:
        if self.table.document is not None:
            file.write(self.table.document.text(block).encode())
            return
        write_csv(block, file, self.table.dialect, with_header=not self._is_begun)


def write_csv(rows: pl.DataFrame, file: BinaryIO, dialect: Dialect, *, with_header: bool = True) -> None:
    """Write text columns as UTF-8 CSV in a dialect."""
    rows.write_csv(file, include_header=with_header, quote_style=_QUOTE_STYLES[dialect.quote], null_value=dialect.null)


def write_table(frame: pl.DataFrame, table: PublishedTable, folder: Path) -> FileRecord:
    """Write a rendered table below `folder`, the variant's: as UTF-8 CSV in its dialect, or as the document it belongs to.

    Raises:
        InputError: The frame breaks the contract of `PublishedTable`, or the disk is full or read-only.
    """
    return write_blocks([frame], table, folder)


def write_blocks(blocks: Iterable[pl.DataFrame], table: PublishedTable, folder: Path) -> FileRecord:
    """Write a table as `write_table` does, given its blocks, at least one; a document has one."""
    file = TableFile(table=table, folder=folder)
    for block in blocks:
        file.append(block)
    return file.record()


def write_document(text: str, document: PublishedDocument, folder: Path) -> FileRecord:
    """Write a rendered document below the variant's `folder` as UTF-8, byte for byte.

    Raises:
        InputError: The disk is full or read-only.
    """
    target = folder / document.folder / document.path
    with reporting_disk(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return record_file(target, folder)


def record_file(file: Path, folder: Path, *, records: int | None = None, columns: int | None = None) -> FileRecord:
    """Describe a file below the variant's `folder` from its bytes."""
    return FileRecord(
        path=file.relative_to(folder).as_posix(),
        bytes=file.stat().st_size,
        records=records,
        columns=columns,
        sha256=sha256(file),
    )


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _refuse_wrong_shape(frame: pl.DataFrame, table: PublishedTable) -> None:
    wanted = pl.Schema(dict.fromkeys(table.columns, pl.String))
    if frame.schema != wanted:
        found = ", ".join(f"{name} ({dtype})" for name, dtype in frame.schema.items())
        raise InputError(
            f"published table {table.name!r}: the rendering gave the columns {found}; "
            f"declared, all text: {', '.join(table.columns)}. Mend the rendering or the declaration."
        )
    if table.columns[0].startswith(BYTE_ORDER_MARK):
        raise InputError(
            f"published table {table.name!r}: the header begins with a byte-order mark, which readers drop; remove it"
        )


def _refuse_empty_text(frame: pl.DataFrame, table: PublishedTable, *, above: int) -> None:
    for column in frame.iter_columns():
        if row := (column == "").arg_true().head(1).to_list():
            raise InputError(
                f"published table {table.name!r}, record {above + row[0] + 1}, column {column.name!r}: found an empty text, "
                "which readers take for null; the rendering must give null"
            )


def digest_of_tree(path: Path) -> str:
    """Return the digest of a file, or of a folder's files and their names; of nothing, the empty text."""
    if path.is_file():
        return sha256(path)
    files = {str(file.relative_to(path)): sha256(file) for file in sorted(path.rglob("*")) if file.is_file()}
    return hashlib.sha256(json.dumps(files).encode()).hexdigest() if files else ""
