"""Checks a program before anything runs: that steps and columns exist, and that types and units fit together.

`shapes_of` gives what each step makes, or every problem with its place and its remedy. Slots stand for values of the type that
their columns have. It is asked twice: of a family, whose units may be unknown, and of each task with its slots filled.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import singledispatch

from pipeline.documents.problems import DocumentProblem, Place, one_of, problem
from pipeline.tasks.program import operators
from pipeline.tasks.program.patterns import fault_of
from pipeline.tasks.program.shapes import UNKNOWN, Kind, KnownTables, RowsShape, Shape, Value, ValuesShape, in_order

NUMBER = Value("number", "", 0)
PERCENT = Value("number", "%")
DAYS = Value("number", "days", 0)
POINTS = "percentage points"
"""The unit of a difference of percentages."""

_DATE_FORMAT = re.compile(r"(?:%[Ymd]|[^%0-9A-Za-z])+")
"""Dates in numbers, which polars and DuckDB read alike."""

_OF_TEXTS = ("contains", "holds")
_OF_ORDER = ("above", "below", "at_least", "at_most")


class MisfitError(Exception):
    """What does not fit: the field of the step, what was found and what is allowed."""

    def __init__(self, field: str, found: object, allowed: str) -> None:
        self.field, self.found, self.allowed = field, found, allowed
        super().__init__(allowed)


class Around:
    """What surrounds a step: the shapes of the steps before it, the types of the slots, and the tables."""

    def __init__(self, known: KnownTables, slots: Mapping[str, Kind]) -> None:
        self.known, self.slots = known, slots
        self.shapes: dict[str, Shape] = {}

    def rows(self, field: str, name: str) -> RowsShape:
        """Return the rows of a step."""
        shape = self.shapes[name]
        if not isinstance(shape, RowsShape):
            raise MisfitError(field, name, "a step that gives rows")
        return shape

    def value(self, field: str, operand: operators.Operand, rows: RowsShape | None = None) -> Value:
        """Return the type of an operand; given rows, a plain text is one of their columns."""
        if operators.is_step(operand):
            shape = self.shapes[str(operand)[1:]]
            if not isinstance(shape, Value):
                raise MisfitError(field, operand, "a step that gives one value")
            return shape
        if operators.is_slot(operand):
            return Value(self.slots[str(operand)[1:]])
        if isinstance(operand, str):
            return column(rows, field, operand) if rows else Value("text")
        return NUMBER


def shapes_of(
    steps: operators.Steps, known: KnownTables, slots: Mapping[str, Kind]
) -> tuple[dict[str, Shape], list[DocumentProblem]]:
    """Return the shape of each step in the order of running, and what is wrong; what reads a wrong step has none."""
    problems = list(_strangers(steps, slots))
    if problems:
        return {}, problems
    try:
        order = in_order(steps)
    except ValueError as error:
        return {}, [problem((), str(error), "steps that do not read each other in a cycle; take one of them out")]
    around = Around(known, slots)
    for name in order:
        if all(read in around.shapes for read in operators.read_steps(steps[name])):
            try:
                around.shapes[name] = shape_of(steps[name], around)
            except MisfitError as misfit:
                problems.append(problem((name, *_place(misfit.field)), misfit.found, misfit.allowed))
    return around.shapes, problems


def column(rows: RowsShape, field: str, name: str) -> Value:
    """Return the type of a column."""
    if name not in rows.columns:
        raise MisfitError(field, name, f"a column of these rows: {one_of(rows.columns, name)}")
    return rows.columns[name]


def _place(field: str) -> Place:
    return tuple(int(part) if part.isdecimal() else part for part in field.split("."))


def _strangers(steps: operators.Steps, slots: Mapping[str, Kind]) -> Iterator[DocumentProblem]:
    for name, step in steps.items():
        for read in operators.read_steps(step):
            if read not in steps:
                yield problem((name,), read, f"a step: {one_of(steps, read)}")
        for operand in operators.operands(step):
            if operators.is_slot(operand) and str(operand)[1:] not in slots:
                yield problem((name,), operand, f"a slot: {one_of((operators.SLOT + slot for slot in slots), operand)}")


# --- operators ---------------------------------------------------------------------------------------------------------


@singledispatch
def shape_of(step: operators.Operator, around: Around) -> Shape:
    """Return what a step gives, or raise `MisfitError`."""
    raise NotImplementedError(type(step))


@shape_of.register
def _(step: operators.TableRows, around: Around) -> Shape:
    if step.table not in around.known.tables:
        raise MisfitError("table", step.table, one_of(sorted(around.known.tables), step.table))
    rows = RowsShape(around.known.tables[step.table])
    _check_where(step.where, rows, around)
    return replace(rows, columns={**rows.columns, **_of_label(step, rows, around)})


def _of_label(step: operators.TableRows, rows: RowsShape, around: Around) -> dict[str, Value]:
    """Return the column of figures with its unit, where the rows have one label."""
    measured = around.known.measured.get(step.table)
    labels = [
        where.is_ for where in step.where if measured and where.column == measured.label and where.is_ is not None
    ]
    if not measured or not labels:
        return {}
    return {measured.value: replace(rows.columns[measured.value], unit=around.known.unit_of(step.table, labels[0]))}


@shape_of.register
def _(step: operators.FilterRows, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    _check_where(step.where, rows, around)
    return rows


@shape_of.register
def _(step: operators.Join, around: Around) -> Shape:
    left, right = around.rows("left", step.left), around.rows("right", step.right)
    for mine, other in step.keys.items():
        if column(left, "on", mine).kind != column(right, "on", other).kind:
            raise MisfitError("keys", {mine: other}, "columns of one type on both sides")
    if taken := sorted(set(step.take) & set(left.columns)):
        raise MisfitError("take", taken[0], "a new name: the left rows have this column")
    return RowsShape({**left.columns, **{new: column(right, "take", old) for new, old in step.take.items()}})


@shape_of.register
def _(step: operators.Derive, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    first, second = (around.value(name, getattr(step, name), rows) for name in ("first", "second"))
    return _with(rows, step.into, computed(step.how, first, second))


def _with(rows: RowsShape, into: str, value: Value) -> RowsShape:
    if into in rows.columns:
        raise MisfitError("into", into, "a new name: the rows have this column")
    return RowsShape({**rows.columns, into: value})


@shape_of.register
def _(step: operators.Extract, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    if column(rows, "column", step.column).kind != "text":
        raise MisfitError("column", step.column, "a column of texts")
    if not operators.is_slot(step.pattern) and (allowed := fault_of(str(step.pattern))):
        raise MisfitError("pattern", step.pattern, allowed)
    if step.unit and step.gives != "number":
        raise MisfitError("unit", step.unit, "no unit: only numbers have one")
    if step.gives == "date" and not _DATE_FORMAT.fullmatch(step.date_format):
        raise MisfitError("date_format", step.date_format, "%Y, %m and %d with what stands between them")
    scale = step.decimals if step.gives == "number" else None
    return _with(rows, step.into, Value(step.gives, step.unit, scale, step.date_format))


@shape_of.register
def _(step: operators.DatePart, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    if column(rows, "column", step.column).kind != "date":
        raise MisfitError("column", step.column, "a column of dates; `extract` reads dates from texts")
    return _with(rows, step.into, NUMBER)


@shape_of.register
def _(step: operators.Compute, around: Around) -> Shape:
    return computed(step.how, around.value("first", step.first), around.value("second", step.second))


@shape_of.register
def _(step: operators.AggregateRows, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    groups = {name: column(rows, "by", name) for name in step.by}
    if step.into in groups:
        raise MisfitError("into", step.into, "a new name: the groups have this column")
    value = _statistic(step, rows)
    return RowsShape({**groups, step.into: value}) if step.by else value


def _statistic(step: operators.AggregateRows, rows: RowsShape) -> Value:
    if step.column is None and step.statistic != "count":
        raise MisfitError("column", step.column, f"a column, of which to take the {step.statistic}")
    if step.column is None or step.statistic in operators.COUNTS:
        if step.column is not None:
            column(rows, "column", step.column)
        return NUMBER
    of = column(rows, "column", step.column)
    if of.kind != "number":
        raise MisfitError("column", step.column, f"a column of numbers; this one holds {of.kind}s")
    return of if step.statistic in operators.EXACT else replace(of, scale=None)


@shape_of.register
def _(step: operators.Rank, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    if column(rows, "column", step.column).kind not in ("number", "date"):
        raise MisfitError("column", step.column, "a column of numbers or dates")
    if around.value("top", step.top).kind != "number":
        raise MisfitError("top", step.top, "a number of rows")
    return replace(rows, is_ranked=True)


@shape_of.register
def _(step: operators.LookupCell, around: Around) -> Shape:
    return column(around.rows("of", step.of), "column", step.column)


@shape_of.register
def _(step: operators.Listing, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    return ValuesShape(column(rows, "column", step.column), rows.is_ranked)


@shape_of.register
def _(step: operators.Compare, around: Around) -> Shape:
    first, second = around.value("first", step.first), around.value("second", step.second)
    _check_alike("second", second, first, has_unit=operators.is_step(step.first) and operators.is_step(step.second))
    if len(step.labels) not in (0, 2):
        raise MisfitError("labels", list(step.labels), "two labels, or none")
    return Value("text") if step.labels else Value("yes or no")


@shape_of.register
def _(step: operators.Decide, around: Around) -> Shape:
    rows = around.rows("of", step.of)
    for index, criterion in enumerate(step.criteria):
        if column(rows, f"criteria.{index}.column", criterion.column).kind != "number":
            raise MisfitError(f"criteria.{index}.column", criterion.column, "a column of numbers")
        if around.value(f"criteria.{index}.weight", criterion.weight).kind != "number":
            raise MisfitError(f"criteria.{index}.weight", criterion.weight, "a number")
    return _with(rows, step.into, Value("number"))


@shape_of.register
def _(step: operators.Constant, around: Around) -> Shape:
    return replace(around.value("value", step.value), unit=step.unit)


# --- arithmetic --------------------------------------------------------------------------------------------------------


def computed(how: operators.How, first: Value, second: Value) -> Value:
    """Return the type of a result, or raise `MisfitError` if types or units do not fit."""
    if how == "difference" and first.kind == second.kind == "date":
        return DAYS
    for field, value in (("first", first), ("second", second)):
        if value.kind != "number":
            raise MisfitError(field, value.kind, "a number")
    return _RULES[how](first, second)


def _same_units(first: Value, second: Value) -> Value:
    if not _is_one_unit(first, second):
        raise MisfitError("second", second.unit or "no unit", f"the unit of `first`: {first.unit or 'no unit'}")
    exact = first.scale is not None and second.scale is not None
    return replace(first, scale=max(first.scale or 0, second.scale or 0) if exact else None)


def _difference(first: Value, second: Value) -> Value:
    result = _same_units(first, second)
    return replace(result, unit=POINTS) if result.unit == PERCENT.unit else result


def _ratio(first: Value, second: Value) -> Value:
    unit = "" if _is_one_unit(first, second) else f"{first.unit}/{second.unit}" if second.unit else first.unit
    return Value("number", unit)


def _is_one_unit(first: Value, second: Value) -> bool:
    return first.unit == second.unit or UNKNOWN in (first.unit, second.unit)


def _pure(first: Value, second: Value) -> Value:
    if second.unit not in ("", "%", UNKNOWN):
        raise MisfitError("second", second.unit, "a number without a unit")
    return replace(first, scale=None)


def _percent(first: Value, second: Value) -> Value:
    _same_units(first, second)
    return PERCENT


_RULES: Mapping[operators.How, Callable[[Value, Value], Value]] = {
    "ratio": _ratio,
    "percent": _percent,
    "growth": _percent,
    "difference": _difference,
    "sum": _same_units,
    "scaled": _pure,
    "changed": _pure,
}


def _check_where(conditions: tuple[operators.Where, ...], rows: RowsShape, around: Around) -> None:
    for index, where in enumerate(conditions):
        field = f"where.{index}"
        of = column(rows, f"{field}.column", where.column)
        name, given = where.test
        if name in _OF_TEXTS and of.kind != "text":
            raise MisfitError(f"{field}.{name}", where.column, "a column of texts")
        if name in _OF_ORDER and of.kind == "text":
            raise MisfitError(f"{field}.{name}", where.column, "a column of numbers or dates")
        if (name == "holds") != bool(where.separator):
            raise MisfitError(
                f"{field}.separator", where.separator, "what divides the list of `holds`, and nothing elsewhere"
            )
        for operand in given if name != "filled" else ():
            _check_alike(f"{field}.{name}", around.value(field, operand), of, has_unit=operators.is_step(operand))
            if of.kind == "date" and not _is_day(operand):
                raise MisfitError(f"{field}.{name}", operand, "a day as YYYY-MM-DD")


def _check_alike(field: str, found: Value, of: Value, *, has_unit: bool) -> None:
    """Refuse another type, but a date may be written as text; and of two figures, another unit."""
    kinds = {of.kind, "text"} if of.kind == "date" else {of.kind}
    if found.kind not in kinds:
        raise MisfitError(field, found.kind, f"a {of.kind}")
    if has_unit and not _is_one_unit(found, of):
        raise MisfitError(field, found.unit or "no unit", f"the unit {of.unit or '(none)'}")


def _is_day(operand: operators.Operand) -> bool:
    """Say whether a text is a day; a slot, or a text with slots in it, is looked at when they are filled."""
    text = str(operand)
    if operators.is_step(text) or operators.is_slot(text) or "{" in text:
        return True
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
