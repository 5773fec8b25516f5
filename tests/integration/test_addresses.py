"""Tables by addresses: raw tables in parts on S3 give the bytes of a folder of files, and what is delivered is read back."""

import re
import shutil
from collections.abc import Iterable
from contextlib import chdir
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest

import silt
from pipeline.addresses import Location
from tests.integration.checks import files_of, published_bytes
from tests.integration.conftest import run_silt
from tests.integration.readme import ROOT


@pytest.fixture
def raw(bucket: str, built_example: Path) -> Location:
    """Return where the raw tables of the example lie, each in two parts."""
    place = Location(f"{bucket}/bank-of-alpha/raw", what="it", option="")
    for file in (built_example / "shops").glob("*.csv"):
        table = pl.read_csv(file, infer_schema=False)
        for at, part in enumerate([table[: table.height // 2], table[table.height // 2 :]]):
            put(place, f"{file.stem}.parquet/part-{at}.parquet", part)
        place.files.pipe_file(place.path(f"{file.stem}.parquet/_SUCCESS"), b"")
    return place


def put(place: Location, name: str, part: pl.DataFrame) -> None:
    content = BytesIO()
    part.write_parquet(content)
    place.files.pipe_file(place.path(name), content.getvalue())


def with_raw(command: Iterable[str], address: str) -> list[str]:
    """Return a command with an address in place of the folder of the example's raw tables."""
    return [address if word == "shops" else word for word in command]


@pytest.fixture
def work(built_example: Path, tmp_path: Path) -> Path:
    """Return a folder with the example's declaration and key, and without its raw tables."""
    kept = shutil.ignore_patterns("environments", "shops")
    return Path(shutil.copytree(built_example, tmp_path / "work", ignore=kept))


def test_raw_tables_at_an_address_are_those_of_a_folder(
    raw: Location, work: Path, example: list[str], built_example: Path
) -> None:
    """The same is published, the audit takes them, and neither address nor plain copies are left anywhere."""
    built = run_silt(*with_raw(example, raw.address), cwd=work)
    assert built.returncode == 0, built.stderr
    for variant in ("noisy", "clean"):
        there, here = (folder / "environments/shops" / variant for folder in (built_example, work))
        assert published_bytes(here) == published_bytes(there)
    audited = run_silt("audit", "--environment", "shops.py:SHOPS", "--raw", raw.address, cwd=work)
    assert audited.returncode == 0, audited.stderr
    assert [file for file in files_of(work) if b"bank-of-alpha" in file.read_bytes() or "fetched" in str(file)] == []


def test_bad_parts_are_named_and_nothing_is_published(raw: Location, work: Path, example: list[str]) -> None:
    """By part, row, column and value; a table that is not there by what is."""
    put(raw, "accounts.parquet/part-2.parquet", pl.DataFrame({"shop": ["S1"], "year": ["2015"]}))
    refused = run_silt(*with_raw(example, raw.address), cwd=work)
    assert refused.returncode == 2
    assert (
        "accounts.parquet/part-2.parquet, row 1, column 'sales'; the column is missing, which another" in refused.stderr
    )
    raw.files.rm(raw.path("accounts.parquet"), recursive=True)
    missing = run_silt(*with_raw(example, raw.address), cwd=work)
    assert missing.returncode == 2
    assert "accounts.csv; the file is missing" in missing.stderr
    assert "the folder holds: aliases.parquet, deliveries.parquet, shops.parquet" in missing.stderr
    assert not list((work / "environments").rglob("manifest.json"))


def test_what_is_delivered_is_verified_and_opened(bucket: str, built_example: Path, tmp_path: Path) -> None:
    """From its address, as from its folder, also without Silt, as the page says; another variant does not come in its place."""
    folder, address = built_example / "environments/shops/noisy", f"{bucket}/shops/noisy"
    delivered = run_silt("deliver", folder, "--to", address, cwd=built_example)
    assert (delivered.returncode, f"silt verify {address}" in delivered.stdout) == (0, True), delivered.stderr
    assert "this is a draft" in delivered.stdout
    of, declared = ("--environment", "shops.py:SHOPS"), f"{built_example}/shops.py:SHOPS"
    there, here = (run_silt("verify", place, *of, cwd=built_example) for place in (address, folder))
    assert (there.returncode, there.stdout) == (0, here.stdout)
    far, near = (silt.open(place, environment=declared) for place in (address, folder))
    assert list(far) == list(near)
    assert all(far[name].collect().equals(near[name].collect()) for name in near)
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/addresses.md").read_text(encoding="utf-8"), re.DOTALL)
    with chdir(tmp_path):
        exec(program.replace("s3://bench/raw/noisy", address), {})  # noqa: S102  (as the page shows it)
    assert published_bytes(tmp_path / "noisy") == published_bytes(folder)
    clean = run_silt("deliver", folder.with_name("clean"), "--to", address, cwd=built_example)
    assert (clean.returncode, "the noisy variant of 'shops' lies at" in clean.stderr) == (2, True)
