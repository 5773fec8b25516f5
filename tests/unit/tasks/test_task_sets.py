"""Sets of tasks follow from the key, land whole, and are bound to their answers."""

import json
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import GateError, InputError
from pipeline.guess.declared import guess
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.places import CURATOR, TASKS
from pipeline.tasks import writing
from pipeline.tasks.checked import check_set
from pipeline.tasks.drawing import Drawer
from pipeline.tasks.families import Families, ManualRule, Proportion, Slot
from pipeline.tasks.generic import generic
from pipeline.tasks.making import TaskSet, make_tasks, shares
from pipeline.tasks.program.operators import Listing, Rank
from pipeline.tasks.records import Question, Solved, TaskImpact, answer_of, question_of
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.writing import write_tasks
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.unit.events.lines_declared import LINES
from tests.unit.guess.folders import write
from tests.unit.tasks.small import COMPANIES, KEY, database, family

OTHER = Key(bytes([1]) * 32)

STEPS: dict[str, Any] = {
    "row": {
        "type": "table",
        "table": "company_figures",
        "where": [
            {"column": "measure", "is": "Price"},
            {"column": "code", "is": "$code"},
            {"column": "year", "is": "$year"},
        ],
    },
    "price": {"type": "lookup", "of": "row", "column": "value"},
    "answer": {"type": "compute", "how": "scaled", "first": "@price", "second": "$factor"},
}


def families() -> Families:
    made = family(
        STEPS,
        "answer",
        slots={
            "code": {"values": {"table": "company_figures", "column": "code"}},
            "year": {"values": {"table": "company_figures", "column": "year"}},
        },
        wording={"en": [f"What is it for {{code}} in {{year}}? {mark}" for mark in "abcd"]},
    )
    rule = ManualRule(choices=(3, 5, 7, 9), text={"en": "The factor is {value}."})
    return Families(environment="us-listed", families=(made,), manual={"factor": rule})


@pytest.fixture
def clean(tmp_path: Path) -> Clean:
    figures = [
        (code, year, "Price", f"{year - 1900}.{number}7")
        for number, (code, _, _) in enumerate(COMPANIES, 1)
        for year in range(2001, 2015)
    ]
    return Clean(US_LISTED, database(tmp_path / "us-listed/clean/database", figures))


def made(clean: Clean, key: Key = KEY, wanted: int = 40) -> TaskSet:
    return make_tasks(families(), clean, key, wanted=wanted, dev=Fraction(1, 4))


def written(clean: Clean, key: Key = KEY) -> Path:
    folder = clean.database.parents[1]
    write_tasks(made(clean, key), families(), clean, folder, key, {"environment": "us-listed"})
    return folder


def content(folder: Path) -> dict[str, bytes]:
    files = [*(folder / TASKS).iterdir(), *(folder / CURATOR / TASKS).iterdir()]
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_a_key_makes_one_set_and_another_key_another(clean: Clean) -> None:
    first = content(written(clean))
    assert content(written(clean)) == first
    other = content(written(clean, OTHER))
    assert all(other[name] != first[name] for name in ("tasks/test.jsonl", "tasks/dev.jsonl", "tasks/commitments.json"))
    assert made(clean).manual != made(clean, OTHER).manual


def test_answers_of_the_test_are_the_curators_alone(clean: Clean) -> None:
    folder = written(clean)
    answers = [json.loads(line) for line in (folder / CURATOR / TASKS / "test_answers.jsonl").read_text().splitlines()]
    tests = [json.loads(line) for line in (folder / TASKS / "test.jsonl").read_text().splitlines()]
    assert [each["id"] for each in tests] == [each["id"] for each in answers]
    assert set(tests[0]) == {
        *("id", "family", "category", "level", "language", "question", "guideline"),
        *("answer_type", "unit", "tolerance", "variant"),
    }
    published = b"".join(file.read_bytes() for file in (folder / TASKS).iterdir() if file.name != "dev.jsonl").decode()
    assert not [each for each in answers if str(each["answer"]) in published or each["salt"] in published]
    assert (folder / CURATOR / TASKS / "test_answers.jsonl").stat().st_mode & 0o077 == 0


def test_a_task_reads_what_its_question_names(clean: Clean) -> None:
    tasks = made(clean)
    factor = tasks.manual["factor"]
    for each in tasks.dev:
        task, answer = question_of(each, tasks).model_dump(), answer_of(each, clean).model_dump()
        code, year = task["question"].split()[4], int(task["question"].split()[6].removesuffix("?"))
        number = [code for code, _, _ in COMPANIES].index(code) + 1
        assert Fraction(str(answer["answer"])) == Fraction(f"{year - 1900}.{number}7") * int(str(factor))
        assert {cell["file"] for cell in answer["evidence"]} == {"company_figures.csv"}
        assert len({cell["row_key"] for cell in answer["evidence"]}) == 1
        assert answer["milestones"]["price"] * int(str(factor)) == pytest.approx(answer["answer"])


def test_checking_notices_another_answer(clean: Clean) -> None:
    folder = written(clean)
    assert check_set(folder, clean) == 40
    file = folder / CURATOR / TASKS / "test_answers.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[0]["clean_answer"] += 1
    file.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(GateError, match="not what binds them") as refused:
        check_set(folder, clean)
    assert "its statement gives" in refused.value.failing[lines[0]["id"]]


def test_checking_notices_another_commitment(clean: Clean) -> None:
    folder = written(clean)
    file = folder / TASKS / "commitments.json"
    bound = json.loads(file.read_text())
    bound["answers"]["test-0001"] = "0" * 64
    file.write_text(json.dumps(bound))
    with pytest.raises(GateError) as refused:
        check_set(folder, clean)
    assert refused.value.failing == {"test-0001": "its commitment is another"}


def test_a_broken_line_has_its_place(clean: Clean) -> None:
    folder = written(clean)
    file = folder / TASKS / "dev.jsonl"
    file.write_text(file.read_text().replace('"sql":', '"sequel":', 2))
    with pytest.raises(InputError, match=r"dev\.jsonl, line 1, is not as it was made, at 'sql'; make the tasks again"):
        check_set(folder, clean)


def test_a_salt_that_is_none_has_its_place(clean: Clean) -> None:
    folder = written(clean)
    file = folder / CURATOR / TASKS / "test_answers.jsonl"
    file.write_text(file.read_text().replace('"salt":"', '"salt":"no ', 1))
    with pytest.raises(InputError, match=r"test_answers\.jsonl, line 1, is not as it was made, at 'salt'"):
        check_set(folder, clean)


def test_a_number_that_nobody_asked_for_may_be_missed(clean: Clean) -> None:
    """Small tables give what they can of what families state, or of thirty; what was asked for is kept or refused."""
    three = families().families[0]
    slots = dict(three.slots) | {"year": Slot(choices=(2001,)), "code": Slot(choices=("AAAAA", "AAAAB", "AAAAC"))}
    few = Families(environment="us-listed", families=(replace(three, slots=slots),), manual=families().manual)
    stated = replace(few, categories={three.category: Proportion(any=4), "nothing": Proportion(any=1)})
    for of, wanted in ((few, 30), (stated, 5)):
        made = make_tasks(of, clean, KEY)
        assert (len(made.dev) + len(made.test), made.wanted) == (3, wanted)
    with pytest.raises(InputError, match="of 4 tasks that are asked for, 3 can be made"):
        make_tasks(few, clean, KEY, wanted=4)


def test_of_fewer_tasks_than_are_wanted_no_answer_is_that_of_more_than_it_may_be(tmp_path: Path) -> None:
    """Of 400 tasks, 20 may have one answer. Of 14 years with one price each there are as many tasks, each with its own."""
    figures = [(code, year, "Price", f"{year - 1900}.17") for code, _, _ in COMPANIES for year in range(2001, 2015)]
    clean = Clean(US_LISTED, database(tmp_path / "us-listed/clean/database", figures))
    of = replace(families(), categories={families().families[0].category: Proportion(any=400)})
    tasks = make_tasks(of, clean, KEY)
    golds = [json.dumps(task.draw.gold) for task in (*tasks.dev, *tasks.test)]
    assert (len(golds), len(set(golds)), tasks.wanted) == (14, 14, 400)


def test_each_task_is_counted_while_a_set_is_drawn(clean: Clean) -> None:
    """Whoever waits sees the number grow by one."""
    said = list[str]()
    make_tasks(families(), clean, KEY, wanted=8, watch=said.append)
    assert list(dict.fromkeys(said)) == [f"drawing tasks, {number} of 8" for number in range(8)]


def test_a_set_lands_whole_or_not_at_all(clean: Clean, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(written(clean))
    monkeypatch.setattr(writing, "manual", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        written(clean, OTHER)
    assert content(clean.database.parents[1]) == before


def test_impact_of_the_test_is_the_curators_and_answers_keep_their_digits(clean: Clean) -> None:
    """What is published is of tasks with answers alone; a number of 13 digits is not rounded."""
    tasks, folder, exact = made(clean), clean.database.parents[1], 33931932437.61
    impact = TaskImpact(touched=[], naive={"noisy": None}, mended=exact, cause="", broken_by=[], answerable=True)
    of = {task.name: impact for task in (*tasks.dev, *tasks.test)}
    write_tasks(tasks, families(), clean, folder, KEY, {"environment": "us-listed"}, of)
    public, kept = (
        json.loads((folder / part).read_bytes())
        for part in (f"{TASKS}/impact.json", f"{CURATOR}/{TASKS}/test_impact.json")
    )
    assert (list(public), list(kept)) == ([task.name for task in tasks.dev], [task.name for task in tasks.test])
    assert {each["mended"] for each in (*public.values(), *kept.values())} == {exact}


def test_the_public_page_has_answers_of_dev_alone_and_the_curators_all(clean: Clean) -> None:
    def page(answered: Iterable[Solved], asked: Iterable[Question], build: str) -> bytes:
        assert build in {"..", "../.."}
        return json.dumps([[each.id for each in part] for part in (answered, asked)]).encode()

    tasks, folder = made(clean), clean.database.parents[1]
    write_tasks(tasks, families(), clean, folder, KEY, {"environment": "us-listed"}, page=page)
    public, kept = (json.loads((folder / part / TASKS / "index.html").read_bytes()) for part in (".", CURATOR))
    dev, test = ([task.name for task in part] for part in (tasks.dev, tasks.test))
    assert (public, kept) == ([dev, test], [[*dev, *test], []])
    listed = json.loads((folder / TASKS / "manifest.json").read_bytes())["files"]
    assert "index.html" in {file["path"] for file in listed}


def test_more_tasks_than_there_are_is_an_error(clean: Clean) -> None:
    with pytest.raises(InputError, match=r"^of 10,000 tasks that are asked for, \d+ can be made .*leave out --count"):
        made(clean, wanted=10_000)


def test_a_slot_that_nothing_fills_is_an_error(clean: Clean) -> None:
    where = {"column": "sector", "is": "Z"}
    dry = family(
        STEPS,
        "answer",
        slots={
            "code": {"values": {"table": "company_profile", "column": "code", "where": [where], "least": 2}},
            "year": {"choices": [2003]},
        },
        wording={"en": [f"{{code}} {{year}} {mark}" for mark in "abcd"]},
    )
    of = Families(environment="us-listed", families=(dry,), manual=families().manual)
    for wanted in (0, 3):
        with pytest.raises(
            InputError, match=r"the clean tables have no answer to it: the tables have nothing for slot"
        ):
            make_tasks(of, clean, KEY, wanted=wanted)


def test_a_name_that_ends_in_a_full_stop_ends_a_sentence(clean: Clean) -> None:
    firm = {"choices": ["AAAAA"], "names": {"en": {"AAAAA": "Miller Corp."}}}
    asked = family(
        STEPS,
        "answer",
        slots={"code": firm, "year": {"choices": [2003]}},
        wording={"en": [f"Price {mark} of {{code}}. Year {{year}}, of {{code}}." for mark in "abcd"]},
    )
    every = replace(families(), families=(asked,))
    question = Drawer(every, clean, KEY).draw(asked, 0).question
    assert question.endswith(" of Miller Corp. Year 2003, of Miller Corp.")


def test_categories_have_their_proportions() -> None:
    stated = {"a": Proportion(easy=115, medium=111), "b": Proportion(medium=76), "c": Proportion(any=190)}
    weights = Families(environment="us-listed", families=(), categories=stated)
    of_all = {("a", "easy"): 115, ("a", "medium"): 111, ("b", "medium"): 76, ("c", "any"): 190}
    assert shares(weights, 492) == of_all
    assert sum(shares(weights, 101).values()) == 101


@pytest.mark.parametrize(
    ("environment", "further"), [(US_LISTED, set()), (DATACLAW_18, {"dates"})], ids=["us-listed", "dataclaw-18"]
)
def test_what_follows_from_a_declaration_fits_it(environment: Environment, further: set[str]) -> None:
    found = generic(environment)
    kinds = {family.category for family in found.families}
    assert kinds == {"lookup", "count", "ranking", "comparison", "change", "aggregate", "share", "join"} | further
    assert all("$listing" not in repr(family) and "\x1f" not in repr(family) for family in found.families)
    for asked in found.families:
        listed = asked.steps.get("names")
        if asked.category == "ranking" and isinstance(listed, Listing):  # or names would stand in no order
            assert isinstance(asked.steps[listed.of], Rank)


def test_a_question_asks_for_a_measure_without_its_unit(tmp_path: Path) -> None:
    """The guideline says the unit. A unit that is a word stays, and so does one that tells two measures apart."""
    asked = {
        "profit_eur": "profit",
        "MarginPct": "Margin",
        "sick_days": "sick days",
        "debt_eur": "debt eur",
        "debt_usd": "debt usd",
    }
    rows = "".join(
        f"F{firm},{year},{firm * 97 + year * 7},{firm % 9}.{year % 7},{firm * 7},{firm * 53},{firm * 31 + year}\n"
        for firm in range(30)
        for year in (2020, 2021)
    )
    firms = "".join(f"F{firm},Firm {firm},{'AB'[firm % 2]}\n" for firm in range(30))
    tables = {"firms": f"code,name,sector\n{firms}", "results": f"code,year,{','.join(asked)}\n{rows}"}
    found = guess(write(tmp_path, tables))
    assert found is not None
    families = {family.name: family for family in generic(found.environment()).families}
    assert families["figure_results"].slots["measure"].names["en"].items() >= asked.items()


def test_guidelines_of_questions_about_records_name_their_table() -> None:
    """Several tables may have records of a company."""
    views = LINES.views
    assert views is not None
    assert views.events
    for view in views.events:
        of_table = [family for family in generic(LINES).families if family.name.endswith(f"_{view.table}")]
        assert {family.conventions["en"].partition(".")[0] for family in of_table} == {
            f"Records are the rows of {view.table}"
        }
