"""How commands declare what several of them take: the environment, the output folder, a variant, the settings of a build."""

import argparse
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any, TypeAlias

from assets.settings import BuildSettings
from pipeline.errors import InputError
from pipeline.places import VARIANTS
from pipeline.settings import DEFAULT, option_of
from silt.commands import COMMANDS
from silt.environments import SHIPPED

ENVIRONMENT = "dataclaw-18"
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

    def show_help(_: argparse.Namespace) -> int:
        command.print_help()
        return 0

    command.set_defaults(run=show_help)
    return command.add_subparsers(metavar="ACTION")


def add_telling(command: argparse.ArgumentParser) -> None:
    """Declare how a build tells what it does."""
    command.add_argument("--quiet", action="store_true", help="say nothing but errors")
    command.add_argument("--json", action="store_true", help="print what came out as one JSON document, for programs")
    command.add_argument("--open", action="store_true", help="open the report in the web browser")


def add_command(
    commands: Commands, name: str, run: Run, text: str = "", *, default: str = ENVIRONMENT, meant: str = "%(default)s"
) -> argparse.ArgumentParser:
    """Declare a command on an environment; `meant` says which one the default is."""
    command = add_plain(commands, name, run, text)
    known = f"{', '.join(SHIPPED)}, or FILE.py:NAME for your own"
    command.add_argument("--environment", default=default, help=f"{known} (default: {meant})")
    return command


def add_settings(
    command: argparse.ArgumentParser, settings: type[Any], *, only: Collection[str] = (), **texts: str
) -> None:
    """Declare an option for each setting, or for some; a few texts say what a setting means to this command."""
    for each in fields(settings):
        if (option := option_of(each)) and (not only or each.name in only):
            further: dict[str, Any] = {name: value for name, value in each.metadata["further"].items() if value}
            if isinstance(each.default, tuple):
                further = {"action": "append", "default": [], "metavar": option.removeprefix("--").upper()} | further
            elif isinstance(each.default, bool):
                further |= {"action": "store_true"}
            else:
                further |= {"default": each.default}
            text = texts.get(each.name, each.metadata["text"])
            command.add_argument(option, dest=each.name, help=text, **further)


def given(settings: Any) -> list[str]:
    """Return the options that give settings again, but for switches, which say how and not what."""
    values = ((option_of(each), getattr(settings, each.name), each.default) for each in fields(settings))
    return [
        word
        for option, value, default in values
        if option and value != default and value is not True
        for word in (option, str(value))
    ]


def add_built(command: argparse.ArgumentParser, *only: str) -> None:
    """Declare where a build stands that is there already, and its key."""
    texts = {
        "key_file": "release key of the build; the default key if not given",
        "out": f"output folder of the build{DEFAULT}",
    }
    add_settings(command, BuildSettings, only=only, **texts)


def variant(name: str) -> str:
    """Return the name of a variant, or refuse it."""
    if name not in VARIANTS:
        raise argparse.ArgumentTypeError(str(InputError.unknown("variant", name, VARIANTS)))
    return name
