"""Suppressed cells: a default rule suppresses nothing, a rule what breaks it, and what is suppressed cannot be computed."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.derive import derive_aggregate
from pipeline.environment.model import Aggregate, Entities, Environment, Measure, Panel
from pipeline.errors import InputError
from pipeline.suppression import EXTREMES, CellRule, suppress, suppressed_cells

INDUSTRIES = "abcd"
PROVINCES = "pqr"
NATIONAL = Aggregate(name="national", by=("industry",), total_over="industry", total_label="all")
REGIONAL = Aggregate(
    name="regional",
    by=("province", "industry"),
    domain={"province": tuple(PROVINCES), "industry": tuple(INDUSTRIES)},
    total_over="industry",
    total_label="all",
)
FINER = Aggregate(name="finer", by=("industry", "owner"), total_over="owner", total_label="all")
Row = tuple[str, str | None, int]
"""Industry, province or owner, assets."""


def declared(*aggregates: Aggregate) -> Environment:
    return Environment(
        name="e",
        title="e",
        raw_tables=(),
        entities=Entities(
            tables=("firms",),
            code="code",
            name="name",
            industry="industry",
            sub_industry="industry",
            language="en",
            code_mention="",
        ),
        panel=Panel(tables=("figures",), measures=(Measure(name="assets", unit="USD"),)),
        aggregates=aggregates,
        tables=(),
    )


NESTED = declared(NATIONAL, REGIONAL)


def frames(rows: list[Row], second: str = "province") -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return entities and figures of the firms; `second` is what their second column is."""
    schema = {"code": pl.String, "industry": pl.String, second: pl.String, "year": pl.Int64, "assets": pl.Int64}
    whole = pl.DataFrame(
        [(f"c{i}", industry, place, 2022, assets) for i, (industry, place, assets) in enumerate(rows)],
        schema=schema,
        orient="row",
    )
    return whole.select("code", "industry", second), whole.select("code", "year", "assets")


def industry(name: str, *assets: int) -> list[Row]:
    return [(name, "p", value) for value in assets]


def reasons(rows: list[Row], rule: CellRule, environment: Environment) -> dict[tuple[str, ...], str]:
    """Return why each cell is suppressed, by its aggregate and group."""
    found = suppressed_cells(environment, *frames(rows), rule)
    return {
        tuple(filter(None, (row["aggregate"], row.get("province"), row["industry"]))): row["reason"]
        for row in found.to_dicts()
    }


FIRMS = st.lists(
    st.tuples(
        st.sampled_from(INDUSTRIES),
        st.sampled_from([*PROVINCES, "not published", None]),
        st.one_of(st.sampled_from([-5, 0, 1, 10, 10_000]), st.integers(-(10**17), 10**17)),
    ),
    min_size=1,
    max_size=40,
)
RULES = st.builds(CellRule, minimum_count=st.integers(1, 4), largest_share=st.sampled_from([0.6, 0.8, 1.0]))


@settings(max_examples=30)
@given(FIRMS)
def test_the_default_rule_suppresses_nothing(rows: list[Row]) -> None:
    """Without a rule the list is empty and every table is what was derived."""
    suppressed = suppressed_cells(NESTED, *frames(rows), CellRule())
    assert suppressed.is_empty()
    for aggregate in NESTED.aggregates:
        derived = derive_aggregate(NESTED, aggregate, *frames(rows))[aggregate.name]
        assert suppress(derived, aggregate, suppressed).equals(derived)


@settings(max_examples=30)
@given(FIRMS, RULES)
def test_no_published_cell_breaks_the_rule(rows: list[Row], rule: CellRule) -> None:
    """Each published cell has the firms and the shares that the rule wants, counted one by one; n and all rows are kept."""
    entities, figures = frames(rows)
    suppressed = suppressed_cells(NESTED, entities, figures, rule)
    for aggregate in NESTED.aggregates:
        derived = derive_aggregate(NESTED, aggregate, entities, figures)[aggregate.name]
        published = suppress(derived, aggregate, suppressed)
        assert published.drop("mantissa", "scale").equals(derived.drop("mantissa", "scale"))
        for row in published.drop_nulls("mantissa").to_dicts():
            sizes = [
                abs(assets)
                for industry, place, assets in rows
                if row["industry"] in {industry, "all"} and row.get("province", place) == place
            ]
            assert len(sizes) == row["n"] >= rule.minimum_count
            assert max(sizes) <= rule.largest_share * sum(sizes) * (1 + 1e-12)


def test_small_and_dominated_cells_are_told_apart() -> None:
    """One firm is too few, nine tenths in one hand are too much; what is neither stays."""
    rows = industry("a", 1) + industry("b", 90, 5, 5) + industry("c", 7, 7, 7)
    environment = declared(Aggregate(name="by industry", by=("industry",)))
    found = reasons(rows, CellRule(minimum_count=2, largest_share=0.8), environment)
    assert found == {("by industry", "a"): "count", ("by industry", "b"): "dominance"}


def test_losses_count_towards_a_share() -> None:
    """A firm that makes most of a sum of mixed signs does not dominate where a loss is as large."""
    rule = CellRule(largest_share=0.6)
    assert reasons(industry("a", 100, -100, 1), rule, declared(NATIONAL)) == {}
    assert ("national", "a") in reasons(industry("a", 100, -10, 1), rule, declared(NATIONAL))


def test_a_single_suppressed_part_takes_the_smallest_that_protects_it() -> None:
    """The next cell goes with it, the smallest one, and the total stays."""
    rows = industry("a", 5) + industry("b", 4, 4, 4) + industry("c", 3, 3, 3) + industry("d", 9, 9, 9)
    found = reasons(rows, CellRule(minimum_count=3), declared(NATIONAL))
    assert found == {("national", "a"): "count", ("national", "c"): "complementary"}


def test_a_companion_that_is_too_small_protects_nothing() -> None:
    """Beside a giant a tiny cell is no cover: the smallest that brings the giant's share below the rule's is taken."""
    rows = industry("a", 1_000) + industry("b", 1, 1, 1) + industry("c", 500, 500, 500) + industry("d", *[300] * 9)
    found = reasons(rows, CellRule(minimum_count=3, largest_share=0.6), declared(NATIONAL))
    assert found == {("national", "a"): "count", ("national", "c"): "complementary"}


def test_two_single_firms_do_not_protect_each_other() -> None:
    """Either of two single firms could subtract itself from what is left, so a third cell goes with them."""
    rows = industry("a", 5) + industry("b", 6) + industry("c", 3, 3, 3) + industry("d", 9, 9, 9)
    found = reasons(rows, CellRule(minimum_count=3), declared(NATIONAL))
    assert found == {("national", "a"): "count", ("national", "b"): "count", ("national", "c"): "complementary"}


def test_parts_that_are_never_published_are_protected_too() -> None:
    """A nation less its published provinces is the one firm elsewhere: a province is suppressed with it."""
    rows: list[Row] = [("a", place, 9) for place in (*"ppppqqqq", "not published")]
    found = reasons(rows, CellRule(minimum_count=3), NESTED)
    assert {cell[1] for cell in found if cell[0] == "regional"} == {"p"}
    assert set(found.values()) == {"complementary"}


def test_firms_without_a_group_are_protected_too() -> None:
    """A firm without an owner is in its industry and in no total over owners: neither total nor owners give it away."""
    rows: list[Row] = [("a", owner, 9) for owner in (*"xxxxyyyy", None)]
    environment = declared(Aggregate(name="coarse", by=("industry",)), FINER)
    found = suppressed_cells(environment, *frames(rows, "owner"), CellRule(minimum_count=3))
    assert found.select("aggregate", "industry", "owner").rows() == [("finer", "a", "all"), ("finer", "a", "x")]


@settings(max_examples=50)
@given(FIRMS, RULES)
def test_no_suppressed_cell_follows_from_the_published_ones(rows: list[Row], rule: CellRule) -> None:
    """Not by all sums together: the published sums of both tables leave each suppressed one open, by the rank of a matrix."""
    check_nothing_follows(rows, set(reasons(rows, rule, NESTED)))


def test_the_search_for_what_follows_can_fail() -> None:
    """Where only the cells that break a rule are left out, the search finds one that follows."""
    rows = industry("a", 5) + industry("b", 4, 4, 4)
    with pytest.raises(AssertionError):
        check_nothing_follows(rows, {("national", "a"), ("regional", "p", "a")})


def check_nothing_follows(rows: list[Row], suppressed: set[tuple[str, ...]]) -> None:
    atoms = sorted({(place or "", name) for name, place, _ in rows})
    cells: dict[tuple[str, ...], list[bool]] = {
        (("regional", place, name) if place else ("national", name)): [
            place in {"", where} and name in {"all", what} for where, what in atoms
        ]
        for place, name in product(["", *PROVINCES], [*INDUSTRIES, "all"])
    }
    nothing = [False] * len(atoms)
    known = np.array([nothing, *(row for cell, row in cells.items() if cell not in suppressed)], float)
    rank = np.linalg.matrix_rank(known)
    for cell in suppressed:
        assert np.linalg.matrix_rank(np.vstack([known, cells[cell]])) > rank, cell


@settings(max_examples=30)
@given(FIRMS, RULES)
def test_what_is_left_of_a_total_obeys_the_rule(rows: list[Row], rule: CellRule) -> None:
    """Take the published industries from the published total: the firms that remain could be published as one cell."""
    hidden = {cell[1] for cell in reasons(rows, rule, declared(NATIONAL))}
    assume("all" not in hidden)
    left = [abs(assets) for name, _, assets in rows if name in hidden]
    assert not left or len(left) >= rule.minimum_count
    assert not left or max(left) <= rule.largest_share * sum(left) * (1 + 1e-12)


@settings(max_examples=30)
@given(FIRMS, RULES, st.integers(0, 9))
def test_row_order_makes_no_difference(rows: list[Row], rule: CellRule, seed: int) -> None:
    """Shuffled firms and figures give the same list."""
    entities, figures = frames(rows)
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=seed) for frame in (entities, figures)]
    expected = suppressed_cells(NESTED, entities, figures, rule)
    assert suppressed_cells(NESTED, shuffled[0], shuffled[1], rule).equals(expected)


def test_extremes_are_suppressed_where_they_are_not_kept() -> None:
    """Maximum and minimum of every cell go, its other statistics stay, and the list says why."""
    environment, rows = declared(NATIONAL), industry("a", 1, 2, 3) + industry("b", 4, 5, 6)
    suppressed = suppressed_cells(environment, *frames(rows), CellRule(keeps_extremes=False))
    assert suppressed["reason"].to_list() == ["extreme"] * 3
    derived = derive_aggregate(environment, NATIONAL, *frames(rows))["national"]
    published = suppress(derived, NATIONAL, suppressed)
    assert set(published.filter(pl.col("mantissa").is_null())["statistic"]) == set(EXTREMES)
    is_other = ~pl.col("statistic").is_in(EXTREMES)
    assert published.filter(is_other).equals(derived.filter(is_other))


def test_the_list_says_which_cells_and_why() -> None:
    """One row a cell: table, group, year, measure, firms and reason; nothing but text and counts."""
    found = suppressed_cells(NESTED, *frames(industry("a", 5)), CellRule(minimum_count=2))
    assert found.columns == ["aggregate", "industry", "province", "year", "measure", "n", "reason"]
    assert found.rows() == [
        ("national", "a", None, 2022, "assets", 1, "count"),
        ("national", "all", None, 2022, "assets", 1, "count"),
        ("regional", "a", "p", 2022, "assets", 1, "count"),
        ("regional", "all", "p", 2022, "assets", 1, "count"),
    ]


@pytest.mark.parametrize(
    ("field", "value"), [("minimum_count", 0), ("largest_share", 0.0), ("largest_share", 1.1)], ids=str
)
def test_a_rule_that_makes_no_sense_is_refused(field: str, value: float) -> None:
    """A count below 1 and a share outside (0, 1] are errors that say what is allowed."""
    with pytest.raises(InputError, match=f"{field} is {value}; allowed: "):
        CellRule(**{field: value})  # type: ignore[arg-type]
