"""What `silt check` says of a panel before it is built under `guarded`: what its trials refuse, and what helps."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import polars as pl
import pytest

from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.guess.declared import guess
from pipeline.model import Environment, Frames
from silt.cli import main
from silt.commands.check.trials import advice, likely_refused, passing, population, unlike_aggregates
from silt.environments.registry import declared_environment
from tests.unit.guess.folders import write


def states(folder: Path, *, is_steady: bool, count: int = 60) -> tuple[Environment, Frames]:
    """Declare and read states over 8 years, in which everybody is out of work at once, or at all times alike."""
    draw, rows = Random(5), "state,year,product,unemployed\n"  # noqa: S311  (not for security)
    for state in range(count):
        size = draw.lognormvariate(10, 1)
        for year in range(2001, 2009):
            shock = 1 if is_steady else 3 ** (year % 2)
            rows += (
                f"State {state},{year},{size * 1.02 ** (year - 2000):.0f},{shock * draw.lognormvariate(5, 0.2):.1f}\n"
            )
    found = guess(write(folder, {"states": rows}))
    assert found is not None
    environment = found.environment()
    read = conform(environment.raw_tables, folder, kinds=environment.kinds, panel=environment.panel)
    return environment, dict(read.frames)


Attribute = Callable[[int, Random], str]
"""Returns what a firm has, by its number."""


def declare_few(count: int, attributes: Mapping[str, Attribute], measures: Mapping[str, float]) -> None:
    """Write firms into `few` with two years of figures, whose logarithms have these means; let them be declared."""
    draw, years = Random(5), range(2001, 2003)  # noqa: S311  (not for security)
    firms, sales = [["code", "name", *attributes]], [["code", "year", *measures]]
    for firm in range(count):
        firms.append([f"F{firm}", f"Firm {firm}", *(of(firm, draw) for of in attributes.values())])
        figures = ([f"{draw.lognormvariate(mean, 1):.0f}" for mean in measures.values()] for _ in years)
        sales += ([f"F{firm}", str(year), *own] for year, own in zip(years, figures, strict=True))
    tables = {"firms": firms, "sales": sales}
    write(Path("few"), {name: "".join(f"{','.join(row)}\n" for row in rows) for name, rows in tables.items()})
    assert main(["init", "few"]) == 0


@pytest.mark.parametrize("is_steady", [True, False])
def test_what_a_build_would_refuse_is_said_before(tmp_path: Path, *, is_steady: bool) -> None:
    """No statistic belongs to a year: figures that jump from year to year are not drawn as they are."""
    found = likely_refused(*states(tmp_path / "states", is_steady=is_steady), budget=10.0)
    assert any("distributions differ, of 'unemployed' most" in line for line in found.said) is not is_steady
    assert (found.better_budget is not None) == any("Such a build tells" in line for line in found.said)
    assert found.better_budget in {None, 5.0, 20.0}
    assert bool(found.change) is (found.are_most and found.better_budget is None)
    assert found.are_most is any(re.search("[01] of 3 trial builds pass", line) for line in found.said)


def test_of_three_trials_a_range_is_said() -> None:
    """Shares of keys are as binom.test(k, 3) of R has them: 0 to 0.708, 0.008 to 0.906, 0.094 to 0.992, 0.292 to 1."""
    said = [
        f"{passes} (95% interval over keys: {low}% to {high}%)"
        for passes, low, high in (
            ("3 of 3 trial builds pass", 29, 100),
            ("2 of 3 trial builds pass", 9, 99),
            ("1 of 3 trial builds passes", 1, 91),
            ("0 of 3 trial builds pass", 0, 71),
        )
    ]
    assert [passing(refused) for refused in range(4)] == said


def test_a_budget_is_advised_only_if_it_is_clearly_better() -> None:
    """Two trials more, or none is named to build with; a smaller one has its price."""
    better, said = advice(10.0, 3, {5.0: 1, 20.0: 2})
    assert better == 5.0
    assert said.startswith(
        "with --budget 5, 2 of 3 trial builds pass (95% interval over keys: 9% to 99%). Such a build"
    )
    assert said.endswith("tells less of each firm, with more noise, and its aggregates are farther from the originals'")
    better, said = advice(10.0, 2, {5.0: 1, 20.0: 2})
    assert better is None
    assert said == "no other budget is clearly better: 2 of 3 pass with --budget 5 and 1 of 3 pass with --budget 20"


def test_a_trial_compares_aggregates_as_a_build_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of another scale differ in each statistic by industry that is judged; the same figures in none."""
    monkeypatch.chdir(tmp_path)
    declare_few(60, {"sector": lambda firm, _: "ABCDEFGHIJ"[firm % 10]}, {"sold": 10, "spent": 8})
    environment = declared_environment("few.py:FEW")
    read = conform(environment.raw_tables, Path("few"), kinds=environment.kinds, panel=environment.panel)
    originals = population(environment, read.frames, original_figures(environment, read.frames))
    scaled = replace(originals, figures=originals.figures.with_columns(pl.col(originals.measures) * 100))
    assert unlike_aggregates(environment, originals, originals) == {}
    said = "aggregates: 6 of 6 statistics have another distribution over their cells (p <= 0.05); 4 are allowed"
    assert unlike_aggregates(environment, originals, scaled) == {"aggregates": said}


def test_a_budget_that_keeps_no_figure_is_tried_without_a_warning(tmp_path: Path) -> None:
    """Statistics of no column are no mean of nothing."""
    assert likely_refused(*states(tmp_path / "states", is_steady=True), budget=0.1).said


@pytest.mark.parametrize(
    ("count", "first"),
    [
        (24, "give more firms (about 75 are enough, now 24)"),
        (40, "give more firms (about 75 are enough, now 40), declare larger groups (now 2, the smallest of 13 firms)"),
        (60, "give more than these 60 firms, declare larger groups (now 2, the smallest of 20 firms)"),
    ],
)
def test_what_to_change_has_the_numbers_of_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], count: int, first: str
) -> None:
    """Firms, groups, the smallest of these and measures are counted; the line stands before the command, and in JSON.

    Groups and measures are no help where firms are too few in every trial.
    """
    monkeypatch.chdir(tmp_path)
    declare_few(count, {"sector": lambda firm, _: "AAB"[firm % 3]}, {"sold": 10, "spent": 8})
    capsys.readouterr()
    assert main(["check", "--environment", "few.py:FEW", "--raw", "few", "--policy", "guarded", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    fewer = r", or leave out some of the 2 measures( \(.*\))?" if "groups" in first else ""
    assert re.fullmatch(rf"{re.escape(first)}{fewer}; then:", document["first"])
    assert document["next"].startswith("silt build ")


TOWNS = ["Aldby", "Brough", "Corwen", "Deal", "Eyam", "Frome", "Goole", "Hythe", "Ilkley", "Jarrow", "Keswick", "Louth"]


def test_a_column_that_comes_out_blank_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A value that few share is not drawn: the column's line says so, and how many cells of a trial lose theirs."""
    monkeypatch.chdir(tmp_path)
    attributes: dict[str, Attribute] = {
        "sector": lambda firm, _: "AB"[firm % 2],
        "town": lambda _, draw: draw.choice(TOWNS),
        "law": lambda _, draw: draw.choice(["civil", "common"]),
    }
    declare_few(60, attributes, {"sold": 10})
    capsys.readouterr()
    main(["check", "--environment", "few.py:FEW", "--raw", "few", "--policy", "guarded"])
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "firms: town, law: attribute, text -> drawn anew within what is kept, blank where too few share a value" in out
    )
    assert "look at firms.town: blank in 60 of 60 cells of a trial build: too few share a value" in out
    assert "firms.law: blank" not in out


def test_a_check_whose_trials_are_mostly_refused_ends_as_a_refused_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says how many firms are enough, as a build does, and of budgets one thing; what there is stands before the build."""
    monkeypatch.chdir(tmp_path)
    states(Path("few"), is_steady=True, count=24)
    assert main(["init", "few"]) == 0
    capsys.readouterr()
    assert main(["check", "--environment", "few.py:FEW", "--raw", "few", "--policy", "guarded"]) == 1
    printed = capsys.readouterr()
    out = " ".join(printed.out.replace("look at", "").split())
    (enough,) = re.findall(
        r"too few firms for 'guarded'; about (\d+) are enough \(an estimate; a larger budget does not help\)\. No year",
        out,
    )
    assert "0 of 3 trial builds pass (95% interval over keys: 0% to 71%), and fewer in a build" in out
    assert out.endswith(
        f"first give more firms (about {enough} are enough, now 24), or leave out some of the 2 measures; then: "
        "next silt build clean --environment few.py:FEW --raw few --policy guarded"
    )
    said = "no other budget is clearly better: 0 of 3 pass with --budget 5 and 0 of 3 pass with --budget 20"
    assert out.count(said) == 1
    assert printed.err.startswith("checking few.py:FEW, policy guarded\n")
    assert "most trial builds are refused" in " ".join(printed.err.split())


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("is_own", [True, False])
def test_a_build_that_its_key_refuses_is_told_to_take_another(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_own: bool,
    is_recorded: bool,
) -> None:
    """Nothing is there to report, so the message says all; the same command is next, but not before something changed.

    The step that fails is none that Dagster shows.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path) if is_recorded else "")
    states(Path("few"), is_steady=True, count=24)
    assert main(["init", "few"]) == 0
    file = Path(".silt/few.guarded.key" if is_own else "my.key")
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text("1" * 64 + "\n", encoding="utf-8")
    given = ["--raw", "few", "--policy", "guarded", *([] if is_own else ["--key-file", str(file)])]
    capsys.readouterr()
    assert main(["build", "clean", "--environment", "few.py:FEW", *given, "--json"]) == 1
    printed = capsys.readouterr()
    outcome = json.loads(printed.out)
    how = f"move {file} away" if is_own else "another `--key-file`"
    first = f"give more firms, or as the last resort take another key ({how})"
    assert (outcome["outcome"], outcome["failing"], outcome["report"]) == ("refused", {}, "")
    assert outcome["first"] == first
    assert re.match(
        r"refused: too few firms for 'guarded'; about \d+ are enough .* Give more firms .* As the last resort another key .* "
        r"Attackers who make releases of their own .* of \d+ of the companies, can make none under 9 keys",
        outcome["message"],
    )
    assert f" first {first}, then: next {outcome['next']}" in " ".join(printed.err.split())
    assert not Path("environments/few/curator/refused").exists()
