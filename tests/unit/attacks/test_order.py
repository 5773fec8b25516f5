"""The order attack finds orders that follow the originals, and lets keyed ones pass as often as it says."""

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from anonymize.codes import pseudonymous_codes
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import PublishedTable, Truth
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import CODE, US_LISTED
from tests.stats import check_rate_within
from validation.attacks.records.order import (
    ENTITY,
    FAMILY_WISE,
    FEWEST,
    LIMIT,
    POSITION,
    bound,
    order_attack,
    order_attacks,
    original_columns,
    published_orders,
    rank_correlations,
)

KEY = Key(b"k" * 32)
FIRMS = 2_000
FIGURES = 30


def originals(firms: int = FIRMS) -> pl.DataFrame:
    """Return firms in raw order, with figures, gaps and a category that have nothing to do with it."""
    frame = pl.DataFrame({ENTITY: [f"{100_000 + 7 * i}" for i in range(firms)]}).with_row_index("row in firms")
    drawn = [KEY.draw(ENTITY, pl.lit(str(i))).alias(f"figure {i}") for i in range(FIGURES)]
    frame = frame.with_columns(drawn)
    return frame.with_columns(
        pl.when(pl.col("figure 1") % 3 > 0).then("figure 1"),
        sector=pl.concat_str(pl.lit("sector "), (pl.col("figure 2") % 5).cast(pl.String)),
    )


def positions(frame: pl.DataFrame, by: pl.Expr) -> pl.DataFrame:
    return frame.select(ENTITY, by.alias(POSITION))


def published(path: str = "firms.csv", row_key: str = "id") -> PublishedTable:
    """Declare a published table; it is never rendered here."""
    return PublishedTable(
        path=path, columns=("id", "code"), needs=(), row_key=row_key, render=lambda truth: truth.tables["none"]
    )


def text(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows as they are published, with ids that count them."""
    return frame.select(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"), pl.col(ENTITY).alias("code"))


def test_the_raw_order_is_found() -> None:
    """Rows published as they came correlate with the rows of the raw table, and with nothing else."""
    frame = originals()
    found = order_attack("order", positions(frame, pl.col("row in firms")), frame)
    assert (found.records, found.successes) == (FIGURES + 2, 1)
    assert "1.000 with 'row in firms'" in found.detail
    assert found.beats_chance(FAMILY_WISE)


@pytest.mark.parametrize("column", ["figure 0", "figure 1", "sector"])
def test_rows_sorted_by_a_raw_column_are_found(column: str) -> None:
    """A table sorted by a figure, with gaps or without, or by a category tells of that column, backwards as well."""
    frame = originals()
    found = order_attack("order", positions(frame, -pl.col(column).rank("ordinal").cast(pl.Int64)), frame)
    assert found.successes >= 1
    assert column in found.detail


def test_a_block_at_the_end_is_found() -> None:
    """One firm in ten, put last because it came last, is enough although the order is keyed otherwise."""
    frame = originals()
    late = pl.col("row in firms") >= FIRMS * 9 // 10
    found = order_attack("order", frame.sort(late, KEY.mac(ENTITY)).select(ENTITY).with_row_index(POSITION), frame)
    assert found.successes == 1


def test_a_keyed_order_is_not_found() -> None:
    """An order by a keyed function of the code correlates with no column beyond the bound."""
    frame = originals()
    found = order_attack("order", positions(frame, KEY.mac(ENTITY)), frame)
    assert (found.records, found.successes) == (FIGURES + 2, 0)


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.none() | st.sampled_from("abc"), st.none() | st.integers(-9, 9)),
        min_size=FEWEST,
        max_size=60,
    )
)
def test_correlations_equal_those_of_scipy(rows: list[tuple[int, str | None, int | None]]) -> None:
    """With ties and gaps, of text as of numbers, each coefficient is scipy's over the rows that have a value."""
    frame = pl.DataFrame(rows, schema={POSITION: pl.Int64, "text": pl.String, "number": pl.Int64}, orient="row")
    found = rank_correlations(frame.with_columns(pl.lit("x").alias(ENTITY)))
    for column, n, correlation in found.iter_rows():
        known = frame.drop_nulls(column)
        assert n == known.height >= FEWEST
        assert correlation == pytest.approx(spearmanr(known[POSITION], known[column].rank()).statistic, abs=1e-9)
    constant = [
        name for name in ("text", "number") if min(frame.drop_nulls(name)[c].n_unique() for c in (name, POSITION)) < 2
    ]
    short = [name for name in ("text", "number") if frame[name].count() < FEWEST]
    assert {*found["column"], *constant, *short} == {"text", "number"}


def test_a_random_order_exceeds_the_bound_as_seldom_as_it_says() -> None:
    """Of 4,000 orders of 200 firms no more go beyond the bound of one column than one in a thousand."""
    ranks = np.arange(200, dtype=np.float64)
    orders = np.random.default_rng(5).permuted(np.tile(ranks, (4_000, 1)), axis=1)
    correlations = np.corrcoef(orders, ranks)[-1, :-1]
    beyond = int((np.abs(correlations) > bound(np.array([200]), 1)).sum())
    check_rate_within(beyond, len(orders), FAMILY_WISE / 2, FAMILY_WISE)


def test_the_bound_is_the_limit_where_there_are_firms_enough() -> None:
    """For 100 columns a random order stays below the limit from 21,000 firms on; below, luck is allowed for."""
    assert bound(np.array([22_000]), 100)[0] == LIMIT
    assert bound(np.array([20_000]), 100)[0] > LIMIT
    assert bound(np.array([1_001]), 1)[0] == pytest.approx(3.2905267 / math.sqrt(1_000))  # normal quantile of 0.9995


def test_too_few_firms_are_no_evidence() -> None:
    """Below `FEWEST` entities nothing is correlated, and the attack says so by having no records."""
    frame = originals(FEWEST - 1)
    found = order_attack("order", positions(frame, pl.col("row in firms")), frame)
    assert (found.records, found.successes, found.detail) == (0, 0, "")


def test_ids_that_keep_the_raw_order_are_found() -> None:
    """Rows in keyed order with ids in raw order give the order away by their ids alone."""
    frame = originals()
    table = text(frame).sort(KEY.mac("code"))
    found = {attack.attack: attack.successes for attack in order_attacks([published()], {"firms": table.lazy()}, frame)}
    assert found == {"order of firms, rows": 0, "order of firms, ids": 1}


def test_ids_that_count_rows_are_the_row_order() -> None:
    """They are not told of twice."""
    assert list(published_orders(published(), text(originals()).lazy(), originals()[ENTITY])) == ["rows"]


def test_a_code_is_no_id() -> None:
    """A table whose rows are named by the code has no ids to attack."""
    table = text(originals()).drop("id").reverse()
    assert list(published_orders(published(row_key="code"), table.lazy(), originals()[ENTITY])) == ["rows"]


def test_the_names_of_columns_play_no_part_in_finding_the_codes() -> None:
    """A long table of values and variables is attacked like any other."""
    rows = pl.DataFrame({"id": ["1", "2"], "variable": ["x", "y"], "value": ["1", "2"], "code": ["b", "a"]})
    found = published_orders(published(), rows.lazy(), pl.Series(["a", "b", "c"]))["rows"].sort(POSITION)
    assert found[ENTITY].to_list() == ["b", "a"]


def test_an_entity_stands_where_its_first_row_does() -> None:
    """In a long table every further row of a firm says nothing."""
    rows = pl.DataFrame({"id": ["1", "2", "3", "4"], "code": ["b", "b", "a", "b"]})
    found = published_orders(published(), rows.lazy(), pl.Series(["a", "b", "c"]))["rows"].sort(ENTITY)
    assert found.rows() == [("a", 1.0), ("b", 0.5)]


@pytest.mark.parametrize(
    ("order", "successes"), [("row", 0), ("code", 0), ("", 1)], ids=["keyed rows", "keyed entities", "as it was"]
)
def test_entities_of_many_rows_do_not_look_as_if_order_were_kept(order: str, successes: int) -> None:
    """They stand early in every order of rows; where the order is the originals', it is found all the same."""
    owners = [f"firm {number}" for number in range(400) for _ in range(1 + number * number // 400)]
    raw = pl.DataFrame({"code": owners}).with_row_index("row").sort(KEY.mac(pl.lit("raw"), "row" if order else "code"))
    rows = raw.sort(KEY.mac(pl.lit("published"), order), "row") if order else raw
    told = rows.select(id=pl.lit("1"), code="code")
    positions = published_orders(published(), told.lazy(), pl.Series(owners).unique())["rows"]
    first = raw["code"].unique(maintain_order=True).alias(ENTITY).to_frame().with_row_index("row in flights")
    assert order_attack("order", positions, first).successes == successes


def test_tables_without_entities_are_not_attacked() -> None:
    """Aggregates have no firms, a table that was left out has no rows."""
    rows = pl.DataFrame({"id": ["1", "2"], "sector": ["x", "y"]})
    found = order_attacks([published(), published("absent.csv")], {"firms": rows.lazy()}, originals())
    assert found == []


def test_raw_ids_are_compared_with_as_numbers() -> None:
    """What is read and dropped, such as a row number, is compared with, and `10` comes after `9`."""
    count = 40
    codes = [f"{i:06d}.SZ" for i in range(count)]
    raw = pl.DataFrame(
        {"bmCode": codes, "id": [str(count - i) for i in range(count)], "createTime": ["1/9/2025"] * count}
    )
    conformed = {
        "company_profile": pl.DataFrame({"bmCode": codes, "city": ["x", "y"] * (count // 2)}),
        "company_operation_status": pl.DataFrame(
            {"bmCode": codes, "year": 2022} | {m.name: 1 for m in DATACLAW_18.panel.measures},
            schema_overrides={"year": pl.Int64},
        ),
    }
    published_as = {code: f"{900_000 - i}" for i, code in enumerate(codes)}
    columns = original_columns(
        DATACLAW_18, DATACLAW_18.entities, conformed, {"company_profile": raw.lazy()}, published_as
    )
    assert columns.select(ENTITY, "row in company_profile", "'id' in company_profile").row(10) == ("899990", 10, 30.0)
    found = rank_correlations(columns.with_columns(pl.col("row in company_profile").alias(POSITION)))
    by_column = dict(found.select("column", "correlation").iter_rows())
    assert by_column["'id' in company_profile"] == pytest.approx(-1)
    assert "'createTime' in company_profile" not in by_column


def test_of_a_measure_the_latest_figure_of_each_entity_is_compared_with() -> None:
    """Whoever has not filed for the last year counts with an earlier one; where a figure is missing, the one before counts."""
    measures = [measure.name for measure in DATACLAW_18.panel.measures]
    rows = [("a", 2021, 1), ("a", 2022, 2), ("b", 2021, 3), ("c", 2021, 4), ("c", 2022, None)]
    status = pl.DataFrame(
        [(code, year, *[figure] * len(measures)) for code, year, figure in rows],
        schema={"bmCode": pl.String, "year": pl.Int64} | dict.fromkeys(measures, pl.Int64),
        orient="row",
    )
    conformed = {"company_profile": pl.DataFrame({"bmCode": ["a", "b", "c"]}), "company_operation_status": status}
    codes = {code: code for code in "abc"}
    columns = original_columns(DATACLAW_18, DATACLAW_18.entities, conformed, {}, codes)
    assert columns.sort(ENTITY)[measures[0]].to_list() == [2, 3, 4]


def test_the_profiles_of_listed_companies_tell_nothing_by_their_order(listed_tables: Path) -> None:
    """The published profiles pass in every raw column; the same rows in the order of the raw table do not."""
    conformed = conform(US_LISTED.raw_tables, listed_tables).frames
    securities = conformed["securities"]
    codes = pseudonymous_codes(securities[CODE], KEY.derive("codes"), avoid=securities[CODE])
    hidden = securities.with_columns(pl.col(CODE).replace_strict(codes))
    profile = US_LISTED.table("company_profile")
    rendered = profile.render(Truth(tables={"securities": hidden}, order=KEY.derive("order")))
    raw = pl.read_csv(listed_tables / "securities.csv", infer_schema=False)
    columns = original_columns(US_LISTED, US_LISTED.entities, conformed, {"securities": raw.lazy()}, codes)
    (found,) = order_attacks([profile], {profile.name: rendered.lazy()}, columns)
    assert found.records > 80
    assert found.successes == 0
    as_they_came = text(raw.select(pl.col(CODE).replace_strict(codes).alias(ENTITY)))
    (found,) = order_attacks([published()], {"firms": as_they_came.lazy()}, columns)
    assert "1.000 with 'row in securities'" in found.detail
