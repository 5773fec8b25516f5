"""The clean variant meets the declared facts of its columns, cell by cell.

The facts are those of which suites of expectations are generated. Great Expectations is not needed to look at cells.
"""

from collections.abc import Iterator

import polars as pl

from pipeline.conform.source import HEADER_ROWS, shortened
from pipeline.errors import Problem
from pipeline.model import Field, PublishedTable
from pipeline.model.schema.complete import Schema, schema_of
from validation.expectations.deviations import breaks
from validation.expectations.judging import referred_columns
from validation.expectations.suites import Referred
from validation.release.opened import SHOWN, Release, ReleasedVariant


def facts_hold(release: Release) -> Iterator[Problem]:
    """Find clean cells that break what is declared of their column."""
    environment, clean = release.environment, release.clean
    if environment is None or clean is None:
        return
    for table in environment.noisy_tables():
        if table.name in release.truth:
            declared = schema_of(environment, table)
            referred = referred_columns(declared, release.truth)
            yield from _of_table(declared, clean, table, release.truth[table.name], referred)


def _of_table(
    declared: Schema, clean: ReleasedVariant, table: PublishedTable, rows: pl.DataFrame, referred: Referred
) -> Iterator[Problem]:
    for column, facts in declared.items():
        broken = rows.lazy().select(breaks(facts, column, referred)).collect().to_series()
        for row in broken.arg_true().head(SHOWN):
            value = rows[column][row]
            found = "nothing" if value is None else shortened(value)
            yield Problem(clean.path_of(table.name), row + 1 + HEADER_ROWS, column, found, f"expected {_asked(facts)}")


def _asked(facts: Field) -> str:
    bounds = f"between {facts.minimum} and {facts.maximum}" if (facts.minimum, facts.maximum) != (None, None) else ""
    asked = [
        "" if facts.nullable else "not empty",
        f"of the form {facts.form}" if facts.form else "",
        f"one of {len(facts.allowed)} texts" if facts.allowed is not None else "",
        bounds,
        "nowhere else in the column" if facts.unique else "",
        f"also in {facts.refers_to[1]} of {facts.refers_to[0]}" if facts.refers_to else "",
    ]
    return f"what is declared: {', '.join(filter(None, asked))}"
