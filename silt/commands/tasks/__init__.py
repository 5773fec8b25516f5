"""`silt tasks`: make tasks with gold answers of a finished build, explain them, and check them."""

from silt.commands.options import Commands, add_group
from silt.commands.tasks import check, explain, make

ACTIONS = (make, explain, check)


def add_to(commands: Commands) -> None:
    """Declare the command and its actions."""
    actions = add_group(commands, "tasks")
    for action in ACTIONS:
        action.add_to(actions)
