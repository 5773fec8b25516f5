"""`report.html`: the verdict first, a section for each report, nothing fetched, no text that breaks out, the same bytes."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.pages import left_open, text_of
from tests.unit.report import findings
from tests.unit.report.contradictions import HARD, cards_of
from tests.unit.report.findings import HOSTILE, a_test, an_attack, page, reports
from validation.attacks import limits
from validation.attacks.records.unchanged import UNCHANGED
from validation.report.documents.base import FRESH
from validation.report.head.completed import RawPlaces, completed
from validation.report.head.top import answers_of
from validation.report.labels import Labels
from validation.report.pages import as_released
from validation.report.sections.release import ReportedVariant

SECTIONS = ("ks", "beyond-ks", "consistency", "privacy", "noise", "ladder", "expectations", "provenance")


class _Structure(HTMLParser):
    """What a page consists of, text with its lines and marks and values of attributes apart."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("tspan", "mark", "bdi"):
            self.found.append((tag, tuple(name for name, _ in attrs)))


def structure(made: bytes) -> list[tuple[str, tuple[str, ...]]]:
    parser = _Structure()
    parser.feed(made.decode())
    return parser.found


def named(text: str) -> bytes:
    """Return the page of a variant in which everything that has a name has this one."""
    tests = [a_test(measure=text, group=text, year=year) for year in (2020, 2021)]
    rule = findings.noise()["rules"][0] | {"rule": text, "table": text, "column": text}
    return page(
        reports(
            ks=findings.ks(*tests, too_small=[], multiplicity=text),
            distributions=findings.distributions(*tests),
            curves=None,
            privacy=findings.privacy(summary=text, attacks=[an_attack(attack=text, knowledge=text, detail="." + text)]),
            noise=findings.noise(rules=[rule]),
            expectations=findings.expectations(
                passed=False, failed=[{"table": text, "column": text, "expectation": text, "observed": text}]
            ),
        )
        | {"curves": findings.curves() | {"curves": [None, None]}},
        title=text,
        industries={text: text},
    )


def test_measures_that_are_the_originals_stand_in_the_first_lines() -> None:
    """Before any section the curator reads how many measures came out as they were, and which."""
    found = an_attack(
        attack=UNCHANGED, family="copies", records=10, successes=7, detail="Figures as they were: staff 9 of 9."
    )
    text = text_of(page(reports(privacy=findings.privacy(attacks=[found, an_attack()]))))
    told = "In 7 of 10 measures many figures are the originals to the last digit."
    assert 0 < text.index(told) < text.index("What was checked before publishing")
    assert "measures are the originals" not in text_of(page(reports()))


@pytest.mark.parametrize("anchor", SECTIONS)
def test_every_section_is_there_and_linked(anchor: str) -> None:
    """Each section has a heading, stands once, and the contents lead to it."""
    made = page(reports()).decode()
    assert made.count(f'<section id="{anchor}"') == 1
    assert f'href="#{anchor}"' in made


def test_page_states_the_verdict_before_anything_else() -> None:
    """A gate that failed makes the page fail, in the first sentence, by its question."""
    failed = text_of(page(reports()))
    passed = text_of(page(reports(ks=findings.ks(passed=True))))
    assert failed.index(
        "Refused, nothing published Too many distributions of figures differ from their counterparts"
    ) < failed.index("Faithful to")
    assert "Built as promised: no. 9 of 10 gates hold, 1 failed." in failed
    assert passed.index("Built as promised: yes. 10 of 10 gates hold.") < passed.index(
        "What was checked before publishing"
    )
    assert "Refused" not in passed


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("ks", findings.ks()),
        ("distributions", findings.distributions() | {"passed": False}),
        ("consistency", findings.consistency(passed=False)),
        ("privacy", findings.privacy(attacks=[an_attack(passed=False, limit="15%")])),
        ("privacy", findings.privacy(escapes=[{"file": "a.csv", "row": 1, "column": "c", "kind": "name", "rows": 1}])),
        ("noise", findings.noise(cleaner=findings.noise()["cleaner"] | {"passed": False})),
        ("noise", findings.noise(filters=[findings.a_filter(passed=False)])),
        ("expectations", findings.expectations(passed=False)),
        ("expectations", findings.expectations(rules=[{**findings.expectations()["rules"][0], "passed": False}])),
    ],
)
def test_each_report_can_make_the_page_fail(name: str, report: dict[str, Any]) -> None:
    """Exactly the gate of the report that failed is named."""
    made = text_of(page(reports(ks=findings.ks(passed=True)) | {name: report}))
    assert "Built as promised: no. 9 of 10 gates hold, 1 failed." in made
    assert made.partition("Faithful to")[0].count("Likely cause.") == 1


NO_TESTS = {
    "smallest_p_value": None,
    "smallest_p_holm": None,
    "largest_statistic": None,
    "median_detectable_shift": None,
}
NO_SAMPLES = {"samples": 0, "equivalent": 0, "undecided": 0, "different": 0}
NO_CELLS = {"aggregates": [], "identities": [], "totals": [], "chain": []}


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("ks", findings.ks(tests=[], rejected=0, passed=True, **NO_TESTS)),
        ("distributions", findings.distributions() | {"judged": findings.distributions()["judged"] | NO_SAMPLES}),
        ("consistency", findings.consistency(**NO_CELLS)),
        ("expectations", findings.expectations(tables=[], expectations=0, met=0)),
    ],
)
def test_what_has_nothing_to_compare_has_not_passed(name: str, report: dict[str, Any]) -> None:
    """Its gate says so, in the table and in the first sentence; one that failed on nothing has failed all the same."""
    made = text_of(page(reports(ks=findings.ks(passed=True)) | {name: report}))
    assert "Built as promised: as far as it could be tried. 9 of 10 gates hold, 1 had too little to compare." in made
    assert "nothing to compare" in made
    failed = text_of(page(reports(ks=findings.ks(passed=True)) | {name: report | {"passed": False}}))
    assert "Built as promised: no. 9 of 10 gates hold, 1 failed." in failed


def test_parts_of_consistency_that_compare_nothing_have_not_passed() -> None:
    """A total, a link, a structure and an identity over no cell, and a suite without expectations."""
    part = findings.consistency()
    empty = {name: [part[name][0] | {"cells": 0, "disagreeing": 0}] for name in ("totals", "chain")}
    empty["structures"] = [part["structures"][0] | {"cells": 0}]
    identity = [part["identities"][0] | {"records": 0}]
    table = [findings.expectations()["tables"][0] | {"expectations": 0, "met": 0}]
    made = reports(
        ks=findings.ks(passed=True),
        consistency=findings.consistency(**empty, identities=identity),
        expectations=findings.expectations(tables=table),
    )
    assert text_of(page(made)).count("nothing to compare") == 5


def test_without_figures_their_gate_has_nothing_to_compare() -> None:
    """It is told, and not counted among those that hold."""
    made = {name: report for name, report in reports().items() if name not in {"ks", "distributions", "curves"}}
    without = text_of(page(made, has_figures=False))
    assert "8 of 9 gates hold, 1 had too little to compare." in without
    assert without.count("nothing to compare") == 3  # the row's verdict and figure, and the section


def test_one_sentence_on_promises_has_one_tone() -> None:
    """What could not be tried is grey, whatever it is of; a plain yes is green, and what a person should look at is amber."""
    few = findings.noise(filters=[findings.a_filter(upper_95=0.9)])
    nothing = findings.ks(tests=[], rejected=0, passed=True, **NO_TESTS)
    kept = findings.ks(passed=True)
    for ks, noise in ((kept, few), (nothing, few), (nothing, findings.noise())):
        made = page(reports(ks=ks, noise=noise))
        assert "Built as promised: as far as it could be tried. " in text_of(made)
        assert b'<p class="promised measure">' in made
    assert b'<p class="promised good">' in page(reports(ks=kept))
    doubtful = findings.noise(is_blocking=False, filters=[findings.a_filter(passed=False)])
    assert b'<p class="promised careful">' in page(reports(ks=kept, noise=doubtful))


@pytest.mark.parametrize(
    ("shift", "equivalent", "tone", "answer"),
    [
        (0.8, 3, "good", "Yes"),
        (1.8, 3, "careful", "Yes, as far as so few figures can show"),
        (None, 3, "careful", "Yes, as far as so few figures can show"),
        (1.8, 6, "good", "Yes"),
    ],
)
def test_tests_of_few_figures_are_no_plain_yes(shift: float | None, equivalent: int, tone: str, answer: str) -> None:
    """If half of them miss even a large shift, "Yes" says so, unless every sample is shown to be equivalent."""
    alike = [test | {"p_value": 0.9, "p_holm": 1.0} for test in findings.TESTS]
    shapes = findings.distributions()
    counts = {"samples": 6, "equivalent": equivalent, "undecided": 6 - equivalent, "different": 0}
    made = reports(
        ks=findings.ks(*alike, passed=True, rejected=0, median_detectable_shift=shift),
        distributions=shapes | {"judged": shapes["judged"] | counts},
    )
    card = cards_of(page(made).decode())["Faithful"]
    assert (card.tone, card.answer) == (tone, answer)


def test_wide_limits_are_explained_where_records_are_sampled() -> None:
    """Once, below the gates: the limits as they are judged."""
    wide = "Why these limits."
    made = text_of(page(reports(ks=findings.ks(passed=True)), manifest=findings.manifest(policy="guarded")))
    assert made.count(wide) == 1
    assert "15% may. Of comparisons of large samples 20% may show a difference." in made
    assert (
        "3 points more may be guessed than without the company, and the 95% bound of that may be 4 points. Where few"
        in made
    )
    assert wide not in text_of(page(reports(ks=findings.ks(passed=True))))


def test_a_sample_that_is_tested_twice_counts_once() -> None:
    """An industry whose only sub-industry has its name is one sample, and every count of tests says how many there are."""
    twice = (findings.TESTS[0], findings.TESTS[0] | {"level": "industry"}, findings.TESTS[1])
    ks = findings.ks(*twice, passed=True, rejected=0)
    made = text_of(page(reports(ks=ks)))
    assert "0 of 3 KS tests (2 different samples) rejected" in made
    assert "0 of 3 tests (2 different samples) find a difference" in made
    assert "None of 3 tests (2 different samples) finds a difference" in made
    assert "tested as both: 2 different samples in all." in made
    assert "different sample" not in text_of(page(reports(ks=findings.ks(passed=True, rejected=0))))


def test_noise_of_a_users_own_is_to_be_looked_at() -> None:
    """What the cleaner cannot mend of noise that is not the environment's own stops nothing, and the page says so."""
    noise = findings.noise(is_blocking=False, cleaner=findings.noise()["cleaner"] | {"passed": False})
    made = text_of(page(reports(ks=findings.ks(passed=True), noise=noise)))
    assert "9 of 10 gates hold, 1 thing to look at." in made
    assert "Look at this: The reference cleaner misses too much, or breaks something else: 8 of" in made
    assert "Refused" not in made


def test_what_does_not_stop_publishing_is_to_be_looked_at() -> None:
    """Under a policy that samples records, samples not shown to be equivalent are told, and the page does not fail for them."""
    ks = findings.ks(passed=True, rejected=0)
    shapes = findings.distributions()
    few = {"passed": False, "equivalent": 2, "undecided": 3, "met": {"shift": 2}}
    made = reports(ks=ks, distributions=shapes | {"passed": False, "judged": shapes["judged"] | few})
    text = text_of(page(made, manifest=findings.manifest(policy="guarded")))
    assert (
        "Partly: too few comparisons show likeness in size, spread or tails "
        "Too few comparisons show likeness in size, spread or tails: "
        "0 of 5 comparisons show a difference (none may), 2 show equivalence; 2 within the margin of shift (3 should be). "
        "No build is refused for it. "
        "0 of 6 tests find a difference; half of the tests may miss "
        "a shift of less than 0.8 standard deviations. For “Yes”, everything must be compared, nothing may "
        "differ by more than chance, and every aggregate that is off must keep a limit. "
        "Evidence: Size, spread, tails , Distributions" in text
    )
    assert "LOOK AT IT" in text
    free = "“Few comparisons with the originals show a difference in size, spread or tails”"
    assert f"A gate that fails stops publishing. Not so {free}: where it does not hold, a person looks at it." in text


@pytest.mark.parametrize("absent", ["ks", "distributions", "curves", "consistency", "privacy", "noise", "expectations"])
def test_absent_report_leaves_a_sentence(absent: str) -> None:
    """A page can be made without any one report, and says what is not there."""
    made = {name: report for name, report in reports().items() if name != absent}
    whole = page(made)
    assert not left_open(whole)
    assert absent == "curves" or f"There is no {absent}.json beside this page" in text_of(whole)


@pytest.mark.parametrize(
    ("changes", "which", "answer"),
    [
        ({}, "", "as far as is shown here"),
        (
            {"compared_with": FRESH},
            " whose outcome may be published",
            "as far as may be published and is shown here",
        ),
    ],
)
def test_a_page_that_hides_noise_says_so(changes: dict[str, str], which: str, answer: str) -> None:
    """In place of what it would say of the noise; what would show it has no place there. It claims no gate that it hides."""
    made = {name: reports()[name] for name in ("ks", "distributions", "consistency", "privacy")}
    made["ks"] = findings.ks(passed=True) | changes
    whole = page(made, hides_noise=True)
    assert cards_of(whole.decode())[HARD].answer == "Not disclosed"
    assert b'aria-label="Evidence: Noise"' not in whole  # nothing stands there
    text = text_of(whole)
    assert f"Counted here: gates before noise{which}; the makers alone know what others found." in text
    assert f"Built as promised: {answer}." in text
    told = answers_of(
        findings.typed(made), ReportedVariant(**findings.NAMES, manifest=findings.manifest(), hides_noise=True)
    )
    assert told["Built as promised?"].startswith(f"{answer}: ")
    assert '<p class="promised measure">' in whole.decode()
    assert "json beside this page" not in text
    assert {"The data", "The ladder", "Expectations"}.isdisjoint(re.findall(r"<h2>(.*?)</h2>", whole.decode()))


def test_the_curators_page_has_no_place_for_tables() -> None:
    """Under a policy that samples records, it stands apart from the variants, and leads to them unless they are refused."""
    made = {name: report for name, report in reports().items() if name not in {"profile", "expectations"}}
    kept, refused = (
        page(made | {"ks": findings.ks(passed=passed)}, variant="clean", manifest=findings.manifest(policy="guarded"))
        for passed in (True, False)
    )
    pages = [f"../../{variant}/reports/report.html" for variant in ("noisy", "clean")]
    assert re.findall('href="(.*?/report.html)"', kept.decode()) == pages
    assert ["What to do next" in each.decode() for each in (kept, refused)] == [True, False]
    text = text_of(refused)
    assert "<stalls> for the curator alone: compared with the originals policy guarded" in text
    assert "json beside this page" not in text
    assert "The data" not in text


def test_page_of_a_build_that_made_few_reports() -> None:
    """What a build did not make is said to be absent, in its place, and so is a part of a report."""
    made = reports(noise={k: v for k, v in findings.noise().items() if k not in {"examples", "ladder"}})
    text = text_of(page({name: made[name] for name in ("ks", "privacy", "noise")}))
    assert "There is no consistency.json beside this page." in text
    assert "There is no expectations.json beside this page." in text
    assert "This build tells of no ladder" in text
    assert "An example of each rule" not in text


def test_clean_variant_says_that_it_has_no_noise() -> None:
    """Without rules there are neither kinds nor a ladder, and no gate on noise."""
    text = text_of(page(reports(noise={"rules": []}), variant="clean"))
    assert "No noise: the tables stand as they were rendered." in text
    assert "Without noise there is nothing to mend" in text
    assert "What is recoverable can be mended" not in text
    assert "Not at all: no noise" in text


REAL = findings.manifest(source="user tables", is_demonstration_key=False)
KEPT = findings.privacy()["attacks"][-1]


NO_MORE = "no attack names more owners than guessing"
KEPT_BY_ALL = "every attack on owners keeps its limit"
GUESSED = (
    "Yes, if it may be known who is in the data: no attack names more owners than guessing "
    "The most successful of 2 attacks on owners names the right company for 1 of 80 records (1.2%). Guessing finds 1.2%, "
    "and 1 or more with a probability of 0.63. The least likely of all 2 results has 0.63; "
    "that of 2 independent guesses would be about 0.33"
)


@pytest.mark.parametrize(
    ("policy", "rate", "tone", "words"),
    [
        (
            "lsd",
            1.0,
            "bad",
            "No: companies can be found again The best attack names the right company for all 80 records that it was tried on.",
        ),
        (
            "lsd",
            0.25,
            "bad",
            "No: companies can be found again The best attack names the right company for 20 of 80 records (25.0%). Guessing",
        ),
        (
            "lsd",
            0.025,
            "careful",
            "Unknown: too few records to tell whether companies can be found again The best attack",
        ),
        (
            "lsd",
            0.0125,
            "careful",
            f"{GUESSED}. Not promised",
        ),
        (
            "guarded",
            0.0125,
            "careful",
            f"{GUESSED.replace('on owners', 'on owners, within its limit,', 1).replace(NO_MORE, KEPT_BY_ALL)}. Not promised",
        ),
        (
            "guarded",
            0.075,
            "careful",
            "Unknown: an attack names more owners than chance explains, though within its limit The most successful of 2",
        ),
    ],
)
def test_safe_is_another_thing_than_as_promised(policy: str, rate: float, tone: str, words: str) -> None:
    """What an outsider finds decides, whatever the policy allows; every gate holds in all of these."""
    limit = "reported only" if policy == "lsd" else "no better than guessing"
    found = findings.privacy(
        policy=policy, attacks=[an_attack(rate=rate, successes=round(80 * rate), limit=limit), KEPT]
    )
    made = page(reports(ks=findings.ks(passed=True), privacy=found), manifest=REAL | {"policy": policy})
    assert re.search(rf'card {tone}"[^>]*>\s*<h2[^>]*>Safe to publish\?</h2>', made.decode())
    assert words in text_of(made)
    assert "Built as promised: yes. 10 of 10 gates hold." in text_of(made)
    assert ("do not publish this" in text_of(made)) == (tone == "bad")


def test_of_a_bound_alone_a_number_says_what_would_show_it() -> None:
    """At the same rate a bound half as wide needs four times as many; a check, which tries less, is no answer to that."""
    found = {"rate": 0.02, "family": limits.ADAPTIVE, "limit": "at most 3%, upper bound at most 4%", "passed": False}
    near, far = an_attack(**found, upper_95=0.05, standard_error=0.02), an_attack(**found, upper_95=0.0601)
    manifest = REAL | {"policy": "guarded"}
    for attacks, many in (([near], "2.3 times as many"), ([near, far], "4.1 times as many tries")):
        over = findings.privacy(policy="guarded", attacks=[*attacks, KEPT])
        made = page(reports(ks=findings.ks(passed=True), privacy=over), manifest=manifest)
        shown = f"about {many} would show that the limit is kept, at this rate"
        mended = f"Give more companies ({shown}), declare larger groups, or leave out a measure"
        assert f"guessed at that the bound is wide. {mended}. Another key is no answer" in text_of(made)
        assert f"Next. {mended}, then build again" in text_of(made)
    for beyond in ({"rate": 0.031}, {"family": limits.FILTERS}):
        over = findings.privacy(policy="guarded", attacks=[near, an_attack(**found | beyond, upper_95=0.06)])
        told = text_of(page(reports(ks=findings.ks(passed=True), privacy=over), manifest=manifest))
        assert "times as many" not in told
        assert ("The same build is refused again; see what may help" in told) == ("rate" in beyond)


@pytest.mark.parametrize(
    ("policy", "family", "is_tried"),
    [("guarded", limits.ADAPTIVE, True), ("guarded", limits.ORDER, False), ("lsd", limits.ORDER, False)],
)
def test_of_a_build_that_attacks_refuse_the_same_is_no_next_step(policy: str, family: str, *, is_tried: bool) -> None:
    """Where the same bytes are refused again and a check tries what may help, that is next, as it runs; else the build is."""
    over = findings.privacy(policy=policy, attacks=[an_attack(passed=False, family=family, limit="no success"), KEPT])
    made = page(reports(ks=findings.ks(passed=True), privacy=over), manifest=REAL | {"policy": policy})
    trial = "silt check --environment shops.py:SHOPS --raw shops --noise shops.yaml --policy guarded"
    for added, said in (("", "."), ("--out other", "; add --out other .")):
        done = completed(
            made.decode(), build="silt build", trial=trial, added=added, raw=RawPlaces(), stands=""
        ).encode()
        following = text_of(done).partition("Next.")[2].partition("Run it where the build was run.")[0]
        same = f"The same build is refused again; see what may help: {trial} It prints the build that follows, if one may pass"
        same += said
        assert following.strip() == (same if is_tried else "Mend the cause, then build again. silt build")


def test_of_statistics_of_aggregates_alone_the_remedy_is_next() -> None:
    """A check draws under other keys: it may pass where the same build is refused again."""
    free = findings.consistency()
    free["aggregates"] = [
        each | {"bounded_cells": 0, "bound": None, "ks_p_value": 0.001} for each in free["aggregates"]
    ]
    free["structures"] = [each | {"is_judged": False} for each in free["structures"]]
    made = page(reports(ks=findings.ks(passed=True), consistency=free), manifest=REAL | {"policy": "guarded"})
    done = completed(made.decode(), build="silt build", trial="silt check", raw=RawPlaces(), stands="").encode()
    assert "2 of 2 that are judged, at most 1: those of revenue " in text_of(done)
    assert "statistics of aggregates differ in distribution (1 allowed), those of revenue. " in text_of(done)
    following = text_of(done).partition("Next.")[2].partition("Run it where the build was run.")[0]
    assert following.strip().startswith("Give a larger --budget (a build shows whether it is enough), declare coarser")
    assert following.strip().endswith("or leave a measure out, then build again. silt build")


def test_the_attack_on_membership_is_named_with_its_counts() -> None:
    """The card says which attack recognises members best, and that a build does not try the strongest."""
    found = an_attack(attack="membership by means", rate=0.65, chance=0.5, successes=52, area=0.65, standard_error=0.03)
    text = text_of(page(reports(privacy=findings.privacy(attacks=[found, KEPT]))))
    assert (
        "the best that a build tries, membership by means, tells a company that is in from one that is not in 65.0% of pairs; "
        "guessing in 50%; silt audit tries harder and may find more; Silt's docs/privacy.md has stronger attacks"
        in text
    )


ALIKE = {"ks": findings.ks(passed=True, rejected=0, too_small=[])}
CELLS = findings.consistency()["structures"][0] | {"missing": 2, "extra": 1, "changed": 3}
NONE_JUDGED = findings.distributions()["judged"] | {"fewest": 30, "samples": 0, "equivalent": 0, "undecided": 0}


@pytest.mark.parametrize(
    ("changes", "tone", "words"),
    [
        (
            {},
            "good",
            (
                "Figures are shown to be equivalent in 3 of 5 comparisons, to differ in 0, and undecided in 2. "
                "0 of 6 tests find a difference; half of the tests may miss"
            ),
        ),
        (
            {"ks": None},
            "careful",
            "Partly: not everything was compared Not compared: distributions. Figures are shown to be equivalent in 3 of 5",
        ),
        ({"distributions": None}, "careful", "Not compared: size, spread and tails."),
        (
            {"distributions": findings.distributions() | {"judged": NONE_JUDGED}},
            "careful",
            "Not compared: size, spread and tails (no group has 30 companies that report a measure).",
        ),
        ({"consistency": findings.consistency(**NO_CELLS)}, "careful", "totals and identities."),
        (
            {"consistency": findings.consistency(structures=[CELLS | {"is_judged": False}])},
            "careful",
            "Of 9 rows of aggregates 2 are missing, 3 have another number of companies, 1 are new. ",
        ),
    ],
)
def test_yes_stands_only_where_all_was_compared_and_nothing_differs(
    changes: dict[str, Any], tone: str, words: str
) -> None:
    """What was not compared, and what differs without being judged, is told instead."""
    made = page({name: report for name, report in reports(**(ALIKE | changes)).items() if report is not None})
    assert re.search(rf'card {tone}"[^>]*>\s*<h2[^>]*>Faithful to the originals\?</h2>', made.decode())
    assert words in text_of(made)


def test_sentences_of_likeness_are_their_counts() -> None:
    """Chance is named where it explains rejections, and aggregates agree only where some have a limit."""
    ks = findings.ks(passed=True, rejected=497, allowed=820)
    told = text_of(page(reports(ks=ks)))
    assert (
        "497 of 6 tests find a difference; chance alone would give at most about 0; half of the tests may miss a shift"
        in told
    )
    assert "1 comparison of too few figures for a test." in told
    assert (
        "0 of 2 statistics of aggregates differ in distribution. All 90 cells of aggregates with a limit keep it, give or take "
        "one unit of the last digit." in told
    )
    assert "3 of 3 identities, totals and links between tables hold." in told
    unbounded = [entry | {"bound": None, "bounded_cells": 0} for entry in findings.consistency()["aggregates"]]
    far = [unbounded[0] | {"max_offset": 240_000.0}, unbounded[1]]
    told = text_of(page(reports(ks=findings.ks(passed=True), consistency=findings.consistency(aggregates=far))))
    assert "with a limit keep it" not in told
    assert (
        "90 of 90 aggregates (100%) are off by at most 10%; the worst, mean of “revenue”, national, by 240,000 times its value "
        "in the originals, which is near 0 beside the one here; 90 have no limit beyond which a build is refused."
        in told
    )
    assert (
        "“Yes” cannot be reached here: it needs a limit for every aggregate that is off, and no aggregate has one. Evidence: "
        in told
    )
    assert "Evidence: Consistency , Distributions" in told
    assert "cells without a limit 90 " in told
    without = [entry | {"bounded_cells": 0} for entry in findings.consistency()["aggregates"]]
    shown = text_of(page(reports(consistency=findings.consistency(aggregates=without))))
    assert "national mean revenue 45 -0.001 45 0.0086 0 0 0.999" in shown
    assert (
        "Partly: aggregates are off by up to 240,000 times (without a limit: 90 of 90); distributions differ by more than "
        "chance 90 of 90 " in told
    )
    little = findings.consistency(aggregates=[without[0] | {"max_offset": 0.0}])
    assert "revenue 45 -0.001 45 below 0.005 0" in text_of(page(reports(consistency=little)))
    near, within = unbounded[0] | {"max_offset": 0.01}, findings.consistency()["aggregates"][1] | {"max_offset": -0.05}
    told = text_of(
        page(reports(ks=findings.ks(passed=True), consistency=findings.consistency(aggregates=[near, within])))
    )
    assert "Partly: aggregates are off by up to 5% (without a limit: 45 of 90); distributions" in told
    assert "the worst, max of “revenue”, national, by 5% of its value" in told
    over = [findings.consistency()["aggregates"][0] | {"max_offset": 0.06, "outside": 1}]
    told = text_of(page(reports(consistency=findings.consistency(aggregates=over, passed=False))))
    assert "off by 6%, at most 1%" in told
    far[0] |= {"near": 44}
    told = text_of(page(reports(ks=findings.ks(passed=True), consistency=findings.consistency(aggregates=far))))
    assert (
        "Partly: 1.1% of 90 aggregates are off by more than 10%; distributions differ by more than chance 89 of 90 "
        in told
    )
    limited = {"bound": 0.1, "bounded_cells": unbounded[1]["cells"], "near": unbounded[1]["cells"] - 2}
    small = [unbounded[0], unbounded[1] | limited]
    told = text_of(page(reports(ks=findings.ks(passed=True), consistency=findings.consistency(aggregates=small))))
    assert (
        "All 45 cells of aggregates with a limit keep it, give or take one unit of the last digit; 2 of them are off by more "
        "than 10% by that unit (max of revenue); 45 have no limit." in told
    )
    fresh = {"compared_with": "fresh draws from the published statistics"}
    drawn = {"ks": findings.ks(passed=True) | fresh, "consistency": findings.consistency(aggregates=far) | fresh}
    shapes = findings.distributions() | fresh
    shapes["judged"] |= {"different": 1, "allowed": 1}
    built = page(reports(**drawn, distributions=shapes))
    made, released = built.decode(), as_released(built).decode()
    assert "comparison in <code>curator/reports/report.html</code>" in made
    assert "curator/" not in released
    assert "The makers hold a comparison with the originals, which is not published" in released
    card = made.partition("Would another draw look alike?")[2].partition("Why, and what else")[0]
    assert "1.1% of 90 aggregates are off by more than 10%" in card
    assert 'href="#consistency"' in card


def test_a_page_of_a_release_speaks_to_its_readers() -> None:
    """What its makers do is left out, and who verifies or rebuilds it finds where that is said."""
    built = page(reports(ks=findings.ks(passed=True)))
    made, released = built.decode(), as_released(built).decode()
    of_makers = ("What to do next", "Make it again", "Run commands", "<span>silt</span> <span>build</span>")
    assert [(each in made, each in released) for each in of_makers] == [(True, False)] * len(of_makers)
    of_both = ("<code>sha256sum FILE</code> compares", "<code>silt diff OLD NEW</code>")
    assert [(made.count(each), released.count(each)) for each in of_both] == [(1, 1), (1, 1)]
    assert "<code>silt verify</code> checks the release" in released


def test_structure_that_is_not_judged_is_told() -> None:
    """The page does not call it failed where no gate does."""
    cells = [CELLS | {"is_judged": is_judged} for is_judged in (True, False)]
    made = [findings.consistency(structures=[each], totals=[]) for each in cells]
    failed, told = (text_of(page(reports(ks=findings.ks(passed=True), consistency=each))) for each in made)
    assert failed.count("FAILED") == told.count("FAILED") + 1
    assert "Which cells there are, and how many companies each counts, is reported only" in told


@pytest.mark.parametrize(
    ("attacks", "words"),
    [
        (
            [an_attack(limit="no success", rate=0.0, successes=0)],
            "Yes, if it may be known who is in the data: every attack on owners keeps its limit",
        ),
        ([an_attack(family="codes", limit="no success", rate=0.0)], "Unknown: nobody looked for owners"),
        ([an_attack(limit="no success", records=0, passed=None)], "Unknown: nobody looked for owners"),
        (
            [an_attack(limit="no success", rate=0.0), an_attack(passed=False, limit="no success")],
            "No An outsider finds more than",
        ),
    ],
)
def test_outsiders_can_only_guess_if_owners_were_sought_and_every_limit_kept(
    attacks: list[dict[str, Any]], words: str
) -> None:
    """And what is not promised stands beside it."""
    found = findings.privacy(policy="guarded", attacks=attacks)
    # Of a refused build the line of a fold names the questions before.
    told = text_of(page(reports(privacy=found), manifest=REAL | {"policy": "guarded"})).rpartition("Safe to publish?")[
        2
    ]
    assert told.lstrip(" ✓!✗").startswith(words)
    assert ". Not promised: that nobody learns whether a company is among" in told


def test_invented_originals_need_no_protection() -> None:
    """A demonstration is safe, and says what the policy would do to real companies."""
    made = text_of(page(reports(ks=findings.ks(passed=True))))
    assert (
        "Yes, but only because the originals are invented The best attack names the right company for 20 of 80 "
        "records (25.0%). Guessing finds 1.2%. Not promised: that nobody learns which company is which, or whether one is "
        "among the originals. With real originals the answer would be “No: companies can be found again”. None of the "
        "names, codes and other identifiers that are searched for stands in any file." in made
    )


@pytest.mark.parametrize(
    ("short", "said"),
    [
        (0, "searched for stands in any file."),
        (1, "; 1 more, too short or ordinary to be recognised in texts, is searched for in columns of codes only."),
        (3, "; 3 more, too short or ordinary to be recognised in texts, are searched for in columns of codes only."),
    ],
)
def test_what_texts_are_not_searched_for_is_counted_on_the_first_screen(short: int, said: str) -> None:
    """Short codes are none of those of which none stands in any file."""
    privacy = findings.privacy() | {"not_searched": {"short": short, "numbers": 0, "ordinary": 0}}
    verdicts = text_of(page(reports(privacy=privacy))).partition("Built as promised")[0]
    assert said in verdicts
    assert ("more, too short" in verdicts) is (short > 0)


def test_first_screen_says_what_it_is() -> None:
    """Tables, records, companies, periods; without a manifest's files the suites tell the sizes."""
    size, kept = (
        "36 records on 80 companies in 1 table, companies' figures from 2020 to 2022",
        reports(ks=findings.ks(passed=True)),
    )
    for files in ({}, {"files": []}):
        about = f"{size}: pseudonymised, and noisy on purpose. The first two answers are of the tables before noise."
        assert about in text_of(page(kept, companies=80, manifest=findings.manifest(**files)))
    (table,) = findings.manifest()["files"]
    files = [table, *(table | {"path": path, "records": None} for path in ("database/names.json", "ideal/shops.csv"))]
    profile = findings.profile()
    profile["tables"].append(profile["tables"][0] | {"table": "names", "file": "database/names.json", "records": 12})
    of_all = (
        "36 records in 1 table, 12 records in 1 list, companies' figures from 2020 to 2022, and 1 wide file in ideal/"
    )
    assert f"{of_all}: pseudo" in text_of(page(kept | {"profile": profile}, manifest=findings.manifest(files=files)))
    assert "pseudonymised, without noise." in text_of(page(kept | {"noise": {"rules": []}}, variant="clean"))
    assert "sampled, and noisy on purpose." in text_of(page(kept, manifest=findings.manifest(policy="guarded")))
    assert f"{size}: not fit to publish." in text_of(page(reports(), companies=80))
    columns = [
        findings.a_column(column=name, missing=missing) for name, missing in (("town", 2), ("zip", 1), ("since", 4))
    ]
    half = kept | {"profile": findings.profile(columns=columns)}
    blank = "Mostly or all blank: shops.town, shops.since (the policy leaves prose blank, and values that few share)."
    assert f"before noise. {blank}" in text_of(page(half, manifest=findings.manifest(policy="guarded")))
    assert blank not in text_of(page(half))


@pytest.mark.parametrize("variant", ["noisy", "clean"])
def test_without_rules_only_the_clean_variant_has_gold_answers(variant: str) -> None:
    """A specification may have no rules; its noisy variant is still what an agent gets."""
    made = text_of(page(reports(ks=findings.ks(passed=True), noise={"rules": []}), variant=variant))
    assert "Not at all: no noise" in made
    assert ("gold answers are computed here" in made) is ("Compute gold answers" in made) is (variant == "clean")
    assert ("The specification has no rules." in made) is ("Give your own agent" in made) is (variant == "noisy")


def test_what_failed_stands_first_everywhere() -> None:
    """The gate, and in its table the row, come before those that passed; the worst is drawn against its limit."""
    attacks = [
        an_attack(),
        an_attack(attack="names", family="names", rate=0.5, limit="no better than guessing", passed=False)
        | {"successes": 40, "highest_kept": 0.0625},
    ]
    made = page(reports(ks=findings.ks(passed=True), privacy=findings.privacy(passed=False, attacks=attacks)))
    text = text_of(made)
    found = "names, knowing revenue: found 40 of 80 (50.0%); guessing 1.2%; allowed: no better than guessing"
    assert f"{found}. With as many tries, 6.2% or less would pass" in text
    assert made.count(b'class="against"') == 1
    asked = b"Of what is refused: Faithful to the originals? Safe to publish? How hard?"
    assert asked + b'</summary>\n<div class="verdicts">' in made
    passed = text_of(page(reports(ks=findings.ks(passed=True))))
    for said in ("Of what is refused", "These answers may change once the cause is mended."):
        assert (said in text, said in passed) == (True, False)
    gates = text.partition("What was checked before publishing")[2]
    assert gates.index("An outsider finds no more") < gates.index("Figures have the distributions")


def test_all_attacks_over_their_limit_are_named_with_what_to_do() -> None:
    """The farthest first, as many as there is room for; each family's cause once; and no bar where nothing is allowed."""
    over = {"family": "order", "limit": "no success", "highest_kept": 0.0, "passed": False}
    attacks = [an_attack(attack=f"order {rate}", rate=rate / 10, **over) for rate in range(1, 7)]
    attacks.append(an_attack(family=limits.ADAPTIVE, attack="inferred", passed=False) | {"highest_kept": 0.06})
    made = page(reports(ks=findings.ks(passed=True), privacy=findings.privacy(passed=False, attacks=attacks)))
    banner = text_of(made).partition("What was checked before publishing")[0]
    named = re.findall(r"(order \d|inferred), knowing revenue: found", banner)
    assert named == ["order 6", "order 5", "order 4", "order 3", "order 2"]
    assert "2 more stand in the section." in banner
    assert (banner.count("Chance does this to about 1 table in 1,000"), banner.count("declare larger groups")) == (1, 1)
    trial = "silt check --environment shops.py:SHOPS --raw shops --policy guarded"
    done = text_of(completed(made.decode(), build="", trial=trial, raw=RawPlaces(), stands="").encode())
    assert f"leave out a measure. {trial} tries whether another --budget helps. Another key is no answer" in done
    assert b'class="against"' not in made


_AT_MOST = {"limit": "at most 3%, upper bound at most 4%", "passed": False}
_GAIN = _AT_MOST | {"records": 212, "successes": 7, "chance": 5 / 212, "rate": 2 / 212, "standard_error": 0.02}


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (
            _GAIN | {"upper_95": 0.042, "highest_kept": 0.005},
            (
                "found 7 of 212 with the company, 5 without it: +0.9 points (+3.0 allowed). But so few guesses leave room for "
                "+4.2 points (95% bound; +4.0 allowed). With as many guesses, +0.5 points or less would pass"
            ),
        ),
        (
            _AT_MOST | {"successes": 10, "rate": 0.125, "upper_95": 0.2, "highest_kept": None},
            "found 10 of 80 (12.5%); guessing 1.2% (3.0% allowed). It may be 20.0% (95% bound; 4.0% allowed)",
        ),
        (
            _AT_MOST | {"successes": 0, "rate": 0.0, "upper_95": 0.0402, "highest_kept": None},
            (
                "found 0 of 80 (0%); guessing 1.2% (3.0% allowed). But so few tries leave room for just over 4.0% "
                "(95% bound; 4.0% allowed)"
            ),
        ),
    ],
)
def test_what_was_found_is_said_and_which_limit_it_exceeds(attack: dict[str, Any], said: str) -> None:
    """Of a limit of the rate and one of its bound, the one that is exceeded, or both; its bound alone is of too few tries."""
    made = page(reports(privacy=findings.privacy(passed=False, attacks=[an_attack(**attack)])))
    text = text_of(made)
    assert f"nearest neighbour, knowing revenue: {said}" in text
    unproven = f"No It cannot be ruled out that an outsider finds more than the policy allows: {said}"
    assert (unproven in text) == (". But so few" in said)
    assert ("No An outsider finds more than the policy allows" in text) == (". But so few" not in said)
    counted = "0 over it, 1 not shown to keep it" if ". But so few" in said else "1 over it"
    assert f"1 attack: 1 with a limit, {counted}" in text


def test_refusal_of_which_no_report_tells_is_told() -> None:
    """A check without a report is named, on the page of a refused build. The ledger is a gate where noise is reported."""
    stopped = page(reports(ks=findings.ks(passed=True)), refused_by=("another_check",)).decode()
    stopped = text_of(completed(stopped, build="", trial="", raw=RawPlaces(), stands="").encode())
    assert "Refused, nothing published A check that is in no report stopped the build: another_check." in stopped
    made = page(reports(ks=findings.ks(passed=True)), refused_by=("ledger_is_exact",)).decode()
    made = text_of(completed(made, build="", trial="", raw=RawPlaces(), stands="").encode())
    assert (
        "Refused, nothing published The ledger of the noise is not exact Likely cause. A kind of noise changes" in made
    )
    assert "and noisy plus ledger is clean FAILED 9 changes, applied and taken back, byte for byte" in made
    assert "build again. silt build" in made


def test_a_refused_page_says_what_still_stands_if_something_does() -> None:
    """A first build has published nothing before."""
    made = page(reports(), refused_by=("ledger_is_exact",)).decode()
    before, first = (
        text_of(completed(made, build="", trial="", raw=RawPlaces(), stands=stands).encode())
        for stands in ("what was built before under 'lsd'", "")
    )
    assert "build again; what was built before under 'lsd' still stands." in before
    assert "still stands" not in first


def test_a_count_of_what_may_not_be_is_not_drawn() -> None:
    """Rows with an identifier are said, and their first one; a bar beside none would have no scale."""
    escape = {"file": "database/shops.csv", "row": 3, "column": "town", "kind": "name", "rows": 1}
    found = findings.privacy(passed=False, escapes=[escape])
    made = page(reports(ks=findings.ks(passed=True), privacy=found))
    assert "database/shops.csv, column town: 1 row holds a name (row 3); none may" in text_of(made)
    assert b'class="against"' not in made


def test_aggregates_without_a_limit_pass_no_gate() -> None:
    """Where no difference refuses a build, the gate is on totals and identities, and aggregates stand beside it, unjudged."""
    free = findings.consistency()
    free["aggregates"] = [each | {"bound": None, "bounded_cells": 0, "max_offset": 3.0} for each in free["aggregates"]]
    free["structures"] = [each | {"is_judged": False, "changed": 2} for each in free["structures"]]
    made = text_of(page(reports(ks=findings.ks(passed=True), consistency=free))).partition("What was checked before")[2]
    assert "Totals and identities hold passed 3 of 3 identities, totals and links between tables hold" in made
    found = "90 of 90 aggregates (100%) are off by at most 10%; the worst, mean of “revenue”, national, by 3 times its value "
    found += "in the originals; 90 have no limit"
    assert f"Reported only. {found}" in made
    assert "totals and identities agree" not in made


def test_the_gate_on_statistics_can_be_recounted() -> None:
    """It says how many are judged, and of which measures which differ; a statistic of too few cells is not judged."""
    free = findings.consistency()
    of_one = free["aggregates"][0] | {"bound": None, "bounded_cells": 0}
    stated = [("sum", 0.01, True), ("mean", 0.9, True), ("median", None, True), ("max", 0.001, False)]
    free["aggregates"] = [
        of_one | {"statistic": name, "ks_p_value": p_value, "is_judged": is_judged}
        for name, p_value, is_judged in stated
    ]
    free["structures"] = [each | {"is_judged": False} for each in free["structures"]]
    made = text_of(page(reports(ks=findings.ks(passed=True), consistency=free)))
    gate = (
        "1 of 2 judged statistics of aggregates differ in distribution (1 allowed); the other 2 of 4 are reported only"
    )
    assert gate in made
    assert "Which statistics the gate judges. 2 of 4: " in made
    assert "table measure judged differ which national revenue 2 1 sum" in made
    assert "Statistics that the gate judges" not in text_of(page(reports(consistency=findings.consistency())))


def test_provenance_says_what_became_of_columns_and_of_raw_cells() -> None:
    """As the manifest does of the tables that it lists, if any; where that has nothing, there is no heading either."""
    became = {
        "shops": {"pseudonym": ["shop", "name"], "kept, public": ["town"]},
        "closed": {"pseudonym": ["shop", "name"], "left blank": ["town"]},
        "wide": {"perturbed": [f"<i>{number}" for number in range(61)]},
        "ideal_wide": {"derived": ["town"]},
    }
    treated = [{"table": "shops", "column": "town", "cause": "null token 'n/a'", "treatment": "null", "count": 4}]
    manifest = findings.manifest(column_treatments=became, treated=treated, files=[])
    made = text_of(page(reports(), manifest=manifest))
    assert "shop, name pseudonym shops, closed town kept, public shops town left blank closed" in made
    assert "<i>11, ... <i>12," in made
    assert "file bytes records columns sha256" not in made
    assert "shops town null token 'n/a' null 4" in made
    assert "What became of each column" not in text_of(page(reports()))
    paths = ["database/shops.csv", "database/town/closed.csv", "ideal/wide.csv"]
    files = [findings.manifest()["files"][0] | {"path": path} for path in paths]
    text = text_of(page(reports(), manifest=manifest | {"files": files}))
    assert "shop, name pseudonym shops, closed town" in text
    assert "file bytes records columns sha256" in text
    assert "town derived ideal_wide" in text
    assert "perturbed" not in text.partition("What became of each column")[2]
    assert "as raw tables were read" not in text_of(page(reports()))


def test_names_stand_in_both_languages() -> None:
    """English stands before a name that is declared to have one; the other language is marked wherever it stands."""
    labels = Labels(language="zh", english={"银行": "Banking"})
    made = page(reports(), labels=labels).decode()
    assert '<th scope="col"><span>Banking <span lang="zh">银行</span></span></th>' in made or "Banking" in made
    assert 'Banking <span lang="zh">银行</span>' in made
    outside = re.sub(r"(?s)<script.*?</script>|<[^>]*lang=[^>]*>[^<]*<|<[^>]*>", " ", made)
    assert not re.search("[\u3400-\u9fff]", outside)
    assert "lang=" not in re.sub('<html lang="en">', "", page(reports()).decode().partition("<script")[0])


@given(st.text(alphabet="银行业 Bank&,"))
def test_a_terminal_has_english_before_a_whole_name(text: str) -> None:
    """What is added is English before each own name, and nothing is lost; a part of a longer name is none."""
    both = Labels(english={"银行": "Banking"}).beside(text)
    assert both.replace("Banking ", "") == text
    assert both.count("Banking ") == len(re.findall("(?<![银行业])银行(?![银行业])", text))


def test_nothing_is_fetched() -> None:
    """Links stay beside the page or inside it, pictures are in it, and the browser is told to fetch nothing."""
    made = page(reports()).decode()
    assert "default-src 'none'" in made
    assert all(source.startswith("data:image/svg+xml;base64,") for source in re.findall(r'\ssrc="([^"]*)"', made))
    links = set(re.findall(r'\shref="([^"#]*)', made))
    files = {
        f"{name}.json" for name in ("profile", "ks", "distributions", "consistency", "privacy", "noise", "expectations")
    }
    pages = {
        "ks.html",
        "consistency.html",
        "privacy.html",
        "noise.html",
        "data_docs/index.html",
        "data_docs/shops.html",
    }
    assert links == {"", *files, *pages, "../database/shops.csv"}
    assert not re.search(r"@import|url\(|<link|<iframe", made)


def test_page_is_whole() -> None:
    """Every element is closed by its own end."""
    assert not left_open(page(reports()))


def test_same_findings_give_the_same_bytes() -> None:
    """Nothing but the findings goes into the page."""
    assert page(reports()) == page(reports())


def test_commands_stand_once() -> None:
    """They name the environment, and the settings of the build where they are not the defaults; no row repeats them."""
    made = text_of(page(reports()))
    other = text_of(
        page(
            reports(),
            manifest=findings.manifest(source="user tables", scale=None, policy="guarded", is_demonstration_key=False),
        )
    )
    assert made.count("silt build noisy clean --environment shops ") == 2  # at the refusal, and in the provenance
    assert "silt audit noisy --environment shops" in made
    assert "silt build noisy clean --environment shops --raw DIR --policy guarded" in other
    own = findings.manifest(source="user tables", scale=None, is_demonstration_key=False)
    of_own = text_of(page(reports(), manifest=own, environment="my shops/shops.py:SHOPS"))
    settings = "--environment 'my shops/shops.py:SHOPS' --raw DIR"
    assert f"silt build noisy clean {settings} --noise SPEC" in of_own
    assert f"silt audit noisy {settings}" in of_own
    meant = "DIR is the folder of its raw tables, SPEC is its noise specification"
    assert f"it printed them whole at its end. {meant}. Add --out and --key-file if they were given." in of_own


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"left_out": {"database/a.csv": "no such column"}}, "database/a.csv : no such column"),
        ({"scale": 0.02}, "--scale 0.02"),
        ({"is_demonstration_key": False}, "secret; fingerprint 0123456789abcdef"),
    ],
)
def test_provenance_tells_the_manifest(changes: dict[str, Any], words: str) -> None:
    """What the manifest says of the build stands on the page."""
    assert words in text_of(page(reports(), manifest=findings.manifest(**changes)))


def test_ladder_asks_only_what_can_be_asked() -> None:
    """A size of question that these tables do not pose is left out of the chart and the table."""
    text = text_of(page(reports())).partition("The ladder")[2]
    assert "60.0% of records, 10.0% of groups" in text
    assert "0 nothing 9 60.0% 10.0%" in text
    assert "1 names 0 100% 100%" in text


def test_how_hard_names_the_tables_that_its_shares_are_of() -> None:
    """Shares of one table are not said of all; how many of all records are touched, and where no noise is, stands beside."""
    asked = {"tables": ["shops"], "one record": 20, "one group": 10, "two groups": 45}
    ladder = findings.noise()["ladder"]
    ladder = [
        step | {"answered": step["answered"] | {"two groups": share}}
        for step, share in zip(ladder, (0.05, 1.0), strict=True)
    ]
    every = {"every record": 400, "touched records": 8, "tables without noise": ["sales", "towns", "people"]}
    noise = findings.noise(questions=asked | every, ladder=ladder)
    card = text_of(page(reports(noise=noise))).partition("How hard?")[2].partition("Everything")[0]
    assert "Very, in shops: noise touches 40.0% of records and 90.0% of groups Counted there: 20" in card
    assert (
        "Counted there: 20 records and 10 groups (each one measure, year and industry); 95.0% of comparisons of two groups "
        "touch noise. Noise touches 2.0% of all 400 records, counted before it; none of those of sales" in card
    )
    assert "none of those of sales and 2 more tables" in card
    assert "Tables without any noise: sales, towns, people." in card
    many = asked | {
        "tables": ["shops", "sales", "towns"],
        "every record": 8,
        "touched records": 8,
        "tables without noise": [],
    }
    card = (
        text_of(page(reports(noise=findings.noise(questions=many))))
        .partition("How hard?")[2]
        .partition("Everything")[0]
    )
    assert "Very, in 3 tables of figures with noise: noise touches 40.0% of records" in card
    assert "Noise touches 100% of all 8 records, counted before it." in card


def test_the_search_says_for_how_much_it_looked_and_what_it_left() -> None:
    """Nothing found is a figure with what it is of; places in texts that may name somebody stand beside it."""
    searched = {"searched": {"terms": 1_260, "files": 2, "bytes": 71_000}}
    counts = dict.fromkeys(("texts", "about_a_company", "naming_it", "ordinary_names", "not_replaceable"), 3)
    prose = counts | {"replaced": {}, "left_as_doubtful": {"code in pieces": 2}, "names_stated": {}, "warnings": []}
    made = text_of(page(reports(privacy=findings.privacy(**searched, prose=prose))))
    assert (
        "1,260 searched for, 0 found (2 files of data, 71,000 bytes, and all reports beside them); 2 doubtful places"
        in made
    )
    left = "2 doubtful places in texts left as they are, 2 of them codes in pieces"
    assert left in made
    cards = [after.partition("Evidence:")[0] for after in made.split("Safe to publish?")]
    assert f"{left}: they may name a company." in cards[2]
    assert "doubtful place" not in text_of(page(reports(privacy=findings.privacy(**searched))))


def test_what_too_few_rows_show_of_realism_is_not_claimed() -> None:
    """An attempt on too few rows is counted apart, and no heading says that nothing can be detected."""
    filters = [findings.a_filter(), *[findings.a_filter(upper_95=0.9)] * 9]
    made = text_of(page(reports(noise=findings.noise(filters=filters))))
    assert (
        "Attempts to detect noise that claims realism find no more than they may too few to say: 1 of 10 could be tried "
        "10 attempts: 1 on enough rows, of which 0 found more than they may; 9 have too few rows to say" in made
    )


def test_a_cell_that_was_changed_twice_is_said_to_have_two_entries() -> None:
    """Changes and entries of the ledger stand beside each other where their numbers differ."""
    twice = findings.noise()
    twice["rules"] = [*twice["rules"], twice["rules"][0] | {"rule": "again", "cells": 2}]
    twice["ladder"] = [twice["ladder"][0] | {"changes": 11}, twice["ladder"][1]]
    said = "9 changes in 11 entries of the ledger (a cell that was changed twice has two)"
    made = text_of(page(reports(noise=twice)))
    assert f"{said}, applied and taken back, byte for byte" in made
    assert f"2 rules of noise made {said}." in made
    assert "Below, each kind counts its entries of the ledger." in made
    idle = twice["rules"][0] | {"rule": "idle", "cells": 0}
    assert "2 of 3 rules of noise made" in text_of(page(reports(noise=twice | {"rules": [*twice["rules"], idle]})))
    assert "entries of the ledger (a cell" not in text_of(page(reports()))


def test_noise_shows_what_cannot_be_seen() -> None:
    """Blanks at the ends and characters without a shape are marked in examples."""
    assert "<q><mark>\u2423</mark>Corner<mark>U+3000</mark>shop<mark>\u2423</mark></q>" in page(reports()).decode()


def test_release_stands_beside_the_frontier() -> None:
    """The picture says of what it is made; this release's own worst rate stands beside it, or that it has none."""
    assert "at worst 25.0% of records are named by whoever knows revenue" in text_of(page(reports()))
    without = findings.privacy(attacks=[findings.an_attack(family="codes")])
    assert "so they have no point on the frontier" in text_of(page(reports(privacy=without)))


@given(st.text(min_size=1))
def test_no_text_breaks_out(text: str) -> None:
    """Whatever names are, the page has the same elements and attributes."""
    assume(text not in {"(none)", "x"})
    assert structure(named(text)) == structure(named("x"))


def test_hostile_text_stays_text() -> None:
    """What would end a script or begin one does neither, and is readable."""
    made = named(HOSTILE)
    assert structure(made) == structure(named("x"))
    assert HOSTILE.encode() not in made
    assert HOSTILE.split("\u2028", maxsplit=1)[0] in text_of(made)


def test_a_rule_that_changed_nothing_is_named() -> None:
    """On the card, once, however many columns it is for; a rule that changed something in one of them is not."""
    (rule,) = findings.noise()["rules"]
    idle = [rule | {"rule": "doubled", "column": name, "cells": 0, "recoverable": None} for name in ("name", "town")]
    told = text_of(page(reports(noise=findings.noise(rules=[rule, rule | {"cells": 0}, *idle]))))
    assert "1 of 2 rules changed nothing: doubled." in told.partition("How hard?")[2]
    assert "changed nothing" not in text_of(page(reports())).partition("How hard?")[2].partition("Everything")[0]
