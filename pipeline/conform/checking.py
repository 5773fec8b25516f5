"""Checks one raw table, row by row and key by key, and applies the treatments of its declaration.

Takes text with its places; returns typed frames, every problem found, and what was treated. Files and formats belong to
`reading.py`, parsing of cells to `cells.py`, references between tables to `references.py`. Only rows at fault are looped over.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from pipeline.conform import cells
from pipeline.conform.headers import header_problems, header_treatments, positions
from pipeline.conform.source import PROBLEMS_SHOWN, Source
from pipeline.conform.treated import KEY_OF_ANOTHER, Treated
from pipeline.errors import OF_A_KEY, InputError, Problem
from pipeline.keyed import SEPARATOR
from pipeline.model import Column, RawTable, Repeats, Role
from pipeline.model.refused.failing import declared_function

LARGEST_SUM = 2**62
"""Largest sum of a measure's figures without their signs, in quanta: new low digits may double one, and all fit 64 bits."""

RECORD = f"record{SEPARATOR}"
"""Column that carries each record's place through `RawTable.complete`; no header can have this name."""


@dataclass(frozen=True)
class Checked:
    """One raw table, typed and checked."""

    source: Source
    values: pl.DataFrame
    """All records in the order of the file with their place as `RECORD`, after treatment; faulty cells are null."""
    is_faulty: pl.Series
    """Which records have a faulty cell."""
    is_dropped: pl.Series
    """Which records the declaration's treatments drop."""
    missing: frozenset[str]
    """Required columns that are absent."""
    found: tuple[Problem, ...]
    """Problems of header and cells."""
    treated: tuple[Treated, ...]
    frame: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The kept records without faults, completed."""
    found_in_rows: tuple[Problem, ...] = ()
    """Problems of whole rows and keys."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return every problem of the table on its own, references aside."""
        return self.found + self.found_in_rows

    @property
    def kept(self) -> pl.DataFrame:
        """Return all records but the dropped ones."""
        return self.values.filter(~self.is_dropped)

    def without(self, records: pl.Series, *, column: str, cause: str) -> "Checked":
        """Return the table with these records dropped as well; none of them may be dropped already."""
        treated = (Treated(self.source.table.name, column, cause, "drop", len(records)),) if len(records) else ()
        return replace(self, is_dropped=_with(self.is_dropped, records), treated=(*self.treated, *treated))


def check(source: Source) -> Checked:
    """Type and check one table on its own."""
    table, found = source.table, positions(source)
    columns = [
        cells.understand(column, source.column(found.get(column.name)))
        for column in table.columns
        if column.role != Role.IGNORED
    ]
    present = [column for column in columns if column.column.name in found]
    values = pl.DataFrame([column.values.alias(column.column.name) for column in columns]).with_row_index(RECORD)
    nothing = pl.repeat(value=False, n=len(values), eager=True)
    typed = Checked(
        source=source,
        values=values,
        is_faulty=nothing,
        is_dropped=nothing,
        missing=frozenset({column.name for column in table.columns if column.required} - found.keys()),
        found=tuple(header_problems(source)),
        treated=(*header_treatments(source), *(each for column in present for each in _treated(table, column))),
    )
    return completed(_added_up(_judged(typed, present)))


def completed(checked: Checked) -> Checked:
    """Complete the kept records without faults, then check rules and keys, in this order."""
    table = checked.source.table
    sound = checked.values.filter(~checked.is_faulty & ~checked.is_dropped)
    checked = replace(checked, frame=sound, found_in_rows=())
    if table.complete is not None and not checked.missing:
        with declared_function(f"`complete` of the raw table {table.name!r}"):
            frame = table.complete(sound.lazy()).collect()
            checked = replace(checked, frame=frame.select(*sound.columns, pl.exclude(sound.columns)))
    if not checked.missing:
        checked = _ruled(checked)
    is_keyed = checked.missing.isdisjoint(table.key) and set(table.key) <= set(checked.frame.columns)
    return _keyed(checked) if is_keyed or not checked.missing else checked


def result(checked: Checked) -> pl.DataFrame:
    """Return a checked table without problems: declared columns in order, then completed ones, sorted by key."""
    return checked.frame.sort(checked.source.table.key).drop(RECORD)


def problems_of(source: Source, columns: Sequence[str], found: pl.DataFrame) -> Iterator[Problem]:
    """Turn rows of `RECORD`, "value" and "expected" into problems: `PROBLEMS_SHOWN` at most, and one for the others."""
    for record, value, expected in found.head(PROBLEMS_SHOWN).select(RECORD, "value", "expected").iter_rows():
        yield source.cell_problem(record, columns, value or "", expected)
    if len(found) > PROBLEMS_SHOWN:
        yield source.file_problem(
            ", ".join(columns), f"{len(found) - PROBLEMS_SHOWN} more such problems in this column"
        )


def _treated(table: RawTable, column: cells.Cells) -> Iterator[Treated]:
    for cause, treatment, count in cells.treatments(column):
        if count:
            yield Treated(table.name, column.column.name, cause, treatment, count)


def _judged(typed: Checked, present: Iterable[cells.Cells]) -> Checked:
    """Drop the rows that treatments of cells drop, and find faults in the others; each row is counted once."""
    present = list(present)
    for column in present:
        for finding in column.findings:
            if finding.treatment == "drop":
                records = (finding.is_found & ~typed.is_dropped).arg_true()
                typed = typed.without(records, column=column.column.name, cause=finding.cause)
    # Only now, when all drops are known: a fault in a dropped row is no problem.
    found, is_faulty = list(typed.found), typed.is_faulty
    for column in present:
        if not column.findings:
            continue
        at_fault = _faults(column, typed.is_dropped)
        is_faulty = _with(is_faulty, at_fault[RECORD])
        found += problems_of(typed.source, (column.column.name,), at_fault)
    return replace(typed, found=tuple(found), is_faulty=is_faulty)


def _added_up(checked: Checked) -> Checked:
    """Refuse figures whose sums would not fit 64 bits, whatever their low digits become."""
    problems = [
        problem
        for column in checked.source.table.of_role(Role.MEASURE)
        if column.name in checked.values.columns and column.type in ("integer", "decimal")
        for problem in _oversized(checked, column)
    ]
    return replace(checked, found=(*checked.found, *problems))


def _oversized(checked: Checked, column: Column) -> Iterator[Problem]:
    figures = checked.kept.select(RECORD, size=pl.col(column.name).cast(pl.Int128).abs()).drop_nulls()
    if figures.height and int(figures["size"].sum()) > LARGEST_SUM:
        source, largest = checked.source, figures.sort("size", descending=True).head(1).select(RECORD)
        value = source.column(positions(source)[column.name]).gather(largest[RECORD]).alias("value")
        expected = (
            f"a column whose figures sum to at most {LARGEST_SUM:,} times 10**-{column.decimals}; this figure is the largest: "
            "mend it, or declare fewer decimals or a larger unit"
        )
        yield from problems_of(source, (column.name,), largest.with_columns(value, expected=pl.lit(expected)))


def _with(is_meant: pl.Series, records: pl.Series) -> pl.Series:
    # `scatter` changes the series that it is called on.
    return is_meant.clone().scatter(records, True)


def _faults(column: cells.Cells, is_dropped: pl.Series) -> pl.DataFrame:
    """Return the faulty cells in the form that `problems_of` takes."""
    found = [
        (fault.is_found & ~is_dropped).arg_true().to_frame(RECORD).with_columns(expected=pl.lit(fault.expected))
        for fault in cells.faults(column)
    ]
    every = pl.concat([pl.DataFrame(schema={RECORD: pl.UInt32, "expected": pl.String}), *found]).sort(RECORD)
    return every.with_columns(column.raw.gather(every[RECORD]).alias("value"))


def _ruled(checked: Checked) -> Checked:
    source, found = checked.source, positions(checked.source)
    problems: list[Problem] = []
    for rule in source.table.rules:
        with declared_function(f"a rule on column {rule.column!r} of the raw table {source.table.name!r}"):
            broken = checked.frame.filter(~rule.holds().fill_null(value=True)).select(RECORD)
        if rule.treatment == "drop":
            checked = _without_rows(checked, broken[RECORD], column=rule.column, cause=f"not {rule.expected}")
        else:
            value = source.column(found.get(rule.column)).gather(broken[RECORD]).alias("value")
            expected = pl.lit(rule.expected).alias("expected")
            problems += problems_of(source, (rule.column,), broken.with_columns(value, expected))
    return replace(checked, found_in_rows=(*checked.found_in_rows, *problems))


def _keyed(checked: Checked) -> Checked:
    source, key = checked.source, checked.source.table.key
    problems: list[Problem] = []
    for name in key:
        if name not in checked.frame.columns:
            known = [column for column in checked.frame.columns if column != RECORD]
            raise InputError.unknown(f"key column of the raw table {source.table.name!r}", name, known)
        empty = checked.frame.filter(pl.col(name).is_null()).select(RECORD, value=pl.lit(""))
        expected = pl.lit("a value; the column is part of the key")
        problems += problems_of(source, (name,), empty.with_columns(expected=expected))
    repeated = _repeated(checked)
    wrong = repeated.filter("is_error")
    same = [f"{OF_A_KEY}; {source.said(first)} has the same" for first in wrong["first"]]
    problems += problems_of(source, key, wrong.with_columns(expected=pl.Series(same, dtype=pl.String)))
    checked = replace(checked, found_in_rows=(*checked.found_in_rows, *problems))
    dropped = repeated.filter(~pl.col("is_error"))[RECORD]
    return _without_rows(checked, dropped, column=", ".join(key), cause=KEY_OF_ANOTHER)


def _repeated(checked: Checked) -> pl.DataFrame:
    """Return the records that share a key with an earlier one, and whether that is an error or they are dropped."""
    table, keyed = checked.source.table, checked.frame.drop_nulls(checked.source.table.key)
    repeats = table.repeats or Repeats()
    for name in repeats.first_by:
        if name not in keyed.columns:
            raise InputError.unknown(f"column by which a record of {table.name!r} comes first", name, keyed.columns)
    # The place in the file is the last criterion only to make the order definite; it decides only between equal records.
    by = [*repeats.first_by, RECORD]
    descending = [repeats.descending] * len(repeats.first_by) + [False]
    shared = keyed.filter(keyed.select(table.key).is_duplicated())
    ordered = shared.sort(by, descending=descending, nulls_last=True)
    first = pl.col(RECORD).first().over(table.key)
    is_error = (
        pl.lit(value=True)
        if table.repeats is None
        else _is_like_first(table, repeats.first_by)
        & ~_is_like_first(table, [name for name in keyed.columns if name != RECORD])
    )
    found = ordered.select(
        RECORD,
        value=pl.concat_str(pl.col(table.key).cast(pl.String), separator=", "),
        first=first,
        is_error=is_error,
        is_repeated=pl.col(RECORD) != first,
    )
    return found.filter("is_repeated").sort(RECORD)


def _is_like_first(table: RawTable, columns: Sequence[str]) -> pl.Expr:
    """Return, for each record, whether it has the values of the first record with its key."""
    return pl.all_horizontal(
        pl.lit(value=True), *(pl.col(name).eq_missing(pl.col(name).first().over(table.key)) for name in columns)
    )


def _without_rows(checked: Checked, records: pl.Series, *, column: str, cause: str) -> Checked:
    """Drop records from a table that has been completed."""
    frame = checked.frame.filter(~pl.col(RECORD).is_in(records.implode()))
    return replace(checked.without(records, column=column, cause=cause), frame=frame)
