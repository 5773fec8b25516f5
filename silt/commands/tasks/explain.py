"""`silt tasks explain`: say what families ask, in words, and how they compute it."""

import argparse

from pipeline.tasks.settings import FAMILIES, TasksSettings
from silt.commands.options import Commands, add_command, add_settings
from silt.commands.saying import say


def add_to(actions: Commands) -> None:
    """Declare the action and its options."""
    command = add_command(actions, "explain", run, "say what families of tasks ask, and how they compute it")
    add_settings(command, TasksSettings, only=(FAMILIES,))
    command.add_argument("--family", default="", help="only this family")


def run(options: argparse.Namespace) -> int:
    """Print each family."""
    from pipeline.errors import InputError  # noqa: PLC0415
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
