"""Relations of figures: rank correlations between measures, and of each measure with itself a year before.

Belongs here: statistics of a single side, and how much they differ between the sides.
"""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from pipeline.derive.figure_rows import figure_rows
from pipeline.model import PERIOD
from validation.distributions.correlations import FEWEST_PAIRS, rank_correlations
from validation.fidelity.sides import ChangesOverYears, changes

BETWEEN_MEASURES = 0.10
"""Change of a rank correlation that an analyst would not notice: half of the difference between weak and moderate."""

BETWEEN_YEARS = 0.05
"""The same from year to year, where correlations are high and their sampling error is small."""

_BEFORE = "\x1fbefore"


def correlation_changes(originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[str]) -> ChangesOverYears:
    """Compare the rank correlations of all pairs of measures in the fullest year that both sides have.

    Figures are ranked among all firms that report the measure and correlated over those that report both. Pairs with fewer
    than `FEWEST_PAIRS` records on either side, or with a constant measure, are left out.

    Args:
        originals: `PERIOD` and a column for each measure.
        published: The same columns.
    """
    year = fullest_year(originals, published)
    is_here = pl.col(PERIOD).eq_missing(pl.lit(year))
    before, after = (rank_correlations(side.filter(is_here).select(measures)) for side in (originals, published))
    left, right = np.triu_indices(len(measures), k=1)
    names = [f"{measures[i]} and {measures[j]}" for i, j in zip(left.tolist(), right.tolist(), strict=True)]
    return changes(np.abs(after - before)[left, right], names, limit=BETWEEN_MEASURES)


def fullest_year(originals: pl.DataFrame, published: pl.DataFrame) -> int | None:
    """Return the year with the most records of the originals among those that both sides have; the latest of several."""
    shared = originals.filter(pl.col(PERIOD).is_in(published[PERIOD].unique().to_list()))
    counts = shared.group_by(PERIOD).len().sort("len", PERIOD)
    return int(counts[PERIOD][-1]) if counts.height else None


def year_on_year_changes(
    originals: pl.DataFrame,
    published: pl.DataFrame,
    measures: Sequence[str],
    *,
    code: str,
    named: Callable[[int], str] = str,
) -> ChangesOverYears:
    """Compare the rank correlation of each measure with itself a year before, over the same firms, for each pair of years."""
    before, after = (year_on_year(side, measures, code=code) for side in (originals, published))
    both = before.join(after, on=["measure", PERIOD], suffix=" after").sort("measure", PERIOD)
    years = both.select("measure", PERIOD).rows()
    names = [f"{measure}, {named(year - 1)} to {named(year)}" for measure, year in years]
    sizes = (both["spearman"] - both["spearman after"]).abs()
    return changes(sizes.to_numpy(), names, limit=BETWEEN_YEARS)


def year_on_year(figures: pl.DataFrame, measures: Sequence[str], *, code: str) -> pl.DataFrame:
    """Return Spearman's correlation of each measure with itself a year before: `measure`, `PERIOD` (the later), `spearman`.

    It is over the firms that report both years; pairs with fewer than `FEWEST_PAIRS` firms, or a constant year, are left out.
    """
    earlier = figures.select(code, pl.col(PERIOD) + 1, *(pl.col(name).alias(name + _BEFORE) for name in measures))
    changes = (
        figures.select(code, PERIOD, *measures)
        .join(earlier, on=[code, PERIOD])
        .group_by(PERIOD)
        .agg(_spearman(name) for name in measures)
    )
    found = figure_rows(changes.lazy(), measures, index={PERIOD: PERIOD}, value="spearman").collect()
    return found.filter(pl.col("spearman").is_finite()).select("measure", PERIOD, "spearman").sort("measure", PERIOD)


def _spearman(name: str) -> pl.Expr:
    both = pl.col(name).is_not_null() & pl.col(name + _BEFORE).is_not_null()
    # polars ranks after dropping the rows in which either is null, which is what pairwise correlation needs.
    spearman = pl.corr(pl.col(name).filter(both), pl.col(name + _BEFORE).filter(both), method="spearman")
    return pl.when(both.sum() >= FEWEST_PAIRS).then(spearman).cast(pl.Float64).alias(name)
