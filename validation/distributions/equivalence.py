"""Are the distributions of the release shown to be equivalent to the originals', not merely not found to be different?

Belongs here: the margins with their reasons, a verdict on each sample, and when all samples together pass. Effects and standard
errors belong to `shape.py`.

A sample is `equivalent` if every criterion is shown to be within its margin, `different` if one is shown to be outside, each
by a one-sided test at alpha (two of them for a margin with two ends: Schuirmann 1987, Journal of Pharmacokinetics and
Biopharmaceutics 15, 657-680), and `undecided` otherwise: it has too few figures for the size of the change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import polars as pl
import scipy

from validation.distributions.power import POWER
from validation.distributions.samples import Booleans, Floats, Integers, rows_of
from validation.distributions.shape import Effect, Shapes

ALPHA = 0.05
"""Level of each one-sided test; 5 % is the convention of bioequivalence."""

EQUIVALENT, UNDECIDED, DIFFERENT = "equivalent", "undecided", "different"

DECIMALS = 2
"""Decimals of a published statistic. With more, the moments of four figures would disclose the figures."""


@dataclass(frozen=True)
class Margin:
    """How far a criterion may be from no effect, and why."""

    margin: float
    why: str


_BIOEQUIVALENT = "have a ratio of 0.8 to 1.25 (the convention of bioequivalence)"

MARGINS: Mapping[str, Margin] = {
    "shift": Margin(
        0.2, "the means differ by at most 0.2 standard deviations: a small effect (Cohen 1988, section 2.2)"
    ),
    "distance": Margin(0.2, "the Wasserstein-1 distance is at most 0.2 standard deviations, that of a small shift"),
    "factor": Margin(1.25, f"the geometric means of the absolute figures {_BIOEQUIVALENT}"),
    "spread": Margin(1.25, f"the standard deviations {_BIOEQUIVALENT}"),
    "tails": Margin(0.05, "of the 10 % beyond the 5th and 95th percentiles before at most half comes or goes"),
    "order": Margin(
        0.7,
        "companies keep their ranks: rank correlation with the originals of at least 0.7, half of the variance of ranks",
    ),
}
"""Criterion -> margin, for figures that stay with their companies; all on the signed log scale."""

_LOGARITHMIC = ("factor", "spread")
_ORDER = "order"


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The conditions under which an environment passes."""

    criteria: tuple[str, ...]
    """Names of the margins that a sample is held to."""
    fewest: int
    """Number of figures in the smallest sample that is judged."""
    is_broad: bool
    """Whether only the broadest level is judged."""
    differing: float
    """Largest share of judged samples that may be different."""
    shown: tuple[str, ...]
    """Criteria that most judged samples must be shown to meet."""
    pooled: tuple[str, ...] = ()
    """Those that samples may be shown to meet on average instead: one figure of 35 that crosses a quantile is too much for its
    sample to show anything of the tails, and which samples have one follows from the key."""


FIGURES_KEPT = Terms(
    criteria=tuple(MARGINS),
    fewest=4,
    is_broad=False,
    differing=0.0,
    shown=tuple(MARGINS),
    pooled=tuple(name for name in MARGINS if name != _ORDER),
)
"""Figures with digit noise: no sample may differ, and most must be equivalent in every criterion, or all on average."""

FIGURES_SAMPLED = Terms(
    criteria=tuple(name for name in MARGINS if name != _ORDER),
    fewest=30,
    is_broad=True,
    differing=0.2,
    shown=("distance",),
)
"""Sampled figures: the promise is that four of five industries of some size keep their distributions (our choice). The figures
belong to other companies, so there is no order to keep: samples are compared rank by rank (`samples.ranked_samples`)."""


@dataclass(frozen=True)
class _Tested:
    """The samples in which a criterion is shown to be within its margin, and those in which it is shown to be outside."""

    within: Booleans
    outside: Booleans


def equivalence(found: Shapes, tests: pl.DataFrame, *, is_sampled: bool = False) -> dict[str, Any]:
    """Return the samples' part of `distributions.json`: statistics, a verdict on each, and whether all pass.

    Args:
        tests: columns `samples.KEYS`; the samples to report, in this order (those of `ks.json`).
    """
    terms = FIGURES_SAMPLED if is_sampled else FIGURES_KEPT
    rows = rows_of(found.labels, tests)
    tested = {name: _Tested(one.within[rows], one.outside[rows]) for name, one in _tests(found, terms).items()}
    verdicts = _verdicts(tested)
    statistics = _statistics(found).drop(name for name in MARGINS if name not in terms.criteria)
    frame = statistics[rows].with_columns(verdict=pl.Series(verdicts, dtype=pl.String))
    is_judged = (found.sizes[rows] >= terms.fewest) & _is_judged(tests["level"], terms)
    # Samples of one level share no figure. That identities tie figures of several measures is neglected.
    widest = rows[is_judged & _is_broadest(tests["level"])]
    on_average = [name for name in terms.pooled if _is_within_on_average(found, name, widest)]
    judged = _judgement(verdicts, tested, is_judged, terms, on_average)
    return {
        "passed": judged["passed"],
        "alpha": ALPHA,
        "margins": {name: vars(MARGINS[name]) for name in terms.criteria},
        "summary": _counts(verdicts, np.ones(rows.size, dtype=np.bool_)) | {"pairs_needed": _pairs_needed(found, rows)},
        "judged": judged,
        "multiplicity": MULTIPLICITY,
        "samples": {"columns": frame.columns, "rows": [list(row) for row in frame.rows()]},
    }


def as_records(samples: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the reported samples as records, in their order."""
    return [dict(zip(samples["columns"], row, strict=True)) for row in samples["rows"]]


def farthest(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the reported samples: different ones first, then by their distance, the largest first."""
    return sorted(records, key=lambda record: (record["verdict"] != DIFFERENT, -(record["distance"] or 0.0)))


MULTIPLICITY = (
    f"A sample is equivalent only if each criterion is met by itself, with a chance of {ALPHA:.0%} at most of meeting it "
    "wrongly: then the chance of calling a sample equivalent wrongly is no larger (intersection-union, Berger 1982), however "
    "many criteria there are. The number of samples changes nothing: each is judged by itself. A sample that is off by exactly "
    f"a margin is called different in {ALPHA:.0%} of cases."
)


def _tests(found: Shapes, terms: Terms) -> dict[str, _Tested]:
    tested = {name: _within(_effect(found, name), _limit(name), found.sizes) for name in MARGINS if name != _ORDER}
    if _ORDER in terms.criteria:
        tested[_ORDER] = _follows(found.spearman, found.sizes, MARGINS[_ORDER].margin)
    # A criterion that is undefined if all figures are equal (a spread, an order) is met if no figure changed.
    return {name: _Tested(one.within | found.is_same, one.outside) for name, one in tested.items()}


def _effect(found: Shapes, criterion: str) -> Effect:
    effect: Effect = getattr(found, criterion)
    return effect


def _is_within_on_average(found: Shapes, criterion: str, rows: Integers) -> bool:
    """Test the mean size of an effect over samples, weighted by their figures, against its margin at `ALPHA`."""
    effect, is_same = _effect(found, criterion), found.is_same[rows]
    weights = found.sizes[rows] / max(found.sizes[rows].sum(), 1)
    size, error = (np.where(is_same, 0.0, side[rows]) * weights for side in (effect.size, effect.error))
    reach = scipy.special.ndtri(1 - ALPHA) * np.sqrt((error**2).sum())
    return rows.size > 0 and bool(np.abs(size).sum() + reach <= _limit(criterion))


def _limit(criterion: str) -> float:
    margin = MARGINS[criterion].margin
    return log(margin) if criterion in _LOGARITHMIC else margin


def _within(effect: Effect, limit: float, sizes: Floats) -> _Tested:
    """Test an effect against its margin by Student's t; an undefined effect is neither shown within nor outside."""
    reach = scipy.special.stdtrit(np.maximum(sizes - 1, 1), 1 - ALPHA) * effect.error
    size = np.abs(effect.size)
    return _Tested(size + reach <= limit, size - reach > limit)


def _follows(spearman: Floats, sizes: Floats, margin: float) -> _Tested:
    """Test a rank correlation by Fisher's z, of variance 1.06 / (n - 3) (Fieller et al. 1957, Biometrika 44, 470-481)."""
    almost = 1 - 1e-12
    z = np.arctanh(np.clip(spearman, -almost, almost))
    reach = scipy.special.ndtri(1 - ALPHA) * np.sqrt(1.06 / np.maximum(sizes - 3, 0.5))
    return _Tested(z - reach >= np.arctanh(margin), z + reach < np.arctanh(margin))


def _verdicts(tested: Mapping[str, _Tested]) -> list[str]:
    within = np.all([one.within for one in tested.values()], axis=0)
    outside = np.any([one.outside for one in tested.values()], axis=0)
    return list(np.where(outside, DIFFERENT, np.where(within, EQUIVALENT, UNDECIDED)).tolist())


def _is_judged(levels: pl.Series, terms: Terms) -> Booleans:
    return _is_broadest(levels) if terms.is_broad else np.ones(levels.len(), "?")


def _is_broadest(levels: pl.Series) -> Booleans:
    """Return which samples are of the broadest level: the last."""
    return np.asarray((levels == levels[-1]).to_numpy() if levels.len() else np.ones(0, "?"))


def _judgement(
    verdicts: list[str], tested: Mapping[str, _Tested], judged: Booleans, terms: Terms, on_average: list[str]
) -> dict[str, Any]:
    """Return what was judged, and whether it passes. If nothing was judged, it does."""
    counts = _counts(verdicts, judged)
    allowed = int(terms.differing * counts["samples"])
    met = {name: int((one.within & judged).sum()) for name, one in tested.items()}
    missed = {name: int((one.outside & judged).sum()) for name, one in tested.items()}
    is_shown = all(2 * met[name] >= counts["samples"] or name in on_average for name in terms.shown)
    return {
        "passed": counts[DIFFERENT] <= allowed and is_shown,
        **counts,
        "fewest": terms.fewest,
        "allowed": allowed,
        "met": met,
        "met_on_average": on_average,
        "missed": missed,
        "most_must_meet": list(terms.shown),
    }


def _counts(verdicts: list[str], counted: Booleans) -> dict[str, int]:
    chosen = np.array(verdicts, dtype=np.str_)[counted]
    kinds = {verdict: int((chosen == verdict).sum()) for verdict in (EQUIVALENT, UNDECIDED, DIFFERENT)}
    return {"samples": int(counted.sum()), **kinds}


def _statistics(found: Shapes) -> pl.DataFrame:
    """Return the published statistics of each sample: ratios and differences, too coarse to compute a figure from."""
    columns = {
        "shift": found.shift.size,
        "distance": found.distance.size,
        "factor": np.exp(found.factor.size),
        "spread": np.exp(found.spread.size),
        "tails": found.tails.size,
        "order": found.spearman,
        "skewness": found.skewness,
        "kurtosis": found.kurtosis,
        "decile": found.decile,
    }
    numbers = pl.DataFrame(columns).fill_nan(None).select(pl.all().round(DECIMALS) + 0.0)
    named = found.labels.with_columns(n=pl.Series(found.sizes.astype(np.int64))).hstack(numbers)
    # Numbers separate the texts: "Total Equity" next to "Residential REITs" would contain a company's name.
    return named.select("level", "year", "measure", "n", "group", pl.exclude("level", "year", "measure", "n", "group"))


def _pairs_needed(found: Shapes, rows: Integers) -> int | None:
    """Return the number of companies at which half of the samples could show equivalence of a shift of 0 with `POWER`.

    Source: Julious (2004), Statistics in Medicine 23, 1921-1986, section 4.1, with the paired error. Two samples of different
    companies would each need 2 * ((1.645 + 1.282) / 0.2)^2 = 428.
    """
    sizes, errors = found.sizes[rows], found.shift.error[rows]
    quantiles = scipy.special.ndtri(1 - ALPHA) + scipy.special.ndtri((1 + POWER) / 2)
    needed = sizes * (quantiles * errors / MARGINS["shift"].margin) ** 2
    return max(2, int(np.ceil(np.nanmedian(needed)))) if np.isfinite(needed).any() else None
