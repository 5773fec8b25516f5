"""Tables as CSV: UTF-8, commas, line feeds, and the quotes and null of a dialect. Everything is text."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Literal

import polars as pl
from polars.exceptions import PolarsError

from pipeline.errors import InputError
from pipeline.model import Dialect
from pipeline.publish.formats.interface import Format, WrittenAs

_QUOTE_STYLES: Mapping[str, Literal["necessary", "non_numeric", "always"]] = {
    "minimal": "necessary",
    "non_empty": "non_numeric",
    "all": "always",
}
"""Polars' names of the dialects. All columns are text, so `non_numeric` quotes every field but null."""


class Csv(Format):
    """The first format: what a table looks like where nothing else is declared."""

    name, title, suffix, media_type = "csv", "CSV", ".csv", "text/csv"
    has_dialects = is_of_parts = True

    def write(self, blocks: Iterable[pl.DataFrame], written: WrittenAs, file: Path) -> None:
        """Write block after block, the first under the header."""
        with file.open("wb") as opened:
            for number, block in enumerate(blocks):
                write_csv(block, opened, written.dialect, with_header=not number)

    def read(self, file: Path, written: WrittenAs, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Read text, null where the dialect's text for null stands."""
        frame = read_csv(file, null=written.dialect.null)
        return frame if columns is None else frame.select(columns)

    def header(self, file: Path) -> list[str]:
        """Read the first record."""
        with file.open(encoding="utf-8", newline="") as text:
            return next(csv.reader(text), [])


def write_csv(rows: pl.DataFrame, file: BinaryIO, dialect: Dialect, *, with_header: bool = True) -> None:
    """Write text columns as UTF-8 CSV in a dialect."""
    rows.write_csv(file, include_header=with_header, quote_style=_QUOTE_STYLES[dialect.quote], null_value=dialect.null)


def read_csv(file: Path, *, null: str = "") -> pl.DataFrame:
    """Read a CSV file as text columns, null for `null`; raise `InputError` if it is no table."""
    try:
        frame = pl.read_csv(file, infer_schema=False, null_values=null)
        frame.columns = Csv().header(file)  # polars leaves doubled quotes in headers as they are
    except (PolarsError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file} cannot be read as a table; build again") from error
    return frame
