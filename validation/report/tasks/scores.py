"""`results.html`: how a file of answers was scored, as people look at it.

Belongs here: words and order. Verdicts and accuracies were found by `validation/tasks/scores.py`. Nothing on the page says what
was answered, or what is right.
"""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from pipeline.tasks.records import Question
from pipeline.wording import percent
from validation.report.html import Cell, Column, Table, render, share, table
from validation.tasks.scores import NO_RULE, Accuracy, Results
from validation.wording import spoken

_KINDS = {"right": "kept", "wrong": "exceeded", "missing": "doubtful"}
"""Verdict -> the class of its cell; what is wrong stands first."""


def scores_page(scores: Results, asked: Mapping[str, Question], title: str) -> bytes:
    """Return the page of some scores, self-contained and without network.

    Args:
        scores: What it shows.
        asked: Each task by its id; its question stands beside the verdict.
        title: The environment's.
    """
    rows: dict[str, Column] = {
        "task": lambda each: Cell(Markup("<code>{}</code>").format(each.id), each.id),
        "verdict": lambda each: Cell(each.verdict, kind=_KINDS[each.verdict]),
        "why": "reason",
        "part": "part",
        "category": lambda each: spoken(each.category),
        "level": "level",
        "question": lambda each: _question(asked[each.id]),
    }
    page = render(
        "tasks/scores.html",
        title=f"Scores: {title}",
        scores=scores,
        interval=interval(scores.accuracy),
        tables=list(_tables(scores)),
        verdicts=table("verdicts", scores.verdicts, rows, kind="cards"),
    )
    return page.encode()


def interval(accuracy: Accuracy) -> str:
    """Return the 95 % interval in words."""
    return f"{percent(accuracy.low_95)} to {percent(accuracy.high_95)}"


def _tables(scores: Results) -> Iterator[Table]:
    for name, accuracies in (
        ("part", scores.by_part),
        ("category", scores.by_category),
        ("level", scores.by_level),
        ("rule of noise that breaks the task", scores.by_rule),
    ):
        if accuracies:
            yield _table(name, accuracies)


def _table(name: str, accuracies: Sequence[Accuracy]) -> Table:
    columns: dict[str, Column] = {
        name: lambda each: _called(name, each.name),
        "tasks": "tasks",
        "right": "right",
        "missing": "missing",
        "accuracy": lambda each: share(each.accuracy),
        "95% interval": interval,
    }
    return table(name, accuracies, columns, kind="cards")


def _question(asked: Question) -> Cell:
    return Cell(Markup('<span lang="{}">{}</span>').format(asked.language, asked.question), asked.question)


def _called(group: str, name: str) -> str:
    return spoken(name) if group == "category" else "none" if name == NO_RULE else name
