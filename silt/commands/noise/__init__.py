"""`silt noise`: look into noise specifications; turn a clean database into the noisy one by the ledger, or back."""

import argparse
import sys
from pathlib import Path

from silt.commands.noise import explain
from silt.commands.options import Commands, add_command, add_group, add_plain
from silt.commands.saying import say
from silt.commands.waiting import running

_DIRECTIONS = {
    "replay": "turn a clean database into the noisy one by the ledger",
    "undo": "turn a noisy database into the clean one by the ledger",
}


def add_to(commands: Commands) -> None:
    """Declare the command, its actions and their options."""
    actions = add_group(commands, "noise")
    explain.add_to(actions)
    kinds = add_plain(actions, "kinds", _kinds, "list every kind of noise, and what it does")
    markdown = "print tables in Markdown, with all parameters, and what of each kind can be undone"
    kinds.add_argument("--markdown", action="store_true", help=markdown)
    add_plain(actions, "schema", _schema, "print the JSON Schema of noise specifications, for editors")
    changes = add_plain(actions, "changes", _changes, "print the changes of a ledger as CSV")
    changes.add_argument("--ledger", required=True, help="noise_ledger.parquet of the build")
    changes.add_argument("--table", help="those of one table; all if none is named")
    for direction, text in _DIRECTIONS.items():
        command = add_command(actions, direction, _transform, text)
        command.set_defaults(direction=direction)
        command.add_argument("--variant", required=True, help="folder of the variant to start from")
        command.add_argument("--ledger", required=True, help="noise_ledger.parquet of the build")
        command.add_argument("--to", required=True, help="folder to write the tables to; must not exist")


def _kinds(options: argparse.Namespace) -> int:
    from pipeline.noise.described.kinds_page import kinds_by_family, kinds_page  # noqa: PLC0415

    if options.markdown:
        sys.stdout.write(kinds_page())
        return 0
    for family, kinds in kinds_by_family().items():
        say(f"{family}:", *(f"  {name:<{_NAME}} {text}" for name, text in kinds.items()), "")
    say("Parameters, and what of each kind can be undone: `silt noise kinds --markdown`")
    return 0


_NAME = 22
"""Characters of the longest name of a kind."""


def _schema(_options: argparse.Namespace) -> int:
    from pipeline.noise.shipped import schema_text  # noqa: PLC0415

    sys.stdout.write(schema_text())
    return 0


def _changes(options: argparse.Namespace) -> int:
    running(f"reading {options.ledger}")
    from pipeline.errors import InputError  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.publish.replay import read_ledger  # noqa: PLC0415

    changes = read_ledger(Path(options.ledger))
    tables = sorted(changes["table"].unique())
    if options.table and options.table not in tables:
        raise InputError.unknown("table with noise", options.table, tables)
    sys.stdout.write(changes.filter(table=options.table or changes["table"]).write_csv())
    return 0


def _transform(options: argparse.Namespace) -> int:
    running(f"changing {options.variant} by {options.ledger}")
    from pipeline.publish.replay import transform  # noqa: PLC0415  (polars takes a while to import)
    from silt.environments.registry import find_environment  # noqa: PLC0415

    paths = Path(options.variant), Path(options.ledger), Path(options.to)
    transform(find_environment(options.environment), *paths, direction=options.direction)
    say(f"  wrote      {options.to}")
    return 0
