"""`silt tasks make`: draw tasks from a finished build, and write them with their answers."""

import argparse
import gc
from typing import TYPE_CHECKING

from assets.settings import BuildSettings
from pipeline.errors import InputError
from pipeline.places import NOISY, SPECIFICATIONS, default_cleaning_plan
from pipeline.settings import settings_from
from pipeline.tasks.settings import TasksSettings
from silt.commands.options import Commands, add_built, add_command, add_settings
from silt.commands.saying import say

if TYPE_CHECKING:
    from assets.making.request import Request


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
    from validation.tasks.impact import accounted  # noqa: PLC0415
    from validation.wording import counted  # noqa: PLC0415

    gc.enable()  # a draw that is refused leaves its tables in a cycle with the exception
    request = requested(find_environment(options.environment), options)
    with exclusive(request.folder):
        made = make_tasks_of(request, settings)
        if is_recorded():
            from silt.commands.build.recorded import record_tasks  # noqa: PLC0415  (Dagster takes seconds to import)

            record_tasks(request, settings, made)
    if made.impact:
        counts = accounted(made.impact)
        tried = f"; {counts['answerable']} can be answered from it" if made.was_tried else ""
        say(
            "impact: the answer of a naive reader, who takes the noisy tables as they stand, and which rules of noise spoil it"
        )
        say(f"a naive reader gets {counts['tasks'] - counts['wrong']} of {counts['tasks']} right on noisy{tried}")
    if not made.was_tried:
        say(f"not tried: whether they can be answered from noisy; that needs {_missing(request)}")
    if len(made.draws) < made.tasks.wanted:
        why, times = made.tasks.refused.most_common(1)[0]
        say(
            f"the tables give {len(made.draws)} of {made.tasks.wanted} tasks: others were refused, {times:,} times since {why}"
        )
    with_answers = counted(len(made.tasks.dev), "task")
    say(f"{with_answers} with answers (--dev {settings.dev}) and {len(made.tasks.test)} without are in {made.folder}")
    return 0


def _missing(request: "Request") -> str:
    """Say what is not there for asking a naive reader of the noisy variant."""
    plan = default_cleaning_plan(request.environment.name)
    missing = {
        "a noisy variant": not (request.folder / NOISY).is_dir(),
        f"a plan of how it is cleaned ({plan.relative_to(SPECIFICATIONS.parent)})": not plan.is_file(),
        "the noise specification (--impact --noise)": plan.is_file() and request.specified is None,
    }
    return " and ".join(what for what, is_missing in missing.items() if is_missing)
