"""Owners are named where a mechanism gives them away, and at chance where nothing of them is in a record."""

from pathlib import Path

import polars as pl
import pytest

from anonymize.figures.closure import breaks, restore
from anonymize.figures.lsd import perturb_low_digits
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from silt.environments.us_listed import US_LISTED
from tests.unit.attacks.adaptive.towns import ATTACKERS_KEY, KEY, KNOWN, neighbours, noisy, redrawn, town
from tests.weak.neighbours import rebuild_from_neighbours
from validation.attacks import Attack
from validation.attacks.adaptive.populations import (
    CODE,
    INDUSTRY,
    AttackedRelease,
    Make,
    Population,
    population_of,
    sampled_industries,
    shadow_releases,
    with_broken_identities,
)
from validation.attacks.adaptive.reidentification.named import (
    JOINTLY,
    LEARNED,
    LINKED,
    NEAREST,
    UNMIXING,
    WITH_REGISTER,
    knowledges,
    reidentification_attacks,
)

ALPHA = 1e-4


def named(make: Make, *, setting: int = 0) -> dict[str, Attack]:
    """Attack a release of a town with three shadow releases and a second one, knowing what the setting says."""
    originals = town()
    attacks = reidentification_attacks(
        originals,
        make(originals, KEY),
        shadows=shadow_releases(make, originals, ATTACKERS_KEY),
        knowledge=knowledges(originals, KNOWN, KEY)[setting],
        known=KNOWN,
        key=ATTACKERS_KEY,
        second=make(originals, Key(b"s" * 32)),
    )
    return {attack.attack: attack for attack in attacks}


@pytest.mark.parametrize("setting", range(4))
def test_noise_on_records_hides_nobody(setting: int) -> None:
    """By all figures, one year's, the known ones or half of them: distance and learning name nearly every owner."""
    found = named(noisy, setting=setting)
    assert min(found[name].rate for name in (NEAREST, LEARNED, WITH_REGISTER, LINKED, JOINTLY)) > 0.95


def test_unmixing_names_owners_whose_neighbours_were_mixed() -> None:
    """Where distance names less than half of the owners, unmixing names more, and what was learnt two thirds and more."""
    found = named(neighbours)
    assert found[NEAREST].rate < 0.5 < found[UNMIXING].rate
    assert found[LEARNED].rate > 2 / 3


@pytest.mark.parametrize("setting", range(4))
def test_redrawn_records_are_nobodys(setting: int) -> None:
    """No attacker does better than guessing where records are drawn from a law that depends on nobody."""
    found = named(redrawn, setting=setting)
    assert len(found) == 6
    assert [attack.attack for attack in found.values() if attack.beats_chance(ALPHA)] == []


def test_guessing_names_one_firm_of_each_industry() -> None:
    """Chance is one owner for each industry, over all records."""
    assert {attack.chance for attack in named(redrawn).values()} == {2 / 120}


def test_sides_need_not_have_the_same_firms() -> None:
    """Records of some firms only, of some years only, still find their owners among all."""
    originals = town()
    release = noisy(originals, KEY)
    part = release.population.of(sorted(release.population.entities[CODE])[:70])
    fewer = Population(entities=part.entities, figures=part.figures.filter(pl.col("year") > 2020))
    found = reidentification_attacks(
        originals,
        AttackedRelease(population=fewer, truth=release.truth),
        shadows=[],
        knowledge=knowledges(originals, KNOWN, KEY)[0],
        known=KNOWN,
        key=KEY,
    )
    assert [attack.attack for attack in found] == [NEAREST, UNMIXING]
    assert (found[0].records, found[0].rate > 0.9) == (70, True)


def test_industries_of_one_side_are_left_out() -> None:
    """Records of an industry that the attacker has no original of are not attacked, whatever else is missing."""
    originals, release = town(), noisy(town(), KEY)
    known = originals.of_industries(["industry 1"])
    empty = Population(entities=known.entities, figures=known.figures.with_columns(nothing=pl.lit(None, pl.Int64)))
    nothing = release.population.figures.with_columns(nothing=pl.lit(None, pl.Int64))
    found = reidentification_attacks(
        empty,
        AttackedRelease(
            population=Population(entities=release.population.entities, figures=nothing), truth=release.truth
        ),
        shadows=[],
        knowledge=knowledges(empty, KNOWN, KEY)[0],
        known=KNOWN,
        key=KEY,
    )
    assert [attack.records for attack in found] == [60, 60]


def test_industries_are_sampled_whole() -> None:
    """As many industries as fit are attacked, with all their firms; the smallest if none fits."""
    entities = pl.DataFrame({CODE: [str(i) for i in range(60)], INDUSTRY: ["a"] * 10 + ["b"] * 20 + ["c"] * 30})
    assert sampled_industries(entities, KEY, at_most=60) == ["a", "b", "c"]
    assert set(sampled_industries(entities, KEY, at_most=30)) in ({"c"}, {"a", "b"})
    assert sampled_industries(entities, KEY, at_most=5) == ["a"]


def mixed(originals: Population, key: Key) -> AttackedRelease:
    """Release listed companies as the broken mechanism does, with their register; all digits but three redrawn."""
    figures = originals.figures.drop(originals.flags)
    industries = dict(originals.entities.select(CODE, INDUSTRY).iter_rows())
    panel = US_LISTED.panel
    rebuilt = rebuild_from_neighbours(figures, panel, code=CODE, industries=industries, key=key)
    noisy_digits = rebuilt.figures.with_columns(
        perturb_low_digits(m, of=(CODE, "year"), key=key) for m in panel.measures
    )
    perturbed = restore(noisy_digits, breaks(figures, panel, code=CODE), panel, code=CODE)
    truth = {code: key.derive("codes").digest(code).hex() for code in originals.entities[CODE]}
    published = with_broken_identities(perturbed, panel, code=CODE)
    coded = pl.col(CODE).replace_strict(truth)
    return AttackedRelease(
        population=Population(entities=originals.entities.with_columns(coded), figures=published.with_columns(coded)),
        truth=truth,
    )


def test_listed_companies_are_unmixed(listed_tables: Path) -> None:
    """Of 448 listed companies that were mixed from their neighbours, unmixing and learning each name above 85 %."""
    tables = conform(US_LISTED.raw_tables, listed_tables).frames
    originals = population_of(US_LISTED, tables["securities"], original_figures(US_LISTED, tables))
    known = US_LISTED.panel.known[-1]
    found = reidentification_attacks(
        originals,
        mixed(originals, KEY),
        shadows=shadow_releases(mixed, originals, ATTACKERS_KEY),
        knowledge=knowledges(originals, known, KEY)[0],
        known=known,
        key=ATTACKERS_KEY,
    )
    rates = {attack.attack: attack.rate for attack in found}
    assert {attack.records for attack in found} == {448}
    assert rates[NEAREST] < 0.1
    assert min(rates[UNMIXING], rates[LEARNED]) > 0.85
