"""Do measures relate to each other as before? The rank correlations between all measures, in originals and release.

Belongs here: one year after another, over all companies. `shape.py` measures whether a measure keeps the order of its own
figures.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from pipeline.model import PERIOD
from validation.distributions.samples import Booleans, Floats

FEWEST_PAIRS = 30
"""Smallest number of records for a correlation: of 30 unrelated figures it has a standard deviation of 0.19."""


def correlation_changes(
    originals: pl.DataFrame, anonymised: pl.DataFrame, measures: Sequence[str]
) -> list[dict[str, Any]]:
    """Return for each year the pairs of measures, and how much their rank correlations changed.

    Figures are ranked among all that report the measure in the year, and correlated over those that report both measures: this
    is Spearman's coefficient if there are no gaps. Pairs with fewer than `FEWEST_PAIRS` companies are left out.

    Args:
        originals: column `PERIOD` and one for each measure.
        anonymised: the same columns; a year that one of them lacks is left out.
    """
    changes = []
    for year in sorted(set(originals[PERIOD]) & set(anonymised[PERIOD])):
        sides = [side.filter(pl.col(PERIOD) == year) for side in (originals, anonymised)]
        before, after = (rank_correlations(side.select(measures)) for side in sides)
        changes.append(_changes(int(year), sides[0].height, np.abs(after - before), measures))
    return changes


def rank_correlations(figures: pl.DataFrame) -> Floats:
    """Return the matrix of rank correlations; NaN if too few companies report both or one measure is constant."""
    ranks = figures.select(pl.all().rank().cast(pl.Float64)).to_numpy()
    there = ~np.isnan(ranks)
    # Ranks are centred first, so that the squares do not lose digits.
    centred = np.where(there, ranks - there.sum(axis=0) / 2, 0.0)
    return _pairwise(centred, there)


def _pairwise(values: Floats, there: Booleans) -> Floats:
    """Correlate each pair of columns over the rows that have both; other values are 0."""
    mask = there.astype(np.float64)
    sizes = mask.T @ mask
    sums, squares = values.T @ mask, (values**2).T @ mask
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = values.T @ values - sums * sums.T / sizes
        variance = squares - sums**2 / sizes
        found = covariance / np.sqrt(variance * variance.T)
    is_constant = variance < 1e-9 * np.maximum(squares, 1)
    return np.where((sizes < FEWEST_PAIRS) | is_constant | is_constant.T, np.nan, np.clip(found, -1, 1))


def _changes(year: int, records: int, changes: Floats, measures: Sequence[str]) -> dict[str, Any]:
    left, right = np.triu_indices(len(measures), k=1)
    taken = ~np.isnan(changes[left, right])
    left, right = left[taken], right[taken]
    found = changes[left, right]
    if not found.size:
        return {"year": year, "records": records, "pairs": 0} | dict.fromkeys(_FACTS)
    largest = int(found.argmax())
    facts = (*np.quantile(found, [0.5, 0.95]).tolist(), float(found[largest]))
    pair = [measures[left[largest]], measures[right[largest]]]
    return {"year": year, "records": records, "pairs": int(found.size)} | dict(zip(_FACTS, (*facts, pair), strict=True))


_FACTS = ("median_change", "change_95", "largest_change", "pair")
