"""Kolmogorov-Smirnov tests in one pass: equal to scipy, honest about power, and able to fail."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pipeline.model import Measure, Panel
from validation.distributions.two_sample import compare_distributions, ks_report, two_sample_tests
from validation.report.documents import written

PANEL = Panel(tables=("figures",), measures=(Measure(name="revenue", unit="USD"), Measure(name="assets", unit="USD")))
LEVELS = {"sub_industry": "sub_industry"}
FIRMS = 60

Sample = list[int]
# Few distinct values make ties; large ones must not lose digits on the way through floats.
samples = st.lists(st.one_of(st.integers(-3, 3), st.integers(10**17, 10**17 + 3)), min_size=4, max_size=40)


def long(pairs: list[tuple[Sample, Sample]]) -> pl.DataFrame:
    """Lay pairs of samples out as `two_sample_tests` takes them."""
    rows = [(i, value, side) for i, pair in enumerate(pairs) for side in (0, 1) for value in pair[side]]
    return pl.DataFrame(rows, schema={"sample": pl.Int64, "value": pl.Int64, "is_anonymised": pl.Int64}, orient="row")


def firms() -> pl.DataFrame:
    """Return two sub-industries of firms in two years, log-normal figures, one in seven missing."""
    figures = np.exp(np.random.default_rng(7).normal(15, 2, (2, 2 * FIRMS))).astype(np.int64)
    base = pl.DataFrame(
        {
            "sub_industry": ["banks", "mines"] * FIRMS,
            "year": [2021] * FIRMS + [2022] * FIRMS,
            "revenue": figures[0],
            "assets": figures[1],
        }
    )
    return base.with_columns(assets=pl.when(pl.int_range(pl.len()) % 7 > 0).then("assets"))


def perturbed(frame: pl.DataFrame) -> pl.DataFrame:
    """Move every figure up by a thousandth."""
    return frame.with_columns(pl.col("revenue", "assets") * 1001 // 1000)


def report_of(anonymised: pl.DataFrame) -> dict[str, object]:
    tests = compare_distributions(firms(), anonymised, panel=PANEL, levels=LEVELS)
    return dict(ks_report(tests))


@pytest.mark.filterwarnings("ignore:ks_2samp. Exact calculation unsuccessful")  # where its sum is 1 and a rounding
@given(st.lists(st.tuples(samples, samples), min_size=1, max_size=6))
def test_statistic_and_p_equal_those_of_scipy(pairs: list[tuple[Sample, Sample]]) -> None:
    """D is scipy's to 1e-12 and p its exact one, with ties and unequal sizes, many samples in one pass."""
    found = two_sample_tests(long(pairs))
    for (a, b), d, p in zip(pairs, found["statistic"], found["p_value"], strict=True):
        expected = stats.ks_2samp(a, b, method="exact")
        assert d == pytest.approx(expected.statistic, abs=1e-12)
        assert p == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "m", "method"), [(4, 4, "exact"), (5, 2_000, "exact"), (500, 499, "exact"), (700, 900, "asymp")]
)
def test_p_is_exact_wherever_scipys_fits_a_float(n: int, m: int, method: str) -> None:
    """Samples that do not overlap never have p = 0 while 2 of C(n + m, n) is more; beyond p is the asymptotic one."""
    for shift in (10.0, 0.3):
        a, b = np.arange(n) / n, np.arange(m) / m + shift
        rows = [(0, value, side) for side, values in enumerate((a, b)) for value in values]
        found = two_sample_tests(pl.DataFrame(rows, schema=["sample", "value", "is_anonymised"], orient="row"))
        assert found["p_value"][0] == pytest.approx(stats.ks_2samp(a, b, method=method).pvalue, rel=1e-9)


def test_samples_too_small_to_reject_are_no_evidence() -> None:
    """Three against three can't be significant: no p, no shift, and not among the tests of the report."""
    found = two_sample_tests(long([([1, 2, 3], [7, 8, 9]), ([1, 2, 3, 4], [6, 7, 8, 9]), ([1], [])]))
    assert found["can_reject"].to_list() == [False, True, False]
    assert found["p_value"].is_null().to_list() == [True, False, True]
    assert found["detectable_shift"].is_null().to_list() == [True, False, True]
    assert found["statistic"].to_list() == [1.0, 1.0, None]


def test_two_originals_against_many_sampled_figures_are_reported() -> None:
    """Such a test can reject, but no shift can be stated at a size of two: the report has null, and is written."""
    row = two_sample_tests(long([([1, 2], list(range(10, 50)))])).row(0, named=True)
    assert (row["can_reject"], row["detectable_shift"]) == (True, None)
    tests = compare_distributions(few_firms(2), few_firms(40, start=10), panel=PANEL, levels=LEVELS)
    found = json.loads(written("ks", ks_report(tests, is_sampled=True)))["tests"]
    assert found
    assert [test["detectable_shift"] for test in found] == [None] * len(found)


def few_firms(count: int, *, start: int = 0) -> pl.DataFrame:
    """Return so many firms of one group and year, with as many figures."""
    return (
        firms()
        .head(1)
        .select(pl.all().repeat_by(count).explode())
        .with_columns(revenue=pl.int_range(start, start + count))
    )


def test_nothing_to_compare_gives_no_tests() -> None:
    """A panel without figures has no rows, and no error."""
    assert two_sample_tests(long([])).is_empty()


def test_panel_is_tested_by_measure_group_and_year() -> None:
    """Each row of the panel's result is scipy's test of that measure, group and year alone; nulls are left out."""
    originals, anonymised = firms(), perturbed(firms())
    tests = compare_distributions(originals, anonymised, panel=PANEL, levels=LEVELS)
    assert tests.height == len(PANEL.measures) * 2 * 2
    for row in tests.iter_rows(named=True):
        here = (pl.col("sub_industry") == row["group"]) & (pl.col("year") == row["year"])
        a, b = (frame.filter(here)[row["measure"]].drop_nulls() for frame in (originals, anonymised))
        assert (row["n"], row["n_anonymised"]) == (len(a), len(b))
        assert row["statistic"] == pytest.approx(stats.ks_2samp(a, b, method="asymp").statistic, abs=1e-12)


def test_levels_are_tested_in_one_pass_as_they_are_alone() -> None:
    """Both levels together give what each gives alone, the finer first; Holm's family is one level."""
    frames = [frame.with_columns(industry=pl.lit("all")) for frame in (firms(), perturbed(firms()))]
    alone = [
        compare_distributions(*frames, panel=PANEL, levels={level: column})
        for level, column in (("sub_industry", "sub_industry"), ("industry", "industry"))
    ]
    together = compare_distributions(
        *frames, panel=PANEL, levels={"sub_industry": "sub_industry", "industry": "industry"}
    )
    assert together.equals(pl.concat(alone))
    assert together["level"].unique(maintain_order=True).to_list() == ["sub_industry", "industry"]
    assert together.columns[:4] == ["level", "measure", "group", "year"]


@settings(max_examples=20)
@given(st.lists(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=4, max_size=9), min_size=2, max_size=8))
def test_holm_is_the_step_down_procedure(groups: list[list[float]]) -> None:
    """The corrected p of the k-th smallest of m is the largest (m - j + 1) p_j up to it, at most 1."""
    rows = [(f"g{i}", value) for i, group in enumerate(groups) for value in group]
    frame = pl.DataFrame(rows, schema={"sub_industry": pl.String, "revenue": pl.Float64}, orient="row")
    frame = frame.with_columns(year=2022, assets=pl.lit(None, dtype=pl.Float64))
    tests = compare_distributions(frame, frame.with_columns(pl.col("revenue").sqrt()), panel=PANEL, levels=LEVELS)
    tests = tests.filter("can_reject")
    plain = tests["p_value"].to_list()
    largest, corrected = 0.0, dict[float, float]()
    for j, p in enumerate(sorted(plain)):
        largest = max(largest, (len(plain) - j) * p)
        corrected[p] = min(1.0, largest)
    assert tests["p_holm"].to_list() == pytest.approx([corrected[p] for p in plain], abs=1e-12)


def test_row_order_does_not_matter() -> None:
    """Shuffled panels give the same frame of tests."""
    anonymised = perturbed(firms())
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=i) for i, frame in enumerate((firms(), anonymised))]
    assert compare_distributions(*shuffled, panel=PANEL, levels=LEVELS).equals(
        compare_distributions(firms(), anonymised, panel=PANEL, levels=LEVELS)
    )


def test_firms_without_a_group_are_a_group() -> None:
    """A null sub-industry is tested like any other and stays null."""
    frame = firms().with_columns(sub_industry=pl.when(pl.col("sub_industry") == "banks").then("sub_industry"))
    tests = compare_distributions(frame, perturbed(frame), panel=PANEL, levels=LEVELS)
    assert tests["group"].null_count() == tests.height // 2


@pytest.mark.parametrize("lost", ["original", "anonymised"])
def test_a_group_of_one_side_alone_is_told_and_fails(lost: str) -> None:
    """Firms whose group the other side does not have are no test, and are not passed over."""
    mines = firms().filter(pl.col("sub_industry") == "mines")
    sides = (mines, firms()) if lost == "original" else (firms(), mines)
    tests = compare_distributions(*sides, panel=PANEL, levels=LEVELS)
    assert tests.height == len(PANEL.measures) * 2 * 2
    alone = tests.filter(pl.col("group") == "banks")
    assert alone.filter(pl.col("n" if lost == "original" else "n_anonymised") == 0).height == alone.height
    assert not alone["can_reject"].any()
    assert not ks_report(tests)["passed"]


def test_small_noise_passes() -> None:
    """A thousandth on every figure is nothing a test of 30 firms sees."""
    report = report_of(perturbed(firms()))
    assert report["passed"] is True
    assert report["rejected"] == 0


def test_one_shifted_measure_in_one_sub_industry_fails() -> None:
    """The gate fails when one measure of one sub-industry in one year is tripled ten times over."""
    shifted = pl.when(sub_industry="mines", year=2022).then(pl.col("revenue") * 3**10).otherwise("revenue")
    report = report_of(perturbed(firms()).with_columns(revenue=shifted))
    assert report["passed"] is False
    assert report["rejected"] == 1


def test_a_lost_figure_fails() -> None:
    """Even without any distance that a test could see, a figure that is gone fails the gate."""
    lost = pl.when(pl.int_range(pl.len()) > 0).then("revenue")
    report = report_of(firms().with_columns(revenue=lost))
    assert report["passed"] is False
    assert (report["rejected"], report["unequal_sizes"]) == (0, 1)


def test_report_holds_the_fields_of_the_contract() -> None:
    """Every test has the promised fields, none of them null, and too small samples stand apart."""
    few = firms().head(6)
    tests = pl.concat(
        compare_distributions(frame, perturbed(frame), panel=PANEL, levels=LEVELS) for frame in (firms(), few)
    )
    report = ks_report(tests)
    promised = {"level", "measure", "group", "n", "statistic", "p_value", "p_holm", "detectable_shift"}
    assert all(promised <= test.keys() and None not in test.values() for test in report["tests"])
    assert {"tests", "alpha", "passed"} <= report.keys()
    assert len(report["tests"]) == 8
    assert len(report["too_small"]) == 4
    assert report["smallest_p_value"] == min(test["p_value"] for test in report["tests"])


def outcomes(rejected: int, *, of: int = 100, lost: int = 0) -> pl.DataFrame:
    """Return the outcome of tests of which some are rejected, and some samples lost a figure."""
    return pl.DataFrame(
        {
            "level": "industry",
            "measure": "revenue",
            "group": [f"group {i}" for i in range(of)],
            "year": 2022,
            "n": 30,
            "n_anonymised": [29 if i < lost else 30 for i in range(of)],
            "statistic": 0.5,
            "can_reject": True,
            "p_value": [0.01 if i < rejected else 0.9 for i in range(of)],
            "p_holm": 1.0,
            "detectable_shift": 0.7,
        }
    )


@pytest.mark.parametrize(("rejected", "is_passed"), [(0, True), (15, True), (16, False), (100, False)])
def test_of_sampled_figures_a_stated_share_may_fail(rejected: int, is_passed: bool) -> None:  # noqa: FBT001
    """Of 100 tests 15 may be rejected where figures are sampled, one more may not."""
    report = ks_report(outcomes(rejected), is_sampled=True)
    assert (report["passed"], report["allowed"], report["rejected"]) == (is_passed, 15, rejected)


def test_of_digit_noise_none_may_fail() -> None:
    """Digit noise is no sample of a distribution: each test must pass alone."""
    assert ks_report(outcomes(0))["passed"]
    assert not ks_report(outcomes(1))["passed"]
    assert ks_report(outcomes(1))["allowed"] == 0


def test_sampling_may_move_a_gap_and_digit_noise_may_not() -> None:
    """Whoever reports a figure is drawn where records are sampled; a sample that lost one is told either way."""
    moved = ks_report(outcomes(0, lost=3), is_sampled=True)
    assert (moved["passed"], moved["unequal_sizes"]) == (True, 3)
    assert not ks_report(outcomes(0, lost=3))["passed"]
    assert not ks_report(outcomes(0, lost=1).with_columns(can_reject=pl.lit(value=False)))["passed"]


def test_the_report_says_how_the_number_of_tests_is_dealt_with() -> None:
    """Digit noise must pass each test alone; of sampled figures chance rejects some, and that is said."""
    assert "each must pass alone" in ks_report(outcomes(0))["multiplicity"]
    assert "chance alone would reject at most 5% of tests" in ks_report(outcomes(0), is_sampled=True)["multiplicity"]


def test_two_samples_of_one_distribution_pass_as_sampled_figures_alone() -> None:
    """Firms drawn anew from the same law, in other numbers, are within what chance rejects, and are no copy."""
    rng = np.random.default_rng(3)
    sides = [
        pl.DataFrame(
            {
                "year": 2022,
                "sub_industry": [f"trade {i % 40}" for i in range(size)],
                **{measure.name: rng.lognormal(15, 2, size).astype(np.int64) for measure in PANEL.measures},
            }
        )
        for size in (2_400, 2_000)
    ]
    tests = compare_distributions(*sides, panel=PANEL, levels=LEVELS)
    assert ks_report(tests, is_sampled=True)["passed"]
    assert not ks_report(tests)["passed"]
