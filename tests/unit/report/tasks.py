"""A small set of tasks as its page has them: two with answers, of which noise breaks one, and one of the test."""

from pathlib import Path
from typing import Any

import polars as pl

from pipeline.noise.ablation import Ablation, SeriesPart
from pipeline.noise.kinds.interface import Family
from pipeline.noise.ledger import SCHEMA
from pipeline.tasks.records import EvidenceCell, Question, Solved, TaskImpact, TouchedBy
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.scoring.files import GoldTask
from silt.environments.us_listed import US_LISTED
from tests.unit.tasks.small import database
from validation.report.tasks.effects import TaskNoise
from validation.report.tasks.page import tasks_page
from validation.report.tasks.scores import scores_page
from validation.tasks.scores import scores_of

FIGURES = 30
"""Figures that the first task reads: more than its page has room for."""

_ALONE = {
    Family.UNITS: "only-units",
    Family.MISSING: "only-missing",
    Family.ROWS: "only-rows",
    Family.NAMES: "only-names",
}

VARIANTS = [
    Ablation(name="noisy", parts=(SeriesPart(series="ladder", family=None, rung=0),), families=(), rules=()),
    Ablation(
        name="without-units", parts=(SeriesPart(series="ladder", family=Family.UNITS, rung=1),), families=(), rules=()
    ),
    Ablation(name="clean", parts=(SeriesPart(series="ladder", family=Family.MISSING, rung=2),), families=(), rules=()),
    *(
        Ablation(name=name, parts=(SeriesPart(series="only_one", family=family),), families=(), rules=())
        for family, name in _ALONE.items()
    ),
]


def question(name: str, end: str = "", **changes: Any) -> Question:
    """Return a task as everybody gets it; its texts have an end."""
    return Question(
        **{
            "id": name,
            "family": "total",
            "category": f"sums{end}",
            "level": "easy",
            "language": "en",
            "question": f"What is the total of {name}?{end}",
            "guideline": f"Give a number.{end}",
            "answer_type": "number",
            "unit": f"USD{end}",
            "tolerance": 0.005,
            "variant": "noisy",
        }
        | changes
    )


def solved(asked: Question, end: str = "", **changes: Any) -> Solved:
    """Return a task with its answer, which depends on all figures."""
    file = "company_figures.csv"
    return Solved(
        **dict(asked)
        | {
            "answer": f"gold{end}",
            "clean_answer": f"gold{end}",
            "steps": [f"rows: rows of company_figures{end}", "total: sum of value in rows"],
            "milestones": {"rows": FIGURES, "total": f"gold{end}"},
            "sql": f"SELECT 'x'\nWHERE '{end}' <> ''",
            "evidence": [EvidenceCell(file=file, row_key=str(i), column="value") for i in range(1, FIGURES + 1)],
        }
        | changes
    )


def noise(end: str = "") -> TaskNoise:
    """Return noise of which `units` breaks the first task alone, `gaps` with others, and `twice` touches it."""
    changes = [
        ("20", "value", "unit_mismatch", f"units{end}", f"{20}.5", f"0.0205{end}"),
        ("21", "value", "missing_values", f"gaps{end}", "21.5", ""),
        ("22", "", "duplicate_rows", f"twice{end}", "", "{}"),
    ]
    ledger = pl.DataFrame(
        [("company_figures", key, column, kind, rule, old, new, True) for key, column, kind, rule, old, new in changes],
        schema=SCHEMA,
        orient="row",
    )
    touched = [TouchedBy(rule=f"{rule}{end}", cells=1) for rule in ("units", "gaps", "twice")]
    gold = f"gold{end}"
    wrong = {"noisy": f"spoilt{end}", "without-units": f"half{end}", "only-units": f"spoilt{end}"}
    right = dict.fromkeys(("clean", "only-missing", "only-rows", "only-names"), gold)
    broken = TaskImpact(
        touched=touched,
        naive=wrong | right,
        mended=gold,
        cause="several",
        broken_by=[f"units{end}", f"gaps{end}"],
        answerable=True,
    )
    robust = TaskImpact(
        touched=[], naive=dict.fromkeys(wrong | right, gold), mended=gold, cause="", broken_by=[], answerable=True
    )
    return TaskNoise(impact={"dev-0001": broken, "dev-0002": robust}, variants=VARIANTS, ledger=ledger)


def scores(end: str = "") -> bytes:
    """Return the page of scores of these tasks: one is right, one wrong, one missing; texts that are not Silt's have an end."""
    asked = [
        question("dev-0001", end),
        question("dev-0002", end, category="other", level="hard"),
        question("dev-0003", end),
    ]
    rules = ((), (f"units{end}",), (f"units{end}", f"gaps{end}"))
    tasks = [
        GoldTask(asked=each, part="dev", gold=1.5, broken_by=broken_by)
        for each, broken_by in zip(asked, rules, strict=True)
    ]
    answers = {"dev-0001": 1.5, "dev-0002": f"1.5 or 2{end}"}
    found = scores_of(tasks, answers, environment="us-listed", tasks_sha256="0" * 64, answers_sha256="1" * 64)
    return scores_page(found, {each.id: each for each in asked}, f"Shops{end}")


def page(folder: Path, end: str = "", *, with_noise: bool = True) -> bytes:
    """Return the page; every text on it that is not Silt's own has an end."""
    figures = [
        (f"AAAA{end}", 2000 + i, f"Revenue{end}", f"{i}.5{end if i > 20 else ''}") for i in range(1, FIGURES + 1)
    ]
    clean = Clean(US_LISTED, database(folder / "database", figures))
    asked = question("dev-0001", end), question("dev-0002", end, category="other", level="hard")
    answers = [solved(each, end) for each in asked]
    return tasks_page(answers, [question("test-0001", end)], clean=clean, noise=noise(end) if with_noise else None)
