"""Which measures came out as they were: counted by measure, told apart from chance, and never passed for want of figures."""

import numpy as np
import polars as pl
import pytest

from anonymize.policy import GUARDED, LSD, Policy
from pipeline.model import PERIOD, Measure
from validation.attacks.limits import COPIES, in_words, judged
from validation.attacks.records.unchanged import Unchanged, unchanged_measures

MEASURES = tuple(Measure(name=name, unit="EUR") for name in ("long", "short", "none"))
FIRMS = 400


def frames(seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return originals and a release that draws the last digits of long figures anew, and keeps short ones."""
    draws = np.random.default_rng(seed)
    long, short = draws.integers(10**7, 10**8, FIRMS), draws.integers(0, 100, FIRMS)
    originals = pl.DataFrame(
        {
            "group": [f"g{i % 5}" for i in range(FIRMS)],
            PERIOD: 2022,
            "long": long,
            "short": short,
            "none": pl.Series([None] * FIRMS, dtype=pl.Int64),
        }
    )
    fresh = long // 100_000 * 100_000 + draws.integers(0, 100_000, FIRMS)
    return originals, originals.select(pl.Series("long", fresh), "short", "none")


def found(policy: Policy = LSD, *, published: pl.DataFrame | None = None) -> Unchanged:
    originals, told = frames()
    return unchanged_measures(
        originals, told if published is None else published, MEASURES, group="group", policy=policy
    )


def test_a_measure_of_few_digits_is_named() -> None:
    """Of two measures with figures one is the originals', in all its figures that are not zero."""
    attack = found()
    assert (attack.records, attack.successes) == (2, 1)
    (short,) = attack.measures
    assert (short.measure, short.unchanged) == ("short", short.figures)
    assert short.figures == (frames()[0]["short"] != 0).sum()
    assert "short" in attack.detail
    assert attack.detail.endswith("Not counted: 1 measure without a figure other than 0.")


def test_counts_that_need_the_pairing_are_not_told_of_sampled_records() -> None:
    """Where no measure is over its share, the one nearest to it is named under `lsd` alone."""
    originals, _ = frames()
    others = originals.select(pl.col(name).reverse() + 1 for name in ("long", "short", "none"))
    assert found(LSD, published=others).detail.startswith("The most figures as they were: ")
    assert found(GUARDED, published=others).detail == ""


def test_chance_is_that_of_the_group() -> None:
    """Figures that are exchanged within their groups are as often equal as others of the group are: no measure is over."""
    originals, _ = frames()
    place = pl.int_range(pl.len())
    others = originals.select(
        pl.col(name).gather((place + 1) % pl.len()).over("group").alias(name) for name in ("long", "short", "none")
    )
    attack = found(GUARDED, published=others)
    assert (attack.records, attack.successes) == (2, 0)


def test_a_share_beyond_the_allowed_one_is_over_it_under_guarded() -> None:
    """A tenth of the figures as they were is too many of sampled records, and under `lsd` no more than digits allow."""
    originals, told = frames()
    is_own = pl.int_range(pl.len()) % 10 == 0
    some = told.with_columns(
        long=pl.when(is_own).then(originals["long"]).otherwise(pl.col("long")), short=pl.lit(10**6)
    )
    assert [each.measure for each in found(GUARDED, published=some).measures] == ["long"]
    assert found(LSD, published=some).successes == 0


@pytest.mark.parametrize(("policy", "verdict"), [(LSD, "reported only"), (GUARDED, "EXCEEDED")], ids=["lsd", "guarded"])
def test_it_is_told_under_lsd_and_refused_under_guarded(policy: Policy, verdict: str) -> None:
    """The same finding is in the first lines of one policy's report, and a failed gate of the other's."""
    (entry,) = judged({COPIES: [found(policy)]}, policy)
    assert in_words(entry) == verdict
    assert [each["measure"] for each in entry["measures"]] == ["short"]


def test_without_figures_there_is_nothing_to_try() -> None:
    """Of no measure there is anything to compare, and that is no pass."""
    _, told = frames()
    attack = found(published=told.with_columns(pl.lit(None, pl.Int64).alias(name) for name in told.columns))
    assert (attack.records, attack.measures, attack.detail) == (0, (), "")
    (entry,) = judged({COPIES: [attack]}, GUARDED)
    assert (entry["passed"], in_words(entry)) == (None, "nothing to try")
