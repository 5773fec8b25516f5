"""What a release key was used for, by builds of the tutorial's example; and what the curator's folder is left like."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from pipeline.publish.curator import HOLDS, README
from silt.cli import main
from tests.integration.conftest import Build
from tests.integration.readme import write_example
from tests.integration.refusals import DAGSTERS_OWN_WARNING, SHOP_NAMES, ended, last_build
from tests.stages import named

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)

KEY, RECORD = Path(".silt/shops.lsd.key"), Path(".silt/shops.lsd.key.used.json")


def uses() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(RECORD.read_bytes())["uses"]
    return found


@pytest.mark.usefixtures("shops")
def test_a_build_records_its_use_once(example: list[str]) -> None:
    """Environment, policy and a digest stand beside the key, nothing of the tables; a rebuild adds nothing."""
    before = RECORD.read_bytes()
    assert main(example) == 0
    assert RECORD.read_bytes() == before
    (use,) = uses()
    assert (use["environment"], use["policy"], len(use["originals"])) == ("shops", "lsd", 64)
    assert RECORD.stat().st_mode & 0o777 == 0o600
    assert not any(name in RECORD.read_text() for name in SHOP_NAMES)


def change_a_table() -> list[str]:
    file = Path("shops/shops.csv")
    file.write_text(file.read_text().replace("Ulm", "Bonn"))
    return []


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (change_a_table, "Now it is asked for environment 'shops', policy 'lsd', originals"),
        (
            lambda: ["--policy", "guarded", "--key-file", str(KEY)],
            "Now it is asked for environment 'shops', policy 'guarded', originals",
        ),
    ],
    ids=["other originals", "another policy"],
)
def test_another_use_of_the_key_is_refused(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str], ask: object, says: str
) -> None:
    """Status 2: the file, what it was used for, what is asked and what to do; the last build and the record stand."""
    before, record = last_build(shops), RECORD.read_bytes()
    assert callable(ask)
    said = ended([*example, *ask()], capsys)
    assert re.search(rf"{KEY} was used for environment 'shops', policy 'lsd', originals \w{{8}}\. {says}", said.printed)
    assert "--key-file (KEY)" in said.printed
    assert "--reuse-key (REUSE_KEY=1)" in said.printed
    assert said.names_nobody()
    assert (last_build(shops), RECORD.read_bytes()) == (before, record)


@pytest.mark.usefixtures("shops")
def test_what_is_wanted_in_so_many_words_is_built(example: list[str]) -> None:
    """The further use is on record, and free from then on."""
    change_a_table()
    assert main([*example, "--reuse-key"]) == 0
    first, second = uses()
    assert first["originals"] != second["originals"]
    assert main(example) == 0
    assert uses() == [first, second]


def test_a_build_that_publishes_nothing_uses_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables that were refused are mended, and built with the same key."""
    write_example(tmp_path)
    monkeypatch.chdir(tmp_path)
    whole = Path("shops/shops.csv").read_text()
    Path("shops/shops.csv").write_text(whole.replace("A1,", "A2,", 1))
    assert "problem(s) in the raw tables" in ended(example, capsys).printed
    assert KEY.exists()
    assert not RECORD.exists()


def test_the_demonstration_key_needs_no_record(small: Build) -> None:
    """It protects nothing, whatever it is used for."""
    assert not [record for folder in (small.raw, small.folder) for record in folder.rglob("*.used.json")]


# the curator's folder -------------------------------------------------------------------------------------------------


def open_to_others(folder: Path) -> list[str]:
    """Return what in a folder group or others may touch, locks and keys beside it counted in."""
    return sorted(str(path) for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077)


def test_curators_files_are_closed_under_an_open_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """After a build, a refused one and one whose tables are wrong: nothing in `curator/`, no lock, no key is open."""
    write_example(tmp_path)
    monkeypatch.chdir(tmp_path)
    folder = Path("environments/shops")
    before = os.umask(0)
    try:
        assert main(example) == 0
        text = Path("shops.py").read_text(encoding="utf-8")
        leak = f"    return shops.with_columns(town=pl.lit({SHOP_NAMES[0]!r})).select("
        Path("shops.py").write_text(text.replace("    return shops.select(", leak), encoding="utf-8")
        ended(example, capsys, status=1)
        shutil.copy("shops/accounts.csv", "shops/accounts.parquet")
        ended(example, capsys)
    finally:
        os.umask(before)
    assert {"refused", "store", "problems.txt", README} <= {path.name for path in (folder / "curator").iterdir()}
    assert (folder / "curator/refused/noisy/public/database/shops.csv").is_file()
    assert open_to_others(folder / "curator") == []
    assert open_to_others(Path(".silt")) == []
    assert [path.stat().st_mode & 0o777 for path in sorted(folder.glob(".*lock"))] == [0o600]
    published = folder / "clean/database/shops.csv"
    assert published.stat().st_mode & 0o777 == 0o666


def test_curators_files_of_a_build_are_closed(small: Build) -> None:
    """The same of a build of all tables, made under umask 0 (`run_silt`)."""
    assert (small.clean / "manifest.json").stat().st_mode & 0o777 == 0o666
    assert open_to_others(small.folder / "curator") == []


def test_no_map_is_left_in_clear(small: Build) -> None:
    """Beside the tables of the originals themselves no file between stages has an original name and its pseudonym."""
    kept = {place: name for place, name in named(small.folder).items() if place.startswith("identity/")}
    assert {"identity/identity_map", "identity/identifiers"} <= kept.keys()
    in_clear = {place for place, name in kept.items() if not name.endswith(".enc")}
    assert in_clear <= {"identity/attributes", "identity/broken_identities", "identity/prose"}


def test_curators_folder_says_what_it_holds(small: Build) -> None:
    """Each file has its line, or its folder in the README beside it."""
    curator = small.folder / "curator"
    text = (curator / README).read_text(encoding="utf-8")
    assert [name for name in HOLDS if name not in text] == []
    found = [path for path in curator.rglob("*") if path.is_file() and path.name != README]
    names = [path.relative_to(curator).as_posix() for path in found]
    assert [name for name in names if not any(name == held or name.startswith(held) for held in HOLDS)] == []
