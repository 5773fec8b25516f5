"""The escape scan on published folders: nothing in what was built, and each of many planted escapes, with its place."""

import csv
import html
import json
import shutil
from collections.abc import Callable
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
from validation.escapes import Escape, Identifiers, find_escapes_in_texts, search

CORE = "database/enterprise/company_core.csv"
PROFILE = "database/enterprise/company_profile.csv"
POLICY = "database/policy/policy_resource.csv"
CODE_COLUMNS = {CORE: ("bmCode",), PROFILE: ("bmCode",)}
RECORD = 7
"""The record in which something is planted, the header being 1."""


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


def plant_in_cell(folder: Path, path: str, column: str, write: Callable[[str], str]) -> None:
    """Change one cell of a table; the rest stays."""
    rows = rows_of(folder / path)
    rows[RECORD - 2][column] = write(rows[RECORD - 2][column])
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


@pytest.mark.parametrize("name", ["noisy", "clean"])
def test_nothing_stands_in_what_was_built(small: Build, identities: Identifiers, name: str) -> None:
    """The variants as they were published hold no escape."""
    assert scan(small.folder / name, identities) == ()


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


@pytest.mark.parametrize(("path", "column"), [(CORE, "bmCoreVieContent"), (POLICY, "content")])
@pytest.mark.parametrize("planted", IN_PROSE)
def test_planted_in_prose_is_found(
    variant: Path, identities: Identifiers, company: Company, planted: str, path: str, column: str
) -> None:
    """A narrative and a policy's text: the record, the column and what kind of token it is."""
    kind, write = IN_PROSE[planted]
    plant_in_cell(variant, path, column, in_the_middle(write(company)))
    found = scan(variant, identities)
    assert Escape(path, RECORD, column, kind, 1) in found
    assert {(escape.file, escape.row, escape.column) for escape in found} == {(path, RECORD, column)}


AS_CODE: dict[str, Callable[[Company], str]] = {
    "bare code": lambda company: company.digits,
    "lost leading zeros": lambda company: company.digits.lstrip("0"),
    "float": lambda company: f"{company.digits.lstrip('0')}.0",
    "full-width digits": lambda company: wide(company.digits),
    "blanks around": lambda company: f" {company.digits} ",
    "spreadsheet's apostrophe": lambda company: f"'{company.digits}",
}


@pytest.mark.parametrize("planted", AS_CODE)
def test_planted_in_a_code_column_is_found(
    variant: Path, identities: Identifiers, company: Company, planted: str
) -> None:
    """A code without its suffix, as casts and spreadsheets leave it."""
    plant_in_cell(variant, PROFILE, "bmCode", lambda _: AS_CODE[planted](company))
    assert scan(variant, identities) == (Escape(PROFILE, RECORD, "bmCode", "bare code", 1),)


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


@pytest.mark.parametrize(
    ("path", "plant"),
    [
        ("reports/consistency.json", add_to_json),
        ("reports/consistency.json", lambda file, name: add_to_json(file, json.dumps(name))),
        ("reports/ks.html", lambda file, name: add_line(file, f"<p>{html.escape(name)}</p>")),
        ("reports/ks.html", lambda file, name: add_line(file, f"<p>{name[:2]}<b>{name[2:]}</b></p>")),
        ("reports/ks.html", lambda file, name: add_line(file, f'<a href="{quote(name)}">')),
        ("manifest.json", add_to_json),
        ("manifest.json", lambda file, name: add_to_json(file, traditional(" ".join(name)))),
    ],
    ids=["escaped JSON", "JSON in JSON", "page", "page with markup", "link", "manifest", "manifest, rewritten"],
)
def test_planted_in_a_report_or_manifest_is_found(
    variant: Path, identities: Identifiers, company: Company, path: str, plant: Callable[[Path, str], None]
) -> None:
    """The line is told."""
    plant(variant / path, company.name)
    found = scan(variant, identities)
    assert Escape(path, 2, "", "name", 1) in found
    assert {(escape.file, escape.row) for escape in found} == {(path, 2)}


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
def real_identities(real: Build) -> Identifiers:
    """Return all that the real tables say of companies."""
    securities = pl.read_csv(real.raw / "securities.csv", infer_schema=False)
    return Identifiers(
        codes=tuple(securities["Ticker Symbol"]),
        names=tuple(securities["Security"]),
        identifiers=(*securities["CIK"], *securities["Address of Headquarters"].drop_nulls()),
    )


REAL_PROFILE = "database/company_profile.csv"


@pytest.mark.real
@pytest.mark.parametrize("name", ["noisy", "clean"])
def test_no_real_company_stands_in_what_was_built(real: Build, real_identities: Identifiers, name: str) -> None:
    """The variants of us-listed, as they were published, hold no escape."""
    assert search(real.folder / name, real_identities, code_columns={REAL_PROFILE: ("code",)}).escapes() == ()


@pytest.mark.real
@pytest.mark.parametrize(
    ("planted", "column", "kind"),
    [
        ("mmm", "code", "code"),
        ("ＡＢＴ", "code", "code"),
        ("66740", "code", "identifier"),
        ("0000066740", "code", "identifier"),
        ("66740.0", "code", "identifier"),
        ("ST PAUL MINNESOTA", "state", "identifier"),
        ("Saint-Gobain; st. paul – minnesota", "state", "identifier"),
        ("ABBOTT-LABORATORIES", "sector", "name"),
        ("general_mills", "sector", "name"),
        ("Ａｂｂｏｔｔ　Ｌａｂｏｒａｔｏｒｉｅｓ", "sector", "name"),
        ("QUALCOMM, INCORPORATED: Qualcomm Inc", "sector", "name"),
    ],
)
def test_planted_among_real_companies_is_found(
    real: Build, real_identities: Identifiers, tmp_path: Path, planted: str, column: str, kind: str
) -> None:
    """Tickers, CIKs, addresses and legal names of us-listed."""
    folder = copy_of(real.clean, tmp_path)
    plant_in_cell(folder, REAL_PROFILE, column, lambda _: planted)
    found = search(folder, real_identities, code_columns={REAL_PROFILE: ("code",)}).escapes()
    assert found == (Escape(REAL_PROFILE, RECORD, column, kind, 1),)
