"""Attackers on the account learn from statistics without noise, and next to nothing where it is as declared."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from anonymize.synthesis import synthesise
from anonymize.synthesis.statistics import SHARES
from anonymize.tables import original_figures
from benchmarks.learnt.account.events import EventsAttacked, learnt_of_events
from benchmarks.learnt.account.evidence import contributions_of
from benchmarks.learnt.account.figures import Attacked
from benchmarks.learnt.account.replayed import NOBODYS, OfPanel, of_panel
from benchmarks.learnt.guesses import Guesses
from benchmarks.learnt.likelihood import likelihoods, models_of, released
from pipeline.errors import InputError
from pipeline.keyed import Key
from tests.unit.events import sampled_lines
from tests.unit.events.lines_declared import LINES
from tests.unit.synthesis.yards import KEY, YARDS, originals

DECLARED, WITHOUT_NOISE = 10.0, 1e7
COMPANIES = 46
FIRST = Key(b"\1" * 32)


@cache
def read_back(budget: float) -> OfPanel:
    (model,) = released(YARDS, originals(200), [FIRST], budget=budget)
    return of_panel(YARDS, originals(200), json.loads(json.dumps(model)))


@cache
def attacked(budget: float) -> Attacked:
    return Attacked([read_back(budget)], NOBODYS)


@cache
def sailings(budget: float) -> EventsAttacked:
    tables = sampled_lines.originals(COMPANIES)
    models = released(LINES, tables, [FIRST], budget=budget)
    return learnt_of_events(LINES, LINES.events[0], tables, models)


def gained(guesses: Guesses) -> float:
    return float(np.mean(guesses.right) - np.mean(guesses.control))


def test_what_is_read_back_is_what_passed() -> None:
    """What is published is what a release was drawn from, digit for digit."""
    tables = originals(200)
    sampled = synthesise(YARDS, tables, original_figures(YARDS, tables), KEY, budget=DECLARED)
    assert sampled.statistics is not None
    model = {"account": sampled.account.described(), "panel": sampled.statistics.described()}
    found, known = of_panel(YARDS, tables, json.loads(json.dumps(model))).statistics, sampled.statistics
    assert (found.columns, found.scale.columns, found.scale.occurring, found.sizes, found.years) == (
        known.columns,
        known.scale.columns,
        known.scale.occurring,
        known.sizes,
        known.years,
    )
    for one, other in zip(found.scale.shapes, known.scale.shapes, strict=True):
        np.testing.assert_array_equal(one.shares, other.shares)
    for name, passed in known.passed.items():
        np.testing.assert_array_equal(found.passed[name].values, passed.values, err_msg=name)


def test_every_statistic_is_attacked() -> None:
    """Contributions of all entities add up to the sums that the release takes, by statistic: none is left out."""
    seen = read_back(DECLARED)
    found = contributions_of(seen, np.arange(len(seen.records.entities)))
    assert found.keys() == seen.totals.keys() == SHARES.keys()
    for name, each in found.items():
        total = seen.totals[name]
        groups = seen.records.groups.values()
        sums = each.sum(axis=0) if total.ndim < each.ndim else np.stack([each[group].sum(axis=0) for group in groups])
        np.testing.assert_allclose(sums, total, err_msg=name, atol=1e-9)


@pytest.mark.parametrize(("budget", "least", "most"), [(WITHOUT_NOISE, 0.08, 1.0), (DECLARED, -0.05, 0.05)])
def test_figures_are_learnt_where_there_is_no_noise(budget: float, least: float, most: float) -> None:
    figures, _, signs = attacked(budget).learnt([0])
    assert least <= gained(figures) <= most
    assert gained(signs) <= most


@pytest.mark.parametrize(("budget", "least", "most"), [(WITHOUT_NOISE, 0.999, 1.0), (DECLARED, 0.5, 0.97)])
def test_members_are_certain_where_there_is_no_noise(budget: float, least: float, most: float) -> None:
    for attack in (attacked(budget), sailings(budget)):
        assert least <= attack.membership([0]).area <= most


def test_two_releases_tell_more_than_one() -> None:
    tables = originals(200)
    models = released(YARDS, tables, [FIRST, KEY], budget=DECLARED)
    both = Attacked([of_panel(YARDS, tables, each) for each in models], NOBODYS)
    assert both.membership([0, 1]).area > max(both.membership([place]).area for place in (0, 1))


@pytest.mark.parametrize(("budget", "least", "most"), [(WITHOUT_NOISE, 0.3, 1.0), (DECLARED, -0.15, 0.15)])
def test_events_are_learnt_where_there_is_no_noise(budget: float, least: float, most: float) -> None:
    """How many events an entity has, and how large their figures are."""
    found = [gained(guesses) for guesses in sailings(budget).learnt([0])]
    assert least <= max(found) <= most


def test_all_is_printed(tmp_path: Any) -> None:
    """A build's `model.json` is attacked, and a build without one is refused."""
    tables = originals(200)
    (model,) = released(YARDS, tables, [FIRST], budget=DECLARED)
    (tmp_path / "clean/reports").mkdir(parents=True)
    (tmp_path / "clean/reports/model.json").write_text(json.dumps(model))
    learnt, members = likelihoods(YARDS, tables, models_of([tmp_path]), targets=20)
    assert "figures, by likelihood" in learnt
    assert "membership" in members
    with pytest.raises(InputError, match="guarded"):
        models_of([tmp_path / "clean"])
