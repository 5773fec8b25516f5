"""Whoever holds the paper's cleaned release can give it as RAW; our own `clean/ideal` stands for it."""

import json
from pathlib import Path

import pytest

from tests.integration.checks import escapes, rows_of
from tests.integration.conftest import Build, run_silt

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rebuilt(small: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment built from the ideal tables of another."""
    folder = tmp_path_factory.mktemp("rebuilt")
    done = run_silt("build", "clean", "--raw", small.clean / "ideal", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "environments/dataclaw-18"


def test_what_one_year_cannot_give_is_left_out_and_said(rebuilt: Path) -> None:
    """The manifest names every file that is not there, and why; no file is there that it names as not built."""
    manifest = json.loads((rebuilt / "clean/manifest.json").read_text(encoding="utf-8"))
    left_out = manifest["left_out"]
    assert "company_operation_history" in left_out["database/enterprise/company_operation_yearly_status.csv"]
    for path, reason in left_out.items():
        assert (rebuilt / "clean" / path).exists() == reason.startswith("built without")


def test_all_that_follows_from_the_firms_is_there(small: Build, rebuilt: Path) -> None:
    """Profiles, narratives, figures, statistics, counts and policies are rebuilt, row for row."""
    for path in ("enterprise/company_core.csv", "policy/policy_resource.csv", "policy/policy_release_status.csv"):
        assert len(rows_of(rebuilt / "clean/database" / path)) == len(rows_of(small.clean / "database" / path))
    for path in ("company_operation_status.csv", "national_industry_status.csv", "regional_industry_status.csv"):
        assert len(rows_of(rebuilt / "clean/ideal" / path)) == len(rows_of(small.clean / "ideal" / path))


def test_the_first_release_has_become_the_original(small: Build, rebuilt: Path) -> None:
    """No code or name of the first release stands in the second: it was anonymised like any other."""
    profiles = rows_of(small.clean / "ideal/company_profile.csv")
    names = {row["bmCompanyName"] for row in profiles}
    assert escapes(rebuilt / "clean", names) == []
    codes = {row["bmCode"] for row in rows_of(rebuilt / "clean/database/enterprise/company_profile.csv")}
    assert not codes & {row["bmCode"] for row in profiles}


def test_growth_without_its_base_stays_a_figure(small: Build, rebuilt: Path) -> None:
    """Changes over a year that is not there are perturbed like any figure: nulls, signs and leading digits stay."""
    before = {row["总资产"][:3]: row for row in rows_of(small.clean / "ideal/company_operation_status.csv")}
    after = rows_of(rebuilt / "clean/ideal/company_operation_status.csv")
    assert sum(bool(row["营业收入同比增减幅"]) for row in after) == sum(
        bool(row["营业收入同比增减幅"]) for row in rows_of(small.clean / "ideal/company_operation_status.csv")
    )
    assert before
