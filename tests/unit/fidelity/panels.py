"""A panel of invented firms that tests distort: four measures and their margin, three industries, four years."""

from collections.abc import Callable

import numpy as np
import polars as pl

from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel, Ratio, Sum
from validation.fidelity import EntityColumns
from validation.pair import Side

PANEL = Panel(
    tables=("accounts",),
    measures=(
        Measure(name="revenue", unit="EUR", decimals=2),
        Measure(name="cost", unit="EUR", decimals=2),
        Measure(name="profit", unit="EUR", decimals=2),
        Measure(name="margin", unit="%", decimals=1, additive=False),
        Measure(name="staff", unit="heads"),
    ),
    identities=(
        Sum(output="revenue", plus=("cost", "profit")),
        Ratio(output="margin", numerator=("profit",), denominator="revenue"),
    ),
    known=(("revenue",), ("revenue", "staff")),
)
NAMES = [measure.name for measure in PANEL.measures]
COLUMNS = EntityColumns(code="firm", industry="trade", sub_industry="branch", categories=("town", "opened"))
KEY = Key(bytes(32))
YEARS = (2020, 2021, 2022, 2023)
TRADES = ("baking", "brewing", "milling")


def side(firms: int = 180, *, seed: int = 1) -> Side:
    """Return firms that all report every year; staff follows revenue, and both grow from year to year."""
    rng = np.random.default_rng(seed)
    number = np.arange(firms)
    entities = pl.DataFrame(
        {
            "firm": [f"F{i:04}" for i in number],
            "trade": [TRADES[i % 3] for i in number],
            "branch": [f"{TRADES[i % 3]} {'small' if i % 2 else 'large'}" for i in number],
            "town": [("Ulm", "Bonn", "Kiel")[int(k)] for k in rng.integers(0, 3, firms)],
            "opened": rng.integers(1950, 2000, firms),
        }
    )
    sizes = rng.normal(12, 1, firms) + number % 3 / 2
    parts = []
    for i, year in enumerate(YEARS):
        revenue = np.exp(sizes + 0.05 * i + rng.normal(0, 0.2, firms)).astype(np.int64) * 100
        profit = (revenue * rng.normal(0.1, 0.1, firms)).astype(np.int64)
        staff = np.maximum(np.exp(sizes - 6 + rng.normal(0, 0.4, firms)), 1).astype(np.int64)
        parts.append(
            entities.select("firm").with_columns(
                pl.lit(year, pl.Int64).alias(PERIOD), revenue=revenue, profit=profit, staff=staff
            )
        )
    figures = pl.concat(parts).with_columns(
        cost=pl.col("revenue") - pl.col("profit"), margin=_margin(pl.col("profit"), pl.col("revenue"))
    )
    return Side(entities=entities, figures=figures.select("firm", PERIOD, *NAMES).sort("firm", PERIOD))


def changed(original: Side, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Side:
    """Return the side with other figures."""
    return Side(entities=original.entities, figures=change(original.figures))


def regrouped(original: Side, figures: pl.DataFrame, columns: list[str], by: list[str], seed: int = 3) -> pl.DataFrame:
    """Give some columns' figures to other firms of the same trade: at random among the rows that agree in `by`."""
    rng = np.random.default_rng(seed)
    rows = figures.join(original.entities.select("firm", "trade"), on="firm").sort("firm", PERIOD).with_row_index("row")
    to = np.arange(rows.height)
    for (places,) in rows.group_by(by, maintain_order=True).agg("row").select("row").iter_rows():
        to[np.array(places)] = rng.permutation(places)
    return rows.with_columns(rows[columns][to]).select(figures.columns)


def permuted_firms(original: Side, figures: pl.DataFrame, column: str, seed: int = 4) -> pl.DataFrame:
    """Give one measure's figures of all years to another firm of the same trade."""
    rng = np.random.default_rng(seed)
    trades = original.entities.sort("firm").group_by("trade", maintain_order=True).agg("firm")["firm"].to_list()
    other = {firm: str(new) for firms in trades for firm, new in zip(firms, rng.permutation(firms), strict=True)}
    moved = figures.select(pl.col("firm").replace_strict(other), PERIOD, pl.col(column))
    return figures.drop(column).join(moved, on=["firm", PERIOD]).select(figures.columns).sort("firm", PERIOD)


def _margin(profit: pl.Expr, revenue: pl.Expr) -> pl.Expr:
    """Return 100 * profit / revenue in tenths, rounded half away from zero."""
    magnitude = (2 * 1000 * profit.abs() + revenue) // (2 * revenue)
    return magnitude * profit.sign()
