"""A raw table as text with the places in its file: the result of reading and the input of checking.

Every problem of a raw table is built here, so that none shows an identifier or lacks its place.
"""

from collections.abc import Iterable
from dataclasses import dataclass

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

    def column(self, position: int | None) -> pl.Series:
        """Return the text of one column, all null for a column that is not there."""
        if position is None:
            return pl.repeat(None, len(self.text), dtype=pl.String, eager=True)
        return self.text.to_series(position)

    def cell_problem(self, record: int, columns: Iterable[str], value: str, expected: str) -> Problem:
        """Return a problem of one record (the first after the header is 0) in one column or in several."""
        names = tuple(columns)
        row = record + HEADER_ROWS + 1
        shown = WITHHELD if value and self._is_identifying(names) else shortened(value)
        return Problem(self.file, row, ", ".join(names), shown, f"expected {expected}{self._line(row)}")

    def header_problem(self, column: str, expected: str, *, value: str = "") -> Problem:
        """Return a problem of the header row."""
        return Problem(self.file, HEADER_ROWS, shortened(column), shortened(value), expected)

    def file_problem(self, column: str, expected: str) -> Problem:
        """Return a problem of a whole file or column."""
        return Problem(self.file, 0, column, "", expected)

    def _is_identifying(self, names: tuple[str, ...]) -> bool:
        return any(column.name in names for column in self.table.of_role(*_IDENTIFYING))

    def _line(self, row: int) -> str:
        line = row if self.lines is None else int(self.lines[row - 1])
        return line_note(row, line)


def line_note(row: int, line: int) -> str:
    """Return a note on which physical line a record stands, if that differs from its row."""
    return "" if line == row else f" (line {line} of the file)"


def shortened(value: str) -> str:
    """Cut a value to `VALUE_SHOWN` characters."""
    return value if len(value) <= VALUE_SHOWN else value[: VALUE_SHOWN - 1] + "…"
