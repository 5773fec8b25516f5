"""Limits: each keeps what it allows and refuses what it does not; every name in them is an attack that exists."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anonymize.policy import GUARDED, LSD, POLICIES, Policy
from pipeline.keyed import Key
from pipeline.model import ALL_IN_ONE
from validation.attacks import Attack, and_the
from validation.attacks.adaptive.findings import Auc, Gain
from validation.attacks.adaptive.reidentification.named import LEARNED, NEAREST, UNMIXING
from validation.attacks.adaptive.values import MAXIMA
from validation.attacks.identifiers.clauses import GROUP, TEXT, prose_attacks
from validation.attacks.identifiers.clauses import OWNER as WRITTEN_ABOUT
from validation.attacks.limits import (
    ADAPTIVE,
    ALPHA,
    CODES,
    EXACT,
    FILTERS,
    LINKAGE,
    MARGIN,
    MOST_LEARNT,
    MOST_MAXIMA,
    NAMES,
    OPINION,
    ORDER,
    PROSE,
    REGISTER,
    TOO_FEW,
    AtMost,
    AtMostOrGuessing,
    Limit,
    Never,
    NoBetterThanGuessing,
    ShareLimit,
    highest_kept,
    in_words,
    is_over,
    judged,
    limit_of,
    names_owners,
)
from validation.attacks.noise.filters import filter_attack
from validation.attacks.records.events import OfRows
from validation.attacks.records.linkage import (
    AMONG_FIVE,
    GAPS,
    MAHALANOBIS,
    OWNER,
    WHOLE_PANEL,
    WHOLE_YEAR,
    WITH_REGISTER,
    linkage_attacks,
)
from validation.attacks.records.quasi_identifiers import quasi_identifier_attack

LIMITS: Sequence[Limit] = (AtMost(0.15), NoBetterThanGuessing(), Never())
LIMITED = (OWNER, MAHALANOBIS, WHOLE_YEAR, WHOLE_PANEL, GAPS, AMONG_FIVE, WITH_REGISTER)


def an_attack(successes: int, records: int = 1_000, *, chance: float = 0.01, name: str = OWNER) -> Attack:
    return Attack(attack=name, knowledge="k", records=records, successes=successes, chance=chance)


def is_within(family: str, attacks: Sequence[Attack], policy: Policy) -> bool:
    return all(entry["passed"] for entry in judged({family: attacks}, policy))


def test_a_rate_may_be_its_limit_and_no_more() -> None:
    """Of 10,000 records 1,500 are 15 % and kept, one more is refused."""
    assert AtMost(0.15).is_kept(an_attack(1_500, 10_000))
    assert not AtMost(0.15).is_kept(an_attack(1_501, 10_000))


def test_a_bound_may_be_little_above_the_limit() -> None:
    """14 % of 100 records could be 21 % of many: refused, though the rate is within."""
    found = an_attack(14, 100)
    assert found.rate < 0.15 < 0.15 + MARGIN < found.upper_95
    assert not AtMost(0.15).is_kept(found)


def test_few_records_are_no_evidence_for_a_rate() -> None:
    """Nothing found among ten records does not show a rate of 15 %; among twenty it does (0.85 ** 20 < 5 %)."""
    assert not AtMost(0.15).is_kept(an_attack(0, 10))
    assert AtMost(0.15).is_kept(an_attack(0, 20))


@pytest.mark.parametrize("limit", LIMITS, ids=str)
def test_what_was_not_attacked_is_kept(limit: Limit) -> None:
    """An attack without records says nothing against a release."""
    assert limit.is_kept(an_attack(0, 0))


@pytest.mark.parametrize("limit", LIMITS, ids=str)
def test_every_limit_refuses_an_attack_that_always_succeeds(limit: Limit) -> None:
    """Each limit can be exceeded."""
    assert not limit.is_kept(an_attack(1_000))


@pytest.mark.parametrize(
    ("found", "chance", "is_kept"), [(6, 0.15, True), (0, 0.01, True), (12, 0.02, False), (48, 0.15, False)]
)
def test_few_maxima_are_held_to_what_guessing_finds(found: int, chance: float, *, is_kept: bool) -> None:
    """Of 48 none would do for a bound of 6 %, and where 738 figures are alike a guess is often among them."""
    assert AtMostOrGuessing(MOST_MAXIMA).is_kept(an_attack(found, 48, chance=chance)) is is_kept


def test_what_chance_finds_is_kept() -> None:
    """Ten successes where ten are expected, or thirty of which one in 10,000 guessers has fewer, are no better."""
    assert NoBetterThanGuessing().is_kept(an_attack(10))
    assert not NoBetterThanGuessing().is_kept(an_attack(30))


@given(st.integers(1, 2_000), st.floats(0.001, 0.999), st.data())
def test_guessing_is_refused_where_its_law_says(records: int, chance: float, data: st.DataObject) -> None:
    """The limit is `beats_chance` at the stated level: one success more never turns a refusal into a pass."""
    successes = data.draw(st.integers(0, records))
    attack = an_attack(successes, records, chance=chance)
    assert NoBetterThanGuessing().is_kept(attack) is not attack.beats_chance(ALPHA)
    if successes and NoBetterThanGuessing().is_kept(attack):
        assert NoBetterThanGuessing().is_kept(an_attack(successes - 1, records, chance=chance))


@given(st.integers(1, 500), st.data())
def test_bound_and_chance_are_those_of_the_exact_binomial_test(records: int, data: st.DataObject) -> None:
    """The bound is Clopper and Pearson's, the comparison the one-sided test, both as scipy has them."""
    attack = an_attack(data.draw(st.integers(0, records)), records, chance=0.2)
    test = stats.binomtest(attack.successes, records, attack.chance, alternative="less")
    assert attack.upper_95 == pytest.approx(test.proportion_ci(0.95).high, rel=1e-9)
    greater = stats.binomtest(attack.successes, records, attack.chance, alternative="greater").pvalue
    assert attack.beats_chance(ALPHA) is bool(greater < ALPHA)


def test_an_attack_on_nothing_says_nothing() -> None:
    """No record, no rate, and no bound but the largest; of what is one group nothing more is known."""
    nothing = Attack(attack="a", knowledge="k", records=0, successes=0)
    assert (nothing.rate, nothing.upper_95, nothing.chance) == (0.0, 1.0, 0.0)
    assert (and_the(ALL_IN_ONE), and_the("trade")) == ("", ", and the trade")


def test_an_entry_says_whether_its_limit_was_kept() -> None:
    """Better than guessing is over the limit; without a limit or a record nothing is. It is said of what found anything."""
    attacks = (an_attack(10), an_attack(30), an_attack(0, 0))
    found = {CODES: attacks, LINKAGE: attacks[1:2], ORDER: attacks[1:2], ADAPTIVE: [an_attack(30, name=MAXIMA)]}
    entries = judged(found, LSD)
    assert [is_over(entry) for entry in entries] == [False, True, False, False, True, False]
    assert [in_words(entry) for entry in entries] == [
        *("kept, p = 0.54", "EXCEEDED, p < 0.0001", "nothing to try"),
        *("reported only, p < 0.0001", "EXCEEDED, p < 0.0001", "kept, p < 0.0001"),
    ]


@given(st.integers(1, 500), st.floats(0.001, 0.9), st.data())
def test_a_limit_that_guessing_sets_is_broken_only_above_chance(
    records: int, chance: float, data: st.DataObject
) -> None:
    """Words on one finding agree, with a limit and without one: both have the p of the exact test."""
    attack = an_attack(data.draw(st.integers(1, records)), records, chance=chance)
    limited, free = (in_words(judged({family: [attack]}, LSD)[0]) for family in (CODES, LINKAGE))
    p_value = stats.binomtest(attack.successes, records, chance, alternative="greater").pvalue
    said = f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"
    assert free == f"reported only, {said}"
    assert limited in (f"{'EXCEEDED' if p_value < 1e-4 else 'kept'}, {said}", TOO_FEW)


@given(
    st.sampled_from([*LIMITS, AtMost(0.03), AtMostOrGuessing(0.05), ShareLimit(0.01)]),
    st.sampled_from(["shares", "rows", "gains"]),
    st.integers(1, 60),
    st.floats(0.001, 0.9),
    st.floats(0, 0.2),
)
def test_the_highest_rate_kept_is_where_the_test_fails(
    limit: Limit, kind: str, records: int, chance: float, error: float
) -> None:
    """Of all findings on so many records, those up to it are kept and no other; it is null if none is."""
    shares = [an_attack(successes, records, chance=chance) for successes in range(records + 1)]
    as_rows = [OfRows(**vars(attack), effective_records=max(1.0, records / 3)) for attack in shares]
    gains = [Gain(**vars(attack), standard_error=error) for attack in shares]
    tried: Sequence[Attack] = {"shares": shares, "rows": as_rows, "gains": gains}[kind]
    found = {highest_kept(attack, limit) for attack in tried}
    assert len(found) == 1
    most = found.pop()
    assert [limit.is_kept(attack) for attack in tried] == [most is not None and attack.rate <= most for attack in tried]


def test_a_gain_that_only_its_bound_refuses_is_not_called_exceeded() -> None:
    """Of 6 right with the company and 6 without no gain was found; with so wide a bound fewer than 6 would have to be."""
    nothing = Gain(attack="inferred", knowledge="k", records=144, successes=6, chance=6 / 144, standard_error=0.029)
    entries = judged({ADAPTIVE: [nothing, replace(nothing, successes=12)]}, GUARDED)
    assert [in_words(entry) for entry in entries] == ["not shown to be kept, p = 0.5", "EXCEEDED, p = 0.075"]
    assert {entry["highest_kept"] for entry in entries} == {4 / 144 - 6 / 144}


def test_members_that_are_told_name_no_owner() -> None:
    """Whether counts are reported or an outcome alone."""
    outcome = {"family": ADAPTIVE, "attack": "membership by the nearest record"}
    assert not names_owners(outcome)
    assert names_owners(outcome | {"attack": OWNER})


@pytest.mark.parametrize("attack", ["linkability", "singling out by queries of one column", "inference of revenue"])
def test_anonymeter_names_no_owner(attack: str) -> None:
    """It does not ask whose a record is, so that no summary says that it finds the right company."""
    assert not names_owners({"family": OPINION, "attack": f"Anonymeter: {attack}"})


def test_never_is_never() -> None:
    """One success is one too many."""
    assert Never().is_kept(an_attack(0))
    assert not Never().is_kept(an_attack(1))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("family", [CODES, EXACT, NAMES])
def test_what_every_policy_promises_is_limited_to_guessing(policy: Policy, family: str) -> None:
    """Codes, exact figures and names: any attack of the family, whatever its name, must not beat chance."""
    assert isinstance(limit_of(family, an_attack(0, name="any"), policy), NoBetterThanGuessing)


def test_decoys_of_which_less_is_told_may_be_filtered_out() -> None:
    """Under `guarded` one filter may do better than guessing, and that is told; under `lsd` it may not."""
    half_better = an_attack(600, chance=0.5, name="one filter")
    assert not is_within(FILTERS, [half_better], LSD)
    assert limit_of(FILTERS, half_better, GUARDED) is None


@pytest.mark.parametrize(
    ("records", "rate", "is_kept"), [(184_000, 0.507, True), (184_000, 0.512, False), (600, 0.6, False)]
)
def test_a_filter_that_helps_nobody_may_beat_chance(*, records: int, rate: float, is_kept: bool) -> None:
    """Among very many rows less than a point is no chance, and no use; among few the limit is chance, as it is for others."""
    attack = an_attack(round(rate * records), records=records, chance=0.5, name="one filter")
    assert attack.beats_chance(ALPHA)
    assert is_within(FILTERS, [attack], LSD) is is_kept


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_no_order_tells_anything(policy: Policy) -> None:
    """The attack on orders brings its own bound, so that no success is allowed."""
    assert isinstance(limit_of(ORDER, an_attack(0, name="any"), policy), Never)


@pytest.mark.parametrize("name", LIMITED)
def test_the_paper_s_policy_only_tells_what_links_figures(name: str) -> None:
    """Under `lsd` everything may be linked, and the entry says that it is told only."""
    everything = an_attack(1_000, name=name)
    assert limit_of(LINKAGE, everything, LSD) is None
    assert is_within(LINKAGE, [everything], LSD)
    (entry,) = judged({LINKAGE: [everything]}, LSD)
    assert (entry["limit"], entry["passed"]) == ("reported only", True)


@pytest.mark.parametrize("name", LIMITED)
def test_guarded_lets_nothing_link_figures_better_than_guessing(name: str) -> None:
    """Under `guarded` a record has no owner to be found: what chance finds is kept, three times as much is not."""
    assert is_within(LINKAGE, [an_attack(10, name=name)], GUARDED)
    (entry,) = judged({LINKAGE: [an_attack(30, name=name)]}, GUARDED)
    assert (entry["limit"], entry["passed"]) == ("no better than guessing", False)


def a_gain(rate: float, *, records: int = 10_000, standard_error: float = 0.001) -> Gain:
    """Return what is learnt from a release with a company above one without."""
    return Gain(
        attack="inference",
        knowledge="k",
        records=records,
        successes=round((0.1 + rate) * records),
        chance=0.1,
        standard_error=standard_error,
    )


def a_separation(area: float) -> Auc:
    return Auc(
        attack="membership", knowledge="k", records=1_000, successes=900, chance=0.5, area=area, standard_error=0.01
    )


@pytest.mark.parametrize("name", [NEAREST, UNMIXING, LEARNED])
def test_whoever_knows_the_code_names_owners_no_better_than_guessing(name: str) -> None:
    """Every way of naming owners is held to chance."""
    assert isinstance(limit_of(ADAPTIVE, an_attack(0, name=name), GUARDED), NoBetterThanGuessing)
    assert is_within(ADAPTIVE, [an_attack(10, name=name)], GUARDED)
    assert not is_within(ADAPTIVE, [an_attack(30, name=name)], GUARDED)


@pytest.mark.parametrize(
    ("gain", "is_kept"), [(-0.05, True), (0.0, True), (MOST_LEARNT, True), (MOST_LEARNT + 0.001, False), (0.3, False)]
)
def test_few_points_are_learnt_of_a_company_in_the_release(gain: float, is_kept: bool) -> None:  # noqa: FBT001
    """A release with the company may tell hardly more of it than one without, and less than nothing is no harm."""
    assert is_within(ADAPTIVE, [a_gain(gain)], GUARDED) is is_kept


def test_a_gain_that_few_companies_leave_open_is_refused() -> None:
    """Where the bound of a small gain is above the margin, nothing is shown."""
    assert not is_within(ADAPTIVE, [a_gain(0.0, standard_error=0.03)], GUARDED)


@pytest.mark.parametrize("area", [0.5, 0.9, 1.0])
def test_telling_members_apart_is_told_only(area: float) -> None:
    """Who is in the originals is no secret that the policy keeps: the area is told, and refuses nothing."""
    (entry,) = judged({ADAPTIVE: [a_separation(area)]}, GUARDED)
    assert (entry["rate"], entry["limit"], entry["passed"]) == (area, "reported only", True)


@pytest.mark.parametrize(("found", "is_kept"), [(0, True), (500, True), (501, False)])
def test_few_maxima_may_stand_in_a_release(found: int, is_kept: bool) -> None:  # noqa: FBT001
    """Of an industry's largest figures to two digits five in a hundred may stand in the release."""
    assert MOST_MAXIMA == 0.05
    assert is_within(ADAPTIVE, [an_attack(found, 10_000, name=MAXIMA, chance=0.0)], GUARDED) is is_kept


def test_every_limited_name_is_that_of_an_attack() -> None:
    """What `guarded` limits, the attacks bring forth under the very same names: no limit hangs in the air."""
    panel = pl.DataFrame(
        {"firm": ["a", "b", "c"], "industry": ["x"] * 3, "year": [2022] * 3, "town": ["t"] * 3, "revenue": [1, 20, 300]}
    )
    linked = linkage_attacks(
        panel,
        panel,
        entity="firm",
        group="industry",
        measures=["revenue"],
        known=[["revenue"]],
        quasi_identifiers=["town"],
    )
    assert set(LIMITED) == {attack.attack for attack in linked}
    looked_up = quasi_identifier_attack(panel, panel, ["industry", "town"])
    assert all(isinstance(limit_of(LINKAGE, attack, GUARDED), NoBetterThanGuessing) for attack in linked)
    assert isinstance(limit_of(REGISTER, looked_up, GUARDED), NoBetterThanGuessing)
    assert limit_of(REGISTER, looked_up, LSD) is None
    filtered = filter_attack(panel, panel, kinds="decoys", key=Key(b"k" * 32))
    assert limit_of(FILTERS, filtered, GUARDED) is None


def test_prose_is_searched_for_in_vain_under_guarded_and_told_under_lsd() -> None:
    """Texts that stand as they stood are refused where they are written anew, and told where they are the originals'."""
    words = [
        f"{'abcdefgh'[i % 8]}{i} grinds flour for {i + 17} villages along the river and nobody else" for i in range(60)
    ]
    texts = pl.DataFrame({WRITTEN_ABOUT: [f"firm {i}" for i in range(60)], GROUP: "x", TEXT: words})
    found = prose_attacks(texts, texts.drop(GROUP))
    assert found
    for searched in found:
        assert limit_of(PROSE, searched, LSD) is None
        assert isinstance(limit_of(PROSE, searched, GUARDED), NoBetterThanGuessing)
    assert is_within(PROSE, found, LSD)
    assert not is_within(PROSE, found, GUARDED)


def test_one_attack_over_its_limit_is_found_among_many() -> None:
    """A family is within its limits if all its attacks are; the entry of the one that is not says so."""
    attacks = [an_attack(10), an_attack(300, name=MAHALANOBIS), an_attack(12)]
    assert not is_within(LINKAGE, attacks, GUARDED)
    assert is_within(LINKAGE, attacks[::2], GUARDED)
    assert [entry["passed"] for entry in judged({LINKAGE: attacks}, GUARDED)] == [True, False, True]
    assert is_within(LINKAGE, [], GUARDED)


def test_an_entry_holds_the_attack_and_its_judgement() -> None:
    """Fields of the contract first, then family, limit in words, and whether it is kept."""
    (entry,) = judged({NAMES: [an_attack(10, name="name overlap")]}, LSD)
    assert entry == {
        "attack": "name overlap",
        "knowledge": "k",
        "records": 1_000,
        "successes": 10,
        "chance": 0.01,
        "detail": "",
        "rate": 0.01,
        "upper_95": entry["upper_95"],
        "highest_kept": 0.024,
        "family": NAMES,
        "limit": "no better than guessing",
        "passed": True,
    }
