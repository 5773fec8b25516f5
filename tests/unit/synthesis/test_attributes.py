"""Declared attributes are drawn from noised counts: what hangs together stays together, and owners keep nothing."""

from collections import Counter
from datetime import date

import polars as pl
import pytest

from anonymize.synthesis.account import BudgetAccount
from anonymize.synthesis.entities.attributes import sample_attributes
from anonymize.synthesis.entities.categories import MOST_OF_CATEGORIES, Allowance
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import QuasiIdentifier, QuasiIdentifiers
from tests.stats import check_rate
from tests.unit.synthesis.test_categories import Recorded

KEY, OTHER = Key(b"k" * 32), Key(b"o" * 32)
PLACES = {"Aachen": "west", "Bremen": "north", "Celle": "north", "Dresden": "east"}


def many(count: int = 600) -> pl.DataFrame:
    """Return firms in two industries whose town tells the region, with a date and an identifier that goes along."""
    towns = [list(PLACES)[i * i % 7 % 4] for i in range(count)]
    return pl.DataFrame(
        {
            "firm": [f"f{i:03}" for i in range(count)],
            "industry": ["x", "y"] * (count // 2),
            "region": [PLACES[town] for town in towns],
            "town": towns,
            "number": [town[0] for town in towns],
            "listed": [date(2000 + i % 5, 1 + i % 12, 1 + i % 28) for i in range(count)],
            "founded": [date(1990 + i % 5, 1 + i % 7, 1 + i % 28) for i in range(count)],
        }
    )


TOWNS = QuasiIdentifiers(
    kept=("industry",),
    dealt=(
        QuasiIdentifier(column="region"),
        QuasiIdentifier(column="town", within="region", along=("number",)),
        QuasiIdentifier(column="listed", along=("founded",)),
    ),
)


def drawn(
    declared: QuasiIdentifiers,
    firms: pl.DataFrame,
    *,
    account: BudgetAccount | None = None,
    key: Key = KEY,
    nested: str = "",
) -> pl.DataFrame:
    """Draw the attributes of firms within their industries."""
    account = account or BudgetAccount(budget=20.0, key=key.derive("noise"))
    return sample_attributes(
        firms,
        declared,
        targets=firms.select("firm", "industry"),
        nested=nested,
        called="firms",
        allowance=Allowance(account=account, rho=MOST_OF_CATEGORIES, cells=firms.height),
        key=key,
    )


def test_what_is_within_and_along_stays_consistent() -> None:
    """Every town stands in its region and with its number, in about as many cases as before; the industry is the owner's."""
    firms = many()
    found = drawn(TOWNS, firms)
    assert found.columns == firms.columns
    assert found.select("firm", "industry").equals(firms.select("firm", "industry"))
    blank = {(None, None, None), *((region, None, None) for region in PLACES.values())}
    told = set(found.select("region", "town", "number").iter_rows())
    assert told <= blank | {(region, town, town[0]) for town, region in PLACES.items()}
    before, after = (Counter(frame["town"]) for frame in (firms, found))
    assert all(abs(before[town] - after[town]) < 40 for town in PLACES)


def test_owners_keep_their_value_no_more_often_than_by_chance() -> None:
    """Under twenty keys a firm has its own town as often as towns have it that share."""
    firms, kept, chance = many(), 0, 0.0
    for seed in range(20):
        found = drawn(TOWNS, firms, key=KEY.derive(str(seed)))
        kept += int((found["town"] == firms["town"]).sum())
        chance += sum((found["town"] == town).sum() * (firms["town"] == town).sum() for town in PLACES) / 600
    check_rate(kept, 20 * 600, chance / (20 * 600))


def test_order_of_rows_makes_no_difference_and_another_key_does() -> None:
    """Firms in any other order have the same attributes; under another key they have others."""
    firms = many()
    first, again = drawn(TOWNS, firms), drawn(TOWNS, firms.sample(fraction=1.0, shuffle=True, seed=5))
    assert first.sort("firm").equals(again.sort("firm"))
    assert not first.equals(drawn(TOWNS, firms, key=OTHER))


def test_nothing_but_noised_counts_decides() -> None:
    """Attributes change owners, and their counts: behind the same noised counts every firm is drawn as before."""
    firms = many()
    columns = [name for name in firms.columns if name not in {"firm", "industry"}]
    mixed = firms.select("firm", "industry").hstack(firms.select(columns).sample(600, with_replacement=True, seed=3))
    first, other = (drawn(TOWNS, each, account=Recorded(budget=20.0, key=KEY)) for each in (firms, mixed))
    assert first.equals(other)


def test_rare_values_are_left_out_with_what_hangs_on_them() -> None:
    """A region of two firms is blank, and so are towns within it and numbers along."""
    firms = many().with_columns(
        pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("south")).otherwise("region").alias("region")
    )
    found = drawn(TOWNS, firms)
    assert "south" not in found["region"].to_list()
    blank = found.filter(pl.col("region").is_null())
    assert blank.select("town", "number").null_count().row(0) == (blank.height, blank.height)


def test_a_date_counts_by_its_year_and_one_along_by_the_years_between() -> None:
    """Of five years every one is there, days are all the same, and each firm was founded ten years before."""
    found = drawn(TOWNS, many())
    assert set(found["listed"].drop_nulls()) == {date(2000 + i, 7, 1) for i in range(5)}
    told = found.drop_nulls("listed")
    assert (told["listed"].dt.year() - told["founded"].dt.year()).unique().to_list() == [10]
    assert found.filter(pl.col("listed").is_null())["founded"].null_count() == found["listed"].null_count()


KNOWN = QuasiIdentifiers(
    kept=("industry",),
    dealt=(
        QuasiIdentifier(column="region", known=("west", "north", "east", "south")),
        QuasiIdentifier(
            column="town",
            within="region",
            along=("number",),
            known={"west": ("Aachen",), "north": ("Bremen", "Celle", "Kiel"), "east": ("Dresden",)},
        ),
        QuasiIdentifier(column="listed", known=tuple(range(2000, 2005))),
    ),
)


def test_a_declared_vocabulary_needs_no_threshold() -> None:
    """Of forty firms every town of the vocabulary may be drawn, in its region alone; what it leaves out alone is blank."""
    firms = many(40)
    found = pl.concat([drawn(KNOWN, firms, key=KEY.derive(str(seed))) for seed in range(20)])
    assert set(found.select("region", "town").iter_rows()) == {
        ("south", None),
        ("north", "Kiel"),
        *((region, town) for town, region in PLACES.items()),
    }
    assert found["listed"].null_count() == 0
    assert all(number in {None, town[0]} for town, number in found.select("town", "number").drop_nulls().iter_rows())


def test_what_is_nested_is_counted_by_industry() -> None:
    """An attribute of which each industry has its own categories is drawn from those, with one statistic."""
    firms = many(1200).with_columns(pl.concat_str("industry", "region").alias("region"))
    account = BudgetAccount(budget=1.0, key=KEY)
    declared = QuasiIdentifiers(kept=("industry",), dealt=(QuasiIdentifier(column="region"),))
    found = drawn(declared, firms, account=account, nested="region").drop_nulls("region")
    assert (found["region"].str.slice(0, 1) == found["industry"]).all()
    by_industry = QuasiIdentifiers(
        kept=("industry",),
        dealt=(QuasiIdentifier(column="region", known={each: (f"{each}west", f"{each}east") for each in "xy"}),),
    )
    found = drawn(by_industry, firms, account=BudgetAccount(budget=1.0, key=KEY))
    assert set(found.select("industry", "region").iter_rows()) == {
        (i, f"{i}{r}") for i in "xy" for r in ("west", "east")
    }
    assert [line.rho for line in account.lines] == [MOST_OF_CATEGORIES]


def test_a_vocabulary_within_another_attribute_is_declared_by_its_values() -> None:
    """A flat vocabulary of what is within something is refused."""
    with pytest.raises(InputError, match="'town' is within 'region': give its vocabulary by value of that"):
        QuasiIdentifier(column="town", within="region", known=("Aachen",))
