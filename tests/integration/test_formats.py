"""A third format that a declaration registers goes all the way: built, released, verified, and built again.

Builds of its own: the tables of no shared one are published in another format than CSV.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from pipeline.publish.formats import FORMATS, WrittenAs
from pipeline.publish.formats.csv import read_csv
from tests import json_lines
from tests.integration.conftest import run_silt

REGISTERED = """
from dataclasses import replace as other
from pipeline.publish.formats import FORMATS

FORMATS[JsonLines.name] = JsonLines()
SHOPS = other(SHOPS, tables=tuple(other(each, path=f"{each.name}.jsonl") for each in SHOPS.tables))
"""


@pytest.fixture(scope="module")
def work(built_example: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Release the tutorial's example as JSON Lines, and as Parquet and CSV besides."""
    folder = Path(shutil.copytree(built_example, tmp_path_factory.mktemp("formats") / "work"))
    declaration = folder / "shops.py"
    parts = declaration.read_text(), Path(json_lines.__file__).read_text(), REGISTERED
    declaration.write_text("\n".join(parts))
    further = ("--format", "csv", "--parquet", "--documented")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        patch.delitem(FORMATS, "jsonl", raising=False)
        done = run_silt("release", *INPUTS, "--version", "1.0.0", *further, cwd=folder)
        assert done.returncode == 0, done.stderr
        yield folder
        FORMATS.pop("jsonl")


INPUTS = ("--environment", "shops.py:SHOPS", "--raw", "shops", "--noise", "shops.yaml")


def test_tables_have_the_cells_that_they_have_as_csv(work: Path, built_example: Path) -> None:
    """Of both variants, noise included; and their copies have them, too."""
    for variant in ("clean", "noisy"):
        files = sorted((work / "releases/shops-1.0.0" / variant / "database").iterdir())
        assert [file.name for file in files] == ["accounts.jsonl", "deliveries.jsonl", "shops.jsonl"]
        for file in files:
            as_csv = built_example / "environments/shops" / variant / "database" / f"{file.stem}.csv"
            cells = FORMATS["jsonl"].read(file, WrittenAs())
            assert cells.equals(read_csv(as_csv))
            copies = file.parents[1]
            assert read_csv(copies / "csv/database" / as_csv.name).equals(cells)
            assert pl.read_parquet(copies / f"parquet/database/{file.stem}.parquet").height == cells.height


def test_the_release_is_verified_and_built_again(work: Path) -> None:
    """To the same bytes; and a cell that is changed afterwards is named."""
    verified = run_silt("verify", "releases/shops-1.0.0", *INPUTS[:2], cwd=work)
    assert verified.returncode == 0, verified.stdout
    assert "ok      tables in further formats hold what the tables hold" in verified.stdout
    again = run_silt("rebuild", "releases/shops-1.0.0", *INPUTS, cwd=work)
    assert again.returncode == 0, again.stdout + again.stderr
    assert re.search(r"\n  releasing  .*again(.*\n)+  comparing  every file", again.stderr)
    file = work / "releases/shops-1.0.0/clean/database/accounts.jsonl"
    *lines, last = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines, json.dumps(["9", *json.loads(last)[1:]]) + "\n"]))
    changed = run_silt("verify", "releases/shops-1.0.0", *INPUTS[:2], cwd=work)
    copy = f"clean/csv/database/accounts.csv, row {len(lines) + 1}, column 'id'"
    assert (changed.returncode, copy in changed.stdout) == (1, True)
