"""Aggregates of both sides: honest noise passes, and each planted defect is found by the gate meant for it."""

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model import Measure, Panel, Ratio
from validation.consistency.aggregates import (
    ENOUGH_CELLS,
    NEAR,
    Offset,
    Sampled,
    compare_aggregates,
    compare_counts,
    compare_structure,
    failures,
    lsd_bounds,
    lsd_steps,
    published_offsets,
)
from validation.consistency.report import Findings, consistency_report

INDUSTRIES, FIRMS = 40, 12
BOUNDS = {"revenue": 0.01, "profit": 0.01}
TABLE = "industry_status"


def firms() -> pl.DataFrame:
    """Return firms of many industries with positive revenue and profit of either sign, in whole units."""
    draws = np.random.default_rng(3)
    size = INDUSTRIES * FIRMS
    return pl.DataFrame(
        {
            "industry": [f"industry {i % INDUSTRIES:02}" for i in range(size)],
            "revenue": np.exp(draws.normal(18, 2, size)).astype(np.int64),
            "profit": draws.normal(0, 1e9, size).astype(np.int64),
        }
    )


def noisy() -> pl.DataFrame:
    """Return the firms with every figure moved by up to 0.9 %, up or down."""
    moved = np.random.default_rng(4).uniform(0.991, 1.009, (2, INDUSTRIES * FIRMS))
    return firms().with_columns(
        (pl.col(name) * pl.Series(moved[i])).cast(pl.Int64) for i, name in enumerate(("revenue", "profit"))
    )


def statistics(frame: pl.DataFrame) -> pl.DataFrame:
    """Aggregate the plain way: by industry, one row a measure and statistic, mean and median in tenths."""
    value = pl.col("value")
    summary = (
        frame.unpivot(["revenue", "profit"], index="industry", variable_name="measure")
        .group_by("industry", "measure")
        .agg(
            n=pl.len().cast(pl.Int64),
            sum=value.sum() * 10,
            mean=(value.mean() * 10).round().cast(pl.Int64),
            max=value.max() * 10,
            min=value.min() * 10,
            median=(value.median() * 10).cast(pl.Int64),
        )
        .with_columns(year=pl.lit(2022, pl.Int64), scale=pl.lit(1, pl.Int64))
    )
    index = ["industry", "year", "measure", "n", "scale"]
    return summary.unpivot(["sum", "mean", "max", "min", "median"], index=index, variable_name="statistic").rename(
        {"value": "mantissa"}
    )


def only(entries: list[Offset], measure: str, statistic: str) -> Offset:
    return next(entry for entry in entries if (entry.measure, entry.statistic) == (measure, statistic))


def defects_of(anonymised: pl.DataFrame) -> list[str]:
    return failures(compare_aggregates(statistics(firms()), anonymised, bounds=BOUNDS, table=TABLE), [])


def with_cell(frame: pl.DataFrame, mantissa: pl.Expr, **cell: str) -> pl.DataFrame:
    return frame.with_columns(mantissa=pl.when(**cell).then(mantissa).otherwise("mantissa"))


def test_honest_noise_passes() -> None:
    """Noise within the bound leaves no defect, although sums of mixed signs move by far more."""
    entries = compare_aggregates(statistics(firms()), statistics(noisy()), bounds=BOUNDS, table=TABLE)
    assert failures(entries, []) == []
    assert (only(entries, "profit", "sum").max_offset or 0) > 0.01


def test_offsets_equal_those_of_a_plain_loop() -> None:
    """Mean and maximum agree with (anonymised - original) / |original| taken cell by cell."""
    keys = ["industry", "measure", "statistic"]
    originals, anonymised = statistics(firms()).sort(keys), statistics(noisy()).sort(keys)
    entries = compare_aggregates(originals, anonymised, bounds=BOUNDS, table=TABLE)
    cells = originals.select(*keys, "mantissa", other=anonymised["mantissa"]).rows(named=True)
    for entry in entries:
        mine = [c for c in cells if (c["measure"], c["statistic"]) == (entry.measure, entry.statistic)]
        offsets = [(c["other"] - c["mantissa"]) / abs(c["mantissa"]) for c in mine]
        assert entry.cells == INDUSTRIES
        assert entry.mean_offset == pytest.approx(math.fsum(offsets) / INDUSTRIES, abs=1e-12)
        assert entry.max_offset == pytest.approx(max(map(abs, offsets)), abs=1e-12)
        assert entry.near == sum(abs(offset) <= NEAR for offset in offsets)


@given(
    st.lists(st.tuples(st.integers(0, 10**9), st.floats(-0.01, 0.01)), min_size=1, max_size=12),
    st.sampled_from([sum, max, min, np.mean, np.median]),
)
def test_statistics_of_one_sign_stay_within_the_bound_of_each_figure(
    figures: list[tuple[int, float]], statistic: Any
) -> None:
    """The theorem behind the gate: no figure moves by more than 1 %, so no statistic of them does."""
    before, after = [x for x, _ in figures], [x * (1 + move) for x, move in figures]
    assert abs(statistic(after) - statistic(before)) <= 0.01 * statistic(before) * (1 + 1e-9)


@pytest.mark.parametrize("statistic", ["sum", "mean", "max", "min", "median"])
def test_one_changed_cell_is_found_and_named(statistic: str) -> None:
    """Any statistic of one industry, 2 % off, is one defect that names the cell."""
    cell = {"industry": "industry 07", "measure": "revenue", "statistic": statistic}
    found = defects_of(with_cell(statistics(firms()), pl.col("mantissa") * 102 // 100, **cell))
    assert len(found) == 1
    assert f"{statistic} of 'revenue': 1 of {INDUSTRIES} bounded cells moved by more than 1%" in found[0]
    assert "industry 07" in found[0]


def test_a_common_drift_within_the_bound_is_found() -> None:
    """Every sum 0.7 % up is within each cell's bound, but noise that only goes up is no noise."""
    drifted = statistics(firms()).with_columns(pl.col("mantissa") * 1007 // 1000)
    assert [text for text in defects_of(drifted) if "mean offset uses more than 50%" in text]


def test_another_distribution_of_unbounded_cells_is_found() -> None:
    """Cells of mixed sign have no bound but a shape: profits up by half a standard deviation fail, by a tenth not."""
    shifted = [statistics(firms().with_columns(pl.col("profit") + shift)) for shift in (500_000_000, 100_000_000)]
    found = [[text for text in defects_of(frame) if "another distribution" in text] for frame in shifted]
    assert any("mean of 'profit'" in text for text in found[0])
    assert found[1] == []


def test_a_measure_without_bound_is_held_to_its_shape_alone() -> None:
    """Without a bound a cell that is off is reported, not refused."""
    cell = {"industry": "industry 07", "measure": "revenue", "statistic": "sum"}
    changed = with_cell(statistics(firms()), pl.col("mantissa") * 3, **cell)
    entries = compare_aggregates(statistics(firms()), changed, bounds={}, table=TABLE)
    assert failures(entries, []) == []
    assert only(entries, "revenue", "sum").max_offset == pytest.approx(2)
    assert only(entries, "revenue", "sum").bounded_cells == 0


def test_zeros_have_an_offset_only_if_they_stay() -> None:
    """Zero to zero is an offset of 0; zero to something has none, is counted, and is beyond any bound."""
    cell = {"measure": "revenue", "statistic": "min"}
    zero = with_cell(statistics(firms()), pl.lit(0), **cell)
    assert only(compare_aggregates(zero, zero, bounds=BOUNDS, table=TABLE), "revenue", "min").max_offset == 0
    raised = with_cell(zero, pl.lit(500), industry="industry 07", **cell)
    entry = only(compare_aggregates(zero, raised, bounds=BOUNDS, table=TABLE), "revenue", "min")
    assert (entry.from_zero, entry.outside, entry.max_offset, entry.near) == (1, 1, 0, entry.cells - 1)


@pytest.mark.parametrize(("mantissa", "is_near"), [(11, True), (12, False), (9, True), (8, False)])
def test_a_cell_right_on_the_limit_is_near(mantissa: int, *, is_near: bool) -> None:
    """As a decimal number: 1.1 for 1.0; as binary fractions they are a little farther apart."""
    cell = {"industry": "industry 07", "measure": "revenue", "statistic": "sum"}
    one, other = (with_cell(statistics(firms()), pl.lit(number), **cell) for number in (10, mantissa))
    entry = only(compare_aggregates(one, other, bounds={}, table=TABLE), "revenue", "sum")
    assert entry.near == entry.cells - (not is_near)


def test_cells_without_a_value_are_not_compared() -> None:
    """Groups in which nobody reports have null cells on both sides, which are neither offsets nor defects."""
    empty = statistics(firms()).with_columns(mantissa=pl.when(pl.col("industry") > "industry 09").then("mantissa"))
    entries = compare_aggregates(empty, empty, bounds=BOUNDS, table=TABLE)
    assert {entry.cells for entry in entries} == {INDUSTRIES - 10}
    assert compare_structure(empty, empty, table=TABLE).changed == 0


def test_row_order_does_not_matter() -> None:
    """Shuffled tables give the same findings, to the last bit."""
    frames = statistics(firms()), statistics(noisy())
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=i) for i, frame in enumerate(frames)]
    assert compare_aggregates(*shuffled, bounds=BOUNDS, table=TABLE) == compare_aggregates(
        *frames, bounds=BOUNDS, table=TABLE
    )


def test_same_cells_have_the_same_structure() -> None:
    """Other values over the same firms are no difference of structure, and all cells are counted."""
    found = compare_structure(statistics(firms()), statistics(noisy()), table=TABLE)
    assert (found.cells, found.missing, found.extra, found.changed) == (INDUSTRIES * 2 * 5, 0, 0, 0)
    assert failures([], [found]) == []


def test_a_firm_left_out_changes_the_structure() -> None:
    """One firm fewer changes the five statistics of both measures of its industry."""
    found = compare_structure(statistics(firms()), statistics(noisy().tail(-1)), table=TABLE)
    assert (found.missing, found.extra, found.changed) == (0, 0, 10)
    assert "10 count other firms" in failures([], [found])[0]


def test_missing_extra_and_emptied_cells_are_told_apart() -> None:
    """A cell that is gone, one that is new, and one without its value are three different findings."""
    frame = statistics(firms())
    new = frame.head(1).with_columns(industry=pl.lit("industry 99"))
    emptied = pl.when(pl.int_range(pl.len()) != 5).then("mantissa")
    found = compare_structure(frame, pl.concat([frame.with_columns(mantissa=emptied).tail(-1), new]), table=TABLE)
    assert (found.missing, found.extra, found.changed) == (1, 1, 1)


def test_counts_are_compared_cell_by_cell() -> None:
    """Null breakdown columns match each other; a count that is off by one is found."""
    counts = pl.DataFrame({"industry": ["a", "a", "b"], "ownership": [None, "state", None], "count": [3, 1, 2]})
    assert compare_counts(counts, counts.reverse(), table="counts").changed == 0
    off = counts.with_columns(count=pl.when(industry="b").then(pl.col("count") + 1).otherwise("count"))
    found = compare_counts(counts, off, table="counts")
    assert (found.cells, found.missing, found.extra, found.changed) == (3, 0, 0, 1)


def test_bounds_follow_the_kept_digits_and_leave_out_identities() -> None:
    """Three digits allow 1 %, two 10 %; an output of an identity is recomputed and has no bound."""
    measures = Measure(name="a", unit=""), Measure(name="b", unit="", significant_digits=2), Measure(name="r", unit="%")
    identity = Ratio(output="r", numerator=("a",), denominator="b")
    assert lsd_bounds(Panel(tables=(), measures=measures, identities=(identity,))) == {"a": 0.01, "b": 0.1}


def test_figures_that_move_by_a_unit_may_add_up() -> None:
    """The sum of an industry moves by a unit for each firm, all else by one; where no figure may move, that is a defect."""
    raised = firms().with_columns(revenue=pl.lit(3) + pl.int_range(pl.len()) % 2)
    lowered = raised.with_columns(pl.col("revenue") - 1)
    steps = lsd_steps(Panel(measures=(Measure(name="revenue", unit=""),), may_stay=frozenset()))
    assert lsd_steps(Panel(measures=(Measure(name="revenue", unit=""),))) == {}
    sides = statistics(raised), statistics(lowered)
    allowed, refused = (
        [
            each.outside
            for each in compare_aggregates(*sides, bounds={"revenue": 0.01}, steps=of, table=TABLE)
            if each.bound
        ]
        for of in (steps, {})
    )
    assert allowed == [0] * 5
    assert refused == [INDUSTRIES] * 5


def test_worst_cell_is_where_the_offset_is_largest() -> None:
    """The cell that is named has the largest offset by a plain search, in every statistic; equal tables have none."""
    entries = compare_aggregates(statistics(firms()), statistics(noisy()), bounds=BOUNDS, table=TABLE)
    keys = ["industry", "measure", "statistic"]
    cells = statistics(firms()).join(statistics(noisy()), on=keys, suffix=" noisy").rows(named=True)
    for entry in entries:
        mine = [c for c in cells if (c["measure"], c["statistic"]) == (entry.measure, entry.statistic)]
        worst = max(mine, key=lambda c: abs((c["mantissa noisy"] - c["mantissa"]) / c["mantissa"]))
        assert entry.worst_cell == {"industry": worst["industry"], "year": 2022}
    same = compare_aggregates(statistics(firms()), statistics(firms()), bounds=BOUNDS, table=TABLE)
    assert all(entry.worst_cell == {} for entry in same)


def test_structure_names_the_cell_that_lost_most_firms() -> None:
    """Of two industries that lost one and three firms, the second is named."""
    lost = noisy().with_row_index("firm").filter(~pl.col("firm").is_in([0, 1, 41, 81])).drop("firm")
    found = compare_structure(statistics(firms()), statistics(lost), table=TABLE)
    assert found.worst_cell["industry"] == "industry 01"
    assert compare_structure(statistics(firms()), statistics(noisy()), table=TABLE).worst_cell == {}


def test_published_offsets_do_not_give_an_original_back() -> None:
    """Means over few cells are in whole per cents, over many they have two digits; the largest, whose cell is named, always."""
    few = pl.col("industry") == "industry 07"
    sides = statistics(firms()), statistics(noisy())
    fine, coarse = (
        [published_offsets(entry) for entry in compare_aggregates(*pair, bounds=BOUNDS, table=TABLE)]
        for pair in (sides, [side.filter(few) for side in sides])
    )
    assert INDUSTRIES >= ENOUGH_CELLS
    assert all(entry["mean_offset"] == float(f"{entry['mean_offset']:.2g}") for entry in fine)
    assert any(entry["mean_offset"] != round(entry["mean_offset"], 2) for entry in fine)
    assert all(entry["mean_offset"] == round(entry["mean_offset"], 2) for entry in coarse)
    assert all(entry["max_offset"] == round(entry["max_offset"], 2) for entry in (*fine, *coarse))


@given(st.floats(0, 10_000))
def test_named_cell_leaves_its_original_open(offset: float) -> None:
    """An original a fifth of a per cent larger or smaller would be told the same, however large the offset."""
    (entry,) = offsets_with(0, of=1)

    def told(other: float) -> object:
        return published_offsets(replace(entry, max_offset=max(other, 0.0)))["max_offset"]

    assert told(offset) in {told(offset + 0.002 * (1 + offset)), told(offset - 0.002 * (1 + offset))}


def offsets_with(rejected: int, *, of: int = 40) -> list[Offset]:
    """Return statistics that are far outside their bound, some of them of another distribution."""
    return [
        Offset(
            table=TABLE,
            statistic="mean",
            measure=f"measure {i}",
            cells=ENOUGH_CELLS,
            from_zero=0,
            mean_offset=0.3,
            max_offset=0.9,
            near=0,
            ks_p_value=0.01 if i < rejected else 0.5,
            bound=0.01,
            bounded_cells=ENOUGH_CELLS,
            bounded_mean_offset=0.3,
            outside=5,
            worst_cell={"industry": "industry 00"},
        )
        for i in range(of)
    ]


@given(
    st.floats(-20, 20, allow_subnormal=False).filter(lambda offset: offset == 0 or abs(offset) > 1e-6),
    st.sampled_from([1, ENOUGH_CELLS - 1, ENOUGH_CELLS, 400]),
)
def test_a_published_offset_is_rounded_once(offset: float, cells: int) -> None:
    """It is off by half of its last digit at most: the second one, or the second decimal of few cells (1.846 is no 1.9)."""
    entry = published_offsets(replace(offsets_with(0)[0], cells=cells, mean_offset=offset, max_offset=abs(offset)))
    second = 10.0 ** (math.floor(math.log10(abs(offset))) - 1) if offset else 0.0
    mean = second if cells >= ENOUGH_CELLS else max(second, 0.01)
    assert abs(entry["mean_offset"] - offset) <= mean * 0.5 * (1 + 1e-6)
    assert abs(entry["max_offset"] - abs(offset)) <= max(second, 0.01) * 0.5 * (1 + 1e-6)
    assert float(f"{entry['mean_offset']:.2g}") == entry["mean_offset"]


def judging(entries: list[Offset], *, recomputed: Collection[str] = ()) -> Sampled:
    """Judge every table of the entries but for the measures that identities recompute."""
    return Sampled(recomputed=recomputed, by_industry={entry.table for entry in entries})


@pytest.mark.parametrize(("rejected", "is_passed"), [(0, True), (30, True), (31, False)])
def test_of_sampled_cells_a_stated_share_may_differ(rejected: int, is_passed: bool) -> None:  # noqa: FBT001
    """Of 40 statistics 30 may have another distribution where records are sampled; cells have no bound."""
    entries = offsets_with(rejected)
    report = consistency_report(Findings(offsets=entries, sampled=judging(entries)))
    assert report["passed"] is is_passed
    assert len(failures(entries, [], sampled=judging(entries))) == (0 if is_passed else 1)


def test_what_identities_recompute_is_told_and_not_judged() -> None:
    """A ratio of sampled figures has another distribution; it stands in the report, and neither fails nor helps others."""
    entries = offsets_with(31)
    ratios = {entry.measure for entry in entries[:31]}
    sampled = judging(entries, recomputed=ratios)
    assert failures(entries, [], sampled=sampled) == []
    assert len(consistency_report(Findings(offsets=entries, sampled=sampled))["aggregates"]) == len(entries)
    honest = {entry.measure for entry in entries[31:]}
    assert len(failures(entries, [], sampled=judging(entries, recomputed=honest))) == 1


@pytest.mark.parametrize(
    ("change", "is_judged"),
    [
        ({}, True),
        ({"statistic": "median"}, True),
        ({"statistic": "max"}, False),
        ({"statistic": "min"}, False),
        ({"measure": "margin"}, False),
        ({"table": "by town"}, False),
    ],
    ids=str,
)
def test_sampled_records_are_judged_by_what_a_model_of_industries_promises(
    change: dict[str, str],
    is_judged: bool,  # noqa: FBT001
) -> None:
    """Neither one firm's figure, nor what identities recompute, nor a table that is not by industry, is judged."""
    (entry, *_) = offsets_with(0)
    sampled = Sampled(recomputed={"margin"}, by_industry={"by industry"})
    assert sampled.judges(replace(entry, **{"table": "by industry", "statistic": "sum", **change})) is is_judged


def test_what_is_not_judged_neither_fails_nor_helps() -> None:
    """Forty extremes that differ are no defect, and forty that do not differ allow no rejection more."""
    extremes = [replace(entry, statistic="max") for entry in offsets_with(40)]
    assert failures(extremes, [], sampled=judging(extremes)) == []
    alike = [replace(entry, statistic="max") for entry in offsets_with(0)]
    both = [*offsets_with(31), *alike]
    assert len(failures(both, [], sampled=judging(both))) == 1


def test_of_digit_noise_cells_keep_their_bound() -> None:
    """The same cells are defects under digit noise, each of them."""
    assert len(failures(offsets_with(0), [])) >= 40
    assert not consistency_report(Findings(offsets=offsets_with(0)))["passed"]


def test_sampling_may_move_who_is_counted() -> None:
    """A cell that counts other firms is a defect of digit noise, and none of sampled records, which are other firms."""
    counted = statistics(firms())
    moved = compare_structure(counted, counted.with_columns(n=pl.col("n") + 1), table=TABLE)
    assert failures([], [moved])
    assert failures([], [moved], sampled=judging([])) == []
