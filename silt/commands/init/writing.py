"""The declaration that `silt init` writes, in Python; and where guesses stand in what it writes."""

import re
from collections.abc import Iterator

from pipeline.guess.declared import Guess
from pipeline.model import Role
from silt.commands.init.python import Writing


def variable(name: str) -> str:
    """Return the name of the environment in its file."""
    plain = re.sub(r"\W+", "_", name).upper()
    return plain if not plain[0].isdigit() else f"TABLES_{plain}"


def guesses(text: str) -> list[int]:
    """Return the lines of a declaration or a noise specification in which a guess waits for a look."""
    return [number for number, line in enumerate(text.splitlines(), 1) if _GUESS.match(line)]


_GUESS = re.compile(r""" *(?:# \?|reason: "\? )""")
"""How a comment of a declaration or a reason of a noise specification begins that has a guess."""


def declaration(guess: Guess, folder: str) -> str:
    """Return the declaration as Python that imports from `silt` alone."""
    names = dict(_constants(guess))
    writing = Writing(guess.notes, names)
    constants = "".join(_constant(guess, writing, names))
    body = _environment(guess, writing)
    used = sorted(writing.used | {"Environment", "as_raw"}, key=lambda name: (name.isupper(), name.lower()))
    parts = [
        f'"""The environment `{guess.name}`, guessed from the tables in {folder}. Look at comments with a question mark."""\n'
    ]
    parts += ["from fractions import Fraction\n"] if "Fraction(" in constants else []
    parts += ["from silt import (\n" + "".join(f"    {name},\n" for name in used) + ")\n"]
    return "\n".join([*parts, constants + body])


def _constants(guess: Guess) -> Iterator[tuple[int, str]]:
    """Yield what is written once, by `id`, with its name; columns that are made of measures are written as such."""
    if guess.panel.tables:
        yield id(guess.panel.measures), "MEASURES"
    for each in guess.events:
        if each.measures:
            yield id(each.measures), f"{variable(each.table)}_MEASURES"
    for table in guess.raw_tables:
        measures = "MEASURES" if table.name in guess.panel.tables else f"{variable(table.name)}_MEASURES"
        columns = [column for column in table.columns if column.role is Role.MEASURE]
        yield from ((id(column), "") for column in columns[1:])
        if columns:
            yield id(columns[0]), f"*(measure.column() for measure in {measures})"


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
    made = f"\n{variable(guess.name)} = as_raw(  # each table with its rows and columns\n"
    return f"{made}    Environment(\n{lines}    )\n)\n"
