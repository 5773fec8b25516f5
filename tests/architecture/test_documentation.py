"""What a user can name is documented: commands, options, targets, variables, files, kinds."""

import re
import subprocess
from pathlib import Path

import pytest

from silt.cli import _parser
from silt.environments.registry import ENVIRONMENTS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"help", "requirements"}))
def test_targets_are_in_the_readme(target: str) -> None:
    """Each documented target of the Makefile stands in the README."""
    assert f"make {target}" in README


def test_commands_and_options_are_in_the_readme() -> None:
    """Each command of `silt`, and each option of `silt build`, stands in the README."""
    commands = next(action for action in _parser()._actions if action.choices)
    assert isinstance(commands.choices, dict)
    assert [name for name in commands.choices if f"silt {name}" not in README] == []
    options = [option for action in commands.choices["build"]._actions for option in action.option_strings]
    assert [option for option in options if option.startswith("--") and f"`{option}`" not in README] == ["--help"]


def test_variables_reach_their_options() -> None:
    """Each variable of the README's table is handed on by the Makefile to the option beside it."""
    pairs = re.findall(r"^\| `([A-Z_]+)` \| `(--[a-z-]+)` \|", README, re.MULTILINE)
    assert len(pairs) == 8
    for variable, option in pairs:
        handed_on = rf"{option} '\$\({variable}\)'|\$\(filter 1,\$\({variable}\)\),{option}\)"
        assert re.search(handed_on, MAKEFILE), variable


def test_help_is_the_default_target() -> None:
    """`make` alone prints the list of targets."""
    listed = subprocess.run(["make", "-s"], cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S607
    assert all(f"make {target}" in listed for target in TARGETS)


def test_each_published_file_is_described() -> None:
    """Each published table and document says what it holds, and dataclaw's stand in the README with their names."""
    for environment in ENVIRONMENTS.values():
        assert all(published.description for published in (*environment.tables, *environment.documents))
    names = [table.path for table in ENVIRONMENTS["dataclaw-18"].tables if table.folder == "database"]
    short = [path for path in names if "company_profile_" not in path]
    assert [path for path in short if path not in README] == []
