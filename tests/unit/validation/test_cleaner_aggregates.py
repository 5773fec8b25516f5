"""Aggregates after cleaning: they differ where a truth is lost, and nowhere else unless the cleaner failed."""

from dataclasses import replace

import polars as pl
import pytest

from pipeline.derive import derive_aggregate
from pipeline.keyed import Key
from pipeline.model import (
    PERIOD,
    Aggregate,
    EntityView,
    Environment,
    Frames,
    LongFigures,
    PublishedTable,
    Truth,
    Views,
    WideFigures,
)
from pipeline.numerals import decimal_text
from tests.unit.validation.mills import MEASURES, MILLS, TOWNS, YEARS, conformed_mills
from validation.noise.cleaner.aggregates import Firms, Recomputed, recomputed
from validation.noise.cleaner.rereading import reread

FIRMS = 21
CONFORMED = conformed_mills(FIRMS)
TRUTH = Firms(entities=CONFORMED["mills"], figures=CONFORMED["accounts"])


def _long_rows(_: Truth) -> pl.DataFrame:
    names = [measure.name for measure in MEASURES]
    rows = TRUTH.figures.unpivot(names, index=["mill", PERIOD], variable_name="measure")
    value = decimal_text(pl.col("value"), 2).alias("value")
    return rows.select(
        pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"),
        "mill",
        pl.col(PERIOD).cast(pl.String),
        "measure",
        value,
    )


LONG = PublishedTable(
    path="figures.csv", columns=("id", "mill", PERIOD, "measure", "value"), needs=("figures",), render=_long_rows
)
ENTITIES = EntityView(table="mills", columns={"mill": "mill", "trade": "trade", "town": "town"})
ENVIRONMENT = replace(
    MILLS,
    aggregates=(
        Aggregate(name="by_trade", by=("trade",), counts=((),)),
        Aggregate(name="in_aachen", by=("trade",), members=lambda mills: mills.filter(pl.col("town") == TOWNS[0])),
    ),
    tables=(*MILLS.tables, LONG),
    views=Views(
        entities=ENTITIES,
        figures=(LongFigures(table="figures", code="mill", year=PERIOD, measure="measure", value="value"),),
    ),
)
IN_WIDE = replace(
    ENVIRONMENT, views=Views(entities=ENTITIES, figures=(WideFigures(table="accounts", code="mill", year=PERIOD),))
)
CLEAN = {
    table.name: table.render(Truth(tables={"mills": TRUTH.entities, "figures": TRUTH.figures}, order=Key(b"o" * 32)))
    for table in ENVIRONMENT.tables
}


def lost(*places: tuple[str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(places, schema=dict.fromkeys(("table", "row_key", "column"), pl.String), orient="row")


def compared(mended: Frames, gone: pl.DataFrame, environment: Environment = ENVIRONMENT) -> dict[str, Recomputed]:
    schema = TRUTH.entities.schema
    read = {
        name: reread(environment, name, CLEAN[name], rows, gone.filter(table=name), schema)
        for name, rows in mended.items()
    }
    derived = {
        name: frame
        for aggregate in environment.aggregates
        for name, frame in derive_aggregate(environment, aggregate, TRUTH.entities, TRUTH.figures).items()
    }
    return {one.table: one for one in recomputed(environment, read, CLEAN, derived, TRUTH)}


def with_cell(table: str, row: str, column: str, text: str | None) -> Frames:
    cell = pl.when(pl.col("id") == row).then(pl.lit(text)).otherwise(column).alias(column)
    return {table: CLEAN[table].with_columns(cell)}


def test_clean_tables_give_the_clean_aggregates() -> None:
    """Where nothing differs, nothing differs; and every cell is counted."""
    found = compared(CLEAN, lost())
    assert found.keys() == {"by_trade", "by_trade_counts", "in_aachen"}
    assert found["by_trade"].cells == 2 * len(YEARS) * len(MEASURES) * 5
    assert not any(one.touched or one.differing or one.unexplained for one in found.values())


def test_an_environment_without_views_compares_nothing() -> None:
    """Nobody knows where its figures stand."""
    assert compared(CLEAN, lost(), replace(ENVIRONMENT, views=None)) == {}


@pytest.mark.parametrize(
    ("environment", "table", "column"), [(ENVIRONMENT, "figures", "value"), (IN_WIDE, "accounts", "wages")]
)
def test_a_lost_figure_touches_its_group_year_and_measure(environment: Environment, table: str, column: str) -> None:
    """A figure that is gone for good may change the five statistics into which it enters, and is the reason for that."""
    row = CLEAN[table].row(0, named=True)
    found = compared(with_cell(table, row["id"], column, None), lost((table, row["id"], column)), environment)[
        "by_trade"
    ]
    assert found.touched == (5 if table == "figures" else 5 * len(MEASURES))
    assert 1 <= found.differing <= 5
    assert found.unexplained == 0


@pytest.mark.parametrize("text", [None, "1.00"])
def test_a_figure_that_was_missed_is_no_reason(text: str | None) -> None:
    """A figure that could be recovered and still differs makes cells differ without the reason of a lost truth."""
    found = compared(with_cell("figures", "5", "value", text), lost())["by_trade"]
    assert found.touched == 0
    assert found.unexplained == found.differing >= 1


def test_a_missed_figure_beside_a_lost_one_is_found() -> None:
    """Loss in one group does not excuse a difference in another."""
    figures = CLEAN["figures"]
    other = figures.filter(pl.col("measure") != figures["measure"][0])["id"][0]
    values = pl.when(pl.col("id").is_in(["1", other])).then(None).otherwise("value").alias("value")
    found = compared({"figures": figures.with_columns(values)}, lost(("figures", "1", "value")))["by_trade"]
    assert found.touched == 5
    assert 1 <= found.unexplained < found.differing


def test_a_lost_trade_touches_the_firms_groups_and_counts() -> None:
    """A firm whose group is unknown may be missing from every cell of its group."""
    found = compared(with_cell("mills", "1", "trade", None), lost(("mills", "1", "trade")))
    assert found["by_trade"].touched == len(YEARS) * len(MEASURES) * 5
    assert (found["by_trade_counts"].touched, found["by_trade_counts"].differing) == (1, 1)
    assert found["by_trade"].differing > 0
    assert not any(one.unexplained for one in found.values())


def test_a_lost_cell_on_which_no_aggregate_depends_touches_nothing() -> None:
    """A town is no reason for the statistics of trades, but for those that select by it."""
    in_aachen = CLEAN["mills"].filter(town=TOWNS[0])["id"][0]
    found = compared(with_cell("mills", in_aachen, "town", None), lost(("mills", in_aachen, "town")))
    assert found["by_trade"].touched == found["by_trade"].differing == 0
    assert found["in_aachen"].touched >= found["in_aachen"].differing > 0


def test_a_firm_in_a_wrong_group_touches_both() -> None:
    """Truth that is lost to another group's name touches the group it left and the one it came to."""
    here = CLEAN["mills"].row(0, named=True)
    other = next(trade for trade in CLEAN["mills"]["trade"].unique() if trade != here["trade"])
    found = compared(with_cell("mills", here["id"], "trade", other), lost(("mills", here["id"], "trade")))
    assert (found["by_trade_counts"].touched, found["by_trade_counts"].differing) == (2, 2)
    assert not any(one.unexplained for one in found.values())


def test_a_lost_row_touches_its_cells() -> None:
    """A row of figures that is gone for good is a reason as good as its cell."""
    found = compared({"figures": CLEAN["figures"][1:]}, lost(("figures", "1", "")))["by_trade"]
    assert found.touched == 5
    assert found.differing >= 1
    assert found.unexplained == 0


def test_firms_that_differ_nowhere_are_those_of_the_clean_tables() -> None:
    """What is derived for touched firms and others together is what reading everything back would give."""
    mended = with_cell("figures", "7", "value", "123.45")
    figure = TRUTH.figures.unpivot([m.name for m in MEASURES], index=["mill", PERIOD])[6]
    code, year, measure = (figure[column][0] for column in ("mill", PERIOD, "variable"))
    at = (pl.col("mill") == code) & (pl.col(PERIOD) == year)
    by_hand = TRUTH.figures.with_columns(pl.when(at).then(12345).otherwise(measure).alias(measure))
    before, after = (
        derive_aggregate(ENVIRONMENT, ENVIRONMENT.aggregates[0], TRUTH.entities, figures)["by_trade"]
        for figures in (TRUTH.figures, by_hand)
    )
    found = compared(mended, lost())["by_trade"]
    assert found.differing == before.join(after, on=before.columns, how="anti").height
