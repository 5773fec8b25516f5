"""Expectations generated from facts, as data: what each published table must meet, strictly.

Names of expectations are those of Great Expectations, or of our own in `custom.py`. Judging them belongs to `running.py`.
"""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from pipeline.model import Field
from pipeline.model.schema.complete import Schema
from pipeline.noise.steps import Source, blocks_of
from validation.expectations.expected import Expected

Referred = Mapping[tuple[str, str], pl.Series]
"""The distinct texts of each published column that others refer to, by table and column."""


def of_table(columns: Sequence[str], records: int) -> tuple[Expected, ...]:
    """Return the expectations of a table as a whole: its columns in order, and the number of its records."""
    return (
        Expected(name="expect_table_columns_to_match_ordered_list", arguments={"column_list": list(columns)}),
        Expected(name="expect_table_row_count_to_equal", arguments={"value": records}),
    )


def of_columns(facts: Schema, table: Source, referred: Referred) -> tuple[Expected, ...]:
    """Return the strict expectations of columns.

    Args:
        table: The table: for looking up references, and whether a column is empty throughout.
        referred: The columns that facts refer to; references to absent tables are not expected.
    """
    referring = [column for column, known in facts.items() if known.refers_to in referred]
    filled, values = set[str](), {column: list[pl.Series]() for column in referring}
    for block in blocks_of(table):
        filled |= {column for column in facts if block[column].null_count() < block.height}
        for column, distinct in values.items():
            distinct.append(block[column].drop_nulls().unique())
    return tuple(
        expected
        for column, known in facts.items()
        for expected in (
            *_of_column(column, known, is_filled=column in filled),
            *_of_reference(column, known, values.get(column, []), referred),
        )
    )


def _of_column(column: str, facts: Field, *, is_filled: bool) -> Iterator[Expected]:
    is_integer = facts.type == "integer"
    if not facts.nullable:
        yield Expected(name="expect_column_values_to_not_be_null", column=column)
    if facts.unique:  # whole numbers are written in one way only, so that equal numbers are equal texts
        yield Expected(
            name="expect_column_values_to_be_unique", column=column, reads="numbers" if is_integer else "texts"
        )
    if facts.form:
        form = {"regex": f"^({facts.form})$"}
        yield Expected(name="expect_column_values_to_match_regex", column=column, arguments=form)
    if facts.allowed is not None:
        allowed = {"value_set": list(facts.allowed)}
        yield Expected(name="expect_column_values_to_be_in_set", column=column, arguments=allowed)
    for end, bound in (("min", facts.minimum), ("max", facts.maximum)):
        if bound is not None and is_filled:  # without numbers there is no minimum
            at = {f"{end}_value": bound}
            name = f"expect_column_{end}_to_be_between"
            yield Expected(name=name, column=column, arguments=at, reads="numbers")


def _of_reference(column: str, facts: Field, values: Sequence[pl.Series], referred: Referred) -> Iterator[Expected]:
    if facts.refers_to is None or not values:
        return
    (table, there), distinct = facts.refers_to, pl.concat(values).unique()
    dangling = int((~distinct.is_in(referred[facts.refers_to].implode())).sum())
    found = {"table": table, "there": there, "values": distinct.len(), "dangling": dangling}
    yield Expected(name="expect_column_values_to_refer_to_table", column=column, arguments=found, reads="findings")
