"""Two releases of the same raw tables under two keys: nothing links them better than either links to the originals.

Both are read as an outsider has them, from published files; the identity maps, which `silt reveal` prints for the curator, say
which joins are right.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from anonymize.codes import code_space
from anonymize.names.providers import ChineseCompanyProvider
from anonymize.tables import original_figures
from pipeline.conform import conform
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.checks import rows_of
from tests.integration.conftest import Build, run_silt
from tests.releases import does_better, pseudonym_overlap, release_linkage
from tests.stats import ALPHA
from validation.attacks import Attack

pytestmark = pytest.mark.slow

YEAR = 2022
SPACES = {"code": code_space("six digits").size, "name": ChineseCompanyProvider.brand_count}
"""How many codes there are, and brands: two names that are the same have the same brand."""


@dataclass(frozen=True)
class Release:
    """A published release and the curator's map of it: kind of identity -> original -> pseudonym."""

    folder: Path
    pseudonyms: dict[str, dict[str, str]]


def revealed(folder: Path, *arguments: object) -> Release:
    done = run_silt("reveal", "--out", folder.parent, *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    pseudonyms: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        pseudonyms.setdefault(row["kind"], {})[row["original"]] = row["pseudonym"]
    return Release(folder=folder, pseudonyms=pseudonyms)


@pytest.fixture(scope="module")
def releases(small: Build, other_key: Build) -> tuple[Release, Release]:
    """Return the small release, and another of the same tables under another key."""
    key = other_key.folder.parents[1] / "release.key"
    return revealed(small.folder), revealed(other_key.folder, "--key-file", key)


@pytest.mark.parametrize("kind", SPACES)
def test_two_keys_share_pseudonyms_by_chance_alone(releases: tuple[Release, Release], kind: str) -> None:
    """Codes and names of the one release are in the other as often as two draws coincide."""
    first, second = (release.pseudonyms[kind] for release in releases)
    found = pseudonym_overlap(first, second, kind=kind, space=SPACES[kind])
    assert found.records == len(first) == len(second) > 100
    assert not found.beats_chance(ALPHA)


def test_the_join_of_pseudonyms_can_succeed(releases: tuple[Release, Release]) -> None:
    """A release joined with itself gives every firm."""
    codes = releases[0].pseudonyms["code"]
    found = pseudonym_overlap(codes, codes, kind="code", space=SPACES["code"])
    assert found.rate == 1
    assert found.beats_chance(ALPHA)


def figures(release: Release) -> pl.DataFrame:
    """Return the published figures of a release, rows in the order of the original codes: code, industry, year, measures."""
    originals = {pseudonym: original for original, pseudonym in release.pseudonyms["code"].items()}
    clean = release.folder / "clean"
    industries = {row["bmCode"]: row["industry"] for row in rows_of(clean / "database/enterprise/company_profile.csv")}
    measures = [measure.name for measure in DATACLAW_18.panel.measures]
    rows = [
        {"bmCode": originals[row["bmCode"]], "industry": industries[row["bmCode"]], "year": YEAR}
        | {measure: float(row[measure]) if row[measure] else None for measure in measures}
        for row in rows_of(clean / "ideal/company_operation_status.csv")
    ]
    schema = {"bmCode": pl.String, "industry": pl.String, "year": pl.Int64} | dict.fromkeys(measures, pl.Float64)
    return pl.DataFrame(rows, schema=schema).sort("bmCode")


def conformed_figures(raw: Path, industries: pl.DataFrame) -> pl.DataFrame:
    """Return the originals' figures in units, with the published industry."""
    originals = original_figures(DATACLAW_18, conform(DATACLAW_18.raw_tables, raw).frames).filter(year=YEAR)
    in_units = [pl.col(measure.name) / 10**measure.decimals for measure in DATACLAW_18.panel.measures]
    return originals.with_columns(in_units).join(industries.select("bmCode", "industry"), on="bmCode").sort("bmCode")


@pytest.fixture(scope="module")
def sides(small: Build, releases: tuple[Release, Release]) -> list[pl.DataFrame]:
    """Return the figures of both releases and of the originals, rows aligned."""
    published = [figures(release) for release in releases]
    frames = [*published, conformed_figures(small.raw, published[0])]
    assert frames[0]["bmCode"].equals(frames[1]["bmCode"])
    assert frames[0]["bmCode"].equals(frames[2]["bmCode"])
    return frames


@pytest.mark.parametrize("measures", DATACLAW_18.panel.known, ids=len)
def test_figures_link_two_releases_no_better_than_to_the_originals(
    sides: list[pl.DataFrame], measures: tuple[str, ...]
) -> None:
    """The rate between the releases is not above that of either to the originals, and within their confidence bounds."""
    *to_originals, between = linked(sides, measures)
    assert between.records > 100
    for attack in to_originals:
        assert not does_better(between, attack, alpha=ALPHA)
        assert between.rate <= attack.upper_95


def linked(sides: list[pl.DataFrame], measures: tuple[str, ...]) -> list[Attack]:
    first, second, originals = sides
    return release_linkage(first, second, originals, group="industry", year=YEAR, measures=measures)
