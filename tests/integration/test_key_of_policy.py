"""One key and the same tables under two policies: what the one release has says nothing of the other."""

from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from anonymize.codes import code_space
from anonymize.keys.release_key import release_key
from anonymize.policy import GUARDED, LSD, Policy
from anonymize.pseudonyms import Pseudonyms, pseudonyms
from anonymize.tables import FIGURES, anonymise_tables, anonymised_figures
from pipeline.conform import conform
from pipeline.model import Frames
from pipeline.places import landing
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.releases import pseudonym_overlap
from tests.stats import ALPHA

PROFILE, CODE, ASSETS, DAY = "company_profile", "bmCode", "总资产", "listingDate"


class Release(NamedTuple):
    """What is made of the tables under one policy, figures by the same mechanism, so that the key alone differs."""

    pseudonyms: Pseudonyms
    tables: Frames
    """Under the original codes."""
    order: pl.DataFrame
    """Original codes, and the number that rows are sorted by."""


@pytest.fixture(scope="module")
def releases(corpus: Path) -> list[Release]:
    """Return what the small corpus becomes under both policies."""
    raw = next((corpus / landing(DATACLAW_18.name)).iterdir())
    conformed = conform(DATACLAW_18.raw_tables, raw).frames
    return [release(conformed, policy) for policy in (LSD, GUARDED)]


def release(conformed: Frames, policy: Policy) -> Release:
    key = release_key(None, default=Path("none.key"), is_generated=True, policy=policy.name).key
    made = pseudonyms(DATACLAW_18, conformed, key)
    figures = anonymised_figures(DATACLAW_18, conformed, key).figures
    tables = anonymise_tables(DATACLAW_18, conformed, made, key, figures=figures)
    back = {pseudonym: original for original, pseudonym in made.codes.items()}
    under_originals = {
        name: tables[name].with_columns(pl.col(CODE).replace_strict(back)).sort(CODE) for name in (PROFILE, FIGURES)
    }
    order = under_originals[PROFILE].select(CODE, mac=key.derive("order").mac(pl.lit(PROFILE), CODE))
    return Release(pseudonyms=made, tables=under_originals, order=order)


def test_codes_are_shared_by_chance_alone(releases: list[Release]) -> None:
    """No more firms have the same code twice than two draws coincide."""
    first, second = (release.pseudonyms.codes for release in releases)
    found = pseudonym_overlap(first, second, kind="code", space=code_space("six digits").size)
    assert found.records == len(first) > 100
    assert not found.beats_chance(ALPHA)


def test_no_name_is_shared(releases: list[Release]) -> None:
    """No firm has the same legal name twice, nor is one of the names any other firm's."""
    first, second = ({name.legal for name in release.pseudonyms.names.values()} for release in releases)
    assert len(first) > 100
    assert not first & second


def test_digits_days_and_order_are_drawn_anew(releases: list[Release]) -> None:
    """Hardly a figure ends alike, days of listing differ, and the orders of firms are unrelated."""
    figures, days = ([release.tables[name] for release in releases] for name in (FIGURES, PROFILE))
    assets = [frame.filter(pl.col(ASSETS).is_not_null())[ASSETS] for frame in figures]
    assert len(assets[0]) > 100
    assert (assets[0] == assets[1]).sum() < 0.01 * len(assets[0])
    assert (days[0][DAY] == days[1][DAY]).sum() < 0.1 * len(days[0])
    ranks = [release.order["mac"].rank("ordinal") for release in releases]
    correlation = pl.select(pl.corr(*ranks)).item()
    assert abs(correlation) < 4 / len(ranks[0]) ** 0.5
