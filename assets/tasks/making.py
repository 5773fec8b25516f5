"""Makes the tasks of a finished build: from its clean tables, and what its noise does to them if that is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assets.making.request import Request
from assets.tasks.noise import impact_of
from pipeline.places import TASKS
from pipeline.publish.files import sha256
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.variant import CLEAN
from pipeline.tasks.generic import GENERIC, families_file, families_of
from pipeline.tasks.making import TaskSet, make_tasks
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.settings import TasksSettings
from pipeline.tasks.writing import write_tasks
from validation.tasks.impact import Impact, accounted


@dataclass(frozen=True)
class TasksMade:
    """A set that was written."""

    folder: Path
    """Its public folder."""
    tasks: TaskSet
    impact: Mapping[str, Impact]
    """Task -> what noise does to it; empty if that was not asked for."""


def make_tasks_of(request: Request, settings: TasksSettings) -> TasksMade:
    """Make and write the tasks of what a request built, whose folder the caller holds.

    Raises:
        GateError: A published file is not as it was built, or the two programs of a task disagree.
        InputError: Something is missing, or there are not as many tasks as are asked for.
    """
    environment, folder = request.environment, request.folder
    verify_files(folder / CLEAN)
    file = families_file(environment, settings.families)
    families = families_of(environment, file)
    clean = Clean(environment, folder / CLEAN / "database", families.measured_tables)
    key = request.release.key.derive("tasks")
    tasks = make_tasks(families, clean, key, wanted=settings.count, dev=settings.dev_share)
    impact = impact_of(request, tasks, clean) if settings.impact else {}
    made_of = {
        "environment": environment.name,
        "policy": request.policy.name,
        "key_fingerprint": key.fingerprint(),
        "clean_manifest_sha256": sha256(folder / CLEAN / MANIFEST),
        "families_sha256": sha256(file or GENERIC),
        "settings": settings.stated,
        "dev": len(tasks.dev),
        "test": len(tasks.test),
    }
    if impact:
        made_of |= {"impact": accounted(impact)}
    write_tasks(tasks, families, clean, folder, key, made_of, {name: each.record() for name, each in impact.items()})
    return TasksMade(folder / TASKS, tasks, impact)
