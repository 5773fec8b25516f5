"""The README's example of one's own tables: its files and its command, as a reader would copy them."""

import os
import re
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_COMMAND = re.compile(r"^make (env-noisy env-clean ENV=shops\.py:.*)$", re.MULTILINE)


def write_example(folder: Path) -> None:
    """Write the example's files into a folder, byte for byte as the README shows them."""
    for name, content in example_files().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")


def example_files() -> dict[str, str]:
    """Return the example's files by path, in the README's order."""
    return dict(_FILE.findall(_readme()))


def example_command() -> list[str]:
    """Return the arguments of `silt` that the README's `make` line stands for: what make says it would run."""
    found = _COMMAND.search(_readme())
    assert found, "the README has no `make` line for its example"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    said = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *shlex.split(found.group(1))],  # noqa: S607
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    line = next(line for line in said.splitlines() if "bin/silt build" in line)
    return shlex.split(line)[1:]


def _readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")
