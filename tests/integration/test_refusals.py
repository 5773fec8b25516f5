"""Refusals: what a build says, hides and leaves alone when its input, its settings or the disk are not as they must be.

Defects of raw tables are planted in the README's example, and in the small corpus as its holder would give it: as CSV.
"""

import re
import resource
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from anonymize.release_key import DEMONSTRATION_KEY
from pipeline.cli import main
from pipeline.publish.publication import BUILD_LOCK, locked
from tests.integration.checks import published_bytes
from tests.integration.conftest import run_silt
from tests.integration.event_log import kept_by_dagster
from tests.integration.readme import ROOT, example_command, write_example

pytestmark = pytest.mark.filterwarnings("ignore:InitResourceContext.dagster_run is deprecated:DeprecationWarning")

SHOP_NAMES = ("Miller & Daughter", "The Corner Loaf", "Wheel and Chain")
SHOP_CODE = re.compile(r"\b(A1|A2|B1)\b")


@dataclass(frozen=True)
class Refused:
    """What a refused command printed and kept."""

    printed: str
    kept: str


def last_build(environment: Path) -> dict[str, bytes]:
    """Return all bytes of the last build: both variants, the curator's ledger and identity map."""
    curator = environment / "curator"
    return {
        **{f"noisy/{path}": content for path, content in published_bytes(environment / "noisy").items()},
        **{f"clean/{path}": content for path, content in published_bytes(environment / "clean").items()},
        **{name: (curator / name).read_bytes() for name in ("noise_ledger.parquet", "identity_map.enc")},
    }


def refused(arguments: Sequence[object], capsys: pytest.CaptureFixture[str], *, status: int = 2) -> Refused:
    """Run `silt` here, in the working folder; it must end with the status and without a stack trace."""
    assert main([*map(str, arguments)]) == status
    printed = "".join(capsys.readouterr())
    assert "Traceback" not in printed
    assert "silt: " in printed
    return Refused(printed, kept_by_dagster(Path()))


def work_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder the working folder, and Dagster's home with the checkout's settings."""
    shutil.copy(ROOT / "dagster.yaml", folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DAGSTER_HOME", str(folder))


# The README's example ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def command() -> list[str]:
    """Return the example's command."""
    return example_command()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, command: list[str]) -> Path:
    """Return a working folder in which the README's example is built."""
    folder = tmp_path_factory.mktemp("built")
    write_example(folder)
    done = run_silt(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def shops(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of it, and return the folder; after the test its last build must be as it was."""
    folder = tmp_path / "work"
    shutil.copytree(built, folder)
    work_in(folder, monkeypatch)
    return folder


@dataclass(frozen=True)
class Defect:
    """A change to one file of the example (a regular expression and what takes its place), what is said of it, what not."""

    file: str
    old: bytes
    new: bytes
    says: str
    hides: str = ""

    def plant(self) -> None:
        """Change the file, which the working folder holds."""
        path = Path(self.file)
        content, changes = re.subn(self.old, self.new, path.read_bytes(), flags=re.MULTILINE)
        assert changes
        path.write_bytes(content)


TABLES = {
    "misspelt column": Defect(
        "shops/shops.csv", b",trade,", b",tarde,", r"shops\.csv, row 1, column 'trade'; .* missing; .* called 'tarde'\?"
    ),
    "missing column": Defect(
        "shops/accounts.csv", rb",[^,]*$", b"", r"accounts\.csv, row 1, column 'margin'; the column is missing"
    ),
    "text in a numeric column": Defect(
        "shops/accounts.csv",
        b"88012.00",
        b"plenty",
        r"accounts\.csv, row 3, column 'sales': found 'plenty'; expected a number",
    ),
    "duplicate key": Defect(
        "shops/accounts.csv",
        b"B1,2024",
        b"B1,2023",
        r"accounts\.csv, row 5, column 'shop, year': found \(withheld.*\); expected a key that no other .*row 4",
    ),
    "firm without an industry": Defect(
        "shops/shops.csv", b"Loaf,Bakery", b"Loaf,", r"shops\.csv, row 3, column 'trade'; expected a value"
    ),
    "firm that is not in the list": Defect(
        "shops/accounts.csv",
        b"A2,2023",
        b"Q7731,2023",
        r"accounts\.csv, row 3, column 'shop': found \(withheld.*\); expected a value of 'shop' in shops\.csv",
        hides="Q7731",
    ),
    "name that breaks off": Defect(
        "shops/shops.csv",
        b"Wheel and Chain",
        b"Zweirad\x01Zenker",
        r"shops\.csv, row 4, column 'name': found \(withheld.*\); expected text without control characters",
        hides="Zenker",
    ),
    "broken quote": Defect(
        "shops/shops.csv",
        b"The Corner Loaf",
        b'"The Corner Loaf',
        r"shops\.csv, row 3, column 'name': found '\"'; the quotes .* are broken",
    ),
    "not UTF-8": Defect(
        "shops/shops.csv", b"Ulm,12", b"K\xf6ln,12", r"shops\.csv, row 3, column 'town': found 'byte 0xF6 .*UTF-8"
    ),
    "date of another calendar": Defect(
        "shops/shops.csv",
        b"12/11/2004",
        b"12/31/2004",
        r"shops\.csv, row 3, column 'opened': found '12/31/2004'; expected a date .*%d/%m/%Y",
    ),
}


@pytest.mark.parametrize("defect", TABLES.values(), ids=TABLES)
def test_defect_of_a_raw_table_is_named_at_its_place(
    shops: Path, command: list[str], capsys: pytest.CaptureFixture[str], defect: Defect
) -> None:
    """File, row, column and value are named, with what to do; identifiers are not, and the last build stands."""
    before = last_build(shops / "environments/shops")
    defect.plant()
    said = refused(command, capsys)
    assert re.search(defect.says, said.printed), said.printed
    assert "Mend the raw tables" in said.printed
    assert names_nobody(said, hidden=defect.hides)
    assert last_build(shops / "environments/shops") == before


def names_nobody(said: Refused, *, hidden: str = "") -> bool:
    """Say whether no identifier of the example stands in what was printed or is kept by Dagster."""
    names = [*SHOP_NAMES, *filter(None, [hidden])]
    return not any(SHOP_CODE.search(text) or any(name in text for name in names) for text in (said.printed, said.kept))


def test_missing_raw_file_is_named(shops: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A raw table without a file is named with what was looked for and what is there."""
    before = last_build(shops / "environments/shops")
    (shops / "shops/accounts.csv").rename(shops / "shops/acounts.csv")
    said = refused(command, capsys)
    assert "accounts.csv; the file is missing" in said.printed
    assert "the folder holds: acounts.csv, shops.csv" in said.printed
    assert last_build(shops / "environments/shops") == before


def test_all_defects_are_told_at_once(shops: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Problems of several files and columns come in one message, in order."""
    for name in ("misspelt column", "text in a numeric column", "duplicate key"):
        TABLES[name].plant()
    said = refused(command, capsys)
    places = re.findall(r"^  (\w+\.csv, row \d)", said.printed, re.MULTILINE)
    assert places == ["accounts.csv, row 3", "accounts.csv, row 5", "shops.csv, row 1", "shops.csv, row 1"]
    assert shops.joinpath("environments/shops/curator/problems.txt").stat().st_mode & 0o777 == 0o600


SETTINGS = {
    "unknown environment": (["--environment", "dataclaw"], r"unknown environment 'dataclaw'; known: .*us-listed"),
    "no declaration": (["--environment", "shop.py:SHOPS"], r"no environment declaration at shop\.py"),
    "unknown name in a declaration": (["--environment", "shops.py:SHOP"], r"unknown .* 'SHOP'; known: SHOPS"),
    "unknown policy": (["--policy", "guarde"], r"unknown policy 'guarde'; known: .*lsd"),
    "no raw tables given": (["--raw", ""], r"give the folder of its tables with --raw \(RAW\)"),
    "raw folder missing": (["--raw", "shop"], r"can't read the folder shop: No such file.*--raw DIR"),
    "raw folder is a file": (["--raw", "shops.py"], r"can't read the folder shops\.py: Not a directory"),
    "no noise specification": (["--noise", "shop.yaml"], r"shop\.yaml"),
    "output below a file": (["--out", "shops.py/out"], r"cannot write under shops\.py/out/shops: Not a dir.*--out"),
    "key file missing": (["--key-file", "shops.key"], r"cannot read the key file shops\.key: No such file"),
}


@pytest.mark.parametrize(("options", "says"), SETTINGS.values(), ids=SETTINGS)
def test_wrong_setting_is_named(
    shops: Path, command: list[str], capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    """A setting that cannot be used is named with what can, and the last build stands."""
    before = last_build(shops / "environments/shops")
    said = refused([*command, *options], capsys)
    assert re.search(says, said.printed), said.printed
    assert last_build(shops / "environments/shops") == before


SPECIFICATIONS = {
    "unknown kind": (
        "kind: missing_values",
        "kind: misssing_values",
        r"rules\[0\]\.kind: found 'misssing_values'; allowed: .*missing_values",
    ),
    "rate above one": ("rate: 0.3", "rate: 1.5", r"rate.*1\.5.*1"),
    "rate that is no number": ("rate: 0.3", "rate: often", r"rate.*'often'"),
    "unknown column": ("columns: [costs]", "columns: [cost]", r"'cost'.*costs"),
    "unknown table": ("tables: [accounts]", "tables: [account]", r"'account'.*accounts"),
    "not YAML": ("rules:", "rules: [", r"shops\.yaml"),
    "another environment's": ("environment: shops", "environment: us-listed", r"'us-listed'.*shops"),
}


@pytest.mark.parametrize(("old", "new", "says"), SPECIFICATIONS.values(), ids=SPECIFICATIONS)
def test_wrong_specification_is_named(
    shops: Path, command: list[str], capsys: pytest.CaptureFixture[str], old: str, new: str, says: str
) -> None:
    """A noise specification that cannot be used is named with the place in it, the value and what is allowed."""
    before = last_build(shops / "environments/shops")
    text = (shops / "shops.yaml").read_text(encoding="utf-8")
    assert old in text
    (shops / "shops.yaml").write_text(text.replace(old, new), encoding="utf-8")
    said = refused(command, capsys)
    assert "shops.yaml" in said.printed
    assert re.search(says, said.printed), said.printed
    assert last_build(shops / "environments/shops") == before


KEYS = {
    "too short": ("0123456789abcdef", 0o600, "is not a key file"),
    "not hexadecimal": ("x" * 64, 0o600, "is not a key file"),
    "readable by others": ("0123456789abcdef" * 4, 0o644, "is open to group or others .*run: chmod 600"),
    "the demonstration key": (DEMONSTRATION_KEY.secret.hex(), 0o600, "the public demonstration key.*another key file"),
}


@pytest.mark.parametrize(("content", "mode", "says"), KEYS.values(), ids=KEYS)
def test_wrong_key_file_is_named_and_not_shown(
    shops: Path, command: list[str], capsys: pytest.CaptureFixture[str], content: str, mode: int, says: str
) -> None:
    """A key file that cannot be used is named with what to do; nothing of its content is printed or kept."""
    before = last_build(shops / "environments/shops")
    (shops / "my.key").write_text(content)
    (shops / "my.key").chmod(mode)
    said = refused([*command, "--key-file", "my.key"], capsys)
    assert re.search(f"my.key {says}|my.key holds {says}", said.printed), said.printed
    assert content[:8] not in said.printed + said.kept
    assert last_build(shops / "environments/shops") == before


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf"])
def test_scale_that_is_none_is_named(shops: Path, capsys: pytest.CaptureFixture[str], scale: str) -> None:
    """The generated corpus has sizes above 0 only, and finite ones."""
    said = refused(["build", "--scale", scale], capsys)
    assert f"scale {scale} is not a number above 0" in said.printed
    assert not (shops / "raw").exists()


def test_second_build_in_the_same_folder_is_refused(
    shops: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """While a build is at work another one into the same folder is refused, from its first stage on."""
    before = last_build(shops / "environments/shops")
    with locked(shops / "environments/shops", BUILD_LOCK):
        said = refused(command, capsys)
    assert "another build is at work in environments/shops; wait for its end or give another folder" in said.printed
    assert last_build(shops / "environments/shops") == before


# A disk that is full --------------------------------------------------------------------------------------------------


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size in bytes: what a full disk does, without filling one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


LONG_TOWNS = ('"town", "opened").cast', '"opened").with_columns(town=pl.lit("x" * 9_000)).cast')
"""Makes `shops.csv` larger than any table between stages, which are compressed."""


@pytest.mark.parametrize(
    ("size", "last_step"), [(600, "raw/accounts"), (9_500, "reports/noise")], ids=["stage", "publication"]
)
def test_full_disk_changes_nothing(
    shops: Path,
    command: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    last_step: str,
) -> None:
    """Where a stage or a published file cannot be written, the message says where, and the last build stands."""
    before = last_build(shops / "environments/shops")
    declaration = shops / "shops.py"
    declaration.write_text(declaration.read_text(encoding="utf-8").replace(*LONG_TOWNS), encoding="utf-8")
    monkeypatch.delenv("DAGSTER_HOME")
    (shops / "dagster.yaml").unlink()
    with files_limited_to(size):
        said = refused(command, capsys)
    assert re.search(
        "cannot write under environments.*: File too large; free space there, or give .*--out", said.printed
    )
    assert re.findall(r"^\[\d+/\d+\] (\S+)", said.printed, re.MULTILINE)[-1].startswith(last_step)
    assert last_build(shops / "environments/shops") == before


def test_full_disk_under_the_record_of_builds_changes_nothing(
    shops: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Where Dagster cannot keep its record, the message says where that is, and the last build stands."""
    before = last_build(shops / "environments/shops")
    with files_limited_to(20_000):
        said = refused(command, capsys)
    assert f"cannot keep the record of builds under {shops}" in said.printed
    assert "free space there" in said.printed
    assert last_build(shops / "environments/shops") == before


def test_full_disk_under_the_corpus_leaves_no_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A corpus that cannot be written whole is not there at all, and the message does not speak of --out."""
    monkeypatch.chdir(tmp_path)
    with files_limited_to(5_000):
        said = refused(["build", "--scale", "0.002"], capsys)
    assert re.search("cannot write under raw/dataclaw-18: File too large; free space there, or work in", said.printed)
    assert list((tmp_path / "raw/dataclaw-18").iterdir()) == []
