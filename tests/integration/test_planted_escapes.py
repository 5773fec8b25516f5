"""The escape scan on the files of a build: what is planted in its prose, in any writing, is found, and nothing else is.

Codes in their columns, names of files, headers, reports and tables of other shapes are tried in `tests/unit/escapes`.
"""

import csv
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import dagster as dg
import opencc
import polars as pl
import pytest

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


def copy_of(variant: Path, folder: Path) -> Path:
    """Copy a variant without its largest files, which are searched as they were built."""
    large = shutil.ignore_patterns(
        "*_industry_*", "company_operation_*", "company_figures*", "*_aggregates*", "ks.json"
    )
    return Path(shutil.copytree(variant, folder / "planted", ignore=large))


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


def test_planted_in_prose_is_found_and_nothing_else(
    small: Build, identities: Identifiers, company: Company, tmp_path: Path
) -> None:
    """Each in a record of its own of narratives and of policies' texts: record, column, and what kind of token it is."""
    folder = copy_of(small.clean, tmp_path)
    plants = [in_the_middle(write(company)) for _, write in IN_PROSE.values()]
    for path, column in PROSE:
        plant_in_cells(folder, path, ((column, plant) for plant in plants))
    found = by_row(search(folder, identities, code_columns=CODE_COLUMNS))
    planted = {
        Escape(path, record, column, kind, 1)
        for path, column in PROSE
        for record, (kind, _) in enumerate(IN_PROSE.values(), RECORD)
    }
    assert planted <= found
    places = {(escape.file, escape.row, escape.column) for escape in found}
    assert places == {(escape.file, escape.row, escape.column) for escape in planted}
