"""Prints what is documented about the real release beside the same in the published noisy database of `dataclaw-18`.

Only what an agent may see is read, never the ledger. A table that is not there, or whose header noise changed, leaves its facts
unmeasured.
"""

import argparse
import sys
from pathlib import Path

import polars as pl

from pipeline.model import PublishedTable
from pipeline.publish.files import read_published
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.realism.comparing import realism_table
from tests.realism.facts import DOCUMENTED


def table(out: Path) -> str:
    """Return the table of documented facts and ours, as Markdown.

    Args:
        out: Output folder of the build.
    """
    database = out / DATACLAW_18.name / "noisy/database"
    needed = sorted({name for fact in DOCUMENTED for name in fact.needs})
    read = {name: _read(DATACLAW_18.table(name), database) for name in needed}
    tables = {name: frame for name, frame in read.items() if frame is not None}
    return realism_table(DOCUMENTED, tables, title=DATACLAW_18.name)


def _read(published: PublishedTable, database: Path) -> pl.DataFrame | None:
    file = database / published.path
    if not file.is_file():
        return None
    frame = read_published(file, published)
    return frame if set(published.columns) <= set(frame.columns) else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.realism", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("environments"), help="output folder of the build")
    sys.stdout.write(table(parser.parse_args().out))
