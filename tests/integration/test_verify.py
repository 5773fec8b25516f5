"""A release is verified from its public files alone: nothing is found in what was made, and every change to it is found.

Each way of tampering is tried once on a small release; many at random are `python -m tests.tampering`. What no digest tells
is tried on builds: there the manifest is written anew with each change, so that only what the files say of each other is left.
"""

import csv
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from importlib.metadata import version
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from pipeline.errors import Problem
from pipeline.model import Environment
from pipeline.publish.formats.csv import read_csv
from pipeline.release.archive import open_archive
from pipeline.release.provenance.signing_key import public_file
from silt.commands.released import opened_release
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.dataclaw_18.enterprise import TARGET_CODES
from silt.environments.registry import find_environment
from tests.integration.conftest import Build, run_silt
from tests.tampering.laboratory import Outcome, found, laboratory, outcome
from tests.tampering.mutations import KINDS, Bench, _rewrite
from tests.tampering.second_hand import Change, do, listed, tried
from validation.release.all_checks import CHECKS, Find
from validation.release.checks.copies import copies_hold_the_same
from validation.release.checks.derived import aggregates_again, identities_hold
from validation.release.checks.expected import facts_hold
from validation.release.checks.files import none_besides
from validation.release.checks.leftovers import nothing_left_over
from validation.release.checks.pair import noise_within_bounds
from validation.release.checks.reports import agree_with_files, of_their_types
from validation.release.checks.tables import as_written
from validation.release.opened import Release, opened
from validation.release.tree import TEXT
from validation.release.verifying import verify


@pytest.fixture(scope="module")
def bench(tasked_example: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Give a signed release of the tutorial's example, with tasks."""
    declaration = f"{tasked_example / 'shops.py'}:SHOPS"
    with laboratory(
        tasked_example / "environments/shops", declaration, working=tmp_path_factory.mktemp("release")
    ) as made:
        yield made


def test_nothing_is_found_in_a_release_and_in_its_archives(bench: Bench) -> None:
    """Folder and archives verify, signatures included."""
    for path in (bench.release, *bench.release.glob("*.tar.zst")):
        assert found(bench, path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_tampering_is_noticed_with_its_place(bench: Bench, kind: str) -> None:
    """Each kind of change is found where it was made, with the limit that fields of CSV have outside of the tests."""
    of_tests = csv.field_size_limit(131_072)
    try:
        noticed = outcome(bench, KINDS[kind], 3)
    finally:
        csv.field_size_limit(of_tests)
    assert noticed.is_placed, (noticed.place, noticed.lines)


OF_EVERY_FILE = {"same_bytes", "archives_hold_the_same", "metadata_follow", "stated_of_this", "nothing_left_over"}

OF_TABLE = {"as_written", "copies_hold_the_same", "of_one_build", "noise_within_bounds", "agree_with_files"}

OF_FILE: Mapping[str, set[str]] = {
    "noisy/database/accounts.csv": OF_TABLE,
    "clean/database/shops.csv": OF_TABLE | {"facts_hold", "aggregates_again", "answers_follow"},
    "noisy/parquet/database/accounts.parquet": {"copies_hold_the_same"},
    "clean/manifest.json": {"as_written", "tasks_agree", "materials_follow", "same_in_variants"},
    "noisy/reports/noise.json": {"as_written", "of_their_types", "noise_within_bounds", "agree_with_files"},
    "clean/reports/ks.json": {"of_their_types", "same_in_variants", "agree_with_files"},
    "clean/reports/report.html": {"pages_do_nothing_else"},
    "tasks/dev.jsonl": {"tasks_agree", "answers_follow"},
    "sbom.cdx.json": {"materials_follow"},
}
"""A file of each kind -> the checks that read it, besides those that read every file."""


@pytest.mark.parametrize(
    ("path", "how"),
    [*product(OF_FILE, ["changed", "gone"]), *product(["noisy/database/accounts.csv"], ["cut", "a link"])],
)
def test_no_check_is_ok_of_a_file_that_is_wrong(bench: Bench, path: str, how: str, tmp_path: Path) -> None:
    """Each that reads the file finds something, or is not made and names what it needs; others are made as ever."""
    folder = Path(shutil.copytree(bench.release, tmp_path / bench.release.name))
    file = folder / path
    content = file.read_bytes()
    file.unlink()
    if how == "changed":
        file.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
    elif how == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif how == "a link":
        file.symlink_to("/dev/null")
    with opened_release(folder, bench.declaration, public_file(bench.key)) as release:
        verified = verify(release)
    fine = {made.check.find.__name__ for made in verified.made if not made.problems}
    assert not fine & (OF_EVERY_FILE | OF_FILE[path])
    assert "signed" in fine
    as_it_is = "" if how in {"gone", "a link"} else " as it should be"
    not_made = [line for line in verified.text().splitlines() if line.startswith("not made")]
    (of_archives,) = (line for line in not_made if "archives hold what the folder holds" in line)
    assert re.search(rf" needs? {path}{as_it_is}", of_archives)
    of_files = re.findall(r" needs? (\S+[./][^:\n]*)", "\n".join(not_made))
    assert len(of_files) == len({*of_files}), not_made
    assert "cannot be carried out" not in verified.text()
    assert not re.search(r"[0-9]{4,} bytes", verified.text())


@pytest.mark.parametrize(
    ("report", "besides"),
    [("ks", set()), ("consistency", {"identities_hold"}), ("noise", {"as_written", "noise_within_bounds"})],
)
def test_checks_depend_on_the_reports_that_they_read_alone(report: str, besides: set[str]) -> None:
    """Of checks of tables, those of identities and of noise read one report each: another that is gone prevents neither."""
    reading = {check.find.__name__ for check in CHECKS if check.reads_file(f"clean/reports/{report}.json")}
    assert reading == OF_EVERY_FILE | OF_FILE["clean/reports/ks.json"] | {"no_noise_stated"} | besides


@pytest.mark.parametrize(("size", "finds"), [(0, [none_besides]), (2 * TEXT, [none_besides, nothing_left_over])])
def test_a_file_besides_prevents_no_check(bench: Bench, tmp_path: Path, size: int, finds: list[Find]) -> None:
    """It is named, and all else is checked; one that is too long to be read may hold what must not be left."""
    folder = Path(shutil.copytree(bench.release, tmp_path / bench.release.name))
    path = "noisy/database/.extra"
    (folder / path).touch()
    os.truncate(folder / path, size)
    with opened_release(folder, bench.declaration, public_file(bench.key)) as release:
        verified = verify(release)
    assert {problem.file for problem in verified.problems} == {path}
    assert [made.check.find for made in verified.made if made.problems] == finds
    assert not [check.says for check, why in verified.not_made if path in why]


def test_an_outcome_that_names_another_place_is_not_placed(bench: Bench) -> None:
    """The tests above can fail: neither silence nor another place will do."""
    noticed = outcome(bench, KINDS["a cell of a Parquet file"], 3)
    others = tuple(line.replace("row", "line") for line in noticed.lines)
    assert not Outcome(lines=others, place=noticed.place).is_placed
    assert not Outcome(lines=(), place=noticed.place).is_noticed


@pytest.mark.slow
@pytest.mark.parametrize("change", listed()[::20], ids=lambda change: change.what)
def test_what_a_second_hand_changes_is_noticed(bench: Bench, change: Change, tmp_path: Path) -> None:
    """With the makers' key and without it, as it is and with all made anew that says what the files are.

    Every twentieth change of the list: `python -m tests.tampering --second-hand` makes them all.
    """
    for anew in (False, True) if change.later else (False,):
        folder = Path(shutil.copytree(bench.release, tmp_path / str(anew) / bench.release.name))
        said = tried(bench, change, folder, anew=anew)
        assert said.with_key
        assert said.without_key or change.unsigned or (anew and change.passes)


@pytest.mark.parametrize(
    "change", [each for each in listed() if each.at.startswith("tasks/")], ids=lambda each: each.what
)
def test_what_is_changed_of_tasks_is_named_by_the_check_for_it(bench: Bench, change: Change, tmp_path: Path) -> None:
    """With head and archives made anew, so that no digest of theirs tells."""
    folder = Path(shutil.copytree(bench.release, tmp_path / bench.release.name))
    said = tried(bench, change, folder, anew=change.later, checks=OF_TASKS)
    assert any("tasks/" in line for line in said.without_key), said.without_key


OF_TASKS = ("tasks_agree", "answers_follow", "none_besides", "same_bytes")


HOSTILE = (
    *("a file of 50 GB besides", "a table that goes on for 20 GB", "a report that goes on for 20 GB"),
    *("a statement that goes on for 20 GB", "an archive that goes on for 20 GB", "deep JSON as metadata"),
    *("deep JSON as a manifest", "wide JSON as metadata", "a pipe besides", "a socket besides"),
    *("a link to zeros without end", "a page with 50 MB of zeros"),
)
"""What would fill the memory of whoever read it, or never end."""

MOST = 300
"""MB that verifying takes, whatever lies in a folder."""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["as it was made", "as it lies", "made anew"])
def test_whatever_lies_in_a_folder_takes_little_memory(bench: Bench, tmp_path: Path, how: str) -> None:
    """All of it at once, in a process of its own; where nothing lies that is not read, charts are drawn."""
    folder = Path(shutil.copytree(bench.release, tmp_path / bench.release.name))
    anew = how == "made anew"
    changes = [change for change in listed() if change.what in HOSTILE and (change.later or not anew)]
    assert len(changes) == (len(HOSTILE) if not anew else 6)
    for change in changes if how != "as it was made" else ():
        do(change, folder)
    if anew:
        bench.remade(folder, bench.other_key)
    measured = (
        "import sys; from silt.cli import main; status = main(sys.argv[1:]); "
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))); sys.exit(status)"
    )
    command = [sys.executable, "-c", measured, "verify", folder, "--environment", bench.declaration]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path)
    assert done.returncode == (0 if how == "as it was made" else 1), done.stderr
    peak = int(done.stdout.split()[-2]) / 1000
    assert peak <= MOST


@pytest.mark.parametrize("wrong", ["a type", "a record less", "no Parquet", "a file less", "a file more"])
def test_parquet_that_says_something_else_is_named(bench: Bench, wrong: str, tmp_path: Path) -> None:
    """Another type, size or file than the CSV has; changed cells are tried above."""
    folder = Path(shutil.copytree(bench.release, tmp_path / bench.release.name))
    path = "clean/parquet/database/accounts.parquet"
    table = pl.read_parquet(folder / path)
    changes: Mapping[str, Callable[[], object]] = {
        "a type": lambda: table.with_columns(pl.col("year").cast(pl.String)).write_parquet(folder / path),
        "a record less": lambda: table.head(-1).write_parquet(folder / path),
        "no Parquet": lambda: (folder / path).write_bytes(b"PAR1"),
        "a file less": (folder / path).unlink,
        "a file more": lambda: table.write_parquet(folder / "clean/parquet/more.parquet"),
    }
    changes[wrong]()
    (problem,) = copies_hold_the_same(opened(folder, find_environment(bench.declaration)))
    places = {"a type": (path, "year"), "a file more": ("clean/parquet/more.parquet", "")}
    assert (problem.file, problem.column) == places.get(wrong, (path, ""))


@pytest.mark.parametrize("build", ["small", pytest.param("small_guarded", marks=pytest.mark.slow), "listed"])
def test_nothing_is_found_in_a_build(build: str, request: pytest.FixtureRequest) -> None:
    """The checks hold for what builds publish, under both policies, of generated and of real tables."""
    environment = "us-listed" if build == "listed" else "dataclaw-18"
    folder = request.getfixturevalue(build).folder
    done = run_silt("verify", folder, "--environment", environment, cwd=folder)
    assert done.returncode == 0, done.stdout
    *_, verdict = done.stdout.splitlines()
    said = r"Verified in part: (1\d) of (2\d) checks made, no difference; .*; unsigned: nobody knows who made it\."
    counts = re.fullmatch(said, verdict)
    assert counts is not None
    listed = Counter(re.findall(r"^(ok|not made|n/a) +\S", done.stdout, re.MULTILINE))
    assert (listed["ok"], listed.total()) == tuple(map(int, counts.groups()))


def test_of_an_archive_without_its_statements_nobody_says_that_it_is_unsigned(bench: Bench, tmp_path: Path) -> None:
    """They stand beside the archives: whoever has one alone cannot know whether it is signed."""
    archive = shutil.copy(next(bench.release.glob("*-noisy.tar.zst")), tmp_path)
    done = run_silt("verify", archive, cwd=tmp_path)
    assert "whether the release is signed is not known" in done.stdout
    assert "is not signed" not in done.stdout
    assert "its statements are not here: nobody knows who made it" in done.stdout


def test_what_is_unpacked_of_an_archive_is_told_from_a_broken_release(bench: Bench, tmp_path: Path) -> None:
    """One answer, with the archive if it is there, and no word on files of the other variant."""
    archive = next(bench.release.glob("*-noisy.tar.zst"))
    folder = open_archive(archive, tmp_path)
    done = run_silt("verify", folder, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"verify the archive instead, with the two statements beside it: {archive.name}, which is not" in done.stderr
    there = shutil.copy(archive, tmp_path)
    assert f"it is here: silt verify {there}" in run_silt("verify", folder, cwd=folder).stderr
    known = ("--public-key", public_file(bench.key))
    assert f"silt verify {there} {known[0]} {known[1]}" in run_silt("verify", folder, *known, cwd=folder).stderr
    # What has anything else of a release beside it is held against that.
    shutil.copy(bench.release / "provenance.intoto.json", folder)
    assert run_silt("verify", folder, cwd=tmp_path).returncode == 1


def test_what_is_not_checked_is_reported(bench: Bench, small: Build) -> None:
    """Without declaration, other variant or public key, the checks that need them are listed; so is what needs raw tables."""
    public = bench.release
    done = run_silt("verify", public, cwd=public)
    assert done.returncode == 0, done.stdout
    assert "not made  identities between figures hold: needs the declaration" in done.stdout
    assert "not made  statements are signed with the given key: needs the public key" in done.stdout
    assert "which was not checked: give its public key" in done.stdout
    assert "needs the raw tables" in done.stdout
    checked = run_silt("verify", public, "--public-key", public_file(bench.key), cwd=public)
    assert "ok      statements are signed with the given key" in checked.stdout
    assert "Checked against the public key" in checked.stdout
    *_, verdict, rest, command = done.stdout.splitlines()
    assert re.fullmatch(
        r"Verified in part: \d+ of \d+ checks made, .*; its signature was not checked: nobody knows .*\.", verdict
    )
    wanted = "your declaration of 'shops', in the place of FILE.py:NAME; the public key of whoever signed it, in the place of"
    assert rest == f"  the rest   needs {wanted} KEY.pub"
    assert command == f"  next       silt verify {public} --environment FILE.py:NAME --public-key KEY.pub"
    known = ("--public-key", public_file(bench.key), "--environment", bench.declaration)
    *_, verdict = run_silt("verify", public, *known, cwd=public).stdout.splitlines()
    rest = r"(; \d+ .* nothing to look at)?(; \d+ needs? the noise, which is not disclosed)?"
    assert re.fullmatch(rf"Verified: \d+ of \d+ checks made, no difference{rest}\.", verdict)
    alone = run_silt("verify", small.clean, cwd=public)
    assert "not made  the noisy variant differs from the clean one where and as often as noise may" in alone.stdout


def test_what_the_files_show_not_to_be_there_lacks_nothing(built_example: Path) -> None:
    """No declaration is asked for to look at none of it."""
    done = run_silt("verify", built_example / "environments/shops/clean", cwd=built_example)
    for none in ("tables in further formats hold what the tables hold", "tasks are what their schemas say"):
        assert re.search(f"^n/a +{none}.*: there are none$", done.stdout, re.MULTILINE)


def test_words_of_another_version_are_not_compared(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release of an earlier Silt is verified but for its words, and says so; its tables are looked at as ever."""
    monkeypatch.setattr("validation.release.opened.version", lambda _: "9.9.9")
    folder = Path(shutil.copytree(bench.release, tmp_path / bench.release.name))
    done = run_silt("verify", folder, cwd=tmp_path)
    made_by = f"Silt {version('silt')}"
    assert done.returncode == 0, done.stdout
    assert f"not made  pages have text, drawings and Silt's own scripts alone: needs {made_by}" in done.stdout
    *_, verdict, _, _ = done.stdout.splitlines()
    assert verdict.startswith("Verified in part: ")
    assert verdict.endswith(f"; pages and words were not compared with those of {made_by}.")
    (table, *_) = folder.glob("clean/database/**/*.csv")
    table.write_text(table.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert run_silt("verify", folder, cwd=tmp_path).returncode == 1


def test_another_environment_than_declared_is_refused(bench: Bench) -> None:
    """A release is held against its own declaration or none."""
    done = run_silt("verify", bench.release, "--environment", "us-listed", cwd=bench.release)
    assert done.returncode == 2
    assert "is of environment 'shops', and not of 'us-listed'" in done.stderr


def test_verifying_writes_nothing_and_asks_nobody(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a time of change differs afterwards, with a folder that nobody can write to; no connection is opened."""

    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    folder = Path(shutil.copytree(bench.release, tmp_path / bench.release.name))
    (folder / "noisy" / "sitecustomize.py").write_text("raise SystemExit(7)\n")
    states = {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))}
    assert any("sitecustomize.py" in line for line in found(bench, folder))
    assert {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))} == states


# --- what files say of each other --------------------------------------------------------------------------------------


STATUS = "clean/database/enterprise/company_operation_status_detail.csv"
NATIONAL = "clean/database/industry/national_industry_status.csv"
PROFILE = "clean/database/enterprise/company_profile.csv"


@pytest.fixture
def copy(small: Build, tmp_path: Path) -> Path:
    """Return a copy of the small build's variants, to be changed."""
    for variant in ("noisy", "clean"):
        shutil.copytree(small.folder / variant, tmp_path / "dataclaw-18" / variant)
    return tmp_path / "dataclaw-18"


def changed(folder: Path, path: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Release:
    """Change a table, and its manifest with it."""
    _rewrite(folder, path, change(read_csv(folder / path)))
    return opened(folder, DATACLAW_18)


def with_cell(row: int, column: str, text: str | None) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Put a text into a cell; the row is that of the file."""
    at = pl.int_range(pl.len()) == row - 2
    return lambda table: table.with_columns(pl.when(at).then(pl.lit(text)).otherwise(pl.col(column)).alias(column))


def places(problems: Iterator[Problem]) -> list[tuple[str, int, str, str]]:
    return [(problem.file, problem.row, problem.column, problem.value) for problem in problems]


def row_of(folder: Path, path: str, **cells: str) -> int:
    """Return the first row of a file with these cells."""
    at = [pl.col(name) == text for name, text in cells.items()]
    return int(read_csv(folder / path).with_row_index("row").filter(at)["row"][0]) + 2


def test_a_stated_aggregate_is_computed_again(copy: Path) -> None:
    """A mean that is no mean is named with its row, and with what it should be."""
    row = row_of(copy, NATIONAL, industry="医药制造业", targetName="总资产均值")
    release = changed(copy, NATIONAL, with_cell(row, "value", "12345.5"))
    problem = next(aggregates_again(release))
    assert (problem.file, problem.row, problem.column, problem.value) == (NATIONAL, row, "value", "12345.5")
    assert problem.expected.startswith("expected ")
    assert "statistics in national_industry_status" in problem.expected


def test_a_figure_contradicts_what_follows_from_it(copy: Path) -> None:
    """The other table of the same figures and the identities of its record tell that it was changed."""
    row = row_of(copy, STATUS, year="2022", targetCode=TARGET_CODES["总资产"])
    release = changed(copy, STATUS, with_cell(row, "value", "987654321"))
    code = read_csv(copy / STATUS)["bmCode"][row - 2]
    told = list(aggregates_again(release))
    assert any("987654321" in problem.expected and f"code {code}" in problem.expected for problem in told), told
    assert STATUS in {problem.file for problem in identities_hold(release)}


def test_a_quotient_may_be_off_by_rounding_where_none_is_claimed(copy: Path) -> None:
    """By its last digit in one record more than the report leaves untested; it was free there, since the originals break it."""
    row = row_of(copy, STATUS, year="2022", targetCode=TARGET_CODES["资产负债率"])
    value = Decimal(read_csv(copy / STATUS)["value"][row - 2]) + Decimal("0.01")
    release = changed(copy, STATUS, with_cell(row, "value", f"{value:.2f}"))
    (problem,) = identities_hold(release)
    assert problem.expected.startswith("expected 资产负债率 = ")
    report = copy / "clean/reports/consistency.json"
    stated = json.loads(report.read_bytes())
    tested = next(entry for entry in stated["identities"] if entry["identity"].startswith("资产负债率 = "))
    tested["records"] -= 1
    report.write_text(json.dumps(stated), encoding="utf-8")
    assert not list(identities_hold(opened(copy, DATACLAW_18)))


def test_a_cell_that_breaks_its_facts_is_named(copy: Path) -> None:
    """The column, the row, what stands there and what is asked of it."""
    release = changed(copy, PROFILE, with_cell(5, "id", "x"))
    assert (PROFILE, 5, "id", "x") in places(facts_hold(release))


def test_noise_where_no_rule_writes_is_named(copy: Path) -> None:
    """The noisy cell and the clean one beside it; a column that rules write to may differ as often as they changed cells."""
    path = PROFILE.replace("clean", "noisy")
    release = changed(copy, path, with_cell(7, "bmCompanyName", "Nobody"))
    (problem,) = noise_within_bounds(release)
    assert (problem.file, problem.row, problem.column, problem.value) == (path, 7, "bmCompanyName", "Nobody")
    clean = read_csv(copy / PROFILE)["bmCompanyName"][5]
    assert f"the clean cell is {clean!r}" in problem.expected


def test_noise_that_is_gone_is_noticed(copy: Path) -> None:
    """A noisy table without its noise has fewer changes than the report tells of, and other records."""
    path = STATUS.replace("clean", "noisy").replace("status_detail", "status")
    shutil.copy(copy / STATUS.replace("status_detail", "status"), copy / path)
    found = places(noise_within_bounds(opened(copy, DATACLAW_18)))
    assert {(file, column) for file, _, column, _ in found} >= {
        (path, "value"),
        (path, "targetUnit"),
        (path, "targetName"),
    }


def _crlf(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    ("change", "row", "expected"),
    [
        (_crlf, 1, "as the dialect has it"),
        (lambda content: content.replace(b"\n", b",\n", 3).replace(b",\n", b"\n", 2), 3, "as the header has"),
        (lambda content: content[:200] + b"\xff" + content[200:], 0, "UTF-8"),
        (lambda content: content + b'"', 0, "quotes"),
        (lambda _content: b"", 0, "expected a table"),
        (lambda content: content.replace(b"id", b"Id", 1), 1, "expected 'id'"),
        (lambda content: content[: content.rindex(b"\n", 0, -1) + 1], 0, "the manifest states"),
    ],
    ids=["line ends", "a field more", "encoding", "a quote", "nothing", "a header", "a record less"],
)
def test_a_table_that_is_written_otherwise_is_named(
    copy: Path, change: Callable[[bytes], bytes], row: int, expected: str
) -> None:
    """Header, dialect, encoding and records; the place is the first that differs."""
    file = copy / PROFILE
    file.write_bytes(change(file.read_bytes()))
    problems = list(as_written(opened(copy, DATACLAW_18)))
    assert {problem.file for problem in problems} == {PROFILE}
    assert any(expected in str(problem) and (not row or problem.row == row) for problem in problems), problems


LEFT_OVER = {
    "clean/reports/report.html": (b"-----BEGIN PRIVATE KEY-----\n", "no private key"),
    "noisy/database/internal_metrics.csv": (b"-----BEGIN OPENSSH PRIVATE KEY-----\n", "no private key"),
    "clean/reports/ks.html": (b"see /home/ann/silt/raw", "no path of a machine"),
    "noisy/reports/ks.html": (rb"see C:\Users\ann", "no path of a machine"),
    "clean/identity_map.enc": (b"", "named like the curator's"),
    "clean/reports/release.key": (b"", "named like the curator's"),
}


def test_what_is_left_over_is_named(copy: Path) -> None:
    """Keys, paths of a machine and the curator's files, each once, and nothing else."""
    for path, (content, _) in LEFT_OVER.items():
        with (copy / path).open("ab") as file:
            file.write(b"\n" + content)
    problems = {problem.file: problem.expected for problem in nothing_left_over(opened(copy, DATACLAW_18))}
    assert problems.keys() == LEFT_OVER.keys()
    assert all(expected in problems[path] for path, (_, expected) in LEFT_OVER.items())


def _set(report: Any, at: tuple[str | int, ...], value: object) -> None:
    for step in at[:-1]:
        report = report[step]
    report[at[-1]] = value


WRONG: Mapping[str, tuple[str, tuple[str | int, ...], object]] = {
    "a number of rejected tests": ("ks", ("rejected",), 3),
    "the size of a sample": ("ks", ("tests", 0, "n_anonymised"), 4321),
    "a rate of an attack": ("privacy", ("attacks", 0, "rate"), 0.125),
    "a verdict on attacks": ("privacy", ("passed",), False),
    "records of a table": ("expectations", ("tables", 0, "records"), 7),
    "expectations that were met": ("expectations", ("met",), 7),
    "a statement across domains": ("consistency", ("chain", 1, "cells"), 7),
}


def test_figures_of_reports_that_do_not_follow_are_named(copy: Path) -> None:
    """The report and the field of each."""
    wrong = set()
    for name, at, value in WRONG.values():
        path = f"clean/reports/{name}.json"
        report = json.loads((copy / path).read_bytes())
        _set(report, at, value)
        (copy / path).write_text(json.dumps(report, ensure_ascii=False))
        wrong.add((path, ".".join(map(str, at))))
    told = {(path, column) for path, _, column, _ in places(agree_with_files(opened(copy, DATACLAW_18)))}
    assert wrong <= told


def test_noise_reported_otherwise_is_named(copy: Path) -> None:
    """A rule's number that differs from that of the expectations, and an example that no cell shows."""
    file = copy / "noisy/reports/noise.json"
    report = json.loads(file.read_bytes())
    place = next(n for n, rule in enumerate(report["rules"]) if rule["cells"])
    report["rules"][place]["cells"] += 1
    report["examples"][0] |= {"before": "nowhere", "after": "nowhere either"}
    file.write_text(json.dumps(report, ensure_ascii=False))
    told = {column for path, _, column, _ in places(agree_with_files(opened(copy, DATACLAW_18)))}
    assert {f"rules.{place}.cells", "examples.0"} <= told


def test_forms_of_reports_are_checked(copy: Path) -> None:
    """A report of another form, and one that is no report."""
    report = copy / "clean/reports/ks.json"
    report.write_text(json.dumps(json.loads(report.read_bytes())))
    (copy / "noisy/reports/privacy.json").write_text('{"passed": "yes"}')
    release = opened(copy, DATACLAW_18)
    assert {problem.file for problem in of_their_types(release)} == {
        "clean/reports/ks.json",
        "noisy/reports/privacy.json",
    }


def test_content_that_no_check_expects_is_a_finding(copy: Path) -> None:
    """Whatever stands in manifest and reports, verifying ends with findings and never with a crash."""
    draw = Random(5)  # noqa: S311
    for file in [*copy.rglob("*.json")]:
        content = json.loads(file.read_bytes())
        if isinstance(content, dict) and content:
            content[draw.choice(sorted(content))] = draw.choice([None, 7, "x", [], [7], {"a": 1}])
            file.write_text(json.dumps(content))
    verified = verify(
        opened(copy, DATACLAW_18), [check for check in CHECKS if not check.needs or check.find is agree_with_files]
    )
    assert verified.problems
    assert not re.search(r"\w(?:Error|Exception)\b", verified.text())


def test_an_environment_that_declares_little_is_verified_as_far_as_it_goes(
    bench: Bench, shops_declared: Environment
) -> None:
    """Without domains and facts, what follows from the rest of the declaration is checked."""
    assert verify(opened(bench.release, shops_declared)).problems == []


@pytest.fixture
def shops_declared(bench: Bench) -> Environment:
    from silt.environments.registry import find_environment  # noqa: PLC0415

    return find_environment(bench.declaration)
