"""The clean tables as they were published, read back from their files: the only truth that tasks know.

Numbers are exact decimals with as many digits as the longest cell of their column; dates are days; all else is text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

import polars as pl

from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.publish.files import read_published
from pipeline.tasks.program.operators import Operand
from pipeline.tasks.program.shapes import UNKNOWN, FigureTable, KnownTables, Value, declared

DIGITS = 38
"""Digits of the longest decimal that polars and DuckDB have."""

ROW_KEY = "\x1frow:"
"""What the name of a hidden column begins with that holds the rows' keys in a table."""


class TypedTables(Protocol):
    """Tables that a program can be run on."""

    @property
    def known(self) -> KnownTables:
        """Return what their columns are."""

    def typed(self, table: str) -> pl.DataFrame:
        """Return a table with its types, and a hidden column with the keys of its rows."""


@dataclass(frozen=True, eq=False)
class Clean:
    """The clean database of a build; a table is read when it is first asked for."""

    environment: Environment
    database: Path
    """The folder of the clean files."""
    measured: Mapping[str, FigureTable] = field(default_factory=dict)
    """Measured tables that the environment's views do not name."""
    _texts: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    _typed: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    _units: dict[tuple[str, Operand], str] = field(default_factory=dict, repr=False)

    @cached_property
    def declared(self) -> KnownTables:
        """Return the tables as they are declared."""
        return declared(self.environment, self.measured)

    @cached_property
    def known(self) -> KnownTables:
        """Return the tables with the digits that their columns have, and the units that stand in them."""
        return KnownTables(_Tables(self), self.declared.measured, self.unit_of)

    def file(self, table: str) -> Path:
        """Return the file of a table."""
        return self.database / self.environment.table(table).path

    def texts(self, table: str) -> pl.DataFrame:
        """Return a table as it stands in its file."""
        if table not in self._texts:
            if not self.file(table).is_file():
                raise InputError(f"{self.file(table)} is not there; build the clean variant first")
            self._texts[table] = read_published(self.file(table), self.environment.table(table))
        return self._texts[table]

    def typed(self, table: str) -> pl.DataFrame:
        """Return a table with its types, and a hidden column with the keys of its rows."""
        if table not in self._typed:
            typed = [as_typed(pl.col(name), value).alias(name) for name, value in self.known.tables[table].items()]
            self._typed[table] = self.texts(table).select(*typed, self._keys(table).alias(ROW_KEY + table))
        return self._typed[table]

    def keyed_texts(self, table: str, keys: Sequence[str], columns: Sequence[str]) -> dict[str, dict[str, str | None]]:
        """Return cells of rows as they stand in a table's file: key of the row -> column -> text."""
        rows = self.texts(table).select(self._keys(table).alias(ROW_KEY), *columns).filter(pl.col(ROW_KEY).is_in(keys))
        return {row.pop(ROW_KEY): row for row in rows.iter_rows(named=True)}

    def _keys(self, table: str) -> pl.Expr:
        key = self.environment.table(table).row_key
        return pl.col(key) if key else pl.int_range(1, pl.len() + 1).cast(pl.String)

    def unit_of(self, table: str, label: Operand) -> str:
        """Return the unit of figures with a label, as it stands beside them or is declared; raise `ValueError` of several."""
        if (table, label) not in self._units:
            self._units[table, label] = self._unit(table, label)
        return self._units[table, label]

    def _unit(self, table: str, label: Operand) -> str:
        measured = self.known.measured[table]
        if not measured.unit:
            return self.declared.unit_of(table, label).replace(UNKNOWN, "")
        rows = self.texts(table).filter(pl.col(measured.label) == str(label))
        units = rows[measured.unit].drop_nulls().unique().sort().to_list()
        if len(units) > 1:
            raise ValueError(f"figures {label!r} of {table} have several units: {', '.join(units)}")
        return units[0] if units else ""

    def value_of(self, table: str, column: str) -> Value:
        """Return the type of a column, with the digits after the point that its cells have; text if one cannot be read."""
        value, cells = self.declared.tables[table][column], self.texts(table)[column]
        if value.kind == "number":
            digits = cells.str.extract(r"\.([0-9]*)$", 1).str.len_bytes().max()
            value = replace(value, scale=int(str(digits or 0)))
        read = pl.select(as_typed(pl.lit(cells), value, strict=False)).to_series()
        return value if read.null_count() == cells.null_count() else Value("text")


class _Tables(dict[str, Mapping[str, Value]]):
    """The types of tables, each looked at when it is first asked for."""

    def __init__(self, clean: Clean) -> None:
        super().__init__(clean.declared.tables)
        self._clean, self._seen = clean, set[str]()

    def __getitem__(self, table: str) -> Mapping[str, Value]:
        if table not in self._seen:
            columns = self._clean.declared.tables[table]
            self[table] = {name: self._clean.value_of(table, name) for name in columns}
            self._seen.add(table)
        return super().__getitem__(table)


def as_typed(cell: pl.Expr, value: Value, *, strict: bool = True) -> pl.Expr:
    """Return a text read as a type; what is not of the type is empty unless `strict`."""
    match value.kind:
        case "number":
            return cell.cast(pl.Decimal(DIGITS, value.scale or 0), strict=strict)
        case "date":
            return cell.str.to_date(value.date_format, strict=strict)
        case _:
            return cell
