"""Two-sample Kolmogorov-Smirnov tests of many samples in one pass, and what each of them could have detected.

Belongs here: the statistic, its p-value, and which tests are too small to be evidence (what they could have found is in
`power.py`). Which samples to compare is the caller's choice, except for the panel (`compare_distributions`); aggregates
are compared in `consistency.py`.

No correction for the number of tests is made: each must pass alone, which is the strictest reading. Figures with digit noise
are not an independent sample but a copy, so chance rejections at the rate `alpha` are not to be expected; of figures that
were rebuilt out of other companies' they are, and no more than those are allowed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import binom, kstwo

from pipeline.environment.model import PERIOD, Panel
from validation.power import POWER, Floats, detectable_shift, smallest_p

ALPHA = 0.05
"""Significance level of the paper's appendix A.2: no test may have p <= 0.05."""

MISTAKES = 1e-4
"""Share of measures with unchanged distributions that are refused by chance, where figures were rebuilt."""


def compare_distributions(
    originals: pl.DataFrame, anonymised: pl.DataFrame, *, panel: Panel, group: str, alpha: float = ALPHA
) -> pl.DataFrame:
    """Test every measure in every group and year: do originals and anonymised figures have one distribution?

    Years are not pooled: a company's figures of two years are no independent observations. Nulls are left out.

    Args:
        originals: columns `group`, `PERIOD` and one of quanta for each measure; row order does not matter.
        anonymised: the same columns.
        panel: names the measures.
        group: column whose values, null among them, make the groups.
        alpha: significance level.

    Returns:
        One row for each measure, group and year that has a figure on either side: `measure, group, year`, then the
        columns of `two_sample_tests`; in the order of the panel's measures, then by group and year.
    """
    names = [measure.name for measure in panel.measures]
    groups = pl.concat([frame.select(group=group, year=PERIOD) for frame in (originals, anonymised)])
    groups = groups.unique().sort("group", "year", nulls_last=True).with_row_index("place")
    sides = [
        frame.rename({group: "group", PERIOD: "year"}).join(groups, on=["group", "year"], nulls_equal=True)
        for frame in (originals, anonymised)
    ]
    values = [
        side.select(sample=pl.col("place") + i * groups.height, value=name, is_anonymised=pl.lit(is_anonymised))
        for is_anonymised, side in enumerate(sides)
        for i, name in enumerate(names)
    ]
    return (
        two_sample_tests(pl.concat(values), alpha=alpha)
        .with_columns(place=pl.col("sample") % groups.height, measure=pl.col("sample") // groups.height)
        .join(groups, on="place", maintain_order="left")
        .with_columns(measure=pl.col("measure").replace_strict(dict(enumerate(names)), return_dtype=pl.String))
        .select("measure", "group", "year", pl.exclude("measure", "group", "year", "sample", "place"))
    )


def two_sample_tests(values: pl.DataFrame, *, alpha: float = ALPHA) -> pl.DataFrame:
    """Test all samples at once: sort by sample and value, count both sides upwards, take the largest distance.

    The distance is taken at the last of equal values, so ties are handled as `scipy.stats.ks_2samp` does.

    Args:
        values: columns `sample` (integer), `value` (any number; null is left out), `is_anonymised` (0 or 1).
        alpha: significance level.

    Returns:
        One row a sample, sorted: `sample`; `n` and `n_anonymised`, the non-null figures of each side; `statistic`, D,
        null if a side is empty; `can_reject`, whether any outcome at these sizes is significant; `p_value`, that of
        `scipy.stats.ks_2samp(method="asymp")`, and `detectable_shift` (see there, at the smaller n), both null unless
        `can_reject`.
    """
    distances = _distances(values.drop_nulls("value"))
    n, m = (distances[column].to_numpy().astype(np.float64) for column in ("n", "n_anonymised"))
    enough = smallest_p(n, m) <= alpha
    evidence = distances["statistic"].to_numpy()[enough], n[enough], m[enough]
    return distances.with_columns(
        pl.Series("can_reject", enough),
        _spread("p_value", enough, asymptotic_p(*evidence)),
        _spread("detectable_shift", enough, detectable_shift(np.minimum(*evidence[1:]), alpha=alpha)),
    )


def asymptotic_p(statistic: Floats, n: Floats, m: Floats) -> Floats:
    """Return P(D >= statistic) by the one-sample law at n * m / (n + m) observations: scipy's `method="asymp"`."""
    outcomes = np.column_stack([statistic, np.round(n * m / (n + m))])
    # NOTE: the law is a Python loop inside scipy, and most outcomes of many small samples are equal.
    distinct, place = np.unique(outcomes, axis=0, return_inverse=True)
    return np.clip(kstwo.sf(distinct[:, 0], distinct[:, 1]), 0, 1)[place.ravel()]


def ks_report(tests: pl.DataFrame, *, is_rebuilt: bool = False, alpha: float = ALPHA) -> Mapping[str, Any]:
    """Return what `ks.json` holds: the tests that are evidence, those that are too small to be, and whether all passed.

    It fails if any test has p <= alpha, and if any sample lost or gained a figure. Where figures were rebuilt out of other
    companies' (`is_rebuilt`), samples differ as two samples of one distribution do: then it fails if more than the share
    alpha of the tests is rejected, which is what chance alone would reject, or of the tests of one measure more than chance
    would reject once in 1 / `MISTAKES` measures.
    """
    evidence = tests.filter("can_reject").drop("can_reject")
    too_small = tests.filter(~pl.col("can_reject")).select("measure", "group", "year", "n")
    rejected = evidence.filter(pl.col("p_value") <= alpha).height
    unequal = tests.filter(pl.col("n") != pl.col("n_anonymised")).height
    allowed = int(alpha * evidence.height) if is_rebuilt else 0
    is_kept = _measures_pass(evidence, alpha) if is_rebuilt else unequal == 0
    return {
        "passed": rejected <= allowed and is_kept,
        "alpha": alpha,
        "allowed": allowed,
        "power": POWER,
        "rejected": rejected,
        "unequal_sizes": unequal,
        "smallest_p_value": evidence["p_value"].min(),
        "largest_statistic": evidence["statistic"].max(),
        "median_detectable_shift": evidence["detectable_shift"].median(),
        "tests": evidence.to_dicts(),
        "too_small": too_small.to_dicts(),
    }


def _measures_pass(evidence: pl.DataFrame, alpha: float) -> bool:
    """Say whether no measure has more tests rejected than chance would reject."""
    counts = evidence.group_by("measure").agg(n=pl.len(), rejected=(pl.col("p_value") <= alpha).sum())
    return bool((counts["rejected"].to_numpy() <= binom.isf(MISTAKES, counts["n"].to_numpy(), alpha)).all())


def _distances(values: pl.DataFrame) -> pl.DataFrame:
    anonymised = pl.col("is_anonymised").cast(pl.Int64)
    sizes = (1 - anonymised).sum().alias("n"), anonymised.sum().alias("n_anonymised")
    shares = [(side.cum_sum() / side.sum()).over("sample") for side in (1 - anonymised, anonymised)]
    is_last = pl.any_horizontal(pl.col(column) != pl.col(column).shift(-1) for column in ("sample", "value"))
    return (
        values.lazy()
        .sort("sample", "value")
        .with_columns(distance=(shares[0] - shares[1]).abs(), is_last=is_last.fill_null(True))
        .group_by("sample")
        .agg(*sizes, statistic=pl.col("distance").filter("is_last").max())
        .with_columns(pl.col("statistic").fill_nan(None))
        .sort("sample")
        .collect()
    )


def _spread(name: str, mask: npt.NDArray[np.bool_], values: Floats) -> pl.Series:
    """Place the values where the mask is true, null elsewhere."""
    column = np.full(mask.shape, np.nan)
    column[mask] = values
    return pl.Series(name, column, nan_to_null=True)
