"""The tutorial's example of one's own tables: its files and its commands, as a reader would copy them."""

import os
import re
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_SILT = "bin/silt "


def write_example(folder: Path) -> None:
    """Write the example's files into a folder, byte for byte as the tutorial shows them."""
    for name, content in example_files().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")


def example_files() -> dict[str, str]:
    """Return the example's files by path, in the tutorial's order."""
    return dict(_FILE.findall(_tutorial()))


def example_commands() -> list[list[str]]:
    """Return every command of the tutorial as arguments of `silt`; of a `make` line, what make says it would run."""
    lines = [line for block in _COMMANDS.findall(_tutorial()) for line in block.splitlines()]
    return [shlex.split(_silt_line(line).partition(_SILT)[2]) for line in lines]


def example_command() -> list[str]:
    """Return the arguments of `silt` that build the example."""
    return next(command for command in example_commands() if command[0] == "build")


def printed_lines() -> list[str]:
    """Return what the tutorial says that the build prints."""
    found = re.search(r"^<!-- printed by the build -->\n```\n(.*?)^```$", _tutorial(), re.DOTALL | re.MULTILINE)
    assert found, "the tutorial does not say what the build prints"
    return found.group(1).splitlines()


def _silt_line(line: str) -> str:
    if not line.startswith("make "):
        assert _SILT in line, f"the tutorial's command calls neither make nor silt: {line}"
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
    return next(said_line for said_line in said.splitlines() if _SILT in said_line)


def _tutorial() -> str:
    return (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
