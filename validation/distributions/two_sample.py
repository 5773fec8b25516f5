"""Two-sample Kolmogorov-Smirnov tests of many samples in one pass, with the shift that each could have detected.

Belongs here: the statistic, its p-value, and which tests are too small to be evidence (`power.py` has their power). The caller
chooses the samples, except for the panel (`compare_distributions`); aggregates are compared in `consistency/aggregates.py`.

The verdict uses uncorrected p: each test must pass alone, which is stricter than any correction for their number. Figures
with digit noise are not an independent sample but a copy, so that chance rejections at the rate `alpha` are not expected;
for sampled figures they are, and no more than those are allowed. Reports also have p by Holm's correction, for readers who
ask whether anything at all is found.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from pipeline.model import PERIOD, Measured
from pipeline.wording import exact_percent
from validation.distributions.law import p_values, smallest_p
from validation.distributions.power import POWER, detectable_shift
from validation.distributions.samples import Booleans, Floats, Integers

ALPHA = 0.05
"""Significance level of the paper's appendix A.2: no test may have p <= 0.05."""

MOST_OF_SAMPLED = 0.15
"""Share of tests that may reject where figures are sampled: a third of it by chance, the rest by the noise of statistics (our
choice: on us-listed at the default budget it is 8 %, and a measure in another's place alone rejects most of its tests)."""


def compare_distributions(
    originals: pl.DataFrame, anonymised: pl.DataFrame, *, panel: Measured, levels: Mapping[str, str]
) -> pl.DataFrame:
    """Test every measure in every group and year: do original and anonymised figures have one distribution?

    Years are not pooled, because a company's figures of two years are not independent. Nulls are left out.

    Args:
        originals: column `PERIOD`, one for each level and one of quanta for each measure; row order does not matter.
        anonymised: the same columns.
        levels: level -> column whose values, null among them, make its groups.

    Returns:
        One row for each level, measure, group and year that has a figure on either side: `level, measure, group, year`, then
        the columns of `two_sample_tests` and `p_holm`, p by Holm's step-down correction over all tests of the level; in the
        order of the levels and the panel's measures, then by group and year.
    """
    names = [measure.name for measure in panel.measures]
    groups = _groups(originals, anonymised, levels)
    placed = [
        (is_anonymised, side, _places(side, groups, level, column))
        for is_anonymised, side in enumerate((originals, anonymised))
        for level, column in levels.items()
    ]
    # Measure by measure, so that only one measure's figures are sorted and kept at a time.
    distances = [
        _distances(_long(placed, name)).select(pl.lit(which).alias("which"), pl.lit(name).alias("measure"), pl.all())
        for which, name in enumerate(names)
    ]
    return (
        _tested(pl.concat(distances))
        .join(groups, left_on="sample", right_on="place", maintain_order="left")
        .pipe(_with_holm)
        .sort(pl.col("level").replace_strict({level: i for i, level in enumerate(levels)}), "which", "sample")
        .select("level", "measure", "group", "year", pl.exclude("level", "measure", "group", "year", "sample", "which"))
    )


def two_sample_tests(values: pl.DataFrame) -> pl.DataFrame:
    """Test all samples at once: sort by sample and value, cumulate the counts of both sides, take the largest distance.

    The distance is taken at the last of equal values, so that ties are treated as in `scipy.stats.ks_2samp`.

    Args:
        values: columns `sample` (integer), `value` (any number; null is left out), `is_anonymised` (0 or 1).

    Returns:
        One row a sample, sorted: `sample`; `n` and `n_anonymised`, the non-null figures of each side; `statistic`, D,
        null if a side is empty; `can_reject`, whether any outcome at these sizes is significant; `p_value`, that of
        `law.p_values`, and `detectable_shift` (see there, at the smaller n), both null unless
        `can_reject`.
    """
    return _tested(_distances(values.drop_nulls("value")))


def _tested(distances: pl.DataFrame) -> pl.DataFrame:
    """Add what follows from sizes and distances: `can_reject`, `p_value` and `detectable_shift`."""
    n, m = (distances[column].to_numpy().astype(np.float64) for column in ("n", "n_anonymised"))
    enough = (np.minimum(n, m) > 0) & (smallest_p(n, m) <= ALPHA)
    evidence = distances["statistic"].to_numpy()[enough], n[enough], m[enough]
    return distances.with_columns(
        pl.Series("can_reject", enough),
        _spread("p_value", enough, p_values(*evidence)),
        _spread("detectable_shift", enough, detectable_shift(np.minimum(*evidence[1:]), alpha=ALPHA)),
    )


def ks_report(tests: pl.DataFrame, *, is_sampled: bool = False) -> Mapping[str, Any]:
    """Return the content of `ks.json`: tests that are evidence, tests that are too small, and whether all passed.

    It fails if any test has p <= `ALPHA`, or if any sample lost or gained a figure. Samples of sampled figures differ like two
    samples of one distribution, and by the noise of the statistics: then it fails if more than `MOST_OF_SAMPLED` of the tests
    are rejected.
    """
    evidence = tests.filter("can_reject").select(_REPORTED)
    too_small = tests.filter(~pl.col("can_reject")).select("level", "measure", "group", "year", "n")
    rejected = evidence.filter(pl.col("p_value") <= ALPHA).height
    unequal = tests.filter(pl.col("n") != pl.col("n_anonymised")).height
    allowed = int(MOST_OF_SAMPLED * evidence.height) if is_sampled else 0
    return {
        "passed": rejected <= allowed and (is_sampled or unequal == 0),
        "alpha": ALPHA,
        "allowed": allowed,
        "power": POWER,
        "rejected": rejected,
        "unequal_sizes": unequal,
        "smallest_p_value": evidence["p_value"].min(),
        "smallest_p_holm": evidence["p_holm"].min(),
        "largest_statistic": evidence["statistic"].max(),
        "median_detectable_shift": evidence["detectable_shift"].median(),
        "multiplicity": MULTIPLICITY[is_sampled],
        "tests": evidence.to_dicts(),
        "too_small": too_small.to_dicts(),
    }


_REPORTED = (
    *("level", "measure", "group", "year", "n", "n_anonymised"),
    *("statistic", "p_value", "p_holm", "detectable_shift"),
)

_HOLM = "Beside p stands p (Holm), by Holm's step-down correction over all tests of one level."

MULTIPLICITY = {
    False: "p is not corrected for the number of tests: each must pass alone, which is stricter than any correction. "
    + _HOLM,
    True: "p is not corrected for the number of tests: of sampled figures chance alone would reject at most "
    f"{exact_percent(ALPHA)} of tests, and {exact_percent(MOST_OF_SAMPLED)} may be rejected in all. " + _HOLM,
}
"""How the report treats the number of tests, by whether figures are sampled."""


def _long(placed: Sequence[tuple[int, pl.DataFrame, pl.Series]], name: str) -> pl.DataFrame:
    """Return the figures of a measure as `two_sample_tests` takes them, from each side and the places of its rows."""
    parts = [
        pl.DataFrame({"sample": places, "value": side[name]}).with_columns(is_anonymised=is_anonymised)
        for is_anonymised, side, places in placed
    ]
    return pl.concat(parts).drop_nulls("value")


def _groups(originals: pl.DataFrame, anonymised: pl.DataFrame, levels: Mapping[str, str]) -> pl.DataFrame:
    """Return the groups and years of both sides, sorted within each level, each with its `place`."""
    found = [
        side.select(level=pl.lit(level), group=pl.col(column), year=pl.col(PERIOD)).unique()
        for level, column in levels.items()
        for side in (originals, anonymised)
    ]
    return pl.concat(found).unique().sort("level", "group", "year", nulls_last=True).with_row_index("place")


def _places(side: pl.DataFrame, groups: pl.DataFrame, level: str, column: str) -> pl.Series:
    """Return the place of each row's group and year."""
    rows, keys = side.select(group=pl.col(column), year=pl.col(PERIOD)), ["group", "year"]
    return rows.join(groups.filter(level=level), on=keys, how="left", nulls_equal=True, maintain_order="left")["place"]


def _with_holm(tests: pl.DataFrame) -> pl.DataFrame:
    return tests.with_columns(p_holm=_holm(pl.col("p_value")).over("level"))


def _holm(p_value: pl.Expr) -> pl.Expr:
    """Return the p-values by Holm (1979, Scandinavian Journal of Statistics 6, 65-70); nulls are no tests."""
    rank = p_value.rank("ordinal")
    corrected = (p_value * (p_value.count() + 1 - rank)).sort_by(p_value, nulls_last=True).cum_max()
    return corrected.gather(rank - 1).clip(upper_bound=1.0)


def _distances(values: pl.DataFrame) -> pl.DataFrame:
    """Return `sample`, `n`, `n_anonymised` and `statistic` of each sample, sorted."""
    number = values["sample"].to_numpy()
    order = np.argsort(values["value"].to_numpy())
    # numpy sorts integers of 16 bits by radix, several times as fast as by comparison.
    order = order[np.argsort(number.astype(np.min_scalar_type(int(number.max(initial=0))))[order], kind="stable")]
    number, figures, anonymised = (values[name].to_numpy()[order] for name in ("sample", "value", "is_anonymised"))
    is_new = np.diff(number, prepend=number[:1] - 1) != 0
    starts = np.flatnonzero(is_new)
    place = np.cumsum(is_new) - 1
    sizes, shares = zip(*(_shares(side, starts, place) for side in (1 - anonymised, anonymised)), strict=True)
    is_last = np.append(is_new[1:] | (figures[1:] != figures[:-1]), np.ones(min(1, number.size), dtype=np.bool_))
    distances = np.where(is_last, np.abs(shares[0] - shares[1]), 0.0)
    statistic = np.maximum.reduceat(distances, starts) if starts.size else distances
    return pl.DataFrame(
        {"sample": number[starts], "n": sizes[0], "n_anonymised": sizes[1], "statistic": statistic},
        schema_overrides={"n": pl.Int64, "n_anonymised": pl.Int64, "statistic": pl.Float64},
    ).with_columns(pl.col("statistic").fill_nan(None))


def _shares(side: Integers, starts: Integers, place: Integers) -> tuple[Any, Any]:
    """Return how many figures of one side each sample has, and which share of them stands up to each figure."""
    counts = np.cumsum(side, dtype=np.int64)
    before = counts[starts] - side[starts]
    sizes = np.diff(np.append(before, counts[-1:]))
    with np.errstate(invalid="ignore"):  # a side without figures has no shares
        return sizes, (counts - before[place]) / sizes[place]


def _spread(name: str, mask: Booleans, values: Floats) -> pl.Series:
    """Place the values where the mask is true, null elsewhere."""
    column = np.full(mask.shape, np.nan)
    column[mask] = values
    return pl.Series(name, column, nan_to_null=True)
