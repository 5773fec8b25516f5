"""Tables as Parquet: columns with types. A number that was written as one is read back in its plainest form."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from pipeline.errors import InputError
from pipeline.parquet import ColumnError, columns_and_rows, read_parquet
from pipeline.publish.formats.interface import Format, WrittenAs


class Parquet(Format):
    """What a column is depends on all of its cells, so the table is held whole while it is written."""

    name, title, suffix, media_type = "parquet", "Parquet", ".parquet", "application/vnd.apache.parquet"
    is_text = False

    def write(self, blocks: Iterable[pl.DataFrame], written: WrittenAs, file: Path) -> None:
        """Write each column as its type, or as text where a cell cannot be read so."""
        written.typed(pl.concat(blocks)).write_parquet(file)

    def read(self, file: Path, written: WrittenAs, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Read text; a column must have the type that its cells are written as."""
        stored = _stored(file, columns)
        text = stored.select(_text(each, written) for each in stored.iter_columns())
        for name, expected in written.typed(text).schema.items():
            if name in written.types and stored[name].dtype != expected:
                raise ColumnError(name, f"expected cells of the type {expected}, not {stored[name].dtype}")
        return text

    def header(self, file: Path) -> list[str]:
        """Read what the file says of itself."""
        return columns_and_rows(file)[0]

    def records(self, file: Path) -> int:
        """Read what the file says of itself: a few bytes can stand for very many rows."""
        return columns_and_rows(file)[1]


def _stored(file: Path, columns: Sequence[str] | None) -> pl.DataFrame:
    try:
        return read_parquet(file, columns)
    except ColumnError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as Parquet; build again") from error


def _text(stored: pl.Series, written: WrittenAs) -> pl.Series:
    column = written.types.get(stored.name)
    is_time = column is not None and stored.dtype in (pl.Date, pl.Datetime)
    return stored.dt.to_string(column.date_format) if column and is_time else stored.cast(pl.String)
