"""Parts of fidelity: their numbers are those of scipy, pandas and of hand calculation."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.model import PERIOD, Growth, Measure, Panel, Ratio, Sum
from tests.unit.fidelity.panels import NAMES, PANEL, YEARS, changed, side
from validation.distributions.samples import signed_log
from validation.fidelity.cells import GroupCells, cells
from validation.fidelity.identities import identity_shares
from validation.fidelity.marginals import cell_distances, distances, growing, growth, wasserstein
from validation.fidelity.presence import presence, shares
from validation.fidelity.relations import correlation_changes, fullest_year, year_on_year, year_on_year_changes
from validation.fidelity.sides import changes
from validation.fidelity.sums import aggregate_errors, aggregates, tail_changes

FIGURE = Measure(name="figure", unit="EUR", decimals=1)
RATE = Measure(name="rate", unit="%", additive=False)

SAMPLES = st.lists(st.integers(-20, 20) | st.integers(-(10**15), 10**15), max_size=30)


def one_cell(originals: Sequence[int | None], published: Sequence[int | None], measure: Measure = FIGURE) -> GroupCells:
    """Return the cell of one trade and year with these quanta on its sides."""
    sides = [
        pl.DataFrame(
            {PERIOD: [2020] * len(values), "trade": ["mill"] * len(values), measure.name: values},
            schema={PERIOD: pl.Int64, "trade": pl.String, measure.name: pl.Int64},
        )
        for values in (originals, published)
    ]
    return cells(*sides, [measure], group="trade")


@given(SAMPLES, SAMPLES)
def test_distances_are_scipys(originals: list[int], published: list[int]) -> None:
    """D and p are those of `ks_2samp`, the Wasserstein distance is scipy's of signed logs, with ties and empty sides."""
    found = cell_distances(one_cell(originals, published))
    assert found.height == bool(originals or published)
    if originals and published:
        expected = stats.ks_2samp(originals, published, method="asymp" if found["can_reject"][0] else "exact")
        logs = [signed_log(np.array(values) / 10) for values in (originals, published)]
        assert found["statistic"][0] == pytest.approx(expected.statistic, abs=1e-12)
        assert found["wasserstein"][0] == pytest.approx(stats.wasserstein_distance(*logs), abs=1e-9)
        if found["can_reject"][0]:
            assert found["p_value"][0] == pytest.approx(expected.pvalue, abs=1e-9)
    elif originals or published:
        assert found["wasserstein"][0] is None


def test_distances_of_cells_do_not_mix() -> None:
    """Each of many cells has the distance that it has alone."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {"sample": rng.integers(0, 40, 900), "value": rng.normal(0, 5, 900), "is_anonymised": rng.integers(0, 2, 900)}
    )
    for sample, distance in wasserstein(frame).rows():
        sides = [frame.filter(sample=sample, is_anonymised=i)["value"] for i in (0, 1)]
        assert distance == pytest.approx(stats.wasserstein_distance(*sides), abs=1e-9)


def test_distance_by_chance_is_the_median_of_simulated_ones() -> None:
    """Two samples of one law have the told median D: 2,000 pairs of 40, within 0.01."""
    rng = np.random.default_rng(6)
    simulated = [stats.ks_2samp(*rng.random((2, 40)), method="asymp").statistic for _ in range(2_000)]
    told = distances(one_cell(range(40), range(40))).chance_distance
    assert told == pytest.approx(np.median(simulated), abs=0.01)


def test_cells_leave_out_who_has_no_group() -> None:
    """Gaps and firms without an industry are in no cell; a group of one side alone is one-sided."""
    frame = pl.DataFrame({PERIOD: [2020] * 4, "trade": ["a", "a", None, "b"], "figure": [10, None, 30, 40]})
    found = cells(frame, frame.head(2), [FIGURE], group="trade")
    assert found.values.sort("sample", "is_anonymised").rows() == [(0, 1.0, 0), (0, 1.0, 1), (1, 4.0, 0)]
    assert found.labels["group"].to_list() == ["a", "b"]
    assert distances(found).one_sided == 1


def test_growth_is_pandas() -> None:
    """Growth is the log of pandas' ratio to the year before, of the same firm, over no gap of years."""
    figures = side(30).figures.filter(~((pl.col("firm") < "F0010") & (pl.col(PERIOD) == 2021)))
    labelled = figures.with_columns(trade=pl.lit("x"))
    found = growth(labelled.sample(fraction=1, shuffle=True, seed=1), PANEL.measures, code="firm", group="trade")
    wide = figures.to_pandas().pivot_table(index="firm", columns=PERIOD, values="staff")
    expected = np.log(wide / wide.shift(axis=1)).to_numpy().ravel()
    assert sorted(found["staff"].drop_nulls()) == pytest.approx(sorted(expected[~np.isnan(expected)]))


def test_growth_needs_two_figures_above_zero() -> None:
    """A loss and a 0 have no growth, and a measure with many losses is none that grows."""
    frame = pl.DataFrame(
        {"firm": ["a"] * 4, PERIOD: YEARS, "trade": ["x"] * 4, "figure": [10, 0, 20, 40], "rate": [-1, 2, -3, 4]}
    )
    found = growth(frame, [FIGURE], code="firm", group="trade")
    assert found["figure"].to_list() == [None, None, pytest.approx(10 * np.log(2))]
    assert growing(frame, [FIGURE, RATE]) == [FIGURE]


def test_correlations_are_scipys() -> None:
    """The changes of rank correlations without gaps are those of `spearmanr`, in the fullest year."""
    originals, published = side(100).figures, side(80, seed=2).figures
    one_less = originals.filter((pl.col(PERIOD) == 2022) | (pl.col("firm") != "F0001"))
    matrices = [
        stats.spearmanr(frame.filter(pl.col(PERIOD) == 2022).select(NAMES).to_numpy()).statistic
        for frame in (one_less, published)
    ]
    expected = np.abs(matrices[0] - matrices[1])[np.triu_indices(len(NAMES), k=1)]
    found = correlation_changes(one_less, published, NAMES)
    assert (found.n, found.largest) == (10, pytest.approx(expected.max(), abs=1e-6))
    assert found.median == pytest.approx(np.median(expected), abs=1e-6)
    assert found.percentile_95 == pytest.approx(np.quantile(expected, 0.95), abs=1e-6)


def test_fullest_year_is_shared() -> None:
    """The fullest year is one that both sides have, the latest of equals."""
    originals = pl.DataFrame({PERIOD: [2020, 2020, 2020, 2021, 2021, 2022, 2022]})
    assert fullest_year(originals, originals) == 2020
    assert fullest_year(originals, originals.filter(pl.col(PERIOD) > 2020)) == 2022
    assert fullest_year(originals, originals.clear()) is None


def test_year_on_year_is_scipys() -> None:
    """Each measure's correlation with itself a year before is `spearmanr` over the firms that report both."""
    rng = np.random.default_rng(7)
    figures = side(90).figures.with_columns(staff=pl.when(pl.Series(rng.random(360) > 0.3)).then("staff"))
    found = year_on_year(figures, ["staff"], code="firm")
    wide = figures.pivot(PERIOD, index="firm", values="staff")
    for _, year, spearman in found.rows():
        both = wide.select(str(year - 1), str(year)).drop_nulls().to_numpy()
        assert spearman == pytest.approx(stats.spearmanr(both).statistic, abs=1e-9)
    assert found.height == 3


def test_few_or_equal_figures_have_no_year_on_year_correlation() -> None:
    """Below 30 firms, and for a constant measure, there is none."""
    assert year_on_year(side(29).figures, NAMES, code="firm").is_empty()
    constant = side(40).figures.with_columns(staff=pl.lit(7, pl.Int64))
    assert year_on_year(constant, ["staff"], code="firm").is_empty()
    assert year_on_year_changes(constant, constant, ["staff"], code="firm").n == 0


def test_shares_of_zeros_and_gaps_are_pandas() -> None:
    """Zeros are a share of figures, gaps of records, by measure and industry."""
    rng = np.random.default_rng(8)
    draws = rng.random(300)
    staff = [None if draw < 0.2 else 0 if draw < 0.5 else 3 for draw in draws]
    frame = pl.DataFrame({"trade": [f"t{i % 4}" for i in range(300)], "staff": staff})
    found = shares(frame, ["staff"], group="trade").sort("group")
    grouped = frame.to_pandas().groupby("trade")["staff"]
    assert found["gaps"].to_list() == pytest.approx(grouped.apply(lambda values: values.isna().mean()).to_list())
    assert found["zeros"].to_list() == pytest.approx(grouped.apply(lambda v: (v.dropna() == 0).mean()).to_list())


def test_missing_industry_is_all_gaps() -> None:
    """An industry that the release lacks is compared as one that reports nothing; one of four firms is not compared."""
    frame = pl.DataFrame({"trade": ["a"] * 5 + ["b"] * 5 + ["c"] * 4, "staff": [1] * 14})
    found = presence(frame, frame.filter(pl.col("trade") == "a"), ["staff"], group="trade")
    assert (found.gaps.n, found.gaps.largest, found.gaps.largest_at) == (2, 1.0, "staff, b")
    assert found.zeros.n == 1


def test_tails_are_the_top_tenth() -> None:
    """Of 20 firms the two largest make the tail; losses and ratios have none, nor have nine firms."""
    equal, top = [10] * 20, [10] * 18 + [90] * 2
    assert tail_changes(one_cell(equal, top)).largest == pytest.approx(18 / 36 - 2 / 20)
    assert tail_changes(one_cell([10] * 11, [10] * 11)).n == 1
    for other in (one_cell([-1, *equal], top), one_cell(equal[:9], top), one_cell([0] * 20, [0] * 20)):
        assert tail_changes(other).n == 0
    assert tail_changes(one_cell(equal, top, RATE)).n == 0


def test_aggregates_are_pandas() -> None:
    """Errors of sums, means and medians are those of pandas' statistics, each relative to the original's."""
    frames = [
        side(firms, seed=firms).figures.with_columns(trade=pl.lit("mill")).select("trade", PERIOD, "staff")
        for firms in (30, 40)
    ]
    found = aggregate_errors(cells(frames[0], frames[1], [PANEL.measure("staff")], group="trade"))
    for statistic in ("sum", "mean", "median"):
        before, after = (frame.to_pandas().groupby(PERIOD)["staff"].agg(statistic) for frame in frames)
        assert found[statistic].to_list() == pytest.approx((abs(after - before) / before).to_list())


def test_cancelled_sums_are_judged_by_their_terms() -> None:
    """A sum of 1 out of terms of 99 may move by a tenth of these; one that has not cancelled, by a tenth of itself."""
    cancelled = one_cell([50, -49, 0, 0, 0], [50, -40, 0, 0, 0])
    assert aggregate_errors(cancelled)["sum"][0] == pytest.approx(9 / 99)
    assert aggregates(cancelled).sums.share == 1
    assert aggregate_errors(one_cell([50, 40, 0, 0, 0], [50, 49, 0, 0, 0]))["sum"][0] == pytest.approx(0.1)


def test_few_firms_have_no_aggregate_and_lost_cells_are_far() -> None:
    """Cells of four original firms are left out; one that the release lacks, or that was 0, is infinitely far."""
    assert aggregates(one_cell([1] * 4, [1] * 9)).sums.n == 0
    assert aggregate_errors(one_cell([1] * 5, []))["sum"][0] == np.inf
    assert aggregate_errors(one_cell([0] * 5, [1] * 5))["sum"][0] == np.inf
    assert aggregate_errors(one_cell([0] * 5, [0] * 5))["sum"][0] == 0


def test_ratios_have_medians_alone() -> None:
    """What is not additive has no sum and no mean to compare."""
    found = aggregates(one_cell([1] * 5, [1] * 5, RATE))
    assert (found.sums.n, found.means.n, found.medians.n, found.industries.n) == (0, 0, 1, 0)


def test_industries_are_judged_by_the_median_of_their_sums() -> None:
    """An industry of which half of the sums are far is still near if the median is; others are not."""
    frame = pl.DataFrame({PERIOD: sorted(YEARS[:3] * 5), "trade": ["mill"] * 15, "figure": [10] * 15})
    far = [pl.when(pl.col(PERIOD).is_in(YEARS[:n])).then(90).otherwise("figure").alias("figure") for n in (1, 2)]
    near = [aggregates(cells(frame, frame.with_columns(each), [FIGURE], group="trade")) for each in far]
    assert [(each.industries.share, each.sums.share) for each in near] == [(1, 2 / 3), (0, 1 / 3)]


def test_identities_hold_to_the_tolerance_of_a_quotient() -> None:
    """A sum holds exactly, a ratio within one unit of its last digit; a record without an input does not count."""
    panel = Panel(
        tables=("t",),
        measures=tuple(Measure(name=name, unit="") for name in "abcr"),
        identities=(Sum(output="a", plus=("b", "c")), Ratio(output="r", numerator=("b",), denominator="a")),
    )
    rows = {"a": [10, 11, None, 10], "b": [4, 4, 4, 4], "c": [6, 6, 6, 6], "r": [40, 37, 40, 42]}
    original = pl.DataFrame({"firm": list("wxyz"), PERIOD: [2020] * 4, **rows})
    published = original.with_columns(
        pl.Series("a", [10.0, 9.9999, None, 10.0]), pl.Series("r", [40.2, 40.0, 40.0, 40.0])
    )
    total, ratio = identity_shares(original, published, panel, code="firm")
    assert (total.n, total.originals, total.published, total.largest_residual) == (3, pytest.approx(2 / 3), 1, 0)
    assert (ratio.n, ratio.originals, ratio.published, ratio.largest_residual) == (3, pytest.approx(2 / 3), 1, 0)
    again = identity_shares(published, original, panel, code="firm")
    assert (again[1].published, again[1].largest_residual) == (pytest.approx(2 / 3), 1)


def test_growth_identities_need_the_year_before() -> None:
    """A stated growth is held against the firm's own year before; the first year says nothing."""
    panel = Panel(
        tables=("t",),
        measures=(Measure(name="a", unit=""), Measure(name="g", unit="%")),
        identities=(Growth(output="g", base="a"),),
    )
    frame = pl.DataFrame({"firm": ["x"] * 3, PERIOD: [2020, 2021, 2022], "a": [100, 110, 99], "g": [5, 10, 10]})
    (found,) = identity_shares(frame, frame.reverse(), panel, code="firm")
    assert (found.n, found.originals, found.published) == (2, 0.5, 0.5)


def test_changes_leave_out_what_is_not_there() -> None:
    """NaN is no change; the share within a limit counts those at it; nothing at all is None."""
    found = changes(np.array([0.1, np.nan, 0.3, 0.2]), list("abcd"), limit=0.2)
    assert (found.n, found.median, found.largest, found.largest_at) == (3, 0.2, 0.3, "c")
    assert found.within == pytest.approx(2 / 3)
    assert changes(np.array([np.nan]), ["a"], limit=1).median is None


def test_a_side_keeps_its_rows_when_it_is_labelled() -> None:
    """Labels stand beside figures in their order; a firm listed twice, or not at all, neither adds nor loses a row."""
    one = side(6)
    twice = changed(one, lambda figures: figures.reverse())
    doubled = pl.concat([one.entities.tail(5)] * 2)
    columns = type("C", (), {"code": "firm"})()
    found = type(one)(entities=doubled, figures=twice.figures).labelled(columns.code, ("trade", "trade"))
    assert found["firm"].to_list() == twice.figures["firm"].to_list()
    assert found["trade"].null_count() == len(YEARS)
