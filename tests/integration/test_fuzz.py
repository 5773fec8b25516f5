"""Everything that reads files holds against bytes that nobody has tried: some seconds of what `make fuzz` does for longer."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.readme import ROOT

pytest.importorskip("atheris")


@pytest.mark.slow
def test_every_reader_holds(built_example: Path, tmp_path: Path) -> None:
    """Reading succeeds or says what is wrong with which file. The seed is a fresh one; what fails is told with its bytes."""
    settings = ["--seconds", "12", "--built", built_example / "environments" / "shops", "--found", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *settings], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
