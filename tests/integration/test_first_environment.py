"""A first environment of one's own: from `silt init` to what is published by its own hints, with nothing written by hand."""

import json
import re
import shlex
import sys
from pathlib import Path

from silt.commands.build.outcome import Outcome
from tests.integration.checks import rows_of
from tests.integration.conftest import run_silt
from tests.integration.readme import DECLARATION, example_files
from tests.terminal import SILENCE, watched


def hint(printed: str) -> list[str]:
    """Return the command that comes next, as the last one said."""
    return shlex.split(re.findall(r"^ *next +silt (.*)$", printed, re.MULTILINE)[-1])


def test_hints_lead_from_tables_to_a_published_environment(tmp_path: Path) -> None:
    """The smallest example's tables are all that there is: they are guessed, checked, built and audited; no name is left.

    Whoever builds in a terminal sees that something happens, all the time.
    """
    tables = {name: text for name, text in example_files(DECLARATION).items() if name.endswith(".csv")}
    for name, text in tables.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = ["init", "cafes"]
    for expected in ("check", "build"):
        done = run_silt(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        command = hint(done.stdout)
        assert command[0] == expected
    program, printed = Path(sys.executable).parent / "silt", tmp_path / "printed.json"
    done = watched([str(program), *command, "--json"], tmp_path, out=printed)
    assert done.status == 0, done.text
    assert done.longest_silence < SILENCE
    outcome = Outcome.model_validate(json.loads(printed.read_text()))
    assert [each.variant for each in outcome.variants] == ["noisy", "clean"]
    assert all((tmp_path / each.report).is_file() for each in outcome.variants)
    books = rows_of(tmp_path / "environments/cafes/clean/database/books.csv")
    assert sum(each.rows for each in outcome.variants if each.variant == "clean") == len(books) + 3
    assert all(re.fullmatch(r"-?\d+\.\d\d", row["sales"]) for row in books), "its raw figures end in zeros, too"
    cents = [{name: round(float(row[name]) * 100) for name in ("sales", "costs", "profit")} for row in books]
    assert all(row["sales"] == row["costs"] + row["profit"] for row in cents)
    published = (tmp_path / "environments/cafes/clean/database/cafes.csv").read_text(encoding="utf-8")
    assert not any(name in published for name in ("Miller", "Corner Loaf", "Wheel and Chain"))
    follows = shlex.split(outcome.next)
    audited = run_silt(*follows[1:], cwd=tmp_path)
    assert (audited.returncode, follows[:2]) == (0, ["silt", "audit"]), audited.stderr
