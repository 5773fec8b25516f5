"""The examples of one's own tables in `docs/`: their files and commands, as a reader would copy them."""

import os
import re
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

DECLARATION = ROOT / "docs" / "declaration.md"

TUTORIAL = ROOT / "docs" / "tutorial.md"

_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_COMMAND = re.compile(r"^(make \S.* ENV=\S+\.py:.*|\.venv/bin/silt .*)$", re.MULTILINE)

_SILT = "bin/silt "

PAGES = [ROOT / "docs" / name for name in ("events.md", "periods.md", "identities.md")]
"""Pages beside the tutorial with an example of their own."""


def write_example(folder: Path, page: Path = TUTORIAL) -> None:
    """Write the example's files into a folder, byte for byte as the page shows them."""
    for name, content in example_files(page).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")


def example_files(page: Path = TUTORIAL) -> dict[str, str]:
    """Return the example's files by path, in the page's order."""
    return dict(_FILE.findall(page.read_text(encoding="utf-8")))


def example_commands(page: Path = TUTORIAL) -> list[list[str]]:
    """Return every command of the page as arguments of `silt`; of a `make` line, what make says it would run."""
    lines = _COMMAND.findall(page.read_text(encoding="utf-8"))
    assert lines, f"{page.name} has no command for its example"
    return [shlex.split(_of_silt(line).partition(_SILT)[2]) for line in lines]


def example_command(page: Path = TUTORIAL) -> list[str]:
    """Return the arguments of `silt` that build the example."""
    return next(command for command in example_commands(page) if command[0] == "build")


def printed_lines(page: Path = TUTORIAL) -> list[str]:
    """Return what the page says that the build prints."""
    found = re.search(
        r"^<!-- printed by the build -->\n```\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found, f"{page.name} does not say what the build prints"
    return found.group(1).splitlines()


def between(page: Path, name: str) -> str:
    """Return what stands in a page between the marks of a part that is generated."""
    text = page.read_text(encoding="utf-8")
    part, end, _ = text.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- end of {name} -->")
    assert end, f"{page.name} has no {name}"
    return part.strip()


def _of_silt(line: str) -> str:
    if not line.startswith("make "):
        return line
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    said = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *shlex.split(line)[1:]],  # noqa: S607
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return next(called for called in said.splitlines() if _SILT in called)
