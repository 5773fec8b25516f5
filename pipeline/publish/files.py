"""Writes published tables and documents into a staged folder, describes the files, and reads tables back.

How a file is spelled belongs to its format (`formats/`), and the content to renderings.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.model import PublishedDocument, PublishedTable
from pipeline.publish.formats import WrittenAs, format_of, format_of_path, refuse_dialect

BYTE_ORDER_MARK = "\ufeff"


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


def write_table(frame: pl.DataFrame, table: PublishedTable, folder: Path) -> FileRecord:
    """Write a rendered table below `folder`, the variant's, in the format of its path, or as the document it belongs to.

    Raises:
        InputError: The frame breaks the contract of `PublishedTable`, its format has no dialects, or the disk is full or
            read-only.
    """
    return write_blocks([frame], table, folder)


def write_blocks(blocks: Iterable[pl.DataFrame], table: PublishedTable, folder: Path, *, above: int = 0) -> FileRecord:
    """Write a table as `write_table` does, given its blocks, at least one, and how many of its rows stand above them."""
    refuse_dialect(table)
    target, sound = folder / table.folder / table.path, _Sound(blocks, table, above)
    with reporting_disk(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        format_of(table).write(sound, WrittenAs(dialect=table.dialect), target)
    if table.document is not None:
        return record_file(target, folder)
    return record_file(target, folder, records=sound.seen - above, columns=len(table.columns))


def drop_header(file: Path, table: PublishedTable) -> None:
    """Take the header from a file of a table whose format is of parts, so that it is a part that follows another."""
    header = file.with_name(f"{file.name}.header")
    format_of(table).write(
        [pl.DataFrame(schema=dict.fromkeys(table.columns, pl.String))], WrittenAs(dialect=table.dialect), header
    )
    file.write_bytes(file.read_bytes()[header.stat().st_size :])
    header.unlink()


def concatenated(parts: Sequence[Path], records: Sequence[FileRecord], folder: Path) -> FileRecord:
    """Write parts of a file one after the other below `folder`, and describe it, given what describes each part alone."""
    target = folder / records[0].path
    with reporting_disk(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            for part in parts:
                with part.open("rb") as content:
                    shutil.copyfileobj(content, file)
    count = sum(record.records or 0 for record in records)
    return record_file(target, folder, records=count, columns=records[0].columns)


def read_published(file: Path, table: PublishedTable) -> pl.DataFrame:
    """Read a published table as it was rendered: text columns, with null for an empty cell.

    Raises:
        InputError: The file is no table, or not the document whose rows the table is.
    """
    return format_of(table).read(file, WrittenAs(dialect=table.dialect))


def read_undeclared(file: Path) -> pl.DataFrame:
    """Read a table of which nothing is declared as text columns, or raise `InputError`."""
    found = format_of_path(file.name)
    if found is None:
        raise InputError(f"{file} cannot be read as a table: its name has the ending of none")
    return found.read(file, WrittenAs())


def write_document(text: str, document: PublishedDocument, folder: Path) -> FileRecord:
    """Write a rendered document below the variant's `folder` as UTF-8, byte for byte; or raise `InputError`."""
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


@dataclass
class _Sound:
    """The blocks of a table, each checked against the contract of `PublishedTable`, and their records counted."""

    blocks: Iterable[pl.DataFrame]
    table: PublishedTable
    seen: int = 0
    """How many records of the table went by, and those above."""

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for block in self.blocks:
            _refuse_wrong_shape(block, self.table)
            _refuse_empty_text(block, self.table, above=self.seen)
            self.seen += block.height
            yield block


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
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    with ThreadPoolExecutor() as threads:
        digests = {str(file.relative_to(path)): of for file, of in zip(files, threads.map(sha256, files), strict=True)}
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest() if files else ""
