"""The evidence of a task: the rows that its answer depends on, with the cells that noise changed marked.

Belongs here: choosing rows and reading their cells. A cell is shown as it is clean and as it is noisy; both are published.
"""

from collections.abc import Mapping, Sequence

import polars as pl
from markupsafe import Markup

from pipeline.noise.described.examples import around_difference
from pipeline.tasks.records import Solved
from pipeline.tasks.running.clean import Clean
from validation.profile.changed import CLIPPED, clipped
from validation.report.html import Cell, Table, visible

Changed = tuple[str, str, list[str]]
"""Text before and after noise, and the rules that changed it; of a row, text is empty where the row does not stand."""

_UNCHANGED: Changed = ("", "", [])


class Evidence:
    """Finds the rows of tasks, given the clean tables and what noise changed in them."""

    def __init__(self, clean: Clean, ledger: pl.DataFrame, rows: int) -> None:
        """Take at most so many rows of each task, of all its files together."""
        self._clean, self._rows = clean, rows
        tables = (*clean.environment.tables, *clean.environment.noisy_tables())
        self._table_of = {table.path: table.name for table in tables}
        places = ledger.filter(pl.col("row_key") != "").group_by("table", "row_key", "column", maintain_order=True)
        found = places.agg(pl.col("before").first(), pl.col("after").last(), pl.col("rule").unique(maintain_order=True))
        self._changed: dict[tuple[str, str, str], Changed] = {row[:3]: row[3:] for row in found.iter_rows()}

    def of(self, task: Solved) -> list[tuple[Table, int]]:
        """Return files with rows of theirs, those with noise first, and the number of rows that are not shown."""
        files: dict[str, dict[str, list[str]]] = {}
        for cell in task.evidence:
            files.setdefault(cell.file, {}).setdefault(cell.row_key, []).append(cell.column)
        return [self._of_file(file, read, self._rows // len(files)) for file, read in files.items()]

    def _of_file(self, file: str, read: Mapping[str, Sequence[str]], most: int) -> tuple[Table, int]:
        table = self._table_of[file]
        columns = list(dict.fromkeys(column for names in read.values() for column in names))
        keys = sorted(read, key=lambda key: not any((table, key, name) in self._changed for name in (*columns, "")))[
            :most
        ]
        texts = self._clean.keyed_texts(table, keys, columns)
        rows = []
        for key in keys:
            changed = {name: self._changed.get((table, key, name), _UNCHANGED) for name in (*read[key], "")}
            cells = [_cell(texts[key][name], changed[name]) if name in changed else None for name in columns]
            rows.append(
                [key, *cells, "; ".join(_noise(name, *change) for name, change in changed.items() if change[2])]
            )
        return Table(name=file, headings=["row", *columns, "noise"], rows=rows), len(read) - len(rows)


def _cell(text: str | None, changed: Changed) -> Cell:
    if not changed[2]:
        return Cell(clipped(text) or "")
    before, after = map(visible, around_difference(*changed[:2], CLIPPED))
    return Cell(Markup("<del>{}</del> <ins>{}</ins>").format(before, after))


def _noise(column: str, before: str, after: str, rules: Sequence[str]) -> str:
    what = column or ("a row like it was added" if not before else "the row moved" if after else "the row is gone")
    return f"{what}: {', '.join(rules)}"
