"""The environment of the paper, small: its files, its evidence, and that nothing raw is in it."""

import json
import stat
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path

import polars as pl
import pytest

from pipeline.places import SPECIFICATIONS
from raw.vocabulary.indicators import INDICATORS, TARGET_CODES
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.checks import assert_ledger_is_exact, cells, escapes, report, rows_of
from tests.integration.conftest import Build, run_silt
from tests.integration.readme import ROOT, between

DATABASE = {table.name: Path(table.path) for table in DATACLAW_18.tables if table.folder == "database"}

HEADERS = {
    "enterprise/company_core.csv": "id,bmCode,year,hasRun,bmCoreVieContent,isDelete,createTime,updateTime",
    "enterprise/company_operation_status.csv": "id,bmCode,targetCode,targetName,targetUnit,value,createTime,updateTime,year",
    "enterprise/company_operation_status_detail.csv": "id,bmCode,year,targetCode,value",
    "enterprise/company_profile_oc.csv": (
        "id,year,bmCode,companyType,bmCompanyName,completedDate,listingDate,delistingDate,industryId,secondIndustryId,"
        "firstClassificationId,secondClassificationId,secondClassification,firstClassification,secondIndustry,industry,province,"
        "city,area,exchange,plate,ownership,multipleList,isResult,country,isDelete,companyStatusType,createTime,updateTime"
    ),
    "industry/national_industry_status.csv": "id,industryId,industry,targetName,targetUnit,value,createTime,updateTime,year",
    "industry/regional_industry_yearly_status.csv": "id,province,industryId,industry,year,targetName,targetUnit,value",
    "internal_metrics.csv": "id,interal_knowladge",
    "policy/policy_release_status.csv": (
        '"id","industryId","industry","targetName","value","createTime","updateTime","year","province"'
    ),
    "policy/policy_resource.csv": (
        "id,title,content,clearContent,summary,attachmentList,originalUrl,writtenDate,publishDate,policyClassification,province,"
        "city,area,issueAuthor,createTime,updateTime,isDelete,machineSummary,industry"
    ),
}
"""Headers as the release has them, misspellings included (reference, section 1.1)."""


@pytest.mark.parametrize("variant", ["noisy", "clean"])
def test_the_eighteen_files_are_there(small: Build, variant: str) -> None:
    """Each variant's database holds the 18 tables and the bilingual list, and nothing else."""
    database = small.folder / variant / "database"
    found = {path.relative_to(database).as_posix() for path in database.rglob("*") if path.is_file()}
    assert len(DATABASE) == 18
    assert found == {path.as_posix() for path in DATABASE.values()} | {"bilingual_translation_english_chinese.json"}


def test_the_ideal_tables_stand_beside_the_clean_database_alone(small: Build) -> None:
    """The seven wide files are in `clean/ideal`, and not in the noisy variant."""
    assert len(list((small.clean / "ideal").iterdir())) == 7
    assert not (small.noisy / "ideal").exists()


@pytest.mark.parametrize(("path", "header"), HEADERS.items())
def test_headers_are_exact(small: Build, path: str, header: str) -> None:
    """Headers are those of the release, character by character."""
    assert (small.noisy / "database" / path).read_text(encoding="utf-8").split("\n", 1)[0] == header


def test_policy_counts_quote_what_is_not_empty(small: Build) -> None:
    """`policy_release_status` quotes every field but an empty one."""
    lines = (small.clean / "database/policy/policy_release_status.csv").read_text(encoding="utf-8").splitlines()
    assert lines[1].startswith('"1",,,"发布政策数量","')
    assert all(not field or (field[0] == field[-1] == '"') for line in lines for field in line.split(","))


def test_the_ledger_explains_every_difference(small: Build) -> None:
    """Changes made one by one turn clean tables into noisy ones, and taken back turn noisy into clean."""
    ledger = pl.read_parquet(small.ledger)
    assert ledger.columns == ["table", "row_key", "column", "kind", "rule", "before", "after", "recoverable"]
    assert ledger.height > 1_000
    assert_ledger_is_exact(small.clean, small.noisy, ledger, DATABASE)


@pytest.mark.parametrize(("direction", "start", "goal"), [("replay", "clean", "noisy"), ("undo", "noisy", "clean")])
def test_the_ledger_replays_on_bytes(small: Build, tmp_path: Path, direction: str, start: str, goal: str) -> None:
    """`silt noise` gives the other variant's database, byte for byte."""
    arguments = ("--variant", small.folder / start, "--ledger", small.ledger, "--to", tmp_path / "made")
    done = run_silt("noise", direction, *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    wanted = small.folder / goal / "database"
    for path in sorted(path for path in wanted.rglob("*") if path.is_file()):
        assert (tmp_path / "made/database" / path.relative_to(wanted)).read_bytes() == path.read_bytes()


def test_nothing_raw_is_published(small: Build) -> None:
    """No original code, legal name or alias occurs in any published byte, and no original digits where codes stand."""
    profile = pl.read_parquet(small.raw / "company_profile.parquet")
    overseas = pl.read_parquet(small.raw / "overseas_profile.parquet")
    aliases = pl.read_parquet(small.raw / "company_alias.parquet")["alias"].to_list()
    codes = [*profile["bmCode"], *overseas["bmCode"]]
    names = [*profile["bmCompanyName"], *overseas["bmCompanyName"]]
    bare = {code.split(".")[0] for code in codes}
    for variant in (small.noisy, small.clean):
        assert escapes(variant, [*codes, *names, *aliases]) == []
        assert not cells(variant, {"bmCode"}) & (bare | {digits.lstrip("0") for digits in bare})


def test_the_search_for_raw_names_can_fail(small: Build) -> None:
    """The search above finds what is there: a published name."""
    name = rows_of(small.clean / "database/enterprise/company_profile.csv")[0]["bmCompanyName"]
    found = escapes(small.clean, [name])
    assert "company_profile.csv" in found
    assert "national_industry_status.csv" not in found


def test_every_gate_passed_and_says_with_what(small: Build) -> None:
    """Reports carry the contract's fields; every test has p > 0.05 and its n, D and detectable shift."""
    ks = report(small.noisy, "ks.json")
    assert ks["passed"]
    assert {"measure", "group", "n", "statistic", "p_value", "detectable_shift"} <= ks["tests"][0].keys()
    assert all(test["p_value"] > 0.05 for test in ks["tests"])
    consistency = report(small.noisy, "consistency.json")
    assert consistency["passed"]
    assert {entry["max_residual"] for entry in consistency["identities"]} == {0}
    assert report(small.noisy, "privacy.json")["escapes"] == []
    noise = report(small.noisy, "noise.json")
    assert len({rule["kind"] for rule in noise["rules"]}) > 20
    assert noise["cleaner"]["passed"]
    assert all(told["passed"] for told in noise["filters"])
    assert report(small.clean, "noise.json")["rules"] == []


def test_page_on_noise_shows_a_change_by_each_kind(small: Build) -> None:
    """It has a line of each kind that has one here; which cells are shown depends on the size of the build."""
    page = between(ROOT / "docs/noise.md", "examples of kinds")
    done = run_silt("noise", "explain", SPECIFICATIONS / "dataclaw-18/kinds", "--out", small.folder.parent, cwd=ROOT)
    shown, here = ([line.split("|")[1] for line in text.splitlines()] for text in (page, done.stdout))
    assert [kind for kind in shown if kind in here] == here
    assert len(here) > len(shown) / 2


def test_changes_follow_from_the_published_figures(small: Build) -> None:
    """Every row of the yearly table is recomputed in decimals from the published detail table, and none is missing."""
    detail = {
        (row["bmCode"], row["year"], row["targetCode"]): Decimal(row["value"])
        for row in rows_of(small.clean / "database/enterprise/company_operation_status_detail.csv")
    }
    sums = {TARGET_CODES[measure.name] for measure in INDICATORS if measure.additive}
    expected = {}
    for (code, year, target), now in detail.items():
        before = detail.get((code, str(int(year) - 1), target))
        if before is not None:
            expected[code, year, f"{target}_CHG"] = now - before
            if target in sums and before:
                rate = Context(prec=60).divide(100 * (now - before), abs(before))
                expected[code, year, f"{target}_YOY"] = rate.quantize(Decimal("0.01"), ROUND_HALF_UP, Context(prec=60))
    published = rows_of(small.clean / "database/enterprise/company_operation_yearly_status.csv")
    assert {(row["bmCode"], row["year"], row["targetCode"]): Decimal(row["value"]) for row in published} == expected


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("national_macro_detail", "national_industry_status_detail"),
        ("national_macro_yearly", "national_industry_yearly_status"),
        ("regional_macro_detail", "regional_industry_status_detail"),
        ("regional_macro_yearly", "regional_industry_yearly_status"),
    ],
)
def test_macro_series_are_published_as_they_are(small: Build, raw: str, path: str) -> None:
    """Macro series are no firm's figures: names, periods, units and values are those of the raw table."""
    columns = ("year", "targetName", "targetUnit", "value")
    given = pl.read_parquet(small.raw / f"{raw}.parquet", columns=columns).fill_null("").iter_rows()
    published = rows_of(small.clean / f"database/industry/{path}.csv")
    assert sorted((*row[:3], Decimal(row[3])) for row in given) == sorted(
        (row["year"], row["targetName"], row["targetUnit"], Decimal(row["value"])) for row in published
    )


def test_codes_names_and_tables_agree(small: Build) -> None:
    """One map for all: codes of every table are those of the profiles, six digits, names are unique and bilingual."""
    profiles = rows_of(small.clean / "database/enterprise/company_profile.csv")
    overseas = [
        row
        for part in ("as", "eu", "na", "oc")
        for row in rows_of(small.clean / f"database/enterprise/company_profile_{part}.csv")
    ]
    codes = {row["bmCode"] for row in [*profiles, *overseas]}
    assert all(code.isdigit() and len(code) == 6 and code[0] != "0" for code in codes)
    assert cells(small.clean / "database", {"bmCode"}) == codes
    names = {row["bmCode"]: row["bmCompanyName"] for row in [*overseas, *profiles]}
    assert len(set(names.values())) == len(codes)
    bilingual = json.loads(
        (small.clean / "database/bilingual_translation_english_chinese.json").read_text(encoding="utf-8")
    )
    assert set(bilingual["company_items"]) == set(names.values())
    narratives = rows_of(small.clean / "database/enterprise/company_core.csv")
    assert sum(names[row["bmCode"]] in row["bmCoreVieContent"] for row in narratives) > 0.5 * len(narratives)


def test_the_curator_area_is_private(small: Build) -> None:
    """The curator's folder is closed to others, and the sealed map opens with the key alone."""
    curator = small.folder / "curator"
    assert stat.S_IMODE(curator.stat().st_mode) == 0o700
    sealed = (curator / "identity_map.enc").read_bytes()
    assert not any(code.encode() in sealed for code in pl.read_parquet(small.raw / "company_profile.parquet")["bmCode"])


def test_the_manifest_lists_what_is_there(small: Build) -> None:
    """The manifest names each data file with its bytes and records, and holds no key and no path of the machine."""
    text = (small.noisy / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert {file["path"] for file in manifest["files"]} == {
        path.relative_to(small.noisy).as_posix() for path in (small.noisy / "database").rglob("*") if path.is_file()
    }
    profile = next(file for file in manifest["files"] if file["path"].endswith("/company_profile.csv"))
    assert profile["records"] == len(rows_of(small.noisy / profile["path"]))
    assert str(small.folder.parent) not in text
