"""Conforming: raw files in, typed frames out, checked against the declared contract; all problems of all tables at once.

`reading` turns bytes into text (`csv_layout` finds where a CSV file breaks), `shaping` makes long tables of wide ones,
`headers` finds the declared columns, `cells` parses their text, `checking` finds what breaks the declaration in one table,
`references` in several. `first_look` says of strange files how they are to be declared.
A defect is repaired only if the declaration says how; each repair is counted (`treated`). Nothing is perturbed, replaced or
renamed here.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.conform.checking import RECORD, Checked, check, result
from pipeline.conform.look_alikes import ALIKE, look_alikes
from pipeline.conform.reading import read
from pipeline.conform.references import equal_name_problems, refer, reference_problems
from pipeline.conform.source import PROBLEMS_SHOWN, Source
from pipeline.conform.treated import Treated, together
from pipeline.errors import ContractError, Problem
from pipeline.model import Entities, Frames, Panel, RawTable, Role

csv.field_size_limit(2**31 - 1)  # a text may be long; Python's own limit is 131,072 characters

__all__ = ["ALIKE", "Conformed", "Treated", "conform", "known"]


@dataclass(frozen=True)
class Conformed:
    """The raw tables as their declarations describe them."""

    frames: dict[str, pl.DataFrame]
    """By table: the declared columns in order without the ignored ones, then the completed ones; rows sorted by key."""
    dropped: dict[str, pl.DataFrame]
    """By table: codes, names, aliases and identifiers of dropped rows, because prose of other rows may mention them; and what
    looks like an identifier in dropped columns and in attributes (`ALIKE`)."""
    treated: tuple[Treated, ...]
    """Treatments of the declaration that were applied, for the log and the manifest."""
    absent: tuple[str, ...]
    """Optional tables that have no file."""
    sources: Mapping[str, Source]
    """By table: its text as it was read."""


_NO_FIGURES = Panel()

_LAST_YEAR = 9999
"""Dates have years of four digits."""


def conform(
    tables: Sequence[RawTable],
    directory: Path,
    *,
    kinds: Sequence[Entities] = (),
    panel: Panel = _NO_FIGURES,
    files: Mapping[str, str] | None = None,
) -> Conformed:
    """Read, type and check the raw tables of a folder. The order of their rows does not change the result.

    Args:
        kinds: The kinds of entities. Two of a kind may have one name only if the declaration says what that means.
        panel: The figures. Their years are years of the calendar.
        files: The digests of all raw files when a build began: what is read has to be that.

    Raises:
        ContractError: the tables break their declarations; holds all problems of all tables, sorted.
        InputError: the folder or a file can't be opened or was written meanwhile, or a declaration names what is not declared.
    """
    checked: dict[str, Checked] = {}
    absent: list[str] = []
    problems: list[Problem] = []
    for table in tables:
        try:
            source = read(table, directory, known=files)
        except ContractError as unreadable:
            problems.extend(unreadable.problems)
            continue
        if source is None:
            absent.append(table.name)
        else:
            checked[table.name] = check(source)
    checked = refer(tables, checked)
    problems.extend(problem for each in checked.values() for problem in each.problems)
    problems.extend(reference_problems(tables, checked))
    problems.extend(_of_nobody(kinds, checked))
    problems.extend(_of_no_year(panel, checked))
    problems.extend(problem for kind in kinds for problem in equal_name_problems(kind, checked))
    if problems:
        raise ContractError(problems)
    return Conformed(
        frames={name: result(each) for name, each in checked.items()},
        dropped={name: _dropped(each) for name, each in checked.items()},
        treated=together(treated for each in checked.values() for treated in each.treated),
        absent=tuple(absent),
        sources={name: each.source for name, each in checked.items()},
    )


def known(frames: Frames, dropped: Frames) -> dict[str, pl.DataFrame]:
    """Return conformed tables with the codes and names of dropped rows added, null in all other columns.

    Replacing and searching names need these, because prose about other companies may mention them.
    """
    return {name: pl.concat([frame, dropped[name]], how="diagonal") for name, frame in frames.items()}


def _of_nobody(kinds: Sequence[Entities], checked: Mapping[str, Checked]) -> Iterator[Problem]:
    """Find the table of the main kind of entities if nothing is left of it: there would be nobody to publish anything about."""
    for name in [table for kind in kinds if not kind.kind for table in kind.tables[:1] if table in checked]:
        if checked[name].frame.is_empty() and not checked[name].problems:
            yield checked[name].source.file_problem("", "expected one row at least: the table lists the entities")


def _of_no_year(panel: Panel, checked: Mapping[str, Checked]) -> Iterator[Problem]:
    """Find figures of years that cannot be written with four digits."""
    column = panel.period.column
    for each in (checked[name] for name in panel.tables if name in checked):
        if panel.period.frequency == "year" and column in each.frame.columns:
            wrong = each.frame.filter(~pl.col(column).is_between(1, _LAST_YEAR)).head(PROBLEMS_SHOWN)
            for record, year in wrong.select(RECORD, column).iter_rows():
                yield each.source.cell_problem(record, (column,), str(year), f"a year from 1 to {_LAST_YEAR}")


def _dropped(checked: Checked) -> pl.DataFrame:
    identifying = checked.source.table.of_role(Role.CODE, Role.NAME, Role.ALIAS, Role.IDENTIFIER)
    rows = checked.values.filter(checked.is_dropped).select(column.name for column in identifying)
    alike = look_alikes(checked.source)
    return pl.concat([rows, alike.to_frame()], how="diagonal") if len(alike) else rows
