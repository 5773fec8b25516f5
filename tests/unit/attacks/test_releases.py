"""What links two releases: equal pseudonyms if they share a key, figures as well as each links to the originals."""

from pathlib import Path

import polars as pl
import pytest

from anonymize.codes import code_space, pseudonymous_codes
from anonymize.figures import perturb_figures
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel
from silt.environments.us_listed import CODE, SECTOR, US_LISTED
from tests.releases import does_better, pseudonym_overlap, release_linkage
from validation.attacks import Attack

KEYS = Key(b"1" * 32), Key(b"2" * 32)
ALPHA = 1e-3
LISTED = [f"{number:06}.SZ" for number in range(2_000)]
SPACE = code_space("six digits")


def codes(key: Key) -> dict[str, str]:
    return pseudonymous_codes(LISTED, key, avoid=LISTED, space=SPACE)


def test_one_key_twice_links_every_firm() -> None:
    """Releases under one key have the same pseudonyms, and the join finds every firm."""
    found = pseudonym_overlap(codes(KEYS[0]), codes(KEYS[0]), kind="codes", space=SPACE.size)
    assert (found.successes, found.records) == (2_000, 2_000)
    assert found.beats_chance(ALPHA)
    assert found.detail == "2000 of 2000 firms have the same pseudonym in both"


def test_two_keys_share_pseudonyms_by_chance() -> None:
    """Under two keys as many pseudonyms coincide as two draws from the space would (2000 * 2000 / 900000 = 4.4)."""
    found = pseudonym_overlap(codes(KEYS[0]), codes(KEYS[1]), kind="codes", space=SPACE.size)
    assert found.chance == pytest.approx(2_000 / 900_000)
    assert found.successes > 0
    assert not found.beats_chance(ALPHA)


def test_only_firms_of_both_releases_are_counted() -> None:
    """A firm of one release alone is no record, but its pseudonym can be taken for another's."""
    found = pseudonym_overlap({"a": "1", "b": "2"}, {"b": "3", "c": "2"}, kind="codes", space=10)
    assert (found.successes, found.records) == (1, 1)
    assert found.detail.startswith("0 of 1 firms")


PANEL = Panel(tables=("figures",), measures=(Measure(name="sales", unit="USD"),))
ORIGINALS = pl.DataFrame(
    [(f"c{i:03}", "abcde"[i % 5], 2022, 10_000 * (i + 10) ** 2 + 17 * i) for i in range(300)],
    schema={"code": pl.String, "trade": pl.String, "year": pl.Int64, "sales": pl.Int64},
    orient="row",
)


def released(key: Key) -> pl.DataFrame:
    figures = perturb_figures(ORIGINALS.drop("trade"), PANEL, code="code", key=key)
    return figures.with_columns(ORIGINALS["trade"])


def linked(first: pl.DataFrame, second: pl.DataFrame) -> list[Attack]:
    return release_linkage(first, second, ORIGINALS, group="trade", year=2022, measures=["sales"])


def test_digit_noise_links_releases_as_well_as_originals_but_no_better() -> None:
    """Under two keys the second release links to the first nearly fully, and so do both to the originals."""
    *to_originals, between = linked(released(KEYS[0]), released(KEYS[1]))
    assert between.records == 300
    assert between.rate > 0.9
    assert not any(does_better(between, attack, alpha=ALPHA) for attack in to_originals)


def test_what_no_key_changes_links_releases_better_than_originals() -> None:
    """Figures that every release changes in the same way hide from the originals and link the releases to each other."""
    exchanged = ORIGINALS.with_columns(pl.col("sales").reverse().over("trade"))
    *to_originals, between = linked(exchanged, exchanged)
    assert [attack.successes for attack in to_originals] == [0, 0]
    assert between.rate == 1
    assert all(does_better(between, attack, alpha=ALPHA) for attack in to_originals)


def test_the_attacks_say_what_was_linked_to_what() -> None:
    """Three attacks with names of their own."""
    assert [attack.attack for attack in linked(ORIGINALS, ORIGINALS)] == [
        "nearest-neighbour linkage of a release to the originals",
        "nearest-neighbour linkage of another release to the originals",
        "nearest-neighbour linkage of two releases to each other",
    ]


@pytest.mark.parametrize(
    ("successes", "of", "expected"), [(60, 100, True), (41, 100, False), (40, 100, False), (0, 100, False)]
)
def test_better_is_beyond_what_chance_makes(successes: int, of: int, *, expected: bool) -> None:
    """60 of 100 is more than 40 of 100 at one per cent (Fisher: p = 0.0035); 41 and fewer are not."""
    reference = Attack(attack="a", knowledge="k", records=100, successes=40)
    attack = Attack(attack="a", knowledge="k", records=of, successes=successes)
    assert does_better(attack, reference, alpha=0.01) == expected


def test_two_releases_of_listed_companies_link_no_better_than_originals(listed_tables: Path) -> None:
    """Over 90 % of listed companies link by their largest figures, in either direction, and between releases no more."""
    conformed = conform(US_LISTED.raw_tables, listed_tables).frames
    originals = original_figures(US_LISTED, conformed)
    sectors = dict(conformed["securities"].select(CODE, SECTOR).iter_rows())
    sides = [
        figures.with_columns(pl.col(CODE).replace_strict(sectors).alias(SECTOR))
        for figures in (
            *(perturb_figures(originals, US_LISTED.panel, code=CODE, key=key) for key in KEYS),
            originals,
        )
    ]
    year = originals[PERIOD].mode().sort()[0]
    for measures in US_LISTED.panel.known:
        *to_originals, between = release_linkage(
            sides[0], sides[1], sides[2], group=SECTOR, year=year, measures=measures
        )
        assert between.records > 400
        assert between.rate > 0.9
        assert not any(does_better(between, attack, alpha=ALPHA) for attack in to_originals)
