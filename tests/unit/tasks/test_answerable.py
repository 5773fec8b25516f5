"""Tasks of noisy tables can be answered from them, or say so: tried against tables whose damage the test knows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.tasks.asset import about, verdicts
from assets.tasks.making import TasksMade
from pipeline.errors import GateError, InputError
from pipeline.noise.ledger import SCHEMA
from pipeline.tasks.checked import check_set
from pipeline.tasks.drawing import UNANSWERABLE
from pipeline.tasks.families import Families
from pipeline.tasks.making import TaskSet, make_tasks
from pipeline.tasks.records import Kept, Solved, answer_of, question_of
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.settings import TasksSettings
from pipeline.tasks.writing import write_tasks
from silt.environments.us_listed import US_LISTED
from tests.unit.tasks.small import COMPANIES, KEY, database, family
from validation.tasks.answerable import Answerability, NoisySides, lasting

FIGURES = "company_figures"
YEARS = range(1985, 2015)
OWN: dict[str, Any] = {
    "row": {
        "type": "table",
        "table": FIGURES,
        "where": [{"column": "code", "is": "$code"}, {"column": "year", "is": "$year"}],
    },
    "answer": {"type": "lookup", "of": "row", "column": "value"},
}
SLOTS = {name: {"values": {"table": FIGURES, "column": name}} for name in ("code", "year")}
ASKED = Families(
    environment="us-listed",
    families=tuple(
        family(
            OWN,
            "answer",
            slots=SLOTS,
            name=name,
            wording={"en": [f"{name}, {{code}}, {{year}}: how much? {mark}" for mark in "abcd"]},
        )
        for name in ("first", "second")
    ),
)

GONE, MENDED, WRONG, DROPPED = "AAAAA", "AAAAB", "AAAAC", "AAAAD"
"""Companies whose figures are lost for good, found by a cleaner, others for good, and whose rows are not there."""


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    figures = [
        (code, year, "Price", f"{year * 100 + number}.37")
        for number, (code, _, _) in enumerate(COMPANIES, 1)
        for year in YEARS
    ]
    return Clean(US_LISTED, database(tmp_path_factory.mktemp("out") / "us-listed/clean/database", figures))


def noisy(clean: Clean) -> NoisySides:
    """Return tables with the damage, and the ledger that says so."""
    code, is_of = pl.col("code"), clean.texts(FIGURES).filter

    def without_values(*companies: str) -> pl.DataFrame:
        damaged = pl.when(code == WRONG).then(pl.lit("1.5")).when(~code.is_in(companies)).then("value")
        return clean.texts(FIGURES).with_columns(value=damaged).filter(code != DROPPED)

    changes = [
        *((row, "value", "", False) for row in is_of(code == GONE)["id"]),
        *((row, "value", "", True) for row in is_of(code == MENDED)["id"]),
        *((row, "value", "1.5", False) for row in is_of(code == WRONG)["id"]),
        *((row, "", "", False) for row in is_of(code == DROPPED)["id"]),
    ]
    ledger = pl.DataFrame(
        [(FIGURES, row, column, "kind", "rule", "before", after, known) for row, column, after, known in changes],
        schema=SCHEMA,
        orient="row",
    )
    return NoisySides(
        US_LISTED,
        clean.known,
        clean=clean.texts,
        noisy=lambda _: without_values(GONE, MENDED),
        mended=lambda _: without_values(GONE),
        ledger=ledger,
        named=set(),  # so that each column is read when a draw names it
    )


def made(clean: Clean, *, share: str = "0", wanted: int = 60) -> TaskSet:
    return make_tasks(
        ASKED, clean, KEY, wanted=wanted, dev=Fraction(1, 2), noisy=noisy(clean), unanswerable=Fraction(share)
    )


def by_company(tasks: TaskSet) -> Mapping[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for task in (*tasks.dev, *tasks.test):
        found.setdefault(str(task.draw.slots["code"]), []).append(task.draw.is_answerable)
    return found


def test_what_cannot_be_answered_is_drawn_anew(clean: Clean) -> None:
    """As many tasks as asked for, none of a company whose figures are gone or wrong; what a cleaner mends is asked."""
    found = by_company(made(clean))
    assert sum(map(len, found.values())) == 60
    assert not found.keys() & {GONE, WRONG, DROPPED}
    assert MENDED in found
    unaware = by_company(make_tasks(ASKED, clean, KEY, wanted=60))
    assert unaware.keys() >= {GONE, WRONG, DROPPED}


def test_a_share_is_kept_of_what_is_gone_for_everybody_to_see(clean: Clean) -> None:
    """At most so many, of what is not there; never of a wrong value, which looks like any other."""
    found = by_company(made(clean, share="0.05"))
    lost = {company: answerable for company, answerable in found.items() if not all(answerable)}
    assert lost.keys() <= {GONE, DROPPED}
    assert sum(map(len, lost.values())) == 3
    assert not any(any(answerable) for answerable in lost.values())


def test_every_guideline_says_what_to_answer_or_none(clean: Clean) -> None:
    """So a guideline does not say which task has no answer."""
    for share, is_said in (("0.05", True), ("0", False)):
        tasks = made(clean, share=share)
        said = {UNANSWERABLE in question_of(task, tasks).guideline for task in (*tasks.dev, *tasks.test)}
        assert said == {is_said}


def test_a_task_without_an_answer_keeps_what_the_clean_tables_say(clean: Clean) -> None:
    tasks = made(clean, share="0.05")
    for task in (*tasks.dev, *tasks.test):
        answer = answer_of(task, clean)
        assert answer.clean_answer == answer.milestones["answer"]
        assert answer.answer == (answer.clean_answer if task.draw.is_answerable else UNANSWERABLE)


def no_check(_: dict[str, Any]) -> None:
    """Leave a record as it is."""


def another_answer(record: dict[str, Any]) -> None:
    record["answer"] = "not to be had"


@pytest.mark.parametrize(("change", "why"), [(no_check, ""), (another_answer, "neither that of its statement")])
def test_checking_knows_both_answers_and_no_third(clean: Clean, change: Callable[..., None], why: str) -> None:
    folder, tasks = clean.database.parents[1], made(clean, share="0.05")
    write_tasks(tasks, ASKED, clean, folder, KEY, {})
    file = folder / "tasks/dev.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    change(records[0])
    file.write_text("\n".join(map(json.dumps, records)))
    if not why:
        assert check_set(folder, clean) == 60
        return
    with pytest.raises(GateError) as refused:
        check_set(folder, clean)
    assert why in refused.value.failing[records[0]["id"]]


def test_the_public_half_does_not_say_which_of_the_test_have_no_answer(clean: Clean) -> None:
    folder = clean.database.parents[1]
    write_tasks(made(clean, share="0.05"), ASKED, clean, folder, KEY, {})
    lines = (folder / "tasks/test.jsonl").read_text().splitlines()
    assert len({frozenset(json.loads(line)) for line in lines}) == 1
    assert not {"answer", "clean_answer"} & json.loads(lines[0]).keys()
    assert {"answer", "clean_answer"} <= Solved.model_fields.keys() & Kept.model_fields.keys()


def test_more_than_guessing_may_win_is_refused() -> None:
    with pytest.raises(InputError, match=r"--unanswerable 0\.06 is too much: .* give 0\.05 or less"):
        TasksSettings(unanswerable="0.06")
    assert TasksSettings(unanswerable="1/20").unanswerable_share == Fraction(1, 20)


@pytest.mark.parametrize(
    "given", [{"dev": "2"}, {"dev": "1/0"}, {"unanswerable": "1e-999999999"}, {"unanswerable": "x"}]
)
def test_what_is_no_share_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(InputError, match="is not a share; give a number from 0 to 1"):
        TasksSettings(**given)  # type: ignore[arg-type]


EXPECTED: dict[str, Answerability] = {
    GONE: "lost",
    MENDED: "answerable",
    WRONG: "unclear",
    DROPPED: "lost",
    "AAAAE": "answerable",
}


def test_a_task_has_the_fate_of_its_cell(clean: Clean) -> None:
    draws = {str(task.draw.slots["code"]): task.draw for task in make_tasks(ASKED, clean, KEY, wanted=200).test}
    assert {company: noisy(clean).answerability(draws[company]) for company in EXPECTED} == EXPECTED


def test_what_the_cleaner_missed_and_the_ledger_can_take_back_is_not_lost(clean: Clean) -> None:
    """It could be had, so that nobody may say that it is gone; and it was not had, so that it is not asked."""
    every = make_tasks(ASKED, clean, KEY, wanted=200)
    draw = next(task.draw for task in every.test if task.draw.slots["code"] == MENDED)
    idle = noisy(clean)
    assert replace(idle, mended=idle.noisy).answerability(draw) == "unclear"


def test_what_lasts_is_the_clean_table_with_what_nobody_takes_back(clean: Clean) -> None:
    """Changes that can be taken back are; a cell that two rules changed keeps the last change that cannot."""
    table, texts = US_LISTED.table(FIGURES), clean.texts(FIGURES)
    rows = texts["id"].to_list()
    changes = [
        (rows[0], "value", "2.5", False),
        (rows[0], "value", "2,5", True),
        (rows[1], "value", "", False),
        (rows[2], "value", "9.9", True),
        (rows[3], "", "", False),
        (rows[4], "", "", True),
    ]
    ledger = pl.DataFrame(
        [(FIGURES, row, column, "kind", "rule", "before", after, known) for row, column, after, known in changes],
        schema=SCHEMA,
        orient="row",
    )
    found = lasting(texts, ledger, table)
    assert found["id"].to_list() == [row for row in rows if row != rows[3]]
    assert found["value"].head(3).to_list() == ["2.5", None, texts["value"][2]]
    assert found.drop("value").equals(texts.filter(pl.col("id") != rows[3]).drop("value"))


def test_a_column_that_is_gone_is_gone(clean: Clean) -> None:
    table, texts = US_LISTED.table(FIGURES), clean.texts(FIGURES)
    left = [name for name in texts.columns if name != "unit"]
    layout = json.dumps({"columns": left, "dialect": {}, "renamed": {}, "reshaped": False})
    ledger = pl.DataFrame([(FIGURES, "", "", "kind", "rule", "{}", layout, False)], schema=SCHEMA, orient="row")
    assert lasting(texts, ledger, table).columns == left
    back = ledger.with_columns(recoverable=True)
    assert lasting(texts, back, table).equals(texts)


def of_set(clean: Clean, **other: Any) -> TasksMade:
    return replace(TasksMade(Path(), made(clean), clean, True, {}), **other)


def passed(tasks: TasksMade, checked: int = 60) -> set[str]:
    return {each.check for each in verdicts(tasks, checked) if each.is_passed}


CHECKS = {"two_programs_agree", "answers_cannot_be_guessed", "answerable_from_noisy"}


def test_each_check_of_the_graph_fails_for_its_reason_alone(clean: Clean) -> None:
    good = of_set(clean)
    assert passed(good) == CHECKS
    assert CHECKS - passed(good, checked=59) == {"two_programs_agree"}
    assert CHECKS - passed(replace(good, was_tried=False)) == {"answerable_from_noisy"}
    same = [replace(task, draw=replace(task.draw, answer=5)) for task in good.tasks.dev[:4]]
    guessed = replace(good.tasks, dev=[*same, *good.tasks.dev[4:]])
    assert CHECKS - passed(replace(good, tasks=guessed)) == {"answers_cannot_be_guessed"}


def test_the_graph_shows_why_draws_were_refused(clean: Clean) -> None:
    """A few plain reasons: what was found of each draw is not among them."""
    shown = about(of_set(clean))["refused_draws"]
    assert shown["the noisy tables do not give its answer"] > 10
    assert set(shown) == {"the noisy tables do not give its answer", "another task asks the same"}
