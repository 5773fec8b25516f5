"""Clean database plus ledger gives noisy, noisy plus ledger gives clean: over published files, byte for byte.

What a ledger is, and how a frame is replayed, belongs to `noise/ledger.py`.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import polars as pl

from pipeline.environment.model import Environment, PublishedTable
from pipeline.errors import InputError
from pipeline.noise.ledger import SCHEMA, replay, undo
from pipeline.publish.disk import reporting_disk
from pipeline.publish.files import write_table

Direction = Literal["replay", "undo"]
_STEPS: dict[Direction, Callable[[pl.DataFrame, pl.DataFrame, PublishedTable], pl.DataFrame]] = {
    "replay": replay,
    "undo": undo,
}


def transform(environment: Environment, variant: Path, ledger: Path, to: Path, *, direction: Direction) -> None:
    """Write the database of a variant's folder with the ledger's changes made, or taken back, into a new folder.

    Args:
        environment: Declares the tables.
        variant: Folder that holds `database/`: the clean variant to replay, the noisy one to undo.
        ledger: The curator's `noise_ledger.parquet` of the noisy variant.
        to: Folder to make.
        direction: `replay` goes from clean to noisy, `undo` from noisy to clean.

    Raises:
        InputError: A folder or file is missing or in the way, or the ledger is of other data.
    """
    _refuse_unusable(variant, ledger, to)
    changes = pl.read_parquet(ledger, columns=list(SCHEMA))
    with reporting_disk(to, otherwise="give another folder with --to"):
        shutil.copytree(variant / "database", to / "database")
    for table in environment.tables:
        file = to / "database" / table.path
        if table.folder == "database" and file.is_file():
            own = changes.filter(pl.col("table") == table.name)
            write_table(_STEPS[direction](read_published(file), own, table), table, to)


def read_published(file: Path) -> pl.DataFrame:
    """Read a published table as it was rendered: text columns, null for an empty field."""
    return pl.read_csv(file, infer_schema=False)


def _refuse_unusable(variant: Path, ledger: Path, to: Path) -> None:
    if not (variant / "database").is_dir():
        raise InputError(
            f"{variant} holds no database/; give the folder of a variant, as in environments/dataclaw-18/clean"
        )
    if not ledger.is_file():
        raise InputError(f"no ledger at {ledger}; it is the curator's noise_ledger.parquet")
    if to.exists():
        raise InputError(f"{to} is there already; name a folder that is not")
