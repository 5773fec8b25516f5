"""Sums: the share of an industry's largest firms, and sums, means and medians of industries against the originals'.

Belongs here: statistics of cells, compared. `cells.py` decides which figures make a cell.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from validation.fidelity.cells import GroupCells
from validation.fidelity.sides import FEWEST_FIRMS, ChangesOverYears, changes

FEWEST_FOR_TAILS = 10
"""Smallest number of figures for which a cell has a top tenth."""

TAIL = 0.05
"""Change of the top tenth's share that counts as small."""

NEAR = 0.1
"""Relative error up to which an aggregate counts as near the original."""

CANCELLED = 0.1
"""A sum below this share of the sum of absolute values has cancelled out: its error is then relative to the latter."""

_KEYS = ("sample", "is_anonymised")


@dataclass(frozen=True, kw_only=True)
class Near:
    """How many statistics are within 10 % of the originals; None if there are none."""

    n: int
    share: float | None
    median_error: float | None
    """Median relative error; infinite if the release lacks most of them."""


@dataclass(frozen=True, kw_only=True)
class Aggregates:
    """Statistics of an industry, measure and year against those of the originals."""

    sums: Near
    """Sums of additive measures."""
    means: Near
    """Means of additive measures."""
    medians: Near
    """Medians of all measures."""
    industries: Near
    """Industries, each by the median error of its sums."""


def tail_changes(found: GroupCells, *, named: Callable[[int], str] = str) -> ChangesOverYears:
    """Compare the share of the industry's sum held by the top tenth of its firms, rounded up.

    Only cells of additive measures without negative figures whose sum is above 0, and that have at least `FEWEST_FOR_TAILS`
    figures on each side.
    """
    additive = found.labels.filter("is_additive")
    held = (
        found.values.join(additive.select("sample"), on="sample", how="semi")
        .group_by(_KEYS)
        .agg(n=pl.len(), least=pl.col("value").min(), total=pl.col("value").sum(), top=_top_tenth(pl.col("value")))
        .filter(pl.col("n") >= FEWEST_FOR_TAILS, pl.col("least") >= 0, pl.col("total") > 0)
        .select(*_KEYS, share=pl.col("top") / pl.col("total"))
    )
    before, after = (held.filter(is_anonymised=i).drop("is_anonymised") for i in (0, 1))
    both = before.join(after, on="sample", suffix=" after").join(additive, on="sample").sort("sample")
    sizes = (both["share"] - both["share after"]).abs().to_numpy()
    rows = both.select("measure", "group", "year").rows()
    return changes(sizes, [f"{measure}, {group}, {named(year)}" for measure, group, year in rows], limit=TAIL)


def aggregates(found: GroupCells) -> Aggregates:
    """Compare sums, means and medians of the cells in which the originals have at least `FEWEST_FIRMS` figures."""
    errors = aggregate_errors(found)
    additive = errors.filter("is_additive")
    by_industry = additive.group_by("group").agg(pl.col("sum").median())
    return Aggregates(
        sums=_near(additive["sum"]),
        means=_near(additive["mean"]),
        medians=_near(errors["median"]),
        industries=_near(by_industry["sum"]),
    )


def aggregate_errors(found: GroupCells) -> pl.DataFrame:
    """Return the labels of each compared cell, and the relative errors of its `sum`, `mean` and `median`.

    error = |published - original| / |original|. If the original has cancelled out (its absolute value is below `CANCELLED`
    times the same statistic of absolute values), the error is relative to the latter. It is infinite if the release has no
    figure, or if it has figures where the originals are 0 throughout.
    """
    statistics = found.values.group_by(_KEYS).agg(
        n=pl.len(),
        sum=pl.col("value").sum(),
        mean=pl.col("value").mean(),
        median=pl.col("value").median(),
        sum_size=pl.col("value").abs().sum(),
        mean_size=pl.col("value").abs().mean(),
        median_size=pl.col("value").abs().median(),
    )
    before, after = (statistics.filter(is_anonymised=i).drop("is_anonymised") for i in (0, 1))
    return (
        before.filter(pl.col("n") >= FEWEST_FIRMS)
        .join(after, on="sample", how="left", suffix=" after")
        .join(found.labels, on="sample")
        .sort("sample")
        .select("measure", "group", "year", "is_additive", *(_error(name) for name in ("sum", "mean", "median")))
    )


def _top_tenth(value: pl.Expr) -> pl.Expr:
    return value.sort(descending=True).head((pl.len() + 9) // 10).sum()


def _error(name: str) -> pl.Expr:
    original, published, size = pl.col(name), pl.col(f"{name} after"), pl.col(f"{name}_size")
    difference = (published - original).abs()
    has_cancelled = original.abs() < CANCELLED * size
    scale = pl.when(has_cancelled).then(size).otherwise(original.abs())
    return (
        pl.when(difference == 0).then(0.0).when(scale > 0).then(difference / scale).fill_null(float("inf")).alias(name)
    )


def _near(errors: pl.Series) -> Near:
    found = errors.to_numpy()
    if not found.size:
        return Near(n=0, share=None, median_error=None)
    return Near(n=int(found.size), share=float((found <= NEAR).mean()), median_error=float(np.median(found)))
