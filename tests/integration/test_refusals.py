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

from anonymize.keys.release_key import DEMONSTRATION_KEY
from pipeline.publish.publication import locked
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


def test_all_defects_are_told_at_once(shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Problems of several files and columns come in one message, in order; identifiers do not, and the last build stands."""
    before = last_build(shops)
    for defect in DEFECTS:
        defect.plant()
    said = ended(example, capsys)
    places = re.findall(r"^  (\w+\.csv, row \d)", said.printed, re.MULTILINE)
    assert places == ["accounts.csv, row 3", "accounts.csv, row 5", *["shops.csv, row 1"] * 2, "shops.csv, row 4"]
    assert "Mend the raw tables" in said.printed
    assert said.names_nobody("Q7731", "Zenker")
    assert (shops / "curator/problems.txt").stat().st_mode & 0o777 == 0o600
    assert last_build(shops) == before


SETTINGS = {
    "raw folder missing": (["--raw", "shop"], r"can't read the folder shop: No such file.*--raw DIR"),
    "no noise specification": (["--noise", "shop.yaml"], r"shop\.yaml"),
    "output below a file": (["--out", "shops.py/out"], r"cannot write under shops\.py/out/shops: Not a dir.*--out"),
}


@pytest.mark.parametrize(("options", "says"), SETTINGS.values(), ids=SETTINGS)
def test_wrong_setting_is_named(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    """A setting that cannot be used is named with what can, and the last build stands."""
    before = last_build(shops)
    said = ended([*example, *options], capsys)
    assert re.search(says, said.printed), said.printed
    assert last_build(shops) == before


KEYS = {
    "readable by others": ("0123456789abcdef" * 4, 0o644, "is open to group or others .*run: chmod 600"),
    "the demonstration key": (DEMONSTRATION_KEY.secret.hex(), 0o600, "the public demonstration key.*another key file"),
}


@pytest.mark.parametrize(("content", "mode", "says"), KEYS.values(), ids=KEYS)
def test_wrong_key_file_is_named_and_not_shown(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str], content: str, mode: int, says: str
) -> None:
    """A key file that cannot be used is named with what to do; nothing of its content is printed or kept."""
    before = last_build(shops)
    Path("my.key").write_text(content)
    Path("my.key").chmod(mode)
    said = ended([*example, "--key-file", "my.key"], capsys)
    assert re.search(f"my.key {says}|my.key holds {says}", said.printed), said.printed
    assert content[:8] not in said.printed + said.kept
    assert last_build(shops) == before


def test_second_build_in_the_same_folder_is_ended(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """While a build is at work another one into the same folder is refused, from its first stage on."""
    before = last_build(shops)
    with locked(shops):
        said = ended(example, capsys)
    assert re.search(
        r"\(process \d+\) is at work in environments/shops; wait for its end or give another folder", said.printed
    )
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


def in_another_encoding(lines: list[bytes]) -> list[bytes]:
    return [line.decode().encode("gb18030") for line in lines]


def with_a_row_twice(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[1], *lines[4:]]


PROFILE, FIGURES = "company_profile.csv", "company_operation_status.csv"

PAPER: dict[str, tuple[str, Callable[[list[bytes]], list[bytes]], str]] = {
    "misspelt column": (
        PROFILE,
        with_cell(1, "ownership", b"ownershp"),
        r"company_profile\.csv, row 1, column 'ownership'; .* missing; is it the one called 'ownershp'\?",
    ),
    "text in a numeric column": (
        FIGURES,
        with_cell(6, "总资产", "约三亿".encode()),
        r"company_operation_status\.csv, row 6, column '总资产': found '约三亿'; expected a number",
    ),
    "duplicate key": (
        FIGURES,
        with_a_row_twice,
        r"status\.csv, row 5, column 'bmCode, year': found \(withheld.*; expected a key that no other record has; row 2",
    ),
    "firm without an industry": (
        PROFILE,
        with_cell(8, "industry", b""),
        r"company_profile\.csv, row 8, column 'industry'; expected every firm that is not overseas has an industry",
    ),
    "broken quote": (
        PROFILE,
        with_cell(8, "bmCompanyName", b'"'),
        r"company_profile\.csv, row 8, column 'bmCompanyName': found '\"'; the quotes around this field are broken",
    ),
    "not UTF-8": (
        PROFILE,
        in_another_encoding,
        r"company_profile\.csv, row 2, column '\w+': found 'byte 0x[0-9A-F]{2} at offset \d+'; the file must be UTF-8",
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
