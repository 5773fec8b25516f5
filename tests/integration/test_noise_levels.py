"""Noise on rows and on files goes through a whole build: published, scanned, reported, undone, replayed and audited."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import FileKind, RowKind
from tests.integration.conftest import SCALE, Build, run_silt
from tests.pages import text_of

pytestmark = pytest.mark.slow

SPEC = Path(__file__).with_name("noise_levels.yaml")


@pytest.fixture(scope="module")
def levels(corpus: Path, small: Build) -> Build:
    """Return a small build of dataclaw-18 with every kind of noise on rows and files; what noise does not touch is there."""
    shutil.copytree(small.folder, corpus / "levels" / small.folder.name)
    done = run_silt("build", "noisy", "clean", "--scale", SCALE, "--noise", SPEC, "--out", "levels", cwd=corpus)
    assert done.returncode == 0, done.stderr
    return Build(raw=corpus, folder=corpus / "levels/dataclaw-18")


def files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield every file of a database."""
    for path in sorted((folder / "database").rglob("*")):
        if path.is_file():
            yield path.relative_to(folder), path.read_bytes()


def test_every_kind_on_rows_and_files_did_something(levels: Build) -> None:
    """The ledger has changes of each, and the report tells each rule with its share."""
    kinds = {name for name, kind in KINDS.items() if issubclass(kind, RowKind | FileKind)}
    assert set(pl.read_parquet(levels.ledger)["kind"]) == kinds | {"missing_values"}
    rules = json.loads((levels.noisy / "reports/noise.json").read_bytes())["rules"]
    assert {rule["kind"] for rule in rules if rule["cells"]} == kinds | {"missing_values"}
    assert all(0 < rule["rate"] <= 1 for rule in rules if rule["cells"])


def test_commands_of_the_page_name_the_noise_that_was_given(levels: Build) -> None:
    """Without it they would make the shipped noise."""
    page = text_of((levels.noisy / "reports/report.html").read_bytes())
    assert "silt release --version 1.0.0 --environment dataclaw-18 --scale 0.02 --noise SPEC" in page


def test_headers_dialects_and_rows_are_as_specified(levels: Build) -> None:
    """A few of the published files, as text."""
    database = levels.noisy / "database"
    header, first = (database / "enterprise/company_profile.csv").read_text("utf-8").splitlines()[:2]
    assert {"firm_code", "region", "number"} <= set(header.split(","))
    assert "NULL" in first.split(",")
    assert (database / "internal_metrics.csv").read_text("utf-8").startswith('"id","interal_knowladge"\n"1","')
    wide = (database / "enterprise/company_operation_status_detail.csv").read_text("utf-8").splitlines()
    assert wide[0].startswith("firm_year,Y_EC_01,")
    assert len(wide) < 1_000


def test_the_noisy_variant_is_audited(levels: Build, tmp_path: Path) -> None:
    """Rows and columns are put back by the ledger before anything is read; without it the audit says what it needs."""
    done = run_silt("audit", "noisy", "--out", levels.folder.parent, cwd=levels.raw)
    assert done.returncode == 0, done.stderr
    report = json.loads((levels.folder / "curator/audit-noisy.json").read_bytes())["read_back"]
    assert report["entities"] == report["of_known_entities"] > 100
    assert report["cells_not_read"] == 0
    kept = levels.ledger.rename(tmp_path / "ledger.parquet")
    try:
        refused = run_silt("audit", "noisy", "--out", levels.folder.parent, cwd=levels.raw)
    finally:
        kept.rename(levels.ledger)
    assert refused.returncode == 2
    assert "no noise ledger can be read" in refused.stderr
