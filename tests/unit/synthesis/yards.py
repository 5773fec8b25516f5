"""Planted originals: yards of five trades with heavy tails, zeros, gaps, both signs and identities, docks and visits."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from anonymize.synthesis import Synthesis, synthesise
from anonymize.tables import original_figures, sampled_figures
from pipeline.keyed import Key
from pipeline.model import (
    PERIOD,
    Column,
    Environment,
    Frames,
    Growth,
    Identity,
    Measure,
    Panel,
    QuasiIdentifier,
    QuasiIdentifiers,
    Ratio,
    RawTable,
    Role,
    Sum,
)
from pipeline.model.identities import stated_by
from tests.unit.validation.mills import MILLS

KEY, OTHER_KEY = Key(b"k" * 32), Key(b"o" * 32)
YEARS = (2020, 2021, 2022)
BUDGET = 20.0
MEASURES = (
    Measure(name="sales", unit="EUR", decimals=2),
    Measure(name="cost", unit="EUR", decimals=2),
    Measure(name="profit", unit="EUR", decimals=2),
    Measure(name="margin", unit="%", decimals=1, additive=False),
    Measure(name="growth", unit="%", decimals=1, additive=False),
    Measure(name="staff", unit="heads"),
    Measure(name="gift", unit="EUR"),
    Measure(name="luck", unit="EUR"),
)
IDENTITIES: tuple[Identity, ...] = (
    Sum(output="profit", plus=("sales",), minus=("cost",)),
    Ratio(output="margin", numerator=("profit",), denominator="sales"),
    Growth(output="growth", base="sales"),
)
TRADES = ("flour", "oil", "paper", "saw", "silk")
TOWNS = {"Aachen": "west", "Bremen": "north", "Celle": "north", "Dresden": "east"}
_ATTRIBUTES = (
    Column(name="mill", role=Role.CODE, nullable=False),
    Column(name="name", role=Role.NAME, nullable=False),
    Column(name="trade"),
    Column(name="region"),
    Column(name="town"),
)

YARDS: Environment = replace(
    MILLS,
    name="yards",
    raw_tables=(
        RawTable(name="mills", key=("mill",), columns=_ATTRIBUTES),
        RawTable(name="docks", key=("mill",), columns=(*_ATTRIBUTES, Column(name="pier"))),
        RawTable(
            name="accounts",
            key=("mill", PERIOD),
            columns=(
                Column(name="mill", role=Role.CODE, nullable=False),
                Column(name=PERIOD, type="integer", nullable=False),
                *(measure.column() for measure in MEASURES),
            ),
        ),
        RawTable(
            name="visits",
            key=("mill", "visit"),
            columns=(
                Column(name="mill", role=Role.CODE),
                Column(name="visit", type="integer", public="the number of the visit"),
                Column(name="seen"),
            ),
        ),
    ),
    entities=replace(MILLS.entities, tables=("mills", "docks")),
    panel=Panel(tables=("accounts",), measures=MEASURES, identities=IDENTITIES),
    aggregates=(),
    quasi_identifiers=QuasiIdentifiers(
        kept=("trade",), dealt=(QuasiIdentifier(column="region"), QuasiIdentifier(column="town", within="region"))
    ),
    tables=(),
)


def originals(firms: int = 500, *, seed: int = 0, silent: int = 0) -> dict[str, pl.DataFrame]:
    """Return conformed tables. Flour mills are larger; towns in the west, too. The last `silent` firms report nothing.

    A fifth of the records has no staff, half of the gifts are zero, profit does not hold in 6 % of the records.
    """
    rng = np.random.default_rng(seed)
    codes = [f"M{100 + 7 * i}" for i in range(firms)]
    trades = rng.choice(TRADES, firms, p=[0.4, 0.02, 0.3, 0.25, 0.03])
    towns = rng.choice(list(TOWNS), firms)
    mills = pl.DataFrame(
        {
            "mill": codes,
            "name": [f"{code} Ltd" for code in codes],
            "trade": trades,
            "region": [TOWNS[town] for town in towns],
            "town": towns,
        }
    )
    silent_ones = mills.tail(silent)
    abroad = silent_ones.with_columns(
        pl.col("mill") + "0", pl.lit("north").alias("region"), pl.lit("Celle").alias("town")
    )
    docks = pl.concat([silent_ones, abroad]).with_columns(pier=pl.int_range(pl.len()).cast(pl.String))
    return {
        "mills": mills,
        "docks": docks,
        "accounts": _accounts(mills.head(firms - silent), rng),
        "visits": pl.DataFrame(
            {"mill": [*codes[::3], *abroad["mill"]], "visit": 1, "seen": [*codes[::3], *abroad["mill"]]},
            schema_overrides={"visit": pl.Int64},
        ),
    }


def _accounts(mills: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    shape = (mills.height, len(YEARS))
    larger = mills.select((pl.col("trade") == "flour") + (pl.col("region") == "west") * 0.7).to_numpy()
    size = rng.normal(13, 1.5, (shape[0], 1)) + larger + np.cumsum(rng.normal(0.05, 0.2, shape), axis=1)
    sales = np.exp(size)
    cost = sales * np.exp(rng.normal(-0.3, 0.2, (shape[0], 1)) + rng.normal(0, 0.05, shape))
    gift = np.where(rng.random((shape[0], 1)) < 0.5, 0, np.exp(size / 2 + rng.normal(0, 0.5, shape)))
    columns = {
        "sales": sales * 100,
        "cost": cost * 100,
        "staff": np.exp(size - 9 + rng.normal(0, 0.3, (shape[0], 1))) + 1,
        "gift": gift,
        "luck": rng.normal(0, 1, shape) * sales / 10,
    }
    frame = pl.DataFrame(
        {"mill": np.repeat(mills["mill"].to_list(), len(YEARS)), PERIOD: list(YEARS) * mills.height}
        | {name: values.astype(np.int64).ravel() for name, values in columns.items()}
    )
    for identity in IDENTITIES:
        frame = frame.with_columns(stated_by(identity, YARDS.panel, code="mill").alias(identity.output))
    wrong, missing = rng.random((2, frame.height))
    return frame.with_columns(
        pl.col("profit") + pl.Series(wrong < 0.06).cast(pl.Int64) * 12_345,
        pl.when(pl.Series(missing >= 0.2)).then(pl.col("staff")).alias("staff"),
    ).select("mill", PERIOD, *(measure.name for measure in MEASURES))


def with_accounts(tables: Frames, *columns: pl.Expr) -> dict[str, pl.DataFrame]:
    """Return the tables with other figures."""
    return dict(tables) | {"accounts": tables["accounts"].with_columns(*columns)}


def without(tables: Frames, condition: pl.Expr) -> dict[str, pl.DataFrame]:
    """Return the tables without some rows of accounts."""
    return dict(tables) | {"accounts": tables["accounts"].filter(~condition)}


def released(
    tables: Frames, key: Key = KEY, environment: Environment = YARDS, *, budget: float = BUDGET
) -> tuple[Synthesis, pl.DataFrame]:
    """Return what is sampled, and the figures with their identities."""
    sampled = synthesise(environment, tables, original_figures(environment, tables), key, budget=budget)
    return sampled, sampled_figures(environment, sampled, key).figures


def of_year(figures: pl.DataFrame, columns: Sequence[str], year: int = YEARS[-1]) -> pl.DataFrame:
    """Return the figures of one year."""
    return figures.filter(pl.col(PERIOD) == year).select("mill", *columns).sort("mill")
