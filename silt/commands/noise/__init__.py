"""`silt noise`: look into noise specifications; turn a clean database into the noisy one by the ledger, or back."""

from silt.commands.noise import described, explain, replay
from silt.commands.options import Commands, add_group

ACTIONS = (explain, described, replay)


def add_to(commands: Commands) -> None:
    """Declare the command and its actions."""
    actions = add_group(commands, "noise")
    for action in ACTIONS:
        action.add_to(actions)
