"""Two releases are compared: what differs, why, and what both together tell. A release is built again and explained."""

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonymize.keys.identity_map import unseal
from anonymize.keys.release_key import DEMONSTRATION_KEY, read_key
from anonymize.policy import GUARDED, LSD, Policy
from pipeline.errors import GateError, InputError
from pipeline.model import Environment
from pipeline.publish.formats.csv import read_csv
from silt.cli import main
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import find_environment
from tests.integration.conftest import Build, run_silt, write_key
from tests.integration.many_shops import write_many_shops
from tests.integration.readme import ROOT, write_example
from tests.tampering.mutations import _rewrite
from validation.attacks.limits import CODES, EXACT, LINKAGE, NAMES, REGISTER
from validation.attacks.records.linkage import WHOLE_PANEL
from validation.release.diff.differences import differences
from validation.release.diff.gate import MadeOf, refuse_linkable
from validation.release.diff.linkage import linked, owners_of
from validation.release.opened import opened
from validation.release.rebuilt import first_difference


@pytest.fixture
def declared(built_example: Path) -> Environment:
    return find_environment(f"{built_example / 'shops.py'}:SHOPS")


@pytest.fixture
def sides(built_example: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Return two copies of a build, of which the second may be changed."""
    for name in ("first", "second"):
        for variant in ("noisy", "clean"):
            shutil.copytree(built_example / "environments/shops" / variant, tmp_path / name / variant)
    return tmp_path / "first", tmp_path / "second"


def with_cell(folder: Path, path: str, column: str, text: str) -> None:
    """Put a text into the first record of a table, and write the manifest anew."""
    table = read_csv(folder / path)
    at = pl.int_range(pl.len()) == 0
    _rewrite(folder, path, table.with_columns(pl.when(at).then(pl.lit(text)).otherwise(pl.col(column)).alias(column)))


def test_equal_releases_ask_for_no_number(sides: tuple[Path, Path], declared: Environment) -> None:
    """Nothing differs, and nothing is told."""
    found = differences(*(opened(side, declared) for side in sides))
    assert found.step == "none"
    assert list(found.lines()) == ["number   none is needed: no file differs"]


def test_the_text_of_a_report_asks_for_a_patch(sides: tuple[Path, Path], declared: Environment) -> None:
    """The data is the same."""
    with (sides[1] / "clean/reports/report.html").open("a") as file:
        file.write("<!-- reworded -->")
    found = differences(*(opened(side, declared) for side in sides))
    assert (found.step, found.changed) == ("patch", ("clean/reports/report.html",))


@pytest.mark.parametrize(
    ("variant", "column", "cause"),
    [("clean", "sales", "figures"), ("noisy", "sales", "noise"), ("clean", "shop", "names")],
)
def test_a_cell_asks_for_a_minor_number(
    sides: tuple[Path, Path], declared: Environment, variant: str, column: str, cause: str
) -> None:
    """Cells are counted by their cause: a noisy cell over an equal clean one is noise, others are by lineage."""
    (origins,) = (field.origins for field in declared.table("accounts").fields if field.name == column)
    with_cell(sides[1], f"{variant}/database/accounts.csv", column, "77")
    found = differences(*(opened(side, declared) for side in sides))
    assert found.step == "minor"
    (table,) = found.tables
    assert table.path == f"{variant}/database/accounts.csv"
    assert dict(table.cells) == {cause if cause == "noise" or origins is not None else "other": 1}


def test_of_the_same_pseudonyms_the_command_says_that_no_links_are_counted(
    sides: tuple[Path, Path], declared: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    """Codes join them; nothing is said of releases with the same data."""
    command = ["diff", *map(str, sides), "--environment", declared.argument]
    assert main(command) == 0
    assert "by code" not in capsys.readouterr().out
    with_cell(sides[1], "clean/database/accounts.csv", "sales", "77")
    assert main(command) == 0
    assert "whoever has both joins them by code; no links are counted\n" in capsys.readouterr().out


def test_without_a_declaration_the_command_says_whose_is_wanted(
    sides: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its file is the reader's: what stands for it is not printed as if it ran."""
    assert main(["diff", *map(str, sides)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "needs your declaration of 'shops', in the place of FILE.py:NAME next silt diff " in said
    assert "the rest" not in said


def test_a_column_or_a_file_more_asks_for_a_major_number(sides: tuple[Path, Path], declared: Environment) -> None:
    """Whoever reads the data by its schema has to read it anew."""
    path = sides[1] / "clean/database/accounts.csv"
    path.write_bytes(path.read_bytes().replace(b"margin", b"share", 1))
    found = differences(*(opened(side, declared) for side in sides))
    assert found.step == "major"
    assert "schema   clean/database/accounts.csv: columns gone ['margin'], come ['share']" in list(found.lines())
    shutil.copy(sides[0] / "clean/database/accounts.csv", path)
    (sides[1] / "clean/database/more.csv").write_text("id\n1\n")
    assert differences(*(opened(side, declared) for side in sides)).step == "major"


def test_releases_of_two_environments_are_refused(sides: tuple[Path, Path], small: Build) -> None:
    """There is nothing to compare."""
    done = run_silt("diff", sides[0], small.folder, cwd=sides[0])
    assert done.returncode == 2
    assert "different environments" in done.stderr


# --- two keys ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_links_between_two_keys_are_measured(small: Build, other_key: Build) -> None:
    """Codes and names coincide by chance; figures under `lsd` are nearly the same, which both halves of them tell."""
    first, second = (opened(build.folder, DATACLAW_18) for build in (small, other_key))
    found = linked(first, second, DATACLAW_18)
    (codes,), (names,), (exact,), (halves,) = (found[family] for family in (CODES, NAMES, EXACT, LINKAGE))
    assert codes.records == names.records > 100
    assert codes.successes <= 2
    assert names.successes <= 2
    assert exact.successes == 0
    assert halves.records > 100
    assert halves.rate > 0.9 > halves.chance


def test_a_release_is_linked_to_itself(small: Build) -> None:
    """The measures can find everything: equal codes, equal figures, and with the owners known the nearest records."""
    release = opened(small.folder, DATACLAW_18)
    found = linked(release, release, DATACLAW_18)
    assert all(attack.rate == 1 for family in (CODES, NAMES, LINKAGE) for attack in found[family])
    assert found[EXACT][0].rate > 0.9
    assert release.read is not None
    codes = release.read.entities[DATACLAW_18.entities.code]
    owned = linked(release, release, DATACLAW_18, dict(zip(codes, codes, strict=True)))
    assert [attack.rate for attack in owned[LINKAGE] if attack.attack == WHOLE_PANEL] == [1]
    assert owned[EXACT][0].rate == 1
    assert owned[REGISTER][0].rate > 0.5


@pytest.mark.slow
def test_links_that_are_right_are_counted_and_no_others(small: Build, other_key: Build) -> None:
    """With both maps nearly every firm is found under `lsd`; with owners that are another's, as many as by guessing."""
    first, second = (opened(build.folder, DATACLAW_18) for build in (small, other_key))
    keys = (DEMONSTRATION_KEY, read_key(other_key.folder.parents[1] / "release.key"))
    maps = [
        unseal((build.folder / "curator/identity_map.enc").read_bytes(), key)
        for build, key in zip((small, other_key), keys, strict=True)
    ]
    owners = owners_of(DATACLAW_18, *maps)
    found = {attack.attack: attack for attack in linked(first, second, DATACLAW_18, owners)[LINKAGE]}
    assert found[WHOLE_PANEL].records > 100
    assert found[WHOLE_PANEL].rate > 0.9
    codes = list(owners)
    others = dict(zip(codes, [owners[code] for code in (*codes[1:], codes[0])], strict=True))
    wrong = {attack.attack: attack for attack in linked(first, second, DATACLAW_18, others)[LINKAGE]}
    assert not wrong[WHOLE_PANEL].beats_chance(1e-3)


@pytest.mark.slow
def test_the_command_tells_of_links_and_compares_with_what_was_revealed(
    small: Build, other_key: Build, tmp_path: Path
) -> None:
    """With both identity maps in clear, links are counted that are right."""
    revealed = []
    for name, build, key in (
        ("one", small, ()),
        ("two", other_key, ("--key-file", other_key.folder.parents[1] / "release.key")),
    ):
        done = run_silt("reveal", "--out", build.folder.parent, *key, cwd=tmp_path)
        (tmp_path / name).write_text(done.stdout)
        revealed.append(tmp_path / name)
    done = run_silt("diff", small.folder, other_key.folder, "--revealed", *revealed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "number   major" in done.stdout
    assert "made     key_fingerprint: " in done.stdout
    assert "linkage  nearest-neighbour linkage (" in done.stdout
    assert "nobody can tell" not in done.stdout


RAW = {"company_core.csv": "a1"}


@pytest.fixture
def released(small: Build, tmp_path: Path) -> Path:
    """Return a folder with a release of the small build, under the public key, and with its curator's half."""
    public, curator = tmp_path / "dataclaw-18-1.0.0", tmp_path / "dataclaw-18-1.0.0.curator"
    for variant in ("noisy", "clean"):
        shutil.copytree(small.folder / variant, public / variant)
    curator.mkdir()
    shutil.copy(small.folder / "curator/identity_map.enc", curator)
    options = {"key_fingerprint": DEMONSTRATION_KEY.fingerprint(), "policy": LSD.name, "raw": RAW}
    (curator / "options.json").write_text(json.dumps(options))
    return tmp_path


def made_of(other_key: Build, policy: Policy = LSD, **changes: Any) -> MadeOf:
    """Return what the build under the other key is made of."""
    given = {"raw": RAW, "key": read_key(other_key.folder.parents[1] / "release.key"), "policy": policy}
    return MadeOf(**given | changes)


@pytest.mark.slow
def test_a_second_release_is_held_to_the_limits_of_its_policy(released: Path, other_key: Build) -> None:
    """By the links that are right. `lsd` limits no linkage of figures, `guarded` does; other tables do not matter."""
    refused = partial(refuse_linkable, other_key.folder, released, DATACLAW_18, keys=[DEMONSTRATION_KEY])
    found = refused(made_of(other_key))
    told = {entry["attack"]: entry for entry in found["dataclaw-18-1.0.0"]}
    assert told[WHOLE_PANEL]["rate"] > 0.9
    assert told[WHOLE_PANEL]["limit"] == "reported only"
    with pytest.raises(
        GateError, match=r"whoever has dataclaw-18-1\.0\.0 as well links .*: \d+ of \d+ .*--allow-linkable"
    ):
        refused(made_of(other_key, GUARDED))
    assert refused(made_of(other_key, GUARDED, raw={"company_core.csv": "b2"})) == {}
    assert refused(made_of(other_key, key=DEMONSTRATION_KEY)) == {}


@pytest.mark.slow
def test_what_cannot_be_compared_is_no_reason_to_go_on(released: Path, other_key: Build) -> None:
    """Without the earlier key nobody can count the links; a curator's half that cannot be read says nothing of its tables."""
    refused = partial(refuse_linkable, other_key.folder, released, DATACLAW_18, made_of(other_key))
    with pytest.raises(InputError, match=r"dataclaw-18-1\.0\.0 is of the same raw tables .*--earlier-key FILE"):
        refused()
    (released / "dataclaw-18-1.0.0.curator/identity_map.enc").unlink()
    with pytest.raises(InputError, match=r"identity_map\.enc is not what an earlier release wrote"):
        refused(keys=[DEMONSTRATION_KEY])
    for content in ("{", "3"):
        (released / "dataclaw-18-1.0.0.curator/options.json").write_text(content)
        with pytest.raises(InputError, match=r"options\.json is not what an earlier release wrote"):
            refused(keys=[DEMONSTRATION_KEY])


@pytest.mark.slow
def test_releasing_under_another_key_tells_of_the_links(
    example: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sixty shops, the command asks for the earlier key, counts, and leaves the figures with the curator."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    write_example(tmp_path)
    write_many_shops(tmp_path)
    earlier, key = (write_key(tmp_path, digits * 16).rename(tmp_path / digits) for digits in ("5eed", "0dd5"))
    command = ("release", "clean", *example[3:])
    first = run_silt(*command, "--key-file", earlier, "--version", "1.0.0", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    second = (*command, "--key-file", key, "--version", "2.0.0")
    refused = run_silt(*second, cwd=tmp_path)
    assert (refused.returncode, "--earlier-key FILE" in refused.stderr) == (2, True)
    done = run_silt(*second, "--earlier-key", earlier, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "linkage    with shops-1.0.0: nearest-neighbour linkage" in done.stderr
    said = " ".join(done.stderr.split())
    assert ("; reported only. " in said, "reported only: kept" in said) == (True, False)
    told = json.loads((tmp_path / "releases/shops-2.0.0.curator/links.json").read_bytes())
    assert {"records", "rate", "upper_95", "limit"} <= told["shops-1.0.0"][0].keys()


# --- rebuilding --------------------------------------------------------------------------------------------------------


def rebuilt(folder: Path, *settings: object) -> tuple[int, str]:
    public = folder / "environments/shops"
    done = run_silt(
        *("rebuild", public, "--environment", "shops.py:SHOPS", "--raw", "shops", "--noise", "shops.yaml", *settings),
        cwd=folder,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def example_folder(built_example: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder in which the tutorial's example was followed."""
    return Path(shutil.copytree(built_example, tmp_path / "work"))


def test_another_key_specification_and_raw_table_are_named(example_folder: Path, tmp_path: Path) -> None:
    """Key and specification are inputs that the manifest states; the first cell that differs is named.

    The web graph goes on to show the user's own build, and not one in a folder that is gone.
    """
    shutil.copy(ROOT / "dagster.yaml", example_folder)
    specification, table = example_folder / "shops.yaml", example_folder / "shops/shops.csv"
    specification.write_text(specification.read_text().replace("rate: 0.5", "rate: 1.0"))
    table.write_text(table.read_text().replace("Bonn", "Berlin"))
    status, said = rebuilt(example_folder, "--key-file", write_key(tmp_path))
    assert status == 1
    assert "input    key fingerprint: the release states" in said
    assert "input    specs noise: the release states" in said
    assert "first    clean/database/" in said
    assert not (example_folder / ".dagster").exists()


def test_a_missing_specification_is_asked_for(example_folder: Path) -> None:
    """By its option, and not by a path of Silt's own that the environment does not have."""
    inputs = ("--environment", "shops.py:SHOPS", "--raw", "shops")
    done = run_silt("rebuild", "environments/shops", *inputs, cwd=example_folder)
    assert done.returncode == 2
    assert "silt: give --noise: environment 'shops' has no" in done.stderr


def test_a_declaration_that_silt_does_not_ship_is_asked_for(example_folder: Path) -> None:
    """With the environment that the build names, and the command that gives it."""
    done = run_silt("rebuild", "environments/shops", cwd=example_folder)
    assert done.returncode == 2
    assert (
        "silt: the release is of 'shops', whose declaration Silt does not ship; give it in the place of FILE.py:SHOPS, and "
        in done.stderr
    )
    assert "silt rebuild environments/shops --environment FILE.py:SHOPS --raw DIR" in done.stderr
    done = run_silt("rebuild", "environments/shops", "--raw", "shops", "--noise", "shops.yaml", cwd=example_folder)
    assert "--environment FILE.py:SHOPS --raw shops --noise shops.yaml" in done.stderr
    assert "DIR" not in done.stderr


def test_the_stage_of_a_difference_is_reported(sides: tuple[Path, Path], declared: Environment) -> None:
    """Noise alone, if the clean tables are the same; else what rendered, derived or anonymised them."""
    first = opened(sides[0], declared)
    with_cell(sides[1], "noisy/database/accounts.csv", "sales", "77")
    assert "(stage: noisy)" in str(first_difference(first, opened(sides[1], declared)))
    with_cell(sides[1], "clean/database/shops.csv", "town", "Köln")
    found = first_difference(first, opened(sides[1], declared))
    assert found is not None
    assert (found.file, found.row, found.column, found.value) == ("clean/database/shops.csv", 2, "town", "Köln")
