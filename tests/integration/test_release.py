"""`silt release`: the same bytes wherever it is made, loaded by the field's readers, and nothing of the noise in public."""

import csv
import json
import re
import shutil
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from assets.evidence.files import pages_before_noise
from pipeline.errors import GateError
from pipeline.noise.spec import load_spec
from pipeline.publish.files import sha256
from pipeline.release.archive import open_archive
from pipeline.release.assembling import Given, assemble
from pipeline.release.layout import read_head
from pipeline.release.metadata.mounting import commands
from pipeline.release.settings import Asked
from silt.environments.registry import find_environment
from tests.integration.conftest import Build, release_small, run_silt, write_key
from tests.integration.readme import write_example
from tests.loaded import accepted, front_matter, loaded, loaded_as_croissant, loaded_as_package, materials, records_of
from tests.made_twice import DEFAULTS, made_twice
from tests.pages import dead_links

DATE = "1700000000"
"""2023-11-14."""

MOST = 200
"""Records of a table that are loaded by readers which take minutes for all of them."""


def release(example: list[str]) -> list[str]:
    """Return the command that makes a documented release of the tutorial's example, with Parquet."""
    return ["release", *example[1:], "--version", "1.2.3", "--documented", "--parquet"]


def content(folder: Path) -> dict[str, tuple[int, str]]:
    """Return mode and digest of everything below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {f.relative_to(folder).as_posix(): (stat.S_IMODE(f.stat().st_mode), sha256(f)) for f in files}


@pytest.fixture(scope="module")
def released_example(built_example: Path, example: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a documented release of the tutorial's example, with Parquet."""
    folder = tmp_path_factory.mktemp("release") / "work"
    shutil.copytree(built_example, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", DATE)
        done = run_silt(*release(example), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "releases/shops-1.2.3"


@pytest.mark.slow
def test_made_twice_from_two_fresh_clones_it_has_the_same_bytes(example: list[str], tmp_path: Path) -> None:
    """Built from nothing under another clock, zone, locale, umask, with one processor; signatures, archives, modes included."""
    write_example(files := tmp_path / "files")
    key = str(write_key(tmp_path))
    one, other = made_twice(tmp_path, [*example[1:], *DEFAULTS, "--key-file", key], files=files)
    assert one == other
    assert sum(path.endswith(".tar.zst") for path in one) == 2
    assert {found.split()[0] for found in one.values()} == {"100644", "40755"}


def test_archives_hold_what_the_folder_holds(released_example: Path, tmp_path: Path) -> None:
    """But for the other variant, statements and archives."""
    head = read_head(released_example)
    assert (head.released, head.variants) == ("2023-11-14", ("noisy", "clean"))
    for variant in head.variants:
        (into := tmp_path / variant).mkdir()
        opened = open_archive(released_example / f"shops-1.2.3-{variant}.tar.zst", into)
        assert opened.name == "shops-1.2.3"
        found = content(opened)
        assert sorted(found) == sorted(head.paths_of(variant))
        assert found == {path: content(released_example)[path] for path in found}


def test_the_head_lists_every_file(released_example: Path) -> None:
    """With its bytes and its digest."""
    listed = {each.path: each.sha256 for each in read_head(released_example).files}
    others = {path: digest for path, (_, digest) in content(released_example).items() if path in listed}
    assert listed == others
    rest = content(released_example).keys() - listed.keys()
    assert all(path == "release.json" or path.endswith((".intoto.json", ".tar.zst")) for path in rest)


def test_no_release_has_the_page_of_a_draft(released_example: Path) -> None:
    """It explains every column, also where a release leaves that to be found out."""
    both = (released_example, released_example.with_name("shops-1.2.3.curator"))
    assert not [file for half in both for variant in ("noisy", "clean") for file in (half / variant).glob("README*")]


def test_the_curators_half_is_the_curators(released_example: Path) -> None:
    """It has what tells of the noise, what building again needs, and modes that close it."""
    curator = released_example.with_name("shops-1.2.3.curator")
    assert {stat.S_IMODE(path.stat().st_mode) for path in curator.rglob("*") if path.is_file()} == {0o600}
    assert stat.S_IMODE(curator.stat().st_mode) == 0o700
    assert (curator / "noisy/reports/noise.json").is_file()
    options = json.loads((curator / "options.json").read_bytes())
    assert options["noise"] == "noise.yaml"
    assert (options["environment"], options["kept"].keys()) == (
        "shops.py:SHOPS",
        {"identity_map.enc", "noise_ledger.parquet"},
    )


def test_croissant_is_accepted_and_every_file_loaded(released_example: Path) -> None:
    """By mlcroissant: without an error, and with as many records as the manifests state."""
    assert loaded_as_croissant(released_example) == records_of(released_example)


def test_the_data_package_is_accepted_and_every_file_loaded(released_example: Path) -> None:
    """By frictionless: bytes, digests, schemas and all cells are valid."""
    assert loaded_as_package(released_example) == len(records_of(released_example))


@pytest.fixture(scope="module")
def releases(released: Path, small: Build, landed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two releases of the small build: one whose columns are explained, and one whose columns are not."""
    folder = tmp_path_factory.mktemp("plain")
    shutil.copytree(small.folder.parent, folder / "out")
    return released, release_small(landed, folder, "noisy")


@pytest.mark.slow
def test_every_table_of_dataclaw_18_is_loaded(releases: tuple[Path, Path]) -> None:
    """Noise and all, as what the documented release declares; all of each table by `make bench BENCH=release`."""
    assert all(loaded(releases[0], most=MOST))


@pytest.mark.slow
def test_what_is_not_explained_is_the_same_as_text(releases: tuple[Path, Path]) -> None:
    """The same bytes, described as in the other release but for words, keys and types, so every reader loads them, too."""
    documented, plain = releases
    for name, tables in (("croissant.json", "recordSet"), ("datapackage.json", "resources")):
        explained, found = (json.loads((folder / name).read_bytes()) for folder in (documented, plain))
        assert found == explained | {tables: as_text(explained[tables])} != explained
    assert [sha256(plain / each["path"]) for each in found["resources"]] == [
        each["hash"].removeprefix("sha256:") for each in found["resources"]
    ]
    assert all(accepted(plain))


def as_text(described: Any) -> Any:
    """Return what describes tables without words and keys, and with every type a text: less than that nothing asks for."""
    if isinstance(described, list):
        return [as_text(each) for each in described]
    if isinstance(described, dict):
        kept = {name: value for name, value in described.items() if name not in {"description", "primaryKey"}}
        return {name: OF_TEXT.get(name) or as_text(value) for name, value in kept.items()}
    return described


OF_TEXT = {"type": "string", "dataType": "sc:Text"}


def test_the_front_matter_is_valid(released_example: Path) -> None:
    """What hubs read: types and values that they know, and a file for each configuration."""
    front = front_matter(released_example)
    assert "license" not in front  # none was stated
    assert front["language"] == ["en"]
    assert front["size_categories"] == ["n<1K"]
    # A hub shows what is listed: answers follow from the clean tables.
    tables = {file.stem for file in (released_example / "noisy/database").iterdir()}
    assert {config["config_name"] for config in front["configs"]} == {f"noisy-{name}" for name in tables}


def test_compose_mounts_read_only_without_a_network(released_example: Path) -> None:
    """What the file says of each variant; docker's and podman's line say the same."""
    services = yaml.safe_load((released_example / "compose.yaml").read_bytes())["services"]
    assert services.keys() == {"noisy", "clean"}
    for variant, service in services.items():
        source = f"./{variant}/database"
        volume = {"type": "bind", "source": source, "target": "/database", "read_only": True}
        assert (service["network_mode"], service["read_only"], service["volumes"]) == ("none", True, [volume])
        for program in ("docker", "podman"):
            line = commands(variant)[program]
            assert f'--network none --read-only --tmpfs /tmp -v "$PWD/{variant}/database":/database:ro' in line


def test_the_bill_of_materials_is_accepted(released_example: Path) -> None:
    """By the validator of CycloneDX, strictly."""
    assert materials(released_example) > 90


def test_the_citation_has_what_the_format_asks_for(released_example: Path) -> None:
    """citation-file-format 1.2.0: cff-version, message, title and authors are required."""
    found = yaml.safe_load((released_example / "CITATION.cff").read_bytes())
    assert (found["cff-version"], found["type"], found["version"]) == ("1.2.0", "dataset", "1.2.3")
    assert found["message"]
    assert found["title"]
    assert found["authors"] == [{"name": f'The makers of "{found["title"]}"'}]  # nobody was stated


def test_the_dictionary_explains_every_column(released_example: Path) -> None:
    """Each column of each table of the clean variant, once, with the type that its cells have."""
    with (released_example / "data_dictionary.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    told = {(row["file"], row["column"]): row for row in rows if not row["file"].startswith("(")}
    clean = released_example / "clean"
    for table in (clean / "database").rglob("*.csv"):
        with table.open(encoding="utf-8", newline="") as file:
            for column in next(csv.reader(file)):
                assert (table.relative_to(clean).as_posix(), column) in told
    assert any(row["meaning"] for row in rows)
    assert any(row["unit"] for row in rows)


def test_parquet_has_what_the_tables_have(released_example: Path) -> None:
    """The same rows, as text where noise left a cell that is no number, and typed in the clean variant."""
    types: dict[str, dict[str, set[object]]] = {}
    for variant in ("noisy", "clean"):
        for file in (released_example / variant / "parquet").rglob("*.parquet"):
            path = file.relative_to(released_example / variant / "parquet").with_suffix(".csv")
            typed, text = pl.read_parquet(file), pl.read_csv(released_example / variant / path, infer_schema=False)
            assert typed.height == text.height
            assert [typed[name].null_count() for name in typed.columns] == [text[n].null_count() for n in text.columns]
            types.setdefault(variant, {})[path.name] = set(typed.dtypes)
    assert any(kinds - {pl.String()} for kinds in types["clean"].values())


def test_nothing_public_names_noise(released_example: Path) -> None:
    """No file of the noisy variant's reports on noise is there; pages are those that the clean tables' reports give."""
    names = {path.name for path in (released_example / "noisy/reports").iterdir()}
    told = {"ks", "distributions", "consistency", "privacy"}
    assert names == {*(f"{name}.json" for name in told), "ks.html", "consistency.html", "privacy.html", "report.html"}
    environment = find_environment(f"{released_example.parents[1] / 'shops.py'}:SHOPS")
    pages = pages_before_noise(environment, released_example / "clean")
    pages["privacy.html"] = pages["privacy.html"].replace(b'badge">clean<', b'badge">noisy<')
    page = (released_example / "noisy/reports/report.html").read_bytes()
    shown = {name: (released_example / "noisy/reports" / name).read_bytes() for name in pages}
    assert pages | {"report.html": page} == shown
    answers = re.findall(rb'<p class="answer">(?:<span.*?</span>)?\s*(.*?)</p>', page)
    assert (len(answers), answers[2]) == (3, b"Not disclosed")
    assert not {b"data", b"ladder", b"expectations"} & {*re.findall(rb'<section id="(.*?)"', page)}
    section = re.compile(rb'<section id="ks".*?</section>', re.DOTALL)
    assert section.findall(page) == section.findall((released_example / "clean/reports/report.html").read_bytes())


@pytest.mark.parametrize("of", ["noisy", "clean"])
def test_a_released_page_has_no_steps_for_makers(of: str, released_example: Path, built_example: Path) -> None:
    """They stand in the build's; a receiver is led to the card."""
    folders = (released_example, built_example / "environments/shops")
    released, built = ((folder / of / "reports/report.html").read_text(encoding="utf-8") for folder in folders)
    assert ['id="next"' in page for page in (released, built)] == [False, True]
    assert ["part of a release" in page for page in (released, built)] == [True, False]


def test_a_page_on_privacy_counts_nothing_in_noisy_files(shops: Path) -> None:
    """Exemptions are counted there; the report says how many, and the page would, too."""
    environment, file = find_environment("shops.py:SHOPS"), shops / "noisy/reports/privacy.json"
    pages = pages_before_noise(environment, shops / "noisy")
    counted = {"declared": 1, "unused": 0, "places": {"name": 7}}
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"exemptions": counted}), encoding="utf-8")
    assert pages_before_noise(environment, shops / "noisy") == pages


@pytest.mark.parametrize("of", ["noisy", "clean", "curator"])
def test_no_link_is_dead(of: str, released_example: Path, tmp_path: Path) -> None:
    """Neither in an archive, which has one variant, nor in the curator's half, which has no tables."""
    if of == "curator":
        opened = released_example.with_name("shops-1.2.3.curator")
    else:
        opened = open_archive(released_example / f"shops-1.2.3-{of}.tar.zst", tmp_path)
    assert dead_links(opened) == []
    card = opened / "README.md"
    links = re.findall(r"\]\(([^)#]+)", card.read_text(encoding="utf-8")) if card.is_file() else []
    assert not [link for link in links if not (opened / link).is_file()]


def test_a_planted_name_of_a_rule_is_refused(shops: Path, example: list[str]) -> None:
    """In a report that is public, with its line; nothing is released. Where noise is disclosed it may stand there."""
    environment = find_environment("shops.py:SHOPS")
    spec = load_spec(Path(example[example.index("--noise") + 1]), environment)
    page = shops / "clean/reports/privacy.html"
    line = page.read_text(encoding="utf-8").count("\n") + 1
    page.write_text(page.read_text(encoding="utf-8") + spec.rules[0].name, encoding="utf-8")
    asked, made_with = Asked(version="1.2.3", date=int(DATE)), Given(spec=spec)
    with pytest.raises(GateError, match=rf"clean/reports/privacy.html, row {line}: found '{spec.rules[0].name}'"):
        assemble(environment, shops, Path("releases"), asked, made_with)
    assert not [path for path in Path("releases").iterdir() if path.name != ".lock"]
    assert assemble(environment, shops, Path("releases"), replace(asked, disclose_noise=True), made_with).is_dir()


def test_another_release_of_the_same_version_is_refused(
    built_example: Path, example: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody may have the first one; the same one again is no matter."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DATE)
    folder = tmp_path / "work"
    shutil.copytree(built_example, folder)
    command = ("release", *example[1:], "--version", "1.2.3")
    assert [run_silt(*command, cwd=folder).returncode for _ in range(2)] == [0, 0]
    before = content(folder / "releases")
    refused = run_silt(*command, "--documented", cwd=folder)
    assert (refused.returncode, "--replace" in refused.stderr) == (2, True)
    assert content(folder / "releases") == before
    assert run_silt(*command, "--documented", "--replace", cwd=folder).returncode == 0


@pytest.mark.parametrize("version", ["", "1", "1.0", "v1.0.0", "1.0.0+x", "../1.0.0"])
def test_a_version_is_asked_for(version: str, example: list[str], tmp_path: Path) -> None:
    """Before anything is built."""
    refused = run_silt("release", *example[1:], "--version", version, cwd=tmp_path)
    assert refused.returncode == 2
    assert "1.0.0" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_date_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is built, too."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    refused = run_silt("release", "--scale", "0.001", "--version", "1.0.0", cwd=tmp_path)
    assert (refused.returncode, "SOURCE_DATE_EPOCH: found 'yesterday'" in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
