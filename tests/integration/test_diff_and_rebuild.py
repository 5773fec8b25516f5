"""Two releases are compared: what differs, why, and what both together tell. A release is built again and explained."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from anonymize.policy import LSD
from pipeline.errors import GateError, InputError
from pipeline.model import Environment
from pipeline.publish.replay import read_csv
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import find_environment
from tests.integration.conftest import Build, run_silt, write_key
from tests.tampering.mutations import _rewrite
from validation.attacks.limits import CODES, EXACT, LINKAGE, NAMES
from validation.release.diff.differences import differences
from validation.release.diff.gate import refuse_linkable
from validation.release.diff.linkage import linked
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
    assert list(found.lines()) == ["number   none"]


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
    lineage = find_environment(f"{declared.declared_in}").lineage
    with_cell(sides[1], f"{variant}/database/accounts.csv", column, "77")
    found = differences(*(opened(side, declared) for side in sides))
    assert found.step == "minor"
    (table,) = found.tables
    assert table.path == f"{variant}/database/accounts.csv"
    assert dict(table.cells) == {cause if cause == "noise" or "accounts" in lineage else "other": 1}


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
    assert max(attack.rate for attack in owned[LINKAGE]) > 0.9


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


@pytest.fixture
def released(built_example: Path, tmp_path: Path) -> Iterator[Path]:
    """Give a folder with a release of a build, and a curator's half that names another key and the same tables."""
    public, curator = tmp_path / "shops-1.0.0", tmp_path / "shops-1.0.0.curator"
    for variant in ("noisy", "clean"):
        shutil.copytree(built_example / "environments/shops" / variant, public / variant)
    curator.mkdir()
    (curator / "options.json").write_text(
        json.dumps({"key_fingerprint": "0123456789abcdef", "raw": {"shops.csv": "a1"}})
    )
    return tmp_path


def test_a_second_release_that_is_linked_is_refused(released: Path, built_example: Path, declared: Environment) -> None:
    """Of the same raw tables under another key, if whoever has both finds the same codes; other tables do not matter."""
    build = built_example / "environments/shops"
    given = {"fingerprint": "fedcba9876543210", "policy": LSD}
    with pytest.raises(
        GateError, match=r"whoever has shops-1\.0\.0 as well links .*equal codes: 3 of 3.*--allow-linkable"
    ):
        refuse_linkable(build, released, declared, raw={"shops.csv": "a1"}, **given)
    refuse_linkable(build, released, declared, raw={"shops.csv": "b2"}, **given)
    refuse_linkable(build, released, declared, raw={"shops.csv": "a1"}, fingerprint="0123456789abcdef", policy=LSD)


def test_an_earlier_release_that_cannot_be_read_is_no_reason_to_go_on(
    released: Path, built_example: Path, declared: Environment
) -> None:
    """Nobody could say whether it is of the same raw tables, so the file is named."""
    options = released / "shops-1.0.0.curator/options.json"
    for content in ("{", "3"):
        options.write_text(content)
        with pytest.raises(InputError, match=r"options\.json is not what an earlier release wrote"):
            refuse_linkable(
                built_example / "environments/shops",
                released,
                declared,
                raw={},
                fingerprint="fedcba9876543210",
                policy=LSD,
            )


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


def test_a_release_is_built_again_to_the_same_bytes(example_folder: Path) -> None:
    """From the same inputs; the build that is there is left alone."""
    before = {path: path.stat().st_mtime_ns for path in (example_folder / "environments").rglob("*")}
    status, said = rebuilt(example_folder)
    assert status == 0, said
    assert "are the same, byte for byte" in said
    assert {path: path.stat().st_mtime_ns for path in (example_folder / "environments").rglob("*")} == before


def test_another_key_is_named(example_folder: Path, tmp_path: Path) -> None:
    """The input that differs, and the first cell that differs of it."""
    status, said = rebuilt(example_folder, "--key-file", write_key(tmp_path))
    assert status == 1
    assert "input    key fingerprint: the release states" in said
    assert "first    clean/database/" in said


def test_another_specification_and_raw_table_are_named(example_folder: Path) -> None:
    """The specification is an input that the manifest states; of a raw table, what came of it is named."""
    specification, table = example_folder / "shops.yaml", example_folder / "shops/shops.csv"
    specification.write_text(specification.read_text().replace("rate: 0.5", "rate: 1.0"))
    table.write_text(table.read_text().replace("Bonn", "Berlin"))
    status, said = rebuilt(example_folder)
    assert status == 1
    assert "input    specs noise: the release states" in said
    assert "first    clean/database/shops.csv, row " in said
    assert "column 'town': found 'Berlin'; expected 'Bonn'" in said


def test_the_stage_of_a_difference_is_told(sides: tuple[Path, Path], declared: Environment) -> None:
    """Noise alone, if the clean tables are the same; else what rendered, derived or anonymised them."""
    first = opened(sides[0], declared)
    with_cell(sides[1], "noisy/database/accounts.csv", "sales", "77")
    assert "(stage: noisy)" in str(first_difference(first, opened(sides[1], declared)))
    with_cell(sides[1], "clean/database/shops.csv", "town", "Köln")
    found = first_difference(first, opened(sides[1], declared))
    assert found is not None
    assert (found.file, found.row, found.column, found.value) == ("clean/database/shops.csv", 2, "town", "Köln")
