"""The environment `lines`: the companies of `lines.py`, declared as a user would."""

import polars as pl

from pipeline.model import (
    PERIOD,
    Column,
    Entities,
    EntityView,
    Environment,
    Events,
    EventView,
    Measure,
    Panel,
    Product,
    PublishedTable,
    RawTable,
    Reference,
    Role,
    Total,
    Truth,
    Views,
    WideFigures,
)
from pipeline.numerals import decimal_text

COSTS = ("fuel", "wages", "dues", "repairs", "insurance", "rent", "debt", "cash")
STAMP = "%Y-%m-%dT%H:%M:%S"
SAILINGS = Events(
    table="sailings",
    entity="company",
    time="sailed",
    stay_within="year",
    measures=(
        Measure(name="passengers", unit="persons", significant_digits=1),
        Measure(name="fare", unit="EUR", decimals=2, significant_digits=1, additive=False),
        Measure(name="takings", unit="EUR", decimals=2),
    ),
    identities=(Product(output="takings", factors=("passengers", "fare")),),
)
PANEL = Panel(
    tables=("annual",),
    measures=(
        Measure(name="sailings", unit="", significant_digits=1),
        Measure(name="takings", unit="EUR", decimals=2),
        *(Measure(name=name, unit="EUR", decimals=2) for name in COSTS),
    ),
    identities=(
        Total(output="sailings", events="sailings", statistic="count"),
        Total(output="takings", events="sailings", of="takings"),
    ),
)


def figures(measured: Events | Panel) -> list[pl.Expr]:
    """Return the columns of figures as text."""
    return [decimal_text(pl.col(measure.name), measure.decimals).alias(measure.name) for measure in measured.measures]


def numbered(rows: pl.DataFrame, *columns: str | pl.Expr) -> pl.DataFrame:
    """Return columns behind an id."""
    return rows.select(pl.int_range(1, pl.len() + 1).alias("id"), *columns).cast(pl.String)


def render_companies(truth: Truth) -> pl.DataFrame:
    """Render the companies in a keyed order."""
    return (
        truth.tables["companies"]
        .sort(truth.order.mac(pl.lit("companies"), "company"))
        .select("company", "name", "port")
    )


def render_sailings(truth: Truth) -> pl.DataFrame:
    """Render the sailings in their order."""
    times = [pl.col(column).dt.to_string(STAMP) for column in ("sailed", "landed")]
    return truth.tables["sailings"].select("company", "voucher", *times, "class", *figures(SAILINGS))


def render_annual(truth: Truth) -> pl.DataFrame:
    """Render the panel in a keyed order."""
    annual = truth.tables["figures"].sort(truth.order.mac(pl.lit("annual"), "company"), PERIOD)
    return numbered(annual, "company", PERIOD, *figures(PANEL))


LINES = Environment(
    name="lines",
    title="Shipping companies and their sailings",
    raw_tables=(
        RawTable(
            name="companies",
            key=("company",),
            columns=(
                Column(name="company", role=Role.CODE, nullable=False),
                Column(name="name", role=Role.NAME, nullable=False),
                Column(name="port", nullable=False),
            ),
        ),
        RawTable(
            name="sailings",
            key=("company", "voucher"),
            columns=(
                Column(name="company", role=Role.CODE, nullable=False),
                Column(name="voucher", role=Role.NUMBER, nullable=False),
                Column(name="sailed", role=Role.TIME, type="timestamp", date_format=STAMP, nullable=False),
                Column(name="landed", role=Role.TIME, type="timestamp", date_format=STAMP),
                Column(name="class", nullable=False),
                *(measure.column() for measure in SAILINGS.measures),
            ),
            references=(Reference(columns=("company",), to_table="companies"),),
        ),
        RawTable(
            name="annual",
            key=("company", PERIOD),
            columns=(
                Column(name="company", role=Role.CODE, nullable=False),
                Column(name=PERIOD, type="integer", nullable=False),
                *(measure.column() for measure in PANEL.measures),
            ),
            references=(Reference(columns=("company",), to_table="companies"),),
        ),
    ),
    entities=Entities(
        tables=("companies",), code="company", name="name", industry="port", language="en", code_shape="five letters"
    ),
    panel=PANEL,
    events=(SAILINGS,),
    aggregates=(),
    tables=(
        PublishedTable(
            path="companies.csv",
            columns=("company", "name", "port"),
            row_key="company",
            needs=("companies",),
            render=render_companies,
        ),
        PublishedTable(
            path="sailings.csv",
            columns=("company", "voucher", "sailed", "landed", "class", "passengers", "fare", "takings"),
            row_key="voucher",
            needs=("sailings",),
            render=render_sailings,
        ),
        PublishedTable(
            path="annual.csv",
            columns=("id", "company", PERIOD, *(measure.name for measure in PANEL.measures)),
            needs=("figures",),
            render=render_annual,
        ),
    ),
    views=Views(
        entities=EntityView(table="companies", columns={name: name for name in ("company", "name", "port")}),
        figures=(WideFigures(table="annual", code="company", year="year"),),
        events=(
            EventView(
                table="sailings",
                events="sailings",
                columns={name: name for name in ("company", "sailed", "landed", "passengers", "fare", "takings")},
            ),
        ),
    ),
)
