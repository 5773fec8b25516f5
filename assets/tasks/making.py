"""Makes the tasks of a finished build from its clean tables, and tries them on the noisy ones."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from assets.making.request import Request
from assets.tasks.noise import impact_of, noisy_sides, task_noise
from pipeline.errors import InputError
from pipeline.places import TASKS
from pipeline.publish.files import sha256
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.variant import CLEAN
from pipeline.tasks.drawing import Draw
from pipeline.tasks.generic import GENERIC, families_file, families_of
from pipeline.tasks.making import TaskSet, make_tasks
from pipeline.tasks.records import Question, Solved
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.settings import TasksSettings
from pipeline.tasks.writing import write_tasks
from validation.report.tasks.page import tasks_page
from validation.tasks.impact import Impact, accounted


@dataclass(frozen=True)
class TasksMade:
    """A set that was written."""

    folder: Path
    """Its public folder."""
    tasks: TaskSet
    clean: Clean
    was_tried: bool
    """Whether each task was tried on the noisy tables."""
    impact: Mapping[str, Impact]
    """Task -> what noise does to it; empty if that was not asked for."""

    @property
    def draws(self) -> list[Draw]:
        """Return what was drawn, dev and test together."""
        return [task.draw for task in (*self.tasks.dev, *self.tasks.test)]

    @property
    def answerable(self) -> int | None:
        """Return how many can be answered from the noisy tables; None if nobody tried."""
        return sum(draw.is_answerable for draw in self.draws) if self.was_tried else None

    @property
    def stated(self) -> dict[str, object]:
        """Return what the manifest says of it."""
        answerable = "not tried" if self.answerable is None else self.answerable
        impact = {"impact": accounted(self.impact)} if self.impact else {}
        return {"dev": len(self.tasks.dev), "test": len(self.tasks.test), "answerable": answerable, **impact}


def make_tasks_of(
    request: Request,
    settings: TasksSettings,
    *,
    announce: Callable[[str], None] = lambda _step: None,
    note: Callable[[str], None] = lambda _step: None,
) -> TasksMade:
    """Make and write the tasks of what a request built, whose folder the caller holds.

    Args:
        announce: Called with one line before each further step.
        note: Called with how far a long one is.

    Raises:
        GateError: A published file is not as it was built, or the two programs of a task disagree.
        InputError: Something is missing, or there are not as many tasks as are asked for.
    """
    environment, folder = request.environment, request.folder
    if settings.impact:
        _ = request.noise  # refused before seconds go into a set
    verify_files(folder / CLEAN)
    file = families_file(environment, settings.families)
    families = families_of(environment, file)
    clean = Clean(environment, folder / CLEAN / "database", families.measured_tables)
    key, noisy, share = (
        request.release.key.derive("tasks"),
        noisy_sides(request, clean, families),
        settings.unanswerable_share,
    )
    if noisy is None and share:
        raise InputError(
            "nobody can tell which tasks have no answer: --unanswerable needs a noisy variant, and a file that says how the "
            "environment is cleaned (noise_specs/cleaning)"
        )
    count, dev = settings.count, settings.dev_share
    tasks = make_tasks(families, clean, key, wanted=count, dev=dev, noisy=noisy, unanswerable=share, watch=note)
    impact: Mapping[str, Impact] = {}
    if settings.impact:
        announce("looking at what noise does to each task")
        impact = impact_of(request, tasks, clean, noisy, watch=lambda what: note(f"trying {what}"))
    note("writing tasks and answers")
    made = TasksMade(folder / TASKS, tasks, clean, noisy is not None, impact)
    del noisy  # its tables are a third of the memory, and are not needed to write
    made_of = {
        "environment": environment.name,
        "policy": request.policy.name,
        "key_fingerprint": key.fingerprint(),
        "clean_manifest_sha256": sha256(folder / CLEAN / MANIFEST),
        "families_sha256": sha256(file or GENERIC),
        "settings": settings.stated,
        **made.stated,
    }
    records = {name: each.record() for name, each in impact.items()}
    noise = task_noise(request, records) if impact else None

    def page(answered: Iterable[Solved], others: Iterable[Question], build: str) -> bytes:
        note("writing a page")
        is_public = request.release.is_demonstration
        return tasks_page(
            answered, others, build, clean=clean, noise=noise, answerable=made.answerable, is_key_public=is_public
        )

    write_tasks(tasks, families, clean, folder, key, made_of, records, page)
    return made
