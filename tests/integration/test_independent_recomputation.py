"""Reports against a recomputation by other means: it agrees, and where one published number is altered it does not."""

import ast
import csv
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.independent import recompute as script
from tests.independent.recompute import SAMPLE, Finding, Recomputation, main
from tests.integration.conftest import Build

ALLOWED = {"numpy", "pandas", "scipy", *sys.stdlib_module_names}


@pytest.fixture(scope="module")
def recomputation(small: Build) -> Recomputation:
    """Return the small build, read."""
    return Recomputation(small.folder, small.raw)


@pytest.fixture(scope="module")
def findings(recomputation: Recomputation) -> list[Finding]:
    """Return what is found in the small build."""
    return recomputation.findings()


def test_the_script_shares_no_code_with_silt() -> None:
    """It imports the standard library, numpy, pandas, scipy and the file beside it, and nothing else anywhere in it."""
    files = [Path(script.__file__).with_name(name) for name in ("recompute.py", "raw_and_published.py")]
    imported = {name for file in files for name in _imported(file)}
    assert {name for name in imported if name.partition(".")[0] not in ALLOWED} == {
        "tests.independent.raw_and_published"
    }


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield str(node.module)


def test_everything_published_is_found_again(findings: list[Finding]) -> None:
    """50 tests at each level, 50 aggregates, 50 offsets and 50 rates: each as published."""
    assert [finding for finding in findings if not finding.agrees] == []
    assert _count(findings, "test by sub_industry") == SAMPLE
    assert _count(findings, "aggregate") == SAMPLE
    assert _count(findings, "offset") == SAMPLE
    assert _count(findings, "noise") == SAMPLE


def test_everything_published_of_real_companies_is_found_again(listed: Build) -> None:
    """The same of us-listed, from the real tables."""
    findings = Recomputation(listed.folder, listed.raw).findings()
    assert [finding for finding in findings if not finding.agrees] == []
    assert _count(findings, "test by sub_industry") == SAMPLE
    assert _count(findings, "aggregate") == SAMPLE
    assert _count(findings, "offset") == SAMPLE
    assert _count(findings, "noise") > 0


def test_reports_that_compare_with_the_originals_are_found_again_of_sampled_companies(
    listed_guarded: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are the curator's: the same of us-listed under guarded; a copy without them is refused, and nothing is compared."""
    findings = Recomputation(listed_guarded.folder, listed_guarded.raw).findings()
    assert [finding for finding in findings if not finding.agrees] == []
    assert _count(findings, "test by sub_industry") == SAMPLE
    assert _count(findings, "offset") == SAMPLE
    public = Path(shutil.copytree(listed_guarded.folder, tmp_path / "public", copy_function=os.link, ignore=_CURATOR))
    with pytest.raises(SystemExit, match="2"):
        main([str(public), str(listed_guarded.raw)])
    told = capsys.readouterr()
    assert told.err.endswith(f"error: {public / 'curator/reports/ks.json'} is missing\n")
    assert told.out == ""


def test_its_help_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    """Both folders, and that builds under guarded need the curator's reports."""
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "BUILD must have `curator/reports/` then" in capsys.readouterr().out


def _count(findings: list[Finding], kind: str) -> int:
    return sum(finding.kind.startswith(kind) for finding in findings)


def _more(share: float) -> Callable[[Any], Any]:
    return lambda number: number + share


Alteration = tuple[str, Callable[[Any], Any]]

ALTERED: dict[str, tuple[str, str, tuple[Alteration, ...], str]] = {
    "tests": (
        "ks",
        "tests",
        (("statistic", _more(1e-6)), ("p_value", _more(-1e-6)), ("n", _more(1)), ("n_anonymised", _more(-1))),
        "test by",
    ),
    "offsets": (
        "consistency",
        "aggregates",
        (
            ("cells", _more(1)),
            ("mean_offset", lambda number: number * 1.2 + 0.02),
            ("max_offset", lambda number: number * 1.2 + 0.02),
            ("near", _more(1)),
        ),
        "offset",
    ),
    "changed cells": ("noise", "rules", (("cells", _more(1)),), "noise of one rule in its column"),
    "rates": ("noise", "rules", (("rate", lambda number: (number or 0) + 1e-6),), "noise"),
}
"""Report, list in it, numbers in its entries and what is done to them, and the findings that must not agree any more.

Of several numbers each entry has one altered, in turn."""


@pytest.mark.parametrize("name", ALTERED)
def test_altered_numbers_are_found(recomputation: Recomputation, findings: list[Finding], name: str) -> None:
    """Of the results that rest on an altered number, not one agrees; all that rest on other reports do."""
    report, entries, alterations, kind = ALTERED[name]
    content = recomputation.report(report)
    for place, entry in enumerate(content[entries]):
        number, alter = alterations[place % len(alterations)]
        entry[number] = alter(entry[number])
    found = recomputation.findings({report: content})
    assert [finding.what for finding in found] == [finding.what for finding in findings]
    for finding in found:
        if finding.kind.startswith(kind):
            assert not finding.agrees, finding
        elif not finding.kind.startswith(kind.split()[0]):
            assert finding.agrees, finding


def test_an_altered_aggregate_is_found(small: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One more in the last digit of each published national aggregate: none of those agrees, and the script says so."""
    folder = Path(shutil.copytree(small.folder, tmp_path / "altered", copy_function=os.link, ignore=_CURATOR))
    file = folder / "clean" / "database" / "industry" / "national_industry_status.csv"
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    lines = [",".join(f'"{cell}"' for cell in (row | {"value": _one_more(row["value"])}).values()) for row in rows]
    _replace(file, "\n".join([",".join(rows[0]), *lines, ""]))
    assert main([str(folder), str(small.raw)]) == 1
    printed = capsys.readouterr().out
    national = next(line for line in printed.splitlines() if line.startswith("aggregate national: "))
    assert national.startswith("aggregate national: 0 of ")
    assert "aggregate national, " in printed


def _one_more(number: str) -> str:
    """Change the last digit of a number, if there is one."""
    return number and number[:-1] + str((int(number[-1]) + 1) % 10)


def _replace(file: Path, text: str) -> None:
    """Write a file anew: it is a link to the build's own."""
    file.unlink()
    file.write_text(text, encoding="utf-8")


_CURATOR = shutil.ignore_patterns("curator", "ideal", ".*lock")
