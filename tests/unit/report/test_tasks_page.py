"""The page of a set of tasks: what it shows of noise, and what it keeps to the curator."""

import re
import shlex
from dataclasses import replace
from functools import partial
from html import unescape
from pathlib import Path

import pytest

from pipeline.tasks.running.clean import Clean
from silt.cli import _parser
from silt.environments.us_listed import US_LISTED
from tests.unit.report.findings import HOSTILE
from tests.unit.report.tasks import FIGURES, noise, page, question, scores, solved
from tests.unit.tasks.small import database
from validation.report.tasks.effects import effect_of
from validation.report.tasks.page import ROWS, Evidence, tasks_page


@pytest.fixture
def clean(tmp_path: Path) -> Clean:
    return Clean(
        US_LISTED, database(tmp_path / "clean", [("A", 2000 + i, "x", f"{i}.5") for i in range(1, FIGURES + 1)])
    )


def text_of(made: bytes) -> str:
    """Return the text of a page, without scripts and styles."""
    bare = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", made.decode())
    return " ".join(unescape(bare).split())


def test_families_are_marked_by_what_they_do() -> None:
    effect = effect_of(solved(question("dev-0001")), noise())
    assert effect.marks == {"units": "alone", "missing": "part", "rows": "touched"}
    assert effect.readings == [
        ("noisy", "spoilt", False),
        ("with units mended, too", "half", False),
        ("with missing mended, too", "gold", True),
        ("after the reference cleaner", "gold", True),
    ]


def test_rows_with_noise_come_first_and_say_what_changed(clean: Clean) -> None:
    """A changed cell stands as it is clean and as it is noisy, with its rule; what is not shown is counted."""
    [(rows, more)] = Evidence(clean, noise().ledger, ROWS).of(solved(question("dev-0001")))
    assert (len(rows.rows), more) == (ROWS, FIGURES - ROWS)
    shown = [[re.sub("<[^>]*>", "", getattr(cell, "text", cell)) for cell in row] for row in rows.rows]
    assert shown[:4] == [
        ["20", "20.5 0.0205", "value: units"],
        ["21", "21.5 empty", "value: gaps"],
        ["22", "22.5", "a row like it was added: twice"],
        ["1", "1.5", ""],
    ]


def test_the_public_page_depends_on_no_answer_of_the_test(clean: Clean) -> None:
    """It is the same whatever noise does to tasks of which it has the question alone."""
    asked, tests = question("dev-0001"), [question("test-0001"), question("test-0002")]
    seen = noise()
    impact = seen.impact["dev-0001"]
    all_known = replace(seen, impact={**seen.impact, "test-0001": impact, "test-0002": impact})
    answered = [solved(asked)]
    assert tasks_page(answered, tests, clean=clean, noise=all_known) == tasks_page(
        answered, tests, clean=clean, noise=seen
    )
    shown = text_of(tasks_page(answered, tests, clean=clean, noise=all_known))
    assert "3 tasks, 1 with answers Of the other 2, the test, only the questions are here." in shown
    assert "A naive reader gets 0 of 1 right on noisy, 1 on clean" in shown
    assert "Keep dev.jsonl from the agent: it has 1 task with answers, and the steps to them." in shown
    assert "sums 3 3 1 0" in shown


def test_what_cannot_be_answered_has_its_clean_answer_beside(clean: Clean) -> None:
    """The naive reader is compared with what the program gives, not with the text that says that there is no answer."""
    task = solved(question("dev-0001"), answer="no such answer")
    assert "Answer: no such answer (in USD) On the clean tables: gold Naive reader" in text_of(
        tasks_page([task], [], clean=clean, noise=noise())
    )
    assert effect_of(task, noise()).is_right_on_clean


def test_without_impact_a_sentence_says_how_to_get_it(tmp_path: Path) -> None:
    made = page(tmp_path, with_noise=False)
    text = text_of(made)
    command = text.partition("is not measured yet. ")[2].partition(" measures it, and adds a picture")[0]
    assert _parser(["tasks"]).parse_args(shlex.split(command)[1:]).impact
    assert b'class="heat' not in made
    assert b"naive reader" not in made.lower()


@pytest.mark.parametrize("has_impact", [True, False])
def test_whether_tasks_can_be_answered_is_said_without_impact_too(clean: Clean, *, has_impact: bool) -> None:
    """Of all tasks, as the manifest has it; how hard they are needs impact."""
    seen = noise() if has_impact else None
    made = partial(tasks_page, [solved(question("dev-0001"))], [question("test-0001")], clean=clean, noise=seen)
    assert "Can they be answered? 1 of 2 from the noisy tables Each of these was tried" in text_of(made(answerable=1))
    assert "Can they be answered? Not tried" in text_of(made())
    assert ("How hard does noise make them? Not measured" in text_of(made())) is not has_impact


def test_no_text_gets_out_of_its_place(tmp_path: Path) -> None:
    """Tags of the page are the same whatever texts hold."""
    seen = HOSTILE.replace("\u2028", "")
    for made in (partial(page, tmp_path / "plain"), scores):
        plain, hostile = (made(end) for end in ("x", seen))
        assert re.findall(rb"</?[a-z0-9]+", hostile) == re.findall(rb"</?[a-z0-9]+", plain)
