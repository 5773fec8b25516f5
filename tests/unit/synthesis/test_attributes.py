"""Attributes dealt out: counts stay within strata, owners do not, what hangs together stays together."""

from collections import Counter
from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.synthesis.attributes import deal, deal_into, sample_attributes
from pipeline.keyed import Key
from pipeline.model import QuasiIdentifier, QuasiIdentifiers
from tests.stats import check_rate, check_shares

KEY, OTHER = Key(b"k" * 32), Key(b"o" * 32)
FIRMS = st.lists(
    st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["north", "south", None]), st.integers(0, 3)),
    min_size=1,
    max_size=30,
).map(
    lambda rows: pl.DataFrame(
        [(f"f{i}", *row) for i, row in enumerate(rows)],
        schema={"firm": pl.String, "industry": pl.String, "place": pl.String, "size": pl.Int64},
        orient="row",
    )
)
PLACES = {"Aachen": "west", "Bremen": "north", "Celle": "north", "Dresden": "east"}


def many(count: int = 300) -> pl.DataFrame:
    """Return firms in two industries whose town tells the region, with a date and an identifier that goes along."""
    towns = [list(PLACES)[i * i % 7 % 4] for i in range(count)]
    return pl.DataFrame(
        {
            "firm": [f"f{i:03}" for i in range(count)],
            "industry": ["x", "y", None][0:2] * (count // 2),
            "region": [PLACES[town] for town in towns],
            "town": towns,
            "number": [town[0] for town in towns],
            "listed": [date(2000 + i % 5, 1 + i % 12, 1 + i % 28) for i in range(count)],
        }
    )


@settings(max_examples=60)
@given(FIRMS)
def test_counts_stay_within_strata(firms: pl.DataFrame) -> None:
    """In each industry, null too, the same pairs of values are there as often as before."""
    dealt = firms.select("firm", "industry").join(
        deal(firms, ["place", "size"], within=["industry"], entity="firm", key=KEY), on="firm"
    )
    assert Counter(dealt.select("industry", "place", "size").iter_rows()) == Counter(
        firms.select("industry", "place", "size").iter_rows()
    )
    assert dealt["firm"].to_list() == firms["firm"].to_list()


@settings(max_examples=40)
@given(FIRMS, st.randoms(use_true_random=False))
def test_order_of_rows_makes_no_difference(firms: pl.DataFrame, shuffled: object) -> None:
    """Targets and sources in any other order give every firm the same."""
    other = firms.sample(fraction=1.0, shuffle=True, seed=shuffled.randrange(10**6))  # type: ignore[attr-defined]
    first = deal(firms, ["size"], within=["industry"], entity="firm", key=KEY)
    again = deal_into(
        firms.select("firm", "industry"), other.select("firm", "industry", "size"), entity="firm", key=KEY
    )
    assert first.equals(again)
    assert first.sort("firm").equals(deal(other, ["size"], within=["industry"], entity="firm", key=KEY).sort("firm"))


def test_another_key_deals_otherwise() -> None:
    """One key gives one dealing, another another."""
    first, again, other = (
        deal(many(), ["town"], within=["industry"], entity="firm", key=key) for key in (KEY, KEY, OTHER)
    )
    assert first.equals(again)
    assert not first.equals(other)


def test_owners_keep_their_value_no_more_often_than_by_chance() -> None:
    """Over 200 keys a firm of 12 gets its own number back in 1 of 12 cases, and each other firm's as often."""
    firms = pl.DataFrame({"firm": [f"f{i}" for i in range(12)], "number": range(12)})
    places: Counter[int] = Counter()
    for seed in range(200):
        dealt = deal(firms, ["number"], within=[], entity="firm", key=KEY.derive(str(seed)))
        places.update((number - i) % 12 for i, number in enumerate(dealt["number"]))
    check_rate(places[0], 2_400, 1 / 12)
    check_shares([places[i] for i in range(12)])


def drawn(declared: QuasiIdentifiers, firms: pl.DataFrame, *, fewest: int = 3) -> pl.DataFrame:
    """Draw the attributes of firms within their industries."""
    return sample_attributes(
        firms,
        declared,
        targets=firms.select("firm", "industry"),
        strata=["industry"],
        entity="firm",
        fewest=fewest,
        key=KEY,
    )


TOWNS = QuasiIdentifiers(
    kept=("industry",),
    dealt=(
        QuasiIdentifier(column="region"),
        QuasiIdentifier(column="town", within="region", along=("number",)),
        QuasiIdentifier(column="listed"),
    ),
)


def test_what_is_within_and_along_stays_consistent() -> None:
    """Every town stands in its region and with its number, and changes hands."""
    firms = many()
    found = drawn(TOWNS, firms)
    assert set(found.select("region", "town", "number").iter_rows()) <= {
        (region, town, town[0]) for town, region in PLACES.items()
    }
    assert (found["town"] != firms["town"]).sum() > 90
    for columns in (["industry", "region"], ["industry", "region", "town"], ["industry", "listed"]):
        assert Counter(found.select(columns).iter_rows()) == Counter(firms.select(columns).iter_rows())


def test_rare_values_are_left_out_with_what_hangs_on_them() -> None:
    """A region of two firms is blank, and so are towns within it and numbers along; others stay."""
    firms = many().with_columns(
        pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("south")).otherwise("region").alias("region")
    )
    found = drawn(TOWNS, firms)
    assert "south" not in found["region"].to_list()
    blank = found.filter(pl.col("region").is_null())
    assert blank.height == 2
    assert blank.select("town", "number").null_count().row(0) == (2, 2)
    assert found["region"].null_count() == 2


def test_a_rare_value_blanks_along_only_with_it() -> None:
    """A town of one firm is blank with its number, its region is not."""
    firms = many().with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("Essen")).otherwise("town").alias("town")
    )
    found = drawn(TOWNS, firms)
    blank = found.filter(pl.col("town").is_null())
    assert (blank.height, blank["number"].null_count(), blank["region"].null_count()) == (1, 1, 0)


@pytest.mark.parametrize(("fewest", "left_out"), [(60, 0), (61, 300)])
def test_a_date_counts_by_its_year(fewest: int, left_out: int) -> None:
    """Sixty firms have a year, three or so a day: the day does not count."""
    assert drawn(TOWNS, many(), fewest=fewest)["listed"].null_count() == left_out
