"""The examples of the README and of the pages in `docs/`: their files and commands, as a reader would copy them."""

import os
import re
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_COMMAND = re.compile(r"^make (\S.* ENV=\w+\.py:.*)$", re.MULTILINE)

README = ROOT / "README.md"


def write_example(folder: Path, page: Path = README) -> None:
    """Write the example's files into a folder, byte for byte as the page shows them."""
    for name, content in example_files(page).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")


def example_files(page: Path = README) -> dict[str, str]:
    """Return the example's files by path, in the page's order."""
    return dict(_FILE.findall(page.read_text(encoding="utf-8")))


def example_command() -> list[str]:
    """Return the arguments of `silt` that the README's `make` line stands for."""
    return example_commands(README)[0]


def example_commands(page: Path) -> list[list[str]]:
    """Return the arguments of `silt` that each of the page's `make` lines stands for: what make says it would run."""
    found = _COMMAND.findall(page.read_text(encoding="utf-8"))
    assert found, f"{page.name} has no `make` line for its example"
    return [_said_by_make(line) for line in found]


def _said_by_make(line: str) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    said = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *shlex.split(line)],  # noqa: S607
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    called = next(each for each in said.splitlines() if "bin/silt build" in each or "bin/silt audit" in each)
    return shlex.split(called)[1:]
