"""`privacy.html`: the sentence first, every attack with its numbers, no meaning in colour alone, complete in itself."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

from anonymize.mentions.forms import IN_PIECES, MISSPELT
from anonymize.policy import GUARDED, LSD, POLICIES, Policy
from anonymize.quasi_identifiers import Classes
from tests.pages import is_self_contained, left_open, text_of
from validation.attacks import Attack, limits
from validation.attacks.adaptive.findings import Auc
from validation.attacks.adaptive.membership import DENSITY, NEAREST, SECOND_MOMENTS, TRACING
from validation.attacks.adaptive.values import MAXIMA
from validation.attacks.limits import ADAPTIVE, CODES, LINKAGE, NOTHING_TO_TRY, ORDER, REPORTED_ONLY, TOO_FEW, judged
from validation.attacks.privacy import outcomes_of, privacy_report
from validation.attacks.records.alone import ALONE
from validation.attacks.records.linkage import AMONG_FIVE, OWNER
from validation.attacks.records.unchanged import UNCHANGED
from validation.report.documents import read
from validation.report.documents.privacy import Privacy
from validation.report.pages import PageContext, privacy_page
from validation.report.sections.attacked import SHOWN_ESCAPES, most_named
from validation.report.sections.promises import FAMILIES, promises_of

NAMES = {"title": "R&D <b>", "policy": "guarded", "variant": "noisy"}


def an_attack(successes: int, records: int = 1_000, **changes: Any) -> Attack:
    settings: dict[str, Any] = {"attack": OWNER, "knowledge": "总资产 & revenue", "chance": 0.025}
    return Attack(records=records, successes=successes, **settings | changes)


def a_report(policy: Policy = GUARDED, *attacks: Attack, escapes: int = 0, **changes: Any) -> dict[str, Any]:
    found = {
        CODES: [an_attack(0, attack="dictionary", chance=0.01)],
        LINKAGE: [*(attacks or [an_attack(25)]), an_attack(120, attack=AMONG_FIVE, chance=0.125)],
    }
    settings: dict[str, Any] = {
        "anonymity": Classes(k=5, records=80, smallest=5, below=0, unique=0, share_below=0.0),
        "given_up": pl.DataFrame({"column": ["state"], "filled": [80], "given_up": [20], "share_left": [0.75]}),
    }
    report = privacy_report(judged(found, policy), policy, is_demonstration=False, **settings | changes)
    places = [{"file": "a.csv", "row": i, "column": "c", "kind": "name", "rows": 1} for i in range(escapes)]
    return report | {"passed": report["passed"] and not escapes, "escapes": places}


def page(report: dict[str, Any]) -> bytes:
    return privacy_page(read(Privacy, report), PageContext(**NAMES))


def row_of(report: dict[str, Any], attack: str) -> str:
    """Return the text of the first row of an attack."""
    rows = page(report).decode().split("<tr>")
    return text_of(b"<body>" + next(row for row in rows if f"<b>{attack}</b>" in row).encode())


def test_verdict_and_summary_stand_before_anything_else() -> None:
    """The verdict with its counts comes first, then, large, what everybody should know."""
    report = a_report()
    text = text_of(page(report))
    assert text.index("passed 3 attacks: ") < text.index(report["summary"]) < text.index("Promised.")
    assert "3 with a limit, 0 over it" in text
    assert "carried out on these tables, before noise, with the originals in hand" in text
    assert '<p class="lead">' in page(report).decode()


def test_a_refused_release_says_so_in_words() -> None:
    """An attack over its limit and the places of escapes are counted in the verdict, and shown."""
    report = a_report(GUARDED, an_attack(300), escapes=2)
    text = text_of(page(report))
    assert "failed 1 of 3 attacks is not shown to keep its limit; what identifies a company stands in 1 column" in text
    assert "EXCEEDED" in text
    assert "2 found; the first 2" in text


def test_each_attack_has_its_numbers() -> None:
    """Knowledge, records, successes, rate, bound, chance, limit and judgement stand in its row."""
    row = row_of(a_report(GUARDED, an_attack(25)), OWNER)
    assert " ".join(row.split()) == (
        "nearest-neighbour linkage 总资产 & revenue 1,000 25 2.5% (bound 3.5%, guessing 2.5%) "
        "no better than guessing kept, p = 0.53"
    )


@pytest.mark.parametrize(
    ("successes", "told"),
    [
        (
            (26, 38),
            "revenue. It found 38 of 1,000 (3.8%); guessing 2.5%; of as many, 45 or fewer would pass.",
        ),
        ((20,), "No attack with a limit found more than guessing."),
    ],
    ids=["above guessing", "none"],
)
def test_the_attack_that_came_nearest_its_limit_is_named(successes: tuple[int, ...], told: str) -> None:
    """It is the one that used most of what its limit allows above guessing."""
    report = a_report(GUARDED, *map(an_attack, successes))
    said = text_of(page(report))
    assert told in said
    assert ("Nearest its limit, counted from guessing: nearest-neighbour linkage, which knows" in said) == (
        len(successes) > 1
    )
    assert "its limit: " not in text_of(page(outcomes_of(report, doors=[], budget=10.0)))
    assert "its limit: " not in text_of(page(a_report(GUARDED, an_attack(300))))


def test_of_sampled_records_outcomes_are_published_alone() -> None:
    """Neither report nor page hold a count, a share, a bound or a chance."""
    few, many = an_attack(25, 999, knowledge="few"), an_attack(27, 1_000, knowledge="many")
    report = outcomes_of(a_report(GUARDED, few, many), doors=["the only way"], budget=10.0)
    entries = [entry for entry in report["attacks"] if entry["attack"] == OWNER]
    assert entries == [
        {"attack": OWNER, "knowledge": knowledge, "family": LINKAGE, "limit": "no better than guessing", "passed": True}
        for knowledge in ("few", "many")
    ]
    assert (report["given_up"], report["passed"]) == ([], True)
    told = text_of(page(report))
    assert " ".join(row_of(report, OWNER).split()) == f"{OWNER} few no better than guessing kept"
    assert "the only way" in told
    assert not re.search(r"bound \d|guessing \d|999 |1,000 25|2\.7", told)
    assert most_named(read(Privacy, report)) is None


def test_outcomes_say_what_was_over_its_limit() -> None:
    """A failed gate is told as such, and in how many attacks, with nothing of what was found."""
    report = outcomes_of(a_report(GUARDED, an_attack(300, 500)), doors=[], budget=10.0)
    told = text_of(page(report))
    assert (report["passed"], "EXCEEDED" in told, "300" in told) == (False, True, False)
    assert "failed 1 of 3 attacks is not shown to keep its limit" in told


def test_what_is_told_only_claims_no_limit() -> None:
    """Under `lsd` linkage has no limit, and its row says so instead of `kept`."""
    row = row_of(a_report(LSD, an_attack(990), given_up=None), OWNER)
    assert row.rstrip().endswith("none reported only, p < 0.0001")
    assert " kept" not in row


def test_an_attack_without_records_has_no_rate() -> None:
    """Nothing to attack is neither a success nor a rate of zero."""
    row = row_of(a_report(GUARDED, an_attack(0, 0)), OWNER)
    assert row.split().count("nothing") == 2
    assert " kept" not in row
    assert "(bound" not in row


@pytest.mark.parametrize(
    ("successes", "records", "told"),
    [
        (0, 10, "0% (bound"),
        (1, 100_000, "under 0.1% (bound under 0.1%"),
        (10, 10, "100% (bound 100%"),
        (9_999, 10_000, "over 99.9% (bound over 99.9%"),
    ],
)
def test_only_nothing_reads_as_nothing_and_only_all_as_all(successes: int, records: int, told: str) -> None:
    """A rate is not rounded to 0 % or 100 %."""
    assert told in row_of(a_report(GUARDED, an_attack(successes, records)), OWNER)


def test_bars_stay_in_their_frame() -> None:
    """No part of a bar is drawn left of 0 or right of 100."""
    drawn = page(a_report(GUARDED, an_attack(1_000, chance=1.0), an_attack(0))).decode()
    bars = re.findall(r'<svg viewBox="0 0 100 12".*?</svg>', drawn)
    parts = [
        (float(x), float(width))
        for bar in bars
        for x, width in re.findall(r'x="([-\d.]+)" y="\d+" width="([-\d.]+)"', bar)
    ]
    assert len(parts) >= 4 * 3
    assert all(x >= 0 and width >= 0 and x + width <= 100 for x, width in parts)


def test_what_a_register_says_and_how_much_is_filled() -> None:
    """Class sizes and, by column, how much was filled and is."""
    text = text_of(page(a_report()))
    assert "The smallest of the release has 5; 0 of 80 records (0%) are in classes of fewer than 5" in text
    assert "state 80 60" in text
    assert "The policy publishes these columns as they are" in text_of(page(a_report(LSD, given_up=None)))
    assert "declares nothing that a register" in text_of(page(a_report(anonymity=None)))


def test_not_all_escapes_are_listed() -> None:
    """Beyond the limit the page counts, and the JSON lists."""
    text = text_of(page(a_report(escapes=SHOWN_ESCAPES + 5)))
    assert f"{SHOWN_ESCAPES + 5} found; the first {SHOWN_ESCAPES}" in text
    assert text.count("a.csv") == SHOWN_ESCAPES


_PROSE = {
    "texts": 9,
    "about_a_company": 3,
    "naming_it": 3,
    "replaced": {},
    "left_as_doubtful": {},
    "names_stated": {},
    "ordinary_names": 0,
    "not_replaceable": 0,
    "warnings": [],
}


def test_no_escape_is_said_in_words() -> None:
    """Nothing found is told as such."""
    assert "None of the names, codes and other identifiers that are searched for stands" in text_of(page(a_report()))
    searched = {"searched": {"terms": 3_412, "files": 2, "bytes": 71_000}}
    left = {"prose": {**_PROSE, "left_as_doubtful": {IN_PIECES: 2, MISSPELT: 1}}}
    text = text_of(page(a_report(LSD) | searched | left))
    assert "None of the 3,412 names, codes and other identifiers" in text
    assert "(2 files of data, 71,000 bytes, and all reports beside them)" in text
    assert "Not searched for: 3 doubtful places in texts left as they are, 2 of them codes in pieces" in text
    assert "Not searched for" not in text_of(page(a_report(LSD) | searched | {"prose": _PROSE}))


def test_what_attackers_who_know_the_code_find_has_its_section() -> None:
    """Their attacks stand under words of their own; telling members apart has no limit, and each company is tried twice."""
    found = Auc(
        attack="members told apart", knowledge="k", records=80, successes=50, chance=0.5, area=0.6, standard_error=0.04
    )
    entries = judged({ADAPTIVE: [found]}, GUARDED)
    report = privacy_report(entries, GUARDED, is_demonstration=False, anonymity=None, given_up=None)
    text = text_of(page(report | {"escapes": []}))
    assert FAMILIES[ADAPTIVE][0] in text
    assert "members told apart k 80 60.0% of pairs, the area under the curve (bound" in text
    assert "none reported only" in text
    assert "60.0% of pairs (area under the curve; guessing 50%); 40 companies, each tried twice" in text


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_every_policy_says_what_it_does_not_promise(policy: Policy) -> None:
    """Promise and its limits stand on the page for each policy there is."""
    text = text_of(page(a_report(policy)))
    assert f"What the policy “{policy.name}” promises" in text
    assert "Rows about companies stand in an order that says nothing." in text
    assert all(text.count(each) == 1 for sentences in promises_of(policy.name, {}) for each in sentences)


@pytest.mark.parametrize(
    ("treated", "expected"),
    [
        (
            {
                "kept, a quasi-identifier": ["sector", "city"],
                "redrawn within its year": ["founded"],
                "perturbed": ["staff"],
            },
            (
                "The leading digits of figures are real, short figures to the last digit, and so are sector, city and all "
                "years: whoever has these from elsewhere,"
            ),
        ),
        ({"kept, a quasi-identifier": ["<rig>"]}, "Real are <rig>: whoever has these"),
        (
            {"kept, a quasi-identifier": [f"c{i}" for i in range(14)]},
            f"Real are {', '.join(f'c{i}' for i in range(12))} and 2 more columns: whoever",
        ),
        ({"pseudonym": ["code"]}, "Not promised, or not hidden. Statistics of cells with one or two"),
        ({"prose, names in it replaced": ["note"]}, "are published. People and places that texts name,"),
    ],
    ids=["all", "columns alone", "many", "none", "texts"],
)
def test_what_is_not_promised_names_the_columns_that_there_are(
    treated: Mapping[str, Sequence[str]], expected: str
) -> None:
    """It speaks of no column, figure or text that a release does not have."""
    made = privacy_page(read(Privacy, a_report(LSD)), PageContext(**NAMES, treated={"firms": treated}))
    text = text_of(made)
    assert expected in text
    assert ("People and places" in text) is any("prose" in words for words in treated)
    assert "ownership, exchange" not in text


@pytest.mark.parametrize("policy", [LSD, GUARDED])
@pytest.mark.parametrize(
    ("treated", "expected"),
    [
        ({"redrawn within its year": ["opened"]}, {"dates"}),
        ({"drawn anew, year and day": ["opened"]}, {"dates"}),
        ({"derived; written anew": ["note"]}, {"written"}),
        ({"left blank": ["note"]}, {"written"}),
        ({"kept, public: a law": ["text"]}, {"stay as they are", "words of names"}),
        ({"perturbed": ["sales"]}, {"digits"}),
        ({"sampled, the year of the record": ["year"], "pseudonym": ["shop"]}, set()),
        ({"not declared": ["note"]}, {"digits", "dates", "written", "stay as they are", "words of names"}),
    ],
    ids=["dates", "sampled dates", "texts", "blank texts", "public", "figures", "none", "not declared"],
)
def test_what_is_promised_is_of_columns_that_there_are(
    policy: Policy, treated: Mapping[str, Sequence[str]], expected: set[str]
) -> None:
    """As what is not promised; of a column whose treatment nobody declared anything may be said."""
    said = " ".join(" ".join(each) for each in promises_of(policy.name, {"firms": treated}))
    of_policy = {
        "digits": "low digits",
        "dates": "Day and month of dates",
        "written": "Every text about",
        "stay as they are": "about no company",
        "words of names": "no gate searches for one word of a name",
    }
    found = {name for name, words in of_policy.items() if words in said}
    assert found == expected - ({"digits"} if policy is GUARDED else {"written", "stay as they are"})


def test_every_family_of_attacks_has_its_words() -> None:
    """Whatever family an attack is of, the page says what is counted."""
    named = {value for name, value in vars(limits).items() if name.isupper() and isinstance(value, str)}
    members = {NEAREST, DENSITY, TRACING, SECOND_MOMENTS}
    words = {REPORTED_ONLY, NOTHING_TO_TRY, TOO_FEW, limits.NOT_SHOWN, limits.BOUND, limits.CHANCE_IN_WORDS}
    assert named - members - {MAXIMA, UNCHANGED, ALONE} - words == set(FAMILIES)
    assert {CODES, LINKAGE, ORDER} < set(FAMILIES)


@pytest.mark.parametrize("report", [a_report(), a_report(LSD), a_report(escapes=3)])
def test_the_page_is_whole(report: dict[str, Any]) -> None:
    """Every element is closed, nothing is fetched, the same report gives the same bytes."""
    made = page(report)
    assert left_open(made) == []
    assert is_self_contained(made)
    assert made == page(report)


def test_names_are_shown_as_text() -> None:
    """Markup in titles, knowledge and columns is text; Chinese stays."""
    made = page(a_report()).decode()
    assert "R&amp;D &lt;b&gt;" in made
    assert "总资产 &amp; revenue" in made
