"""All variants of an ablation plan: what each keeps, what they share, and that they come together or not at all."""

import errno
import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.model import Environment
from pipeline.noise.ablation import load_ablation_plan
from pipeline.noise.ledger import as_noised
from pipeline.places import default_ablation_plan
from pipeline.publish.files import read_published, sha256
from pipeline.publish.replay import transform
from silt.cli import main
from silt.definitions import build_defs
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import ENVIRONMENTS
from tests.integration.checks import published_bytes
from tests.integration.conftest import SCALE, Build, run_silt
from tests.integration.refusals import DAGSTERS_OWN_WARNING, SHOP_NAMES, ended, last_build

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)

TABLES = {table.name: table for table in DATACLAW_18.tables if table.folder == "database"}


@pytest.fixture(scope="module")
def built(small: Build, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a copy of the small build beside which all its ablations were built."""
    out = tmp_path_factory.mktemp("ablations")
    shutil.copytree(small.folder, out / small.folder.name)
    done = run_silt("ablate", "--scale", SCALE, "--out", out, cwd=corpus)
    assert done.returncode == 0, done.stderr
    assert "copied" not in done.stderr
    return Build(raw=small.raw, folder=out / small.folder.name)


@pytest.fixture(scope="module")
def index(built: Build) -> dict[str, Any]:
    """Return the index."""
    content: dict[str, Any] = json.loads((built.folder / "ablations/index.json").read_bytes())
    return content


def ledger_of(built: Build, variant: str) -> pl.DataFrame:
    """Return the curator's ledger of a variant."""
    return pl.read_parquet(built.folder / "curator/ablations" / variant / "noise_ledger.parquet")


def data_files(folder: Path) -> Iterator[Path]:
    """Return the data files of a variant, or of all."""
    return (path for path in sorted(folder.rglob("database/**/*")) if path.is_file())


@pytest.mark.slow
def test_index_lists_what_is_there(built: Build, index: dict[str, Any]) -> None:
    """Each listed variant has a folder of its manifest, and a ledger with as many changes as the index says; no other has."""
    names = [variant["name"] for variant in index["variants"]]
    folder, curator = built.folder / "ablations", built.folder / "curator/ablations"
    assert {path.name for path in folder.iterdir()} == {*names, "index.json"}
    assert {path.name for path in curator.iterdir()} == set(names)
    for variant in index["variants"]:
        assert sha256(folder / variant["name"] / "manifest.json") == variant["manifest"]
        assert ledger_of(built, variant["name"]).height == sum(variant["changes"].values())
        assert set(ledger_of(built, variant["name"])["rule"]) <= set(variant["rules"])


@pytest.mark.slow
def test_series_are_those_of_the_plan(index: dict[str, Any]) -> None:
    """The ladder has each family that the specification has, in the order of the plan; one is left out, one is alone."""
    plan = load_ablation_plan(default_ablation_plan(DATACLAW_18.name), DATACLAW_18)
    present = [family for family in plan.ladder if family in {rule.kind.family for rule in plan.spec.rules}]
    parts = [part for variant in index["variants"] for part in variant["parts"]]
    by_series = {s: [p["family"] for p in parts if p["series"] == s] for s in ("ladder", "leave_one_out", "only_one")}
    assert sorted(by_series["ladder"][1:]) == sorted(present)
    assert sorted(by_series["leave_one_out"]) == sorted(by_series["only_one"]) == sorted(present)
    assert index["without_rules"] == [family for family in plan.ladder if family not in present]


@pytest.mark.slow
@pytest.mark.parametrize("end", ["noisy", "clean"])
def test_the_ladder_leads_from_noisy_to_clean(built: Build, end: str) -> None:
    """The first rung is the noisy database and the last one the clean, byte for byte, and takes no place on the disk."""
    rung, variant = built.folder / "ablations" / end, built.folder / end
    assert published_bytes(rung / "database") == published_bytes(variant / "database")
    beside = {path.stat().st_ino for other in (built.noisy, built.clean) for path in data_files(other)}
    assert {path.stat().st_ino for path in data_files(rung)} <= beside


@pytest.mark.slow
def test_first_rung_has_the_ledger_of_noisy(built: Build) -> None:
    """Its ledger holds the changes of the noisy variant, in their order; the last one's none."""
    assert ledger_of(built, "noisy").equals(pl.read_parquet(built.ledger))
    assert ledger_of(built, "clean").is_empty()


@pytest.mark.slow
def test_what_no_removed_rule_touched_is_as_it_was(built: Build, index: dict[str, Any]) -> None:
    """A cell that no removed rule touched is as in noisy; one that is not in the variant's own ledger is as in clean.

    Of every sixth variant. NOTE: a cell that a removed rule touched need not be clean: a kept one may touch it where it
    could not before.
    """
    ledger = ledger_of(built, "noisy")
    compared = 0
    for variant in index["variants"][::6]:
        is_removed, own = ~pl.col("rule").is_in(variant["rules"]), ledger_of(built, variant["name"])
        for name in TABLES.keys() & set(ledger["table"]):
            changes = ledger.filter(pl.col("table") == name)
            if changes.filter((pl.col("row_key") == "") | (pl.col("column") == "")).height:
                continue  # rows and columns themselves differ; what undoing the ledger gives is tested for all tables
            frames = {each: cells_of(built.folder / each, name) for each in ("noisy", "clean")}
            found = cells_of(built.folder / "ablations" / variant["name"], name)
            for column in changes["column"].unique():
                cells = changes.filter(pl.col("column") == column)
                removed = set(cells.filter(is_removed)["row_key"])
                changed = set(own.filter(pl.col("table") == name, pl.col("column") == column)["row_key"])
                for source, touched in (("noisy", removed), ("clean", changed)):
                    holds = ~pl.col("id").is_in(touched)
                    assert found.filter(holds)[column].equals(frames[source].filter(holds)[column])
                compared += len(removed | changed)
            untouched = [column for column in found.columns if column not in set(changes["column"])]
            assert found.select(untouched).equals(frames["clean"].select(untouched))
    assert compared > 500


def cells_of(variant: Path, name: str) -> pl.DataFrame:
    """Return a table of a variant as text."""
    return read_published(variant / "database" / TABLES[name].path, TABLES[name])


@pytest.mark.slow
def test_each_ledger_leads_back_to_clean(built: Build, index: dict[str, Any], tmp_path: Path) -> None:
    """Any variant less its own ledger's changes is the clean database, byte for byte: tried of every sixth."""
    clean = published_bytes(built.clean / "database")
    for name in (variant["name"] for variant in index["variants"][::6]):
        ledger = built.folder / "curator/ablations" / name / "noise_ledger.parquet"
        transform(DATACLAW_18, built.folder / "ablations" / name, ledger, tmp_path / name, direction="undo")
        assert published_bytes(tmp_path / name / "database") == clean
        shutil.rmtree(tmp_path / name)


@pytest.mark.slow
def test_same_bytes_are_one_file(built: Build, index: dict[str, Any]) -> None:
    """On the disk there is one data file for each that differs; the index names for each the first variant that has it."""
    folder = built.folder / "ablations"
    by_digest: dict[tuple[str, str], Path] = {}
    for variant in index["variants"]:
        same_as = {}
        for path in data_files(folder / variant["name"]):
            relative = path.relative_to(folder / variant["name"]).as_posix()
            first = by_digest.setdefault((relative, sha256(path)), path)
            assert path.samefile(first)
            if first != path:
                same_as[relative] = first.relative_to(folder).parts[0]
        assert variant["same_as"] == same_as
    inodes = {path.stat().st_ino for path in data_files(folder)}
    assert len(by_digest) == len(inodes) < len(list(data_files(folder))) / 2


@pytest.mark.slow
def test_reports_of_each_variant(built: Build, index: dict[str, Any]) -> None:
    """Each has the reports about the truth beneath, the same for all, and `noise.json` of its own rules and tables."""
    folder = built.folder / "ablations"
    first = index["variants"][0]["name"]
    for variant in index["variants"]:
        reports = folder / variant["name"] / "reports"
        assert {path.name for path in reports.iterdir()} == {
            "consistency.html",
            "consistency.json",
            "distributions.json",
            "ks.html",
            "ks.json",
            "noise.json",
            "privacy.html",
            "privacy.json",
        }
        assert all(
            path.samefile(folder / first / "reports" / path.name)
            for path in reports.iterdir()
            if path.name != "noise.json"
        )
        privacy = json.loads((reports / "privacy.json").read_bytes())
        assert (privacy["passed"], privacy["escapes"]) == (True, [])
        rules = json.loads((reports / "noise.json").read_bytes())["rules"]
        assert sum(rule["cells"] for rule in rules) == sum(variant["changes"].values())
    of_noisy = json.loads((built.noisy / "reports/noise.json").read_bytes())["rules"]
    assert json.loads((folder / "noisy/reports/noise.json").read_bytes())["rules"] == of_noisy


@pytest.mark.slow
def test_ledgers_are_the_curators_alone(built: Build) -> None:
    """Folders have mode 0700 and ledgers 0600; no ledger stands in what is published."""
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (built.folder / "curator/ablations").rglob("*")}
    assert {mode for name, mode in modes.items() if name != "noise_ledger.parquet"} == {0o700}
    assert modes["noise_ledger.parquet"] == 0o600
    assert [path for path in (built.folder / "ablations").rglob("*") if path.suffix == ".parquet"] == []


@pytest.mark.slow
def test_a_header_that_noise_renamed_is_declared(built: Build) -> None:
    """Each table of the noisiest variant has the header that its ledger says."""
    ledger = ledger_of(built, "noisy")
    for table in TABLES.values():
        content = (built.folder / "ablations/noisy/database" / table.path).read_text(encoding="utf-8")
        header = content.partition("\n")[0].replace('"', "")
        assert header.split(",") == list(as_noised(table, ledger).columns)


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_the_job_leads_from_raw_to_all_variants(environment: Environment) -> None:
    """It holds every raw table and every table of the database without noise, and ends in the ablations alone."""
    keys = build_defs(environment).resolve_job_def("env_ablations").asset_layer.selected_asset_keys
    by_stage = {stage: {key.path[2] for key in keys if key.path[1] == stage} for stage in {key.path[1] for key in keys}}
    assert by_stage["conformed"] == {table.name for table in environment.raw_tables}
    assert by_stage["published"] == {"ablations"}
    assert by_stage["rendered"] >= {table.name for table in environment.tables if table.folder == "database"}
    assert "noisy" not in by_stage


# --- small builds in this process --------------------------------------------------------------------------------------

PLAN = "environment: shops\nnoise: shops.yaml\nladder: [missing]\n"


@pytest.fixture
def ablate(shops: Path, example: list[str]) -> list[str]:
    """Return the command that takes the example's noise apart, in the example's folder."""
    assert shops.is_dir()
    Path("ladder.yaml").write_text(PLAN, encoding="utf-8")
    command = ["ablate", *example[3:]]
    command[command.index("shops.yaml")] = "ladder.yaml"
    return command


def ablated(shops: Path) -> dict[str, bytes]:
    """Return all bytes of the last ablations, with their ledgers."""
    return published_bytes(shops / "ablations") | published_bytes(shops / "curator/ablations")


def test_a_fresh_environment_needs_nothing_before(shops: Path, ablate: list[str]) -> None:
    """Where nothing was built, all that is needed is built; no other variant is published."""
    shutil.rmtree(shops)
    assert main(ablate) == 0
    assert {path.name for path in shops.iterdir() if path.is_dir()} == {"curator", "ablations"}
    assert {path.name for path in (shops / "ablations").iterdir()} == {"noisy", "clean", "index.json"}


def test_ablations_leave_the_variants_alone(shops: Path, ablate: list[str]) -> None:
    """The noisy and the clean variant, their ledger and the map are as they were."""
    before = last_build(shops)
    assert main(ablate) == 0
    assert last_build(shops) == before


def test_ablations_that_are_gone_are_published_again(shops: Path, ablate: list[str]) -> None:
    """As they were, if any of them was changed, or its ledger removed."""
    assert main(ablate) == 0
    before = ablated(shops)
    shutil.rmtree(shops / "curator/ablations")
    (shops / "ablations/noisy/manifest.json").unlink()
    assert main(ablate) == 0
    assert ablated(shops) == before


def test_without_links_files_are_copied_and_it_is_said(
    shops: Path, ablate: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the file system has no links, the same bytes are published in files of their own."""
    assert main(ablate) == 0
    linked = ablated(shops)

    def link(*_paths: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    shutil.rmtree(shops / "ablations")  # what has the same bytes stays where it is
    capsys.readouterr()
    monkeypatch.setattr(os, "link", link)
    assert main([*ablate, "--fresh"]) == 0
    assert "no links possible: " in capsys.readouterr().err
    assert ablated(shops) == linked
    assert all(path.stat().st_nlink == 1 for path in (shops / "ablations").rglob("*.csv"))


def test_a_leak_leaves_the_old_ones(shops: Path, ablate: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A name in a published table: status 1, its place told, all variants kept with the curator, the last ones stand."""
    assert main(ablate) == 0
    before = ablated(shops)
    declaration = Path("shops.py").read_text(encoding="utf-8")
    leak = f"    return shops.with_columns(town=pl.lit({SHOP_NAMES[0]!r})).select("
    Path("shops.py").write_text(declaration.replace("    return shops.select(", leak), encoding="utf-8")
    said = ended(ablate, capsys, status=1)
    assert "nothing is published: noisy/database/shops.csv column 'town': a name in 3 rows, first row 2" in said.printed
    assert said.names_nobody()
    assert ablated(shops) == before
    kept = shops / "curator/refused/ablations"
    assert SHOP_NAMES[0] in (kept / "would_be_published/noisy/database/shops.csv").read_text(encoding="utf-8")
