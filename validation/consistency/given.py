"""Do the aggregates in the raw tables follow from the raw tables' own firms?

This measures how far the raw tables agree with themselves before anything is anonymised. Real tables often do not, so it is
reported and gates nothing. Comparing anonymised aggregates with those of the originals belongs to `aggregates.py`.
"""

from dataclasses import dataclass

import polars as pl

from pipeline.model import GivenAggregate
from pipeline.numerals import as_float

SAME = 1e-9
"""Relative difference up to which two numbers count as equal: given ones are floats of at most 15 significant digits."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How far a given table agrees with the statistics of its firms."""

    table: str
    cells: int
    """Cells that both have."""
    agreeing: int
    """Those that are equal up to `SAME`."""
    only_given: int
    only_derived: int
    """Cells that only one has; a given 0 where no firm reports counts as absent."""


def compare_given(given: pl.DataFrame, statistics: pl.DataFrame, declared: GivenAggregate) -> Agreement:
    """Compare a given wide table with the statistics of the originals.

    Args:
        given: The raw table: the columns of `declared.by`, and one Float64 column a statistic.
        statistics: Statistics of one year: the aggregate's columns, `measure`, `statistic`, `mantissa`, `scale`.
        declared: Which raw column holds which statistic.
    """
    by = list(declared.by)
    headers = pl.DataFrame(declared.statistics, schema=["measure", "statistic", "header"], orient="row")
    long = given.rename({raw: name for name, raw in declared.by.items()}).unpivot(
        headers["header"].to_list(), index=by, variable_name="header", value_name="given"
    )
    derived = statistics.join(headers, on=["measure", "statistic"]).select(
        *by, "header", derived=as_float(pl.col("mantissa"), pl.col("scale"))
    )
    # Totals over a group are no rows of the given table, so its groups decide what is compared.
    cells = long.join(derived, on=[*by, "header"], how="left", nulls_equal=True)
    is_given = pl.col("given").is_not_null() & ~((pl.col("given") == 0) & pl.col("derived").is_null())
    is_derived = pl.col("derived").is_not_null()
    is_same = (pl.col("given") - pl.col("derived")).abs() <= SAME * pl.col("derived").abs()
    counted = cells.select(
        cells=(is_given & is_derived).sum(),
        agreeing=(is_given & is_derived & is_same).sum(),
        only_given=(is_given & ~is_derived).sum(),
        only_derived=(is_derived & ~is_given).sum(),
    )
    return Agreement(table=declared.table, **counted.row(0, named=True))
