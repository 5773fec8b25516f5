"""A small environment of invented mills, for what needs a whole release: 60 firms, three years, every kind of column."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from pipeline.model import (
    PERIOD,
    Aggregate,
    Column,
    Entities,
    Environment,
    Measure,
    Panel,
    PublishedTable,
    QuasiIdentifier,
    QuasiIdentifiers,
    RawTable,
    Role,
    Truth,
)
from pipeline.numerals import decimal_text

MEASURES = tuple(Measure(name=name, unit="EUR", decimals=2) for name in ("sales", "assets", "wages"))
YEARS = (2020, 2021, 2022)
TRADES = ("flour", "paper")
TOWNS = ("Aachen", "Bremen", "Celle")


def _render_mills(truth: Truth) -> pl.DataFrame:
    mills = truth.tables["mills"].sort(truth.order.mac(pl.lit("mills"), "mill"))
    return mills.select(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"), "mill", "name", "trade", "town")


def _render_accounts(truth: Truth) -> pl.DataFrame:
    accounts = truth.tables["figures"].sort(truth.order.mac(pl.lit("accounts"), "mill"), PERIOD)
    figures = [decimal_text(pl.col(measure.name), measure.decimals).alias(measure.name) for measure in MEASURES]
    return accounts.select(
        pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"), "mill", pl.col(PERIOD).cast(pl.String), *figures
    )


MILLS = Environment(
    name="mills",
    title="Mills of three towns",
    raw_tables=(
        RawTable(
            name="mills",
            key=("mill",),
            columns=(
                Column(name="mill", role=Role.CODE, nullable=False),
                Column(name="name", role=Role.NAME, nullable=False),
                Column(name="trade", nullable=False),
                Column(name="town"),
            ),
        ),
        RawTable(
            name="accounts",
            key=("mill", PERIOD),
            columns=(
                Column(name="mill", role=Role.CODE, nullable=False),
                Column(name=PERIOD, type="integer", nullable=False),
                *(measure.column() for measure in MEASURES),
            ),
        ),
    ),
    entities=Entities(
        tables=("mills",),
        code="mill",
        name="name",
        industry="trade",
        sub_industry="trade",
        language="en",
        code_mention=r"\b(M\d+)\b",
    ),
    panel=Panel(tables=("accounts",), measures=MEASURES, known=(("sales",), ("sales", "assets"))),
    aggregates=(Aggregate(name="by_trade", by=("trade",)),),
    quasi_identifiers=QuasiIdentifiers(kept=("trade",), dealt=(QuasiIdentifier(column="town"),)),
    tables=(
        PublishedTable(
            path="mills.csv", columns=("id", "mill", "name", "trade", "town"), needs=("mills",), render=_render_mills
        ),
        PublishedTable(
            path="accounts.csv",
            columns=("id", "mill", PERIOD, "sales", "assets", "wages"),
            needs=("figures",),
            render=_render_accounts,
        ),
    ),
)


def conformed_mills(firms: int = 60, *, seed: int = 0) -> Mapping[str, pl.DataFrame]:
    """Return the conformed tables: firms whose size lasts, figures that go with it, in hundredths of a euro."""
    draws = np.random.default_rng(seed)
    codes = [f"M{100 + 7 * i}" for i in range(firms)]
    sizes = draws.normal(20, 2, (firms, 1, 1)) + draws.normal(0, 0.3, (firms, len(YEARS), len(MEASURES)))
    values = np.exp(sizes).astype(np.int64).reshape(-1, len(MEASURES))
    words = ["Ash", "Birch", "Cedar", "Dale", "Elm", "Fern", "Gorse", "Heath", "Ivy", "Juniper"]
    names = [f"{words[i % 10]} & {words[i // 10 % 10]} Mill {i}" for i in range(firms)]
    mills = pl.DataFrame(
        {
            "mill": codes,
            "name": names,
            "trade": [TRADES[i % 2] for i in range(firms)],
            "town": [TOWNS[i % 7 % 3] for i in range(firms)],
        }
    )
    keys = {"mill": np.repeat(codes, len(YEARS)), PERIOD: list(YEARS) * firms}
    accounts = pl.DataFrame(keys | {measure.name: values[:, j] for j, measure in enumerate(MEASURES)})
    return {"mills": mills, "accounts": accounts}
