"""A sound set of tables that leaks are made of: 150 bakeries of three trades, with every role that a column can have."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import polars as pl

from pipeline.model import (
    PERIOD,
    AliasSource,
    Column,
    Entities,
    Environment,
    Frames,
    Measure,
    Panel,
    PublishedTable,
    RawTable,
    Role,
    Truth,
)
from pipeline.model.schema.fields import TableLineage, taken
from pipeline.numerals import decimal_text

FIRMS, YEARS, TRADES = 150, (2021, 2022, 2023), ("bread", "cakes", "rolls")
MEASURES = (Measure(name="sales", unit="EUR", decimals=2), Measure(name="wages", unit="EUR", decimals=2))
TOWNS = ("Aachen", "Bremen", "Celle", "Dresden", "Essen")
CODE = Column(name="shop", role=Role.CODE, nullable=False)

SHOPS = RawTable(
    name="shops",
    key=("shop",),
    columns=(
        CODE,
        Column(name="name", role=Role.NAME, nullable=False),
        Column(name="trade", nullable=False),
        Column(name="town"),
        Column(name="opened", role=Role.DATE, type="date"),
        Column(name="licence", role=Role.IDENTIFIER),
        Column(name="loaded", role=Role.IGNORED),
    ),
)
ACCOUNTS = RawTable(
    name="accounts",
    key=("shop", PERIOD),
    columns=(CODE, Column(name=PERIOD, type="integer", nullable=False), *(measure.column() for measure in MEASURES)),
)
STORIES = RawTable(
    name="stories", key=("shop",), columns=(CODE, Column(name="story", role=Role.TEXT), Column(name="teller"))
)
NICKNAMES = RawTable(
    name="nicknames", key=("alias",), columns=(CODE, Column(name="alias", role=Role.ALIAS, nullable=False))
)
WEATHER = RawTable(
    name="weather",
    key=("day",),
    columns=(Column(name="day", nullable=False), Column(name="rain", type="decimal", decimals=1)),
    public="measured by the state; about no shop",
)


def published(table: str, columns: tuple[str, ...], *, source: str = "") -> PublishedTable:
    """Publish columns of an anonymised table as text, rows in keyed order."""

    def render(truth: Truth) -> pl.DataFrame:
        rows = truth.tables[source or table].sort(truth.order.mac(pl.lit(table), *columns[:2]))
        quanta = {measure.name: measure.decimals for measure in MEASURES}
        return rows.select(
            decimal_text(pl.col(name), quanta[name]).alias(name) if name in quanta else pl.col(name).cast(pl.String)
            for name in columns
        )

    return PublishedTable(path=f"{table}.csv", columns=columns, needs=(source or table,), render=render, row_key="")


PUBLISHED = {
    "shops": ("shop", "name", "trade", "town", "opened"),
    "accounts": ("shop", PERIOD, "sales", "wages"),
    "stories": ("shop", "story", "teller"),
    "weather": ("day", "rain"),
}

BAKERS = Environment(
    name="bakers",
    title="Bakers of five towns",
    raw_tables=(SHOPS, ACCOUNTS, STORIES, NICKNAMES, WEATHER),
    entities=Entities(
        tables=("shops",),
        code="shop",
        name="name",
        industry="trade",
        sub_industry="trade",
        language="en",
        code_mention=r"\b(B\d{4})\b",
        aliases=(AliasSource(table="nicknames", code="shop", alias="alias", only_kind="short"),),
    ),
    panel=Panel(tables=("accounts",), measures=MEASURES),
    aggregates=(),
    tables=tuple(
        published(name, columns, source="figures" if name == "accounts" else "") for name, columns in PUBLISHED.items()
    ),
    lineage={"shops": TableLineage(columns=taken("shops", PUBLISHED["shops"]))},
)


def raw_tables() -> dict[str, pl.DataFrame]:
    """Return the raw tables as text, as a holder would have them."""
    draws = np.random.default_rng(5)
    words = ["Ash", "Birch", "Cedar", "Dale", "Elm", "Fern", "Gorse", "Heath", "Ivy", "Juniper", "Kale", "Lime", "Moss"]
    codes = [f"B{1_000 + 37 * i}" for i in range(FIRMS)]
    names = [f"{words[i % 13]} and {words[(i // 13 + i) % 13]} Ovens {words[i * 5 % 13]}" for i in range(FIRMS)]
    opened = [date(1990, 1, 1) + timedelta(days=int(day)) for day in draws.integers(0, 1_500, FIRMS)]
    sales = np.exp(draws.normal(16, 1, (FIRMS, 1)) + draws.normal(0, 0.2, (FIRMS, len(YEARS))))
    figures = {"sales": sales, "wages": sales * draws.uniform(0.2, 0.4, sales.shape)}
    shops = pl.DataFrame(
        {
            "shop": codes,
            "name": [f"{name} Ltd" for name in names],
            "trade": [TRADES[i % 3] for i in range(FIRMS)],
            "town": [TOWNS[i] for i in draws.integers(0, 5, FIRMS)],
            "opened": [day.strftime("%d/%m/%Y") for day in opened],
            "licence": [f"LIC-{number}" for number in draws.integers(10**7, 10**8, FIRMS)],
            "loaded": [str(number) for number in draws.integers(10**8, 10**9, FIRMS)],
        }
    )
    keys = {"shop": np.repeat(codes, len(YEARS)), PERIOD: [str(year) for year in YEARS] * FIRMS}
    return {
        "shops": shops,
        "accounts": pl.DataFrame(
            keys | {name: [f"{value:.2f}" for value in values.ravel()] for name, values in figures.items()}
        ),
        "stories": pl.DataFrame(
            {
                "shop": codes,
                "story": [f"{name} Ltd bakes {1_000 + 7 * i} loaves a day." for i, name in enumerate(names)],
                "teller": ["owner" if i % 2 else "guest" for i in range(FIRMS)],
            }
        ),
        "nicknames": pl.DataFrame({"shop": codes, "alias": [f"Old {name}" for name in names]}),
        "weather": pl.DataFrame(
            {"day": [f"day {i}" for i in range(40)], "rain": [f"{i * 0.3:.1f}" for i in range(40)]}
        ),
    }


# What a leak changes in the declaration, in a line each.


def with_columns(environment: Environment, table: str, *columns: Column, **settings: object) -> Environment:
    """Add columns to a raw table, those of a name that is there in its place, and publish them with its others."""
    raw = environment.raw_table(table)
    added = {column.name: column for column in columns}
    kept = tuple(added.pop(column.name, column) for column in raw.columns)
    changed = replace(raw, columns=(*kept, *added.values()), **settings)  # type: ignore[arg-type]
    return and_publishing(with_table(environment, changed), table, *(column.name for column in columns))


def with_table(environment: Environment, table: RawTable) -> Environment:
    """Add a raw table, or take one in the place of that of its name."""
    others = [each for each in environment.raw_tables if each.name != table.name]
    return replace(environment, raw_tables=(*others, table))


def and_publishing(environment: Environment, table: str, *columns: str) -> Environment:
    """Publish columns of an anonymised table, with those that are published of it."""
    known = {each.name: each for each in environment.tables}
    before = known[table].columns if table in known else ()
    is_panel = table in environment.panel.tables
    told = published(table, tuple(dict.fromkeys((*before, *columns))), source="figures" if is_panel else "")
    return replace(environment, tables=tuple((known | {table: told}).values()))


def joined(tables: Frames, table: str, column: str, values: pl.Series | pl.Expr) -> dict[str, pl.DataFrame]:
    """Add a column of text to a raw table."""
    return dict(tables) | {table: tables[table].with_columns(values.alias(column))}


def latest(tables: Mapping[str, pl.DataFrame], measure: str) -> pl.Series:
    """Return the last figure of each shop, in the order of shops."""
    return tables["accounts"].filter(pl.col(PERIOD) == str(YEARS[-1]))[measure]
