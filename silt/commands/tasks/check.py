"""`silt tasks check`: check families, and that the answers of a set are those of its statements and commitments."""

import argparse
from pathlib import Path

from pipeline.tasks.settings import FAMILIES, TasksSettings
from silt.commands.options import Commands, add_built, add_command, add_settings
from silt.commands.saying import say


def add_to(actions: Commands) -> None:
    """Declare the action and its options."""
    text = "check families of tasks, and the answers of a set that was made: by their statements and commitments"
    command = add_command(actions, "check", run, text)
    add_built(command, "out")
    add_settings(command, TasksSettings, only=(FAMILIES,))


def run(options: argparse.Namespace) -> int:
    """Check, print what was checked, and raise `GateError` if an answer is another."""
    from pipeline.publish.variant import CLEAN  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.tasks.checked import check_set  # noqa: PLC0415
    from pipeline.tasks.generic import families_file, families_of  # noqa: PLC0415
    from pipeline.tasks.running.clean import Clean  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415

    environment = find_environment(options.environment)
    families = families_of(environment, families_file(environment, options.families))
    say(f"{len(families.families)} families fit the schema of {environment.name}")
    folder = Path(options.out) / environment.name
    clean = Clean(environment, folder / CLEAN / "database", families.measured_tables)
    if count := check_set(folder, clean):
        say(f"{count} answers are those of their statements and commitments")
    return 0
