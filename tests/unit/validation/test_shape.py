"""What KS does not see, in one pass: equal to scipy and numpy sample by sample, gaps, ties and constants included."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.model import Measure
from validation.distributions.samples import Floats, from_signed_log, paired_samples, signed_log
from validation.distributions.shape import DECILES, TAIL, Shapes, shapes

MEASURES = (Measure(name="revenue", unit="EUR", decimals=2), Measure(name="growth", unit="%", decimals=1))
LEVELS = {"sub_industry": "trade", "industry": "sector"}


@st.composite
def panels(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Draw two sides of one panel: ties, zeros, losses, and gaps that need not be in the same rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(st.integers(1, 60))
    trades = rng.integers(0, 4, size)
    keys = {"year": rng.integers(2021, 2023, size), "trade": trades, "sector": trades // 2}
    base = pl.DataFrame(keys).with_columns(pl.when(pl.col("trade") > 0).then("trade"))
    sides = []
    for _ in range(2):
        values = {name.name: rng.integers(-4, draw(st.sampled_from([5, 10**12])), size) for name in MEASURES}
        gaps = rng.random((len(MEASURES), size)) < draw(st.sampled_from([0.0, 0.3]))
        columns = [
            pl.Series(name, column).set(pl.Series(gap), None)
            for (name, column), gap in zip(values.items(), gaps, strict=True)
        ]
        sides.append(base.with_columns(columns))
    return sides[0], sides[1]


def compared(before: pl.DataFrame, after: pl.DataFrame) -> tuple[pl.DataFrame, Shapes]:
    samples = paired_samples(before, after, measures=MEASURES, levels=LEVELS)
    found = Shapes.merged([shapes(each) for each in samples])
    return found.labels, found


def sample(frame: pl.DataFrame, row: dict[str, object]) -> Floats:
    """Return one sample's figures in their unit's signed logs, NaN where there is none, the slow way."""
    column = LEVELS[str(row["level"])]
    here = frame.filter(pl.col(column).eq_missing(pl.lit(row["group"])) & (pl.col("year") == row["year"]))
    decimals = next(measure.decimals for measure in MEASURES if measure.name == row["measure"])
    values = [None if value is None else value / 10**decimals for value in here[str(row["measure"])]]
    return np.array([math.nan if v is None else math.copysign(math.log1p(abs(v)), v) for v in values])


@given(panels())
def test_statistics_are_those_of_scipy(sides: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    """Moments, distance, quantiles and tails of every sample equal scipy's and numpy's of that sample alone."""
    labels, found = compared(*sides)
    for i, row in enumerate(labels.iter_rows(named=True)):
        x, y = (side[~np.isnan(side)] for side in (sample(frame, row) for frame in sides))
        assert found.sizes[i] == min(len(x), len(y))
        if min(len(x), len(y)) < 2 or np.ptp(x) == 0:
            continue
        sd = np.std(x, ddof=1)
        assert found.shift.size[i] == pytest.approx((y.mean() - x.mean()) / sd, abs=1e-9)
        assert found.distance.size[i] == pytest.approx(stats.wasserstein_distance(x, y) / sd, abs=1e-9)
        deciles = np.abs(np.quantile(y, DECILES) - np.quantile(x, DECILES)).max() / sd
        assert found.decile[i] == pytest.approx(deciles, abs=1e-9)
        low, high = np.quantile(x, [TAIL, 1 - TAIL])
        tails = [np.mean((side < low - 1e-12) | (side > high + 1e-12)) for side in (x, y)]
        assert found.tails.size[i] == pytest.approx(
            tails[1] - tails[0], abs=2 / len(x) if len(set(x)) < len(x) else 1e-9
        )
        if np.ptp(y) > 0:
            assert found.spread.size[i] == pytest.approx(np.log(np.std(y, ddof=1) / sd), abs=1e-9)
            assert found.skewness[i] == pytest.approx(stats.skew(y) - stats.skew(x), abs=1e-6)
            assert found.kurtosis[i] == pytest.approx(stats.kurtosis(y) - stats.kurtosis(x), abs=1e-5)


@given(panels())
def test_rank_correlation_is_that_of_scipy_without_gaps(sides: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    """Where both sides report the same companies, it is `scipy.stats.spearmanr`, ties at their mean rank."""
    before, after = sides
    after = after.with_columns(
        pl.when(before[m.name].is_not_null()).then(pl.col(m.name).fill_null(7)) for m in MEASURES
    )
    labels, found = compared(before, after)
    for i, row in enumerate(labels.iter_rows(named=True)):
        x, y = (sample(frame, row) for frame in (before, after))
        x, y = x[~np.isnan(x)], y[~np.isnan(y)]
        if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(found.spearman[i])
        else:
            assert found.spearman[i] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)


def one_sample(before: Floats, after: Floats) -> Shapes:
    """Compare two sides of one measure in one group, given in euros."""
    frames = [
        pl.DataFrame({"revenue": np.round(side * 100).astype(np.int64)}).with_columns(
            pl.lit(0, dtype=pl.Int64).alias("growth"), year=2022, trade=pl.lit("bakers"), sector=pl.lit("food")
        )
        for side in (before, after)
    ]
    return compared(*frames)[1]


def test_error_of_the_shift_is_that_of_paired_differences() -> None:
    """Without gaps the standard error is the one of `scipy.stats.ttest_rel`."""
    rng = np.random.default_rng(1)
    before = rng.lognormal(15, 2, 40)
    after = before * rng.lognormal(0, 0.3, 40)
    found = one_sample(before, after)
    x, y = signed_log(np.round(before, 2)), signed_log(np.round(after, 2))
    t = stats.ttest_rel(y, x).statistic
    assert found.shift.size[0] / found.shift.error[0] == pytest.approx(t, rel=1e-6)


def test_factor_is_the_ratio_of_geometric_means() -> None:
    """Twice the figures is a factor of 2 whatever their signs, zeros left out."""
    before = np.array([0.0, 3, -5, 100, 1e9])
    found = one_sample(before, 2 * before)
    assert np.exp(found.factor.size[0]) == pytest.approx(2)
    assert found.factor.error[0] == pytest.approx(0, abs=1e-9)


def test_a_figure_that_vanished_is_a_change() -> None:
    """Only figures that stand on both sides, or on neither, can be the same."""
    before = pl.DataFrame(
        {"revenue": [1, 2, None], "growth": [0, 0, 0], "year": 2022, "trade": "bakers", "sector": "food"}
    )
    gone = before.with_columns(revenue=pl.Series([1, None, None], dtype=pl.Int64))
    labels, found = compared(before, gone)
    is_of_revenue = (labels["measure"] == "revenue").to_numpy()
    assert not found.is_same[is_of_revenue].any()
    assert found.is_same[~is_of_revenue].all()
    assert compared(before, before)[1].is_same.all()


def test_same_figures_have_no_effect() -> None:
    """What did not change is 0 in everything, and is known to be the same; an all-equal sample has no spread."""
    found = one_sample(np.arange(9.0), np.arange(9.0))
    for effect in (found.shift, found.distance, found.factor, found.spread, found.tails):
        assert (effect.size[0], effect.error[0]) == (0, pytest.approx(0, abs=1e-7))
    assert found.is_same[0]
    assert found.spearman[0] == pytest.approx(1)
    # `growth`, of the last samples, is 0 everywhere.
    assert found.is_same[-1]
    assert np.isnan(found.spread.size[-1])


def test_simulated_errors_are_the_stated_ones() -> None:
    """Over 400 draws of a perturbation of the same firms, effects scatter as their stated errors say, within a quarter."""
    rng = np.random.default_rng(5)
    before = rng.lognormal(12, 1.5, 80)
    draws = [one_sample(before, before * rng.lognormal(0, 0.5, 80)) for _ in range(400)]
    for name in ("shift", "factor", "spread"):
        effects = [getattr(draw, name) for draw in draws]
        scatter = np.std([effect.size[0] for effect in effects])
        assert np.median([effect.error[0] for effect in effects]) == pytest.approx(scatter, rel=0.25)


@given(st.floats(-1e15, 1e15))
def test_signed_log_is_undone(value: float) -> None:
    """The scale keeps sign and order of magnitude, and has an inverse."""
    assert from_signed_log(signed_log(np.array([value])))[0] == pytest.approx(value, rel=1e-9, abs=1e-9)
