"""Categories drawn from noised counts: what one entity moves, what the noise leaves, and that nothing else enters."""

from collections import Counter
from itertools import pairwise
from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from anonymize.synthesis.account import BudgetAccount, NoisedStatistic
from anonymize.synthesis.cube import Floats
from anonymize.synthesis.entities.categories import (
    MOST_OF_CATEGORIES,
    PASSES,
    SENSITIVITY,
    SHARE,
    WEIGHT,
    Allowance,
    Categories,
    counted,
    draw_categories,
    drawn_evenly,
    expected_counts,
    passing,
    threshold,
)
from pipeline.keyed import Key
from tests.stats import check_rate

KEY = Key(b"k" * 32)
ROW = st.tuples(st.sampled_from(["north", "south", None]), st.integers(0, 3))


class Recorded(BudgetAccount):
    """An account whose noised sums are the same whatever is counted; it keeps what was."""

    totals: dict[str, Floats]

    def noised(self, statistic: str, total: Floats, *, sensitivity: float, rho: float) -> NoisedStatistic:
        """Return numbers that depend on the statistic's name alone."""
        vars(self).setdefault("totals", {})[statistic] = total
        sigma = super().noised(statistic, total, sensitivity=sensitivity, rho=rho).sigma
        return NoisedStatistic(
            values=40 * self.key.uniforms(total.size, "told", statistic).reshape(total.shape), sigma=sigma
        )


def allowance(account: BudgetAccount | None = None, *, cells: int = 400, rho: float = MOST_OF_CATEGORIES) -> Allowance:
    """Return what an attribute may spend."""
    return Allowance(account=account or BudgetAccount(budget=20.0, key=KEY.derive("noise")), rho=rho, cells=cells)


def entities(rows: list[tuple[str | None, int]]) -> pl.DataFrame:
    """Return entities of one industry, each with a place and a size."""
    return pl.DataFrame(
        [(f"f{number}", *row, 1.0) for number, row in enumerate(rows)],
        schema={"firm": pl.String, "place": pl.String, "size": pl.Int64, WEIGHT: pl.Float64},
        orient="row",
    )


def moved(first: pl.DataFrame, other: pl.DataFrame, columns: list[str]) -> float:
    """Return how far two counts lie apart, in Euclidean norm."""
    both = counted(first, columns).join(counted(other, columns), on=columns, how="full", nulls_equal=True)
    numbers = both.select(pl.col(pl.Float64).fill_null(0)).to_numpy()
    return float(np.linalg.norm(numbers[:, 0] - numbers[:, 1]))


@given(
    rows=st.lists(ROW, min_size=1, max_size=20), other=ROW, place=st.integers(0, 19), columns=st.sampled_from([1, 2])
)
def test_a_count_moves_by_no_more_than_its_sensitivity(
    rows: list[tuple[str | None, int]], other: tuple[str | None, int], place: int, columns: int
) -> None:
    """One entity is replaced by any other, and whatever columns are counted, the sum moves by sqrt(2) at most."""
    replaced = [other if number == place % len(rows) else row for number, row in enumerate(rows)]
    assert moved(entities(rows), entities(replaced), ["place", "size"][:columns]) <= SENSITIVITY + 1e-12


@given(noised=st.floats(-30, 60), prior=st.floats(0.5, 100), sigma=st.floats(1, 10))
def test_expected_counts_are_means_given_the_noise(noised: float, prior: float, sigma: float) -> None:
    """They are what integrating over the counts gives: exponential before, noise normal."""

    def weight(count: float) -> float:
        return float(stats.expon.pdf(count, scale=prior) * np.exp(-(((noised - count) / sigma) ** 2 - least) / 2))

    peak = max(noised - sigma**2 / prior, 0.0)
    least = ((noised - peak) / sigma) ** 2
    ends = max(peak - 12 * sigma, 0.0), peak + 40 * sigma
    whole, mean = (
        integrate.quad(density, *ends, points=[peak + sigma], limit=200)[0]
        for density in (weight, lambda count: count * weight(count))
    )
    found = expected_counts(np.array([noised]), sigma, np.array([prior]))[0]
    assert found == pytest.approx(mean / whole, rel=1e-4)


def test_expected_counts_follow_the_data_where_noise_is_small_and_the_prior_where_it_is_large() -> None:
    """A count of 30 is told where the noise is 1, an expected one of 5 stays where the noise is 500; none is negative."""
    assert expected_counts(np.array([30.0]), 1.0, np.array([300.0]))[0] == pytest.approx(30, abs=0.1)
    assert expected_counts(np.array([30.0]), 500.0, np.array([5.0]))[0] == pytest.approx(5, abs=0.1)
    assert expected_counts(np.array([-1e6, 0.0]), 1.0, np.array([1e-9, 0.0])).min() >= 0


def test_a_category_of_one_entity_hardly_ever_passes() -> None:
    """In 1,000 releases of 200 entities with a category each, one in a hundred publishes any; those of sixty all are."""
    alone = counted(entities([(f"{number}", 0) for number in range(200)]), ["place"])
    published = 0
    for seed in range(1_000):
        account = BudgetAccount(budget=1.0, key=KEY.derive(str(seed)))
        published += not passing(allowance(account, cells=200), "alone", alone, MOST_OF_CATEGORIES).is_empty()
    check_rate(published, 1_000, PASSES)
    common = counted(entities([(f"{number % 20}", 0) for number in range(1_200)]), ["place"])
    account = BudgetAccount(budget=1.0, key=KEY)
    assert passing(allowance(account, cells=1_200), "common", common, MOST_OF_CATEGORIES).height == 20
    assert threshold(account.lines[0].sigma, 1_200) < 26


def test_the_account_does_not_tell_how_many_categories_there_are() -> None:
    """As many numbers stand in it for one category as for twenty."""
    numbers = []
    for categories in (1, 20):
        account = BudgetAccount(budget=1.0, key=KEY)
        rows = [(f"{number % categories}", 0) for number in range(400)]
        passing(allowance(account), "places", counted(entities(rows), ["place"]), 1 / 32)
        numbers.append(account.lines[0].numbers)
    assert numbers == [400, 400]


@given(
    shares=st.lists(st.integers(1, 50), min_size=1, max_size=8), sizes=st.tuples(st.integers(1, 60), st.integers(1, 60))
)
def test_shares_are_met_to_within_one_entity(shares: list[int], sizes: tuple[int, int]) -> None:
    """In each of two strata every category has its share of the entities, rounded up or down."""
    frame = pl.DataFrame({"firm": [f"f{i}" for i in range(sum(sizes))], "trade": ["a"] * sizes[0] + ["b"] * sizes[1]})
    part = [share / sum(shares) for share in shares]
    table = pl.DataFrame(
        {
            "trade": ["a"] * len(shares) + ["b"] * len(shares),
            "place": [str(i) for i in range(len(shares))] * 2,
            SHARE: [*part, *part[::-1]],
        }
    )
    of = Categories(name="place", columns=("place",), over=("trade",), within=("trade",))
    found = drawn_evenly(frame, table, of, entity=["firm"], key=KEY)
    assert found["firm"].to_list() == frame["firm"].to_list()
    for trade, size, wanted in zip("ab", sizes, (part, part[::-1]), strict=True):
        drawn = Counter(found.filter(trade=trade)["place"])
        for place, share in enumerate(wanted):
            assert abs(drawn[str(place)] - share * size) < 1 + 1e-9


def test_entities_of_a_category_are_others_under_another_key() -> None:
    """An entity keeps its category as often as chance has it."""
    frame = entities([("north" if number < 200 else "south", 0) for number in range(400)])
    of = Categories(name="place", columns=("place",))
    drawn = [
        draw_categories(of, frame, frame.select("firm"), allowance(), entity=["firm"], key=KEY.derive(str(seed)))[0]
        for seed in range(5)
    ]
    for found in drawn:
        check_rate((found["place"] == frame["place"]).sum(), 400, 0.5)
    assert all(not first.equals(other) for first, other in pairwise(drawn))


VOCABULARY = pl.DataFrame({"place": ["east", "north", "south", "west"]})
KNOWN = Categories(name="place", columns=("place",), within=("size",), known=VOCABULARY)
"""Sizes stand for industries here: they are what is kept."""


@given(st.lists(ROW, min_size=8, max_size=30), st.randoms(use_true_random=False))
def test_nothing_enters_but_noised_counts(rows: list[tuple[str | None, int]], random: object) -> None:
    """Other places behind the same noised counts: the same are drawn. Counted was every entity of the vocabulary, once."""
    first = entities(rows * 50)
    places = [random.choice(["north", "south", "elsewhere", None]) for _ in rows * 50]  # type: ignore[attr-defined]
    other = first.with_columns(pl.Series("place", places, pl.String))
    drawn, totals = [], []
    for frame in (first, other):
        account = Recorded(budget=1.0, key=KEY)
        told, _ = draw_categories(
            KNOWN, frame, frame.select("firm", "size"), allowance(account), entity=["firm"], key=KEY
        )
        drawn.append(told)
        totals.append(account.totals)
        in_vocabulary = frame["place"].is_in(["north", "south"]).sum()
        assert [total.sum() for total in account.totals.values()] == [in_vocabulary] * 2
    assert drawn[0].equals(drawn[1])
    assert set(drawn[0]["place"]) <= set(VOCABULARY["place"])


@given(st.lists(ROW, min_size=8, max_size=30), st.sampled_from(["north", "south", "elsewhere", None]))
def test_every_statistic_of_an_attribute_moves_by_no_more_than_stated(
    rows: list[tuple[str | None, int]], instead: str | None
) -> None:
    """Whoever replaces the first entity within its stratum, no statistic that is written down moves by more than it says."""
    first = entities(rows * 50)
    other = first.with_columns(pl.when(pl.col("firm") == "f0").then(pl.lit(instead)).otherwise("place").alias("place"))
    accounts = [Recorded(budget=1.0, key=KEY) for _ in range(2)]
    for frame, account in zip((first, other), accounts, strict=True):
        draw_categories(KNOWN, frame, frame.select("firm", "size"), allowance(account), entity=["firm"], key=KEY)
    for line in accounts[0].lines:
        difference = accounts[0].totals[line.statistic] - accounts[1].totals[line.statistic]
        assert np.linalg.norm(difference) <= line.sensitivity + 1e-12
        assert line.sensitivity == sqrt(2)
    assert sum(line.rho for line in accounts[0].lines) == pytest.approx(MOST_OF_CATEGORIES)


def test_strata_too_small_for_their_noise_are_not_counted() -> None:
    """Of 30 entities in four strata a vocabulary of four is counted once, over everybody, with all that may be spent."""
    frame = entities([("north", number % 4) for number in range(30)])
    account = BudgetAccount(budget=1.0, key=KEY)
    draw_categories(KNOWN, frame, frame.select("firm", "size"), allowance(account), entity=["firm"], key=KEY)
    assert [(line.statistic, line.rho) for line in account.lines] == [("place", MOST_OF_CATEGORIES)]


def test_what_is_common_is_published_and_the_rest_is_blank() -> None:
    """Of 400 entities 200 and 120 have common places, 80 one of their own or none: about as many are blank."""
    own = [f"place {number}" if number % 2 else None for number in range(80)]
    frame = entities([(place, 0) for place in ["north"] * 200 + ["south"] * 120 + own])
    of = Categories(name="place", columns=("place",))
    found, originals = draw_categories(of, frame, frame.select("firm"), allowance(), entity=["firm"], key=KEY)
    counts = Counter(found["place"])
    assert {place for place, number in counts.items() if number > 10} == {"north", "south", None}
    assert abs(counts["north"] - 200) < 30
    assert abs(counts[None] - 80) < 50
    assert set(originals["place"]) == {"north", "south", None}


def test_what_may_not_be_blank_has_a_published_category() -> None:
    """Where nothing is left blank, those with rare places have common ones."""
    frame = entities([(place, 0) for place in ["north"] * 200 + ["south"] * 120 + [f"{n}" for n in range(80)]])
    of = Categories(name="place", columns=("place",), leaves_blank=False)
    found, _ = draw_categories(of, frame, frame.select("firm"), allowance(), entity=["firm"], key=KEY)
    assert set(found["place"]) == {"north", "south"}


def test_strata_differ_as_far_as_the_noise_lets_them() -> None:
    """Of 2,000 in each of two strata, nine in ten are northern in one and one in ten in the other: so are those drawn."""
    rows = [
        ("north" if (number % 10 == 0) == (number < 2_000) else "south", number // 2_000) for number in range(4_000)
    ]
    frame = entities(rows)
    of = Categories(name="place", columns=("place",), within=("size",))
    told, _ = draw_categories(of, frame, frame.select("firm", "size"), allowance(cells=4_000), entity=["firm"], key=KEY)
    for size, share in ((0, 0.1), (1, 0.9)):
        assert told.filter(size=size)["place"].eq("north").mean() == pytest.approx(share, abs=0.02)
