"""One's own tables: the tutorial's example, followed to the letter, is built and keeps the promises."""

import csv
import json
import re
import shutil
import stat
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from pipeline.conform.treated import Treated, lines
from tests.integration.checks import cells, escapes, rows_of
from tests.integration.conftest import PRINTED, run_silt
from tests.integration.readme import example_commands, example_files, printed_lines
from tests.integration.refusals import SHOP_NAMES
from tests.pages import text_of

SHOPS = Path("environments/shops")


def test_example_has_all_its_files() -> None:
    """The tutorial shows four tables, a declaration and a specification, each with its path."""
    tables = [f"shops/{name}.csv" for name in ("shops", "aliases", "accounts", "deliveries")]
    assert list(example_files()) == [*tables, "shops.py", "shops.yaml"]


@pytest.fixture(scope="module")
def built_example(built_example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy, in which commands are run."""
    return Path(shutil.copytree(built_example, tmp_path_factory.mktemp("example"), dirs_exist_ok=True))


def test_every_command_of_the_tutorial_is_run(built_example: Path) -> None:
    """One after the other, as they stand there; after the build they find what it made."""
    commands = example_commands()
    assert [command[0] for command in commands] == ["build", "audit", "reveal", "noise"]
    for command in commands:
        done = run_silt(*command, cwd=built_example)
        assert done.returncode == 0, done.stderr


def test_what_was_treated_is_reported(built_example: Path) -> None:
    """The build printed the tutorial's lines, and the manifest has the same counts."""
    told = [
        line
        for line in (built_example / PRINTED).read_text(encoding="utf-8").splitlines()
        if line.endswith((" time", " times")) or "dropped, since" in line
    ]
    assert told == printed_lines()
    manifest = json.loads((built_example / SHOPS / "clean/manifest.json").read_bytes())
    assert list(lines(Treated(**each) for each in manifest["treated"])) == told


def test_names_codes_and_aliases_are_replaced_in_texts(built_example: Path) -> None:
    """Each text speaks of the shops by their pseudonyms; what names nobody is as it was."""
    folder = built_example / SHOPS / "clean/database"
    done = run_silt("reveal", "--environment", "shops.py:SHOPS", cwd=built_example)
    known = list(csv.reader(done.stdout.splitlines()[1:]))
    now = {original: pseudonym for kind, original, pseudonym in known if kind != "name of code"}
    about = {row["shop"]: row["about"] for row in rows_of(folder / "shops.csv")}
    assert about == {
        now["A1"]: f"Bakes for {now['A2']} and for weddings.",
        now["A2"]: f"Everybody calls it {now['Loafers']}. Its rolls are from {now['Miller & Daughter']}.",
        now["B1"]: "Repairs while you wait.",
    }


def test_command_names_what_the_reader_wrote(example: list[str]) -> None:
    """The `make` line calls `silt build` for both variants with the reader's own files."""
    assert example[:3] == ["build", "noisy", "clean"]
    assert {"shops.py:SHOPS", "shops", "shops.yaml"} <= set(example)


@pytest.mark.parametrize("variant", ["noisy", "clean"])
def test_published_tables_are_the_declared_ones(built_example: Path, variant: str) -> None:
    """Columns and the number of rows are those of the declaration and the reader's tables."""
    database = built_example / SHOPS / variant / "database"
    assert sorted(path.name for path in database.iterdir()) == ["accounts.csv", "deliveries.csv", "shops.csv"]
    shops, accounts, deliveries = (rows_of(database / f"{name}.csv") for name in ("shops", "accounts", "deliveries"))
    assert list(shops[0]) == ["shop", "name", "trade", "town", "opened", "about"]
    assert list(accounts[0]) == ["id", "shop", "year", "delivered", "sales", "costs", "profit", "margin"]
    assert list(deliveries[0]) == ["shop", "slip", "day", "value"]
    assert (len(shops), len(accounts), len(deliveries)) == (3, 4, 5)


def test_no_raw_name_or_code_is_published(built_example: Path) -> None:
    """No name stands anywhere under both variants, no code where codes stand, and the shops are still told apart."""
    for variant in ("noisy", "clean"):
        folder = built_example / SHOPS / variant
        assert escapes(folder, SHOP_NAMES) == []
        codes = cells(folder, {"shop"})
        assert len(codes) == 3
        assert not codes & {"A1", "A2", "B1"}


def test_what_is_no_identifier_is_kept(built_example: Path) -> None:
    """Categories and years are as they were; figures keep their leading digits, and what was not there is not there."""
    database = built_example / SHOPS / "clean/database"
    assert sorted(row["trade"] + row["town"] for row in rows_of(database / "shops.csv")) == [
        "BakeryUlm",
        "BakeryUlm",
        "BicyclesBonn",
    ]
    accounts = rows_of(database / "accounts.csv")
    costs = sorted((row["year"], row["costs"][:3]) for row in accounts)
    assert costs == [("2023", "290"), ("2023", "802"), ("2023", "991"), ("2024", "301")]
    assert [row["year"] for row in accounts if not row["sales"]] == ["2024"]


def test_identities_hold_in_the_published_accounts(built_example: Path) -> None:
    """Sales are costs and profit, the margin is profit over sales, to the last cent and hundredth."""
    for row in rows_of(built_example / SHOPS / "clean/database/accounts.csv"):
        if row["sales"]:
            sales, costs, profit = (Decimal(row[name]) for name in ("sales", "costs", "profit"))
            assert sales == costs + profit
            assert Decimal(row["margin"]) == (100 * profit / sales).quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_deliveries_move_within_their_year_and_add_up_to_it(built_example: Path) -> None:
    """Values keep their leading digits, no day and no slip stays, and a year's deliveries are what it says was delivered."""
    database = built_example / SHOPS / "clean/database"
    before, after = rows_of(built_example / "shops/deliveries.csv"), rows_of(database / "deliveries.csv")
    was, now = ({row["value"][:3]: row["day"] for row in rows} for rows in (before, after))
    assert {value: day[:4] for value, day in was.items()} == {value: day[:4] for value, day in now.items()}
    assert not was.items() & now.items()
    assert sorted(row["slip"] for row in after) == ["1", "2", "3", "4", "5"]
    sums = defaultdict[tuple[str, str], Decimal](Decimal)
    for row in after:
        sums[row["shop"], row["day"][:4]] += Decimal(row["value"])
    assert sums == {(row["shop"], row["year"]): Decimal(row["delivered"]) for row in rows_of(database / "accounts.csv")}


def test_key_is_made_once_outside_the_output(built_example: Path) -> None:
    """The first build of real tables makes a key that is its owner's alone."""
    key = built_example / ".silt/shops.lsd.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert escapes(built_example / "environments/shops/noisy", [key.read_text(encoding="utf-8").strip()]) == []


def test_identity_map_is_revealed_to_who_has_the_key(built_example: Path) -> None:
    """`silt reveal` leads from the published codes and names back to the reader's own."""
    done = run_silt("reveal", "--environment", "shops.py:SHOPS", cwd=built_example)
    assert done.returncode == 0, done.stderr
    pairs = [line.split(",") for line in done.stdout.splitlines()[1:]]
    codes = {original: pseudonym for kind, original, pseudonym in pairs if kind == "code"}
    assert codes.keys() == {"A1", "A2", "B1"}
    assert set(codes.values()) == cells(built_example / SHOPS / "clean/database", {"shop"})
    names = {original: pseudonym for kind, original, pseudonym in pairs if kind == "name of code"}
    published = rows_of(built_example / SHOPS / "clean/database/shops.csv")
    assert {codes[code]: name for code, name in names.items()} == {row["shop"]: row["name"] for row in published}


def test_commands_of_reports_name_the_readers_file(built_example: Path) -> None:
    """The report names the declaration as the reader did, and the noise; other pages lead to it, and have one title."""
    reports = built_example / SHOPS / "noisy/reports"
    parts = [
        (reports / name).read_text(encoding="utf-8")
        for name in ("ks.html", "consistency.html", "privacy.html", "noise.html")
    ]
    assert all('href="report.html' in page for page in parts)
    assert len({heading for page in parts for heading in re.findall(r"<h1>.*?</h1>", page)}) == 1
    assert "this release" not in "".join(text_of(page.encode()) for page in parts)
    settings = "--environment shops.py:SHOPS --raw DIR --noise SPEC"
    assert f"silt build noisy clean {settings}" in text_of((reports / "report.html").read_bytes())
