"""Reports: JSON that reads back, a page that is complete in itself, the same bytes for the same findings."""

import json
import math
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report_json import report_json
from tests.pages import is_self_contained, left_open, text_of
from tests.unit.report.findings import a_filter, consistency, noise, privacy
from validation.report import pages
from validation.report.documents import KINDS, read
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Ks
from validation.report.documents.noise import Noise
from validation.report.documents.privacy import Privacy
from validation.report.sections.distances import SHOWN_TESTS

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.floats(allow_nan=False, allow_infinity=False)
)
records = st.lists(st.dictionaries(st.text(), scalars))
NAMES: dict[str, Any] = {"title": "China <2022>", "policy": "lsd"}


def a_test(**changes: Any) -> dict[str, Any]:
    fields = {
        "level": "sub_industry",
        "measure": "营业收入",
        "group": "银行",
        "year": 2022,
        "n": 34,
        "n_anonymised": 34,
    }
    return fields | {"statistic": 0.1, "p_value": 0.9, "p_holm": 1.0, "detectable_shift": 0.8} | changes


def a_report(*tests: dict[str, Any], **changes: Any) -> dict[str, Any]:
    fields = {"passed": True, "alpha": 0.05, "power": 0.8, "rejected": 0, "allowed": 0, "unequal_sizes": 0}
    summary: dict[str, Any] = {
        "smallest_p_value": 0.9,
        "smallest_p_holm": 1.0,
        "largest_statistic": 0.1,
        "median_detectable_shift": 0.8,
        "multiplicity": "p is as it is.",
    }
    return fields | summary | {"tests": list(tests), "too_small": []} | changes


def ks_page(report: dict[str, Any], **names: Any) -> bytes:
    return pages.ks_page(read(Ks, report), pages.PageContext(**names))


@given(st.dictionaries(st.text(), st.one_of(scalars, records)))
def test_json_reads_back_in_order(report: dict[str, Any]) -> None:
    """What is written is read again, floats to 12 significant digits, fields in the same order."""
    read = json.loads(report_json(report))
    assert list(read) == list(report)
    assert read == json.loads(json.dumps(report), parse_float=lambda text: float(f"{float(text):.12g}"))


def test_json_hides_the_last_bits_of_a_float() -> None:
    """Two sums of the same numbers in another order, which differ in the last bit, give the same bytes."""
    assert 0.1 + 0.2 != 0.3
    assert report_json({"x": [{"y": 0.1 + 0.2}]}) == report_json({"x": [{"y": 0.3}]})
    assert report_json({"x": round(-1e-9, 2)}) == report_json({"x": 0.0})


def test_json_writes_one_record_a_line_unescaped() -> None:
    """A record is a line that grep finds, Chinese included."""
    lines = report_json({"tests": [a_test(), a_test()]}).decode().splitlines()
    assert sum("营业收入" in line for line in lines) == 2


def test_json_refuses_what_is_not_a_number() -> None:
    """NaN is not JSON; a report that holds it is a defect and is not written."""
    with pytest.raises(ValueError, match="Out of range float values"):
        report_json({"x": math.nan})


@pytest.mark.parametrize(
    ("report", "present", "earlier"),
    [
        (noise(filters=[a_filter()]), '"is_detected":', '"told_apart":'),
        (privacy(), '"limit": "reported only"', '"limit": "told only"'),
    ],
    ids=["is_detected", "limit"],
)
def test_a_report_is_read_in_the_words_of_earlier_versions(report: dict[str, Any], present: str, earlier: str) -> None:
    """Releases that were made with them are verified and compared."""
    kind, text = KINDS["noise" if "rules" in report else "privacy"], json.dumps(report)
    assert present in text
    assert kind.model_validate_json(text.replace(present, earlier)) == kind.model_validate_json(text)


def test_page_states_the_verdict_before_anything_else() -> None:
    """Passed or failed is in words, in the first paragraph, with the counts that say why."""
    passed = text_of(ks_page(a_report(a_test()), **NAMES))
    failed = text_of(ks_page(a_report(a_test(p_value=0.01), passed=False, rejected=1), **NAMES))
    assert passed.index("passed") < passed.index("Before noise, every measure is tested")
    assert "None of 1 test finds a difference" in passed
    assert "failed 1 of 1 test finds a difference (p <= 0.05)" in failed
    assert failed.count("differs") == 1
    assert "p is as it is." in passed


def test_page_without_tests_claims_nothing() -> None:
    """Samples too small for any test are no evidence, and the page says so."""
    none = {
        "smallest_p_value": None,
        "smallest_p_holm": None,
        "largest_statistic": None,
        "median_detectable_shift": None,
    }
    text = text_of(ks_page(a_report(**none), **NAMES))
    assert "nothing to compare No sample is large enough" in text
    assert "no evidence either way" in text


def test_page_lists_the_worst_tests_first_and_not_all() -> None:
    """The smallest p stands first; beyond the limit the page refers to the JSON."""
    tests = [a_test(p_value=1 - i / 1_000, measure=f"measure {i}") for i in range(SHOWN_TESTS + 50)]
    page = text_of(ks_page(a_report(*tests), **NAMES))
    assert f"Tests by smallest p {SHOWN_TESTS} of {len(tests)}" in page
    assert page.index(f"measure {SHOWN_TESTS + 49}") < page.index(f"measure {SHOWN_TESTS + 48}")
    assert "measure 49 " not in page


def test_tests_are_listed_in_the_words_of_the_report() -> None:
    """The report's list is drawn by a script, from the words in it; what stands in both is called the same, and is the same."""
    listed = (files("validation.report") / "templates/scripts/tests.js").read_text(encoding="utf-8")
    page = ks_page(a_report(a_test()), **NAMES).decode()
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page)
    assert len(heads) == 11
    assert set(heads) <= {*re.findall(r'^    \["(.*?)", ', listed, re.MULTILINE)}
    row = re.findall("<td[^>]*>(.*?)</td>", page)
    assert (row[heads.index("level")], row[heads.index("KS")]) == ("sub-industry", "passed")
    assert float(row[heads.index("of critical")]) == pytest.approx(0.1 * 34 / 12, abs=1e-4)
    assert "the smallest D that is significant with so many figures" in page


@pytest.mark.parametrize(
    ("page", "badges"),
    [
        (ks_page(a_report(a_test()), **NAMES), ["before noise", "policy lsd"]),
        (
            pages.consistency_page(read(Consistency, consistency()), pages.PageContext(**NAMES)),
            ["before noise", "policy lsd"],
        ),
        (
            pages.privacy_page(read(Privacy, privacy()), pages.PageContext(**NAMES, variant="clean")),
            ["clean", "policy lsd"],
        ),
        (pages.privacy_page(read(Privacy, privacy()), pages.PageContext(**NAMES)), ["policy lsd"]),
        (
            pages.noise_page(read(Noise, noise()), None, pages.PageContext(**NAMES, variant="noisy")),
            ["noisy", "policy lsd"],
        ),
    ],
    ids=["ks", "consistency", "privacy", "privacy of many", "noise"],
)
def test_a_page_says_what_it_is_about_and_the_policy(page: bytes, badges: list[str]) -> None:
    """A page is read without the report; what is beneath the noise is the same in every variant."""
    assert re.findall(r'<span class="badge">(.*?)</span>', page.decode()) == badges


def test_page_needs_nothing_from_outside() -> None:
    """No link, script, image or import: nothing is fetched."""
    assert is_self_contained(ks_page(a_report(a_test()), **NAMES))


def test_page_escapes_names_and_keeps_chinese() -> None:
    """A name with markup is shown as text."""
    page = ks_page(a_report(a_test(group="R&D <b>", measure="总资产")), **NAMES).decode()
    assert "R&amp;D &lt;b&gt;" in page
    assert "总资产" in page
    assert "China &lt;2022&gt;" in page


def test_page_closes_what_it_opens() -> None:
    """Every element is closed, so that no browser has to guess."""
    assert left_open(ks_page(a_report(a_test(group=None)), **NAMES)) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "None of 1 test finds a difference (every p > 0.05), and no sample lost or gained a figure."),
        (
            {"unequal_sizes": 3},
            "and 3 comparisons of another number of figures than the originals have there, for records are sampled.",
        ),
        (
            {"rejected": 1, "allowed": 5},
            "Within the limit. 1 of 1 test finds a difference (p <= 0.05); chance alone would give at most about 0, and 5 are",
        ),
        (
            {},
            "n is how many figures, one a company, a group has in a period in the originals, and as many in the release.",
        ),
        ({"unequal_sizes": 3}, "in the release it may have another number, which is n_anonymised in ks.json ."),
        ({"rejected": 1, "allowed": 5}, "allowed: figures are sampled from noised statistics of the originals."),
        ({"passed": False, "rejected": 1, "unequal_sizes": 2}, "figures were lost or gained in 2 comparisons."),
    ],
    ids=["alike", "other numbers", "more than chance would", "n", "two n", "why more", "refused"],
)
def test_the_sentence_says_what_passed(changes: dict[str, Any], told: str) -> None:
    """Sampled figures may come in other numbers and differ as often as chance has it, and the page says that of them alone."""
    assert told in text_of(ks_page(a_report(a_test(), **changes), **NAMES))
