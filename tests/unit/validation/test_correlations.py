"""Correlations between measures: scipy's where nobody leaves a figure out, and able to see a broken relation."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from validation.distributions.correlations import FEWEST_PAIRS, correlation_changes, rank_correlations

NAMES = ["revenue", "assets", "profit"]


def figures(size: int = 120, *, seed: int = 4) -> pl.DataFrame:
    """Return two years of firms whose profit follows revenue; ties, and figures near the largest of 64 bits."""
    rng = np.random.default_rng(seed)
    revenue = rng.integers(0, 40, size) * 10**15
    return pl.DataFrame(
        {
            "year": np.arange(size) % 2 + 2021,
            "revenue": revenue,
            "assets": rng.integers(0, 10**18, size),
            "profit": revenue // 7 + rng.integers(0, 10**14, size),
        }
    )


def test_matrix_is_scipys() -> None:
    """Without gaps each entry is Spearman's coefficient of the pair."""
    found = rank_correlations(figures().select(NAMES))
    for i, j in combinations(range(len(NAMES)), 2):
        expected = stats.spearmanr(figures()[NAMES[i]].to_numpy(), figures()[NAMES[j]].to_numpy()).statistic
        assert found[i, j] == pytest.approx(expected, abs=1e-9)


def test_gaps_are_left_out_pair_by_pair() -> None:
    """With gaps it is Pearson's coefficient of the ranks over the firms that report both."""
    frame = figures().with_columns(assets=pl.when(pl.int_range(pl.len()) % 3 > 0).then("assets"))
    ranks = frame.select(pl.col("revenue", "assets").rank().cast(pl.Float64)).drop_nulls()
    expected = stats.pearsonr(ranks["revenue"].to_numpy(), ranks["assets"].to_numpy()).statistic
    assert rank_correlations(frame.select(NAMES))[0, 1] == pytest.approx(expected, abs=1e-9)


def test_few_firms_and_constants_have_none() -> None:
    """Below the fewest firms, or where a measure is the same for all, there is no coefficient."""
    frame = figures().select(NAMES).with_columns(assets=pl.lit(7, pl.Int64))
    assert np.isnan(rank_correlations(frame)[0, 1])
    assert np.isnan(rank_correlations(frame.head(FEWEST_PAIRS - 1))).all()


def test_a_shuffled_measure_shows_in_its_year() -> None:
    """A measure shuffled in one year changes its strongest correlation there, and nothing in the other year."""
    shuffled = pl.when(pl.col("year") == 2022).then(pl.col("profit").shuffle(seed=1).over("year")).otherwise("profit")
    before, after = correlation_changes(figures(), figures().with_columns(profit=shuffled), NAMES)
    assert (before["year"], before["largest_change"]) == (2021, 0)
    assert after["largest_change"] > 0.7
    assert after["pair"] == ["revenue", "profit"]
    assert (after["records"], after["pairs"]) == (60, 3)


def test_years_without_a_pair_say_so() -> None:
    """With too few firms the entry is there, without figures."""
    entry = correlation_changes(figures(10), figures(10), NAMES)[0]
    assert (entry["pairs"], entry["largest_change"], entry["pair"]) == (0, None, None)


def test_other_firms_on_both_sides_are_correlated_each_by_themselves() -> None:
    """Of two sets of firms of other numbers, each change is the difference of the two sides' own coefficients."""
    sides = figures(400), figures(300, seed=5)
    (change, *_) = correlation_changes(*sides, NAMES)
    ranked = [rank_correlations(side.filter(pl.col("year") == 2021).select(NAMES)) for side in sides]
    expected = [abs(ranked[1][i, j] - ranked[0][i, j]) for i, j in combinations(range(len(NAMES)), 2)]
    assert (change["records"], change["pairs"]) == (200, 3)
    assert change["median_change"] == pytest.approx(np.median(expected))
    assert change["largest_change"] == pytest.approx(max(expected))
    assert 0 < change["largest_change"] < 0.3


def test_the_order_of_other_firms_changes_nothing() -> None:
    """No row of one side is held against the row of the other that stands where it does."""
    first, second = figures(400), figures(300, seed=5)
    assert correlation_changes(first, second.reverse(), NAMES) == correlation_changes(first, second, NAMES)


def test_a_year_of_one_side_is_left_out() -> None:
    """Where one side has no firms in a year, there is nothing to compare."""
    found = correlation_changes(figures(), figures().filter(pl.col("year") == 2022), NAMES)
    assert [entry["year"] for entry in found] == [2022]
