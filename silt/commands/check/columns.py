"""What `silt check` says of each raw column: what it is taken for, what a build does to it, and some of its cells.

The cells are the originals': they are for the curator's terminal, and for nothing that is kept.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from anonymize.policy import Policy
from anonymize.tables import FIGURES
from anonymize.treatments import origins_in_words, worked_out_again
from pipeline.conform.cells import plain_numbers
from pipeline.conform.files.listing import files_of, is_raw, names_in, whole_of
from pipeline.conform.reading import read
from pipeline.conform.source import Source, shortened
from pipeline.model import PERIOD, Column, Environment, Origin, RawTable, Role
from pipeline.model.periods import WithPeriod
from pipeline.model.treatments import Treatment, treatments
from pipeline.wording import counted

_CELLS = 3

_HAPPENS = {
    Role.CODE: "a pseudonym: an invented code",
    Role.NAME: "a pseudonym: an invented name",
    Role.ALIAS: "a pseudonym: an invented name",
    Role.TEXT: "kept, with names and codes in it replaced",
    Role.DATE: "another day of its year",
    Role.TIME: "moved by whole weeks",
    Role.NUMBER: "a pseudonym: numbered anew",
    Role.ATTRIBUTE: "kept as it is",
}
"""What `lsd` does to the columns of a role, and every policy to codes, names and numbers; what is kept is attacked."""


class ColumnInWords(NamedTuple):
    """A column of a raw file, or a file that no table declares, which has none."""

    table: str
    column: str | None
    said: str
    """What it is taken for, and what a build does to it."""
    cells: str = ""
    """Some of its cells, in parentheses."""

    def __str__(self) -> str:
        """Return its line."""
        place = self.table if self.column is None else f"{self.table}.{self.column}"
        return f"{place}: {self.said}{self.cells}"


def together(columns: Iterable[ColumnInWords]) -> Iterator[str]:
    """Yield the lines of a list for a person: columns of one table of which the same is said share one."""
    for table, of_table in groupby(columns, key=lambda each: each.table):
        alike: dict[str, list[ColumnInWords]] = {}
        for each in of_table:
            alike.setdefault(each.said, []).append(each)
        for said, some in alike.items():
            names = ", ".join(f"{each.column}{each.cells}" for each in some)
            yield f"columns    {table}: {names}: {said}" if some[1:] else f"column     {some[0]}"


def described(environment: Environment, raw: Path, *, policy: Policy, with_cells: bool) -> Iterator[ColumnInWords]:
    """Yield each column of each raw file, and each file that no table declares."""
    sampled = origins_in_words(environment, policy) if policy.samples_records else {}
    left_out: set[tuple[str, str]] = set()
    for table in environment.raw_tables:
        source = read(table, raw)
        if source is None:
            continue
        decided, declared = treatments(environment, table), {column.name: column for column in table.columns}
        others = {each.name for other in environment.raw_tables if other.file == table.file for each in other.columns}
        for place, header in enumerate(source.headers):
            column = declared.get(header)
            if not column and (header in others or (table.file, header) in left_out):
                continue
            if not column:
                left_out.add((table.file, header))
            said = _said(environment, table, column, decided, sampled) if column else "left out -> not published"
            shown = _shown(source, place, column) if with_cells else ""
            yield ColumnInWords(table.name, header, said, shown)
    listed = {whole_of(file) for table in environment.raw_tables for file in files_of(table, raw)}
    for name in dict.fromkeys(whole_of(file) for file in names_in(raw) if is_raw(file)):
        if name not in listed and not name.endswith(".json"):
            yield ColumnInWords(name, None, "declared by no table -> not published")


def _shown(source: Source, place: int, column: Column | None) -> str:
    """Return some cells with what is read of them, and where the first stands if its header or file is called otherwise."""
    text = source.column(place)
    records = text.drop_nulls().unique(maintain_order=True).head(_CELLS)
    if not len(records):
        return ""
    read = plain_numbers(records, column.numerals) if column and column.type in ("integer", "decimal") else records
    cells = [
        shortened(cell) + (f" -> {shortened(plain)}" if plain != cell else "")
        for cell, plain in zip(records, read, strict=True)
    ]
    first = source.place(text.is_not_null().arg_max() or 0, source.headers[place])
    is_elsewhere = (first.file, first.column) != (source.file, source.headers[place])
    cells[0] += f" from {first.column!r} in row {first.row} of {first.file}" if is_elsewhere else ""
    return f" (as in {', '.join(cells)})"


def _said(
    environment: Environment,
    table: RawTable,
    column: Column,
    decided: Mapping[str, Treatment],
    sampled: Mapping[Origin, str],
) -> str:
    if isinstance(table.complete, WithPeriod) and column.name == table.complete.column:
        return f"{column.type} -> published as {', '.join(each.name for each in table.adds)}"
    if decided.get(column.name, Treatment.WITHHELD) is Treatment.WITHHELD:
        return f"{column.role}, {column.type} -> not published"
    if column.follows:
        return f"part of {column.follows!r} -> written as {column.date_format} from the published time"
    is_figure, of = (
        column.role is Role.MEASURE,
        f" of {column.of or 'the main kind'}" if column.role is Role.CODE else "",
    )
    taken_for = ", ".join(dict.fromkeys([f"{column.role}{of}", column.type]))  # a text is of the type text
    what = f"figure, {column.unit or 'no unit'}" if is_figure else taken_for
    if sampled and decided[column.name] is not Treatment.PSEUDONYM:
        return f"{what} -> {_drawn(environment, table, column, sampled)}"
    return f"{what} -> {_becomes(environment, table, column.name) if is_figure else _HAPPENS[column.role]}"


def _drawn(environment: Environment, table: RawTable, column: Column, sampled: Mapping[Origin, str]) -> str:
    """Say what a policy that samples records does to a column."""
    if table.name in environment.panel.tables:
        return sampled[FIGURES, PERIOD if column.name == environment.panel.period.column else column.name]
    said, declared = sampled[table.name, column.name], environment.quasi_identifiers
    known = {name for item in (declared.dealt if declared else ()) if item.known for name in item.columns}
    is_rare_blank = said.startswith("drawn anew") and column.name not in known
    return f"{said}, blank where too few share a value" if is_rare_blank else said


def _becomes(environment: Environment, table: RawTable, name: str) -> str:
    """Say what happens to a figure: it is worked out again from others, or some of its digits are drawn."""
    events = next((each for each in environment.events if each.table == table.name), None)
    figures = events or environment.panel
    if again := worked_out_again(figures).get(name):
        return again
    kept = figures.measure(name).significant_digits
    if not kept:
        return "all digits are drawn, sign and length stay (of a scale of 1 to 5 comes 1 to 9)"
    panel, alone = environment.panel, ""
    if not events and panel.may_stay is not None:
        moved = ", unless no other record of its period has it: then it moves by one unit"
        alone = moved if panel.moves(name) else "; may stay as it was, as declared"
    return f"keeps {counted(kept, 'leading digit')}, the others are drawn; a shorter figure stays{alone}"
