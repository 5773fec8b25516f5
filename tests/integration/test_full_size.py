"""The environment at the paper's size (`make test-full`): its counts, its reports, and that none of its firms is found.

Everything here is tried of a fiftieth of it in `test_dataclaw_18.py`, and the corpus is counted at full size
in `tests/unit/raw/`.
"""

import json
import re

import polars as pl
import pytest

from pipeline.places import SPECIFICATIONS, landing
from pipeline.tasks.scoring.files import tasks_with_gold
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.full_corpus import full_corpus
from tests.integration.checks import cells, escapes, report
from tests.integration.conftest import Build, run_silt
from tests.integration.readme import ROOT, between
from tests.realism.__main__ import table
from tests.shared_builds import SharedBuilds
from tests.unit.tasks.spoilt import misjudged

pytestmark = pytest.mark.full

RECORDS = {
    "enterprise/company_profile.csv": 7_295,
    "enterprise/company_profile_as.csv": 1_282,
    "enterprise/company_profile_eu.csv": 1_201,
    "enterprise/company_profile_na.csv": 791,
    "enterprise/company_profile_oc.csv": 401,
    "enterprise/company_core.csv": 4_907,
    "enterprise/company_operation_status.csv": 353_438,
    "enterprise/company_operation_status_detail.csv": 781_772,
    "enterprise/company_operation_yearly_status.csv": 669_169,
    "industry/national_industry_status.csv": 12_107,
    "industry/national_industry_status_detail.csv": 43_938,
    "industry/national_industry_yearly_status.csv": 776,
    "industry/regional_industry_status.csv": 170_896,
    "industry/regional_industry_status_detail.csv": 3_173,
    "industry/regional_industry_yearly_status.csv": 3_207,
    "policy/policy_resource.csv": 1_129,
    "policy/policy_release_status.csv": 7_792,
    "internal_metrics.csv": 25,
}
"""Records of the release, file by file (reference, section 0)."""


@pytest.fixture(scope="module")
def whole(builds: SharedBuilds, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a build of both variants at full size."""
    folder, landed = tmp_path_factory.mktemp("whole"), full_corpus(builds)
    link = folder / landing(DATACLAW_18.name)
    link.parent.mkdir()
    link.symlink_to(landed)
    done = run_silt("build", cwd=folder)
    assert done.returncode == 0, done.stderr
    return Build(raw=next(landed.iterdir()), folder=folder / "environments/dataclaw-18")


def test_page_on_noise_shows_one_change_by_each_kind(whole: Build) -> None:
    """Between its marks stands what `silt noise explain` prints of the examples in `noise_specs/`."""
    done = run_silt("noise", "explain", SPECIFICATIONS / "dataclaw-18/kinds", cwd=whole.folder.parents[1])
    assert between(ROOT / "docs/noise.md", "examples of kinds") == done.stdout.strip()


def test_page_on_noise_shows_what_agrees_with_the_real_release(whole: Build) -> None:
    """How many documented facts agree stands there, with some of the lines that `python -m tests.realism` prints."""
    page = (ROOT / "docs/noise.md").read_text(encoding="utf-8").partition("*It is like the real one.*")[2]
    said, shown, *_ = page.split("\n\n")
    printed = table(whole.folder.parent).splitlines()
    counts = re.search(r"of (\d+) documented facts (\d+) agree, (\d+) do not, (\d+) are not", printed[0])
    assert counts
    assert "of {} facts {} agree, {} do not, {} are listed without a test".format(*counts.groups()) in said
    assert set(shown.splitlines()[2:]) <= set(printed)


def test_each_task_accepts_its_gold_and_nothing_spoilt(whole: Build) -> None:
    """All 492; `test_scores.py` tries those of `us-listed`."""
    done = run_silt("tasks", "make", cwd=whole.folder.parents[1])
    assert done.returncode == 0, done.stderr
    assert len(tasks_with_gold(whole.folder)) == 492
    assert misjudged(whole.folder) == []


def test_records_equal_the_papers(whole: Build) -> None:
    """Each file of the clean variant has as many records as the paper's, 2,063,299 in all."""
    files = json.loads((whole.clean / "manifest.json").read_text(encoding="utf-8"))["files"]
    records = {
        file["path"].removeprefix("database/"): file["records"]
        for file in files
        if file["path"].startswith("database/")
    }
    assert {path: records[path] for path in RECORDS} == RECORDS
    assert sum(RECORDS.values()) == 2_063_299


def test_none_of_the_firms_is_there(whole: Build) -> None:
    """No raw code with its suffix and no raw name of all 6,895 firms stands anywhere, no bare code where codes stand."""
    profile = pl.read_parquet(whole.raw / "company_profile.parquet").filter(pl.col("companyType") != "国外")
    assert profile.height == 6_895
    tokens = [*profile["bmCode"], *profile["bmCompanyName"]]
    for variant in (whole.noisy, whole.clean):
        assert escapes(variant, tokens) == []
        bare = {code.split(".")[0] for code in profile["bmCode"]}
        assert not cells(variant, {"bmCode"}) & (bare | {digits.lstrip("0") for digits in bare})


def test_every_test_passes_and_shows_its_power(whole: Build) -> None:
    """Every KS test has p > 0.05, with n, D and the shift that it could have detected."""
    ks = report(whole.noisy, "ks.json")
    assert len(ks["tests"]) > 10_000
    assert min(test["p_value"] for test in ks["tests"]) > 0.05
    assert all(test["n"] > 0 and test["detectable_shift"] > 0 for test in ks["tests"])


def test_page_of_everything_is_small(whole: Build) -> None:
    """2 MB is what a page may have; by as much as this stays below, a build may grow."""
    pages = [page for variant in (whole.noisy, whole.clean) for page in (variant / "reports").rglob("*.html")]
    assert pages
    assert max(page.stat().st_size for page in pages) < 2_000_000
