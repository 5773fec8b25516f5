"""The cube of figures: nothing lost on the way in and out, and scales equal to slow versions of their definitions."""

import math
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.figures.guarded.cube import cube_of, filled_over_years, frame_of, members_of, normal_scores, pooled
from pipeline.keyed import Key

KEY = Key(b"k" * 32)
MEASURES = ("revenue", "profit")
FIGURES = st.one_of(st.none(), st.integers(-3, 3), st.integers(-(10**17), 10**17))


@st.composite
def panels(draw: st.DrawFn) -> pl.DataFrame:
    """Draw a panel of up to seven firms and three years in any order, with rows and figures missing."""
    keys = draw(st.sets(st.tuples(st.sampled_from("abcdefg"), st.integers(2020, 2022)), min_size=1, max_size=14))
    rows = [(*key, draw(FIGURES), draw(FIGURES)) for key in draw(st.permutations(sorted(keys)))]
    schema = {"code": pl.String, "year": pl.Int64} | dict.fromkeys(MEASURES, pl.Int64)
    return pl.DataFrame(rows, schema=schema, orient="row")


@given(panels())
def test_a_panel_survives_its_cube(panel: pl.DataFrame) -> None:
    """What goes into a cube comes out of it: rows, their order, columns, gaps and every digit."""
    cube = cube_of(panel, MEASURES, code="code", key=KEY)
    assert frame_of(cube, panel, MEASURES, code="code").equals(panel)
    assert int(cube.has_row.sum()) == panel.height


@given(panels())
def test_a_cube_does_not_know_the_order_of_rows(panel: pl.DataFrame) -> None:
    """Rows in another order make the same cube."""
    first, other = (cube_of(rows, MEASURES, code="code", key=KEY) for rows in (panel, panel.reverse()))
    assert (first.firms, first.years) == (other.firms, other.years)
    assert np.array_equal(first.values, other.values)
    assert np.array_equal(first.is_reported, other.is_reported)


def test_firms_stand_in_keyed_order() -> None:
    """The order of firms is another under another key, and that of their codes under neither."""
    panel = pl.DataFrame({"code": [f"c{i:02}" for i in range(40)], "year": 2022, "revenue": 1, "profit": 1})
    orders = [cube_of(panel, MEASURES, code="code", key=Key(bytes([i]) * 32)).firms for i in range(2)]
    assert orders[0] != orders[1]
    assert list(panel["code"]) not in [list(order) for order in orders]


@settings(max_examples=30)
@given(panels())
def test_scores_are_normal_quantiles_of_mean_ranks(panel: pl.DataFrame) -> None:
    """A score is the normal quantile of (mean rank - 1/2) / n among the group's reported figures of the year."""
    cube = cube_of(panel, MEASURES, code="code", key=KEY)
    groups = members_of(["left" if firm < "d" else "right" for firm in cube.firms])
    scores = normal_scores(cube, groups)
    for group in groups:
        for firm, year, j in np.ndindex(len(group), len(cube.years), len(MEASURES)):
            own = float(cube.values[group[firm], year, j])
            others = [float(cube.values[i, year, j]) for i in group if cube.is_reported[i, year, j]]
            if not cube.is_reported[group[firm], year, j]:
                assert math.isnan(scores[group[firm], year, j])
                continue
            rank = sum(other < own for other in others) + (sum(other == own for other in others) + 1) / 2
            expected = NormalDist().inv_cdf((rank - 0.5) / len(others))
            assert scores[group[firm], year, j] == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.one_of(st.just(math.nan), st.floats(-3, 3)), min_size=1, max_size=7))
def test_gaps_are_filled_from_the_nearest_year(row: list[float]) -> None:
    """Each gap takes the value of the nearest year that has one, the earlier of two; without any it stays."""
    known = [year for year, value in enumerate(row) if not math.isnan(value)]
    expected = [
        row[min(known, key=lambda other: (abs(other - year), other))] if known else math.nan for year in range(len(row))
    ]
    assert np.array_equal(filled_over_years(np.array([row]))[0], expected, equal_nan=True)


def test_large_labels_keep_to_themselves() -> None:
    """Labels with enough members are their own pools."""
    assert pooled(["a"] * 5 + ["b"] * 9, at_least=5) == {"a": "a", "b": "b"}


def test_small_labels_share_a_pool() -> None:
    """Labels that are too few are put together, and the pool is named by them."""
    assert pooled(["a"] * 2 + ["b"] * 9 + ["c"] * 3, at_least=5) == {"a": "a + c", "b": "b", "c": "a + c"}


def test_a_pool_that_is_too_small_takes_the_smallest_of_the_others() -> None:
    """One label alone too few is put with the smallest that has enough."""
    assert pooled(["a"] * 2 + ["b"] * 9 + ["c"] * 7, at_least=5) == {"a": "a + c", "b": "b", "c": "a + c"}


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=60), st.integers(1, 12))
def test_no_pool_is_too_small_unless_all_are_one(labels: list[str], at_least: int) -> None:
    """Every label has one pool; a pool has enough members, or it is the only one; who has enough for all joins nobody."""
    pools = pooled(labels, at_least=at_least)
    assert set(pools) == set(labels)
    sizes = {pool: sum(pools[label] == pool for label in labels) for pool in pools.values()}
    assert len(sizes) == 1 or min(sizes.values()) >= at_least
    assert sum(pool not in pools for pool in sizes) <= 1
    if all(labels.count(label) >= at_least for label in labels):
        assert pools == {label: label for label in labels}
