"""Samples rank by rank: the smallest beside the smallest, whoever reports them, as a slow and obvious version pairs them."""

from itertools import zip_longest
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model import Measure
from validation.distributions.samples import KEYS, Samples, ranked_samples, signed_log
from validation.distributions.shape import shapes

MEASURES = (Measure(name="revenue", unit="EUR", decimals=2), Measure(name="staff", unit="heads"))
LEVELS = {"sub_industry": "trade", "industry": "sector"}

Firm = tuple[int, str | None, str | None, int | None, int | None]
firms = st.lists(
    st.tuples(
        st.sampled_from([2021, 2022]),
        st.sampled_from(["flour", "paper", None]),
        st.sampled_from(["food", None]),
        st.one_of(st.none(), st.integers(-(10**6), 10**6)),
        st.one_of(st.none(), st.integers(0, 3)),
    ),
    max_size=20,
)


def framed(rows: list[Firm]) -> pl.DataFrame:
    schema = {"year": pl.Int64, "trade": pl.String, "sector": pl.String, "revenue": pl.Int64, "staff": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def ranked(first: list[Firm], second: list[Firm]) -> list[Samples]:
    return list(ranked_samples(framed(first), framed(second), measures=MEASURES, levels=LEVELS))


def as_pairs(found: list[Samples]) -> dict[tuple[Any, ...], list[tuple[float | None, float | None]]]:
    """Return the pairs of each sample, by what names it."""
    pairs: dict[tuple[Any, ...], list[tuple[float | None, float | None]]] = {}
    for samples in found:
        names = samples.labels.select(KEYS).rows()
        pairs |= {name: [] for name in names}
        for number, *sides in zip(samples.sample, samples.original, samples.anonymised, strict=True):
            before, after = (None if np.isnan(value) else float(value) for value in sides)
            pairs[names[number]].append((before, after))
    return pairs


def slowly_paired(
    first: list[Firm], second: list[Firm]
) -> dict[tuple[Any, ...], list[tuple[float | None, float | None]]]:
    """Sort each side's figures of every level, measure, group and year, and lay them side by side."""
    figures: dict[tuple[Any, ...], tuple[list[float], list[float]]] = {}
    for side, rows in enumerate((first, second)):
        for year, trade, sector, *values in rows:
            for level, group in zip(LEVELS, (trade, sector), strict=True):
                for measure, value in zip(MEASURES, values, strict=True):
                    if value is not None:
                        name = (level, measure.name, group, year)
                        scaled = float(signed_log(np.array([value / 10.0**measure.decimals]))[0])
                        figures.setdefault(name, ([], []))[side].append(scaled)
    return {name: list(zip_longest(*map(sorted, sides))) for name, sides in figures.items()}


@given(firms, firms)
def test_ranks_are_paired_as_sorting_pairs_them(first: list[Firm], second: list[Firm]) -> None:
    """Of any two sets of firms, of other numbers and without a group some, each sample's pairs are those of sorted lists."""
    assert as_pairs(ranked(first, second)) == slowly_paired(first, second)


def test_firms_without_a_group_are_a_group() -> None:
    """Figures of firms that have no trade stand beside each other, and not beside those of any trade."""
    first: list[Firm] = [(2022, None, "food", 100, None), (2022, "flour", "food", 700, None)]
    second: list[Firm] = [(2022, None, "food", 300, None), (2022, "flour", "food", 500, None)]
    pairs = as_pairs(ranked(first, second))
    assert [len(pairs["sub_industry", "revenue", trade, 2022]) for trade in (None, "flour")] == [1, 1]
    assert pairs["sub_industry", "revenue", None, 2022][0] == pytest.approx((np.log(2), np.log(4)))


def test_what_one_side_has_more_has_no_partner() -> None:
    """The largest figures of the larger side stand alone, and sizes are those of each side."""
    found = ranked([(2022, "a", "b", value, None) for value in (1, 2, 3)], [(2022, "a", "b", 5, None)])
    assert [(after is None) for _, after in as_pairs(found)["industry", "revenue", "b", 2022]] == [False, True, True]
    assert [side.sizes.tolist() for side in found[0].sides] == [[3, 3], [1, 1]]


def test_labels_come_by_level_group_and_year() -> None:
    """The samples of a measure are numbered in the order of levels, a group without a name last."""
    rows: list[Firm] = [(year, trade, "b", 1, 1) for year in (2022, 2021) for trade in (None, "x", "a")]
    revenue, staff = (found.labels for found in ranked(rows, rows[:1]))
    assert [each["measure"].unique().to_list() for each in (revenue, staff)] == [["revenue"], ["staff"]]
    assert revenue["level"].to_list() == ["sub_industry"] * 6 + ["industry"] * 2
    assert revenue["group"].to_list()[:6] == ["a", "a", "x", "x", None, None]
    assert revenue["year"].to_list()[:2] == [2021, 2022]


@given(firms, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: list[Firm], shuffler: Any) -> None:
    """Whoever comes first, the samples are the same to the last row, and identical sets are found to be the same."""
    shuffled = shuffler.sample(rows, len(rows))
    for one, other in zip(ranked(rows, rows), ranked(rows, shuffled), strict=True):
        assert one.sample.tolist() == other.sample.tolist()
        assert np.array_equal(one.original, other.original)
        assert np.array_equal(one.anonymised, other.anonymised)
        assert shapes(other).is_same.all()


def test_a_distance_is_that_of_the_two_sets() -> None:
    """Of sets of other numbers the distance is scipy's Wasserstein distance, which knows of no pairs."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    sides = [rng.lognormal(10, 2, size).astype(np.int64) for size in (90, 70)]
    rows: list[list[Firm]] = [[(2022, "a", "b", int(value), None) for value in side] for side in sides]
    found = shapes(ranked(*rows)[0]).distance.size[-1]
    logs = [signed_log(side / 100) for side in sides]
    assert found == pytest.approx(stats.wasserstein_distance(*logs) / logs[0].std(ddof=1))
