"""Writes a program as one SQL statement for DuckDB: the second evaluator, which shares nothing with the first but the program.

Views are named as the files are and have text columns alone. Each step is a common table expression of its name; a single value
is one row with the column `value`. Sums, extremes and differences are exact decimals, all else doubles.
"""

from collections.abc import Callable, Mapping
from functools import singledispatchmethod

from pipeline.tasks.program import operators
from pipeline.tasks.program.shapes import KnownTables, RowsShape, Shape, Value, ValuesShape, in_order
from pipeline.tasks.running.clean import DIGITS

POSITION = "position in the ranking"
"""The hidden column that keeps the order of ranked rows."""


def statement(
    steps: operators.Steps,
    answers: Mapping[str, int],
    known: KnownTables,
    shapes: Mapping[str, Shape],
    view: Callable[[str], str],
) -> str:
    """Return the statement that gives one row: a column for each step of the answer.

    Args:
        steps: The program, its slots filled.
        answers: Steps that are the answer -> digits after the point to which a number is rounded.
        view: Returns the name of the view of a table.
    """
    writing = _Writing(known, shapes, view)
    parts = [f"{quoted(name)} AS (\n  {writing.step(name, steps[name])}\n)" for name in in_order(steps)]
    final = ", ".join(_answer(name, shapes[name], digits) for name, digits in answers.items())
    return f"WITH {', '.join(parts)}\nSELECT {final}"


def quoted(name: str) -> str:
    """Return a name as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'


def _answer(name: str, shape: Shape, digits: int) -> str:
    value = f"(SELECT value FROM {quoted(name)})"  # noqa: S608  (the name is quoted)
    if not isinstance(shape, Value) or shape.kind != "number":
        return value
    if shape.scale is None:
        return f"round(CAST({value} AS DOUBLE), {digits})"
    return f"round(CAST({value} AS {_decimal(shape.scale)}), {digits})" if shape.scale > digits else value


def _decimal(scale: int) -> str:
    return f"DECIMAL({DIGITS}, {scale})"


class _Writing:
    def __init__(self, known: KnownTables, shapes: Mapping[str, Shape], view: Callable[[str], str]) -> None:
        self.known, self.shapes, self.view, self.name = known, shapes, view, ""

    def step(self, name: str, step: operators.Operator) -> str:
        self.name = name
        return self.written(step)

    def columns(self, step: str) -> Mapping[str, Value]:
        shape = self.shapes[step]
        return shape.columns if isinstance(shape, RowsShape) else {}

    def operand(self, operand: operators.Operand, *, like: str = "") -> str:
        """Return an operand as SQL; a literal as the type of a column."""
        if operators.is_step(operand):
            return f"(SELECT value FROM {quoted(str(operand)[1:])})"  # noqa: S608  (names are quoted)
        if isinstance(operand, str):
            text = "'" + operand.replace("'", "''") + "'"
            return f"CAST({text} AS DATE)" if like == "date" else text
        return str(operand)

    @singledispatchmethod
    def written(self, step: operators.Operator) -> str:
        raise NotImplementedError(type(step))

    @written.register
    def _(self, step: operators.TableRows) -> str:
        columns = self.known.tables[step.table]
        cells = ", ".join(f"{_typed(quoted(name), value)} AS {quoted(name)}" for name, value in columns.items())
        rows = f"SELECT {cells} FROM {quoted(self.view(step.table))}"  # noqa: S608  (names are quoted)
        return f"SELECT * FROM ({rows}){self.conditions(step.where, columns)}" if step.where else rows  # noqa: S608

    @written.register
    def _(self, step: operators.FilterRows) -> str:
        return f"SELECT * FROM {quoted(step.of)}{self.conditions(step.where, self.columns(step.of))}"  # noqa: S608

    def conditions(self, conditions: tuple[operators.Where, ...], columns: Mapping[str, Value]) -> str:
        return " WHERE " + " AND ".join(self.condition(where, columns[where.column].kind) for where in conditions)

    def condition(self, where: operators.Where, kind: str) -> str:
        cell, (test, given) = quoted(where.column), where.test
        if test == "filled":
            return f"{cell} IS NOT NULL"
        limits = [self.operand(each, like=kind) for each in given]
        match test:
            case "in":
                return f"{cell} IN ({', '.join(limits)})"
            case "contains":
                return f"contains({cell}, {limits[0]})"
            case "holds":
                parts = f"string_split({cell}, {self.operand(where.separator)})"
                return f"list_contains(list_transform({parts}, lambda part: trim(part)), {limits[0]})"
            case _:
                return f"{cell} {_SIGNS[test]} {limits[0]}"

    @written.register
    def _(self, step: operators.Join) -> str:
        on = " AND ".join(f"l.{quoted(mine)} = r.{quoted(other)}" for mine, other in step.keys.items())
        taken = "".join(f", r.{quoted(old)} AS {quoted(new)}" for new, old in step.take.items())
        return f"SELECT l.*{taken} FROM {quoted(step.left)} l JOIN {quoted(step.right)} r ON {on}"  # noqa: S608

    @written.register
    def _(self, step: operators.Derive) -> str:
        shape = self.shapes[self.name]
        assert isinstance(shape, RowsShape)  # noqa: S101  (shapes were checked)
        columns = self.columns(step.of)
        first, second = self.figure(step.first, columns), self.figure(step.second, columns)
        return self.added(step, _arithmetic(step.how, first, second, shape.columns[step.into]))

    def figure(self, operand: operators.Operand, columns: Mapping[str, Value]) -> str:
        """Return an operand of arithmetic as SQL; a text that is no step is a column, and a date the number of its day."""
        if not isinstance(operand, str):
            return str(operand)
        of = self.shapes[operand[1:]] if operators.is_step(operand) else columns[operand]
        cell = self.operand(operand) if operators.is_step(operand) else quoted(operand)
        return f"date_diff('day', DATE '1970-01-01', {cell})" if isinstance(of, Value) and of.kind == "date" else cell

    def added(self, step: operators.Derive | operators.Extract | operators.DatePart, cell: str) -> str:
        """Return the rows of a step with a new column."""
        return f"SELECT *, {cell} AS {quoted(step.into)} FROM {quoted(step.of)}"  # noqa: S608  (names are quoted)

    @written.register
    def _(self, step: operators.Extract) -> str:
        shape = self.shapes[self.name]
        assert isinstance(shape, RowsShape)  # noqa: S101  (shapes were checked)
        taken = f"nullif(regexp_extract({quoted(step.column)}, {self.operand(step.pattern)}, 1), '')"
        return self.added(step, _typed(taken, shape.columns[step.into]))

    @written.register
    def _(self, step: operators.DatePart) -> str:
        return self.added(step, f"CAST({step.part}({quoted(step.column)}) AS {_decimal(0)})")

    @written.register
    def _(self, step: operators.Compute) -> str:
        shape = self.shapes[self.name]
        assert isinstance(shape, Value)  # noqa: S101  (shapes were checked)
        return (
            f"SELECT {_arithmetic(step.how, self.figure(step.first, {}), self.figure(step.second, {}), shape)} AS value"
        )

    @written.register
    def _(self, step: operators.AggregateRows) -> str:
        cell = quoted(step.column) if step.column else None
        value = _STATISTICS[step.statistic].format(cell or "*")
        if not step.by:
            return f"SELECT {value} AS value FROM {quoted(step.of)}"  # noqa: S608
        by = ", ".join(map(quoted, step.by))
        there = " AND ".join(f"{each} IS NOT NULL" for each in [*map(quoted, step.by), *([cell] if cell else [])])
        return f"SELECT {by}, {value} AS {quoted(step.into)} FROM {quoted(step.of)} WHERE {there} GROUP BY {by}"  # noqa: S608

    @written.register
    def _(self, step: operators.Rank) -> str:
        by = f"{quoted(step.column)} {'DESC' if step.order == 'highest' else 'ASC'}"
        there = f"FROM {quoted(step.of)} WHERE {quoted(step.column)} IS NOT NULL"
        shape = self.shapes[step.of]
        is_ranked = isinstance(shape, RowsShape) and shape.is_ranked
        every = f"* EXCLUDE ({quoted(POSITION)})" if is_ranked else "*"
        order = f"row_number() OVER (ORDER BY {by}) AS {quoted(POSITION)}"
        return f"SELECT {every}, {order} {there} QUALIFY {quoted(POSITION)} <= {self.operand(step.top)}"

    @written.register
    def _(self, step: operators.LookupCell) -> str:
        return f"SELECT {quoted(step.column)} AS value FROM {quoted(step.of)}"  # noqa: S608

    @written.register
    def _(self, step: operators.Listing) -> str:
        cell, shape = quoted(step.column), self.shapes[self.name]
        is_ranked = isinstance(shape, ValuesShape) and shape.is_ranked
        values = f"list({cell} ORDER BY {quoted(POSITION)})" if is_ranked else f"list_sort(list(DISTINCT {cell}))"
        return f"SELECT coalesce({values}, []) AS value FROM {quoted(step.of)} WHERE {cell} IS NOT NULL"  # noqa: S608

    @written.register
    def _(self, step: operators.Compare) -> str:
        test = f"{self.operand(step.first)} > {self.operand(step.second)}"
        if not step.labels:
            return f"SELECT {test} AS value"
        first, second = map(self.operand, step.labels)
        return f"SELECT CASE WHEN {test} THEN {first} ELSE {second} END AS value"

    @written.register
    def _(self, step: operators.Decide) -> str:
        total = " + ".join(self.operand(criterion.weight) for criterion in step.criteria)
        parts = []
        for criterion in step.criteria:
            cell = f"CAST({quoted(criterion.column)} AS DOUBLE)"
            low, high = f"min({cell}) OVER ()", f"max({cell}) OVER ()"
            part = f"({cell} - {low})" if criterion.better == "higher" else f"({high} - {cell})"
            parts.append(f"{part} / ({high} - {low}) * {self.operand(criterion.weight)} / ({total})")
        there = " AND ".join(f"{quoted(criterion.column)} IS NOT NULL" for criterion in step.criteria)
        return f"SELECT *, {' + '.join(parts)} AS {quoted(step.into)} FROM {quoted(step.of)} WHERE {there}"  # noqa: S608

    @written.register
    def _(self, step: operators.Constant) -> str:
        return f"SELECT {self.operand(step.value)} AS value"


def _typed(text: str, value: Value) -> str:
    match value.kind:
        case "number":
            return f"CAST({text} AS {_decimal(value.scale or 0)})"
        case "date":
            return f"CAST(strptime({text}, '{value.date_format}') AS DATE)"
        case _:
            return text


_SIGNS: Mapping[str, str] = {"is": "=", "is_not": "<>", "above": ">", "below": "<", "at_least": ">=", "at_most": "<="}


def _arithmetic(how: operators.How, first: str, second: str, result: Value) -> str:
    of = _decimal(result.scale) if result.scale is not None else "DOUBLE"
    return f"CAST({_OPERATIONS[how].format(f'CAST({first} AS {of})', f'CAST({second} AS {of})')} AS {of})"


_OPERATIONS: Mapping[operators.How, str] = {
    "ratio": "{0} / nullif({1}, 0)",
    "percent": "100 * {0} / nullif({1}, 0)",
    "growth": "100 * ({0} - {1}) / nullif({1}, 0)",
    "difference": "{0} - {1}",
    "sum": "{0} + {1}",
    "scaled": "{0} * {1}",
    "changed": "{0} * (100 + {1}) / 100",
}

_STATISTICS: Mapping[operators.Statistic, str] = {
    "count": "count({0})",
    "count_distinct": "count(DISTINCT {0})",
    "sum": "sum({0})",
    "min": "min({0})",
    "max": "max({0})",
    "mean": "CAST(sum({0}) AS DOUBLE) / count({0})",
    "median": "median(CAST({0} AS DOUBLE))",
    "std": "stddev_pop(CAST({0} AS DOUBLE))",
    "sample_std": "stddev_samp(CAST({0} AS DOUBLE))",
}
