"""Marginal distributions of both sides, cell by cell: Kolmogorov-Smirnov, Wasserstein on signed logs, and both of growth.

Belongs here: distances of unpaired samples, and their summary. Cells come from `cells.py`, the test from
`distributions/two_sample.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.model import PERIOD, Measure
from validation.distributions.law import usual_distance
from validation.distributions.samples import signed_log
from validation.distributions.two_sample import ALPHA, two_sample_tests
from validation.fidelity.cells import GroupCells
from validation.fidelity.sides import mean

NEARLY_ALL = 0.99
"""Share of non-negative figures from which a measure has growth; a few negative ones count as errors of entry."""


@dataclass(frozen=True, kw_only=True)
class Distances:
    """Distances of all cells that are large enough for a test to find something; None if there are none."""

    tests: int
    rejected: float | None
    """Share of tests with p <= 0.05; of two samples of one distribution chance rejects that share."""
    median_distance: float | None
    """Median Kolmogorov-Smirnov D."""
    chance_distance: float | None
    """The median D of equally many independent samples of one distribution; sides with evenly spread figures are below it."""
    largest_distance: float | None
    largest_at: str
    wasserstein: float | None
    """Median Wasserstein-1 distance of signed logs: 0.1 is a typical factor of 1.1 between figures."""
    wasserstein_sd: float | None
    """Median of that distance in standard deviations of the originals' signed logs."""
    one_sided: int
    """Cells with figures on one side only."""


def distances(found: GroupCells, *, named: Callable[[int], str] = str) -> Distances:
    """Summarise the distances of all cells; `named` returns the published name of a period."""
    tested = cell_distances(found)
    evidence = tested.filter("can_reject")
    n, m = (evidence[column].to_numpy().astype(np.float64) for column in ("n", "n_anonymised"))
    worst = evidence.sort("statistic", "sample", descending=[True, False]).head(1).to_dicts()
    return Distances(
        tests=evidence.height,
        rejected=mean(evidence["p_value"] <= ALPHA),
        median_distance=_median(evidence["statistic"]),
        chance_distance=_median(pl.Series(usual_distance(n * m / (n + m), 0.5))),
        largest_distance=worst[0]["statistic"] if worst else None,
        largest_at=f"{worst[0]['measure']}, {worst[0]['group']}, {named(worst[0]['year'])}"
        if worst and worst[0]["statistic"]
        else "",
        wasserstein=_median(evidence["wasserstein"]),
        wasserstein_sd=_median(evidence["wasserstein"] / evidence["sd"]),
        one_sided=int(((tested["n"] == 0) != (tested["n_anonymised"] == 0)).sum()),
    )


def cell_distances(found: GroupCells) -> pl.DataFrame:
    """Return one row for each cell with figures: its labels, the columns of `two_sample_tests`, `wasserstein` and `sd`.

    `wasserstein` is the Wasserstein-1 distance of the signed logs, null if a side is empty; `sd` the standard deviation of the
    originals', null where there is no spread.
    """
    logs = found.values.with_columns(value=pl.Series(signed_log(found.values["value"].to_numpy())))
    spread = logs.filter(is_anonymised=0).group_by("sample").agg(sd=pl.col("value").std())
    return (
        two_sample_tests(found.values)
        .join(wasserstein(logs), on="sample", how="left", maintain_order="left")
        .join(spread, on="sample", how="left", maintain_order="left")
        .with_columns(sd=pl.when(pl.col("sd") > 0).then("sd"))
        .join(found.labels, on="sample", how="left", maintain_order="left")
    )


def wasserstein(values: pl.DataFrame) -> pl.DataFrame:
    """Return `sample` and `wasserstein`: the area between both sides' cumulative distributions (Vallender 1974).

    Args:
        values: Columns `sample`, `value` (float, no null) and `is_anonymised` (0 or 1).
    """
    ordered = values.sort("sample", "value")
    sizes = ordered.group_by("sample", maintain_order=True).agg(
        n=pl.len() - pl.col("is_anonymised").sum(), m=pl.col("is_anonymised").sum()
    )
    place = np.repeat(np.arange(sizes.height), (sizes["n"] + sizes["m"]).to_numpy())
    side = ordered["is_anonymised"].to_numpy()
    figures = ordered["value"].to_numpy()
    n, m = (np.maximum(sizes[name].to_numpy().astype(np.float64), 1) for name in ("n", "m"))
    # In each sample the difference of the two distributions ends at 0, up to rounding, so one running sum serves all samples.
    ahead = np.cumsum(np.where(side == 1, -1 / m[place], 1 / n[place]))
    before = np.concatenate([[0.0], ahead])[np.flatnonzero(np.diff(place, prepend=-1))]
    gaps = np.where(np.diff(place, append=-1) == 0, np.diff(figures, append=0.0), 0.0)
    area = np.bincount(place, np.abs(ahead - before[place]) * gaps, minlength=sizes.height)
    has_both = (sizes["n"] > 0) & (sizes["m"] > 0)
    return sizes.select("sample", wasserstein=pl.when(has_both).then(pl.Series(area, dtype=pl.Float64)))


def growth(figures: pl.DataFrame, measures: Sequence[Measure], *, code: str, group: str) -> pl.DataFrame:
    """Return the growth of each measure over the year before, as a log ratio; null unless both figures are above 0.

    Returns:
        `PERIOD` of the later year, `group`, and a column for each measure, in quanta of the log (because `cells` divides by
        quanta); one row for each firm and year with a record of the year before.
    """
    ordered = figures.sort(code, PERIOD)
    is_next = (pl.col(code) == pl.col(code).shift(1)) & (pl.col(PERIOD) == pl.col(PERIOD).shift(1) + 1)
    return (
        ordered.lazy()
        .with_columns(is_next=is_next, **{measure.name: _log_ratio(measure) for measure in measures})
        .filter("is_next")
        .select(PERIOD, group, *(measure.name for measure in measures))
        .collect()
    )


def growing(originals: pl.DataFrame, measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures that have growth: (nearly) never negative and not always 0."""
    return [measure for measure in measures if _is_positive(originals[measure.name].drop_nulls())]


def _is_positive(figures: pl.Series) -> bool:
    return len(figures) > 0 and bool((figures >= 0).mean() >= NEARLY_ALL) and bool((figures > 0).any())  # type: ignore[operator]


def _log_ratio(measure: Measure) -> pl.Expr:
    now, before = pl.col(measure.name), pl.col(measure.name).shift(1)
    both = (now > 0) & (before > 0)
    return pl.when(both).then((now.cast(pl.Float64) / before).log() * 10.0**measure.decimals)


def _median(values: pl.Series) -> float | None:
    there = values.drop_nulls().to_numpy()
    return float(np.median(there)) if there.size else None
