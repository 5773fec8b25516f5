"""Which columns a panel is drawn as: decisions on planted panels, and columns equal to slow versions."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.synthesis.columns import Columns, columns_of, layout_of, nearest_year, states_of
from anonymize.synthesis.cube import cube_of, members_of, pooled
from pipeline.model import Difference, Growth, Identity, Measure, Panel, Ratio, Sum
from pipeline.model.identities import stated_by

NAMES = ("sales", "cost", "profit", "margin", "growth", "staff", "gift", "luck")
IDENTITIES: tuple[Identity, ...] = (
    Sum(output="profit", plus=("sales",), minus=("cost",)),
    Ratio(output="margin", numerator=("cost",), denominator="sales"),
    Growth(output="growth", base="sales"),
)
PANEL = Panel(tables=("t",), measures=tuple(Measure(name=name, unit="EUR") for name in NAMES), identities=IDENTITIES)
YEARS = (2020, 2021, 2022)


def planted(count: int = 200) -> pl.DataFrame:
    """Return sales and cost that last, staff that is missing together with gifts, luck of each year with either sign."""
    rng = np.random.default_rng(0)
    size = rng.normal(10, 2, (count, 1)) + rng.normal(0, 0.1, (count, 3))
    frame = pl.DataFrame(
        {
            "code": np.repeat([f"c{i:03}" for i in range(count)], 3),
            "year": list(YEARS) * count,
            "sales": np.exp(size).astype(np.int64).ravel() + 100,
            "cost": (np.exp(size) * 0.6).astype(np.int64).ravel() + 50,
            "staff": np.exp(size / 2).astype(np.int64).ravel(),
            "gift": rng.integers(1, 1000, 3 * count),
            "luck": rng.integers(-500, 500, 3 * count),
        }
    )
    for identity in IDENTITIES:
        frame = frame.with_columns(stated_by(identity, PANEL, code="code").alias(identity.output))
    is_missing = pl.int_range(pl.len()) % 10 == 0
    return frame.with_columns(pl.when(~is_missing).then(pl.col(name)).alias(name) for name in ("staff", "gift"))


def layout(frame: pl.DataFrame, panel: Panel = PANEL) -> Columns:
    """Return the layout of a frame."""
    names = [measure.name for measure in panel.measures]
    return layout_of(cube_of(frame, names, code="code"), states_of(frame, panel, code="code"), panel)


def named(places: tuple[int, ...]) -> set[str]:
    """Return the names of measures."""
    return {NAMES[place] for place in places}


def test_measures_that_last_are_paths_and_others_are_drawn_by_year() -> None:
    """Sales, cost and staff keep their order and sign; gifts do not keep order, luck is negative; outputs are none of them."""
    found = layout(planted())
    assert named(found.paths) == {"sales", "cost", "staff"}
    assert named(found.yearly) == {"gift", "luck"}


def test_growth_that_is_published_is_kept() -> None:
    """The base of a growth identity keeps its growth, no other path does."""
    assert named(tuple(layout(planted()).with_growth)) == {"sales"}


def test_a_numerator_is_ordered_by_its_ratio() -> None:
    """Cost is drawn as a share of sales."""
    assert {NAMES[above]: NAMES[below] for above, below in layout(planted()).shares.items()} == {"cost": "sales"}


def test_measures_missing_together_are_one_gap() -> None:
    """Staff and gifts are missing in the same records: one group; growth of the first year is no gap."""
    (group,) = layout(planted()).gaps
    assert named(group) == {"staff", "gift"}


def test_gaps_apart_are_two() -> None:
    """One record more without a gift makes gaps of their own."""
    frame = planted().with_columns(pl.when(pl.int_range(pl.len()) != 1).then(pl.col("gift")).alias("gift"))
    assert [named(group) for group in layout(frame).gaps] == [{"staff"}, {"gift"}]


def test_a_rare_gap_is_not_modelled() -> None:
    """One gap among 600 records (less than 0.3 %) is none, two are."""
    for count, gaps in ((1, []), (2, [{"luck"}])):
        frame = planted().with_columns(pl.when(pl.int_range(pl.len()) >= count).then(pl.col("luck")).alias("luck"))
        assert [named(group) for group in layout(frame).gaps if "luck" in named(group)] == gaps


def test_an_identity_that_breaks_often_has_a_figure_of_its_own() -> None:
    """Profit that is off in 5 % of the records is drawn, and so is where it is off; in one record it is neither."""
    for every, broken in ((20, (0,)), (600, ())):
        off = pl.col("profit") + 7 * (pl.int_range(pl.len()) % every == 0)
        found = layout(planted().with_columns(off.alias("profit")))
        assert found.broken == broken
        assert ("profit" in named(found.yearly + found.paths)) == bool(broken)


def test_an_output_that_its_inputs_never_give_has_no_gap() -> None:
    """A measure whose identity says nothing anywhere (a difference in a single year) is read without a warning."""
    panel = Panel(
        tables=("t",),
        measures=(Measure(name="sales", unit=""), Measure(name="change", unit="")),
        identities=(Difference(output="change", base="sales"),),
    )
    frame = planted().filter(year=2020).select("code", "year", "sales", pl.lit(None, pl.Int64).alias("change"))
    assert layout(frame, panel).gaps == ()


def test_order_of_rows_makes_no_difference() -> None:
    """Rows of the panel in reverse give the same layout and columns."""
    frames = planted(), planted().reverse()
    assert layout(frames[0]) == layout(frames[1])
    first, other = (
        columns_of(cube_of(frame, NAMES, code="code"), states_of(frame, PANEL, code="code"), layout(frame))
        for frame in frames
    )
    for one, two in zip(first, other, strict=True):
        assert np.array_equal(one, two, equal_nan=True)


def test_columns_equal_a_slow_version() -> None:
    """Levels of the anchor year, growth, levels of years and gaps are what a loop over records says."""
    frame = planted(60).sample(fraction=0.9, seed=3, shuffle=True)
    cube, found = cube_of(frame, NAMES, code="code"), layout(frame)
    constant, yearly = columns_of(cube, states_of(frame, PANEL, code="code"), found)
    rows = {(row["code"], row["year"]): row for row in frame.to_dicts()}
    for (i, firm), (t, year) in ((a, b) for a in enumerate(cube.firms) for b in enumerate(cube.years)):
        row, before = rows.get((firm, year), {}), rows.get((firm, year - 1), {})
        expected = []
        for place in found.paths:
            now, then = row.get(NAMES[place]), before.get(NAMES[place])
            expected.append(math.log(now / then) if now and then else math.nan)
        expected += [math.nan if row.get(NAMES[j]) is None else row[NAMES[j]] for j in found.yearly]
        expected += [float(row[NAMES[group[0]]] is None) if row else math.nan for group in found.gaps]
        assert yearly[i, t] == pytest.approx(expected, nan_ok=True)
        if t == found.anchor and row:
            shown = [row[NAMES[j]] for j in found.paths]
            ratios = [row[NAMES[j]] / row[NAMES[found.shares[j]]] if j in found.shares else None for j in found.paths]
            for k, (level, ratio) in enumerate(zip(shown, ratios, strict=True)):
                if level is not None:
                    assert constant[i, k] == pytest.approx(level if ratio is None else ratio)


@given(st.lists(st.one_of(st.just(math.nan), st.floats(-3, 3)), min_size=1, max_size=7), st.data())
def test_the_nearest_year_stands_in(row: list[float], data: st.DataObject) -> None:
    """The figure is that of the known year nearest to the anchor, the earlier of two."""
    anchor = data.draw(st.integers(0, len(row) - 1))
    known = [year for year, value in enumerate(row) if not math.isnan(value)]
    expected = row[min(known, key=lambda year: (abs(year - anchor), year))] if known else math.nan
    assert np.array_equal(nearest_year(np.array([row])[:, :, None], anchor)[0], [expected], equal_nan=True)


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=60), st.integers(1, 12))
def test_no_pool_is_too_small_unless_all_are_one(labels: list[str], at_least: int) -> None:
    """Every label has one pool; a pool has enough members, or it is the only one; labels with enough stay apart."""
    pools = pooled(labels, at_least=at_least)
    assert set(pools) == set(labels)
    sizes = {pool: sum(pools[label] == pool for label in labels) for pool in pools.values()}
    assert len(sizes) == 1 or min(sizes.values()) >= at_least
    assert sum(pool not in pools for pool in sizes) <= 1
    if all(labels.count(label) >= at_least for label in labels):
        assert pools == {label: label for label in labels}


@given(st.lists(st.sampled_from("abc"), max_size=20))
def test_members_are_the_positions_of_a_label(labels: list[str]) -> None:
    """Each label's positions, in order; labels sorted."""
    assert {label: places.tolist() for label, places in members_of(labels).items()} == {
        label: [i for i, each in enumerate(labels) if each == label] for label in sorted(set(labels))
    }
