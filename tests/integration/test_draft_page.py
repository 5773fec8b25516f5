"""`README.md` beside the database of a build: its lines for loading run, it names every table, and no release has it."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import silt
from pipeline.publish.variant import README
from silt.opening import Tables
from tests.integration.checks import rows_of
from tests.integration.conftest import Build

VARIANTS = ("noisy", "clean")


@contextmanager
def within(folder: Path) -> Iterator[None]:
    """Work in a folder that no test changes."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def loaded(page: str, folder: Path) -> dict[str, Any]:
    """Run each block of Python on a page, in a folder; return what it loaded, by the library."""
    found: dict[str, Any] = {}
    with within(folder):
        for block in re.findall(r"^```python\n(import (\w+).*?)^```$", page, re.DOTALL | re.MULTILINE):
            names: dict[str, Any] = {}
            exec(block[0], names)  # noqa: S102  (as a reader does)
            found[block[1]] = names.get("table", names.get("tables"))
        found["duckdb"] = found["duckdb"].df()
    return found


def texts(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return rows with an empty text where there is none."""
    return [{name: text if isinstance(text, str) else "" for name, text in row.items()} for row in rows]


@pytest.mark.parametrize("variant", VARIANTS)
def test_lines_for_loading_load_every_cell(built_example: Path, variant: str) -> None:
    """Copied as they stand, polars, pandas and DuckDB read the cells that the file has, and Silt finds all tables.

    With the declaration that the page names they have types.
    """
    folder = built_example / "environments/shops" / variant
    page = (folder / README).read_text(encoding="utf-8")
    found = loaded(page, folder)
    path = re.search(r"pl\.read_csv\('(.*?)'", page)
    assert path
    cells = rows_of(folder / path[1])
    assert cells
    assert texts(found["polars"].to_dicts()) == cells
    assert texts(found["pandas"].to_dict("records")) == cells
    assert texts(found["duckdb"].to_dict("records")) == cells
    assert isinstance(found["silt"], Tables)
    assert len(found["silt"]) == len(list((folder / "database").rglob("*.csv")))
    declared = re.search("`environment='(.*?)'`", page)
    assert declared
    table = silt.open(folder, environment=f"{built_example / declared[1]}")["accounts"]
    assert silt.open(folder)["accounts"].collect_schema()["year"] == pl.String
    assert table.collect_schema()["year"] == pl.Int64


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_page_names_every_table_with_its_rows_and_columns(built_example: Path, variant: str) -> None:
    """As the files have them; it says that it is a draft, and how others get a release of it."""
    folder = built_example / "environments/shops" / variant
    page = (folder / README).read_text(encoding="utf-8")
    for file in (folder / "database").rglob("*.csv"):
        path, rows = file.relative_to(folder).as_posix(), rows_of(file)
        assert re.search(rf"^\| `{path}` \| {len(rows)} \| {len(rows[0])} \| `\w+` \|$", page, re.MULTILINE)
    assert "This folder is a draft" in page
    assert "Whoever has the originals can find companies again" in page
    only = {"noisy": "", "clean": "clean "}[variant]
    assert f"silt release {only}--version 1.0.0 --environment shops.py:SHOPS" in page
    assert "Add --license and --author to it" in page


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_page_of_many_tables_is_short(small: Build, variant: str) -> None:
    """A line for each table; what columns mean stands in the report."""
    page = (small.folder / variant / README).read_text(encoding="utf-8")
    assert page.count("\n") < 120
    assert page.count("\n| `") == len(json.loads((small.folder / variant / "manifest.json").read_bytes())["files"])
