"""The escape scan on published folders: each of many planted escapes is found, with its place, and nothing else is."""

import csv
import html
import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import dagster as dg
import opencc
import polars as pl
import pytest

from pipeline.errors import WITHHELD
from tests.integration.checks import rows_of
from tests.integration.conftest import Build
from tests.integration.event_log import kept_by_dagster
from tests.integration.readme import ROOT
from tests.searched import search
from validation.escapes import Escape, Found, Identifiers, find_escapes_in_texts

CORE = "database/enterprise/company_core.csv"
PROFILE = "database/enterprise/company_profile.csv"
POLICY = "database/policy/policy_resource.csv"
CODE_COLUMNS = {CORE: ("bmCode",), PROFILE: ("bmCode",)}
RECORD = 2
"""The first record in which something is planted, the header being 1; the next is planted in the next."""


@dataclass(frozen=True)
class Company:
    """What the raw tables say about one company."""

    code: str
    name: str
    short: str
    english: str
    subsidiary: str
    product: str

    @property
    def digits(self) -> str:
        return self.code.split(".")[0]

    @property
    def suffix(self) -> str:
        return self.code.split(".")[1]


@pytest.fixture(scope="module")
def identities(small: Build) -> Identifiers:
    """Return all that the raw tables of the small build say of companies."""
    profiles = [pl.read_parquet(small.raw / f"{table}.parquet") for table in ("company_profile", "overseas_profile")]
    aliases = pl.read_parquet(small.raw / "company_alias.parquet")["alias"]
    codes = [code for profile in profiles for code in profile["bmCode"].unique(maintain_order=True)]
    return Identifiers(
        codes=tuple(codes),
        bare_codes=tuple(code.split(".")[0] for code in codes),
        names=tuple(name for profile in profiles for name in profile["bmCompanyName"]),
        aliases=tuple(aliases),
    )


@pytest.fixture(scope="module")
def company(small: Build) -> Company:
    """Return the first company whose code begins with a zero, and which has every kind of alias."""
    profile = pl.read_parquet(small.raw / "company_profile.parquet")
    aliases = pl.read_parquet(small.raw / "company_alias.parquet")
    by_kind = aliases.group_by("bmCode", "kind").agg(pl.col("alias").first()).pivot("kind", index="bmCode")
    known = profile.filter(pl.col("bmCode").str.starts_with("00")).join(by_kind.drop_nulls(), on="bmCode")
    row = known.sort("bmCode").row(0, named=True)
    kinds = {kind: row[kind] for kind in ("short", "english", "subsidiary", "product")}
    return Company(code=row["bmCode"], name=row["bmCompanyName"], **kinds)


@pytest.fixture
def variant(small: Build, tmp_path: Path) -> Path:
    """Return a copy of the clean variant, to plant in."""
    return copy_of(small.clean, tmp_path)


def copy_of(variant: Path, folder: Path) -> Path:
    """Copy a variant without its largest files, which are searched as they were built."""
    large = shutil.ignore_patterns(
        "*_industry_*", "company_operation_*", "company_figures*", "*_aggregates*", "ks.json"
    )
    return Path(shutil.copytree(variant, folder / "planted", ignore=large))


def scan(folder: Path, identities: Identifiers) -> tuple[Escape, ...]:
    return search(folder, identities, code_columns=CODE_COLUMNS).escapes()


def by_row(found: Found) -> set[Escape]:
    """Return what was found in tables with an escape for each row, not only with the first one and their number."""
    return {
        Escape(path, row, place.column, place.kind, 1)
        for path, in_file in found.files.items()
        for place in in_file.places
        for row in place.rows
    }


def plant_in_cells(folder: Path, path: str, plants: Iterable[tuple[str, Callable[[str], str]]]) -> None:
    """Change cells of a table, each in a record of its own: column, and what is written instead of a text; the rest stays."""
    rows = rows_of(folder / path)
    for place, (column, write) in enumerate(plants, RECORD - 2):
        rows[place][column] = write(rows[place][column])
    with (folder / path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def in_the_middle(planted: str) -> Callable[[str], str]:
    return lambda text: f"{text[: len(text) // 2]}，{planted}，{text[len(text) // 2 :]}"


def wide(text: str) -> str:
    return "".join(chr(ord(character) + 0xFEE0) if "!" <= character <= "~" else character for character in text)


def traditional(text: str) -> str:
    return str(opencc.OpenCC("s2t").convert(text))


PROSE = [(CORE, "bmCoreVieContent"), (POLICY, "content")]
"""Tables with prose, and the column."""

IN_PROSE: dict[str, tuple[str, Callable[[Company], str]]] = {
    "name as it is": ("name", lambda company: company.name),
    "name without its legal form": ("name", lambda company: company.name.removesuffix("股份有限公司")),
    "short name": ("alias", lambda company: company.short),
    "subsidiary": ("alias", lambda company: company.subsidiary),
    "product": ("alias", lambda company: company.product),
    "english name in small letters": ("alias", lambda company: company.english.lower()),
    "english name in capitals": ("alias", lambda company: company.english.upper()),
    "english name with hyphens": ("alias", lambda company: company.english.replace(" ", "-")),
    "english name as one word": ("alias", lambda company: company.english.replace(" ", "")),
    "english name in full width": ("alias", lambda company: wide(company.english)),
    "english name over two lines": ("alias", lambda company: company.english.replace(" ", "\n    ", 1)),
    "traditional characters": ("name", lambda company: traditional(company.name)),
    "blanks between characters": ("name", lambda company: " ".join(company.name)),
    "zero-width space": ("name", lambda company: f"{company.name[:2]}\u200b{company.name[2:]}"),
    "markup": ("name", lambda company: f"<b>{company.name[:2]}</b>{company.name[2:]}"),
    "html entities": ("name", lambda company: "".join(f"&#x{ord(character):x};" for character in company.name)),
    "percent signs": ("name", lambda company: f"https://example.org/?q={quote(company.name)}"),
    "code as it is": ("code", lambda company: company.code),
    "code in full-width digits": ("code", lambda company: wide(company.code)),
    "code without leading zeros": ("code", lambda company: company.code.lstrip("0")),
    "code with its suffix first": ("code", lambda company: f"{company.suffix}{company.digits}"),
    "code with its suffix first, small, and a dot": (
        "code",
        lambda company: f"{company.suffix.lower()}.{company.digits}",
    ),
    "code with a blank": ("code", lambda company: f"{company.digits} {company.suffix}"),
    "code with a hyphen": ("code", lambda company: f"{company.digits}-{company.suffix}"),
}


@pytest.fixture(scope="module")
def found_in_prose(
    small: Build, identities: Identifiers, company: Company, tmp_path_factory: pytest.TempPathFactory
) -> set[Escape]:
    """Return what is found where each is planted in a narrative and in a policy's text, each in a record of its own."""
    folder = copy_of(small.clean, tmp_path_factory.mktemp("prose"))
    plants = [in_the_middle(write(company)) for _, write in IN_PROSE.values()]
    for path, column in PROSE:
        plant_in_cells(folder, path, ((column, plant) for plant in plants))
    return by_row(search(folder, identities, code_columns=CODE_COLUMNS))


@pytest.mark.parametrize(("path", "column"), PROSE)
@pytest.mark.parametrize("planted", IN_PROSE)
def test_planted_in_prose_is_found(found_in_prose: set[Escape], planted: str, path: str, column: str) -> None:
    """A narrative and a policy's text: the record, the column and what kind of token it is."""
    record, (kind, _) = RECORD + [*IN_PROSE].index(planted), IN_PROSE[planted]
    assert Escape(path, record, column, kind, 1) in found_in_prose


def test_nothing_else_is_found_in_prose(found_in_prose: set[Escape]) -> None:
    """What was not planted is not found."""
    records = range(RECORD, RECORD + len(IN_PROSE))
    places = {(escape.file, escape.row, escape.column) for escape in found_in_prose}
    assert places == {(path, record, column) for path, column in PROSE for record in records}


AS_CODE: dict[str, Callable[[Company], str]] = {
    "bare code": lambda company: company.digits,
    "lost leading zeros": lambda company: company.digits.lstrip("0"),
    "float": lambda company: f"{company.digits.lstrip('0')}.0",
    "full-width digits": lambda company: wide(company.digits),
    "blanks around": lambda company: f" {company.digits} ",
    "spreadsheet's apostrophe": lambda company: f"'{company.digits}",
}


def test_planted_in_a_code_column_is_found(variant: Path, identities: Identifiers, company: Company) -> None:
    """A code without its suffix, as casts and spreadsheets leave it: each, and nothing else."""
    plant_in_cells(variant, PROFILE, (("bmCode", in_its_place(write(company))) for write in AS_CODE.values()))
    found = search(variant, identities, code_columns=CODE_COLUMNS)
    records = range(RECORD, RECORD + len(AS_CODE))
    assert by_row(found) == {Escape(PROFILE, row, "bmCode", "bare code", 1) for row in records}
    assert found.escapes() == (Escape(PROFILE, RECORD, "bmCode", "bare code", len(AS_CODE)),)


def in_its_place(planted: str) -> Callable[[str], str]:
    return lambda _: planted


def test_planted_in_names_of_files_folders_and_columns_is_found(
    variant: Path, identities: Identifiers, company: Company
) -> None:
    """A file, a folder and a header that tell are found, and none is shown."""
    (variant / f"{company.english.replace(' ', '_').lower()}.txt").touch()
    (variant / company.short).mkdir()
    (variant / company.short / "a.csv").write_text(f"id,{traditional(company.name)}\n1,2\n", encoding="utf-8")
    assert {
        Escape(WITHHELD, 0, "", "alias", 1),
        Escape(f"{WITHHELD}/a.csv", 0, "", "alias", 1),
        Escape(f"{WITHHELD}/a.csv", 1, WITHHELD, "name", 1),
    } <= set(scan(variant, identities))


def add_to_json(file: Path, text: str) -> None:
    """Write a note into a JSON file as its first member, in a line of its own, in ASCII."""
    content = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({"note": text} | content, indent=1), encoding="utf-8")


def add_line(file: Path, text: str) -> None:
    """Write a line after the first."""
    first, rest = file.read_text(encoding="utf-8").split("\n", 1)
    file.write_text(f"{first}\n{text}\n{rest}", encoding="utf-8")


IN_REPORTS: dict[str, tuple[str, Callable[[Path, str], None]]] = {
    "escaped JSON": ("reports/consistency.json", add_to_json),
    "JSON in JSON": ("reports/consistency.json", lambda file, name: add_to_json(file, json.dumps(name))),
    "page": ("reports/ks.html", lambda file, name: add_line(file, f"<p>{html.escape(name)}</p>")),
    "page with markup": ("reports/ks.html", lambda file, name: add_line(file, f"<p>{name[:2]}<b>{name[2:]}</b></p>")),
    "link": ("reports/ks.html", lambda file, name: add_line(file, f'<a href="{quote(name)}">')),
    "manifest": ("manifest.json", add_to_json),
    "manifest, rewritten": ("manifest.json", lambda file, name: add_to_json(file, traditional(" ".join(name)))),
}


def test_planted_in_a_report_or_manifest_is_found(variant: Path, identities: Identifiers, company: Company) -> None:
    """The line is told, of each of them, and no other line of any."""
    planted = []
    for place, (path, plant) in enumerate(IN_REPORTS.values()):
        file = variant / f"{place}" / path
        file.parent.mkdir(parents=True)
        shutil.copy(variant / path, file)
        plant(file, company.name)
        planted.append(Escape(f"{place}/{path}", 2, "", "name", 1))
    found = scan(variant, identities)
    assert set(planted) <= set(found)
    assert {(escape.file, escape.row) for escape in found} == {(escape.file, 2) for escape in planted}


def test_planted_in_dagsters_metadata_is_found(
    identities: Identifiers, company: Company, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metadata that Dagster stores: found in the bytes of its databases, and in their cells taken as texts."""
    shutil.copy(ROOT / "dagster.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    with dg.DagsterInstance.get() as instance:
        instance.report_runless_asset_event(dg.AssetMaterialization("profiles", metadata={"rows": 7}))
        assert find_escapes_in_texts({"dagster": kept_by_dagster(tmp_path)}, identities) == ()
        assert search(tmp_path / ".dagster", identities, code_columns={}).escapes() == ()
        note = traditional(company.name)
        instance.report_runless_asset_event(dg.AssetMaterialization("profiles", metadata={"note": note}))
        in_texts = find_escapes_in_texts({"dagster": kept_by_dagster(tmp_path)}, identities)
        in_bytes = search(tmp_path / ".dagster", identities, code_columns={}).escapes()
    assert {(escape.file, escape.kind) for escape in in_texts} == {("dagster", "name")}
    assert {escape.kind for escape in in_bytes} == {"name"}


@pytest.fixture(scope="module")
def register(listed: Build) -> pl.DataFrame:
    """Return the register of listed companies."""
    return pl.read_csv(listed.raw / "securities.csv", infer_schema=False)


@pytest.fixture(scope="module")
def listed_identities(register: pl.DataFrame) -> Identifiers:
    """Return all that it says of companies."""
    return Identifiers(
        codes=tuple(register["Ticker Symbol"]),
        names=tuple(register["Security"]),
        identifiers=(*register["CIK"], *register["Address of Headquarters"].drop_nulls()),
    )


PROFILE_OF_LISTED = "database/company_profile.csv"


def disguised(register: pl.DataFrame) -> list[tuple[str, str, str]]:
    """Return what is planted of companies whose names are two words or `Inc.`, the column, and the kind of token that it is."""
    two_words = register.filter(pl.col("Security").str.contains("^[A-Z][a-z]+ [A-Z][a-z]+$"))
    (code, name, cik), (other, another, _) = two_words.select("Ticker Symbol", "Security", "CIK").head(2).iter_rows()
    inc = register.filter(pl.col("Security").str.contains(r"^\w+ Inc\.$"))["Security"][0].removesuffix(" Inc.")
    return [
        (code.lower(), "code", "code"),
        (full_width(other), "code", "code"),
        *((form.format(cik), "code", "identifier") for form in ("{}", "0000{}", "{}.0")),
        ("ST PAUL MINNESOTA", "state", "identifier"),
        ("Saint-Gobain; st. paul – minnesota", "state", "identifier"),
        (name.upper().replace(" ", "-"), "sector", "name"),
        (another.lower().replace(" ", "_"), "sector", "name"),
        (full_width(name), "sector", "name"),
        (f"{inc.upper()}, INCORPORATED: {inc} Inc", "sector", "name"),
    ]


def full_width(text: str) -> str:
    """Return ASCII as it stands among Chinese characters."""
    return "".join("\u3000" if letter == " " else chr(ord(letter) + 0xFEE0) for letter in text)


def test_planted_among_listed_companies_is_found(
    listed: Build, register: pl.DataFrame, listed_identities: Identifiers, tmp_path: Path
) -> None:
    """Tickers, CIKs, addresses and legal names of us-listed: each, and nothing else."""
    folder, planted = copy_of(listed.clean, tmp_path), disguised(register)
    plant_in_cells(folder, PROFILE_OF_LISTED, ((column, in_its_place(text)) for text, column, _ in planted))
    found = search(folder, listed_identities, code_columns={PROFILE_OF_LISTED: ("code",)})
    assert by_row(found) == {
        Escape(PROFILE_OF_LISTED, record, column, kind, 1) for record, (_, column, kind) in enumerate(planted, RECORD)
    }
