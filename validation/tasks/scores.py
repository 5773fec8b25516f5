"""Results of a file of answers: a verdict on each task, and accuracies with their intervals. What `results.json` holds.

A task without an answer is wrong, and counted as missing. A verdict never stands beside the answer that is right.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from pipeline.errors import InputError
from pipeline.tasks.families import Level
from pipeline.tasks.scoring.files import GoldTask, TaskPart
from pipeline.tasks.scoring.matching import Verdict, judge
from validation.laws import share_at_least
from validation.report.documents.base import Document

NO_RULE = ""
"""Stands in `by_rule` for the tasks that no rule of noise breaks."""

_SIDE = 0.975
"""Confidence of each side of a 95 % interval."""


class Accuracy(Document):
    """How many of some tasks were answered right."""

    name: str
    """What these tasks have in common; `all`, a set, a category, a level, or a rule of noise that breaks them."""
    tasks: int
    right: int
    missing: int
    """Tasks without an answer, which count as wrong."""
    accuracy: float
    """Share of the tasks that were answered right."""
    low_95: float
    """Lower end of the two-sided 95 % interval: exact binomial (Clopper and Pearson 1934)."""
    high_95: float
    """Upper end of it."""


class ScoredTask(Document):
    """The verdict on the answer to one task."""

    id: str
    part: TaskPart
    """The file of the set in which the task stands."""
    category: str
    level: Level
    verdict: Verdict
    reason: str
    """Why, in plain English; it never says what is right."""


class Results(Document):
    """How a file of answers was scored: `results.json`."""

    environment: str
    tasks_sha256: str
    """Of the manifest of the tasks."""
    answers_sha256: str
    """Of the file of answers."""
    left_out: Mapping[str, str]
    """`dev` or `test`, if it was not scored -> why."""
    accuracy: Accuracy
    by_part: Sequence[Accuracy]
    """Of dev and of the test."""
    by_category: Sequence[Accuracy]
    by_level: Sequence[Accuracy]
    by_rule: Sequence[Accuracy]
    """Of the tasks that a rule of noise breaks; the first, whose name is empty, of those that none breaks. Nothing if nobody
    looked at the noise."""
    verdicts: Sequence[ScoredTask]


def scores_of(tasks: Sequence[GoldTask], answers: Mapping[str, Any], **about: str) -> Results:
    """Return the scores of answers, by the task's id.

    Dev and test are each scored whole, unless none of its tasks has an answer, or what is right is not at hand.

    Args:
        tasks: All tasks of a set.
        answers: Answers to some of these.
        about: The first three fields of `Results`.

    Raises:
        InputError: There is nothing to score.
    """
    left_out = dict(_left_out(tasks, answers))
    scored = [(task, _verdict(task, answers)) for task in tasks if task.part not in left_out]
    if not scored:
        raise InputError("nothing can be scored" + "".join(f"; {part}: {why}" for part, why in left_out.items()))

    def by(names: Callable[[GoldTask], Iterable[str]]) -> list[Accuracy]:
        groups: dict[str, list[ScoredTask]] = {}
        for task, verdict in scored:
            for name in names(task):
                groups.setdefault(name, []).append(verdict)
        return [accuracy_of(name, verdicts) for name, verdicts in groups.items()]

    return Results(
        **about,
        left_out=left_out,
        accuracy=accuracy_of("all", [verdict for _, verdict in scored]),
        by_part=by(lambda task: [task.part]),
        by_category=sorted(by(lambda task: [task.asked.category]), key=lambda each: each.name),
        by_level=sorted(by(lambda task: [task.asked.level]), key=lambda each: get_args(Level).index(each.name)),
        by_rule=sorted(by(_rules), key=lambda each: (each.name != NO_RULE, -each.tasks, each.name)),
        verdicts=[verdict for _, verdict in scored],
    )


_CURATORS = "its answers are the curator's, and cannot be read here (curator/tasks/test_answers.jsonl)"
_NONE_GIVEN = "the file answers none of its tasks"


def accuracy_of(name: str, verdicts: Sequence[ScoredTask]) -> Accuracy:
    """Return the accuracy on one task or more, with its interval."""
    found = [each.verdict for each in verdicts]
    right, of = found.count("right"), len(found)
    return Accuracy(
        name=name,
        tasks=of,
        right=right,
        missing=found.count("missing"),
        accuracy=right / of,
        low_95=share_at_least(right, of, _SIDE),
        high_95=1 - share_at_least(of - right, of, _SIDE),
    )


def _left_out(tasks: Sequence[GoldTask], answers: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for part in dict.fromkeys(task.part for task in tasks):
        own = [task for task in tasks if task.part == part]
        if any(task.gold is None for task in own):
            yield part, _CURATORS
        elif answers and not any(task.asked.id in answers for task in own):
            yield part, _NONE_GIVEN


def _verdict(task: GoldTask, answers: Mapping[str, Any]) -> ScoredTask:
    assert task.gold is not None  # noqa: S101  (others were left out)
    verdict, reason = judge(task.asked, task.gold, answers.get(task.asked.id))
    asked = task.asked
    return ScoredTask(
        id=asked.id, part=task.part, category=asked.category, level=asked.level, verdict=verdict, reason=reason
    )


def _rules(task: GoldTask) -> Sequence[str]:
    return () if task.broken_by is None else task.broken_by or (NO_RULE,)
