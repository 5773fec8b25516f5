"""The naive reader of tasks: it runs a program on the tables as they stand, and parses what can be parsed.

A cell that is no number (or no day of the column's format) is empty to it, and so is a column that is not there. It knows the
program, so what it gets wrong is due to the data alone.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass, field

import polars as pl

from pipeline.tasks.drawing import Draw, Plain, answer_in_json
from pipeline.tasks.program.shapes import KnownTables, Value
from pipeline.tasks.running.arithmetic import NoAnswerError
from pipeline.tasks.running.clean import DIGITS, ROW_KEY
from pipeline.tasks.running.frames import run

_LONGEST = 12
"""Digits after the point that are read: more than any published column has (our choice)."""

_EMPTY = pl.lit(None, pl.String)

_OVERFLOWS = (pl.exceptions.ComputeError, pl.exceptions.InvalidOperationError, OverflowError)
"""What arithmetic on cells raises that noise has made too large for any number type."""


@dataclass(eq=False)
class NaiveTables:
    """Tables with noise, as a program reads them."""

    known: KnownTables
    """The published tables with their types, as they are without noise."""
    texts: Callable[[str], pl.DataFrame]
    """Returns a table as it stands in its file."""
    row_key: Callable[[str], str | None]
    named: Container[str] | None = None
    """What programs name: other columns are left empty, for they would only take memory. None: all are read."""
    _typed: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False)

    def typed(self, table: str) -> pl.DataFrame:
        """Return a table with its types, and a hidden column for the keys of its rows."""
        if table not in self._typed:
            frame, key = self.texts(table), self.row_key(table)
            columns = self.known.tables[table]
            cells = [
                (_parsed(frame, name, value) if self.named is None or name in self.named else _EMPTY).alias(name)
                for name, value in columns.items()
            ]
            keys = pl.col(key) if key in frame.columns else _EMPTY
            self._typed[table] = frame.select(*cells, keys.alias(ROW_KEY + table))
        return self._typed[table]


def naive_answer(draw: Draw, tables: NaiveTables) -> Plain | None:
    """Return what the naive reader answers, rounded as the task asks; None if the program has no answer."""
    try:
        outcome = run(draw.steps, tables, draw.shapes)
    except (NoAnswerError, *_OVERFLOWS):
        return None
    answer = draw.family.answer
    return answer_in_json([outcome.made[name] for name in answer.of], answer.decimals)


def _parsed(frame: pl.DataFrame, name: str, value: Value) -> pl.Expr:
    cell = pl.col(name) if name in frame.columns else _EMPTY
    match value.kind:
        case "number":
            digits = frame.select(cell.str.extract(r"^-?[0-9]+\.([0-9]*)$", 1).str.len_bytes().max()).item()
            scale = max(value.scale or 0, min(digits or 0, _LONGEST))
            return cell.cast(pl.Decimal(DIGITS, scale), strict=False)
        case "date":
            return cell.str.to_date(value.date_format, strict=False)
        case _:
            return cell
