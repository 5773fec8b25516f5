"""What differs between the tasks of two releases. Questions are matched by their text, for names are numbers within a set.

The answer of a task of the test is known by its commitment alone, whose salt follows from key and name. So it is compared where
both sets are of one key, and the task has one name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from pipeline.places import TASKS
from pipeline.publish.manifest import MANIFEST
from pipeline.release.tasks import PUBLIC
from pipeline.tasks.names import COMMITMENTS, DEV, TEST
from pipeline.wording import counted
from validation.release.checks.tasks import has_tasks, tasks_in
from validation.release.opened import Release

OF_TASKS = frozenset(f"{TASKS}/{name}" for name in PUBLIC)
"""Files that decide what is asked, and what is right."""


@dataclass(frozen=True)
class OfTasks:
    """What differs in one file of tasks."""

    file: str
    gone: int
    come: int
    otherwise: int
    """Questions of both with another answer, guideline, or anything else by which answers are scored."""

    def __str__(self) -> str:
        """Return it in words."""
        gone = counted(self.gone, "question")
        return f"{TASKS}/{self.file}: {gone} gone, {self.come:,} come, {self.otherwise:,} answered otherwise"


def of_tasks(first: Release, second: Release) -> Iterator[OfTasks]:
    """Compare the tasks of two releases, file by file; nothing where one of them has none."""
    for file in (DEV, TEST) if has_tasks(first) and has_tasks(second) else ():
        one, other = (_asked(release, file) for release in (first, second))
        both = one.keys() & other.keys()
        otherwise = sum(one[question].differs(other[question]) for question in both)
        found = OfTasks(file, len(one) - len(both), len(other) - len(both), otherwise)
        if found.gone or found.come or found.otherwise:
            yield found


class _Asked(NamedTuple):
    shown: dict[str, Any]
    """What everybody gets of it, and the answer if it is there."""
    name: tuple[object, str]
    """The key of its set, and its name there."""
    bound: object
    """Its commitment, if it is a task of the test."""

    def differs(self, other: "_Asked") -> bool:
        return self.shown != other.shown or (self.name == other.name and self.bound != other.bound)


def _asked(release: Release, file: str) -> dict[str, _Asked]:
    from pipeline.tasks.records import Question, Shown  # noqa: PLC0415  (releases without tasks do not need it)

    key = release.tree.json(f"{TASKS}/{MANIFEST}").get("key_fingerprint")
    commitments = release.tree.json(f"{TASKS}/{COMMITMENTS}").get("answers")
    bound = commitments if isinstance(commitments, dict) else {}
    fields = set(Shown.model_fields) - {"id"}
    return {
        task.question: _Asked(task.model_dump(include=fields), (key, task.id), bound.get(task.id))
        for task in tasks_in(release, file)
        if isinstance(task, Question)
    }
