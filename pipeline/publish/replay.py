"""Replays a ledger over published files, byte for byte: clean plus ledger gives noisy, noisy plus ledger gives clean.

The ledger itself, and replaying it over a frame, belong to `noise/ledger.py`.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import polars as pl

from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.model import Environment, PublishedTable
from pipeline.noise.ledger import SCHEMA, as_noised, replay, undo
from pipeline.parquet import read_parquet
from pipeline.publish.files import read_published, write_table
from pipeline.publish.manifest import MANIFEST
from pipeline.small_files import json_of

Direction = Literal["replay", "undo"]
_Step = Callable[[pl.DataFrame, pl.DataFrame, PublishedTable], pl.DataFrame]
_STEPS: dict[Direction, _Step] = {"replay": replay, "undo": undo}


def transform(environment: Environment, variant: Path, ledger: Path, to: Path, *, direction: Direction) -> None:
    """Apply a ledger to the database of a variant, or take it back, and write the result into a new folder.

    Args:
        environment: Declares the tables.
        variant: Folder that holds `database/`: the clean variant to replay, the noisy one to undo.
        ledger: The curator's `noise_ledger.parquet` of the noisy variant.
        to: Folder to make.
        direction: `replay` goes from clean to noisy, `undo` from noisy to clean.

    Raises:
        InputError: A folder or file is missing or in the way, or the ledger belongs to other data; nothing is written.
    """
    _refuse_unusable(variant, to)
    changes = read_ledger(ledger)
    _refuse_other_environment(environment, variant, changes)
    with reporting_disk(to, otherwise="give another folder with --to"):
        to.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".unfinished-", dir=to.parent) as unfinished:
            made = Path(unfinished) / to.name
            shutil.copytree(variant / "database", made / "database")
            _transform_tables(environment, made, changes, direction)
            made.rename(to)


def _transform_tables(environment: Environment, folder: Path, changes: pl.DataFrame, direction: Direction) -> None:
    for table in environment.noisy_tables():
        file = folder / "database" / table.path
        if file.is_file():
            own = changes.filter(pl.col("table") == table.name)
            noised = as_noised(table, own)
            before, after = (table, noised) if direction == "replay" else (noised, table)
            write_table(_STEPS[direction](read_published(file, before), own, table), after, folder)


def _refuse_unusable(variant: Path, to: Path) -> None:
    if not (variant / "database").is_dir():
        raise InputError(
            f"{variant} holds no database/; give the folder of a variant, as in environments/dataclaw-18/clean"
        )
    if to.exists():
        raise InputError(f"{to} is there already; name a folder that is not")


def _refuse_other_environment(environment: Environment, variant: Path, changes: pl.DataFrame) -> None:
    """Refuse files and ledgers of another environment: their tables are unknown, so nothing would be changed."""
    known = {table.name for table in environment.noisy_tables()}
    built = _environment_of(variant / MANIFEST)
    strange = sorted(set(changes["table"].unique()) - known)
    is_there = any((variant / "database" / table.path).is_file() for table in environment.noisy_tables())
    if (built and built != environment.name) or strange or not is_there:
        found = f"{variant} is of environment {built!r}" if built else f"{variant} has other tables"
        found = f"the ledger is of tables {', '.join(map(repr, strange[:3]))}" if strange and not built else found
        raise InputError(
            f"{found}, and not of {environment.name!r}: say of which with --environment (FILE.py:NAME for one of your own)"
        )


def _environment_of(manifest: Path) -> str:
    """Return the environment that a manifest names; nothing where there is none."""
    try:
        return str(json_of(manifest)["environment"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def read_ledger(ledger: Path) -> pl.DataFrame:
    """Return the changes of a build's ledger, or raise `InputError`."""
    try:
        return read_parquet(ledger, list(SCHEMA))
    except (OSError, ValueError) as error:
        raise InputError(
            f"no noise ledger can be read from {ledger}; give the curator's noise_ledger.parquet of the build"
        ) from error
