"""The same key and tables give the same bytes, wherever tables lie and however their rows are ordered.

Other processes, threads, hash seeds, clocks and users are those of `tests/made_twice.py`.
"""

from pathlib import Path

import polars as pl

from tests.integration.checks import published_bytes
from tests.integration.conftest import run_silt, write_key
from tests.integration.many_shops import write_many_shops
from tests.integration.readme import write_example


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
    """Of sixty shops: in another folder, shuffled raw rows give the same bytes in every file."""
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
        run_silt("build", *settings, "--out", "other/out", cwd=elsewhere),
    ):
        assert done.returncode == 0, done.stderr
    assert differing(here / "out/shops", elsewhere / "other/out/shops") == []
