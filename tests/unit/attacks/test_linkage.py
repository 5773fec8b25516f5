"""The linkage attack succeeds where it must and fails where it must, and finds on real companies what the design says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import euclidean, mahalanobis

from anonymize.figures import perturb_figures
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel
from silt.environments.us_listed import CODE, SECTOR, US_LISTED
from tests.conftest import REAL_TABLES
from validation.attacks import Attack
from validation.attacks.records import linkage
from validation.attacks.records.linkage import (
    AMONG_FIVE,
    GAPS,
    MAHALANOBIS,
    OWNER,
    WHOLE_PANEL,
    WHOLE_YEAR,
    WITH_REGISTER,
    known_figure_attacks,
    linkage_attacks,
)

KEY = Key(b"k" * 32)
SEVEN = (
    "Total Revenue",
    "Total Assets",
    "Net Income",
    "Operating Income",
    "Gross Profit",
    "Research and Development",
    "Total Liabilities",
)


def firms(values: list[int]) -> pl.DataFrame:
    return pl.DataFrame({"industry": "a", "year": 2022, "revenue": values}, schema_overrides={"year": pl.Int64})


def nearest_of_year(
    originals: pl.DataFrame, published: pl.DataFrame, *, group: str, year: int, measures: Sequence[str]
) -> Attack:
    """Link every record of one year that both sides report to its nearest original within the group."""
    sides = (frame.filter(pl.col(PERIOD) == year) for frame in (originals, published))
    return known_figure_attacks(*sides, group=group, known=[measures])[0]


def linked(originals: pl.DataFrame, published: pl.DataFrame) -> Attack:
    return nearest_of_year(originals, published, group="industry", year=2022, measures=["revenue"])


def test_what_a_release_does_not_state_rules_nobody_out() -> None:
    """A register's value disagrees with another one; a blank agrees with all."""
    view = linkage._View(
        originals=np.zeros((2, 1)),
        published=np.zeros((3, 1)),
        groups=[np.arange(2)],
        knowledge="",
        stated=np.array([[0], [1], [-1]]),
        registered=np.array([[0], [1]]),
    )
    assert np.isinf(view.distances(np.arange(3), np.arange(2))).tolist() == [
        [False, True],
        [True, False],
        [False, False],
    ]


def test_unchanged_figures_link_everybody() -> None:
    """Published as they are, figures name every company."""
    found = linked(firms([10, 200, 3_000]), firms([10, 200, 3_000]))
    assert (found.records, found.successes) == (3, 3)


def test_exchanged_figures_link_nobody() -> None:
    """Where each company carries another's figures, the attack names the wrong one every time."""
    assert linked(firms([10, 200, 3_000]), firms([200, 3_000, 10])).successes == 0


def test_other_years_and_groups_are_no_candidates() -> None:
    """An original of another year or industry is not looked at, so it cannot draw the link away."""
    originals = firms([10, 200, 11]).with_columns(year=pl.Series([2022, 2022, 2021]))
    published = firms([11, 200, 11]).with_columns(year=pl.Series([2022, 2022, 2021]))
    assert linked(originals, published).successes == 2


def test_what_is_not_reported_is_like_what_is_not_reported() -> None:
    """A pattern of gaps that is kept links as well as a figure."""
    gaps = pl.DataFrame({"industry": ["a"] * 2, "year": [2022] * 2, "revenue": [None, 5], "assets": [9, 9]})
    found = nearest_of_year(gaps, gaps, group="industry", year=2022, measures=["revenue", "assets"])
    assert found.successes == 2


MEASURES = ("revenue", "assets", "profit")


def panel(*, firms: int = 12, years: Sequence[int] = (2021, 2022), seed: int = 0) -> pl.DataFrame:
    """Return firms of two industries, unlike each other, with a town that two of each industry share."""
    rng = np.random.default_rng(seed)
    values = np.exp(rng.normal(12, 3, (firms * len(years), len(MEASURES)))).astype(np.int64)
    names = [f"firm {i:02}" for i in range(firms) for _ in years]
    return pl.DataFrame(
        {
            "firm": names,
            "industry": ["ab"[i % 2] for i in range(firms) for _ in years],
            "town": [f"town {i // 4}" for i in range(firms) for _ in years],
            "year": list(years) * firms,
            **{measure: values[:, j] for j, measure in enumerate(MEASURES)},
        }
    )


def exchanged(frame: pl.DataFrame) -> pl.DataFrame:
    """Give every firm the figures of the next one of its industry, in all years."""
    return frame.with_columns(pl.col(MEASURES).shift(-1).fill_null(pl.col(MEASURES).first()).over("industry", "year"))


def attacked(originals: pl.DataFrame, published: pl.DataFrame, **changes: Any) -> dict[str, Attack]:
    """Run all attacks; return them by name, each under the one set of known figures."""
    settings: dict[str, Any] = {"entity": "firm", "group": "industry", "measures": MEASURES, "known": [MEASURES]}
    found = linkage_attacks(originals, published, **settings | changes)
    assert len({attack.attack for attack in found}) == len(found)
    return {attack.attack: attack for attack in found}


@pytest.mark.parametrize("name", [OWNER, AMONG_FIVE, MAHALANOBIS, WHOLE_YEAR, WHOLE_PANEL])
def test_every_way_of_looking_finds_unchanged_figures(name: str) -> None:
    """Published as they are, figures name every company by any distance, in one year and in all."""
    found = attacked(panel(), panel())[name]
    assert (found.records, found.successes) == (12, 12)


@pytest.mark.parametrize("name", [OWNER, MAHALANOBIS, WHOLE_YEAR, WHOLE_PANEL])
def test_no_way_of_looking_finds_exchanged_figures(name: str) -> None:
    """Where each company carries another's whole panel, the owner is named nowhere."""
    assert attacked(panel(), exchanged(panel()))[name].successes == 0


def test_the_next_is_among_five_of_six() -> None:
    """In industries of six the owner of exchanged figures is among the five nearest unless it is the farthest."""
    found = attacked(panel(), exchanged(panel()))[AMONG_FIVE]
    assert 0 < found.successes <= found.records
    assert found.chance == pytest.approx(5 / 6)


def test_guessing_finds_one_of_each_industry() -> None:
    """The chance is the number of groups by that of records."""
    assert attacked(panel(), panel())[OWNER].chance == pytest.approx(2 / 12)


@given(st.integers(0, 10_000), st.floats(0.0, 2.0))
def test_distances_are_those_of_scipy(seed: int, noise: float) -> None:
    """Euclidean and Mahalanobis linkage count what a loop over scipy's distances between signed logarithms counts."""
    originals = panel(firms=20, years=(2022,), seed=seed)
    moved = np.exp(np.random.default_rng(seed + 1).normal(0, noise, (20, len(MEASURES))))
    published = originals.with_columns(
        (pl.col(measure) * pl.Series(moved[:, j])).round().cast(pl.Int64) for j, measure in enumerate(MEASURES)
    )
    before, after = (np.log1p(frame.select(MEASURES).to_numpy()) for frame in (originals, published))
    groups = [np.flatnonzero(originals["industry"] == industry) for industry in "ab"]
    centred = np.concatenate([before[group] - before[group].mean(axis=0) for group in groups])
    inverse = np.linalg.inv(centred.T @ centred / (len(centred) - 1))
    found = attacked(originals, published)
    for name, distance in ((OWNER, euclidean), (MAHALANOBIS, lambda one, other: mahalanobis(one, other, inverse))):
        nearest = [min(group, key=lambda j: distance(after[i], before[j])) for group in groups for i in group]
        assert found[name].successes == sum(np.concatenate(groups) == nearest)


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from(["ties", "small", "large"]))
def test_looking_where_it_can_matter_finds_what_looking_everywhere_finds(seed: int, size: int, noise: str) -> None:
    """The slow way compares each record with each original of its group; gaps, ties and a register are among them."""
    rng = np.random.default_rng(seed)
    originals = rng.integers(0, 3, (25, 3)).astype(float) if noise == "ties" else np.exp(rng.normal(0, 2, (25, 3)))
    moved = originals + {"ties": rng.integers(0, 2), "small": 0.01, "large": 2.0}[noise] * rng.normal(
        0, 1, (25, 3)
    ).round(1)
    gaps = rng.random((25, 3)) < 0.2
    groups = [np.flatnonzero(np.arange(25) % 3 == one) for one in range(3)]
    view = linkage._View(
        originals=np.where(gaps, linkage._ABSENT, originals),
        published=np.where(gaps, linkage._ABSENT, moved),
        groups=groups,
        knowledge="",
        stated=rng.integers(-1, 2, (25, 1)) if seed % 2 else None,
        registered=rng.integers(-1, 2, (25, 1)) if seed % 2 else None,
    )
    nearer = np.zeros(25, np.int64)
    for group in groups:
        distances = view.distances(group, group)
        own = np.diagonal(distances)[:, None]
        before = (distances < own) | ((distances == own) & np.tri(len(group), k=-1, dtype=bool))
        nearer[group] = np.where(np.isfinite(own[:, 0]), before.sum(axis=1), linkage._ENOUGH)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(linkage, "_AT_A_TIME", size)
        patched.setattr(linkage, "_BESIDE", size)
        rank = linkage._linked(view).rank
    assert np.minimum(rank, linkage._ENOUGH).tolist() == np.minimum(nearer, linkage._ENOUGH).tolist()


def test_mahalanobis_sees_what_euclid_does_not() -> None:
    """Figures that all grow alike hide a company from Euclid; their small difference from each other shows it."""
    size = np.arange(10) * 0.2
    quirk = np.where(np.arange(10) % 2, 0.02, -0.02) * (1 + np.arange(10) / 10)
    logs = np.stack([10 + size + quirk, 10 + size - quirk], axis=1)
    shifted = logs + 0.25
    sides = [
        pl.DataFrame({"firm": [str(i) for i in range(10)], "industry": "a", "year": 2022}).with_columns(
            pl.Series(measure, np.exp(points[:, j]) * 1e6) for j, measure in enumerate(("revenue", "assets"))
        )
        for points in (logs, shifted)
    ]
    found = attacked(*sides, measures=("revenue", "assets"), known=[("revenue", "assets")])
    assert found[MAHALANOBIS].successes > found[OWNER].successes


def test_a_measure_that_hardly_varies_is_not_weighed() -> None:
    """Its direction would be stretched until it outweighs all others."""
    points = np.random.default_rng(1).normal(0, 1, (20, 3)) * [1, 2, 1e-6]
    view = linkage._View(originals=points, published=points, groups=[np.arange(20)], knowledge="")
    assert linkage._whitened(view).originals.shape == (20, 2)


def test_a_register_is_beside_the_figures_of_the_originals() -> None:
    """Originals are the companies' own, and what is published is the release's."""
    originals, published = panel(years=(2022,), seed=1), panel(years=(2022,), seed=2)
    known = linkage._view(originals, published, "industry", MEASURES, "")
    view = linkage._with_register(originals, published, "industry", MEASURES, ["town"], "2022")
    assert np.array_equal(view.originals, known.originals)
    assert np.array_equal(view.published, known.published)


def test_a_measure_that_never_varies_breaks_nothing() -> None:
    """A constant figure has no direction to weigh; the others are weighed as if it were not known."""
    originals = panel().with_columns(profit=pl.lit(0, pl.Int64))
    moved = originals.with_columns(pl.col("revenue") * 2)
    with_constant = attacked(originals, moved)[MAHALANOBIS]
    without = attacked(originals, moved, known=[MEASURES[:2]])[MAHALANOBIS]
    assert with_constant.successes == without.successes


def test_other_years_find_whom_one_year_hides() -> None:
    """Exchanged in the fullest year alone, a record is found by its other years."""
    years = (2020, 2021, 2022)
    originals = panel(years=years)
    exchanged_once = exchanged(originals)
    published = originals.with_columns(
        pl.when(pl.col("year") == 2022).then(exchanged_once[measure]).otherwise(measure).alias(measure)
        for measure in MEASURES
    )
    found = attacked(originals, published)
    assert found[OWNER].knowledge.startswith("revenue, assets, profit of 2022")
    assert found[OWNER].successes == 0
    assert found[WHOLE_PANEL].successes > found[OWNER].successes


def test_missing_years_tell_in_the_whole_panel() -> None:
    """A company without a row in some year has a point all the same, and is found by that gap."""
    rows = panel(years=(2020, 2021, 2022)).filter((pl.col("firm") != "firm 00") | (pl.col("year") != 2020))
    found = attacked(rows, rows)
    assert (found[WHOLE_PANEL].records, found[WHOLE_PANEL].successes) == (12, 12)


def with_holes(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out or set to zero other figures in each company, so that all patterns differ within an industry."""
    bits = pl.col("firm").str.tail(2).cast(pl.Int64) // 2
    return frame.with_columns(
        pl.when(bits // 2**j % 2 == 1).then(None if j else 0).otherwise(measure).alias(measure)
        for j, measure in enumerate(MEASURES)
    )


def test_zeros_and_gaps_alone_find_a_company() -> None:
    """With all figures exchanged for ones of no meaning, the pattern that was kept names everybody."""
    originals = with_holes(panel(firms=8))
    blunt = originals.with_columns(
        pl.when(pl.col(measure) == 0).then(0).when(pl.col(measure).is_not_null()).then(7).alias(measure)
        for measure in MEASURES
    )
    found = attacked(originals, blunt)
    assert (found[GAPS].records, found[GAPS].successes) == (8, 8)


def test_without_zeros_and_gaps_the_pattern_is_a_guess() -> None:
    """Where all report everything, looking at the pattern finds one company an industry: the first that is like all."""
    found = attacked(panel(), panel())[GAPS]
    assert found.successes == 2
    assert found.rate == pytest.approx(found.chance)


def test_a_register_finds_whom_figures_hide() -> None:
    """Exchanged figures hide the owner in its industry, but not in a town where it is the only one of its industry."""
    alone = panel().with_columns(town="firm")
    found = attacked(alone, exchanged(alone), quasi_identifiers=["town"])
    assert found[OWNER].successes == 0
    assert (found[WITH_REGISTER].records, found[WITH_REGISTER].successes) == (12, 12)


def test_a_register_is_no_help_where_nothing_is_stated() -> None:
    """A record that leaves the town blank agrees with everybody, so that figures decide as before."""
    blank = exchanged(panel()).with_columns(town=pl.lit(None, pl.String))
    found = attacked(panel(), blank, quasi_identifiers=["town"])
    assert found[WITH_REGISTER].successes == found[OWNER].successes == 0
    assert "a register with town" in found[WITH_REGISTER].knowledge


def test_a_wrong_town_leads_away() -> None:
    """A record that agrees with no company of its industry in the register is not found by its own figures."""
    moved = panel().with_columns(town=pl.lit("nowhere"))
    found = attacked(panel(), moved, quasi_identifiers=["town"])
    assert (found[OWNER].successes, found[WITH_REGISTER].successes) == (12, 0)


def test_the_fullest_year_is_attacked() -> None:
    """Of several years the one with most records is looked at, and of those the companies whose group is known."""
    rows = panel().filter((pl.col("year") == 2021) | (pl.col("firm") != "firm 00"))
    grouped = rows.with_columns(industry=pl.when(pl.col("firm") != "firm 01").then("industry"))
    (found, *_) = known_figure_attacks(grouped, rows, group="industry", known=[MEASURES])
    assert (found.records, found.successes) == (11, 11)
    assert " of 2021, " in found.knowledge


def test_nothing_is_attacked_without_records() -> None:
    """An empty panel gives no attacks."""
    assert attacked(panel().clear(), panel().clear()) == {}


@pytest.mark.parametrize(
    ("digits", "measures", "expected"),
    [(3, SEVEN[:1], (0.94, 0.97)), (3, SEVEN, (0.99, 0.99)), (1, SEVEN, (0.93, 0.98))],
    ids=["one", "seven", "digit"],
)
def test_digit_noise_hides_no_listed_company(
    listed_tables: Path, digits: int, measures: tuple[str, ...], expected: tuple[float, float]
) -> None:
    """On 436 real companies of 2014 the attack finds the shares that the design measured, within 3 points; or on 431 others."""
    is_real = listed_tables == REAL_TABLES
    conformed = conform(US_LISTED.raw_tables, listed_tables).frames
    originals = original_figures(US_LISTED, conformed)
    panel = Panel(
        tables=US_LISTED.panel.tables,
        measures=tuple(
            Measure(name=m.name, unit=m.unit, decimals=m.decimals, significant_digits=digits)
            for m in US_LISTED.panel.measures
        ),
    )
    sectors = dict(conformed["securities"].select(CODE, SECTOR).iter_rows())
    # The design counts periods that end in 2014; the fiscal year adds nine that end in the first week of 2015.
    is_counted = conformed["fundamentals"].sort(CODE, PERIOD)["Period Ending"].dt.year() == 2014
    sides = [
        figures.filter(is_counted).with_columns(pl.col(CODE).replace_strict(sectors).alias(SECTOR), year=pl.lit(2014))
        for figures in (originals, perturb_figures(originals, panel, code=CODE, key=KEY))
    ]
    found = nearest_of_year(*sides, group=SECTOR, year=2014, measures=measures)
    assert found.records == (436 if is_real else 431)
    assert abs(found.rate - expected[not is_real]) <= 0.03, found
