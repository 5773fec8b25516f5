"""The same key and tables give the same bytes; another key gives others. Run as a stranger would: in new processes."""

from pathlib import Path

import polars as pl

from pipeline.places import landing
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.checks import cells, published_bytes, rows_of
from tests.integration.conftest import SCALE, Build, run_program


def test_bytes_depend_on_key_and_tables_alone(small: Build, tmp_path: Path) -> None:
    """Another folder, one thread, a fixed hash seed and shuffled raw rows give the same bytes in every published file.

    The small build itself has as many threads as there are cores, and a hash seed by chance.
    """
    raw = tmp_path / landing(DATACLAW_18.name) / small.raw.name
    raw.mkdir(parents=True)
    for file in small.raw.iterdir():
        if file.suffix == ".parquet":
            pl.read_parquet(file).sample(fraction=1, shuffle=True, seed=1).write_parquet(raw / file.name)
        else:
            (raw / file.name).write_bytes(file.read_bytes())
    variables = {"POLARS_MAX_THREADS": "1", "PYTHONHASHSEED": "0"}
    done = run_program("build", "--scale", SCALE, "--out", "elsewhere/out", cwd=tmp_path, **variables)
    assert done.returncode == 0, done.stderr
    for variant in ("noisy", "clean"):
        again = published_bytes(tmp_path / "elsewhere/out/dataclaw-18" / variant)
        assert again.keys() == published_bytes(small.folder / variant).keys()
        assert [
            path for path, content in published_bytes(small.folder / variant).items() if again[path] != content
        ] == []


def test_another_key_gives_other_codes_and_names(small: Build, other_key: Build) -> None:
    """Two releases share hardly a code (chance: 570 codes of 900,000) and no name."""
    codes = [cells(build.clean / "database", {"bmCode"}) for build in (small, other_key)]
    names = [cells(build.clean / "database", {"bmCompanyName"}) for build in (small, other_key)]
    assert len(codes[0] & codes[1]) <= 5
    assert not names[0] & names[1]


def test_another_key_gives_other_digits(small: Build, other_key: Build) -> None:
    """Of figures with more digits than are kept, hardly one is the same under two keys."""
    values = [
        sorted(row["总资产"] for row in rows_of(build.clean / "ideal/company_operation_status.csv") if row["总资产"])
        for build in (small, other_key)
    ]
    assert len(values[0]) == len(values[1])
    assert not set(values[0]) & set(values[1])


def test_another_key_gives_another_row_order(small: Build, other_key: Build) -> None:
    """The order of firms follows the key and not the raw tables: ranks of two releases are unrelated."""
    provinces = [
        [row["province"] + row["industry"] for row in rows_of(build.clean / "database/enterprise/company_profile.csv")]
        for build in (small, other_key)
    ]
    assert sorted(provinces[0]) == sorted(provinces[1])
    assert provinces[0] != provinces[1]


def test_the_noise_of_another_key_hits_other_cells(small: Build, other_key: Build) -> None:
    """The same specification spoils other cells under another key."""
    hit = [
        set(pl.read_parquet(build.ledger).select("table", "row_key", "column").iter_rows())
        for build in (small, other_key)
    ]
    overlap = len(hit[0] & hit[1]) / min(len(hit[0]), len(hit[1]))
    assert overlap < 0.9
