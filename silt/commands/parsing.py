"""How the command line is parsed: no abbreviations, and what looks misspelt is answered with what was meant."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NoReturn

from assets.settings import BuildSettings
from pipeline.errors import near
from pipeline.legible import folded, legible
from pipeline.settings import option_of

_KEY = re.compile("[0-9a-fA-F]{64}")

_NUMBER = re.compile("argument (.*): invalid (?:float|int) value: (.*)")
"""What Python says of what is no number."""

_NO_NUMBER = r"found \2 for \1; give a number"

_CHOICES = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser that refuses an unknown option by its name, before its value is taken for something else."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, after all options are known."""
        if args is not None:
            self._refuse_values(args)
        if args is not None and self._subparsers is None:
            self._refuse_unknown(args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End with the message, the nearest of the choices that were given, and the way to all options."""
        found = _CHOICES.search(message)
        choices = re.findall(r"[\w-]+", found.group(2)) if found else []
        meant = near(found.group(1), choices) if found else ""
        said = folded(f"{self.prog}: error: {_NUMBER.sub(_NO_NUMBER, message)}{meant}")
        self.exit(2, f"{said}\nsee `{self.prog} --help`\n")

    def _refuse_values(self, given: Sequence[str]) -> None:
        for argument in given:
            if wrong := unusable(argument):
                self.error(wrong)

    def _refuse_unknown(self, given: Sequence[str]) -> None:
        known = [option for option in self._option_string_actions if option.startswith("--")]
        for argument in given:
            if argument == "--":
                return
            name = argument.partition("=")[0]
            if name.startswith("--") and name not in known:
                said = _of_builds(is_built="--out" in known) if name in map(option_of, fields(BuildSettings)) else ""
                self.error(f"unrecognized arguments: {name}{near(name, known) or said}")


def _of_builds(*, is_built: bool) -> str:
    """Return what is said of an option that a build takes, to a command that may be about a finished one."""
    leave = "; this command takes the build as it is: leave it out" if is_built else ""
    return f"; it is an option of `silt build`{leave}"


def unusable(argument: str) -> str:
    """Return why no command takes a value, whichever it is for; nothing if some may."""
    if "\0" in argument:
        return f"no value has a NUL character: {legible(argument)}"
    if any("\ud800" <= character <= "\udfff" for character in argument):
        return f"no value has bytes that are not UTF-8: {legible(argument)}"
    # A key that was given in the place of its file must not be printed.
    return (
        "a value may be a key, and is not shown; give the path of its file" if _KEY.fullmatch(argument.strip()) else ""
    )
