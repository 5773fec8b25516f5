"""Equivalence is shown, not assumed: what changes a distribution fails, too few figures leave it open, digit noise passes."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from pipeline.model import Measure
from pipeline.report_json import report_json
from tests.stats import check_rate_within
from validation.distributions.equivalence import ALPHA, DECIMALS, MARGINS, as_records, equivalence, farthest
from validation.distributions.samples import paired_samples, ranked_samples
from validation.distributions.shape import Shapes, shapes

MEASURES = (Measure(name="revenue", unit="EUR"), Measure(name="profit", unit="EUR"))
LEVELS = {"sub_industry": "trade", "industry": "sector"}
FIRMS = 240


def firms(size: int = FIRMS) -> pl.DataFrame:
    """Return firms of two sectors and four trades: log-normal revenue, profits and losses."""
    rng = np.random.default_rng(11)
    revenue = rng.lognormal(16, 2, size)
    return pl.DataFrame(
        {
            "year": 2022,
            "trade": np.arange(size) % 4,
            "sector": np.arange(size) % 2,
            "revenue": revenue.astype(np.int64),
            "profit": (revenue * rng.normal(0.05, 0.2, size)).astype(np.int64),
        }
    )


def with_digit_noise(frame: pl.DataFrame) -> pl.DataFrame:
    """Move every figure by up to half a per cent."""
    rng = np.random.default_rng(12)
    moved = {
        m.name: (frame[m.name].to_numpy() * rng.uniform(0.995, 1.005, frame.height)).astype(np.int64) for m in MEASURES
    }
    return frame.with_columns(pl.Series(name, values) for name, values in moved.items())


def judged(before: pl.DataFrame, after: pl.DataFrame, *, is_sampled: bool = False) -> dict[str, Any]:
    lay_out = ranked_samples if is_sampled else paired_samples
    found = Shapes.merged([shapes(each) for each in lay_out(before, after, measures=MEASURES, levels=LEVELS)])
    return equivalence(found, found.labels, is_sampled=is_sampled)


def in_sector(change: pl.Expr) -> pl.Expr:
    """Change the revenue of one sector alone."""
    return pl.when(pl.col("sector") == 1).then(change.cast(pl.Int64)).otherwise("revenue").alias("revenue")


LOG = pl.col("revenue").log1p()
MIDDLE = LOG.mean().over("sector")

MUTANTS: dict[str, tuple[pl.Expr, str]] = {
    "half as large again": (in_sector(pl.col("revenue") * 1.5), "factor"),
    "narrowed": (in_sector((MIDDLE + (LOG - MIDDLE) * 0.7).exp()), "spread"),
    "moved by 0.3 sd": (in_sector((LOG + 0.3 * LOG.std().over("sector")).exp()), "shift"),
    "heavier tails": (
        in_sector((MIDDLE + (LOG - MIDDLE) * pl.when((LOG - MIDDLE).abs() > 2).then(1.9).otherwise(1)).exp()),
        "tails",
    ),
    "permuted": (in_sector(pl.col("revenue").shuffle(seed=1).over("sector")), "order"),
}


def test_digit_noise_is_equivalent() -> None:
    """Every sample is shown to be equivalent in everything."""
    report = judged(firms(), with_digit_noise(firms()))
    assert report["passed"] is True
    assert report["summary"]["equivalent"] == report["summary"]["samples"] == 12
    assert report["judged"]["met"] == dict.fromkeys(MARGINS, 12)


@pytest.mark.parametrize(("change", "criterion"), MUTANTS.values(), ids=MUTANTS)
def test_a_changed_sector_fails_by_what_was_changed(change: pl.Expr, criterion: str) -> None:
    """One measure of one sector changed: the check fails, that criterion is missed, and only samples of that sector are."""
    report = judged(firms(), with_digit_noise(firms()).with_columns(change))
    assert report["passed"] is False
    assert report["judged"]["missed"][criterion] > 0
    different = [record for record in farthest(as_records(report["samples"])) if record["verdict"] == "different"]
    assert {(record["measure"], record["group"] % 2) for record in different} == {("revenue", 1)}


def test_permuting_keeps_every_distribution_but_not_the_order() -> None:
    """Within a sector a permutation moves nothing but ranks, so no other criterion may be missed there."""
    report = judged(firms(), firms().with_columns(MUTANTS["permuted"][0]))
    whole = [
        record
        for record in farthest(as_records(report["samples"]))
        if (record["level"], record["group"]) == ("industry", 1)
    ]
    assert whole[0]["distance"] == 0
    assert abs(whole[0]["order"]) < 0.3


def test_absence_of_a_difference_is_not_enough() -> None:
    """Figures tossed about so widely that nothing is shown: no distribution is called different, and the check fails."""
    few = firms(24)
    rng = np.random.default_rng(3)
    tossed = few.with_columns(
        pl.Series(m.name, (few[m.name].to_numpy() * rng.lognormal(0, 1.5, few.height)).astype(np.int64))
        for m in MEASURES
    )
    report = judged(few, tossed)
    assert report["summary"]["undecided"] > report["summary"]["equivalent"]
    assert report["passed"] is False


def test_samples_that_show_nothing_by_themselves_are_tested_together() -> None:
    """Of 24 firms a sample shows nothing of the tails if one figure crosses a quantile. Few do on average: the check passes."""
    before, rng = firms(96), np.random.default_rng(8)
    after = before.with_columns(
        pl.Series(m.name, before[m.name].to_numpy() * rng.uniform(0.7, 1 / 0.7, before.height)).cast(pl.Int64)
        for m in MEASURES
    )
    found = judged(before, after)["judged"]
    assert 2 * found["met"]["tails"] < found["samples"]
    assert "tails" in found["met_on_average"]
    assert (found["different"], found["passed"]) == (0, True)


def drawn_anew(size: int, seed: int) -> pl.DataFrame:
    """Return other firms of the same law."""
    rng = np.random.default_rng(seed)
    revenue = rng.lognormal(16, 2, size)
    profit = (revenue * rng.normal(0.05, 0.2, size)).astype(np.int64)
    return firms(size).with_columns(revenue=pl.Series(revenue.astype(np.int64)), profit=pl.Series(profit))


def test_the_same_figures_of_other_firms_are_equivalent() -> None:
    """Figures that all changed their firms within the trade are, rank by rank, what they were, whoever has which."""
    before = firms()
    after = before.with_columns(pl.col(m.name).shuffle(seed=i).over("trade") for i, m in enumerate(MEASURES))
    report = judged(before, after.sample(fraction=1, shuffle=True, seed=1), is_sampled=True)
    assert report["passed"] is True
    assert report["summary"]["equivalent"] == report["summary"]["samples"] == 12
    assert report["judged"]["samples"] == 4
    assert judged(before, after)["passed"] is False


def test_firms_drawn_anew_keep_their_distances() -> None:
    """Many other firms of the same law pass, and in another number."""
    report = judged(drawn_anew(2_000, 1), drawn_anew(1_900, 2), is_sampled=True)
    assert report["passed"] is True
    assert report["judged"]["met"]["distance"] == 4


@pytest.mark.parametrize("factor", [3.0, 1 / 3])
def test_sampled_figures_that_are_shifted_fail(factor: float) -> None:
    """Revenue of every firm three times too large, or a third, and no losses: samples are shown to differ, and most are far."""
    moved = drawn_anew(2_000, 2).with_columns((pl.col("revenue") * factor).cast(pl.Int64), pl.col("profit").abs())
    report = judged(drawn_anew(2_000, 1), moved, is_sampled=True)
    assert report["judged"]["missed"]["distance"] == report["judged"]["different"] == 4
    assert report["passed"] is False


def test_sampled_figures_are_judged_at_the_broadest_level_and_by_enough_firms() -> None:
    """Trades, and sectors of fewer firms than thirty, are told and not judged."""
    assert judged(firms(56), firms(56), is_sampled=True)["judged"]["samples"] == 0
    report = judged(firms(60), firms(60), is_sampled=True)
    assert (report["judged"]["samples"], report["summary"]["samples"]) == (4, 12)


def test_of_sampled_figures_no_order_is_asked_for() -> None:
    """Other companies have no order to keep: there is no margin for it, no statistic and no judgement."""
    report = judged(firms(), firms(), is_sampled=True)
    held = set(MARGINS) - {"order"}
    assert set(report["margins"]) == set(report["judged"]["met"]) == held
    assert held < set(report["samples"]["columns"])
    assert "order" not in report["samples"]["columns"]


@pytest.mark.parametrize("shift", [0.2, -0.2])
def test_at_the_margin_both_verdicts_are_wrong_in_one_case_of_twenty(shift: float) -> None:
    """With a true shift of exactly the margin, 5 % are shown to be within it and 5 % to be outside."""
    rng = np.random.default_rng(21)
    trials, size = 1_500, 40
    before = rng.normal(12, 1.5, (trials, size))
    moved = before + shift * before.std(axis=1, ddof=1, keepdims=True) + rng.normal(0, 0.3, (trials, size))
    keys = {"year": 2022, "trade": np.repeat(np.arange(trials), size)}
    frames = [pl.DataFrame(keys | {"revenue": np.exp(side.ravel()) * 1e3}) for side in (before, moved)]
    [samples] = paired_samples(*frames, measures=MEASURES[:1], levels={"sub_industry": "trade"})
    counts = equivalence(shapes(samples), samples.labels)["judged"]
    for kind in ("met", "missed"):
        check_rate_within(counts[kind]["shift"], trials, 0.04, 0.06, tests=4)


def test_stated_number_of_firms_shows_equivalence_with_the_stated_power() -> None:
    """Of samples with as many firms as are said to be needed, four in five are shown to have no shift."""
    rng = np.random.default_rng(31)

    def shown(size: int, trials: int) -> dict[str, Any]:
        before = rng.normal(12, 1.5, (trials, size))
        moved = before + rng.normal(0, 0.9, (trials, size))
        keys = {"year": 2022, "trade": np.repeat(np.arange(trials), size)}
        frames = [pl.DataFrame(keys | {"revenue": np.exp(side.ravel()) * 1e3}) for side in (before, moved)]
        [samples] = paired_samples(*frames, measures=MEASURES[:1], levels={"sub_industry": "trade"})
        return equivalence(shapes(samples), samples.labels)

    needed = shown(50, 200)["summary"]["pairs_needed"]
    check_rate_within(shown(needed, 800)["judged"]["met"]["shift"], 800, 0.75, 0.85)


def test_statistics_are_coarse() -> None:
    """Two decimals and no more: exact moments of four firms would tell their figures."""
    report = judged(firms(16), with_digit_noise(firms(16)))
    for row in report["samples"]["rows"]:
        assert all(round(value, DECIMALS) == value for value in row if isinstance(value, float))


def test_no_samples_are_no_evidence_against() -> None:
    """Without figures nothing is judged."""
    report = judged(firms().clear(), firms().clear())
    assert (report["passed"], report["summary"]["samples"]) == (True, 0)
    assert b'"rows": []' in report_json(report)


def test_report_has_the_fields_that_pages_read() -> None:
    """Margins say why, rows have the columns' length, verdicts are of three kinds."""
    report = judged(firms(), with_digit_noise(firms()))
    assert all({"margin", "why"} == entry.keys() for entry in report["margins"].values())
    assert report["samples"]["columns"][:5] == ["level", "year", "measure", "n", "group"]
    assert {len(row) for row in report["samples"]["rows"]} == {len(report["samples"]["columns"])}
    assert report["alpha"] == ALPHA
    assert "intersection-union" in report["multiplicity"]
