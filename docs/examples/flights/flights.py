"""The environment `flights`: airlines, aircraft and airports, and every departure from New York in 2013."""

from collections.abc import Callable

import polars as pl

from silt import (
    PERIOD,
    CodesLike,
    Column,
    Entities,
    EntityView,
    Environment,
    Events,
    EventView,
    Measure,
    Panel,
    PublishedTable,
    RawTable,
    Reference,
    Role,
    Total,
    Truth,
    Views,
    WideFigures,
    decimal_text,
)

STAMP = "%Y-%m-%dT%H:%M:%SZ"
GAP = ("NA",)
PLANES = ("year", "type", "manufacturer", "model", "engines", "seats", "engine")
AIRPORTS = ("tz", "dst")

FLIGHTS = Events(
    table="flights",
    entity="carrier",
    time="time_hour",
    stay_within="year",
    may_stay=frozenset(("dep_delay",)),
    measures=(
        Measure(name="dep_delay", unit="min", significant_digits=1, null_tokens=GAP),
        Measure(name="arr_delay", unit="min", significant_digits=0, null_tokens=GAP),
        Measure(name="air_time", unit="min", significant_digits=1, null_tokens=GAP),
        Measure(name="distance", unit="miles", significant_digits=1),
    ),
)
PANEL = Panel(
    tables=("annual",),
    measures=(Measure(name="flights", unit=""), Measure(name="delay", unit="min")),
    identities=(
        Total(output="flights", events="flights", statistic="count"),
        Total(output="delay", events="flights", of="dep_delay"),
    ),
)


def figures(measured: Events | Panel) -> list[pl.Expr]:
    return [decimal_text(pl.col(measure.name), measure.decimals).alias(measure.name) for measure in measured.measures]


def numbered(rows: pl.DataFrame, *columns: str | pl.Expr) -> pl.DataFrame:
    return rows.select(pl.int_range(1, pl.len() + 1).alias("id"), *columns).cast(pl.String)


def listing(name: str, code: str, *columns: str) -> PublishedTable:
    """Return a published table that lists entities in an order that the key decides."""

    def render(truth: Truth) -> pl.DataFrame:
        return numbered(truth.tables[name].sort(truth.order.mac(pl.lit(name), code)), code, *columns)

    return published(name, (code, *columns), render, needs=name)


def published(
    name: str, columns: tuple[str, ...], render: Callable[[Truth], pl.DataFrame], *, needs: str
) -> PublishedTable:
    return PublishedTable(path=f"{name}.csv", columns=("id", *columns), needs=(needs,), render=render)


def render_flights(truth: Truth) -> pl.DataFrame:
    time = pl.col("time_hour").dt.to_string(STAMP)
    return numbered(truth.tables["flights"], "carrier", "flight", "tailnum", "origin", "dest", time, *figures(FLIGHTS))


def render_annual(truth: Truth) -> pl.DataFrame:
    annual = truth.tables["figures"].sort(truth.order.mac(pl.lit("annual"), "carrier"), PERIOD)
    return numbered(annual, "carrier", PERIOD, *figures(PANEL))


def code(name: str, of: str = "") -> Column:
    return Column(name=name, role=Role.CODE, of=of, nullable=name == "tailnum", null_tokens=GAP)


FLIGHTS_OF_2013 = Environment(
    name="flights",
    title="Flights from New York in 2013",
    raw_tables=(
        RawTable(
            name="airlines",
            key=("carrier",),
            columns=(code("carrier"), Column(name="name", role=Role.NAME, nullable=False)),
        ),
        RawTable(
            name="planes",
            key=("tailnum",),
            columns=(code("tailnum", of="aircraft"), *(Column(name=name, null_tokens=GAP) for name in PLANES)),
        ),
        RawTable(
            name="airports",
            key=("faa",),
            columns=(
                code("faa", of="airport"),
                Column(name="name", role=Role.NAME, of="airport", nullable=False),
                *(Column(name=name) for name in AIRPORTS),
            ),
        ),
        RawTable(
            name="flights",
            key=("carrier", "flight", "origin", "time_hour"),
            columns=(
                code("carrier"),
                Column(name="flight", role=Role.NUMBER, nullable=False),
                code("tailnum", of="aircraft"),
                code("origin", of="airport"),
                code("dest", of="airport"),
                Column(name="time_hour", role=Role.TIME, type="timestamp", date_format=STAMP, nullable=False),
                *(measure.column() for measure in FLIGHTS.measures),
            ),
            references=(
                Reference(columns=("carrier",), to_table="airlines"),
                Reference(columns=("tailnum",), to_table="planes", broken="keep"),
                Reference(columns=("dest",), to_table="airports", to_columns=("faa",), broken="keep"),
            ),
        ),
        RawTable(
            name="annual",
            key=("carrier", PERIOD),
            columns=(
                code("carrier"),
                Column(name=PERIOD, type="integer", nullable=False),
                *(measure.column() for measure in PANEL.measures),
            ),
            references=(Reference(columns=("carrier",), to_table="airlines"),),
        ),
    ),
    entities=Entities(tables=("airlines",), code="carrier", name="name", language="en", code_shape=CodesLike("AA")),
    further=(
        Entities(kind="aircraft", tables=("planes",), code="tailnum", language="en", code_shape=CodesLike("N12345")),
        Entities(
            kind="airport",
            tables=("airports",),
            code="faa",
            name="name",
            language="en",
            code_shape=CodesLike("JFK"),
            same_name="several companies",
        ),
    ),
    panel=PANEL,
    events=(FLIGHTS,),
    aggregates=(),
    tables=(
        listing("airlines", "carrier", "name"),
        listing("planes", "tailnum", *PLANES),
        listing("airports", "faa", "name", *AIRPORTS),
        published(
            "flights",
            (
                "carrier",
                "flight",
                "tailnum",
                "origin",
                "dest",
                "time_hour",
                *(measure.name for measure in FLIGHTS.measures),
            ),
            render_flights,
            needs="flights",
        ),
        published("annual", ("carrier", PERIOD, "flights", "delay"), render_annual, needs="figures"),
    ),
    views=Views(
        entities=EntityView(table="airlines", columns={"carrier": "carrier", "name": "name"}),
        further=(
            EntityView(table="planes", of="aircraft", columns={name: name for name in ("tailnum", *PLANES)}),
            EntityView(table="airports", of="airport", columns={name: name for name in ("faa", "name", *AIRPORTS)}),
        ),
        figures=(WideFigures(table="annual", code="carrier", year=PERIOD),),
        events=(
            EventView(
                table="flights",
                events="flights",
                columns={
                    name: name for name in ("carrier", "time_hour", *(measure.name for measure in FLIGHTS.measures))
                },
            ),
        ),
    ),
)
