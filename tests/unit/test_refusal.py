"""Reports of a refused build: what is kept, for whom, and that nothing of an earlier one is left."""

import stat
from pathlib import Path

import polars as pl
import pytest

from pipeline.errors import GateError, InputError, Problem
from pipeline.publish.refusal import forget_reports, keep_problems, keep_reports, kept_problems
from silt.commands.audit.auditing import Audited
from tests.unit.report import findings
from validation.escapes.scan import Scanned
from validation.report.labels import Labels

FILES = pl.DataFrame({"path": ["expectations.json", "data_docs/index.html"], "content": ["{}", "<html>"]})


PAGE = b"<html>the page"
PAGES = {"report.html": PAGE, "data_docs/index.html": b"<html>"}


def kept_in(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_every_report_is_a_file(tmp_path: Path) -> None:
    """Text becomes JSON, what is absent nothing; pages stand beside them, and without pages a table of files does."""
    reports: dict[str, pl.DataFrame | str | None] = {
        "ks": '{"passed": false}',
        "expectations_clean": FILES,
        "absent": None,
    }
    page = keep_reports(tmp_path, reports, pages=PAGES)
    assert page == tmp_path / "refused" / "reports" / "report.html"
    pages = {path: content.decode() for path, content in PAGES.items()}
    assert kept_in(page.parent) == {"ks.json": '{"passed": false}', **pages}
    folder = keep_reports(tmp_path, reports, pages={})
    assert folder == page.parent
    assert kept_in(folder) == {
        "ks.json": '{"passed": false}',
        "expectations_clean/expectations.json": "{}",
        "expectations_clean/data_docs/index.html": "<html>",
    }


def test_reports_are_the_owners_alone(tmp_path: Path) -> None:
    """Folders have mode 0700, files 0600."""
    folder = keep_reports(tmp_path, {"ks": "{}"}, pages={"report.html": PAGE}).parent
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(folder.parent.stat().st_mode), modes) == (
        0o700,
        0o700,
        {0o600},
    )


def test_nothing_of_an_earlier_build_is_left(tmp_path: Path) -> None:
    """The reports of a refused build replace those before, and can be forgotten, also if there are none."""
    forget_reports(tmp_path)
    keep_reports(tmp_path, {"ks": "{}", "noise": "{}"}, pages=PAGES)
    kept = keep_reports(tmp_path, {"ks": "{}"}, pages={"report.html": PAGE})
    assert kept_in(kept.parent) == {"ks.json": "{}", "report.html": PAGE.decode()}
    (tmp_path / "refused" / "noisy").mkdir()
    forget_reports(tmp_path)
    assert [path.name for path in (tmp_path / "refused").iterdir()] == ["noisy"]


def test_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file where the folder should be: the error names the place and what to do."""
    (tmp_path / "refused").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot write under .*; make it writable"):
        keep_reports(tmp_path, {"ks": "{}"}, pages=PAGES)


def test_problems_that_are_kept_are_read_back(tmp_path: Path) -> None:
    """Also one of a whole file, and one whose value breaks a line: programs get them as they were found."""
    problems = (Problem("a.csv", 0, "", "", "expected one row"), Problem("b.csv", 3, "sales", 'x,"\ny', "a number"))
    keep_problems(tmp_path, problems)
    assert kept_problems(tmp_path) == problems


@pytest.mark.parametrize(
    ("rate", "claim"), [(0.02, "cannot rule out that more is found than"), (0.1, "found more than")]
)
def test_an_audit_says_more_was_found_only_if_it_was(tmp_path: Path, rate: float, claim: str) -> None:
    """Where the bound alone is over its limit, tries are too few to say."""
    attack = findings.an_attack(rate=rate, upper_95=0.2, limit="at most 3%, upper bound at most 4%", passed=False)
    report = findings.privacy(passed=False, attacks=[attack])
    scanned, labels = Scanned(declared=0), Labels()
    audited = Audited(
        report=report, file=tmp_path, scanned=scanned, findings=None, labels=labels, is_demonstration=False
    )
    with pytest.raises(GateError, match=f"the audit {claim} is allowed: linkage: nearest neighbour"):
        audited.refuse()
