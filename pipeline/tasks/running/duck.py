"""Runs statements with DuckDB over views of the published files, all columns text."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from pipeline.tasks.running.clean import Clean
from pipeline.tasks.running.statement import quoted

ALL_DIGITS = 30
"""Digits after the point to which the answer of a statement is read: it has rounded already."""


@dataclass(eq=False)
class DuckViews:
    """A database in memory that reads a table's file when it is first asked for. Nothing else can be reached from it."""

    clean: Clean
    _connection: duckdb.DuckDBPyConnection = field(
        default_factory=lambda: duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": False})
    )
    _there: set[str] = field(default_factory=set)

    def name(self, table: str) -> str:
        """Return the name of a table's view: its file's, without the ending; make it if it is not there."""
        name = self.clean.file(table).stem
        if name not in self._there:
            load(self._connection, name, self.clean.file(table), self.clean.environment.table(table).dialect.null)
            self._there.add(name)
        return name

    def answer(self, statement: str) -> tuple[Any, ...]:
        """Return the one row that a statement gives."""
        row: tuple[Any, ...] | None = self._connection.execute(statement).fetchone()
        return row or ()


def load(connection: duckdb.DuckDBPyConnection, name: str, file: Path | str, null: str) -> None:
    """Load a published file as a table of texts; `null` is what stands in an empty cell."""
    options = "header=true, all_varchar=true, delim=',', quote='\"', escape='\"', nullstr=$null, max_line_size=1e8"
    read = f"CREATE TABLE {quoted(name)} AS SELECT * FROM read_csv($file, {options})"  # noqa: S608  (the name is quoted)
    connection.execute(read, {"file": str(file), "null": null})
