"""How commands declare what several of them take: the environment, the output folder, a variant, the settings of a build."""

import argparse
from collections.abc import Callable
from typing import TypeAlias

from anonymize.policy import POLICIES
from pipeline.errors import InputError
from pipeline.places import VARIANTS
from silt.commands import COMMANDS
from silt.environments import SHIPPED

DEFAULT = "dataclaw-18"
"""The environment, if none is named."""

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  (argparse has no public name for it)

Run = Callable[[argparse.Namespace], int]


def add_plain(commands: Commands, name: str, run: Run, text: str = "") -> argparse.ArgumentParser:
    """Declare a command, or an action of one, of which `text` says what it does."""
    text = text or COMMANDS[name]
    command = commands.add_parser(name, help=text, description=text)
    command.set_defaults(run=run)
    return command


def add_group(commands: Commands, name: str) -> Commands:
    """Declare a command that has actions, and return these."""
    command = commands.add_parser(name, help=COMMANDS[name], description=COMMANDS[name])
    return command.add_subparsers(required=True, metavar="ACTION")


def add_telling(command: argparse.ArgumentParser) -> None:
    """Declare how a build tells what it does."""
    command.add_argument("--quiet", action="store_true", help="say nothing but errors")
    command.add_argument("--json", action="store_true", help="print what came out as one JSON document, for programs")
    command.add_argument("--open", action="store_true", help="open the report in the web browser")


def add_command(commands: Commands, name: str, run: Run, text: str = "") -> argparse.ArgumentParser:
    """Declare a command on an environment."""
    command = add_plain(commands, name, run, text)
    known = f"{', '.join(SHIPPED)}, or FILE.py:NAME for your own"
    command.add_argument("--environment", default=DEFAULT, help=f"{known} (default: %(default)s)")
    return command


def add_settings(command: argparse.ArgumentParser, *, noise: str) -> None:
    """Declare the settings of a build; `noise` says what its specification is."""
    command.add_argument("--raw", default="", help="folder of the raw tables; the generated corpus if not given")
    command.add_argument("--noise", default="", help=noise)
    add_policy(command)
    command.add_argument("--key-file", default="", help="release key; made on first use for real tables if not given")
    reuse = "use the key for this policy and these originals although it was used for others"
    command.add_argument("--reuse-key", action="store_true", help=reuse)
    command.add_argument("--out", default="environments", help="output folder (default: %(default)s)")
    command.add_argument(
        "--scale", type=float, default=1.0, help="size of generated tables, 1 being the paper's or the real ones'"
    )
    command.add_argument(
        "--store", default="", help="folder of the store between stages; the curator's own if not given"
    )
    size = "size in GB to which the store is brought back after a build (default: %(default)s)"
    command.add_argument("--store-size", type=float, default=20.0, help=size)
    command.add_argument("--fresh", action="store_true", help="make everything anew, whatever the store holds")


def add_policy(command: argparse.ArgumentParser) -> None:
    """Declare the policy, and what it may spend."""
    command.add_argument("--policy", default="lsd", help=f"{', '.join(POLICIES)} (default: %(default)s)")
    budget = "under guarded: what a release may tell of one company, rho of zero-concentrated differential privacy"
    command.add_argument("--budget", type=float, help=f"{budget} (default: as declared, else 10)")


def add_key_file(command: argparse.ArgumentParser) -> None:
    """Declare the key of a build that is there already."""
    command.add_argument("--key-file", default="", help="release key of the build; the default key if not given")


def add_out(command: argparse.ArgumentParser) -> None:
    """Declare the output folder of a build that is there already."""
    command.add_argument("--out", default="environments", help="output folder of the build (default: %(default)s)")


def variant(name: str) -> str:
    """Return the name of a variant, or refuse it."""
    if name not in VARIANTS:
        raise argparse.ArgumentTypeError(str(InputError.unknown("variant", name, VARIANTS)))
    return name
