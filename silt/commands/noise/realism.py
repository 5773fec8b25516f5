"""`silt noise realism`: print what is documented about the real data beside the same in the published noisy database.

Only what an agent may see is read, never the ledger. What is documented belongs to the environment's declaration, comparing to
`validation/realism.py`.
"""

import argparse
from pathlib import Path

import polars as pl

from pipeline.errors import InputError
from pipeline.model import Environment, PublishedTable
from pipeline.publish.replay import read_published
from pipeline.publish.variant import NOISY
from silt.commands.options import Commands, add_command, add_out
from silt.commands.saying import say
from silt.environments.registry import find_environment


def add_to(actions: Commands) -> None:
    """Declare the action and its options."""
    text = "print what is documented about the real data beside the same in the published noisy database"
    add_out(add_command(actions, "realism", run, text))


def run(options: argparse.Namespace) -> int:
    """Print the table."""
    say(realism(find_environment(options.environment), Path(options.out)))
    return 0


def realism(environment: Environment, out: Path) -> str:
    """Return the table of documented facts and ours, as Markdown.

    A table that is not there, or whose header is not the declared one, leaves its facts unmeasured.

    Args:
        environment: Declares the facts.
        out: Output folder of the build.

    Raises:
        InputError: The environment has no documented facts, or there is no noisy database.
    """
    from validation.realism import compare, realism_table  # noqa: PLC0415  (scipy takes its time to import)

    if not environment.documented:
        raise InputError(
            f"environment {environment.name!r} declares no documented facts to compare with; give it "
            "`documented=(...)` (pipeline/model/claims/documented.py), as dataclaw-18 does"
        )
    database = out / environment.name / NOISY / "database"
    if not database.is_dir():
        raise InputError(
            f"no noisy database at {database}; build it with `make env-noisy`, or say where it is with --out"
        )
    needed = {name for fact in environment.documented for name in fact.needs}
    read = {name: _read(environment.table(name), database) for name in sorted(needed)}
    tables = {name: frame for name, frame in read.items() if frame is not None}
    return realism_table(compare(environment.documented, tables), title=environment.name)


def _read(table: PublishedTable, database: Path) -> pl.DataFrame | None:
    file = database / table.path
    if not file.is_file():
        return None
    frame = read_published(file, table)
    return frame if set(table.columns) <= set(frame.columns) else None
