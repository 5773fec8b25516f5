"""Runs a program on tables with polars: the first of two evaluators, and the one that knows what was read.

Single values are exact fractions; sums, extremes and differences in columns are exact decimals; ratios and scores in columns
are floats. Where a small difference decides is reported (`Cut`). The second evaluator is `statement.py`.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import reduce, singledispatchmethod
from itertools import pairwise

import polars as pl

from pipeline.tasks.program import operators
from pipeline.tasks.program.shapes import RowsShape, Shape, in_order
from pipeline.tasks.running import arithmetic
from pipeline.tasks.running.clean import DIGITS, ROW_KEY, TypedTables, as_typed

Found = Fraction | str | bool
"""One value. A day is its text in ISO 8601."""

_EPOCH = date(1970, 1, 1)

NEAREST = 1e-9
"""Relative distance below which a float does not tell two numbers apart (our choice: a million times its precision)."""


@dataclass(frozen=True)
class Cut:
    """A place where a small difference would decide: the step, and how far apart the two sides are, relative to the larger."""

    step: str
    margin: float
    is_choice: bool = True
    """Whether rows or sides compete there, so that a tie has no answer; otherwise a value meets a limit."""


@dataclass
class ProgramOutcome:
    """What a program gave: the value or list of each step, or how many rows it has; the cuts, and the cells that were read."""

    made: dict[str, int | Found | list[Found]] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    read: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """Keys of the rows that were read, by table and column."""
    fewest: int = 2**31
    """Values of the smallest column that a statistic, but for a count, was taken of."""
    passed_over: int = 2**31
    """Rows that the closest choice of the highest or lowest left out."""


def run(steps: operators.Steps, tables: TypedTables, shapes: Mapping[str, Shape]) -> ProgramOutcome:
    """Run a checked program whose slots are filled; raise `NoAnswerError` if it has no answer."""
    running = _Running(tables, shapes)
    for name in in_order(steps):
        running.name = name
        made = running.made(steps[name])
        if isinstance(made, pl.DataFrame):
            running.frames[name] = made
        running.outcome.made[name] = made.height if isinstance(made, pl.DataFrame) else made
    return running.outcome


def rows_of(table: operators.TableRows, tables: TypedTables) -> pl.DataFrame:
    """Return the rows of a table that meet its conditions."""
    return _Running(tables, {}).rows(table)


class _Running:
    """One run: what was made so far, and from which tables the columns of frames come."""

    def __init__(self, tables: TypedTables, shapes: Mapping[str, Shape]) -> None:
        self.tables, self.shapes, self.name = tables, shapes, ""
        self.outcome = ProgramOutcome()
        self.frames: dict[str, pl.DataFrame] = {}
        self.origins: dict[str, dict[str, set[tuple[str, str]]]] = {}
        """Step -> column -> tables and columns that its cells, and the choice of its rows, come from ("" for the choice)."""

    def rows(self, step: operators.TableRows) -> pl.DataFrame:
        self.origins[self.name] = {name: {(step.table, name)} for name in self.tables.known.tables[step.table]}
        return self.kept(self.tables.typed(step.table), step.where, self.name)

    def value(self, operand: operators.Operand) -> Found:
        if operators.is_step(operand):
            found = self.outcome.made[str(operand)[1:]]
            assert isinstance(found, Found)  # noqa: S101  (shapes were checked)
            return found
        return operand if isinstance(operand, str) else Fraction(str(operand))

    def number(self, operand: operators.Operand) -> Fraction:
        value = self.value(operand)
        if isinstance(value, str):  # a date: its days since the epoch
            return Fraction((date.fromisoformat(value) - _EPOCH).days)
        assert isinstance(value, Fraction)  # noqa: S101  (types were checked)
        return value

    @singledispatchmethod
    def made(self, step: operators.Operator) -> pl.DataFrame | Found | list[Found]:
        raise NotImplementedError(type(step))

    @made.register
    def _(self, step: operators.TableRows) -> pl.DataFrame:
        return self.rows(step)

    @made.register
    def _(self, step: operators.FilterRows) -> pl.DataFrame:
        self.origins[self.name] = dict(self.origins[step.of])
        return self.kept(self.frames[step.of], step.where, self.name)

    def kept(self, frame: pl.DataFrame, conditions: tuple[operators.Where, ...], name: str) -> pl.DataFrame:
        origins = self.origins[name]
        for where in conditions:
            origins[""] = origins.get("", set()) | origins[where.column]
            self.outcome.cuts.extend(self.limits(frame, where))
        return frame.filter(*(self.holds(frame, where) for where in conditions))

    def limits(self, frame: pl.DataFrame, where: operators.Where) -> Iterator[Cut]:
        test, (limit, *_) = where.test
        if test in ("above", "below", "at_least", "at_most") and operators.is_step(limit) and frame.height:
            value = float(self.number(limit))
            near = (frame.select(_counted(where.column, frame)).to_series().cast(pl.Float64) - value).abs()
            nearest = near.filter(near > 0).to_list()
            yield Cut(self.name, min(nearest, default=1.0) / (abs(value) or 1.0), is_choice=False)

    def holds(self, frame: pl.DataFrame, where: operators.Where) -> pl.Expr:
        cell, (test, given) = pl.col(where.column), where.test
        if test == "filled":
            return cell.is_not_null()
        limits = [self.literal(each, frame.schema[where.column]) for each in given]
        if test == "holds":
            parts = cell.str.split(where.separator).list.eval(pl.element().str.strip_chars())
            found = parts.list.contains(limits[0])
        else:
            found = reduce(pl.Expr.or_, [arithmetic.TESTS[test](cell, limit) for limit in limits])
        return found.fill_null(value=False)

    def literal(self, operand: operators.Operand, dtype: pl.DataType) -> pl.Expr:
        value = self.value(operand)
        if isinstance(dtype, pl.Date):
            return pl.lit(str(value)).str.to_date("%Y-%m-%d")
        if isinstance(value, Fraction):
            digits = arithmetic.decimal_of(value)
            if isinstance(dtype, pl.Decimal) and digits is not None:
                return pl.lit(digits)
            return pl.lit(float(value))
        return pl.lit(value)

    @made.register
    def _(self, step: operators.Join) -> pl.DataFrame:
        left, right = self.frames[step.left], self.frames[step.right]
        if right.select(pl.struct(*step.keys.values()).is_duplicated().any()).item():
            raise arithmetic.NoAnswerError(f"{step.right} has several rows for one key of the join")
        mine, other = self.origins[step.left], self.origins[step.right]
        keys = [origin for pair in step.keys.items() for origin in (mine[pair[0]], other[pair[1]])]
        choice = set[tuple[str, str]]().union(*keys, mine.get("", ()), other.get("", ()))
        self.origins[self.name] = mine | {new: other[old] for new, old in step.take.items()} | {"": choice}
        hidden = [name for name in right.columns if name.startswith(ROW_KEY) and name not in left.columns]
        taken = right.select(
            *(pl.col(old).alias(f"\x1fon:{old}") for old in step.keys.values()),
            *(pl.col(old).alias(new) for new, old in step.take.items()),
            *hidden,
        )
        return left.join(taken, left_on=list(step.keys), right_on=[f"\x1fon:{old}" for old in step.keys.values()])

    @made.register
    def _(self, step: operators.Derive) -> pl.DataFrame:
        frame, origins = self.frames[step.of], self.origins[step.of]
        read = [
            origins[each] for each in (step.first, step.second) if isinstance(each, str) and not operators.is_step(each)
        ]
        self.origins[self.name] = origins | {step.into: set[tuple[str, str]]().union(*read)}
        shape = self.shapes[self.name]
        assert isinstance(shape, RowsShape)  # noqa: S101  (shapes were checked)
        exact = shape.columns[step.into].scale is not None
        first, second = (self.cells(each, frame, exact=exact) for each in (step.first, step.second))
        return frame.with_columns(arithmetic.computed_cells(step.how, first, second).alias(step.into))

    def cells(self, operand: operators.Operand, frame: pl.DataFrame, *, exact: bool) -> pl.Expr:
        if isinstance(operand, str) and not operators.is_step(operand):
            return _counted(operand, frame) if exact else pl.col(operand).cast(pl.Float64)
        value = self.number(operand)
        return pl.lit(arithmetic.decimal_of(value)) if exact else pl.lit(float(value))

    @made.register
    def _(self, step: operators.Extract) -> pl.DataFrame:
        frame, shape = self.frames[step.of], self.shapes[self.name]
        assert isinstance(shape, RowsShape)  # noqa: S101  (shapes were checked)
        self.origins[self.name] = self.origins[step.of] | {step.into: self.origins[step.of][step.column]}
        taken = frame[step.column].str.extract(step.pattern, 1).replace("", None)
        cell = pl.lit(taken)
        if step.gives == "number":
            cell = pl.when(cell.str.contains(_plain(step.decimals))).then(cell)
        found = pl.select(as_typed(cell, shape.columns[step.into], strict=False)).to_series()
        if found.null_count() > taken.null_count():
            raise arithmetic.NoAnswerError(
                f"what {self.name} takes from a text is no {step.gives} of the form that it declares"
            )
        return frame.with_columns(found.alias(step.into))

    @made.register
    def _(self, step: operators.DatePart) -> pl.DataFrame:
        self.origins[self.name] = self.origins[step.of] | {step.into: self.origins[step.of][step.column]}
        part = getattr(pl.col(step.column).dt, step.part)().cast(pl.Decimal(DIGITS, 0))
        return self.frames[step.of].with_columns(part.alias(step.into))

    @made.register
    def _(self, step: operators.Compute) -> Found:
        return arithmetic.computed(step.how, self.number(step.first), self.number(step.second))

    @made.register
    def _(self, step: operators.AggregateRows) -> pl.DataFrame | Found:
        frame = self.frames[step.of]
        there = frame if step.column is None else frame.drop_nulls(step.column)
        self.note(step.of, there, *([step.column] if step.column else []), *step.by)
        if not step.by:
            if step.statistic not in operators.COUNTS:
                self.outcome.fewest = min(self.outcome.fewest, there.height)
            return arithmetic.statistic_of(step.statistic, there[step.column] if step.column else None, there.height)
        origins = self.origins[step.of]
        self.origins[self.name] = {name: origins[name] for name in step.by} | {step.into: set()}
        groups = there.drop_nulls(step.by).group_by(step.by)
        value = arithmetic.statistic_in_groups(step.statistic, pl.col(step.column) if step.column else None)
        return groups.agg(value.alias(step.into)).sort(step.by).drop_nulls(step.into)

    @made.register
    def _(self, step: operators.Rank) -> pl.DataFrame:
        frame, top = self.frames[step.of].drop_nulls(step.column), self.number(step.top)
        if frame.height < top:
            raise arithmetic.NoAnswerError(f"{step.of} has {frame.height} rows, fewer than are asked for")
        self.note(step.of, frame, step.column)
        self.origins[self.name] = self.origins[step.of]
        self.outcome.passed_over = min(self.outcome.passed_over, frame.height - int(top))
        ranked = frame.sort(step.column, descending=step.order == "highest")
        self.outcome.cuts.extend(Cut(self.name, gap) for gap in _gaps(ranked[step.column].head(int(top) + 1)))
        return ranked.head(int(top))

    @made.register
    def _(self, step: operators.LookupCell) -> Found:
        frame = self.frames[step.of]
        if frame.height != 1:
            raise arithmetic.NoAnswerError(f"{step.of} has {frame.height} rows, where one is looked up")
        self.note(step.of, frame, step.column)
        return _found(frame[step.column].item())

    @made.register
    def _(self, step: operators.Listing) -> list[Found]:
        frame = self.frames[step.of].drop_nulls(step.column)
        self.note(step.of, frame, step.column)
        cells = frame[step.column]
        shape = self.shapes[step.of]
        is_ranked = isinstance(shape, RowsShape) and shape.is_ranked
        return [_found(cell) for cell in (cells if is_ranked else cells.unique().sort())]

    @made.register
    def _(self, step: operators.Compare) -> Found:
        first, second = self.value(step.first), self.value(step.second)
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            larger = max(abs(first), abs(second)) or 1
            self.outcome.cuts.append(Cut(self.name, float(abs(first - second) / larger)))
        is_larger = bool(first > second)  # type: ignore[operator]
        return self.value(step.labels[0 if is_larger else 1]) if step.labels else is_larger

    @made.register
    def _(self, step: operators.Decide) -> pl.DataFrame:
        columns = [criterion.column for criterion in step.criteria]
        frame = self.frames[step.of].drop_nulls(columns)
        self.note(step.of, frame, *columns)
        self.origins[self.name] = self.origins[step.of] | {step.into: set()}
        weights = [self.number(criterion.weight) for criterion in step.criteria]
        total = sum(weights, Fraction())
        parts = []
        for criterion, weight in zip(step.criteria, weights, strict=True):
            cell = pl.col(criterion.column).cast(pl.Float64)
            low, high = (cell.min(), cell.max()) if criterion.better == "higher" else (cell.max(), cell.min())
            if frame[criterion.column].n_unique() < 2:  # noqa: PLR2004
                raise arithmetic.NoAnswerError(f"{criterion.column} is the same in all rows")
            parts.append((cell - low) / (high - low) * float(weight / total))
        return frame.with_columns(pl.sum_horizontal(parts).alias(step.into))

    @made.register
    def _(self, step: operators.Constant) -> Found:
        return self.value(step.value)

    def note(self, of: str, frame: pl.DataFrame, *columns: str) -> None:
        """Note which cells are read: those of these columns, and those by which the rows were chosen."""
        origins = self.origins[of]
        for table, column in set[tuple[str, str]]().union(*(origins[name] for name in columns), origins.get("", ())):
            if ROW_KEY + table in frame.columns:
                self.outcome.read.setdefault((table, column), set()).update(frame[ROW_KEY + table].drop_nulls())


def _gaps(ranked: pl.Series) -> Iterator[float]:
    """Yield how far apart neighbours are, relative to the larger; of days, only whether they differ."""
    if ranked.dtype == pl.Date:
        yield from (float(first != second) for first, second in pairwise(ranked))
        return
    for first, second in pairwise(map(Fraction, ranked)):
        yield float(abs(first - second) / (max(abs(first), abs(second)) or 1))


def _counted(column: str, frame: pl.DataFrame) -> pl.Expr:
    """Return a column of numbers; a day as the number of days since the epoch."""
    return pl.col(column).dt.epoch("d").cast(pl.Int64) if frame.schema[column] == pl.Date else pl.col(column)


def _plain(decimals: int) -> str:
    """Return a pattern of the numbers that both evaluators read alike."""
    return r"^-?[0-9]{1,20}" + (rf"(\.[0-9]{{1,{decimals}}})?$" if decimals else "$")


def _found(cell: object) -> Found:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        raise arithmetic.NoAnswerError("an empty cell, where one is looked up")
    return Fraction(cell) if isinstance(cell, int | float | Decimal) else str(cell)
