"""Examples of one's own tables in the documentation: their files and commands, as a reader would copy them."""

import os
import re
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_COMMAND = re.compile(r"^make (env-noisy env-clean ENV=\w+\.py:.*)$", re.MULTILINE)

README = ROOT / "README.md"

PAGES = [ROOT / "docs" / name for name in ("events.md", "periods.md", "identities.md")]
"""Pages beside the README with an example of their own."""


def write_example(folder: Path, page: Path = README) -> None:
    """Write the example's files into a folder, byte for byte as the page shows them."""
    for name, content in example_files(page).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")


def example_files(page: Path = README) -> dict[str, str]:
    """Return the example's files by path, in the page's order."""
    return dict(_FILE.findall(page.read_text(encoding="utf-8")))


def example_command(page: Path = README) -> list[str]:
    """Return the arguments of `silt` that the page's `make` line stands for: what make says it would run."""
    found = _COMMAND.search(page.read_text(encoding="utf-8"))
    assert found, f"{page.name} has no `make` line for its example"
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
