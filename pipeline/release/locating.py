"""Sums over the cells of every published column, from which the place of a changed cell follows.

A digest says that a file was changed, and not where. For each column `column_sums.json` has four sums over its cells,
S_k = sum of i**k * h_i for k = 0..3, where i is the number of the record (from 1) and h_i the XXH32 of the cell's text (UTF-8,
seed 0; an empty cell is the empty text). If a cell was changed by d at record i, the sums differ by d * i**k, and D_1 / D_0 is
i. Of two changed cells the records are the roots of a quadratic, as in Peterson's decoding of Reed-Solomon codes (1960). So two
changed cells of a column, and with them two exchanged rows, are found from 16 numbers; of more it is known that they are more.

This is no protection: whoever can write the file can write the sums, too. Digests and signatures protect.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

import polars as pl
from polars_hash import NonCryptographicHashingNameSpace
from pydantic import BaseModel, ConfigDict

from pipeline.publish.files import read_undeclared
from pipeline.release.layout import tables_among
from pipeline.release.reading import read_as

COLUMN_SUMS = "column_sums.json"

_POWERS = range(4)


class OfFile(BaseModel):
    """The sums of one file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: int
    sums: Mapping[str, tuple[int, int, int, int]]
    """By column."""


class ColumnSums(BaseModel):
    """`column_sums.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: Mapping[str, OfFile]
    """By path below the release."""

    def to_bytes(self) -> bytes:
        """Return the sums as JSON."""
        return (self.model_dump_json(indent=1) + "\n").encode()


@dataclass(frozen=True)
class Changed:
    """A cell that is not as it was published."""

    record: int
    """From 1; 0 if more than two cells of the column were changed, so that nobody can say which."""
    column: str
    found: str
    expected: str | None
    """What stood there, if it stands elsewhere in the column as well; else None."""


def column_sums(folder: Path, paths: Sequence[str]) -> ColumnSums:
    """Return the sums of the tables below a folder that are among some paths."""
    return ColumnSums(files={path: sums_of(read_undeclared(folder / path)) for path in sorted(tables_among(paths))})


def read_column_sums(content: bytes) -> ColumnSums:
    """Read the sums of a release, or raise `InputError`."""
    return read_as(ColumnSums.model_validate_json, content, "the sums of columns")


def sums_of(table: pl.DataFrame) -> OfFile:
    """Return the sums of a table of text."""
    record = pl.int_range(1, pl.len() + 1, dtype=pl.Int128)
    sums = {
        name: tuple(
            int(total) for total in table.select((hashed(name) * record**k).sum().alias(str(k)) for k in _POWERS).row(0)
        )
        for name in table.columns
    }
    return OfFile.model_validate({"records": table.height, "sums": sums})


def hashed(column: str) -> pl.Expr:
    """Return the XXH32 of a column's texts as Int128, wide enough for its sums over ten million records."""
    return NonCryptographicHashingNameSpace(pl.col(column).fill_null("")).xxhash32().cast(pl.Int128)


def changed_cells(stated: OfFile, table: pl.DataFrame) -> Iterator[Changed]:
    """Yield the cells that were changed, column by column; a table with other records or columns gives none."""
    if stated.records != table.height or list(stated.sums) != table.columns:
        return
    found = sums_of(table).sums
    for column, sums in stated.sums.items():
        gaps = [one - other for one, other in zip(sums, found[column], strict=True)]
        if any(gaps):
            yield from _of_column(table, column, gaps)


def _of_column(table: pl.DataFrame, column: str, gaps: Sequence[int]) -> Iterator[Changed]:
    records = _records(gaps)
    if not records or not all(0 < record <= table.height for record in records):
        yield Changed(0, column, "", None)
        return
    hashes = table.select(hashed(column)).to_series()
    for record, gap in zip(records, _gaps(records, gaps), strict=True):
        was = table[column].filter(hashes == hashes[record - 1] + gap)
        yield Changed(record, column, table[column][record - 1] or "", (was[0] or "") if was.len() else None)


def _records(gaps: Sequence[int]) -> list[int]:
    """Return the one or two records of which the sums differ so; none if there are more."""
    zeroth, first, second, third = gaps
    determinant = zeroth * second - first * first
    if determinant == 0:
        is_one = bool(zeroth) and first % zeroth == 0 and third * zeroth == second * first
        return [first // zeroth] if is_one else []
    total, rest = divmod(zeroth * third - first * second, determinant)
    product, other_rest = divmod(first * third - second * second, determinant)
    square = total * total - 4 * product
    if rest or other_rest or square <= 0 or isqrt(square) ** 2 != square:
        return []
    return [(total - isqrt(square)) // 2, (total + isqrt(square)) // 2]


def _gaps(records: Sequence[int], gaps: Sequence[int]) -> list[int]:
    """Return by how much the hash of each record differs from what it was."""
    if len(records) == 1:
        return [gaps[0]]
    one, other = records
    of_other = (gaps[1] - one * gaps[0]) // (other - one)
    return [gaps[0] - of_other, of_other]
