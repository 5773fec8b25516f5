"""A small environment with events: voyages of ships, with a log by year."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Column, Entities, Environment, Events, Measure, Panel, Product, RawTable, Role, Sum, Total
from pipeline.model.periods import YEARS, Frequency, Period

KEY = Key(b"k" * 32)

VOYAGES = Events(
    table="voyages",
    entity="ship",
    time="left",
    measures=(
        Measure(name="tons", unit="t", significant_digits=1),
        Measure(name="fare", unit="EUR", decimals=2, significant_digits=1),
        Measure(name="takings", unit="EUR", decimals=2),
        Measure(name="crew", unit=""),
        Measure(name="guests", unit=""),
        Measure(name="aboard", unit=""),
    ),
    identities=(Product(output="takings", factors=("tons", "fare")), Sum(output="aboard", plus=("crew", "guests"))),
    may_stay=frozenset(("crew", "guests", "aboard")),
)

TABLE = RawTable(
    name="voyages",
    key=("ship", "ticket"),
    columns=(
        Column(name="ship", role=Role.CODE),
        Column(name="ticket", role=Role.NUMBER),
        Column(name="left", role=Role.TIME, type="timestamp"),
        Column(name="due", role=Role.TIME, type="date"),
        *(measure.column() for measure in VOYAGES.measures),
    ),
)

LOG = Panel(
    tables=("log",),
    measures=(
        Measure(name="voyages", unit=""),
        Measure(name="income", unit="EUR", decimals=2),
        Measure(name="mean tons", unit="t", decimals=1, additive=False),
    ),
    identities=(
        Total(output="voyages", events="voyages", statistic="count"),
        Total(output="income", events="voyages", of="takings"),
        Total(output="mean tons", events="voyages", of="tons", statistic="mean"),
    ),
)

SCHEMA: Mapping[str, Any] = {
    "ship": pl.String,
    "ticket": pl.String,
    "left": pl.Datetime("us"),
    "due": pl.Date,
} | dict.fromkeys((measure.name for measure in VOYAGES.measures), pl.Int64)


def fleet(events: Events = VOYAGES, *, panel: Panel = LOG, table: RawTable = TABLE) -> Environment:
    """Return the environment."""
    return Environment(
        name="fleet",
        title="Ships",
        raw_tables=(
            RawTable(
                name="ships",
                key=("ship",),
                columns=(Column(name="ship", role=Role.CODE), Column(name="name", role=Role.NAME), Column(name="sea")),
            ),
            table,
            RawTable(name="log", key=("ship", "year"), columns=(Column(name="ship", role=Role.CODE),)),
        ),
        entities=Entities(
            tables=("ships",),
            code="ship",
            name="name",
            industry="sea",
            sub_industry="sea",
            language="en",
            code_mention=r"\b(s\d)\b",
        ),
        panel=panel,
        events=(events,),
        aggregates=(),
        tables=(),
    )


def within(frequency: Frequency, *, column: str = "year") -> Environment:
    """Return the environment with events that stay within the period of the log."""
    period = YEARS if frequency == "year" else Period(column, frequency)
    return fleet(replace(VOYAGES, stay_within=frequency), panel=replace(LOG, period=period))


def voyages(rows: Sequence[tuple[str, datetime, int | None, int | None]]) -> pl.DataFrame:
    """Return voyages in which identities hold, from ship, time, tons and fare; each is due three days after."""
    told = [
        {
            "ship": ship,
            "ticket": f"T{place}",
            "left": left,
            "due": left.date() + timedelta(days=3),
            "tons": tons,
            "fare": fare,
            "takings": None if tons is None or fare is None else tons * fare,
            "crew": place % 7 + 3,
            "guests": place * 11,
            "aboard": place % 7 + 3 + place * 11,
        }
        for place, (ship, left, tons, fare) in enumerate(rows)
    ]
    return pl.DataFrame(told, schema=SCHEMA)


def many(ships: int, each: int) -> pl.DataFrame:
    """Return as many voyages of each ship, over two years; the sizes of ships differ."""
    start = datetime.fromisoformat("2022-01-01T06:30")
    return voyages(
        [
            (
                f"s{ship}",
                start + timedelta(days=(ship * 37 + place * 61) % 700, hours=ship % 5),
                1_000 * (ship + 1) + place * 13,
                3_010 + 10 * place,
            )
            for ship in range(ships)
            for place in range(each + ship)
        ]
    )
