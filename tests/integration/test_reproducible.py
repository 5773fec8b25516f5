"""The same key and tables give the same bytes. Run as a stranger would: in new processes, elsewhere."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from pipeline.places import landing
from pipeline.publish.files import sha256
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.checks import published_bytes
from tests.integration.conftest import SCALE, Build, run_program, run_silt, write_key
from tests.integration.many_shops import write_many_shops
from tests.integration.readme import write_example

OTHERWISE = {"POLARS_MAX_THREADS": "1", "PYTHONHASHSEED": "0"}
"""One thread instead of as many as there are cores, and a hash seed that is not by chance."""


def differing(first: Path, second: Path) -> list[str]:
    """Return the published files of both variants that are not the same in two builds of an environment."""
    found = [
        {
            f"{variant}/{path}": data
            for variant in ("noisy", "clean")
            for path, data in published_bytes(folder / variant).items()
        }
        for folder in (first, second)
    ]
    assert found[0].keys() == found[1].keys()
    assert len(found[0]) > 10
    return [path for path, content in found[0].items() if found[1][path] != content]


def test_bytes_depend_on_key_and_tables_alone(tmp_path: Path) -> None:
    """Of sixty shops: another folder, one thread, a fixed hash seed and shuffled raw rows give the same bytes in every file."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for folder in (here, elsewhere):
        write_example(folder)
        write_many_shops(folder)
        write_key(folder)
    for file in (elsewhere / "shops").glob("*.csv"):
        header, *rows = file.read_text(encoding="utf-8").splitlines()
        shuffled = pl.Series(rows, dtype=pl.String).sample(fraction=1, shuffle=True, seed=1)
        file.write_text("\n".join([header, *shuffled, ""]), encoding="utf-8")
    settings = (
        "--environment",
        "shops.py:SHOPS",
        "--raw",
        "shops",
        "--noise",
        "shops.yaml",
        "--key-file",
        "release.key",
    )
    for done in (
        run_silt("build", *settings, "--out", "out", cwd=here),
        run_program("build", *settings, "--out", "other/out", cwd=elsewhere, **OTHERWISE),
    ):
        assert done.returncode == 0, done.stderr
    assert differing(here / "out/shops", elsewhere / "other/out/shops") == []


@pytest.mark.slow
def test_bytes_of_all_tables_depend_on_key_and_tables_alone(small: Build, tmp_path: Path) -> None:
    """The same of dataclaw-18, small."""
    raw = tmp_path / landing(DATACLAW_18.name) / small.raw.name
    shutil.copytree(small.raw, raw)
    for file in raw.glob("*.parquet"):
        pl.read_parquet(file).sample(fraction=1, shuffle=True, seed=1).write_parquet(file)
    as_generated = {file.name: sha256(file) for file in raw.iterdir() if file.name != ".generated.json"}
    (raw / ".generated.json").write_text(json.dumps(as_generated))
    done = run_program("build", "--scale", SCALE, "--out", "elsewhere/out", cwd=tmp_path, **OTHERWISE)
    assert done.returncode == 0, done.stderr
    assert differing(small.folder, tmp_path / "elsewhere/out/dataclaw-18") == []
