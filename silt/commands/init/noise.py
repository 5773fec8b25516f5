"""The noise specifications that `silt init` writes, in YAML: kinds for what tables have, so that reading them takes work."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.guess.declared import Guess
from pipeline.model import PERIOD, Column, Environment, PublishedTable, Role

_MOST = 8
"""Columns that one rule names, at most (our choice)."""

_LEFT = 0.5
"""Part of a table's rows that all rules together leave as they are, at most (our choice)."""

_DAYS = ("%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%b %d, %Y", "%Y/%m/%d")


@dataclass(frozen=True)
class _Proposed:
    """A rule for some columns of a table."""

    name: str
    kind: str
    rows: float
    """Part of the rows that it shall touch (our choice)."""
    columns: Sequence[str]
    reason: str
    parameters: str = ""


LEVELS = {"": 1.0, "mild": 0.25, "harsh": 2.5}
"""Level -> how often each rule has its chance at a row, as it were (our choice: mild leaves most rows alone, harsh few)."""


def specification(guess: Guess, environment: Environment, level: str = "") -> str:
    """Return a noise specification to start from: the default one, or one of another level with the same rules."""
    rules = "\n".join(
        _rule(rule, table, LEVELS[level])
        for table in environment.tables
        for rule in _enough([rule for rule in _proposed(environment, table) if rule.columns])
    )
    said = f"A first draft, {level}." if level else "A first draft."
    head = f"environment: {guess.name}\ndescription: {said} `silt noise kinds` lists what else there is.\n"
    return f"{head}rules:\n{rules}" if rules else f"{head}rules: []\n"


def _enough(rules: Sequence[_Proposed]) -> list[_Proposed]:
    """Return the rules with higher rates where they are too few to make work; rows that are loaded twice touch no other."""
    left = sum(math.log1p(-rule.rows) for rule in rules if rule.kind != "duplicate_rows")
    power = max(1.0, math.log(_LEFT) / left) if left else 1.0
    return [replace(rule, rows=1 - (1 - rule.rows) ** power) for rule in rules]


def _proposed(environment: Environment, table: PublishedTable) -> Iterator[_Proposed]:
    figures = _columns(environment, table, Role.MEASURE)
    broken, whole = ([each.name for each in figures if bool(each.decimals) is has] for has in (True, False))
    words = [
        each.name for each in _columns(environment, table, Role.ATTRIBUTE) if each.type == "text" and not each.follows
    ]
    codes = [each.name for each in _columns(environment, table, Role.CODE) if each.name != table.row_key]
    names = [each.name for each in _columns(environment, table, Role.NAME)]
    numbers = [each.name for each in figures]
    yield _Proposed("gaps", "missing_values", 0.1, [*numbers, *words], "? how often, in your data?")
    yield _Proposed("texts for gaps", "sentinels", 0.05, numbers, "? what stands for a gap?", "texts: [N/A, '-']")
    yield _Proposed(
        "decimal commas", "decimal_point", 0.25, broken, "? pasted from another country's sheets?", "style: comma"
    )
    yield _Proposed("whole numbers with .0", "decimal_point", 0.25, whole, "? once floats?", "style: trailing_zero")
    yield _Proposed("blanks after codes", "trailing_blanks", 0.2, codes, "? does what reads them trim?")
    yield _Proposed("blanks around names", "stray_blanks", 0.15, [*names, *words], "? from fixed-width files?")
    yield _Proposed("misspelt words", "latin_typos", 0.1, words, "? kept by hand?")
    for time in _columns(environment, table, Role.TIME, Role.DATE):
        yield _dates(time)
    if numbers and table.row_key:
        yield _Proposed("rows loaded twice", "duplicate_rows", 0.03, [table.row_key], "? is a load repeated?")


def _dates(column: Column) -> _Proposed:
    """Return a rule of dates in other formats, which keep the clock that the format has."""
    day = next((day for day in _DAYS if column.date_format.startswith(day)), "")
    clock = column.date_format.removeprefix(day).replace("T", " ")
    formats = ", ".join(json.dumps(f"{other}{clock}") for other in _DAYS[:4] if other != day)
    parameters = f"format: {json.dumps(column.date_format)}, formats: [{formats}]"
    columns = [column.name] if day else []
    return _Proposed(
        f"other dates in {column.name}", "mixed_date_formats", 0.25, columns, "? several programs?", parameters
    )


def _columns(environment: Environment, table: PublishedTable, *roles: Role) -> list[Column]:
    """Return the published columns of these roles, without the period."""
    raw = environment.raw_table(table.name)
    declared = {column.name: column for column in (*raw.columns, *raw.adds)}
    period = (PERIOD, environment.panel.period.column)
    return [
        declared[name]
        for name in table.columns
        if name in declared and declared[name].role in roles and name not in period
    ]


def _rule(rule: _Proposed, table: PublishedTable, times: float) -> str:
    """Return a rule as YAML: each column has its own draws, so that its rate is lower where there are many."""
    columns = rule.columns[:_MOST]
    listed = f"columns: {json.dumps(columns, ensure_ascii=False)}" if rule.kind != "duplicate_rows" else ""
    parameters = ", ".join(filter(None, (listed, rule.parameters)))
    lines = [
        f"  - name: {json.dumps(f'{rule.name} of {table.name}', ensure_ascii=False)}",
        f"    kind: {rule.kind}",
        f"    tables: [{table.name}]",
        f"    parameters: {{{parameters}}}",
        f"    mechanism: {{type: completely_at_random, rate: {1 - (1 - rule.rows) ** (times / len(columns)):.3f}}}",
        f'    reason: "{rule.reason}"',
    ]
    return "\n".join(lines) + "\n"
