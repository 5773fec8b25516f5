"""The reference cleaner in builds: what is recoverable is mended, nothing else changes; lying noise is reported or refused."""

import json
from pathlib import Path

import pytest
import yaml

from silt.cli import main
from tests.integration.checks import report
from tests.integration.conftest import Build, write_key
from tests.integration.many_shops import write_many_shops
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from tests.pages import is_self_contained, left_open, text_of
from validation.noise.cleaner.report import LEAST_SHARE

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)

LIAR = {
    "environment": "shops",
    "rules": [
        {
            "name": "costs that are lost and said not to be",
            "kind": "missing_values",
            "tables": ["accounts"],
            "mechanism": {"type": "completely_at_random", "rate": 0.5},
            "parameters": {"columns": ["delivered"]},
            "recoverable": True,
            "reason": "A test.",
        }
    ],
}
"""Noise of which everything is recoverable, it says, and nothing is."""

PLAN = {
    "environment": "shops",
    "suspicions": [
        {
            "kind": "missing_values",
            "tables": ["accounts"],
            "parameters": {"columns": ["delivered"]},
            "reason": "Gaps in the books.",
        }
    ],
}


def test_small_build_is_mended(small: Build) -> None:
    """The default noise passes: the share that is asked for, nothing broken, the aggregates exact; and the page says so."""
    cleaner = report(small.noisy, "noise.json")["cleaner"]
    assert cleaner["passed"]
    assert cleaner["share"] >= LEAST_SHARE
    assert (cleaner["wrong"], cleaner["aggregates_are_exact"]) == (0, True)
    assert cleaner["recoverable"] > cleaner["unrecoverable"] > 0
    page = (small.noisy / "reports/noise.html").read_bytes()
    assert f"cleaner undoes {cleaner['mended']:,}" in text_of(page)
    assert is_self_contained(page)
    assert not left_open(page)


def test_real_build_is_mended(listed: Build) -> None:
    """The same for us-listed, from the real tables."""
    cleaner = report(listed.noisy, "noise.json")["cleaner"]
    assert cleaner["passed"]
    assert cleaner["recoverable"] > 10 * cleaner["unrecoverable"] > 0
    assert cleaner["wrong"] == 0


def test_the_clean_variant_has_no_page_on_noise(small: Build) -> None:
    """There is nothing to say."""
    assert not (small.clean / "reports/noise.html").exists()


@pytest.fixture
def liar(shops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside sixty shops with a plan for the cleaner; write the specification that promises too much."""
    assert shops.is_dir()
    write_many_shops(Path())
    write_key(Path())
    liar, plan = tmp_path / "liar.yaml", tmp_path / "plan.yaml"
    for file, content in ((liar, LIAR), (plan, PLAN)):
        file.write_text(yaml.safe_dump(content), encoding="utf-8")
    monkeypatch.setattr("pipeline.places.default_cleaning_plan", lambda _environment: plan)
    return liar


SETTINGS = ("noisy", "--environment", "shops.py:SHOPS", "--raw", "shops", "--key-file", "release.key")


def test_a_users_own_noise_that_cannot_be_mended_is_told(liar: Path) -> None:
    """It is published all the same, for nobody promised that it could be; the report and the page say that it is not."""
    assert main(["build", *SETTINGS, "--noise", str(liar), "--out", "liar"]) == 0
    variant = Path("liar/shops/noisy")
    cleaner = report(variant, "noise.json")["cleaner"]
    assert not cleaner["passed"]
    assert cleaner["missed"] == cleaner["recoverable"] == cleaner["changes"] > 0
    assert cleaner["wrong"] == 0
    said = f"{cleaner['missed']} recoverable changes were missed"
    assert said in text_of((variant / "reports/noise.html").read_bytes())


def test_default_noise_that_cannot_be_mended_is_refused(
    liar: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the specification is the environment's default, the build ends with status 1 and publishes nothing."""
    monkeypatch.setattr("pipeline.places.default_specification", lambda _environment: liar)
    assert main(["build", *SETTINGS, "--out", "refused"]) == 1
    assert "refused by cleaner_mends_what_is_recoverable, so nothing is published" in capsys.readouterr().err
    folder = Path("refused/shops")
    assert not (folder / "noisy").exists()
    kept = json.loads((folder / "curator/refused/reports/noise.json").read_text(encoding="utf-8"))
    assert not kept["cleaner"]["passed"]
