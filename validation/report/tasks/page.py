"""`tasks/index.html`: the tasks of a set, as people look at them.

Belongs here: what the page is made of. Of tasks without answers it has the question alone, and counts nothing of their answers.
"""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain
from typing import get_args

import polars as pl
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from pipeline.model import Environment
from pipeline.noise.ledger import SCHEMA
from pipeline.tasks.drawing import Plain
from pipeline.tasks.families import Level
from pipeline.tasks.records import Question, Solved
from pipeline.tasks.running.clean import Clean
from validation.report.html import render
from validation.report.tasks.effects import TaskNoise, effect_of, rules_table
from validation.report.tasks.evidence import Evidence

ROWS, ROWS_OF_MANY, MANY = 12, 6, 100
"""Rows of evidence of a task, the same where there are many tasks, and how many that is: a page stays below 2 MB."""

_compact = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


def tasks_page(
    solved: Iterable[Solved], asked: Iterable[Question], build: str = "..", *, clean: Clean, noise: TaskNoise | None
) -> bytes:
    """Return the page of a set, self-contained and without network.

    Args:
        solved: Tasks with answers.
        asked: Tasks of which the page has the question alone.
        build: The folder of the build or release, from the page: its README leads to everything else.
        clean: The clean tables, whose rows are the evidence.
        noise: What noise does to the tasks with answers, if it was looked at.
    """
    tasks = list(solved)
    ledger = noise.ledger if noise else pl.DataFrame(schema=SCHEMA)
    evidence = Evidence(clean, ledger, ROWS if len(tasks) <= MANY else ROWS_OF_MANY)
    effects = {task.id: effect_of(task, noise) for task in tasks} if noise else {}
    page = render(
        "tasks/page.html",
        title=f"Tasks: {clean.environment.title}",
        build=build,
        levels=get_args(Level),
        tasks=tasks,
        others=list(asked),
        noise=noise,
        effects=effects,
        right=Counter(task.category for task in tasks if effects and effects[task.id].is_right),
        rules=rules_table(effects.values(), noise) if noise else None,
        evidence_of=evidence.of,
        statements=_embedded({task.id: task.sql for task in tasks}),
        said=said,
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
