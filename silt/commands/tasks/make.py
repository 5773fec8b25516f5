"""`silt tasks make`: draw tasks from a finished build, and write them with their answers."""

import argparse
import gc
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assets.settings import BuildSettings
from pipeline.errors import InputError
from pipeline.places import CLEAN, NOISY, default_cleaning_plan
from pipeline.settings import settings_from
from pipeline.tasks.settings import TasksSettings
from silt.commands.options import Commands, add_built, add_command, add_settings
from silt.commands.saying import say

if TYPE_CHECKING:
    from assets.making.request import Request
    from assets.tasks.making import TasksMade


def add_to(actions: Commands) -> None:
    """Declare the action and its options."""
    command = add_command(actions, "make", run, "draw tasks from a finished build, and write them with their answers")
    add_built(command, "key_file", "out")
    add_settings(command, TasksSettings)
    add_settings(command, BuildSettings, only=("noise", "raw"))


def run(options: argparse.Namespace) -> int:
    """Make the set and say what is in it."""
    settings = settings_from(TasksSettings, vars(options))
    if (options.noise or options.raw) and not settings.impact:
        raise InputError("--noise and --raw say of which noise the impact is looked at; give --impact, too, or neither")
    from assets.tasks.making import make_tasks_of  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.publish.publication import exclusive  # noqa: PLC0415
    from silt.commands.build.records import is_recorded  # noqa: PLC0415
    from silt.commands.tasks.request import requested  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415

    gc.enable()  # a draw that is refused leaves its tables in a cycle with the exception
    request = requested(find_environment(options.environment), options)
    say(f"drawing tasks from {request.folder / CLEAN}", to=sys.stderr)
    with exclusive(request.folder):
        made = make_tasks_of(request, settings)
        if is_recorded():
            from silt.commands.build.recorded import record_tasks  # noqa: PLC0415  (Dagster takes seconds to import)

            record_tasks(request, settings, made)
    say(*(f"  {name:<10} {text}" for name, text in _summary(request, settings, made)))
    out = {"--families": settings.families, "--out": options.out}
    words = [word for option, value in out.items() if value for word in (option, value)]
    say(f"  next       {shlex.join(['silt', 'tasks', 'check', '--environment', options.environment, *words])}")
    return 0


def _summary(request: "Request", settings: TasksSettings, made: "TasksMade") -> Iterator[tuple[str, str]]:
    """Yield what is said of a set, each with its name."""
    from validation.tasks.impact import accounted  # noqa: PLC0415
    from validation.wording import counted  # noqa: PLC0415

    with_answers = counted(len(made.tasks.dev), "task")
    yield (
        "made",
        f"{with_answers} with answers (--dev {settings.dev}) and {len(made.tasks.test)} without, in {made.folder}",
    )
    if len(made.draws) < made.tasks.wanted:
        why, times = made.tasks.refused.most_common(1)[0]
        refused = f"others were refused, {times:,} times since {why}"
        yield "fewer", f"the tables give {len(made.draws)} of {made.tasks.wanted} tasks: {refused}"
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
        return "Silt knows how tables are cleaned of shipped environments alone"
    return "give --impact and the specification of its noise (--noise)"
