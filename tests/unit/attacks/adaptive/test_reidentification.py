"""Owners are named where a mechanism gives them away, and at chance where nothing of them is in a record."""

from dataclasses import replace

import polars as pl
import pytest

from pipeline.errors import GateError, InputError, SiltError
from pipeline.keyed import Key
from pipeline.model import PERIOD
from tests.unit.attacks.adaptive.towns import ATTACKERS_KEY, KEY, KNOWN, neighbours, noisy, redrawn, town
from validation.attacks import Attack
from validation.attacks.adaptive.populations import (
    CODE,
    INDUSTRY,
    AttackedRelease,
    Make,
    Population,
    made,
    sampled_industries,
    shadow_releases,
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


@pytest.mark.parametrize("error", [GateError, InputError])
def test_an_attacker_tries_other_keys_where_one_allows_no_release(error: type[SiltError]) -> None:
    """The noise of a key may hide the years of few firms; under the next one there is a release."""
    tried: list[Key] = []

    def make(population: Population, key: Key) -> AttackedRelease:
        tried.append(key)
        if len(tried) < 3:
            raise error("no year stands out")
        return AttackedRelease(population=population, truth={})

    assert made(make, town(), ATTACKERS_KEY).truth == {}
    assert len({key.secret for key in tried}) == 3


def test_where_no_key_allows_a_release_nobody_knows_what_attackers_find() -> None:
    """It is a refusal, which says so, and what stood in the way."""

    def make(*_: object) -> AttackedRelease:
        raise InputError("no year stands out")

    with pytest.raises(
        GateError,
        match=r"^no year stands out\. Attackers .* of 120 of the companies, can make none under 9 keys, so nobody",
    ):
        made(make, town(), ATTACKERS_KEY)


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


@pytest.mark.parametrize("setting", range(4))
def test_records_of_other_years_name_nobody(setting: int) -> None:
    """A mechanism may drop the years that an attacker knows, under some keys all of them."""

    def elsewhere(population: Population, key: Key) -> AttackedRelease:
        release = noisy(population, key)
        figures = release.population.figures.with_columns(pl.col(PERIOD) + 100)
        return replace(release, population=replace(release.population, figures=figures))

    assert {attack.successes for attack in named(elsewhere, setting=setting).values()} == {0}


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


def test_what_attackers_know_is_said_in_plain_words() -> None:
    """The year that is attacked alone is that with most records."""
    told = [knowledge.text for knowledge in knowledges(town(), KNOWN, KEY)]
    assert told[:2] == ["all figures of all years", "all figures of the year with most records"]


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
