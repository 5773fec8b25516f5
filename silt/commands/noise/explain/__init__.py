"""`silt noise explain`: say in plain words what a noise specification does, with example rows."""

import argparse
import re
import shlex
from contextlib import suppress
from pathlib import Path

from pipeline.errors import InputError, SpecError, near
from pipeline.places import CLEAN, default_specification
from silt.commands.options import ENVIRONMENT, Commands, add_built, add_command
from silt.commands.saying import say
from silt.commands.waiting import begun
from silt.environments import SHIPPED


def add_to(actions: Commands) -> None:
    """Declare the action and its options."""
    text = "say in plain words what a specification does, with example rows"
    command = add_command(actions, "explain", run, text, default="", meant="the shipped one that SPEC names")
    specification = "noise specification (YAML); of a folder of examples, a table is printed"
    command.add_argument("specification", nargs="?", default="", metavar="SPEC", help=specification)
    command.add_argument("--data", default="", help="folder of a clean database; that of the clean build if not given")
    add_built(command, "out")
    command.add_argument(
        "--rows", type=_count, default=10, help="most example rows of each rule (default: %(default)s)"
    )


def run(options: argparse.Namespace) -> int:
    """Print the explanation, or the table of examples."""
    if not options.specification:
        shipped = " or ".join(str(default_specification(name)) for name in SHIPPED)
        raise InputError(f"name a noise specification: your own, or one that Silt ships: {shipped}")
    begun(f"explaining {options.specification}")
    from pipeline.noise.spec import load_spec  # noqa: PLC0415  (polars takes a while to import)
    from silt.commands.noise.explain.examples import example_table, explain  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415

    given = Path(options.specification)
    environment = find_environment(options.environment or _named_in(given))
    database = Path(options.data) if options.data else Path(options.out) / environment.name / CLEAN / "database"
    if given.is_dir():
        say(example_table(environment, given, database))
    else:
        say(explain(environment, load_spec(given, environment), database, rows=options.rows))
    return 0


def _named_in(given: Path) -> str:
    """Return the shipped environment that a specification names, or the first of a folder; what is wrong is said later.

    Raises:
        InputError: It names another one.
    """
    from pipeline.documents.reading import load  # noqa: PLC0415

    named = None
    with suppress(SpecError):
        document = load(min(given.glob("*.yaml"), default=given))[0]
        named = document.get("environment") if isinstance(document, dict) else None
    if not isinstance(named, str):
        return ENVIRONMENT
    if named in SHIPPED:
        return named
    meant = near(named, SHIPPED) or f"; name its declaration: --environment {_declared_beside(given, named)}"
    raise InputError(f"{given} is about {named!r}, an environment that Silt does not ship{meant}")


def _declared_beside(given: Path, named: str) -> str:
    """Return what names the one declaration in the file that `silt init` wrote beside a specification, if it is there.

    The file is read and not run, for it is a program that nobody asked to run.
    """
    file = (given if given.is_dir() else given.parent) / f"{named}.py"
    text = file.read_text(encoding="utf-8", errors="replace") if "/" not in named and file.is_file() else ""
    found = _DECLARED.findall(text)
    return shlex.quote(f"{file}:{found[0]}") if len(found) == 1 else "FILE.py:NAME"


_DECLARED = re.compile(r"^(\w+)(?:: Environment)? = (?:as_raw|Environment)\(", re.MULTILINE)
"""How a declaration begins that `silt init` or the tutorial writes."""


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"not a number of rows: {text!r}; give 0 or more")
    return int(text)
