"""`silt verify`: check a release from its public files alone."""

import argparse
from pathlib import Path

from silt.commands.options import Commands
from silt.commands.released import add_released, opened_release


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    text = "check a release from its public files alone: no raw tables, no release key, no network, nothing written"
    command = add_released(commands, "verify", run, text)
    command.add_argument("release", metavar="RELEASE", type=Path, help="folder or archive (.tar.zst) of a release")
    command.add_argument("--public-key", type=Path, help="public key of whoever is to have signed it (PEM)")


def run(options: argparse.Namespace) -> int:
    """Verify what the options say, print what was checked, and return the exit status."""
    from validation.release.verifying import verify  # noqa: PLC0415

    with opened_release(options.release, options.environment, options.public_key) as release:
        verified = verify(release)
        print(verified.text())  # noqa: T201
    return 1 if verified.problems else 0
