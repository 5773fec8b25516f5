"""Likeness of figures: equal to scipy's correlations, unmoved by what does not matter, and moved by what does."""

import json
import time
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from validation.likeness import FEWEST, Likeness, likeness

MEASURES = ("revenue", "assets", "profit")
SIZE = 60


@st.composite
def records(draw: st.DrawFn) -> pl.DataFrame:
    """Draw records of two industries with ties, huge figures and gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = (len(MEASURES), SIZE)
    values = rng.integers(-3, 3, shape) * draw(st.sampled_from([1, 10**17 // 3])) + rng.integers(0, 3, shape)
    gaps = rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.5]))
    figures = {measure: pl.Series(values[j]).set(pl.Series(gaps[j]), None) for j, measure in enumerate(MEASURES)}
    return pl.DataFrame(figures).with_columns(industry=pl.Series(["a", "b"] * (SIZE // 2)))


def correlated(size: int = 200) -> pl.DataFrame:
    """Return records whose profit follows revenue, and whose assets follow neither."""
    rng = np.random.default_rng(3)
    revenue, assets = rng.lognormal(10, 2, (2, size)).astype(np.int64)
    return pl.DataFrame(
        {"industry": ["a", "b"] * (size // 2), "revenue": revenue, "assets": assets, "profit": revenue // 7}
    )


def compared(originals: pl.DataFrame, published: pl.DataFrame) -> Likeness:
    return likeness(originals, published, MEASURES, group="industry")


def scipys(left: pl.Series, right: pl.Series) -> float | None:
    """Return scipy's coefficient over complete pairs, None where it is undefined or of too few."""
    both = pl.DataFrame({"left": left, "right": right}).drop_nulls()
    if both.height < FEWEST or both["left"].n_unique() == 1 or both["right"].n_unique() == 1:
        return None
    return float(stats.spearmanr(both["left"].to_numpy(), both["right"].to_numpy()).statistic)


@settings(max_examples=20)
@given(records(), records())
def test_correlations_with_the_originals_are_scipys(originals: pl.DataFrame, published: pl.DataFrame) -> None:
    """Spearman of each measure with its original equals scipy's over the records that report both."""
    found = compared(originals, published).spearman
    expected = {measure: scipys(originals[measure], published[measure]) for measure in MEASURES}
    assert found == pytest.approx({name: value for name, value in expected.items() if value is not None}, abs=1e-9)


@settings(max_examples=20)
@given(records(), records())
def test_drift_is_the_largest_change_of_scipys_correlations(originals: pl.DataFrame, published: pl.DataFrame) -> None:
    """The largest drift, its pair and the 95th percentile are those of scipy's pairwise correlations."""
    drifts = {}
    for pair in combinations(MEASURES, 2):
        before, after = (scipys(side[pair[0]], side[pair[1]]) for side in (originals, published))
        if before is not None and after is not None:
            drifts[pair] = abs(before - after)
    found = compared(originals, published)
    assert found.pairs == len(drifts)
    if drifts:
        assert found.largest_drift == pytest.approx(max(drifts.values()), abs=1e-9)
        assert found.drift_95 == pytest.approx(np.quantile(list(drifts.values()), 0.95), abs=1e-9)
        assert found.drifting_pair is not None
        assert drifts[found.drifting_pair] == pytest.approx(found.largest_drift, abs=1e-9)


@settings(max_examples=20)
@given(records(), records())
def test_distance_is_scipys(originals: pl.DataFrame, published: pl.DataFrame) -> None:
    """The largest D equals the largest of `scipy.stats.ks_2samp` over measures and industries."""
    distances = []
    for measure in MEASURES:
        for industry in "ab":
            old, new = (side.filter(industry=industry)[measure].drop_nulls() for side in (originals, published))
            if len(old) and len(new):
                distances.append(stats.ks_2samp(old, new, method="asymp").statistic)
            elif len(old) or len(new):
                distances.append(1.0)
    assert compared(originals, published).largest_distance == pytest.approx(max(distances), abs=1e-12)


def test_equal_figures_are_alike() -> None:
    """Figures published as they are correlate with themselves at 1, drift nowhere and have no distance."""
    found = compared(correlated(), correlated())
    assert found.spearman == pytest.approx(dict.fromkeys(MEASURES, 1.0))
    assert (found.largest_drift, found.drift_95, found.largest_distance) == (0, 0, 0)


def test_shuffled_figures_keep_distributions_alone() -> None:
    """A measure shuffled within its industries has D = 0, and neither rank nor correlation is left."""
    originals = correlated()
    published = originals.with_columns(pl.col("profit").shuffle(seed=1).over("industry"))
    found = compared(originals, published)
    assert found.largest_distance == 0
    assert abs(found.spearman["profit"]) < 0.3
    assert found.largest_drift is not None
    assert found.largest_drift > 0.7
    assert found.drifting_pair == ("revenue", "profit")


def test_distances_are_taken_within_groups() -> None:
    """Two industries that exchange their figures differ, though the whole table does not."""
    originals = correlated().with_columns(
        assets=pl.int_range(pl.len()) + pl.when(industry="b").then(1_000).otherwise(0)
    )
    published = originals.with_columns(assets=pl.int_range(pl.len()) + pl.when(industry="a").then(1_000).otherwise(0))
    assert compared(originals, published).largest_distance == 1


def test_few_records_have_no_correlation() -> None:
    """Below the fewest records nothing is correlated; distances are still taken."""
    few = correlated().head(FEWEST - 1)
    found = compared(few, few)
    assert (found.spearman, found.median_spearman, found.pairs, found.largest_drift) == ({}, None, 0, None)
    assert (found.drifting_pair, found.largest_distance) == (None, 0)


def test_constant_measures_have_no_correlation() -> None:
    """A measure that is the same for everybody has no ranks to keep."""
    constant = correlated().with_columns(assets=pl.lit(0, pl.Int64))
    found = compared(constant, constant)
    assert set(found.spearman) == {"revenue", "profit"}
    assert found.pairs == 1


def test_no_records_are_no_evidence() -> None:
    """An empty table has neither correlations nor distances."""
    found = compared(correlated().clear(), correlated().clear())
    assert (found.records, found.median_spearman, found.largest_drift, found.largest_distance) == (0, None, None, None)


def test_what_is_published_is_json() -> None:
    """The report is plain JSON with every field, and tells measures, no records."""
    published = compared(correlated(), correlated()).published()
    assert json.loads(json.dumps(published)) == published
    assert set(published) == set(Likeness.__annotations__)


def test_many_measures_take_seconds() -> None:
    """48 measures of 6,895 records, a fifth missing, take a few seconds at most on a busy machine."""
    rng = np.random.default_rng(5)
    names = [f"m{j}" for j in range(48)]
    figures, gaps = rng.integers(0, 10**12, (48, 6_895)), rng.random((48, 6_895)) < 0.2
    frame = pl.DataFrame(
        {name: pl.Series(figures[j]).set(pl.Series(gaps[j]), None) for j, name in enumerate(names)}
    ).with_columns(industry=pl.int_range(pl.len()) % 17)
    started = time.process_time()
    assert likeness(frame, frame.reverse().with_columns("industry"), names, group="industry").pairs == 1_128
    assert time.process_time() - started < 10
