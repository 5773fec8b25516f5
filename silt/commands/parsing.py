"""How the command line is parsed: no abbreviations, and what looks misspelt is answered with what was meant."""

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from pipeline.errors import near

_CHOICES = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser that refuses an unknown option by its name, before its value is taken for something else."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, after all options are known."""
        if args is not None and self._subparsers is None:
            self._refuse_unknown(args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End with the message, and with the nearest of the choices that were given."""
        found = _CHOICES.search(message)
        choices = re.findall(r"[\w-]+", found.group(2)) if found else []
        super().error(message + near(found.group(1), choices) if found else message)

    def _refuse_unknown(self, given: Sequence[str]) -> None:
        known = [option for option in self._option_string_actions if option.startswith("--")]
        for argument in given:
            if argument == "--":
                return
            name = argument.partition("=")[0]
            if name.startswith("--") and name not in known:
                self.error(f"unrecognized arguments: {name}{near(name, known)}")
