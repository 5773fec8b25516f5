"""The files that `silt init` writes: a declaration in Python, and a noise specification in YAML."""

import re
from collections.abc import Iterator

from pipeline.guess.declared import Guess
from pipeline.model import PERIOD, Environment, PublishedTable, RawTable, Role
from silt.commands.init.python import Writing

_PAGE = 8
"""Columns that one rule of noise names, at most (our choice)."""


def variable(name: str) -> str:
    """Return the name of the environment in its file."""
    plain = re.sub(r"\W+", "_", name).upper()
    return plain if not plain[0].isdigit() else f"TABLES_{plain}"


def declaration(guess: Guess, folder: str) -> str:
    """Return the declaration as Python that imports from `silt` alone."""
    names = dict(_constants(guess))
    writing = Writing(guess.notes, names)
    constants = "".join(_constant(guess, writing, names))
    body = _environment(guess, writing)
    used = sorted(writing.used | {"Environment", "as_raw"}, key=lambda name: (name.isupper(), name.lower()))
    parts = [
        f'"""The environment `{guess.name}`, guessed from the tables in {folder}: what follows `# ?` wants a look."""\n'
    ]
    parts += ["from fractions import Fraction\n"] if "Fraction(" in constants else []
    parts += ["from silt import (\n" + "".join(f"    {name},\n" for name in used) + ")\n"]
    return "\n".join([*parts, constants + body])


def specification(guess: Guess, environment: Environment) -> str:
    """Return a noise specification to start from."""
    rules = "\n".join(_rules(environment))
    head = f"environment: {guess.name}\ndescription: A first draft. `silt noise kinds` lists what else there is.\n"
    return f"{head}rules:\n{rules}" if rules else f"{head}rules: []\n"


# ----------------------------------------------------------------------------------------------------------------------


def _constants(guess: Guess) -> Iterator[tuple[int, str]]:
    """Yield what is written once, by `id`, with its name; columns that are made of measures are written as such."""
    if guess.panel.tables:
        yield id(guess.panel.measures), "MEASURES"
    for each in guess.events:
        if each.measures:
            yield id(each.measures), f"{variable(each.table)}_MEASURES"
    for table in guess.raw_tables:
        measures = _measures_of(guess, table)
        columns = [column for column in table.columns if column.role is Role.MEASURE]
        yield from ((id(column), "") for column in columns[1:])
        if columns:
            yield id(columns[0]), f"*(measure.column() for measure in {measures})"


def _measures_of(guess: Guess, table: RawTable) -> str:
    return "MEASURES" if table.name in guess.panel.tables else f"{variable(table.name)}_MEASURES"


def _constant(guess: Guess, writing: Writing, names: dict[int, str]) -> Iterator[str]:
    """Yield the measures, each with its name."""
    groups = [guess.panel.measures] if guess.panel.tables else []
    for measures in [*groups, *(each.measures for each in guess.events if each.measures)]:
        name = names.pop(id(measures))
        yield f"{writing.comments(measures, '')}{name} = {writing.source(measures)}\n\n"
        names[id(measures)] = name


def _environment(guess: Guess, writing: Writing) -> str:
    given: list[tuple[str, object]] = [
        ("name", guess.name),
        ("title", guess.name),
        ("raw_tables", guess.raw_tables),
        ("entities", guess.entities),
        ("further", guess.further),
        ("panel", guess.panel if guess.panel.tables else None),
        ("events", guess.events),
        ("aggregates", guess.aggregates),
    ]
    step = " " * 8
    lines = "".join(
        f"{writing.comments(value, step)}{step}{field}={writing.source(value, step)},\n"
        for field, value in given
        if value
    )
    made = f"\n{variable(guess.name)} = as_raw(  # publishes each table in the shape in which it came\n"
    return f"{made}    Environment(\n{lines}    )\n)\n"


def _rules(environment: Environment) -> Iterator[str]:
    for table in environment.tables:
        columns = _may_be_missing(environment, table)[:_PAGE]
        if columns:
            listed = ", ".join(_quoted(column) for column in columns)
            yield _rule(
                f"gaps in {table.name}",
                "missing_values",
                table,
                0.02,
                f"{{columns: [{listed}]}}",
                "? how often, in your data?",
            )
        codes = _codes(environment, table)
        if codes and table.row_key not in codes:
            listed = ", ".join(map(_quoted, codes))
            yield _rule(
                f"blanks after codes of {table.name}",
                "trailing_blanks",
                table,
                0.05,
                f"{{columns: [{listed}]}}",
                "? does what reads them trim?",
            )


def _rule(name: str, kind: str, table: PublishedTable, rate: float, parameters: str, reason: str) -> str:
    lines = [
        f"  - name: {name}",
        f"    kind: {kind}",
        f"    tables: [{table.name}]",
        f"    parameters: {parameters}",
        f"    mechanism: {{type: completely_at_random, rate: {rate}}}",
        f'    reason: "{reason}"',
    ]
    return "\n".join(lines) + "\n"


def _may_be_missing(environment: Environment, table: PublishedTable) -> list[str]:
    """Return the columns of a table that noise may empty: figures and attributes."""
    roles = _roles(environment, table)
    return [
        name
        for name in table.columns
        if roles.get(name) in (Role.MEASURE, Role.ATTRIBUTE) and not _is_period(environment, name)
    ]


def _is_period(environment: Environment, name: str) -> bool:
    return name in (PERIOD, environment.panel.period.column)


def _codes(environment: Environment, table: PublishedTable) -> list[str]:
    return [name for name in table.columns if _roles(environment, table).get(name) is Role.CODE]


def _roles(environment: Environment, table: PublishedTable) -> dict[str, Role]:
    raw = environment.raw_table(table.name)
    return {column.name: column.role for column in (*raw.columns, *raw.adds)}


def _quoted(name: str) -> str:
    return (
        name
        if re.fullmatch(r"[A-Za-z_]\w*", name)
        and name.lower() not in {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}
        else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    )
