"""What holds in the originals and would not hold after: figures that follow from others, which no identity declares.

Within the rows of a table any identity can be declared, and so can sums over the rows of another one. Figures that repeat those
of another table can only be named here: each column is anonymised on its own.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import polars as pl

from pipeline.guess.identities import held
from pipeline.model import PERIOD, Column, Environment, Frames, Measure, Measured, Product, RawTable, Role

HOLDS = 0.99
"""Part of the rows in which it has to hold to be named (our choice)."""

_FEWEST = 3
"""Rows in which it has to hold, with as many different values."""

_OWNER, _KEY = "code of nobody", "code of both"


def broken_after(environment: Environment, frames: Frames) -> Iterator[str]:
    """Yield a line for each dependency that no build keeps."""
    panel, code = environment.panel, environment.entities.code
    for name in (each for each in panel.tables if each in frames):
        figures = frames[name].rename({panel.period.column: PERIOD}).select(code, PERIOD, *_names(panel.measures))
        yield from _undeclared(name, figures, panel, code)
    for events in (each for each in environment.events if each.table in frames and each.measures):
        nobody = (pl.lit("").alias(_OWNER), pl.lit(None, pl.Int64).alias(PERIOD))
        rows = frames[events.table].select(*nobody, *_names(events.measures))
        yield from _undeclared(events.table, rows, events, _OWNER)
    for one, many in ((a, b) for a in environment.raw_tables for b in environment.raw_tables if a is not b):
        if one.name in frames and many.name in frames:
            yield from _across(environment, frames, one, many)


def _names(measures: Sequence[Measure]) -> list[str]:
    return [measure.name for measure in measures]


def _undeclared(table: str, figures: pl.DataFrame, measured: Measured, code: str) -> Iterator[str]:
    """Name identities that hold in the rows of a table and are not declared."""
    bound = {each.output for each in measured.identities}
    declared = {frozenset((known.output, *known.inputs)) for known in measured.identities}
    for each in held(figures, measured.measures, code) if bound < set(_names(measured.measures)) else ():
        if (
            frozenset((each.identity.output, *each.identity.inputs)) not in declared
            and each.identity.output not in bound
        ):
            yield f"{table!r}: {each.identity} {each.evidence.removeprefix('? ')}, and is not declared, so that it is lost"


def _across(environment: Environment, frames: Frames, one: RawTable, many: RawTable) -> Iterator[str]:
    """Name figures of a table that are sums over the rows of another one, or stand there again."""
    for key, code in _shared(one, many):
        left = frames[one.name]
        right = frames[many.name].select(pl.col(code).alias(_KEY), pl.exclude(code))
        if left[key].n_unique() < left.height or (right[_KEY].n_unique() == right.height and one.name > many.name):
            continue
        sums = (total for each in environment.events if each.table == one.name for total in each.sums)
        kept = {total.output for total in sums if total.events == many.name}
        figures = [each for each in one.columns if each.type in ("integer", "decimal") and each.name not in kept]
        for output in figures:
            values = left.select(pl.col(key).alias(_KEY), output=_value(output)).drop_nulls()
            for what, rows, is_sum in _candidates(environment, many, right):
                yield from _holding(f"{one.name}.{output.name} {what}, by {key!r},", values, rows, is_sum=is_sum)


def _shared(one: RawTable, many: RawTable) -> Iterator[tuple[str, str]]:
    """Yield the columns that hold codes of one kind in both tables."""
    for left in one.of_role(Role.CODE):
        yield from ((left.name, right.name) for right in many.of_role(Role.CODE, of=left.of))


def _value(column: Column) -> pl.Expr:
    return pl.col(column.name).cast(pl.Float64) / float(10**column.decimals)


def _candidates(
    environment: Environment, table: RawTable, rows: pl.DataFrame
) -> Iterator[tuple[str, pl.DataFrame, bool]]:
    """Yield figures of a table, and products of two, with what they would be: sums by the code, or the same figure again."""
    figures = [column for column in table.of_role(Role.MEASURE) if column.type in ("integer", "decimal")]
    for each in figures:
        value = rows.select(_KEY, value=_value(each)).drop_nulls()
        yield f"is the sum of {table.name}.{each.name}", value, True
        yield f"stands in {table.name}.{each.name} again", value, False
    declared = [identity for each in environment.events if each.table == table.name for identity in each.identities]
    has_product = any(isinstance(each, Product) for each in declared)
    for first, second in combinations(figures, 2) if not has_product else ():
        value = rows.select(_KEY, value=_value(first) * _value(second)).drop_nulls()
        yield f"is the sum of {table.name}.{first.name} x {second.name}", value, True


def _holding(said: str, values: pl.DataFrame, rows: pl.DataFrame, *, is_sum: bool) -> Iterator[str]:
    """Yield the line if it holds in nearly all rows that have both sides."""
    declared = rows.group_by(_KEY).agg(pl.sum("value")) if is_sum else rows
    both = values.join(declared, on=_KEY, how="inner")
    holding = both.filter((pl.col("output") - pl.col("value")).abs() < 1e-6 * (1 + pl.col("output").abs()))
    if holding.height >= max(HOLDS * both.height, _FEWEST) and holding["output"].n_unique() >= _FEWEST:
        yield f"{said} in {holding.height:,} of {both.height:,} rows of the originals, and would not be so after a build"
