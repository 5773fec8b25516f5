"""How alike anonymised figures are to the originals in what analysts use: ranks, rank correlations and distributions.

Belongs here: the price of a mechanism, as three kinds of numbers that name no firm. What is bought with it (attacks that
fail) belongs to `attacks/`; whether the price is too high is for whoever publishes to judge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from validation.two_sample import two_sample_tests

FEWEST = 30
"""Records below which a correlation is not taken: of unrelated figures of 30 it has a standard deviation of 0.19."""

_ANONYMISED = "anonymised "
_BETWEEN = "\x1f"


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """What is left of the originals; a value is None where no measure, or no pair of them, has enough records."""

    records: int
    spearman: Mapping[str, float]
    """Rank correlation of each measure with its original, over the records that report both."""
    median_spearman: float | None
    """Median of those."""
    pairs: int
    """Pairs of measures whose rank correlation could be compared."""
    largest_drift: float | None
    """The largest |difference| between the rank correlation of two measures before and after."""
    drift_95: float | None
    """95th percentile of those differences."""
    drifting_pair: tuple[str, str] | None
    """The two measures of the largest."""
    largest_distance: float | None
    """The largest two-sample Kolmogorov-Smirnov D of a measure in a group; 1 where only one side reports it."""

    def published(self) -> dict[str, Any]:
        """Return the likeness as JSON takes it."""
        return vars(self) | {"spearman": dict(self.spearman), "drifting_pair": list(self.drifting_pair or ())}


def likeness(originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[str], *, group: str) -> Likeness:
    """Compare anonymised figures with the originals, measure by measure, pair by pair and group by group.

    Args:
        originals: Columns `group` and one of numbers for each measure; records of one year, since a firm's figures of two
            years are no independent observations.
        published: The same columns; row i belongs to the firm of row i of `originals`.
        measures: What is compared.
        group: Column whose values, null among them, make the groups of the distributions.
    """
    spearman = _spearman_with_originals(originals, published, measures)
    before, after = (_spearman_of_pairs(side, measures) for side in (originals, published))
    drifts = {pair: abs(before[pair] - after[pair]) for pair in before if pair in after}
    return Likeness(
        records=originals.height,
        spearman=spearman,
        median_spearman=_quantile(spearman, 0.5),
        pairs=len(drifts),
        largest_drift=_quantile(drifts, 1),
        drift_95=_quantile(drifts, 0.95),
        drifting_pair=max(drifts, key=lambda pair: drifts[pair], default=None),
        largest_distance=_largest_distance(originals, published, measures, group=group),
    )


def _spearman_with_originals(
    originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[str]
) -> dict[str, float]:
    sides = pl.concat(
        [originals.select(measures), published.select(pl.col(measures).name.prefix(_ANONYMISED))], how="horizontal"
    )
    found = _correlations(sides, [(measure, _ANONYMISED + measure) for measure in measures])
    return {measure: value for (measure, _), value in found.items()}


def _spearman_of_pairs(figures: pl.DataFrame, measures: Sequence[str]) -> dict[tuple[str, str], float]:
    return _correlations(figures, list(combinations(measures, 2)))


def _correlations(figures: pl.DataFrame, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return Spearman's correlation of each pair of columns, over the rows where neither is null.

    Pairs with fewer such rows than `FEWEST`, and those of which one column is constant there, are left out.
    """
    # NOTE: polars ranks after it has dropped the rows in which either is null, as pairwise correlation asks.
    values = figures.select(
        pl.when((pl.col(left).is_not_null() & pl.col(right).is_not_null()).sum() >= FEWEST)
        .then(pl.corr(left, right, method="spearman"))
        .alias(left + _BETWEEN + right)
        for left, right in pairs
    )
    found = values.row(0) if values.height else ()
    by_pair = zip(pairs, found, strict=True)
    return {pair: value for pair, value in by_pair if value is not None and not np.isnan(value)}


def _quantile(values: Mapping[Any, float], probability: float) -> float | None:
    return float(np.quantile(list(values.values()), probability)) if values else None


def _largest_distance(
    originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[str], *, group: str
) -> float | None:
    groups = pl.concat([side.select(group) for side in (originals, published)]).unique()
    places = groups.sort(group, nulls_last=True).with_row_index("place")
    values = [
        side.join(places, on=group, nulls_equal=True).select(
            sample=pl.col("place").cast(pl.Int64) + j * places.height,
            value=measure,
            is_anonymised=pl.lit(is_anonymised),
        )
        for is_anonymised, side in enumerate((originals, published))
        for j, measure in enumerate(measures)
    ]
    return max(two_sample_tests(pl.concat(values))["statistic"].fill_null(1.0), default=None)
