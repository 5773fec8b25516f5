"""Runs statements with DuckDB over views of the published files, all columns text."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import duckdb

from pipeline.tasks.running.clean import Clean
from pipeline.tasks.running.statement import quoted

ALL_DIGITS = 30
"""Digits after the point to which the answer of a statement is read: it has rounded already."""

MEMORY = "256MB"
"""What DuckDB may keep of its tables in memory; the rest lies in its file."""


@dataclass(eq=False)
class DuckViews:
    """A database of its own, in a file that goes with it: it reads a table's file when it is first asked for."""

    clean: Clean
    _there: set[str] = field(default_factory=set)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        folder = mkdtemp(prefix="silt-tasks-")
        finalize(self, rmtree, folder, ignore_errors=True)
        config: dict[str, Any] = {"threads": 1, "autoinstall_known_extensions": False, "memory_limit": MEMORY}
        return duckdb.connect(Path(folder, "tables.duckdb"), config=config)

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
