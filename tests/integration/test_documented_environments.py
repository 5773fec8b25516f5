"""The examples of the pages in `docs/`: followed to the letter, each shows what its page says."""

import csv
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from io import StringIO
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from tests.integration.checks import rows_of
from tests.integration.conftest import built_page, run_silt
from tests.integration.readme import DECLARATION, PAGES, ROOT, example_command, example_files, write_example
from tests.shared_builds import SharedBuilds

Followed = Callable[[str], Path]


@pytest.fixture(scope="module")
def followed(builds: SharedBuilds, tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """Return what gives a copy of the folder in which a page's example was followed."""

    @cache
    def copy(name: str) -> Path:
        page = next(page for page in (DECLARATION, *PAGES) if page.stem == name)
        return Path(shutil.copytree(built_page(builds, page), tmp_path_factory.mktemp(name), dirs_exist_ok=True))

    return copy


def published(folder: Path, environment: str, table: str) -> list[dict[str, str]]:
    """Return the rows of a published table without noise."""
    return rows_of(folder / f"environments/{environment}/clean/database/{table}.csv")


def raw(folder: Path, path: str) -> list[dict[str, str]]:
    """Return the rows of a raw table."""
    with (folder / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def report(folder: Path, environment: str, name: str) -> Any:
    """Return a report of the variant without noise."""
    return json.loads((folder / f"environments/{environment}/clean/reports/{name}.json").read_bytes())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_have_an_example_and_its_command(page: Path) -> None:
    """Each page shows tables, a declaration and a specification, and builds them."""
    names = list(example_files(page))
    assert [Path(name).suffix for name in names][-2:] == [".py", ".yaml"]
    assert example_command(page)[:3] == ["build", "noisy", "clean"]
    assert any(argument.startswith(f"{names[-2]}:") for argument in example_command(page))


def test_the_smallest_example_is_built_and_opened(followed: Followed) -> None:
    """By the command, and again in Python: the tables there are those of the command, with their types."""
    folder = followed("declaration")
    assert list(example_files(DECLARATION))[-3:] == ["cafes.py", "cafes.yaml", "look.py"]
    books = published(folder, "cafes", "books")
    by_year = defaultdict[str, Decimal](Decimal)
    for row in books:
        by_year[row["year"]] += Decimal(row["sales"])
        assert Decimal(row["sales"]) == Decimal(row["costs"]) + Decimal(row["profit"])
    with chdir(folder), redirect_stdout(StringIO()) as printed:
        run_path("look.py")
    assert published(folder, "cafes", "books") == books
    shown = re.findall(r"│ (\d{4}) ┆ ([\d.]+) ", printed.getvalue())
    assert {year: Decimal(sales) for year, sales in shown} == by_year


def test_each_report_is_explained(followed: Followed) -> None:
    """Each file beside a database's has its row on the page on evidence, and each row is of such a file."""
    folder = followed("declaration") / "environments/cafes"
    found = {path.name for variant in ("noisy", "clean") for path in (folder / variant / "reports").iterdir()}
    table = (ROOT / "docs/evidence.md").read_text(encoding="utf-8").split("## The gates")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    long_tables = {"tables"}  # the cafes have none
    assert {name.rstrip("/") for row in rows for name in re.findall(r"`(.*?)`", row)} == found | long_tables


def test_annual_figures_are_the_published_sailings(followed: Followed) -> None:
    """Where a year is the sum of its sailings in the originals, it is that of the published ones; else it is its own."""
    folder = followed("events")
    counts, takings = defaultdict[tuple[str, str], int](int), defaultdict[tuple[str, str], Decimal](Decimal)
    for row in published(folder, "ferries", "sailings"):
        place = row["company"], row["sailed"][:4]
        counts[place] += 1
        takings[place] += Decimal(row["takings"] or 0)
    annual = published(folder, "ferries", "annual")
    assert {(row["company"], row["year"]): int(row["sailings"]) for row in annual} == counts
    differing = [
        row for row in annual if row["takings"] and Decimal(row["takings"]) != takings[row["company"], row["year"]]
    ]
    assert len(annual) == 5
    assert [row["takings"][:2] for row in differing] == ["70"]


def test_takings_of_a_sailing_are_passengers_times_fare(followed: Followed) -> None:
    """The product holds in every sailing in which its parts are there."""
    rows = published(followed("events"), "ferries", "sailings")
    whole = [row for row in rows if row["passengers"]]
    assert len(whole) == 6
    for row in whole:
        exact = Decimal(row["passengers"]) * Decimal(row["fare"])
        assert Decimal(row["takings"]) == exact.quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_reports_tell_of_events(followed: Followed) -> None:
    """The residuals of totals and of products are 0, attacks on events are listed, and so are tests of their figures."""
    folder = followed("events")
    residuals = {entry["identity"]: entry for entry in report(folder, "ferries", "consistency")["identities"]}
    assert {name: (entry["records"], entry["max_residual"]) for name, entry in residuals.items()} == {
        "sailings = number of sailings": (5, 0),
        "takings = sum of takings over sailings": (3, 0),
        "takings = passengers * fare": (6, 0),
    }
    attacks = [entry for entry in report(folder, "ferries", "privacy")["attacks"] if entry["family"] == "events"]
    assert {entry["attack"]: entry["limit"] for entry in attacks} == {
        "event figure unchanged": "reported only",
        "event time unchanged": "no success",
        "event number unchanged": "no better than guessing",
        "event copied whole": "reported only",
        "event alone of its kind, as it was": "at most 1%, but for chance",
        "owner of an event by its figures": "reported only",
        "owner of all events by their figures": "reported only",
        "owner by the days of events": "reported only",
        "owner by the number of events": "reported only",
    }
    assert len(report(folder, "ferries", "ks")["events"]["sailings"]["too_small"]) == 13


def test_quarters_are_published_and_growth_is_over_the_quarter_before(followed: Followed) -> None:
    """Quarters are as they were, and growth follows from the published figures."""
    folder = followed("periods")
    rows = published(folder, "mills", "books")
    assert sorted(row["quarter"] for row in rows) == sorted(row["quarter"] for row in raw(folder, "mills/books.csv"))
    before = {"2023Q1": "2022Q4", "2023Q2": "2023Q1"}
    yarn = {(row["mill"], row["quarter"]): row["yarn"] for row in rows}
    grown = [row for row in rows if row["growth"]]
    assert len(grown) == 3
    for row in grown:
        last = Decimal(yarn[row["mill"], before[row["quarter"]]])
        change = 100 * (Decimal(row["yarn"]) - last) / last
        assert Decimal(row["growth"]) == change.quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_audit_reads_quarters_back(followed: Followed) -> None:
    """`silt audit` finds every record by its quarter."""
    done = run_silt("audit", "clean", "--environment", "mills.py:MILLS", "--raw", "mills", cwd=followed("periods"))
    assert done.returncode == 0, done.stderr
    assert (
        "Read 3 entities (3 of the originals) and 7 records of figures.\n0 of 10 cells of figures could not be read"
        in done.stdout
    )


def test_what_is_no_quarter_is_refused(tmp_path: Path) -> None:
    """A period that is none is named with file, row and column."""
    write_example(tmp_path, next(page for page in PAGES if page.stem == "periods"))
    books = tmp_path / "mills/books.csv"
    books.write_text(books.read_text(encoding="utf-8").replace("2023Q2", "2023Q5", 1), encoding="utf-8")
    settings = ["--environment", "mills.py:MILLS", "--raw", "mills", "--noise", "mills.yaml"]
    done = run_silt("build", "clean", *settings, cwd=tmp_path)
    assert done.returncode == 2
    problems = (tmp_path / "environments/mills/curator/problems.txt").read_text(encoding="utf-8")
    assert "books.csv" in problems
    assert "a quarter of the calendar, written like 2023Q1" in problems


def test_products_and_formulas_hold_where_they_held(followed: Followed) -> None:
    """Turnover, fee and crates are worked out again; the stall whose books were wrong keeps figures of its own."""
    rows = published(followed("identities"), "stalls", "sales")
    wrong = []
    for row in rows:
        kilos = int(row["kilos"])
        assert int(row["crates"]) == -(-kilos // 24)
        if row["turnover"]:
            exact = (kilos * Decimal(row["price"]) / 1000).quantize(Decimal("0.01"), ROUND_HALF_UP)
            fee = int(Decimal(row["turnover"]) * 100) // 20
            wrong += [row["turnover"]] if Decimal(row["turnover"]) != exact else []
            assert (Decimal(row["turnover"]) != exact) == (int(Decimal(row["fee"]) * 100) != fee)
    assert wrong == ["31"]
