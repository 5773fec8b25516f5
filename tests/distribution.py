"""Tries what `make dist` made, where nothing else is: `python -m tests.distribution dist`.

The wheel is installed in a fresh environment with the pinned libraries, and builds and releases the cafes of the documentation
in an empty folder. Tests run from the source archive, unpacked.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from pipeline.release.provenance.source import commit_of
from tests.integration.readme import DECLARATION, ROOT, example_files

UV = Path(sys.executable).with_name("uv")

OPTIONS = ["--environment", "cafes.py:CAFES", "--raw", "cafes", "--noise", "cafes.yaml"]

COMMANDS = (
    ["init", "cafes"],
    ["build", "--quiet", *OPTIONS],
    ["release", "--version", "1.0.0", *OPTIONS],
    ["verify", "releases/cafes-1.0.0", *OPTIONS[:2]],
)


def main(folder: Path) -> None:
    """Try both; a command that fails ends it."""
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with TemporaryDirectory() as scratch:
        try_wheel(wheel.resolve(), Path(scratch, "wheel"))
        try_archive(archive, Path(scratch, "archive"))


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install it with what is pinned, and use it in an empty folder."""
    ran(UV, "venv", "--quiet", "--python", sys.executable, folder / "venv")
    python, silt = folder / "venv/bin/python", folder / "venv/bin/silt"
    install = (UV, "pip", "install", "--quiet", "--python", python)
    ran(*install, "--require-hashes", "--requirements", ROOT / "requirements.txt")
    ran(*install, "--no-deps", wheel)
    ran(UV, "pip", "check", "--quiet", "--python", python)
    for name, text in example_files(DECLARATION).items():
        if name.endswith(".csv"):
            (file := folder / "empty" / name).parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    said = subprocess.run([silt, "--version"], check=True, capture_output=True, text=True, cwd=folder / "empty").stdout
    assert commit_of()[:12] in said, said
    for command in COMMANDS:
        ran(silt, *command, cwd=folder / "empty")


def try_archive(archive: Path, folder: Path) -> None:
    """Run the smallest part of the tests from it."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    ran(sys.executable, "-m", "pytest", "--quiet", "tests/unit/keyed", cwd=unpacked)


def ran(*command: object, cwd: Path = ROOT) -> None:
    """Run a command, of which nothing is known but what it is given."""
    known = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "DAGSTER_HOME", "VIRTUAL_ENV")
    }
    subprocess.run([*map(str, command)], check=True, cwd=cwd, env=known)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
