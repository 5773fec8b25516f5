"""The search for a strength: the weakest that is enough, no further, and the strongest if none is."""

import polars as pl
import pytest

from anonymize.figures.guarded import CONTRIBUTORS
from anonymize.policy import GUARDED
from anonymize.tables import told_entities
from pipeline.errors import InputError
from pipeline.keyed import Key
from tests.unit.validation.mills import MILLS, conformed_mills
from validation.attacks import Attack
from validation.attacks.limits import LINKAGE, SEARCHED, limit_of
from validation.strength import STRENGTHS, Chosen, Trial, weakest_rebuilding

KEY = Key(b"k" * 32)


def searched(firms: int) -> Chosen:
    conformed = conformed_mills(firms)
    told = told_entities(MILLS, conformed, GUARDED, KEY)["mills"]
    return weakest_rebuilding(MILLS, conformed, told, KEY)


@pytest.fixture(scope="module")
def enough() -> Chosen:
    """Return the search among as many firms as a limit needs to be shown."""
    return searched(240)


@pytest.fixture(scope="module")
def too_few() -> Chosen:
    """Return the search among twelve firms, of whom no rate below the limit can be shown: nothing found bounds at 22 %."""
    return searched(12)


def an_attack(successes: int, *, name: str = SEARCHED[0]) -> Attack:
    return Attack(attack=name, knowledge="k", records=1_000, successes=successes)


def test_the_search_stops_at_the_first_that_is_enough(enough: Chosen) -> None:
    """What was tried is the start of the list, weakest first; the last alone keeps all limits."""
    tried = [trial.strength for trial in enough.trials]
    assert tuple(tried) == STRENGTHS[: len(tried)]
    assert [trial.is_enough for trial in enough.trials] == [False] * (len(tried) - 1) + [True]


def test_the_strongest_is_taken_if_none_is_enough(too_few: Chosen) -> None:
    """All are tried, and what is given back is the last: the gate after the search refuses it."""
    assert [trial.strength for trial in too_few.trials] == list(STRENGTHS)
    assert not any(trial.is_enough for trial in too_few.trials)


def test_strengths_are_tried_weakest_first() -> None:
    """The list grows, so that the first that is enough is the weakest."""
    assert list(STRENGTHS) == sorted(set(STRENGTHS))


def test_trials_hold_the_attacks_that_choose(enough: Chosen) -> None:
    """Each trial has all attacks by which is searched and no other, each of them limited, for each set of known figures."""
    for trial in enough.trials:
        assert {attack.attack for attack in trial.attacks} == set(SEARCHED)
        assert {attack.records for attack in trial.attacks} == {240}
    assert all(limit_of(LINKAGE, an_attack(0, name=name), GUARDED) for name in SEARCHED)


@pytest.mark.parametrize("name", SEARCHED)
def test_one_attack_over_its_limit_is_not_enough(name: str) -> None:
    """A trial is enough if every attack stays within its limit; any one of them can spoil it."""
    within = tuple(an_attack(1, name=each) for each in SEARCHED)
    assert Trial(strength=1, attacks=within).is_enough
    assert not Trial(strength=1, attacks=(*within, an_attack(900, name=name))).is_enough


def test_what_is_given_back_is_the_last_trial_s(enough: Chosen) -> None:
    """The rebuilt panel has the originals' rows, and the contributors of every firm."""
    accounts = conformed_mills(240)["accounts"]
    assert enough.rebuilt.figures.select("mill", "year").equals(accounts.sort("mill", "year").select("mill", "year"))
    assert enough.rebuilt.contributors["mill"].n_unique() == 240


def test_the_frame_tells_every_trial_in_order(too_few: Chosen) -> None:
    """One row a strength and attack, with rates and bounds, for the report."""
    frame = too_few.frame()
    assert frame.columns == ["strength", "attack", "knowledge", "records", "successes", "rate", "upper_95"]
    assert frame["strength"].unique(maintain_order=True).to_list() == list(STRENGTHS)
    assert frame.height == sum(len(trial.attacks) for trial in too_few.trials)
    assert frame.select((pl.col("rate") == pl.col("successes") / pl.col("records")).all()).item()


def test_the_same_key_chooses_the_same(too_few: Chosen) -> None:
    """The search is a function of tables and key."""
    again = searched(12)
    assert again.trials == too_few.trials
    assert again.rebuilt.figures.equals(too_few.rebuilt.figures)


def test_too_few_firms_to_mix_are_refused() -> None:
    """A firm is a mixture of others, so there must be more of them than go into one."""
    with pytest.raises(InputError, match=f"{CONTRIBUTORS} firms report figures: .* rebuilds each from {CONTRIBUTORS}"):
        searched(CONTRIBUTORS)
