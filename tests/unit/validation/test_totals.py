"""Totals over parts: whatever the firms, what was derived adds up; each planted error is found where it is, and there alone."""

import polars as pl
import pytest
from hypothesis import given, settings

from tests.unit.validation.guilds import EXAMPLE, GUILDS, SHOPS, TOWNS, Release, Shop, release
from validation.consistency.totals import CheckedTotal, totals_over_parts


def totals_of(built: Release, **changed: pl.DataFrame) -> list[CheckedTotal]:
    return totals_over_parts(GUILDS, built.entities, built.figures, built.derived | changed)


def wrong(totals: list[CheckedTotal]) -> dict[tuple[str, str, str], CheckedTotal]:
    return {(total.total, total.parts, total.statistic): total for total in totals if total.disagreeing}


@settings(max_examples=15)
@given(SHOPS)
def test_what_was_derived_adds_up(shops: list[Shop]) -> None:
    """No firm without town or trade, no town outside the domain, no empty group, no sign makes an equation fail."""
    assert wrong(totals_of(release(shops))) == {}


def test_every_equation_is_there() -> None:
    """Trades make the nation, towns make trades, totals make towns, all make everyone, finer counts make coarser ones."""
    pairs = {(total.total, total.parts) for total in totals_of(release(EXAMPLE)) if total.cells}
    assert pairs == {
        ("national", "national"),
        ("national", "regional"),
        ("regional", "regional"),
        ("by_town", "regional"),
        ("by_town", "regional, totals"),
        ("mills", "national"),
        ("mills", "regional"),
        ("mills", "by_town"),
        ("national_counts", "national_counts"),
        ("national_counts", "regional_counts"),
        ("regional_counts", "regional_counts"),
        ("mills", "national_counts"),
        ("mills", "regional_counts"),
        ("national_counts", "national_counts by owner"),
        ("national_counts", "national_counts by size"),
        ("national_counts", "national_counts by owner and size"),
        ("national_counts by owner", "national_counts by owner and size"),
        ("national_counts by size", "national_counts by owner and size"),
        ("regional_counts", "regional_counts by owner and size"),
    }


def test_cells_are_counted_by_hand() -> None:
    """The nation and two trades by three measures; sums only of those that have one."""
    found = {(t.total, t.parts, t.statistic): t for t in totals_of(release(EXAMPLE))}
    assert found["national", "national", "max"].cells == 3
    assert found["national", "national", "sum"].cells == 2
    assert found["national", "regional", "n"].cells == 9
    assert found["mills", "by_town", "sum"].cells == 4


@pytest.mark.parametrize("off", [1, -1])
def test_one_cell_off_by_its_last_digit_is_found_and_named(off: int) -> None:
    """A town's sum that is one hundredth off breaks the equations of its trade, its town and everyone, which name it."""
    built = release(EXAMPLE)
    cell = {"town": "Bremen", "trade": "paper", "measure": "sales", "statistic": "sum"}
    mantissa = pl.when(**cell).then(pl.col("mantissa") + off).otherwise("mantissa")
    found = wrong(totals_of(built, regional=built.derived["regional"].with_columns(mantissa)))
    assert set(found) == {
        ("national", "regional", "sum"),
        ("regional", "regional", "sum"),
        ("by_town", "regional", "sum"),
        ("mills", "regional", "sum"),
    }
    assert found["national", "regional", "sum"].worst_cell == {"trade": "paper", "year": 2022, "measure": "sales"}
    assert found["regional", "regional", "sum"].worst_cell == {"town": "Bremen", "year": 2022, "measure": "sales"}
    assert {total.max_gap for total in found.values()} == {1}


@pytest.mark.parametrize(("statistic", "off"), [("max", 5), ("max", -5), ("min", 5), ("min", -5)])
def test_an_extreme_of_a_total_that_no_part_has_is_found(statistic: str, off: int) -> None:
    """The largest figure of the nation is that of a trade, and so is the smallest."""
    built = release(EXAMPLE)
    cell = {"trade": "all", "measure": "staff", "statistic": statistic}
    mantissa = pl.when(**cell).then(pl.col("mantissa") + off).otherwise("mantissa")
    found = wrong(totals_of(built, national=built.derived["national"].with_columns(mantissa)))
    assert set(found) == {("national", "national", statistic), ("national", "regional", statistic)}
    assert {total.max_gap for total in found.values()} == {5}


def test_the_sum_of_a_town_off_is_found() -> None:
    """A town's total over trades that is off is not the sum of its trades, nor a part of the nation's."""
    built = release(EXAMPLE)
    cell = {"town": "Aachen", "trade": "all", "measure": "staff", "statistic": "sum"}
    mantissa = pl.when(**cell).then(pl.col("mantissa") + 3).otherwise("mantissa")
    found = wrong(totals_of(built, regional=built.derived["regional"].with_columns(mantissa)))
    assert set(found) == {
        ("regional", "regional", "sum"),
        ("national", "regional", "sum"),
        ("by_town", "regional, totals", "sum"),
    }
    assert found["national", "regional", "sum"].worst_cell["trade"] == "all"


def test_a_count_off_by_one_is_found() -> None:
    """One firm too many in a town's trade: the trade, the town and everyone are one short of it."""
    built = release(EXAMPLE)
    cell = {"town": "Bremen", "trade": "paper", "breakdown": ""}
    count = pl.when(**cell).then(pl.col("count") + 1).otherwise("count")
    found = wrong(totals_of(built, regional_counts=built.derived["regional_counts"].with_columns(count)))
    assert set(found) == {
        ("national_counts", "regional_counts", "count"),
        ("regional_counts", "regional_counts", "count"),
        ("mills", "regional_counts", "count"),
        ("regional_counts", "regional_counts by owner and size", "count"),
    }
    assert found["national_counts", "regional_counts", "count"].worst_cell == {"trade": "paper"}


def test_a_firm_left_out_of_what_was_derived_is_found() -> None:
    """Aggregates of all firms but one do not add up to all firms, although they add up among themselves."""
    built, without = release(EXAMPLE), release(EXAMPLE[:-1])
    found = wrong(totals_over_parts(GUILDS, built.entities, built.figures, without.derived))
    assert {name[0] for name in found} >= {"mills"}
    assert not {name for name in found if name[0] == name[1]}


def test_a_total_without_any_part_is_found() -> None:
    """Parts that are all gone add up to nothing, where every shop is in a town."""
    built = release([shop for shop in EXAMPLE if shop[0] in TOWNS])
    found = wrong(totals_of(built, regional=built.derived["regional"].filter(pl.col("measure") != "sales")))
    assert ("national", "regional", "sum") in found


def test_row_order_makes_no_difference() -> None:
    """Shuffled tables give the same findings."""
    built = release(EXAMPLE)
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=1) for name, frame in built.derived.items()}
    assert totals_of(built, **shuffled) == totals_of(built)
