"""`silt tasks`: make tasks with gold answers of a finished build, explain them, and check them."""

import argparse
import gc
import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from assets.settings import BuildSettings
from pipeline.errors import InputError
from pipeline.places import CLEAN, CURATOR, NOISY, TASKS, default_cleaning_plan
from pipeline.settings import settings_from
from pipeline.tasks.names import TEST_ANSWERS
from pipeline.tasks.settings import FAMILIES, TasksSettings
from silt.commands.options import Commands, add_built, add_command, add_group, add_settings, given
from silt.commands.saying import say
from silt.commands.waiting import begun, running

if TYPE_CHECKING:
    from assets.making.request import Request
    from assets.tasks.making import TasksMade
    from pipeline.model import Environment


def add_to(commands: Commands) -> None:
    """Declare the command, its actions and their options."""
    actions = add_group(commands, "tasks")
    make = "draw tasks from a finished build, and write them with their answers"
    command = add_command(actions, "make", _make, make)
    add_built(command, "key_file", "out")
    add_settings(command, TasksSettings)
    add_settings(command, BuildSettings, only=("noise", "raw"))
    command = add_command(actions, "explain", _explain, "say what families of tasks ask, and how they compute it")
    add_settings(command, TasksSettings, only=(FAMILIES,))
    command.add_argument("--family", default="", help="only this family")
    check = "check families of tasks, and the answers of a set that was made: by their statements and commitments"
    command = add_command(actions, "check", _check, check)
    add_built(command, "out")
    add_settings(command, TasksSettings, only=(FAMILIES,))


def _make(options: argparse.Namespace) -> int:
    """Make the set and say what is in it."""
    settings = settings_from(TasksSettings, vars(options))
    if (options.noise or options.raw) and not settings.impact:
        raise InputError("--noise and --raw say of which noise the impact is looked at; give --impact, too, or neither")
    begun(f"making tasks of {options.environment}")
    from assets.tasks.making import make_tasks_of  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.publish.curator import describe  # noqa: PLC0415
    from pipeline.publish.publication import exclusive  # noqa: PLC0415
    from silt.commands.build.records import is_recorded  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415

    gc.enable()  # a draw that is refused leaves its tables in a cycle with the exception
    request = requested(find_environment(options.environment), options)
    running(f"drawing tasks from {request.folder / CLEAN}")
    with exclusive(request.folder):
        make = cache(partial(make_tasks_of, request, settings, announce=begun, note=running))
        if is_recorded():
            from silt.commands.build.recorded import run_tasks  # noqa: PLC0415  (Dagster takes seconds to import)

            run_tasks(request, settings, make)
        made = make()
        describe(request.curator)
    say(*(f"  {name:<10} {text}" for name, text in _summary(request, settings, made)))
    out = {"--families": settings.families, "--out": options.out}
    words = [word for option, value in out.items() if value for word in (option, value)]
    say(f"  next       {shlex.join(['silt', 'tasks', 'check', '--environment', options.environment, *words])}")
    return 0


def make_again(options: argparse.Namespace) -> str:
    """Return the command that makes the tasks of a build."""
    out = given(settings_from(BuildSettings, {"out": options.out}))
    return shlex.join(["silt", "tasks", "make", "--environment", options.environment, *out])


def requested(environment: "Environment", options: argparse.Namespace) -> "Request":
    """Return the request of the build that options name: a finished one, as its manifest says that it was asked for.

    Raises:
        InputError: There is no clean variant, or a setting cannot be used.
        KeyFileError: The key cannot be read.
    """
    from anonymize.keys.release_key import ReleaseKey  # noqa: PLC0415
    from assets.wiring.resources import Workspace  # noqa: PLC0415
    from silt.commands.audit.request import AuditRequest, read_manifest, release_master  # noqa: PLC0415

    asked = settings_from(Workspace, vars(options))
    key_file = Path(asked.key_file) if asked.key_file else None
    built = AuditRequest(environment=environment, variant=CLEAN, out=Path(asked.out), key_file=key_file)
    manifest = read_manifest(built)
    policy, source = str(manifest["policy"]), str(manifest["source"])
    release = ReleaseKey(master=release_master(built, manifest), policy=policy, file=key_file)
    asked = replace(asked, policy=policy, budget=manifest.get("budget"))
    return asked.of_built(environment, release, source=source, scale=manifest["scale"])


def _summary(request: "Request", settings: TasksSettings, made: "TasksMade") -> Iterator[tuple[str, str]]:
    """Yield what is said of a set, each with its name."""
    from pipeline.wording import counted  # noqa: PLC0415
    from validation.tasks.impact import accounted  # noqa: PLC0415

    with_answers = counted(len(made.tasks.dev), "task")
    yield (
        "made",
        f"{with_answers} with answers (--dev {settings.dev}) and {len(made.tasks.test)} without, in {made.folder}",
    )
    if made.tasks.test:
        yield "answers", f"of the others, for the curator alone: {request.folder / CURATOR / TASKS / TEST_ANSWERS}"
    if len(made.draws) < made.tasks.wanted:
        why, times = made.tasks.refused.most_common(1)[0]
        refused = f"draws of others were refused, most often because {why} ({counted(times, 'draw')})"
        yield "fewer", f"the tables give {len(made.draws)} of {made.tasks.wanted} tasks; {refused}"
    if made.impact:
        counts = accounted(made.impact)
        tried = f"; {counts['answerable']} can be answered from it" if made.was_tried else ""
        right = f"{counts['tasks'] - counts['wrong']} of {counts['tasks']} right on noisy{tried}"
        yield "impact", f"a naive reader, who takes the noisy tables as they stand, gets {right}"
    if not made.was_tried:
        yield "not tried", f"whether they can be answered from noisy: {_missing(request)}"
    yield "page", str(made.folder / "index.html")


def _missing(request: "Request") -> str:
    """Say why a naive reader of the noisy variant was not asked."""
    if not (request.folder / NOISY).is_dir():
        return "there is no noisy variant"
    if not default_cleaning_plan(request.environment.name).is_file():
        return "Silt knows only of the environments that it ships how their tables are cleaned"
    return "give --impact and the specification of its noise (--noise)"


def _explain(options: argparse.Namespace) -> int:
    """Print each family."""
    from pipeline.tasks.generic import families_file, families_of  # noqa: PLC0415
    from pipeline.tasks.wording import in_words  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415

    environment = find_environment(options.environment)
    families = families_of(environment, families_file(environment, options.families)).families
    chosen = [family for family in families if options.family in ("", family.name)]
    if not chosen:
        raise InputError.unknown("family", options.family, [family.name for family in families])
    for family in chosen:
        say(f"{family.name} ({family.category})")
        say(*(f"  {text}" for texts in family.wording.values() for text in texts[:1]))
        say(*(f"    {in_words(name, step)}" for name, step in family.steps.items()))
        say(f"    answer: {', '.join(family.answer.of)}")
    return 0


def _check(options: argparse.Namespace) -> int:
    """Check, and print what was checked.

    Raises:
        GateError: An answer is another.
        InputError: The tasks are of another clean build.
    """
    from pipeline.release.tasks import refuse_outdated  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.tasks.checked import check_set  # noqa: PLC0415
    from pipeline.tasks.generic import families_file, families_of  # noqa: PLC0415
    from pipeline.tasks.running.clean import Clean  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415

    environment = find_environment(options.environment)
    families = families_of(environment, families_file(environment, options.families))
    say(f"all families ({len(families.families)}) fit the schema of {environment.name}")
    folder = Path(options.out) / environment.name
    clean = Clean(environment, folder / CLEAN / "database", families.measured_tables)
    refuse_outdated(folder, make_again(options))
    if count := check_set(folder, clean):
        say(f"{count} right, as their statements and commitments say")
        beside = [word for word in ("--out", options.out) if options.out]
        score = shlex.join(["silt", "score", "ANSWERS.jsonl", "--environment", options.environment, *beside])
        say(
            '  first      write an agent\'s answers to ANSWERS.jsonl, a line each: {"id": ..., "answer": ...}',
            f"  next       {score}",
        )
    return 0
