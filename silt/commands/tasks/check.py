"""`silt tasks check`: check families, and that the answers of a set are those of its statements and commitments."""

import argparse

from silt.commands.options import Commands, add_command
from silt.commands.saying import say
from silt.commands.tasks.request import add_options, requested


def add_to(actions: Commands) -> None:
    """Declare the action and its options."""
    text = "check families of tasks, and the answers of a set that was made: by their statements and commitments"
    add_options(add_command(actions, "check", run, text))


def run(options: argparse.Namespace) -> int:
    """Check, print what was checked, and raise `GateError` if an answer is another."""
    from pipeline.tasks.checked import check_set  # noqa: PLC0415
    from pipeline.tasks.generic import families_of  # noqa: PLC0415
    from pipeline.tasks.running.clean import Clean  # noqa: PLC0415

    request = requested(options)
    families = families_of(request.environment, request.families)
    say(f"{len(families.families)} families fit the schema of {request.environment.name}")
    clean = Clean(request.environment, request.database, families.measured_tables)
    if count := check_set(request.folder, clean):
        say(f"{count} answers are those of their statements and commitments")
    return 0
