"""The environment of listed companies, from tables with all their defects."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from tests.integration.checks import assert_ledger_is_exact, cells, escapes, report, rows_of
from tests.integration.conftest import Build

TABLES = {
    name: Path(f"{name}.csv")
    for name in ("company_profile", "company_figures", "sector_aggregates", "state_aggregates", "metric_definitions")
}


def securities(build: Build) -> list[dict[str, str]]:
    with (build.raw / "securities.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("variant", ["noisy", "clean"])
def test_published_headers_are_those_of_the_contract(listed: Build, variant: str) -> None:
    """Five tables, with the contract's columns."""
    headers = {
        name: (listed.folder / variant / "database" / path).read_text().split("\n", 1)[0]
        for name, path in TABLES.items()
    }
    assert headers == {
        "company_profile": "id,code,name,sector,sub_industry,state,country,year_added",
        "company_figures": "id,code,year,measure,unit,value",
        "sector_aggregates": "id,sector,year,measure,statistic,unit,value",
        "state_aggregates": "id,state,year,measure,statistic,unit,value",
        "metric_definitions": "id,definition",
    }


def test_no_company_stands_in_the_published_files(listed: Build) -> None:
    """No legal name or address of the 505 companies occurs in any published byte, no ticker or CIK where codes stand."""
    rows = securities(listed)
    texts = {row["Security"] for row in rows} | {
        row["Address of Headquarters"] for row in rows if "," in row["Address of Headquarters"]
    }
    ciks = {row["CIK"] for row in rows}
    tickers = {row["Ticker Symbol"] for row in rows}
    for variant in (listed.noisy, listed.clean):
        assert escapes(variant, texts) == []
        assert not cells(variant, {"code", "name", "state", "country"}) & (ciks | tickers)


def test_every_figure_that_exists_has_a_row(listed: Build) -> None:
    """One row for each figure of the raw table that is not blank or `#N/A`."""
    with (listed.raw / "fundamentals.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    measures = [
        i for i, name in enumerate(header) if i > 1 and name not in {"Ticker Symbol", "Period Ending", "For Year"}
    ]
    expected = sum(row[i] not in {"", "#N/A"} for row in rows for i in measures)
    assert len(rows_of(listed.clean / "database/company_figures.csv")) == expected
    assert len({row["measure"] for row in rows_of(listed.clean / "database/company_figures.csv")}) == len(measures)


def test_figures_keep_size_and_sign(listed: Build) -> None:
    """Sorted by size, each published figure of a measure lies within one percent of the original, or is a re-derived total."""
    with (listed.raw / "fundamentals.csv").open(encoding="utf-8", newline="") as file:
        original = sorted(float(row["Net Income"]) for row in csv.DictReader(file))
    published = sorted(
        float(row["value"])
        for row in rows_of(listed.clean / "database/company_figures.csv")
        if row["measure"] == "Net Income"
    )
    assert len(original) == len(published)
    assert all(abs(a - b) <= 0.0101 * abs(a) for a, b in zip(original, published, strict=True))


def test_clean_and_ledger_make_noisy(listed: Build) -> None:
    """The ledger explains every difference, both ways."""
    assert_ledger_is_exact(listed.clean, listed.noisy, pl.read_parquet(listed.ledger), TABLES)


def test_reports_and_manifest_say_what_was_built(listed: Build) -> None:
    """Every gate passed; the tables are a user's, under a key of their own."""
    assert all(report(listed.noisy, name)["passed"] for name in ("ks.json", "consistency.json", "privacy.json"))
    manifest = json.loads((listed.noisy / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["source"] == "user tables"
    assert not manifest["is_demonstration_key"]
    assert manifest["scale"] is None
