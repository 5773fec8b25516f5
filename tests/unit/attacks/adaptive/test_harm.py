"""Inference, differencing, membership and values find a leak that was planted, and nothing where there is none."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

from anonymize.policy import GUARDED
from benchmarks.attackers import pooled
from tests.unit.attacks.adaptive.towns import KEY, KNOWN, MEASURES, copying, noisy, redrawn, town
from validation.attacks import Attack
from validation.attacks.adaptive.differencing import differencing_attacks
from validation.attacks.adaptive.findings import auc, gain
from validation.attacks.adaptive.inference import NEAREST, inference_attacks
from validation.attacks.adaptive.membership import membership_attacks
from validation.attacks.adaptive.populations import CODE, INDUSTRY, Make, Population, control_releases
from validation.attacks.adaptive.reidentification.named import NEAREST as NAMED
from validation.attacks.adaptive.suite import ATTACKERS, Effort, adaptive_attacks
from validation.attacks.adaptive.values import maxima_attack, moments_attack
from validation.attacks.limits import ADAPTIVE, judged
from validation.attacks.privacy import attack_table, family_table

ALPHA = 1e-4
LEAKY = copying(redrawn)


def inferred(make: Make) -> dict[str, Attack]:
    originals = town()
    controls = control_releases(make, originals, KEY)
    found = inference_attacks(originals, make(originals, KEY), controls, known=KNOWN)
    return {attack.attack: attack for attack in found}


def differenced(make: Make) -> list[Attack]:
    originals = town()
    controls = control_releases(make, originals, KEY)
    return list(differencing_attacks(originals, controls, KEY))


def membership(make: Make) -> list[Attack]:
    originals = town()
    return list(membership_attacks(originals, control_releases(make, originals, KEY)))


def test_every_firm_is_left_out_once() -> None:
    """Folds deal out all firms of each industry, evenly."""
    controls = control_releases(redrawn, town(), KEY)
    assert sorted(code for control in controls for code in control.left_out) == sorted(town().entities[CODE])
    assert {len(control.left_out) for control in controls} == {12}
    assert all(not control.left_out & control.release.truth.keys() for control in controls)


def test_inference_finds_copied_firms() -> None:
    """Where a third of the firms stand in the release as they are, the nearest record tells about a third more."""
    found = inferred(LEAKY)[NEAREST]
    assert found.records == 120 * 6 * 3
    assert 0.15 < found.rate < 0.4
    assert found.beats_chance(ALPHA)


def test_inference_finds_nothing_in_a_redraw() -> None:
    """A release that depends on nobody tells no more of a firm than one without it."""
    for attack in inferred(redrawn).values():
        assert not attack.beats_chance(ALPHA)
        assert attack.upper_95 < 0.02


def test_differencing_finds_the_firm_that_is_missing() -> None:
    """All but one firm known, means of logarithms and sorted values of a noisy release tell the one."""
    assert max(attack.rate for attack in differenced(noisy)) > 0.8


def test_differencing_finds_nothing_in_a_redraw() -> None:
    """The same statistics of a release that depends on nobody tell no more than a control's, but for its size."""
    assert max(attack.rate for attack in differenced(redrawn)) < 0.02


def test_members_of_a_noisy_release_are_told() -> None:
    """Every score tells members of a release with noise on records from firms that were left out."""
    assert min(attack.rate for attack in membership(noisy)) > 0.8


def test_members_of_a_redraw_are_not_told() -> None:
    """No score tells who a release that depends on nobody was made of."""
    assert [attack.attack for attack in membership(redrawn) if attack.beats_chance(ALPHA)] == []


def test_membership_says_what_its_tries_are() -> None:
    """A build makes fewer releases than an audit, so that the two find other shares under one name."""
    originals = town()
    found = {
        count: membership_attacks(originals, control_releases(redrawn, originals, KEY, count=count))[0]
        for count in (3, 10)
    }
    assert {count: attack.records for count, attack in found.items()} == {3: 2 * 36, 10: 2 * 120}
    assert found[3].detail == (
        "36 firms, each tried twice: left out of one release, and in another. 3 releases were made, each without a tenth "
        "of the firms; `silt audit` makes 10, and tries all."
    )
    assert found[10].detail.endswith("10 releases were made, each without a tenth of the firms.")
    tables = (family_table, attack_table)
    for table in tables:
        shown = " ".join(table(judged({ADAPTIVE: [found[3]]}, GUARDED)).split())
        assert "rate: of pairs (area under the curve) 36 firms, each tried twice" in shown
        assert "of 72" not in shown


def test_maxima_that_are_copied_are_read() -> None:
    """An industry's largest figures are found where they stand, and not where they do not."""
    originals = town()
    copied = maxima_attack(originals, originals, KEY)
    clean = maxima_attack(originals, town(seed=1), KEY)
    assert (copied.records, copied.rate) == (2 * 3 * len(MEASURES), 1.0)
    assert copied.beats_chance(ALPHA)
    assert not clean.beats_chance(ALPHA)


def grouped(population: Population) -> Population:
    """Put the firms of each industry in groups of four."""
    group = (pl.int_range(pl.len()).over(INDUSTRY) // 4).cast(pl.String)
    return Population(entities=population.entities.with_columns(group=group), figures=population.figures)


def test_moments_of_groups_find_the_values_behind_them() -> None:
    """Where the group's own values are published, their mean and deviation find more of them than quantiles do."""
    originals = grouped(town())
    found = moments_attack(originals, originals, KEY, group="group")
    clean = moments_attack(originals, town(seed=1), KEY, group="group")
    assert found.beats_chance(ALPHA)
    assert found.rate > 0.1
    assert not clean.beats_chance(ALPHA)


def test_a_gain_counts_firms_and_not_values() -> None:
    """Ten firms with a hundred equal values each are worth ten values: the bound is that of the firms' mean."""
    more = np.asarray([100.0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    found = gain("a", "b", with_firm=more, without=np.zeros(10), guessed=np.full(10, 100))
    assert (found.records, found.rate) == (1000, 0.1)
    assert found.upper_95 == pytest.approx(0.1 + norm.ppf(0.95) * np.sqrt(0.1 * 0.9 / 10))


def test_separation_is_the_area_under_the_curve() -> None:
    """Hanley and McNeil 1982, table II: two groups of ratings, area 0.893, standard error 0.032."""
    others = np.repeat([1.0, 2, 3, 4, 5], [33, 6, 6, 11, 2])
    members = np.repeat([1.0, 2, 3, 4, 5], [3, 2, 2, 11, 33])
    found = auc("a", "b", members=members, others=others)
    assert found.rate == pytest.approx(0.893, abs=5e-4)
    assert found.standard_error == pytest.approx(0.032, abs=1e-3)


def test_releases_are_pooled_by_their_records() -> None:
    """Successes and records add up, and chance is the mean over records."""
    parts = [
        Attack(attack="a", knowledge="b", records=n, successes=s, chance=c) for n, s, c in ((10, 1, 0.1), (30, 2, 0.5))
    ]
    assert pooled(parts) == Attack(attack="a", knowledge="b", records=40, successes=3, chance=0.4)


def test_all_attacks_are_run() -> None:
    """The attackers name owners in four settings and by two releases, and run every other attack once."""
    originals = grouped(town(firms=40))
    found = [
        attack
        for attacker in ATTACKERS
        for attack in adaptive_attacks(
            originals,
            redrawn(originals, KEY),
            redrawn,
            known=KNOWN,
            key=KEY,
            effort=Effort(shadows=2, controls=3),
            group="group",
            attacker=attacker,
        )
    ]
    assert len(found) == 4 * 4 + 2 + 2 + 3 + 4 + 1 + 1
    assert len({(attack.attack, attack.knowledge) for attack in found}) == len(found)


def test_less_effort_asks_the_same_with_fewer_firms_and_no_second_release() -> None:
    """A build attacks some industries, whole ones, and leaves out what takes a second release."""
    originals = town(firms=40)
    release = redrawn(originals, KEY)
    industry = min(originals.entities[INDUSTRY])
    firms = originals.entities.filter(pl.col(INDUSTRY) == industry).height
    found, short = (
        adaptive_attacks(originals, release, redrawn, known=KNOWN, key=KEY, effort=effort)
        for effort in (Effort(shadows=1, controls=2), Effort(shadows=1, controls=2, firms=firms, is_second=False))
    )
    assert {attack.attack for attack in short} < {attack.attack for attack in found}
    assert max(attack.records for attack in short if attack.attack == NAMED) <= firms
