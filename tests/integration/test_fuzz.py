"""Everything that reads files holds against random bytes: the same few in each run, of what `make fuzz` tries fresh ones of."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.readme import ROOT

pytest.importorskip("atheris")


RUNS = ("150", "8")
"""Files that are read with guidance; and declarations, commands and sets of tables without, two of each."""


@pytest.mark.slow
def test_every_reader_holds(built_example: Path, tmp_path: Path) -> None:
    """Reading succeeds or says what is wrong with which file. What fails here has changed, and is told with its bytes."""
    settings = ["--seed", "1", "--runs", *RUNS, "--built", built_example / "environments/shops", "--found", tmp_path]
    command = [sys.executable, "-m", "tests.fuzz", *settings]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
