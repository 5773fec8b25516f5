"""No entity moves a statistic by more than its sensitivity, whatever it reports: the proofs of the account, tried."""

import re
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis import contributions as of
from anonymize.synthesis.account import BudgetAccount, NoisedStatistic, clipped
from anonymize.synthesis.contributions import Contributions
from anonymize.synthesis.model import _Reading
from anonymize.synthesis.records import Records, layout_of, records_of
from anonymize.synthesis.scale import Scale
from anonymize.synthesis.spending import _SHARES, spending
from anonymize.synthesis.statistics import Statistics, _occurring, grains_of, noised_statistics
from anonymize.tables import original_figures
from pipeline.model import PERIOD, Growth
from tests.unit.synthesis.yards import KEY, MEASURES, YARDS, YEARS, originals

EXTREME = st.sampled_from([None, 0, 1, -1, 10**18, -(10**18), 10**6, 77])
REPORTS = st.lists(st.one_of(st.none(), st.tuples(*(EXTREME for _ in MEASURES))), min_size=3, max_size=3)
"""What an entity reports in each of three years: nothing, or a figure or none for each measure."""


@cache
def known() -> Statistics:
    """Return the statistics of 200 yards."""
    tables = originals(200)
    figures = original_figures(YARDS, tables)
    records = records_of(figures, YARDS.panel, code="mill", industry="trade", entities=tables["mills"])
    return noised_statistics(records, grains_of(YARDS.panel), BudgetAccount(budget=50.0, key=KEY), rho=50.0)


def scale() -> Scale:
    """Return their scale."""
    return known().scale


def statistics() -> dict[str, Contributions]:
    """Return every statistic of the panel."""
    columns, places = scale().columns, np.asarray([[100.0, 10.0, 1.0]] * len(MEASURES))
    return {
        "states": of.states(records([[None] * 3])),
        "grains": of.grains(places),
        "coarse": of.coarse(columns),
        "fine": of.fine(columns),
        "location": of.location(scale(), known().whitening),
        "products": of.products(scale()),
        "spread": of.spread(scale(), np.linspace(-1, 1, len(columns))),
        "trend": of.trend(scale()),
        "steps": of.steps(scale()),
    }


def records(reports: list[list[tuple[int | None, ...] | None]]) -> Records:
    """Return the records of entities that report so."""
    names = [measure.name for measure in MEASURES]
    rows = [
        {"mill": f"M{firm}", PERIOD: year} | dict(zip(names, told, strict=True))
        for firm, years in enumerate(reports)
        for year, told in zip(YEARS, years, strict=True)
        if told is not None
    ]
    nobody = [{"mill": "M", PERIOD: year} | dict.fromkeys(names) for year in YEARS]
    schema = {"mill": pl.String, PERIOD: pl.Int64} | dict.fromkeys(names, pl.Int64)
    figures = pl.DataFrame([*nobody, *rows], schema=schema)
    firms = pl.DataFrame({"mill": figures["mill"].unique().sort()}).with_columns(trade=pl.lit("flour"))
    return records_of(figures, YARDS.panel, code="mill", industry="trade", entities=firms)


@pytest.mark.parametrize("name", statistics())
@given(reports=st.lists(REPORTS, min_size=2, max_size=4))
def test_no_entity_moves_a_statistic_by_more_than_its_sensitivity(
    name: str, reports: list[list[tuple[int | None, ...] | None]]
) -> None:
    """Any two entities are no further apart than stated, in Euclidean norm."""
    statistic = statistics()[name]
    vectors = statistic.of(records(reports)).reshape(-1, statistic.of(records(reports))[0].size)
    for one, other in combinations(vectors, 2):
        assert np.linalg.norm(one - other) <= statistic.sensitivity * (1 + 1e-9)


@pytest.mark.parametrize("name", ["states", "fine", "coarse", "grains", "location", "products"])
def test_sensitivities_are_not_far_too_large(name: str) -> None:
    """Some two entities come within a factor of 4: noise is not much more than it has to be."""
    rng, shape = np.random.default_rng(0), (60, 3, len(MEASURES))
    drawn = np.where(rng.random(shape) < 0.5, 0, np.sign(rng.normal(size=shape)) * 10.0 ** rng.integers(0, 18, shape))
    told = [[tuple(map(int, year)) if year.any() else None for year in firm] for firm in drawn]
    told[0] = [(None,) * len(MEASURES)] * 3
    found = statistics()[name].of(records(told))
    distances = np.linalg.norm((found[:, None] - found[None, :]).reshape(len(found), len(found), -1), axis=2)
    assert distances.max() > statistics()[name].sensitivity / 4


def test_products_have_the_norm_of_their_matrix() -> None:
    """Of one period, the square of the norm of the scores: only with that norm does the sensitivity hold."""
    part = records([[(77, 10**6, *(1 for _ in MEASURES[2:])), None, None]])
    products = of.products(scale())
    scores = clipped(np.nan_to_num(scale().scores(part)[-1, 0]), np.sqrt(products.sensitivity / np.sqrt(2)))
    assert np.linalg.norm(products.of(part)[-1]) == pytest.approx(np.linalg.norm(scores) ** 2)


def test_who_is_at_its_location_spreads_less_than_usual() -> None:
    """By 1 in each column of numbers that it reports."""
    part = records([[tuple(77 for _ in MEASURES)] * 3])
    magnitudes = scale().magnitudes(scale().chosen(part))[-1, 0]
    spread = of.spread(scale(), np.nan_to_num(magnitudes)).of(part)[-1]
    assert spread.min() < 0
    assert spread.max() <= 0


def test_parts_add_up_to_the_whole() -> None:
    """A sum over 700 entities, which are looked at in parts, is the sum of their contributions."""
    tables = originals(700)
    whole = records_of(
        original_figures(YARDS, tables), YARDS.panel, code="mill", industry="trade", entities=tables["mills"]
    )
    for name, statistic in statistics().items():
        assert np.allclose(statistic.total(whole), statistic.of(whole).sum(axis=0)), name
        assert np.allclose(statistic.totals(whole).sum(axis=0), statistic.total(whole)), name


def test_what_passes_has_the_noise_of_its_account() -> None:
    """Under two keys hardly a number is the same, and what is drawn from is what the account lists."""
    tables = originals(50)
    figures = original_figures(YARDS, tables)
    of_yards = records_of(figures, YARDS.panel, code="mill", industry="trade", entities=tables["mills"])
    passed = [
        noised_statistics(
            of_yards, grains_of(YARDS.panel), BudgetAccount(budget=50.0, key=KEY.derive(name)), rho=50.0
        ).passed
        for name in "ab"
    ]
    for name, one in passed[0].items():
        if one.values.shape == passed[1][name].values.shape:
            assert (one.values != passed[1][name].values).mean() > 0.9, name


def test_a_step_is_one_between_two_periods() -> None:
    """Who reports one period, or two with a gap, has none."""
    told = tuple(77 for _ in MEASURES)
    part = records([[told, None, None], [told, None, told], [told, told, None]])
    assert of.steps(scale()).of(part)[1:, -1].tolist() == [0.0, 0.0, 1.0]


def test_growth_is_drawn_where_it_is_that_of_a_period() -> None:
    """Growth over more of them leads to no year by itself."""
    for periods, growing in ((1, (0,)), (2, ())):
        panel = replace(YARDS.panel, identities=(Growth(output="growth", base="sales", periods=periods),))
        assert layout_of(panel).growing == growing


def test_no_state_is_always() -> None:
    """One that everybody is in counts as if some were not: its score would have no bound."""
    states = NoisedStatistic(values=np.asarray([100.0, 0.0, 50.0]), sigma=0.01)
    occurring, often = _occurring(states, 100.0)
    assert (occurring, often.tolist()) == ((0, 2), [0.98, 0.5])


def test_a_share_that_differs_by_its_noise_alone_counts_a_little() -> None:
    """Half of how far industries differ is measured, half is known before."""
    reading = _Reading(known())
    noise = reading._noise / of.INDICATOR
    kept = reading._drawn_to_usual(noise, np.asarray([0.5]))
    assert (kept > 0).all()
    assert (kept < noise).all()


@pytest.mark.parametrize("budget", [0.5, 10.0, 1000.0])
def test_what_parts_spend_is_the_budget(budget: float) -> None:
    """Whether attributes need more than their share, or not."""
    assert sum(spending(YARDS, originals(20), budget).values()) == pytest.approx(budget)


@pytest.mark.parametrize(("part", "share"), _SHARES.items())
def test_the_page_on_events_states_the_shares(part: str, share: float) -> None:
    page = (Path(__file__).parents[3] / "docs/events.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {part}\b.* \| {share} \|$", page, re.MULTILINE)
