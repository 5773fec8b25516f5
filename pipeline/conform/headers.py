"""Finds the declared columns in the header of a raw file. Cells do not belong here."""

import difflib
from collections import Counter
from collections.abc import Iterator

from pipeline.conform.source import Source
from pipeline.conform.treated import Treated
from pipeline.errors import MISSING, Problem
from pipeline.model import Column, Role


def positions(source: Source) -> dict[str, int]:
    """Return the position of each declared column that is there, in declared order (of repeated headers the first)."""
    names = (column.name for column in source.table.columns)
    return {name: source.headers.index(name) for name in names if name in source.headers}


def header_problems(source: Source) -> Iterator[Problem]:
    """Find declared columns that are missing or repeated, and columns that nobody declared."""
    found = positions(source)
    if source.table.columns and not found:
        # In a file without a header row the first record takes its place, and may name a company: its values are not shown.
        yield source.header_problem(
            "", f"expected a header row with the declared columns: {_listed(source.table.columns)}"
        )
        return
    strange = _strange(source)
    for column in source.table.columns:
        if column.required and column.name not in found:
            close = difflib.get_close_matches(column.name, strange, n=1)
            strange = [name for name in strange if name not in close]
            asked = "; is it this one, which is not declared?" if close else ""
            yield source.header_problem(column.name, f"{MISSING}{asked}", value="".join(close))
    for name, count in Counter(source.headers).items():
        if name in found and count > 1:
            yield source.header_problem(name, f"the column is there {count} times; remove all but one")
    for name in dict.fromkeys(strange):
        expected = f"no such column is declared; declared: {_listed(source.table.columns)}"
        yield source.header_problem("", expected, value=name or "(a column without a name)")


def header_treatments(source: Source) -> Iterator[Treated]:
    """Count the dropped columns, by header, and the rows of totals."""
    if source.totals:
        yield Treated(source.table.name, "", "a row of totals", "drop", source.totals)
    dropped = {*source.table.ignored, *(column.name for column in source.table.of_role(Role.IGNORED))}
    for name, count in Counter(source.headers).items():
        if name in dropped:
            yield Treated(source.table.name, name, "ignored column", "ignore", count)


def _strange(source: Source) -> list[str]:
    known = {*source.table.ignored, *(column.name for column in source.table.columns)}
    return [name for name in source.headers if name not in known]


def _listed(columns: tuple[Column, ...]) -> str:
    return ", ".join(repr(column.name) for column in columns)
