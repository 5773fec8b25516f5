"""Builds under `guarded`, and gates by what attacks found: what passes keeps its promises, what does not publishes nothing."""

import csv
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import polars as pl
import pytest

from pipeline.cli import main
from pipeline.environment.us_listed import KNOWN
from tests.integration.checks import apply_by_hand, escapes, published_bytes, report, rows_of
from tests.integration.conftest import SCALE, Build, run_silt
from tests.integration.refusals import DAGSTERS_OWN_WARNING, ended, last_build
from tests.pages import text_of
from validation.attacks.limits import LINKAGE, ORDER, TARGET
from validation.attacks.linkage import LARGEST_CONTRIBUTOR, OWNER

TABLES = {
    name: Path(f"{name}.csv")
    for name in ("company_profile", "company_figures", "sector_aggregates", "state_aggregates", "metric_definitions")
}
REGISTER = ("sector", "sub_industry", "state", "country", "year_added")
"""Columns of the published profile that a register has."""

FULLEST_YEAR = 2015
"""Year with most records of the real tables, in which the attacks look."""

Record = Mapping[str, Decimal]
"""Figure by measure."""


def write_key(folder: Path) -> Path:
    """Write a release key, the same each time: what is asserted of rates is then the same each time."""
    key = folder / "release.key"
    key.write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    return key


def build_real(folder: Path, raw: Path, *variants: str) -> Build:
    settings = ["--environment", "us-listed", "--raw", raw, "--policy", "guarded", "--key-file", write_key(folder)]
    done = run_silt("build", *variants, *settings, cwd=folder)
    assert done.returncode == 0, done.stderr
    return Build(raw=raw, folder=folder / "environments" / "us-listed")


@pytest.fixture(scope="module")
def real_guarded(tmp_path_factory: pytest.TempPathFactory, real_tables: Path) -> Build:
    """Return a guarded build of both variants of us-listed from the real tables."""
    return build_real(tmp_path_factory.mktemp("us-guarded"), real_tables / "us_listed")


def raw_rows(file: Path) -> list[list[str]]:
    """Return the rows of a raw table, the header first."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.reader(opened))


def raw_records(build: Build) -> list[Record]:
    """Return the raw table's records, of which all have the figures that are asked for here."""
    header, *rows = raw_rows(build.raw / "fundamentals.csv")
    places = {name: header.index(name) for name in (*KNOWN[-1], "Total Equity", "Profit Margin")}
    return [{name: Decimal(row[place]) for name, place in places.items()} for row in rows]


def published_figures(build: Build) -> dict[tuple[str, int], dict[str, Decimal]]:
    """Return the published figures by company and year."""
    found: dict[tuple[str, int], dict[str, Decimal]] = {}
    for row in rows_of(build.clean / "database/company_figures.csv"):
        found.setdefault((row["code"], int(row["year"])), {})[row["measure"]] = Decimal(row["value"])
    return found


def has_balance(record: Record) -> bool:
    return record["Total Assets"] == record["Total Liabilities"] + record["Total Equity"]


def has_margin(record: Record) -> bool:
    margin = abs(100 * record["Net Income"] / record["Total Revenue"])
    return record["Profit Margin"] == margin.quantize(Decimal(1), ROUND_HALF_UP)


@pytest.mark.real
def test_every_gate_passed_under_the_policy(real_guarded: Build) -> None:
    """Both variants are there, all reports passed, nothing escaped; the page says what the report says."""
    for variant in (real_guarded.noisy, real_guarded.clean):
        privacy = report(variant, "privacy.json")
        assert all(report(variant, name)["passed"] for name in ("ks.json", "consistency.json", "privacy.json"))
        assert (privacy["policy"], privacy["escapes"]) == ("guarded", [])
        assert privacy["summary"] in text_of((variant / "reports/privacy.html").read_bytes())


@pytest.mark.real
def test_owners_and_contributors_are_seldom_named(real_guarded: Build) -> None:
    """By each set of known figures, the owner is named for 15 % of records at most, the largest contributor for 20 %."""
    attacks = report(real_guarded.clean, "privacy.json")["attacks"]
    owners, contributors = (
        [attack["rate"] for attack in attacks if attack["attack"] == name] for name in (OWNER, LARGEST_CONTRIBUTOR)
    )
    assert len(owners) == len(contributors) == len(KNOWN)
    assert max(owners) <= TARGET == 0.15
    assert max(contributors) <= 0.20


@pytest.mark.real
def test_the_rate_is_that_of_an_attack_on_the_files(real_guarded: Build) -> None:
    """Whoever links the published figures to the raw table by seven figures counts what the report says, by the plain way."""
    key = real_guarded.folder.parents[1] / "release.key"
    arguments = ["--environment", "us-listed", "--key-file", key, "--out", real_guarded.folder.parent]
    revealed = run_silt("reveal", *arguments, cwd=key.parent).stdout.splitlines()
    codes = {row["original"]: row["pseudonym"] for row in csv.DictReader(revealed) if row["kind"] == "code"}
    sectors = {row["code"]: row["sector"] for row in rows_of(real_guarded.clean / "database/company_profile.csv")}
    published = {
        code: record for (code, year), record in published_figures(real_guarded).items() if year == FULLEST_YEAR
    }
    originals = {codes[ticker]: record for ticker, record in raw_records_of_the_year(real_guarded).items()}
    assert originals.keys() == published.keys()
    right = 0
    for code, record in published.items():
        rivals = [other for other in originals if sectors[other] == sectors[code]]
        right += code == min(rivals, key=lambda other: math.dist(point(record), point(originals[other])))
    (told,) = (
        attack
        for attack in report(real_guarded.clean, "privacy.json")["attacks"]
        if attack["attack"] == OWNER and attack["knowledge"].startswith(", ".join(KNOWN[-1]))
    )
    assert (told["records"], told["successes"]) == (len(published), right)


def raw_records_of_the_year(build: Build) -> dict[str, Record]:
    """Return the raw records of the fullest year by ticker, by the year that the conformed table gave them."""
    conformed = pl.read_parquet(build.folder / "curator/stages/conformed/fundamentals.parquet")
    ends = conformed.filter(year=FULLEST_YEAR).select(
        "Ticker Symbol", pl.col("Period Ending").dt.strftime("%-m/%-d/%Y")
    )
    wanted = set(ends.iter_rows())
    header, *rows = raw_rows(build.raw / "fundamentals.csv")
    of_rows = zip(rows, raw_records(build), strict=True)
    places = header.index("Ticker Symbol"), header.index("Period Ending")
    return {row[places[0]]: record for row, record in of_rows if (row[places[0]], row[places[1]]) in wanted}


def point(record: Record) -> list[float]:
    values = [float(record[name]) for name in KNOWN[-1]]
    return [math.copysign(math.log1p(abs(value)), value) for value in values]


@pytest.mark.real
def test_five_companies_read_the_same(real_guarded: Build) -> None:
    """In the published profile at least five companies share all that a register says of each, in both variants' truth."""
    rows = rows_of(real_guarded.clean / "database/company_profile.csv")
    classes = Counter(tuple(row[column] for column in REGISTER) for row in rows)
    assert sum(classes.values()) == 505
    assert min(classes.values()) >= 5
    assert report(real_guarded.clean, "privacy.json")["quasi_identifiers"]["below"] == 0


@pytest.mark.real
def test_published_figures_break_identities_as_the_raw_ones_do(real_guarded: Build) -> None:
    """Counted by decimals: every margin follows, and as many balance sheets as in the raw table do not add up."""
    raw, published = raw_records(real_guarded), list(published_figures(real_guarded).values())
    assert len(raw) == len(published)
    assert all(map(has_margin, published))
    broken = sum(not has_balance(record) for record in raw)
    assert broken > 0
    assert sum(not has_balance(record) for record in published) == broken
    consistency = report(real_guarded.clean, "consistency.json")
    assert {entry["max_residual"] for entry in consistency["identities"]} == {0}
    assert {entry["only_published"] for entry in consistency["broken"]} == {0}
    (told,) = (entry for entry in consistency["broken"] if entry["identity"] == "Total Assets")
    assert (told["originals"], told["published"]) == (broken, broken)


@pytest.mark.real
def test_clean_and_ledger_make_noisy_under_the_policy(real_guarded: Build) -> None:
    """The ledger explains every difference, both ways."""
    ledger = pl.read_parquet(real_guarded.ledger)
    clean = {name: rows_of(real_guarded.clean / "database" / path) for name, path in TABLES.items()}
    noisy = {name: rows_of(real_guarded.noisy / "database" / path) for name, path in TABLES.items()}
    assert apply_by_hand(real_guarded.clean / "database", ledger, names=TABLES, is_undo=False) == noisy
    assert apply_by_hand(real_guarded.noisy / "database", ledger, names=TABLES, is_undo=True) == clean


@pytest.mark.real
def test_no_company_stands_in_the_guarded_files(real_guarded: Build) -> None:
    """No legal name of a company occurs in any published byte."""
    header, *rows = raw_rows(real_guarded.raw / "securities.csv")
    names = [row[header.index("Security")] for row in rows]
    for variant in (real_guarded.noisy, real_guarded.clean):
        assert escapes(variant, names) == []


@pytest.mark.real
@pytest.mark.parametrize("is_shuffled", [False, True], ids=["again", "shuffled"])
def test_the_same_key_gives_the_same_files(real_guarded: Build, tmp_path: Path, *, is_shuffled: bool) -> None:
    """Built again elsewhere, from rows in another order as well, every table has the same bytes, and so has every report.

    Of shuffled rows the attack on orders compares with another order, and its report tells of that.
    """
    raw = tmp_path / "raw"
    raw.mkdir()
    for name in ("securities.csv", "fundamentals.csv"):
        header, *rows = raw_rows(real_guarded.raw / name)
        ordered = pl.Series(rows).sample(fraction=1, shuffle=True, seed=1).to_list() if is_shuffled else rows
        with (raw / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *ordered])
    again = published_bytes(build_real(tmp_path, raw, "clean").clean)
    before = published_bytes(real_guarded.clean)
    assert again.keys() == before.keys()
    differing = {path for path, content in before.items() if again[path] != content}
    assert differing <= ({"reports/privacy.json", "reports/privacy.html"} if is_shuffled else set())
    assert without_orders(again) == without_orders(before)


def without_orders(published: Mapping[str, bytes]) -> object:
    privacy = json.loads(published["reports/privacy.json"])
    return privacy | {"attacks": [attack for attack in privacy["attacks"] if attack["family"] != ORDER]}


def failed_families(attacks: Path) -> set[str]:
    """Return the families of which an attack was over its limit, from what is kept with the curator."""
    kept = json.loads(attacks.read_text(encoding="utf-8"))
    return {attack["family"] for attack in kept["attacks"] if not attack["passed"]}


def test_too_few_firms_to_hide_among_publish_nothing(corpus: Path) -> None:
    """Of 138 firms of many industries too many are named however they are mixed: status 1, the reports are the curator's."""
    done = run_silt("build", "--scale", SCALE, "--policy", "guarded", "--out", "guarded", cwd=corpus)
    assert done.returncode == 1
    assert "attacks_stay_within_limits" in done.stderr
    assert "so nothing is published; the reports are in guarded/dataclaw-18/curator/refused/reports" in done.stderr
    folder = corpus / "guarded/dataclaw-18"
    assert {path.name for path in folder.iterdir() if not path.name.startswith(".")} == {"curator"}
    assert LINKAGE in failed_families(folder / "curator/refused/reports/attacks.json")


@pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)
def test_three_shops_cannot_be_mixed(shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Fewer firms than go into a mixture: status 2 and what to do, the last build stands."""
    before = last_build(shops)
    said = ended([*example, "--policy", "guarded", "--key-file", write_key(Path())], capsys)
    assert "3 firms report figures: the policy 'guarded' rebuilds each from 5 others" in said.printed
    assert said.names_nobody()
    assert last_build(shops) == before


MANY = 60
"""Shops, as many as it takes to see an order."""

SIZES = [round(70_000 * 1.1**i) for i in range(MANY)]
"""Profit of each in euros, so far apart that the digits drawn anew leave their distribution as it is."""

KEYED_ORDER = '.sort(truth.order.mac(pl.lit("shops"), "shop"))'
"""How the example's declaration renders `shops.csv`: in a keyed order."""


@pytest.fixture
def many_shops(shops: Path) -> Path:
    """Put sixty shops in place of the example's three; return where their build goes, where there is none yet."""
    write_rows(
        Path("shops/shops.csv"),
        ["shop", "name", "trade", "town", "opened"],
        ([f"A{i}", f"Old Mill Road Shop {i}", ("Bakery", "Bicycles")[i % 2], "Ulm", "3/4/1998"] for i in range(MANY)),
    )
    write_rows(
        Path("shops/accounts.csv"),
        ["shop", "year", "sales", "costs", "profit", "margin"],
        ([f"A{i}", "2023", f"{3 * euros}.60", f"{2 * euros}.40", f"{euros}.20", ""] for i, euros in enumerate(SIZES)),
    )
    declaration = Path("shops.py")
    text = declaration.read_text(encoding="utf-8")
    declaration.write_text(text.replace(r"([AB]\d)", r"([AB]\d+)"), encoding="utf-8")
    return shops.parents[1] / "many" / shops.name


def write_rows(file: Path, header: list[str], rows: Iterable[list[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([header, *rows])


@pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)
def test_an_order_that_leaks_is_refused_under_every_policy(
    many_shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows published as they came: status 1, nothing published, the attack told to the curator; mended, it is built."""
    declaration = Path("shops.py")
    text = declaration.read_text(encoding="utf-8")
    assert KEYED_ORDER in text
    declaration.write_text(text.replace(KEYED_ORDER, ""), encoding="utf-8")
    many = [*example, "--out", "many", "--key-file", str(write_key(Path()))]
    said = ended(many, capsys, status=1)
    assert "refused by attacks_stay_within_limits, so nothing is published" in said.printed
    assert said.names_nobody("Old Mill Road")
    assert {path.name for path in many_shops.iterdir() if not path.name.startswith(".")} == {"curator"}
    assert failed_families(many_shops / "curator/stages/reports/attacks.txt") == {ORDER}
    declaration.write_text(text, encoding="utf-8")
    assert main(many) == 0
    assert report(many_shops / "clean", "privacy.json")["passed"]
