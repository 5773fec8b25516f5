"""What `privacy.json` says to everybody: a sentence that is counted from the attacks, and what is left blank."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.policy import GUARDED, LSD, Policy
from anonymize.quasi_identifiers import Classes
from validation.attacks import Attack
from validation.attacks.adaptive.values import MAXIMA
from validation.attacks.limits import ADAPTIVE, EVENTS, FAMILIES, LINKAGE, NAMES, ORDER, REGISTER, judged
from validation.attacks.privacy import DEMONSTRATION, REPORTS_OF_ORIGINALS, outcomes_of, privacy_report
from validation.attacks.records.linkage import AMONG_FIVE, GAPS, OWNER, WHOLE_PANEL, WITH_REGISTER
from validation.report.documents import Reports
from validation.report.head.gates import gates_of
from validation.report.head.verdicts import verdicts_of
from validation.report.sections.release import ReportedVariant

NOT_ANONYMOUS = "This is pseudonymised data, not anonymous data:"


def an_attack(successes: int, records: int = 1_000, *, name: str = OWNER, knowledge: str = "revenue") -> Attack:
    return Attack(attack=name, knowledge=knowledge, records=records, successes=successes, chance=0.025)


def a_report(
    found: Mapping[str, Sequence[Attack]], policy: Policy = LSD, *, is_demonstration: bool = False, **changes: Any
) -> dict[str, Any]:
    settings: dict[str, Any] = {"anonymity": None, "given_up": None}
    return privacy_report(judged(found, policy), policy, is_demonstration=is_demonstration, **settings | changes)


def test_the_sentence_is_counted_from_the_attack_that_found_most() -> None:
    """Knowledge, numbers, rate and chance are those of the worst attack on owners, in words that need no statistics."""
    found = [an_attack(900, knowledge="revenue of 2022"), an_attack(987, knowledge="assets of 2022"), an_attack(3)]
    assert (
        "Someone who knows assets of 2022 finds the right company for 987 of 1,000 (98.7%; guessing finds 2.5%)"
        in a_report({LINKAGE: found})["summary"]
    )
    assert "Guessing finds as many with p = 0.53." in a_report({LINKAGE: [an_attack(25)]})["summary"]


ELSEWHERE = {"copies", "order", "filters", "independent opinion"}
"""Families of which a success is a column or a decoy, or of which none asks whose a record is."""


@given(
    made=st.lists(
        st.tuples(st.sampled_from(FAMILIES), st.text("abcdef ", max_size=9), st.integers(2, 50), st.integers(50, 60)),
        min_size=1,
        max_size=8,
    ),
    has_panel=st.booleans(),
)
def test_no_attack_on_owners_finds_more_than_the_sentence_says(
    made: list[tuple[str, str, int, int]], *, has_panel: bool
) -> None:
    """Of whatever family and name, with and without a panel: an attack that nobody knows yet is in the headline."""
    found: dict[str, list[Attack]] = {}
    for number, (family, name, successes, records) in enumerate(made):
        found.setdefault(family, []).append(an_attack(successes, records, name=name, knowledge=f"<{number}>"))
    report = a_report(found, has_panel=has_panel)
    worst = max((each["rate"] for each in report["attacks"] if each["family"] not in ELSEWHERE), default=None)
    told = re.search(r"Someone who knows <(\d+)> finds", report["summary"])
    headline = re.search(
        r"best attack names the right company for (?:all (\d+) records|(\d+) of (\d+) )", _headline(report)
    )
    assert (told is None) == (worst is None)
    if told and worst is not None:
        assert made[int(told[1])][2] / made[int(told[1])][3] == worst
    if headline:
        assert (1 if headline[1] else int(headline[2]) / int(headline[3])) == worst
    untold = ELSEWHERE | {"codes", "names"}
    assert (headline is not None) == any(family not in untold for family, *_ in made) or not report["passed"]


def _headline(report: Mapping[str, Any]) -> str:
    """Return what the first screen answers to whether this is safe."""
    reports = Reports.of({"privacy": json.dumps(report | {"escapes": []})})
    manifest = {"policy": "lsd", "is_demonstration_key": False}
    release = ReportedVariant(environment="e", title="e", variant="clean", manifest=manifest)
    verdicts = {each.question: each for each in verdicts_of(reports, release, list(gates_of(reports, release)))}
    return " ".join(verdicts["Safe to publish?"].because)


@pytest.mark.parametrize("name", [WHOLE_PANEL, GAPS, WITH_REGISTER])
def test_the_sentence_tells_of_all_that_name_an_owner(name: str) -> None:
    """The worst attack may be one on the whole panel, on gaps, or with a register."""
    found = [an_attack(10), an_attack(200, name=name, knowledge="what it knows")]
    assert "Someone who knows what it knows finds the right company for 200 of" in a_report({LINKAGE: found})["summary"]


def test_a_long_list_is_named_in_part() -> None:
    """What an attacker knows may be dozens of columns."""
    found = [an_attack(10, knowledge=", ".join(f"column {number}" for number in range(22)))]
    assert (
        "Someone who knows column 0, column 1, column 2 and 19 more values finds"
        in a_report({LINKAGE: found})["summary"]
    )


def test_to_be_a_candidate_is_not_to_be_named() -> None:
    """What finds no owner is not told as if it did."""
    found = [an_attack(10), an_attack(900, name=AMONG_FIVE)]
    assert "for 10 of 1,000 (" in a_report({LINKAGE: found})["summary"]


def test_the_paper_s_policy_is_told_not_to_be_anonymous() -> None:
    """Under `lsd` the sentence says what the data are, and that the companies can be told."""
    summary = a_report({LINKAGE: [an_attack(900)]})["summary"]
    assert "whoever has their annual reports can tell which is which" in summary
    assert summary.startswith(NOT_ANONYMOUS)
    assert summary.endswith(REPORTS_OF_ORIGINALS)


def test_guarded_is_told_with_what_its_records_are() -> None:
    """Under `guarded` the highest rate is told, and that records are sampled."""
    summary = a_report({LINKAGE: [an_attack(25)]}, GUARDED)["summary"]
    assert "(2.5%; guessing finds 2.5%)" in summary
    assert "Records are sampled from statistics of each industry" in summary
    assert NOT_ANONYMOUS not in summary
    assert REPORTS_OF_ORIGINALS not in summary


@pytest.mark.parametrize(
    ("successes", "told"),
    [
        (
            25,
            "name the owner of 2.5% of 1,000 records at best, guessing 2.5% (p = 0.53): only p below 0.0001 is refused.",
        ),
        (
            38,
            "name the owner of 3.8% of 1,000 records at best, guessing 2.5% (p = 0.0084): only p below 0.0001 is refused.",
        ),
        (300, "find more than the policy allows."),
    ],
)
def test_of_attackers_who_know_the_code_is_told_what_they_found(successes: int, told: str) -> None:
    """What the summary says of them is what the attacks found, not what is hoped."""
    better = [an_attack(400)] if successes < 300 else []
    summary = a_report({ADAPTIVE: [an_attack(successes)], LINKAGE: better}, GUARDED)["summary"]
    assert summary.count("Attackers who have the originals and this code") == 1
    assert told in summary


def test_the_best_attack_of_all_is_counted_once() -> None:
    """It is in the sentence on owners; that on attackers who know the code has no figures of it again."""
    summary = a_report({ADAPTIVE: [an_attack(38)], LINKAGE: [an_attack(25)]}, GUARDED)["summary"]
    assert (
        "Attackers who have the originals and this code name no more owners: only p below 0.0001 is refused." in summary
    )
    assert (summary.count("3.8%"), summary.count("p = 0.0084")) == (1, 1)


@pytest.mark.parametrize(
    ("successes", "told"), [(4, "are not shown to keep their limits."), (9, "find more than the policy allows.")]
)
def test_attackers_whose_bound_alone_is_over_the_limit_find_no_more_than_it_allows(successes: int, told: str) -> None:
    """Of 100 maxima 5 may be guessed, and so few tries leave room for more; with figures and without, the words are these."""
    found = Attack(attack=MAXIMA, knowledge="revenue", records=100, successes=successes, chance=0.0)
    report = a_report({ADAPTIVE: [found]}, GUARDED)
    for summary in (report["summary"], outcomes_of(report, doors=[], budget=1.0)["summary"]):
        assert f"Attackers who have the originals and this code {told}" in summary


def test_what_is_published_of_attackers_has_their_limit_and_no_figures() -> None:
    """What they count stays with the curator, and what stands there claims no more than that the limit is kept."""
    report = a_report({ADAPTIVE: [an_attack(38)]}, GUARDED)
    summary = outcomes_of(report, doors=[], budget=1.0)["summary"]
    assert "do not name significantly more owners than guessing (p below 0.0001 is refused)." in summary
    assert "3.8%" not in summary


def test_of_attackers_who_were_not_asked_nothing_is_claimed() -> None:
    """Without their attacks, the summary does not say that they find nothing."""
    assert "Attackers" not in a_report({LINKAGE: [an_attack(25)]}, GUARDED)["summary"]


@pytest.mark.parametrize("policy", [LSD, GUARDED], ids=lambda policy: policy.name)
def test_a_public_key_is_told(policy: Policy) -> None:
    """Under the demonstration key the sentence ends with what that means; under a key of one's own it says nothing of it."""
    assert a_report({}, policy, is_demonstration=True)["summary"].endswith(DEMONSTRATION)
    assert DEMONSTRATION not in a_report({}, policy)["summary"]


def test_no_figures_no_sentence_about_them() -> None:
    """Where no record was attacked, no rate is claimed."""
    assert "Someone" not in a_report({LINKAGE: [an_attack(0, 0)]})["summary"]
    assert "Someone" not in a_report({})["summary"]


def test_one_attack_over_its_limit_fails_the_report() -> None:
    """The report passes if every entry does; linkage is told only under `lsd`, an order never is."""
    linked, order = an_attack(1_000), an_attack(1, 50, name="order of firms, rows")
    assert a_report({LINKAGE: [linked], NAMES: [an_attack(25)]})["passed"]
    assert not a_report({LINKAGE: [linked]}, GUARDED)["passed"]
    assert not a_report({LINKAGE: [linked], ORDER: [order]})["passed"]


def test_the_report_holds_everything_in_order() -> None:
    """The sentence stands first; attacks keep the order of their families, quasi-identifiers tell their share."""
    anonymity = Classes(k=5, records=8, smallest=1, below=2, unique=1, share_below=0.25)
    given_up = pl.DataFrame({"column": ["town"], "filled": [8], "given_up": [2], "share_left": [0.75]})
    found = {NAMES: [an_attack(25)], LINKAGE: [an_attack(10), an_attack(11)]}
    report = a_report(found, GUARDED, anonymity=anonymity, given_up=given_up)
    assert list(report) == ["summary", "policy", "passed", "attacks", "quasi_identifiers", "further_kinds", "given_up"]
    assert [entry["family"] for entry in report["attacks"]] == [NAMES, LINKAGE, LINKAGE]
    assert report["policy"] == "guarded"
    assert report["quasi_identifiers"] == {
        "k": 5,
        "records": 8,
        "smallest": 1,
        "below": 2,
        "unique": 1,
        "share_below": 0.25,
    }
    assert report["given_up"] == given_up.to_dicts()
    assert report["further_kinds"] == {}


def test_class_sizes_of_further_kinds_stand_beside() -> None:
    """By kind, with the share below the size that is asked for."""
    ships = Classes(k=5, records=4, smallest=1, below=1, unique=1, share_below=0.25)
    report = a_report({}, further={"ship": ships})
    assert report["further_kinds"] == {
        "ship": {"k": 5, "records": 4, "smallest": 1, "below": 1, "unique": 1, "share_below": 0.25}
    }


def test_without_figures_the_register_is_what_is_spoken_of() -> None:
    """Whoever looks entities up stands first, and nothing is said of annual reports."""
    report = a_report({REGISTER: [an_attack(4)]}, has_panel=False)
    assert " Someone who knows " in report["summary"]
    assert ". No figures are declared. " in report["summary"]
    assert "whoever has a register can tell who is who" in report["summary"]
    assert "annual reports" not in report["summary"]
    sampled = a_report({REGISTER: [an_attack(0)]}, GUARDED, has_panel=False)["summary"]
    assert "drawn anew, and none is an entity's own" in sampled


def test_figures_of_events_are_figures() -> None:
    """Where events have measures, nobody says that no figures are declared, panel or not."""
    summary = a_report({EVENTS: [an_attack(4)]}, has_panel=False, figures_of_events=13)["summary"]
    assert "No figures are declared" not in summary
    assert "the figures are nearly the originals'" in summary


def test_what_does_not_apply_is_empty() -> None:
    """Without quasi-identifiers the fields are there and hold nothing."""
    report = a_report({})
    assert (report["quasi_identifiers"], report["given_up"]) == (None, [])
    assert report["passed"]
