"""`silt dev`: open the asset graph of the environments that Silt ships in a web server."""

import argparse
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from pipeline.errors import InputError
from silt.commands.options import Commands, add_plain

WORKSPACE = Path(__file__).with_name("workspace.yaml")
"""The environments, as Dagster loads them."""


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_plain(commands, "dev", run)
    command.add_argument("--host", default="127.0.0.1", help="address to serve at (default: %(default)s)")
    command.add_argument("--port", type=_port, default=3000, help="port to serve at (default: %(default)s)")


def run(options: argparse.Namespace) -> int:
    """Become the web server."""
    if find_spec("dagster_webserver") is None:
        raise InputError(
            "the web server is not installed; say `make dev` in a checkout, or else `pip install 'silt[web]'`"
        )
    os.environ.setdefault("DAGSTER_HOME", str(Path.cwd()))
    # NOTE: Dagster advises another command, which is for projects that it scaffolds.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:Function `dev_command`")
    command = [sys.executable, "-m", "dagster", "dev", "-w", str(WORKSPACE)]
    os.execv(sys.executable, [*command, "--host", options.host, "--port", str(options.port)])  # noqa: S606


def _port(text: str) -> int:
    number = int(text) if re.fullmatch("[0-9]{1,5}", text) else 0
    if not 0 < number < _PORTS:
        raise argparse.ArgumentTypeError(f"no port: {text!r}; give a number from 1 to {_PORTS - 1}")
    return number


_PORTS = 2**16
