"""Refusals: what a build says, hides and leaves alone when its input, its settings or the disk are not as they must be.

What is said of each kind of bad input is in `tests/catalogue`; here builds are looked at as a whole. Defects of raw tables are
planted in the tutorial's example, and in the small corpus as its holder would give it: as CSV.
"""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from tests.integration.conftest import Build
from tests.integration.readme import ROOT
from tests.integration.refusals import DAGSTERS_OWN_WARNING, ended, last_build

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)


@dataclass(frozen=True)
class Defect:
    """A change to one file of the example: a regular expression and what takes its place."""

    file: str
    old: bytes
    new: bytes

    def plant(self) -> None:
        """Change the file, which the working folder holds."""
        path = Path(self.file)
        content, changes = re.subn(self.old, self.new, path.read_bytes(), flags=re.MULTILINE)
        assert changes
        path.write_bytes(content)


DEFECTS = (
    Defect("shops/shops.csv", b",trade,", b",tarde,"),
    Defect("shops/shops.csv", b"Wheel and Chain", b"Zweirad\x01Zenker"),
    Defect("shops/accounts.csv", b"88012.00", b"plenty"),
    Defect("shops/accounts.csv", b"B1,2024", b"Q7731,2023"),
)


def test_all_defects_are_reported_at_once(shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Problems of several files and columns come in one message, in order; identifiers do not, and the last build stands."""
    before = last_build(shops)
    for defect in DEFECTS:
        defect.plant()
    said = ended(example, capsys)
    places = re.findall(r"^  (\w+\.csv, row \d)", said.printed, re.MULTILINE)
    assert places == ["accounts.csv, row 3", "accounts.csv, row 5", "shops.csv, row 1", "shops.csv, row 4"]
    assert "Mend the raw tables" in said.printed
    assert said.names_nobody("Q7731", "Zenker")
    assert (shops / "curator/problems.txt").stat().st_mode & 0o777 == 0o600
    assert last_build(shops) == before


# The paper's tables ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables(small: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the small corpus as its holder would give it: CSV files."""
    folder = tmp_path_factory.mktemp("tables")
    for file in small.raw.iterdir():
        if file.suffix == ".parquet":
            pl.read_parquet(file).write_csv(folder / f"{file.stem}.csv")
        else:
            shutil.copy(file, folder)
    return folder


@pytest.fixture
def paper(small: Build, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside a copy of those tables, `raw`, and of a build of them; return the environment's folder."""
    folder = tmp_path / "environments" / small.folder.name
    shutil.copytree(small.folder, folder, ignore=shutil.ignore_patterns("store"))
    shutil.copytree(tables, tmp_path / "raw")
    shutil.copy(ROOT / "dagster.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    return folder


def with_cell(row: int, column: str, value: bytes) -> Callable[[list[bytes]], list[bytes]]:
    """Return what puts a value into one cell of a file's lines; the header is row 1."""

    def spoil(lines: list[bytes]) -> list[bytes]:
        fields = lines[row - 1].split(b",")
        fields[lines[0].split(b",").index(column.encode())] = value
        return [*lines[: row - 1], b",".join(fields), *lines[row:]]

    return spoil


def with_a_row_twice(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[1], *lines[4:]]


PROFILE, FIGURES = "company_profile.csv", "company_operation_status.csv"

PAPER: dict[str, tuple[str, Callable[[list[bytes]], list[bytes]], str]] = {
    "duplicate key": (
        FIGURES,
        with_a_row_twice,
        r"status\.csv, row 5, columns 'bmCode, year': found \(withheld.*; expected a key that no other record has; row 2",
    ),
    "firm without an industry": (
        PROFILE,
        with_cell(8, "industry", b""),
        r"company_profile\.csv, row 8, column 'industry'; expected every firm that is not overseas has an industry",
    ),
}


@pytest.mark.parametrize(("file", "spoil", "says"), PAPER.values(), ids=PAPER)
def test_defect_of_the_papers_tables_is_named_at_its_place(
    paper: Path,
    small: Build,
    capsys: pytest.CaptureFixture[str],
    file: str,
    spoil: Callable[[list[bytes]], list[bytes]],
    says: str,
) -> None:
    """The same holds of the paper's tables: every code and name of the corpus is searched for."""
    before = last_build(paper)
    lines = Path("raw", file).read_bytes().split(b"\n")
    Path("raw", file).write_bytes(b"\n".join(spoil(lines)))
    said = ended(["build", "--raw", "raw"], capsys)
    assert re.search(says, said.printed), said.printed
    profile = pl.read_parquet(small.raw / "company_profile.parquet")
    assert said.names_nobody(*profile["bmCode"], *profile["bmCompanyName"])
    assert last_build(paper) == before
