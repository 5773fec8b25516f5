"""The whole report: perfect for a side against itself, and each part moves where its own distortion is planted."""

import json
import time
from collections.abc import Callable

import polars as pl
import pytest

from pipeline.model import PERIOD, Measure, Panel
from tests.unit.fidelity.panels import COLUMNS, KEY, PANEL, changed, permuted_firms, regrouped, side
from validation.fidelity import EntityColumns, Fidelity, fidelity
from validation.pair import Side

ORIGINALS = side()

Distortion = Callable[[pl.DataFrame], pl.DataFrame]


def compared(published: Side, originals: Side = ORIGINALS) -> Fidelity:
    return fidelity(originals, published, panel=PANEL, columns=COLUMNS, key=KEY)


def moved(report: Fidelity) -> set[str]:
    """Return the parts that tell a difference."""
    sizes = {
        "marginals": (report.marginals.largest_distance or 0, 0.1),
        "growth": (report.growth.largest_distance or 0, 0.1),
        "correlations": (report.correlations.largest or 0, 0.05),
        "year on year": (report.year_on_year.largest or 0, 0.05),
        "identities": (max(abs((i.originals or 0) - (i.published or 0)) for i in report.identities), 0.05),
        "zeros": (report.presence.zeros.largest or 0, 0.05),
        "gaps": (report.presence.gaps.largest or 0, 0.05),
        "tails": (report.tails.largest or 0, 0.02),
        "sums": (1 - (report.aggregates.sums.share or 0), 0.01),
        "means": (1 - (report.aggregates.means.share or 0), 0.01),
        "medians": (1 - (report.aggregates.medians.share or 0), 0.01),
    }
    return {name for name, (size, limit) in sizes.items() if size > limit}


def every(nth: int) -> pl.Expr:
    return pl.int_range(pl.len()) % nth == 0


def largest_doubled(figures: pl.DataFrame) -> pl.DataFrame:
    """Double the staff of the largest firms of each trade and year, so that sums and tails grow and medians stay."""
    trades = figures.join(ORIGINALS.entities.select("firm", "trade"), on="firm", maintain_order="left")["trade"]
    rank = pl.col("staff").rank("ordinal", descending=True).over(trades.alias("trade"), PERIOD)
    return figures.with_columns(staff=pl.when(rank <= 3).then(pl.col("staff") * 3).otherwise("staff"))


DISTORTIONS: dict[str, tuple[Distortion, set[str]]] = {
    "nothing": (lambda figures: figures, set()),
    "rows in another order": (lambda figures: figures.reverse(), set()),
    "one measure times 1.5": (
        lambda figures: figures.with_columns(staff=pl.col("staff") * 3 // 2),
        {"marginals", "sums", "means", "medians"},
    ),
    "one measure of other firms": (lambda figures: permuted_firms(ORIGINALS, figures, "staff"), {"correlations"}),
    "each year of other firms": (
        lambda figures: regrouped(
            ORIGINALS, figures, ["revenue", "cost", "profit", "margin", "staff"], ["trade", PERIOD]
        ),
        {"year on year", "growth"},
    ),
    "zeros": (
        lambda figures: figures.with_columns(staff=pl.when(every(5)).then(0).otherwise("staff")),
        {"zeros", "marginals", "correlations", "year on year", "sums", "means", "medians"},
    ),
    "gaps": (lambda figures: figures.with_columns(staff=pl.when(~every(9)).then("staff")), {"gaps"}),
    "broken identity": (
        lambda figures: figures.with_columns(cost=pl.col("cost") + every(3).cast(pl.Int64)),
        {"identities"},
    ),
    "largest tripled": (largest_doubled, {"tails", "sums", "means"}),
}
QUIET_ELSEWHERE = {
    "zeros": {"growth", "tails"},
    "gaps": {"sums", "means", "medians", "tails"},
    "largest tripled": {"growth", "year on year"},
}
"""What a distortion may move beside its own parts: a gap takes its figure from the sum, a tripled figure grew."""


@pytest.mark.parametrize("name", DISTORTIONS)
def test_each_part_notices_its_own_distortion(name: str) -> None:
    """Exactly the planted distortion moves what it should; all else stays quiet."""
    distort, expected = DISTORTIONS[name]
    found = moved(compared(changed(ORIGINALS, distort)))
    assert expected <= found
    assert found <= expected | QUIET_ELSEWHERE.get(name, set())


def test_a_side_is_faithful_to_itself() -> None:
    """No distance, no change, every aggregate and every conclusion the same."""
    report = compared(ORIGINALS)
    for found in (report.marginals, report.marginals_of_sub_industries, report.growth):
        assert found.tests > 0
        assert (found.rejected, found.median_distance, found.largest_distance) == (0, 0, 0)
        assert (found.wasserstein, found.one_sided) == (0, 0)
    for change in (report.correlations, report.year_on_year, report.presence.zeros, report.presence.gaps, report.tails):
        assert change.n > 0
        assert (change.largest, change.within, change.largest_at) == (0, 1, "")
    near = report.aggregates
    assert [each.share for each in (near.sums, near.means, near.medians, near.industries)] == [1, 1, 1, 1]
    assert [(each.originals, each.published, each.largest_residual) for each in report.identities] == [(1, 1, 0)] * 2
    assert report.conclusions.same == report.conclusions.same_of_shared == 1


def test_codes_do_not_matter() -> None:
    """Firms under other codes and in another order are as faithful: nothing is paired."""
    other = Side(
        entities=ORIGINALS.entities.with_columns("Z" + pl.col("firm").str.reverse()).reverse(),
        figures=ORIGINALS.figures.with_columns("Z" + pl.col("firm").str.reverse()).reverse(),
    )
    assert compared(other).as_json() == compared(ORIGINALS).as_json()


def test_other_firms_and_years_are_compared() -> None:
    """A release of more firms and fewer years has its numbers told, and is near in what does not depend on them."""
    other = side(360, seed=2)
    fewer = Side(entities=other.entities, figures=other.figures.filter(pl.col(PERIOD) > 2020))
    report = compared(fewer)
    assert (report.firms, report.records) == ((180, 360), (720, 1080))
    assert report.marginals.one_sided == 15
    assert report.marginals.rejected is not None
    assert report.marginals.rejected < 0.2
    assert report.aggregates.sums.share == 0


def test_report_is_json() -> None:
    """The report is strict JSON, without any answer of the originals."""
    published = changed(ORIGINALS, lambda figures: figures.filter(pl.col(PERIOD) == 2020))
    told = compared(published).as_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert set(told) == {"firms", "records", *Fidelity.__annotations__}
    assert "original" not in json.dumps(told["conclusions"])


@pytest.mark.parametrize("firms", [0, 1, 4])
def test_few_firms_are_no_evidence(firms: int) -> None:
    """With hardly a firm there is nothing to compare, and the report says so instead of failing."""
    few = side(firms)
    report = compared(few, few)
    assert report.correlations.n == report.tails.n == report.conclusions.n == 0
    assert report.as_json()["marginals"]["median_distance"] is None


def test_one_table_without_further_columns() -> None:
    """Three measures, one industry for both levels, no identity, no category: fewer conclusions, but some."""
    columns = EntityColumns(code="firm", industry="trade", sub_industry="trade")
    panel = Panel(tables=("t",), measures=tuple(Measure(name=name, unit="") for name in ("revenue", "cost", "staff")))
    bakers = ORIGINALS.entities.filter(pl.col("trade") == "baking").select("firm", "trade")
    shops = Side(entities=bakers, figures=ORIGINALS.figures.join(bakers, on="firm", how="semi"))
    report = fidelity(shops, shops, panel=panel, columns=columns, key=KEY)
    assert 10 <= report.conclusions.n < 60
    assert report.conclusions.same == 1
    assert report.identities == ()


def test_many_firms_take_seconds() -> None:
    """6,900 firms of three years, 45 measures, are compared within the time that a build has for it."""
    large = side(6_900)
    wide = [(name, f"{name} {i}") for i in range(9) for name in ("revenue", "cost", "profit", "margin", "staff")]
    figures = large.figures.filter(pl.col(PERIOD) > 2020).select("firm", PERIOD, *(pl.col(a).alias(b) for a, b in wide))
    panel = Panel(tables=("t",), measures=tuple(Measure(name=name, unit="") for _, name in wide))
    huge = Side(entities=large.entities, figures=figures)
    started = time.process_time()
    fidelity(huge, huge, panel=panel, columns=COLUMNS, key=KEY)
    assert time.process_time() - started < 12
