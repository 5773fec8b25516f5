"""`silt dev`: open the asset graph of a registered environment in a web server."""

import argparse
import os
import sys
from pathlib import Path

from pipeline.errors import InputError
from silt.commands.options import Commands, add_command
from silt.environments.registry import ENVIRONMENTS, find_environment


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "dev", run, "open the asset graph in a web server")
    command.add_argument("--host", default="127.0.0.1", help="address to serve at (default: %(default)s)")
    command.add_argument("--port", type=int, default=3000, help="port to serve at (default: %(default)s)")


def run(options: argparse.Namespace) -> int:
    """Become the web server."""
    attribute = find_environment(options.environment).name.replace("-", "_")
    if options.environment not in ENVIRONMENTS:
        raise InputError(
            "to look at an environment of your own, end its file with `defs = build_defs(NAME)` "
            "(from silt.definitions import build_defs) and run `dagster dev -f FILE.py`"
        )
    os.environ.setdefault("DAGSTER_HOME", str(Path.cwd()))
    command = [sys.executable, "-m", "dagster", "dev", "-m", "silt.definitions", "-a", attribute]
    os.execv(sys.executable, [*command, "--host", options.host, "--port", str(options.port)])  # noqa: S606
