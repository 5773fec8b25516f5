"""`tasks/index.html`: the tasks of a set, as people look at them.

Belongs here: what the page is made of, and the evidence of a task: the rows that its answer depends on, with the cells that
noise changed marked; both their texts are published. Of tasks without answers it has the question alone, and counts nothing of
their answers.
"""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import get_args

import polars as pl
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from pipeline.model import Environment
from pipeline.noise.described.examples import around_difference
from pipeline.noise.ledger import SCHEMA
from pipeline.tasks.drawing import Plain
from pipeline.tasks.families import Level
from pipeline.tasks.records import Question, Solved
from pipeline.tasks.running.clean import Clean
from validation.profile.changed import CLIPPED, clipped
from validation.report.html import Cell, Table, render, visible
from validation.report.tasks.effects import TaskNoise, effect_of, rules_table

ROWS, ROWS_OF_MANY, MANY = 12, 6, 100
"""Rows of evidence of a task, the same where there are many tasks, and how many that is: a page stays below 2 MB."""

_LEVELS = get_args(Level)

_compact = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


def tasks_page(
    solved: Iterable[Solved],
    asked: Iterable[Question],
    build: str = "..",
    *,
    clean: Clean,
    noise: TaskNoise | None,
    answerable: int | None = None,
    is_key_public: bool = False,
) -> bytes:
    """Return the page of a set, self-contained and without network.

    Args:
        solved: Tasks with answers.
        asked: Tasks of which the page has the question alone.
        build: The folder of the build or release, from the page: its README leads to everything else.
        clean: The clean tables, whose rows are the evidence.
        noise: What noise does to the tasks with answers, if it was looked at.
        answerable: How many of all can be answered from the noisy tables, as the manifest says; None if that was not tried.
        is_key_public: Whether anybody can draw the set again, and compute all answers.
    """
    tasks = list(solved)
    ledger = noise.ledger if noise else pl.DataFrame(schema=SCHEMA)
    evidence = Evidence(clean, ledger, ROWS if len(tasks) <= MANY else ROWS_OF_MANY)
    effects = {task.id: effect_of(task, noise) for task in tasks} if noise else {}
    page = render(
        "tasks/page.html",
        title=f"Tasks: {clean.environment.title}",
        build=build,
        levels=_LEVELS,
        tasks=tasks,
        others=list(asked),
        ordered=sorted(tasks, key=lambda task: (task.category, _LEVELS.index(task.level), task.id)),
        noise=noise,
        effects=effects,
        answerable=answerable,
        right=Counter(task.category for task in tasks if effects and effects[task.id].is_right),
        rules=rules_table(effects.values(), noise) if noise else None,
        evidence_of=evidence.of,
        statements=_embedded({task.id: task.sql for task in tasks}),
        said=said,
        is_key_public=is_key_public,
        with_impact=with_impact(clean.environment),
    )
    return page.encode()


def with_impact(environment: Environment) -> str:
    """Return the command that also looks at noise; `SPEC` and `DIR` stand for files that only makers of their own have."""
    own = [] if environment.argument == environment.name else ["--noise", "SPEC", "--raw", "DIR"]
    return shlex.join(["silt", "tasks", "make", "--impact", "--environment", environment.argument, *own])


def said(answer: Plain | None) -> str:
    """Return an answer as text."""
    match answer:
        case None:
            return "no answer"
        case list():
            return "; ".join(map(said, answer))
        case bool():
            return str(answer).lower()
        case _:
            return str(answer)


def _embedded(statements: Mapping[str, str]) -> Markup:
    """Return the SQL of tasks as JSON that no text in it can break out of: pieces, and for each task their numbers."""
    split = {name: re.split(r"(\n| WHERE )", sql) for name, sql in statements.items()}
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(chain(*split.values())))}
    tasks = {name: [numbers[piece] for piece in pieces] for name, pieces in split.items()}
    return htmlsafe_json_dumps({"pieces": list(numbers), "tasks": tasks}, dumps=_compact)


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
