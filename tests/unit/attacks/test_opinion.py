"""Anonymeter finds what is published as it is, and nothing in figures that have nothing to do with the originals."""

import sys

import numpy as np
import polars as pl
import pytest

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD
from tests.stats import ALPHA, check_rate
from validation.attacks import Attack
from validation.attacks.independent import TOLERANCE, opinion

KEY = Key(b"o" * 32)
MEASURES = ("revenue", "assets", "income", "debt")
ATTACKS = 3 + len(MEASURES)


def firms(draw: str, *, height: int = 300) -> pl.DataFrame:
    """Return firms whose figures are independent and log-uniform over six powers of ten; every eighth income is negative."""
    row, key = pl.int_range(height), KEY.derive(draw)
    figures = {name: (10 ** (3 + 6 * key.uniform(pl.lit(name), row))).round() for name in MEASURES}
    sign = pl.when(key.draw(row) % 8 == 0).then(-1).otherwise(1)
    return pl.select(
        industry=pl.format("{}", key.derive("industry").draw(row) % 5),
        **{PERIOD: pl.lit(2022)},
        **figures | {"income": figures["income"] * sign},
    )


def asked(originals: pl.DataFrame, published: pl.DataFrame, *, sample: int = 200) -> list[Attack]:
    return opinion(originals, published, group="industry", year=2022, measures=MEASURES, key=KEY, sample=sample)


def test_figures_published_as_they_are_are_at_risk() -> None:
    """The identity is singled out, linked and inferred, every time that it is tried."""
    found = asked(firms("originals"), firms("originals"))
    assert len(found) == ATTACKS
    assert {attack.rate for attack in found} == {1.0}
    assert {attack.records for attack in found} == {200}
    assert all(attack.beats_chance(ALPHA) for attack in found)


def test_independent_figures_are_not_at_risk() -> None:
    """Figures that were drawn without the originals help nobody: no attack beats guessing."""
    found = asked(firms("originals"), firms("others"))
    assert [attack.attack for attack in found if attack.beats_chance(ALPHA / ATTACKS)] == []


def test_guessing_is_what_a_shuffled_release_reaches() -> None:
    """The stated chance of inference is the rate of guesses whose records were dealt out anew."""
    originals = firms("originals")
    for attack in asked(originals, firms("others"), sample=300)[3:]:
        check_rate(attack.successes, attack.records, attack.chance, tests=len(MEASURES))


def test_the_chance_of_inference_is_that_of_all_pairs() -> None:
    """The chance equals the share of all pairs of a secret and a published size that are within five per cent."""
    originals, published = firms("originals", height=60), firms("others", height=50)
    found = {attack.attack: attack.chance for attack in asked(originals, published)}
    for measure in MEASURES:
        secrets, guesses = (np.abs(side[measure].to_numpy()) for side in (originals, published))
        pairs = np.abs(guesses[None, :] - secrets[:, None]) <= TOLERANCE * guesses[None, :]
        assert found[f"Anonymeter: inference of {measure}"] == pytest.approx(pairs.mean(), abs=1e-12)


def test_halves_are_linked_by_guessing_among_the_records_of_their_group() -> None:
    """Of groups with 1, 2 and 5 records a guess is right in 1, 1/2 and 1/5 of cases; nobody guesses in an empty group."""
    groups = ["a", "b", "b", *["c"] * 5]
    published = firms("others", height=8).with_columns(industry=pl.Series(groups))
    originals = firms("originals", height=4).with_columns(industry=pl.Series(["a", "b", "c", "d"]))
    assert asked(originals, published)[2].chance == pytest.approx((1 + 1 / 2 + 1 / 5 + 0) / 4)


def test_the_order_of_published_rows_is_no_help() -> None:
    """Anonymeter does not look at which row is whose: published in reverse order, the identity is found as well."""
    published = firms("originals").reverse()
    assert {attack.rate for attack in asked(firms("originals"), published)} == {1.0}


def test_the_opinion_is_the_same_every_time() -> None:
    """Nothing in it comes from a generator that is not keyed."""
    originals, published = firms("originals"), firms("others")
    assert asked(originals, published) == asked(originals, published)


def test_another_key_tries_other_targets() -> None:
    """The sample is decided by the key."""
    originals = firms("originals")
    published = originals.with_columns(pl.when(pl.int_range(pl.len()) % 2 == 0).then(MEASURES[0]).otherwise(1.0))
    counts = {
        opinion(
            originals, published, group="industry", year=2022, measures=MEASURES, key=Key(bytes([n]) * 32), sample=50
        )[2].successes
        for n in range(4)
    }
    assert len(counts) > 1


def test_what_is_not_reported_is_not_asked_for() -> None:
    """A measure is inferred only for those that report it, and from those that report it."""
    gap = pl.when(pl.int_range(pl.len()) >= 100).then("revenue").alias("revenue")
    found = asked(firms("originals").with_columns(gap), firms("originals").with_columns(gap), sample=300)
    assert {attack.attack: attack.records for attack in found}["Anonymeter: inference of revenue"] == 200
    nobody = firms("originals").with_columns(revenue=pl.lit(None, pl.Float64))
    assert len(asked(nobody, nobody)) == ATTACKS - 1


def test_a_year_without_records_is_not_attacked() -> None:
    """Where nobody reports, there is no attack."""
    assert asked(firms("originals").clear(), firms("others")) == []


def test_the_package_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Anonymeter there is no opinion, and the error says what is missing."""
    monkeypatch.setitem(sys.modules, "anonymeter.evaluators", None)
    with pytest.raises(InputError, match="needs the package anonymeter"):
        opinion(firms("a"), firms("b"), group="industry", year=2022, measures=MEASURES, key=KEY)
