"""What a kind says when the rows are such that it cannot keep its word: the first place, and what would be right."""

import polars as pl

from pipeline.errors import InputError, Problem
from pipeline.model import PublishedTable

_HEADER_ROWS = 2
"""A record's line in the file counts from 1 and follows the header."""


def refuse_any(
    rows: pl.DataFrame, table: PublishedTable, column: str, is_wrong: pl.Expr, expected: str, *, above: int = 0
) -> None:
    """Raise `InputError` for the first row in which something is wrong with a column's cell.

    Args:
        rows: Rows as they stand in the table's file.
        column: The column whose cell is shown.
        is_wrong: A Boolean over the rows.
        expected: What would be right, and what to do.
        above: How many rows stand above them in the file.
    """
    wrong = rows.select(is_wrong).to_series().arg_true()
    if len(wrong):
        row = int(wrong[0])
        found = rows[column][row] or ""
        raise InputError(str(Problem(table.path, above + row + _HEADER_ROWS, column, found, expected)))


def refuse_header(table: PublishedTable, header: str, expected: str) -> None:
    """Raise `InputError` because of a column's header."""
    raise InputError(str(Problem(table.path, 1, header, header, expected)))
