"""Domains against each other: what follows from the published text agrees, and each error in it is found by its own link."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from statistics import median

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.numerals import decimal_text
from tests.unit.validation.guilds import ENTITIES, EXAMPLE, GUILDS, NATIONAL, SHOPS, Release, Shop, release
from validation.consistency.domains import DomainLink, domain_links
from validation.consistency.recomputed import PLACES, published_firms, statistics_again

LINKS = {
    "figures of latest are those of accounts": ("enterprise", "enterprise"),
    "statistics in national are those of the firms": ("enterprise", "industry"),
    "statistics in regional are those of the firms": ("enterprise", "region"),
    "statistics in by_town are those of the firms": ("enterprise", "region"),
    "numbers of entities in national_counts are those of the published list": ("enterprise", "industry"),
    "numbers of entities in regional_counts are those of the published list": ("enterprise", "region"),
    "numbers in petition_counts are those of the rows of petitions": ("policy", "policy"),
    "trades in petitions: each stands in national": ("policy", "industry"),
}
NATION, TOWN = "statistics in national", "statistics in regional"


def links_of(built: Release, **changed: pl.DataFrame) -> list[DomainLink]:
    return domain_links(GUILDS, built.published | changed, ENTITIES)


def wrong(links: list[DomainLink]) -> dict[str, DomainLink]:
    return {link.what: link for link in links if link.disagreeing}


def with_value(frame: pl.DataFrame, cell: Mapping[str, str], value: pl.Expr | str | None) -> pl.DataFrame:
    """Return a table with the value of one cell replaced."""
    at = pl.all_horizontal(pl.col(name) == text for name, text in cell.items())
    assert frame.filter(at).height == 1
    return frame.with_columns(
        value=pl.when(at).then(pl.lit(value) if not isinstance(value, pl.Expr) else value).otherwise("value")
    )


@settings(max_examples=15)
@given(SHOPS)
def test_what_is_published_agrees(shops: list[Shop]) -> None:
    """Whatever the firms, every statement follows from its source, and each link is there."""
    links = links_of(release(shops))
    assert {link.what: (link.source, link.target) for link in links} == LINKS
    assert wrong(links) == {}


@settings(max_examples=15)
@given(SHOPS)
def test_statistics_equal_a_slow_oracle(shops: list[Shop]) -> None:
    """What is computed again are the sums, extremes and medians of plain fractions."""
    built = release(shops)
    firms = published_firms(GUILDS, built.published, ENTITIES)
    again = statistics_again(NATIONAL, firms, firms.panel)
    units = Fraction(10) ** -PLACES
    for row in again.rows(named=True):
        decimals = GUILDS.panel.measure(row["measure"]).decimals
        j = [measure.name for measure in GUILDS.panel.measures].index(row["measure"])
        figures = [
            Fraction(value, 10**decimals)
            for _, trade, _, _, rows in shops
            if (value := rows[1][j]) is not None and trade is not None and row["trade"] in {trade, "all"}
        ]
        assert row["n"] == len(figures)
        assert row["sum"] * units == sum(figures)
        assert (row["max"] * units, row["min"] * units) == (max(figures), min(figures))
        assert row["twice_median"] * units == 2 * median(figures)


@pytest.mark.parametrize("statistic", ["sum", "mean", "max", "min", "median"])
@pytest.mark.parametrize("share", ["1.0001", "0.99"])
def test_one_perturbed_statistic_is_found_and_named(statistic: str, share: str) -> None:
    """One cell of the nation's trades that is off breaks the link of that table alone, which names it."""
    built = release(EXAMPLE)
    cell = {"trade": "flour", "measure": "sales", "statistic": statistic}
    scaled = (pl.col("value").cast(pl.Float64) * float(share)).cast(pl.String)
    found = wrong(links_of(built, national=with_value(built.published["national"], cell, scaled)))
    assert [what.startswith(NATION) for what in found] == [True]
    (link,) = found.values()
    assert link.disagreeing == 1
    assert link.worst_cell == {**cell, "year": 2022}


@given(st.integers(-(10**15), 10**15), st.integers(1, 9), st.integers(0, 8), st.sampled_from([-1, 1]))
def test_a_mean_is_exact_to_its_last_digit(total: int, n: int, zeros: int, step: int) -> None:
    """A published mean of any size passes, and the next number of as many digits, up or down, does not."""
    figures = [total // 10**zeros, *([0] * (n - 1))]
    shops: list[Shop] = [("Aachen", "flour", None, "small", [(None, None, None), (None, None, x)]) for x in figures]
    built = release(shops)
    mean = {"trade": "flour", "measure": "staff", "statistic": "mean"}
    beside = decimal_text(pl.col("mantissa") + step, pl.col("scale")).alias("value")
    other = built.derived["national"].filter(**mean).select(beside).item()
    off = with_value(built.published["national"], mean, other)
    assert [link.worst_cell["statistic"] for link in wrong(links_of(built, national=off)).values()] == ["mean"]


def test_a_statistic_that_is_not_there_is_found() -> None:
    """A cell that should be published and is empty, or whose row is gone, disagrees like a wrong one."""
    built = release(EXAMPLE)
    cell = {"town": "Bremen", "trade": "paper", "measure": "staff", "statistic": "median"}
    at = pl.all_horizontal(pl.col(name) == text for name, text in cell.items())
    for frame in (with_value(built.published["regional"], cell, None), built.published["regional"].filter(~at)):
        (link,) = wrong(links_of(built, regional=frame)).values()
        assert (link.what.startswith(TOWN), link.disagreeing) == (True, 1)
        assert link.worst_cell == {**cell, "year": 2022}


@pytest.mark.parametrize("value", ["1,000", "", "n/a"])
def test_a_statistic_that_is_no_number_is_found(value: str) -> None:
    """Text that is no number disagrees."""
    built = release(EXAMPLE)
    cell = {"trade": "flour", "measure": "sales", "statistic": "sum"}
    assert len(wrong(links_of(built, national=with_value(built.published["national"], cell, value)))) == 1


def test_an_empty_group_may_be_empty_or_zero_and_nothing_else() -> None:
    """Where no firm reports a measure, the empty sum may stand; any other number disagrees."""
    shops = [shop for shop in EXAMPLE if shop[1] != "paper"]
    built = release(shops)
    cell = {"trade": "paper", "measure": "staff", "statistic": "sum"}
    values = {"0": 0, "0.00": 0, "1": 1}
    for value, disagreeing in values.items():
        links = links_of(built, national=with_value(built.published["national"], cell, value))
        assert sum(link.disagreeing for link in links if link.what.startswith(NATION)) == disagreeing


@pytest.mark.parametrize("value", ["17", "1", None])
def test_a_count_that_is_off_is_found(value: str | None) -> None:
    """A number of firms that is off, or gone, breaks the link of its table alone."""
    built = release(EXAMPLE)
    frame = built.published["national_counts"]
    is_cell = (pl.col("trade") == "paper") & pl.col("owner").is_null() & pl.col("size").is_null()
    assert frame.filter(is_cell)["value"].to_list() not in ([value], [])
    changed = frame.with_columns(value=pl.when(is_cell).then(pl.lit(value)).otherwise("value"))
    (link,) = wrong(links_of(built, national_counts=changed)).values()
    assert link.what.startswith("numbers of entities in national_counts")
    assert (link.disagreeing, link.worst_cell) == (1, {"trade": "paper"})


def test_a_firm_left_out_of_the_published_list_is_found() -> None:
    """Without one firm, statistics and counts of its groups no longer follow from the rest, and nothing else is said."""
    built = release(EXAMPLE)
    found = wrong(links_of(built, mills=built.published["mills"].tail(-1)))
    assert set(found) == {what for what in LINKS if what.startswith(("statistics", "numbers of entities"))}


def test_a_figure_that_two_tables_tell_otherwise_is_found() -> None:
    """A figure repeated wrongly breaks the link between the tables of figures alone, for the first is taken."""
    built = release(EXAMPLE)
    latest = built.published["latest"]
    cell = {"mill": "M7", "what": "SALES"}
    found = wrong(links_of(built, latest=with_value(latest, cell, pl.col("value") + "1")))
    assert list(found) == ["figures of latest are those of accounts"]
    (link,) = found.values()
    assert link.worst_cell == {"code": "M7", "year": 2022, "measure": "sales"}


def test_a_policy_count_that_is_off_is_found() -> None:
    """A number of petitions that is off by one breaks its link alone; so does a petition that is gone."""
    built = release(EXAMPLE)
    off = with_value(built.published["petition_counts"], {"trade": "paper"}, "3")
    (link,) = wrong(links_of(built, petition_counts=off)).values()
    assert (link.what.startswith("numbers in petition_counts"), link.worst_cell) == (True, {"trade": "paper"})
    (gone,) = wrong(links_of(built, petitions=built.published["petitions"].head(2))).values()
    assert (gone.disagreeing, gone.worst_cell) == (1, {"trade": "paper"})


def test_a_name_that_no_other_table_has_is_found() -> None:
    """A trade that petitions name and the industry table does not is named; so is its uncounted number."""
    built = release(EXAMPLE)
    renamed = built.published["petitions"].with_columns(pl.col("trades").str.replace("flour$", "flower"))
    found = wrong(links_of(built, petitions=renamed))
    assert found["trades in petitions: each stands in national"].worst_cell == {"trades": "flower"}
    assert {what.split(" ")[0] for what in found} == {"trades", "numbers"}


def test_tables_that_are_not_there_are_left_out() -> None:
    """A build without some raw tables has fewer links, and the others are the same."""
    built = release(EXAMPLE)
    some = {name: frame for name, frame in built.published.items() if name not in {"regional", "petitions", "latest"}}
    found = domain_links(GUILDS, some, ENTITIES)
    kept = {what for what in LINKS if not {"regional", "petitions", "latest"} & set(what.replace(":", "").split())}
    assert {link.what for link in found} == kept
    assert not wrong(found)


def test_without_domains_nothing_is_compared() -> None:
    """An environment that declares none has no links."""
    built = release(EXAMPLE)
    assert domain_links(replace(GUILDS, domains=None), built.published, ENTITIES) == []


def test_row_order_makes_no_difference() -> None:
    """Shuffled tables give the same findings, also where several cells are equally wrong."""
    built = release(EXAMPLE)
    zeros = built.published["national"].with_columns(value=pl.lit("0"))
    shuffled = {
        name: frame.sample(fraction=1, shuffle=True, seed=3)
        for name, frame in (built.published | {"national": zeros}).items()
    }
    assert links_of(built, **shuffled) == links_of(built, national=zeros)


def test_domains_name_their_tables() -> None:
    """What a build must read is listed once, in order."""
    assert GUILDS.domains is not None
    names = GUILDS.domains.tables()
    assert len(set(names)) == len(names)
    assert set(names) == {
        "national",
        "regional",
        "by_town",
        "national_counts",
        "regional_counts",
        "petition_counts",
        "petitions",
    }
