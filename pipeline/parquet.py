"""Parquet that somebody else wrote, or may have changed: Arrow reads it, whose reader takes a damaged file for an error.

In polars' reader a single changed byte can end the process, or ask for all memory. So polars reads Silt's own files alone.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from polars.exceptions import PanicException, PolarsError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile


class ColumnError(ValueError):
    """A column of a whole file that cannot be read: its name, and what to do about it."""

    def __init__(self, column: str, expected: str) -> None:
        super().__init__(column, expected)
        self.column, self.expected = column, expected


def read_parquet(source: Path | bytes, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return a table, or some columns of it.

    Raises:
        OSError: The file cannot be opened, or it is damaged.
        ColumnError: A column stands twice, or has a type that polars has not.
        ValueError: The file is damaged, or a column is missing.
    """
    with _opened(source) as file:
        _refuse_columns(file.schema_arrow)
        table = file.read(columns)
        table.validate(full=True)
        names = list(table.column_names if columns is None else columns)
        # NOTE: column by column, for a schema may hold texts that polars cannot read.
        return pl.DataFrame([pl.Series(name, table.column(name)) for name in names])


def columns_and_rows(source: Path | bytes) -> tuple[list[str], int]:
    """Return which columns a table says that it has, and how many rows, reading none; raise as `read_parquet` does."""
    with _opened(source) as file:
        return file.schema_arrow.names, file.metadata.num_rows


def _refuse_columns(schema: "pa.Schema") -> None:
    for name, count in Counter(schema.names).items():
        if count > 1:
            raise ColumnError(name, f"the column is there {count} times; remove all but one")
    for column in schema:
        # NOTE: polars' reader would print a panic, wherever in the type it stands.
        if "decimal256" in str(column.type):
            raise ColumnError(column.name, "expected 38 digits at most; this one is stored in 256 bits")


@contextmanager
def _opened(source: Path | bytes) -> "Iterator[ParquetFile]":
    # Only what reads Parquet loads the library: it takes 30 MB.
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    try:
        with ParquetFile(BytesIO(source) if isinstance(source, bytes) else source) as file:
            yield file
    except (pa.ArrowException, KeyError, PolarsError, PanicException) as error:
        raise ValueError(str(error)) from error
