"""`silt verify`: check a release from its public files alone."""

import argparse
from pathlib import Path

from silt.commands.options import Commands
from silt.environments.registry import ENVIRONMENTS, find_environment


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    text = "check a release from its public files alone: no raw tables, no release key, no network, nothing written"
    command = commands.add_parser("verify", help=text, description=text)
    command.add_argument("release", metavar="RELEASE", type=Path, help="folder or archive (.tar.zst) of a release")
    known = f"{', '.join(ENVIRONMENTS)}, or FILE.py:NAME for your own"
    declared = f"your declaration of the environment: {known}; the shipped one that the release names if not given"
    command.add_argument("--environment", default="", help=declared)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Verify what the options say, print what was checked, and return the exit status."""
    from validation.release.opened import environment_of, opened  # noqa: PLC0415
    from validation.release.verifying import verify  # noqa: PLC0415

    name = options.environment or environment_of(options.release)
    environment = find_environment(name) if options.environment or name in ENVIRONMENTS else None
    verified = verify(opened(options.release, environment))
    print(verified.text())  # noqa: T201
    return 1 if verified.problems else 0
