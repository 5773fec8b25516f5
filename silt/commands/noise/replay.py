"""`silt noise replay` and `silt noise undo`: turn a clean database into the noisy one by the ledger, or back."""

import argparse
from pathlib import Path

from pipeline.publish.replay import Direction, transform
from silt.commands.options import Commands, add_command
from silt.environments.registry import find_environment

_DIRECTIONS: dict[Direction, str] = {
    "replay": "turn a clean database into the noisy one by the ledger",
    "undo": "turn a noisy database into the clean one by the ledger",
}


def add_to(actions: Commands) -> None:
    """Declare an action for each direction."""
    for direction, text in _DIRECTIONS.items():
        command = add_command(actions, direction, run, text)
        command.set_defaults(direction=direction)
        command.add_argument("--variant", required=True, help="folder of the variant to start from")
        command.add_argument("--ledger", required=True, help="noise_ledger.parquet of the build")
        command.add_argument("--to", required=True, help="folder to write the tables to; must not exist")


def run(options: argparse.Namespace) -> int:
    """Write the other database."""
    environment = find_environment(options.environment)
    paths = Path(options.variant), Path(options.ledger), Path(options.to)
    transform(environment, *paths, direction=options.direction)
    return 0
