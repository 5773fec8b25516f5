"""A raw table as text with the places in its file: the result of reading and the input of checking.

Every problem of a raw table is built here, so that none shows an identifier or lacks its place.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from pipeline.conform.csv_layout import Offsets
from pipeline.errors import WITHHELD, Problem
from pipeline.model import RawTable, Role

PROBLEMS_SHOWN = 100_000
"""Problems of one kind and column that are reported; our choice: more than anyone reads, and they fit into memory."""

VALUE_SHOWN = 40
"""Characters of a value that a problem shows."""

HEADER_ROWS = 1
"""The header is row 1 in the numbering of every format, as a spreadsheet shows it."""

_IDENTIFYING = (Role.CODE, Role.NAME, Role.ALIAS, Role.TEXT, Role.IDENTIFIER)


class CellPlace(NamedTuple):
    """Where a cell stands: its file, its row (the header is row 1), its header, and the physical line of the row."""

    file: str
    row: int
    column: str
    line: int


@dataclass(frozen=True)
class Source:
    """One raw file, read."""

    table: RawTable
    file: str
    headers: tuple[str, ...]
    text: pl.DataFrame
    """String columns named by position ("0", "1", ...), null for an empty cell."""
    lines: Offsets | None = None
    """The physical line of each record, the header first; None if every record is one line."""
    totals: int = 0
    """How many rows of totals were left out."""

    @property
    def as_filed(self) -> "Source":
        """Return it with all cells that its files have, before it was reshaped."""
        return self

    def column(self, position: int | None) -> pl.Series:
        """Return the text of one column, all null for a column that is not there."""
        if position is None:
            return pl.repeat(None, len(self.text), dtype=pl.String, eager=True)
        return self.text.to_series(position)

    def cell_problem(self, record: int, columns: Iterable[str], value: str, expected: str) -> Problem:
        """Return a problem of one record (the first after the header is 0) in one column or in several."""
        names = tuple(columns)
        place = self.place(record, names[0])
        shown = WITHHELD if value and self._is_identifying(names) else shortened(value)
        said = f"expected {expected}{line_note(place.row, place.line)}"
        return Problem(place.file, place.row, ", ".join((place.column, *names[1:])), shown, said)

    def place(self, record: int, column: str) -> CellPlace:
        """Return where a cell of one record stands."""
        row = record + HEADER_ROWS + 1
        return CellPlace(self.file, row, column, row if self.lines is None else int(self.lines[row - 1]))

    def said(self, record: int) -> str:
        """Return in words where a record stands: its row, and its file if there are several."""
        place = self.place(record, self.headers[0])
        return f"row {place.row}" + (f" of {place.file}" if place.file != self.file else "")

    def header_problem(self, column: str, expected: str, *, value: str = "") -> Problem:
        """Return a problem of the header row."""
        return Problem(self.file, HEADER_ROWS, shortened(column), shortened(value), expected)

    def file_problem(self, column: str, expected: str) -> Problem:
        """Return a problem of a whole file or column."""
        return Problem(self.file, 0, column, "", expected)

    def _is_identifying(self, names: tuple[str, ...]) -> bool:
        return any(column.name in names for column in self.table.of_role(*_IDENTIFYING))


def line_note(row: int, line: int) -> str:
    """Return a note on which physical line a record stands, if that differs from its row."""
    return "" if line == row else f" (line {line} of the file)"


def shortened(value: str) -> str:
    """Cut a value to `VALUE_SHOWN` characters."""
    return value if len(value) <= VALUE_SHOWN else value[: VALUE_SHOWN - 1] + "…"
