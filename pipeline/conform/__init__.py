"""Conforming: raw files in, typed frames out, against the declared contract; every problem of all tables at once.

`reading` turns bytes into text (`csv_layout` finds where a CSV file breaks), `headers` finds the declared columns, `cells` says
what their text means, `checking` and `equal_names` find what breaks the declaration. Nothing is repaired that a declaration
does not say how to treat, and nothing is perturbed, replaced or renamed here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.conform.checking import Checked, check, reference_problems, result
from pipeline.conform.equal_names import equal_name_problems
from pipeline.conform.reading import read
from pipeline.conform.treatment import Treatment
from pipeline.environment.model import Entities, RawTable
from pipeline.errors import ContractError, Problem

__all__ = ["Conformed", "Treatment", "conform"]


@dataclass(frozen=True)
class Conformed:
    """The raw tables as their declarations describe them."""

    frames: dict[str, pl.DataFrame]
    """By table: declared columns in order without the ignored ones, then the completed ones; rows sorted by key."""
    treatments: tuple[Treatment, ...]
    """What was treated as declared, for the log."""
    absent: tuple[str, ...]
    """Optional tables that have no file."""


def conform(tables: Sequence[RawTable], directory: Path, *, entities: Entities | None = None) -> Conformed:
    """Read, type and check the raw tables of a folder. The order of their rows makes no difference to the result.

    Args:
        tables: What is declared.
        directory: The folder.
        entities: Who is listed; if given, no two may have one name, unless it is declared what that means.

    Raises:
        ContractError: the tables break their declarations; holds all problems of all tables, sorted.
        InputError: the folder or a file can't be opened, or a declaration names what is not declared.
    """
    checked: dict[str, Checked] = {}
    absent: list[str] = []
    problems: list[Problem] = []
    for table in tables:
        try:
            source = read(table, directory)
        except ContractError as unreadable:
            problems.extend(unreadable.problems)
            continue
        if source is None:
            absent.append(table.name)
        else:
            checked[table.name] = check(source)
    problems.extend(problem for each in checked.values() for problem in each.problems)
    problems.extend(reference_problems(tables, checked))
    if entities is not None:
        problems.extend(equal_name_problems(entities, checked))
    if problems:
        raise ContractError(problems)
    return Conformed(
        frames={name: result(each) for name, each in checked.items()},
        treatments=tuple(treatment for each in checked.values() for treatment in each.treatments),
        absent=tuple(absent),
    )
