"""What binds a release key, by builds of the tutorial's example; and what the curator's folder is left like."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from assets.making.originals import ORIGINALS
from pipeline.places import CURATOR
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


def correct() -> None:
    """Correct a town, which is an attribute of two shops."""
    file = Path("shops/shops.csv")
    file.write_text(file.read_text().replace("Ulm", "Bonn"))


def add() -> None:
    file = Path("shops/aliases.csv")
    file.write_text(file.read_text() + "B1,Spokes\n")


def quote() -> None:
    file = Path("shops/aliases.csv")
    file.write_text(file.read_text().replace("shop,alias", '"shop",alias'))


def unquote() -> None:
    file = Path("shops/aliases.csv")
    file.write_text(file.read_text().replace('"shop",alias', "shop,alias"))


def test_a_build_after_a_correction_just_builds(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It says once which files changed, and how many rows, and no value; no key is used up, and nothing of it recorded."""
    said = []
    for change in (correct, add, quote, unquote, lambda: None):
        change()
        assert main(example) == 0
        said.append(re.findall("^  originals  (.*)$", capsys.readouterr().err, re.MULTILINE))
    rows = ("shops.csv: rows removed 2, added 2", "aliases.csv: rows removed 0, added 1")
    assert said == [
        *([f"{each} (a changed row is both)"] for each in rows),
        *[["aliases.csv: other bytes, the same rows"]] * 2,
        [],
    ]
    assert KEY.exists()
    assert not RECORD.exists()
    record = shops / CURATOR / ORIGINALS
    assert record.stat().st_mode & 0o777 == 0o600
    assert not any(name in record.read_text() for name in SHOP_NAMES)


def test_a_new_key_is_to_be_kept_once_something_was_published_with_it(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said once, at the end; if chance refuses the build, that the key may go; of an older key nothing is said."""
    ends = (
        "keep it, and keep it secret; with it names can be undone",
        "nothing is published under it, so you may delete it",
    )
    made = [f"  made       {KEY}: the release key"]
    assert shops.is_dir()
    KEY.unlink()
    for said, times in (("the build that makes it", 1), ("the same again", 0)):
        status = main([*example, "--out", "other"])
        printed = capsys.readouterr().err
        assert (printed.count(f"\n  key        {KEY}: {ends[status]}\n"), said) == (times, said)
        assert printed.count("\n  key ") == times
        assert [line for line in printed.splitlines() if f"made       {KEY}" in line] == made[:times]


def test_variants_of_two_sets_of_originals_do_not_stand_together(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One variant alone is refused after a correction, and the last build stands."""
    before = last_build(shops)
    correct()
    said = ended([each for each in example if each != "noisy"], capsys)
    assert (
        "noisy was built with another set of originals, and variants in one folder must agree; build it in the"
        in said.printed
    )
    assert last_build(shops) == before


def test_a_release_binds_its_key(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To environment, policy and originals: any others are refused before anything is built, unless they are asked for."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    release = [*("release" if each == "build" else each for each in example), "--version", "1.0.0"]
    assert main(release) == 0
    (use,) = uses()
    assert (use["environment"], use["policy"], len(use["originals"])) == ("shops", "lsd", 64)
    assert RECORD.stat().st_mode & 0o777 == 0o600
    assert not any(name in RECORD.read_text() for name in SHOP_NAMES)
    before, record, bound = (
        last_build(shops),
        RECORD.read_bytes(),
        f"{KEY} was used for environment 'shops', policy 'lsd'",
    )
    refused = [(ended([*release, "--policy", "guarded", "--key-file", str(KEY)], capsys), "guarded")]
    correct()
    refused += [(ended([*release, "--replace"], capsys), "lsd")]
    for said, policy in refused:
        assert re.search(
            rf"{bound}, originals \w{{8}}\.\nNow it is asked for .* policy '{policy}', originals", said.printed
        )
        assert "--key-file (KEY)" in said.printed
        assert "--reuse-key (REUSE_KEY=1)" in said.printed
        assert said.names_nobody()
    assert (last_build(shops), RECORD.read_bytes(), len(list(Path("releases").glob("*.curator")))) == (
        before,
        record,
        1,
    )
    assert main(example) == 0
    said = capsys.readouterr().err
    assert "no release can be made of this build with its key, which releases used for" in said
    assert "  release    " not in said
    assert RECORD.read_bytes() == record
    assert main([*release, "--version", "1.1.0", "--reuse-key", "--allow-linkable"]) == 0
    assert "no release can be made" not in capsys.readouterr().err
    assert [each["originals"] == use["originals"] for each in uses()] == [True, False]


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
    assert (folder / "curator/refused/noisy/would_be_published/database/shops.csv").is_file()
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
    assert in_clear <= {"identity/attributes", "identity/broken_identities", "identity/prose", "identity/short_names"}


def test_curators_folder_says_what_it_holds(small: Build) -> None:
    """Each file has its line, or its folder, in the README beside it; nothing else has."""
    curator = small.folder / "curator"
    text = (curator / README).read_text(encoding="utf-8")
    listed = {line.split("  ")[0].strip() for line in text.splitlines()} & set(HOLDS)
    assert listed == {name for name in HOLDS if any(curator.glob(name.replace("<variant>", "*")))}
    found = [path for path in curator.rglob("*") if path.is_file() and path.name != README]
    names = [path.relative_to(curator).as_posix() for path in found]
    assert [name for name in names if not any(name == held or name.startswith(held) for held in listed)] == []
