"""Checks one raw table, row by row and key by key, and references between tables.

Takes text with its places, gives typed frames and every problem found. Files and formats belong to `reading.py`, the
grammar of cells to `cells.py`. No row is looped over but those at fault.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.conform import cells
from pipeline.conform.headers import header_problems, header_treatments, positions
from pipeline.conform.source import HEADER_ROWS, PROBLEMS_SHOWN, Source
from pipeline.conform.treatment import Treatment
from pipeline.environment.model import RawTable, Reference, Role
from pipeline.errors import InputError, Problem
from pipeline.keyed import SEPARATOR

RECORD = f"record{SEPARATOR}"
"""Column that carries each record's place through `RawTable.complete`; no header can be called so."""


@dataclass(frozen=True)
class Checked:
    """One raw table, typed and checked."""

    source: Source
    values: pl.DataFrame
    """All records in the order of the file, faulty cells null."""
    frame: pl.DataFrame
    """The records whose cells are without fault, completed."""
    problems: tuple[Problem, ...]
    treatments: tuple[Treatment, ...]


def check(source: Source) -> Checked:
    """Type and check one table."""
    table, found = source.table, positions(source)
    columns = [
        cells.understand(column, source.column(found.get(column.name)))
        for column in table.columns
        if column.role != Role.IGNORED
    ]
    present = [column for column in columns if column.column.name in found]
    faults = {column.column.name: _faults(column) for column in present}
    values = pl.DataFrame([column.values.alias(column.column.name) for column in columns])
    missing = {column.name for column in table.columns if column.required} - found.keys()
    frame = _completed(table, values, faults.values(), is_whole=not missing)
    is_keyed = not missing or (missing.isdisjoint(table.key) and set(table.key) <= set(frame.columns))
    return Checked(
        source=source,
        values=values,
        frame=frame,
        problems=(
            *header_problems(source),
            *(problem for name, at_fault in faults.items() for problem in _problems(source, (name,), at_fault)),
            *(() if missing else _rule_problems(source, frame)),
            *(_key_problems(source, frame) if is_keyed else ()),
        ),
        treatments=(*header_treatments(source), *(each for column in present for each in _treatments(table, column))),
    )


def result(checked: Checked) -> pl.DataFrame:
    """Return the table of a check without problems: declared columns in order, then completed ones, sorted by key."""
    return checked.frame.sort(checked.source.table.key).drop(RECORD)


def reference_problems(tables: Sequence[RawTable], checked: Mapping[str, Checked]) -> Iterator[Problem]:
    """Find values that do not occur where their table's references say. Tables that were not read are left out.

    Raises:
        InputError: a reference names a table or a column that is not declared.
    """
    for table in tables:
        for reference in table.references:
            target = _declared_target(tables, reference)
            if table.name in checked and target.name in checked:
                yield from _unreferenced(checked[table.name], reference, checked[target.name])


# ----------------------------------------------------------------------------------------------------------------------


def _faults(column: cells.Cells) -> pl.DataFrame:
    """Return the cells at fault as `_problems` takes them, the first fault of each."""
    found = [
        fault.is_found.arg_true().to_frame(RECORD).with_columns(expected=pl.lit(fault.expected))
        for fault in cells.faults(column)
    ]
    first = pl.concat(found).unique(RECORD, keep="first", maintain_order=True).sort(RECORD)
    return first.with_columns(column.raw.gather(first[RECORD]).alias("value"))


def _completed(
    table: RawTable, values: pl.DataFrame, faults: Iterable[pl.DataFrame], *, is_whole: bool
) -> pl.DataFrame:
    is_sound = pl.repeat(value=True, n=len(values), eager=True)
    for found in faults:
        is_sound = is_sound.scatter(found[RECORD], False)
    sound = values.with_row_index(RECORD).filter(is_sound)
    if table.complete is None or not is_whole:
        return sound
    completed = table.complete(sound.lazy()).collect()
    return completed.select(*sound.columns, pl.exclude(sound.columns))


def _treatments(table: RawTable, column: cells.Cells) -> Iterator[Treatment]:
    for kind, count in cells.treatments(column):
        if count:
            yield Treatment(table.name, column.column.name, kind, count)


def _rule_problems(source: Source, frame: pl.DataFrame) -> Iterator[Problem]:
    found = positions(source)
    for rule in source.table.rules:
        broken = frame.filter(~rule.holds().fill_null(value=True)).select(RECORD)
        value = source.column(found.get(rule.column)).gather(broken[RECORD]).alias("value")
        yield from _problems(source, (rule.column,), broken.with_columns(value, expected=pl.lit(rule.expected)))


def _key_problems(source: Source, frame: pl.DataFrame) -> Iterator[Problem]:
    key = source.table.key
    for name in key:
        if name not in frame.columns:
            raise InputError.unknown(f"key column of the raw table {source.table.name!r}", name, frame.columns)
        empty = frame.filter(pl.col(name).is_null()).select(RECORD, value=pl.lit(""))
        expected = pl.lit("a value; the column is part of the key")
        yield from _problems(source, (name,), empty.with_columns(expected=expected))
    yield from _problems(source, key, _repeated(frame, key))


def _repeated(frame: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    first = pl.col(RECORD).min().over(key)
    keyed = frame.drop_nulls(key).select(
        RECORD,
        value=pl.concat_str(pl.col(key).cast(pl.String), separator=", "),
        expected=pl.format("a key that no other record has; row {} has the same", first + HEADER_ROWS + 1),
        is_repeated=pl.col(RECORD) != first,
    )
    return keyed.filter("is_repeated").sort(RECORD)


def _declared_target(tables: Sequence[RawTable], reference: Reference) -> RawTable:
    by_name = {table.name: table for table in tables}
    if reference.to_table not in by_name:
        raise InputError.unknown(f"table in the reference of {reference.column!r}", reference.to_table, by_name)
    return by_name[reference.to_table]


def _unreferenced(checked: Checked, reference: Reference, target: Checked) -> Iterator[Problem]:
    for of, name in ((checked, reference.column), (target, reference.to_column)):
        if name not in of.values.columns:
            raise InputError.unknown(f"column in a reference of {checked.source.table.name!r}", name, of.values.columns)
    if reference.to_column not in target.source.headers:
        return
    value = pl.col(reference.column).cast(pl.String)
    known = target.values[reference.to_column].cast(pl.String).unique()
    expected = pl.lit(f"a value of {reference.to_column!r} in {target.source.file}").alias("expected")
    found = checked.values.with_row_index(RECORD).filter(~value.is_in(known.implode()))
    yield from _problems(checked.source, (reference.column,), found.select(RECORD, value.alias("value"), expected))


def _problems(source: Source, columns: Sequence[str], found: pl.DataFrame) -> Iterator[Problem]:
    """Turn rows of `RECORD`, "value" and "expected" into problems, `PROBLEMS_SHOWN` at most and one for the rest."""
    for record, value, expected in found.head(PROBLEMS_SHOWN).select(RECORD, "value", "expected").iter_rows():
        yield source.cell_problem(record, columns, value or "", expected)
    if len(found) > PROBLEMS_SHOWN:
        yield source.file_problem(
            ", ".join(columns), f"{len(found) - PROBLEMS_SHOWN} more such problems in this column"
        )
