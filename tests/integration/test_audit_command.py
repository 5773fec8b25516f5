"""`silt audit` reads what was published, finds what was planted there, names it, and tells nothing of the originals."""

import json
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from anonymize.keys.release_key import DEMONSTRATION_KEY
from pipeline.conform.read_back import ReadBack, pairs_of, read_back
from pipeline.model import Environment
from pipeline.publish.files import read_published
from raw.vocabulary.indicators import TARGET_CODES
from silt.cli import main
from silt.commands.audit.auditing import Audited
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.integration.conftest import Build
from tests.integration.refusals import SHOP_CODE, SHOP_NAMES
from tests.stages import sealed, table
from tests.unit.report.findings import an_attack
from validation.attacks.limits import OPINION
from validation.report.labels import Labels

PROFILE = "database/enterprise/company_profile.csv"
STATUS = "database/enterprise/company_operation_status.csv"
CORE = "database/enterprise/company_core.csv"
ASSETS = "总资产"


# what is read back ----------------------------------------------------------------------------------------------------


def read(environment: Environment, build: Build, variant: str) -> ReadBack:
    folder = build.folder / variant
    tables = {
        each.name: read_published(folder / each.folder / each.path, each)
        for each in environment.tables
        if each.folder == "database"
    }
    assert environment.views is not None
    listed = environment.views.english
    pairs = {}
    if listed is not None:
        document = environment.document(listed.document)
        pairs = pairs_of(json.loads((folder / document.folder / document.path).read_text(encoding="utf-8")), listed)
    return read_back(
        environment, tables, pairs, table(build.folder, "conformed", environment.entities.tables[0]).schema
    )


def check_clean_is_read_exactly(environment: Environment, build: Build) -> None:
    code = environment.entities.code
    found = read(environment, build, "clean")
    anonymised = table(build.folder, "anonymised", environment.entities.tables[0]).sort(code)
    assert environment.views is not None
    published = [column for column in anonymised.columns if column in environment.views.entities.columns.values()]
    assert found.entities.schema == anonymised.schema
    assert_frame_equal(found.entities.select(published), anonymised.select(published))
    assert_frame_equal(found.figures, table(build.folder, "anonymised", "figures").sort(code, "year"))
    names = table(build.folder, "anonymised", "names").join(found.names, on="code", how="semi")
    assert_frame_equal(found.names, names.select(found.names.columns).sort("code"))
    assert (found.unread, found.contradictions) == (0, ())


def test_clean_files_of_dataclaw_are_read_as_they_were_between_the_stages(small: Build) -> None:
    """Entities, panel and names, Chinese and English: every value and type, from the text alone."""
    check_clean_is_read_exactly(DATACLAW_18, small)


def test_clean_files_of_us_listed_are_read_as_they_were_between_the_stages(listed: Build) -> None:
    """The same for listed companies, of whom one column of the entities is not published."""
    check_clean_is_read_exactly(US_LISTED, listed)


def test_noisy_figures_are_read_where_the_text_still_tells_them(listed: Build) -> None:
    """Units and aliases are undone to the last digit: what is read otherwise is what a rule replaced, and no more."""
    clean, noisy = (read(US_LISTED, listed, variant).figures for variant in ("clean", "noisy"))
    both = clean.join(noisy, on=["Ticker Symbol", "year"], suffix=" (noisy)")
    names = [measure.name for measure in US_LISTED.panel.measures]
    differ = sum(both.select(pl.col(name).ne(pl.col(f"{name} (noisy)")).sum() for name in names).row(0))
    lost = sum(
        both.select((pl.col(f"{name} (noisy)").is_null() & pl.col(name).is_not_null()).sum() for name in names).row(0)
    )
    figures = pl.read_parquet(listed.ledger).filter(table="company_figures")
    replaced = figures.filter(kind="stale_revision").height
    assert 0.5 * replaced < differ <= replaced
    gone = figures.filter(pl.col("kind").is_in(["missing_values", "sentinels", "thousands_separators", "dropped_rows"]))
    assert 0 < lost <= gone.select("row_key").n_unique()


# what is found --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A copy of a build to be spoilt."""

    folder: Path
    raw: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def clean(self) -> Path:
        """Return the clean variant's folder."""
        return self.folder / "clean"

    def audit(self, *arguments: str, variant: str = "clean") -> tuple[int, str, str]:
        """Return exit status and what was printed; no original stands in it."""
        status = main(["audit", variant, *arguments, "--out", str(self.folder.parent)])
        out, err = self.capsys.readouterr()
        originals = self.identities().filter(pl.col("original").str.len_chars() > 5)["original"]
        told = pl.Series([out, err, *(path.read_text() for path in self.reports())])
        assert not told.str.contains_any(originals.to_list()).any()
        return status, out, err

    def reports(self) -> Iterator[Path]:
        """Return the reports of audits."""
        return (self.folder / "curator").glob("audit-*.json")

    def identities(self) -> pl.DataFrame:
        """Return the identity map."""
        return sealed(self.folder, "identity", "identity_map", DEMONSTRATION_KEY)

    def codes(self) -> dict[str, str]:
        """Return published code -> original code."""
        return dict(self.identities().filter(kind="code").select("pseudonym", "original").iter_rows())

    def edit(self, path: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
        """Change one published table of the clean variant."""
        file = self.clean / path
        change(pl.read_csv(file, infer_schema=False)).write_csv(file)

    def plant_figures(self, path: str, firms: int) -> None:
        """Put the original total assets of 2022 of some firms in the place of the published ones."""
        figures = pl.read_parquet(self.raw / "company_operation_status.parquet")
        published = {original: pseudonym for pseudonym, original in self.codes().items()}
        known = figures.select(pl.col("bmCode").replace_strict(published), original=ASSETS).sort("bmCode").head(firms)
        is_planted = (pl.col("targetCode") == TARGET_CODES[ASSETS]) & (pl.col("year") == "2022")
        self.edit(
            path,
            lambda rows: (
                rows.join(known, on="bmCode", how="left", maintain_order="left")
                .with_columns(value=pl.when(is_planted).then(pl.coalesce("original", "value")).otherwise("value"))
                .drop("original")
            ),
        )


@pytest.fixture
def case(
    small: Build, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Case:
    """Return a copy of the small build, and work where its corpus lies."""
    shutil.copytree(small.folder, tmp_path / "built" / small.folder.name)
    monkeypatch.chdir(corpus)
    return Case(tmp_path / "built" / small.folder.name, small.raw, capsys)


def test_fresh_build_passes(case: Case) -> None:
    """Exit status 0, one verdict that counts owners found, and a report that is the curator's alone."""
    status, out, err = case.audit(variant="noisy")
    assert status == 0, err
    report = json.loads((case.folder / "curator/audit-noisy.json").read_text(encoding="utf-8"))
    told = Labels(english=DATACLAW_18.english).beside(report["summary"])
    assert told != report["summary"]
    assert " ".join(told.split()) in " ".join(out.split())
    lines = out.splitlines()
    (verdict,) = (line for line in lines if line.startswith("  verdict "))
    assert verdict.startswith(
        "  verdict    Safe to publish? Yes, but only because the originals are invented. With real ones: No:"
    )
    (found,) = (line for line in lines if line.startswith("  found "))
    assert re.match(
        r"  found      none of \d+ limits exceeded, 0 escapes; owners found: 150 of 150, where guessing finds \d+ "
        r"\(p < 0\.0001\); ",
        found,
    )
    assert "passed" not in out
    assert "counts other attacks than a build" in " ".join(out.split())
    assert "Of the two answers the stricter one holds." in " ".join(out.split())
    assert not {"first", "next"} & report.keys()
    assert len(lines) <= 37
    assert report["passed"]
    assert report["read_back"] == {
        "entities": 150,
        "of_known_entities": 150,
        "records": 422,
        "cells": 21125,
        "cells_not_read": 0,
        "records_that_tables_contradict": 0,
    }
    assert [stat.S_IMODE(path.stat().st_mode) for path in case.reports()] == [0o600]


def test_clean_files_give_what_the_build_found_between_its_stages(case: Case) -> None:
    """Every attack counts the same, but for those on short names, which no table of dataclaw-18 publishes.

    The independent opinion is asked by the command alone. A program gets what the curator keeps, and nothing besides.
    """
    status, out, err = case.audit("--json")
    assert status == 0, err
    assert out == (case.folder / "curator/audit-clean.json").read_text(encoding="utf-8")
    files = (case.clean / "reports/privacy.json", case.folder / "curator/audit-clean.json")
    of_build, of_audit = (json.loads(file.read_text(encoding="utf-8"))["attacks"] for file in files)
    ours = [entry for entry in of_audit if entry["family"] != OPINION]
    assert ours == [entry for entry in of_build if "of the short name" not in entry["attack"]]
    assert len(of_audit) > len(ours)


@pytest.mark.slow
def test_what_is_planted_is_found(case: Case) -> None:
    """One exact figure beside a perturbed one, a name in a narrative, firms in the order of codes: status 1, no name shown."""
    case.plant_figures(STATUS, 1)
    case.edit(
        PROFILE, lambda rows: rows.sort(pl.col("bmCode").replace_strict(case.codes())).with_columns(id=rows["id"])
    )
    name = case.identities().filter(kind="name").sort("original")["original"][0]
    row = pl.int_range(pl.len()) == 2
    text = pl.col("bmCoreVieContent")
    case.edit(CORE, lambda rows: rows.with_columns(pl.when(row).then(text + pl.lit(name)).otherwise(text)))
    status, out, err = case.audit()
    assert status == 1
    assert "exact figures: exact figure, alone, where company_operation_status contradicts" in err
    assert "1 records are contradicted by a further table" in out
    assert "EXCEEDED" in out
    assert "curator/audit-clean.json" in err
    assert re.search(r"what identifies a company in \d rows? in \d columns?, each with the words", err)
    assert re.search(rf"^escape: {CORE} column 'bmCoreVieContent': a name in \d rows, first row 4$", out, re.MULTILINE)
    assert name not in out + err
    findings = pl.read_csv(case.folder / "curator/audit-clean-findings.csv")
    assert findings.filter(file=CORE, row=4, column="bmCoreVieContent", token=name).height
    assert "order: order of company_profile, rows" in err
    report = json.loads((case.folder / "curator/audit-clean.json").read_text(encoding="utf-8"))
    assert report["next"] == f"silt audit clean --environment dataclaw-18 --out {case.folder.parent}"
    following = f"first mend what the audit found; build again, then: next {report['next']}"
    assert " ".join(err.split()).endswith(following)


def test_what_only_a_bound_exceeds_is_not_said_to_be_exceeded(tmp_path: Path) -> None:
    """Such limits are not shown to be kept, as a build says it; others are exceeded, and both may be."""
    kept = an_attack(limit="at most 3%, upper bound at most 4%", records=720, successes=15, rate=0.02, upper_95=0.03)
    unproven = kept | {"upper_95": 0.05, "passed": False}
    exceeded = kept | {"rate": 0.06, "upper_95": 0.09, "passed": False}

    def said(*attacks: dict[str, Any]) -> str:
        report = {"attacks": attacks, "escapes": [], "passed": False}
        labels = Labels(english={})
        audited = Audited(
            report=report,
            file=tmp_path,
            scanned=cast("Any", None),
            findings=None,
            labels=labels,
            is_demonstration=False,
        )
        return audited._counted().partition("REFUSED: ")[2].partition(", 0 escapes")[0]

    assert said(kept, unproven) == "1 of 2 limits not shown to be kept"
    assert said(kept, unproven, exceeded) == "1 of 3 limits exceeded, 1 more not shown to be kept"
    assert said(kept, exceeded) == "1 of 2 limits exceeded"


# what cannot be audited -----------------------------------------------------------------------------------------------


def unusable(case: Case, *arguments: str) -> str:
    """Return the error of an audit that does not take place."""
    status, out, err = case.audit(*arguments)
    assert (status, out) == (2, "")
    assert list(case.reports()) == []
    return err


def test_wrong_key_is_reported(case: Case, tmp_path: Path) -> None:
    """Both fingerprints are named, and the key is not."""
    file = tmp_path / "other.key"
    file.write_text("2" * 64)
    file.chmod(0o600)
    err = unusable(case, "--key-file", str(file))
    assert "the identity map was sealed under the key with fingerprint" in err
    assert "2" * 64 not in err


def test_raw_tables_of_another_build_are_reported(case: Case) -> None:
    """Attacks on them would count nothing, and pass."""
    err = unusable(case, "--scale", "0.03")
    assert "these are not the raw tables of the build" in err
    assert "with --scale (SCALE)" in err


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            lambda case: (case.clean / PROFILE).unlink(),
            "no database/enterprise/company_profile.csv under .*; build again",
        ),
        (
            lambda case: (case.clean / PROFILE).write_bytes(b"a,b\n\xff,1,2,3\n"),
            "profile.csv cannot be read as a table",
        ),
        (
            lambda case: case.edit(PROFILE, lambda rows: rows.with_columns(bmCode=pl.lit("0"))),
            "no code of .* is in the identity map beside it",
        ),
    ],
    ids=["no table", "not a table", "other codes"],
)
def test_what_is_not_one_build_is_reported(case: Case, spoil: Callable[[Case], object], says: str) -> None:
    """Each with what to do."""
    spoil(case)
    assert re.search(says, unusable(case))


def test_environment_without_views_is_reported_what_to_declare(shops: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without them the tutorial's example ends with status 2, and what is missing with an example of it."""
    declaration = Path("shops.py").read_text(encoding="utf-8")
    without = re.sub(r"^    views=Views\(\n.*?^    \),\n", "", declaration, flags=re.DOTALL | re.MULTILINE)
    assert without != declaration
    Path("shops.py").write_text(without, encoding="utf-8")
    assert main(["audit", "--environment", "shops.py:SHOPS", "--raw", "shops"]) == 2
    out, err = capsys.readouterr()
    assert (out, list((shops / "curator").glob("audit-*"))) == ("", [])
    assert "environment 'shops' does not declare how its published files are read back; give it `views=Views(" in err


def test_environment_with_views_is_audited(shops: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tutorial's example, with its two tables declared, one of them wide, is audited without a word of its shops."""
    assert main(["audit", "--environment", "shops.py:SHOPS", "--raw", "shops"]) == 0
    out, err = capsys.readouterr()
    assert "Read 3 entities (3 of the originals) and 4 records of figures.\n0 of " in out
    assert "cells of figures could not be read" in out
    told = out + err + (shops / "curator/audit-noisy.json").read_text(encoding="utf-8")
    assert not SHOP_CODE.search(told)
    assert not any(name in told for name in SHOP_NAMES)


def test_the_key_of_a_build_that_was_run_elsewhere_is_asked_for(
    shops: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Keys lie below the folder of the build's command: the error says so, and names the option."""
    declaration, raw, out = Path("shops.py").resolve(), Path("shops").resolve(), shops.resolve().parent
    monkeypatch.chdir(raw)
    assert main(["audit", "--environment", f"{declaration}:SHOPS", "--raw", str(raw), "--out", str(out)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "run this in the folder in which the build was run, or give --key-file (KEY)" in said
