"""Builds under `guarded`, and gates by what attacks found: what passes keeps its promises, what does not publishes nothing.

What an outsider finds in the files is counted twice: by the audit, and here by one who knows nothing of it (`outsider.py`).
"""

import csv
import json
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import polars as pl
import pytest
from scipy.stats import binom

from pipeline.places import CURATOR
from silt.cli import main
from silt.environments.us_listed import KNOWN, US_LISTED
from tests.conftest import REAL_TABLES
from tests.integration.checks import escapes, report, rows_of
from tests.integration.conftest import Build, run_silt, write_key
from tests.integration.many_shops import write_many_shops
from tests.integration.outsider import (
    YEARS,
    Outsider,
    assigned,
    nearest,
    outsider,
    same_category,
    same_size,
    same_years,
)
from tests.integration.refusals import DAGSTERS_OWN_WARNING, ended, last_build
from tests.pages import text_of
from tests.stages import table
from tests.stats import ALPHA
from validation.attacks.limits import ORDER
from validation.attacks.records.linkage import OWNER

pytestmark = pytest.mark.slow

TABLES = {
    name: Path(f"{name}.csv")
    for name in ("company_profile", "company_figures", "sector_aggregates", "state_aggregates", "metric_definitions")
}
CATEGORIES = ("sub_industry", "state", "country", "year_added")
"""Columns of the published profile that a register has, besides the sector."""

FULLEST_YEAR = 2015
"""Year with most records of listed companies, in which the audit looks."""

RARELY = 1e-3
"""Level of tests by permutation, six of them on one release under a fixed key."""

HIGHEST_SHARE_BLANK = {"state": 0.40, "sub_industry": 0.20}

Record = Mapping[str, Decimal]
"""Figure by measure."""


def raw_rows(file: Path) -> list[list[str]]:
    """Return the rows of a raw table, the header first."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.reader(opened))


def published_figures(build: Build) -> dict[tuple[str, int], dict[str, Decimal]]:
    """Return the published figures by company and year."""
    found: dict[tuple[str, int], dict[str, Decimal]] = {}
    for row in rows_of(build.clean / "database/company_figures.csv"):
        found.setdefault((row["code"], int(row["year"])), {})[row["measure"]] = Decimal(row["value"])
    return found


def seen_of(build: Build, key: Path) -> Outsider:
    """Return what an outsider has: files and raw tables; of the curator's the map, to count by, and each row's fiscal year."""
    arguments = ["--environment", "us-listed", "--key-file", key, "--out", build.folder.parent]
    revealed = run_silt("reveal", *arguments, cwd=key.parent).stdout.splitlines()
    codes = {row["original"]: row["pseudonym"] for row in csv.DictReader(revealed) if row["kind"] == "code"}
    conformed = table(build.folder, "conformed", "fundamentals")
    ends = conformed.select("Ticker Symbol", pl.col("Period Ending").cast(pl.String), "year")
    years = {(code, end): year for code, end, year in ends.iter_rows()}
    return outsider(build.clean / "database", build.raw, codes, years)


@pytest.fixture(scope="module")
def seen(listed_guarded: Build) -> Outsider:
    return seen_of(listed_guarded, listed_guarded.folder.parents[1] / "release.key")


# what is published ----------------------------------------------------------------------------------------------------


def test_every_gate_passed_under_the_policy(listed_guarded: Build) -> None:
    """Both variants are there, all reports passed, nothing escaped; the page says what the report says."""
    for variant in (listed_guarded.noisy, listed_guarded.clean):
        privacy = report(variant, "privacy.json")
        names = ("ks.json", "distributions.json", "consistency.json", "privacy.json", "expectations.json")
        assert {name: report(variant, name)["passed"] for name in names} == dict.fromkeys(names, True)
        assert (privacy["policy"], privacy["escapes"]) == ("guarded", [])
        assert privacy["summary"] in text_of((variant / "reports/privacy.html").read_bytes())


def test_published_reports_compare_with_fresh_draws(listed_guarded: Build) -> None:
    """The curator has the same reports about the originals, which count; published ones hold no count of these."""
    of_curator = listed_guarded.folder / CURATOR
    for name in ("ks.json", "distributions.json", "consistency.json"):
        published, own = report(listed_guarded.clean, name), report(of_curator, name)
        assert published["compared_with"] == "fresh draws from the published statistics"
        assert published["passed"]
        assert own.keys() == published.keys() - {"compared_with"}
        # How many samples are large enough to be shown equivalent is told, and refuses nothing.
        assert own["passed"] or name == "distributions.json"
    published, own = report(listed_guarded.clean, "privacy.json"), report(of_curator, "privacy.json")
    assert len(published["attacks"]) == len(own["attacks"])
    assert {tuple(each) for each in published["attacks"]} == {("attack", "knowledge", "family", "limit", "passed")}
    assert len(published["doors"]) == 3
    assert report(listed_guarded.clean, "../manifest.json")["treated"] == []
    pages = [text_of((folder / "reports/report.html").read_bytes()) for folder in (listed_guarded.clean, of_curator)]
    assert ["Compared with fresh draws" in page for page in pages] == [True, False]
    found = re.findall('href="([.][.]/.*?)"', (of_curator / "reports/report.html").read_text(encoding="utf-8"))
    assert found
    assert all((of_curator / "reports" / each).is_file() for each in found)


@pytest.mark.parametrize("column", CATEGORIES)
def test_categories_are_of_the_vocabulary_and_seldom_blank(listed_guarded: Build, column: str) -> None:
    """Every category is declared to be known to everybody, and no more are blank than was promised."""
    rows = rows_of(listed_guarded.clean / "database/company_profile.csv")
    counts = Counter(row[column] for row in rows)
    blank = counts.pop("", 0)
    assert set(counts) <= known_to_everybody(column)
    assert len(rows) == 505
    assert blank <= HIGHEST_SHARE_BLANK.get(column, 1) * len(rows)


def known_to_everybody(column: str) -> set[str]:
    declared = US_LISTED.quasi_identifiers
    assert declared is not None
    raw = {"sub_industry": "GICS Sub Industry", "country": "Country"}.get(column, column)
    [known] = [item.known for item in declared.dealt if item.column == raw]
    groups = known.values() if isinstance(known, Mapping) else [known]
    return {str(value) for values in groups for value in values}


def test_published_figures_keep_identities_to_the_last_digit(listed_guarded: Build) -> None:
    """Counted by decimals: every margin follows, and the balance sheets that do not add up are as many as the report says."""
    published = list(published_figures(listed_guarded).values())
    consistency = report(listed_guarded.clean, "consistency.json")
    assert {entry["max_residual"] for entry in consistency["identities"]} == {0}
    assert {entry["only_published"] for entry in consistency["broken"]} == {0}
    (told,) = (entry for entry in consistency["broken"] if entry["identity"] == "Total Assets")
    with_revenue = [record for record in published if record["Total Revenue"]]
    assert len(with_revenue) > 0.95 * len(published)
    assert all(map(has_margin, with_revenue))
    assert sum(not has_balance(record) for record in published) == told["published"] > 0


def has_balance(record: Record) -> bool:
    return record["Total Assets"] == record["Total Liabilities"] + record["Total Equity"]


def has_margin(record: Record) -> bool:
    margin = abs(100 * record["Net Income"] / record["Total Revenue"])
    return record["Profit Margin"] == margin.quantize(Decimal(1), ROUND_HALF_UP)


def test_no_company_stands_in_the_guarded_files(listed_guarded: Build) -> None:
    """No legal name of a company occurs in any published byte."""
    names = [row[1] for row in raw_rows(listed_guarded.raw / "securities.csv")[1:]]
    for variant in (listed_guarded.noisy, listed_guarded.clean):
        assert escapes(variant, names) == []


def test_what_the_release_knows_is_published(listed_guarded: Build) -> None:
    """`model.json` lists every statistic, the same in both variants, and holds no code or name of a company."""
    text, again = (
        (variant / "reports/model.json").read_text() for variant in (listed_guarded.clean, listed_guarded.noisy)
    )
    assert text == again
    model = json.loads(text)
    passed = model["account"]["statistics"]
    assert sum(each["rho"] for each in passed) == pytest.approx(model["account"]["spent"], rel=1e-4)
    assert model["account"]["spent"] <= model["account"]["budget"] == 10
    identifying = {cell for row in raw_rows(listed_guarded.raw / "securities.csv")[1:] for cell in row[:2]}
    assert not identifying & set(strings_of(model))
    assert [row[1] for row in raw_rows(listed_guarded.raw / "securities.csv")[1:] if row[1] in text] == []


def strings_of(value: object) -> Iterator[str]:
    """Yield every string in a document, keys of objects among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from strings_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_of(part)


# what an outsider finds -----------------------------------------------------------------------------------------------


def test_the_rate_is_that_of_an_attack_on_the_files(listed_guarded: Build, seen: Outsider) -> None:
    """Whoever links the published figures to the raw table by seven figures counts what the report says, by the plain way."""
    found = nearest(seen, KNOWN[-1], [FULLEST_YEAR])
    (told,) = (
        attack
        for attack in report(listed_guarded.folder / CURATOR, "privacy.json")["attacks"]
        if attack["attack"] == OWNER and attack["knowledge"].startswith(", ".join(KNOWN[-1]))
    )
    assert (told["records"], told["successes"]) == (found.records, found.right)
    assert told["chance"] == pytest.approx(found.expected / found.records)


@pytest.mark.parametrize("year", YEARS)
def test_the_nearest_company_is_the_owner_by_chance_alone(seen: Outsider, year: int) -> None:
    """By seven figures, in each year, the owner is named no more often than by guessing (exact binomial)."""
    found = nearest(seen, KNOWN[-1], [year])
    assert found.records > (100 if REAL_TABLES.is_dir() else 80)
    assert found.p_value > ALPHA


def test_the_best_assignment_of_all_records_is_right_by_chance_alone(seen: Outsider) -> None:
    """Of all figures of all years, with one owner for each record, no more owners are named than by guessing."""
    found = assigned(seen)
    assert found.records > 350
    assert found.p_value > ALPHA


def test_the_same_attackers_name_owners_under_lsd(listed: Build) -> None:
    """The controls: where figures are the owner's but for low digits, both attackers name nearly all."""
    found = seen_of(listed, listed.folder.parents[1] / ".silt/us-listed.lsd.key")
    for named in (nearest(found, KNOWN[-1], YEARS), assigned(found)):
        assert named.right > 0.95 * named.records > 300
    assert same_size(found) < RARELY
    assert same_years(found) < RARELY


@pytest.mark.parametrize("column", CATEGORIES)
def test_no_category_is_the_owners(seen: Outsider, column: str) -> None:
    """Within a sector as many records have their owner's category as of owners that are exchanged (permutation)."""
    assert same_category(seen, column) > RARELY


def test_no_year_is_the_owners(seen: Outsider) -> None:
    """Nor are the years that a record reports its owner's."""
    assert same_years(seen) > RARELY


def test_no_size_is_the_owners(seen: Outsider) -> None:
    """Nor do large firms have large records, over all measures."""
    assert same_size(seen) > RARELY


# prose, and few firms -------------------------------------------------------------------------------------------------

CORE = "database/enterprise/company_core.csv"
NUMBER = r"[0-9０-９]+(?:[.,，][0-9]+)*%?"
LONG = re.compile(r"[\u4e00-\u9fff@#]{15,}")
"""A clause: Chinese characters without a mark between them, names and numbers masked."""


def clauses(text: str, names: Iterable[str]) -> set[str]:
    """Return the clauses of a text, with every name and number masked."""
    masked = text
    for name in names:
        masked = masked.replace(name, "@")
    return set(LONG.findall(re.sub(NUMBER, "#", masked)))


def test_no_sentence_is_the_owners(small_guarded: Build) -> None:
    """Clauses that one original alone has stand in its own record by chance alone, names and numbers masked in both.

    The corpus was written by the grammar that writes anew, which gives some clauses again: to other firms as well.
    """
    profile = pl.read_parquet(small_guarded.raw / "company_profile.parquet")
    theirs = named(dict(profile.select("bmCode", "bmCompanyName").iter_rows()))
    rows = rows_of(small_guarded.clean / "database/enterprise/company_profile.csv")
    ours = named({row["bmCode"]: row["bmCompanyName"] for row in rows})
    original = {
        code: clauses(text, theirs[code])
        for code, text in pl.read_parquet(small_guarded.raw / "company_core.parquet")
        .select("bmCode", "bmCoreVieContent")
        .drop_nulls()
        .iter_rows()
        if code in theirs
    }
    held = Counter(clause for found in original.values() for clause in found)
    owner = {clause: code for code, found in original.items() for clause in found if held[clause] == 1}
    done = run_silt("reveal", "--out", small_guarded.folder.parent, cwd=small_guarded.folder)
    codes = {
        row["original"]: row["pseudonym"] for row in csv.DictReader(done.stdout.splitlines()) if row["kind"] == "code"
    }
    industry = {codes[row["bmCode"]]: row["industry"] for row in profile.iter_rows(named=True)}
    texts = {
        row["bmCode"]: clauses(row["bmCoreVieContent"], ours[row["bmCode"]])
        for row in rows_of(small_guarded.clean / CORE)
    }
    written = Counter(industry[code] for code in texts)
    chances, own = [], 0
    for code, found in texts.items():
        for clause in found & owner.keys():
            whose = codes[owner[clause]]
            if industry[whose] == industry[code] and written[industry[code]] > 1:
                chances.append(1 / written[industry[code]])
                own += whose == code
    assert len(owner) > 500
    assert binom.sf(own - 1, len(chances), sum(chances) / max(len(chances), 1)) > ALPHA


def named(names: Mapping[str, str]) -> dict[str, list[str]]:
    """Return by code what a text calls the firm: its legal name, and that without the legal form."""
    forms = ("股份有限公司", "有限责任公司", "有限公司", "集团")
    found = {}
    for code, name in names.items():
        short = name
        for form in forms:
            short = short.replace(form, "")
        found[code] = [name, short]
    return found


def test_a_hundred_firms_are_built(small_guarded: Build) -> None:
    """Of 138 firms of many industries every gate passes, in both variants, and the model is the curator's alone."""
    for variant in (small_guarded.noisy, small_guarded.clean):
        names = ("ks.json", "distributions.json", "consistency.json", "privacy.json", "expectations.json")
        assert {name: report(variant, name)["passed"] for name in names} == dict.fromkeys(names, True)
    for name in ("ks.json", "privacy.json", "report.html"):
        assert stat.S_IMODE((small_guarded.folder / CURATOR / "reports" / name).stat().st_mode) == 0o600


@pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)
def test_three_shops_have_no_statistics(shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Too few firms for any statistic of them: status 2, how many there are and what to do; the last build stands.

    That the key which it made may go is said at the end, and nowhere that it is to be kept.
    """
    before = last_build(shops)
    said = ended([*example, "--policy", "guarded"], capsys)
    assert re.search(
        r"too few firms for 'guarded'; about \d+ are enough .*\. Only 3 report figures\. Give more firms", said.printed
    )
    key, first, following = said.printed.splitlines()[-3:]
    assert "\n  made       .silt/shops.guarded.key: the release key\n" in said.printed
    assert key == "  key        .silt/shops.guarded.key: nothing is published under it, so you may delete it"
    assert "keep it" not in said.printed
    assert first == "  first      mend what is said above, then:"
    assert re.fullmatch("  next       silt build .*--policy guarded", following)
    assert said.names_nobody()
    assert last_build(shops) == before


def failed_families(attacks: Path) -> set[str]:
    """Return the families of which an attack was over its limit, from what is kept with the curator."""
    kept = json.loads(attacks.read_text(encoding="utf-8"))
    return {attack["family"] for attack in kept["attacks"] if attack["passed"] is False}


KEYED_ORDER = '.sort(truth.order.mac(pl.lit("shops"), "shop"))'
"""How the example's declaration renders `shops.csv`: in a keyed order."""


@pytest.fixture
def many_shops(shops: Path) -> Path:
    """Put sixty shops in place of the example's three; return where their build goes, where there is none yet."""
    write_many_shops(Path())
    return shops.parents[1] / "many" / shops.name


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
    assert "refused by attacks_stay_within_limits, so nothing is published\n" in said.printed
    assert re.search(
        r"not shown to keep (its|their) limit\. Rows stand in an order like one of the originals\.", said.printed
    )
    over = "order of shops, rows, knowing every column of the raw tables, and the order of their rows: found "
    assert re.search(rf"\n  over       {over}\d+ of \d+ \([\d.]+%\); guessing .+; allowed: no success\n", said.printed)
    assert said.names_nobody("Old Mill Road")
    assert {path.name for path in many_shops.iterdir() if path.is_dir()} == {"curator"}
    assert failed_families(many_shops / "curator/refused/reports/attacks.json") == {ORDER}
    declaration.write_text(text, encoding="utf-8")
    assert main(many) == 0
    assert report(many_shops / "clean", "privacy.json")["passed"]
