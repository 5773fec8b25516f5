"""The environment `jobtraining`: firms without names, and what they report for three years."""

import polars as pl

from silt import (
    PERIOD,
    Column,
    Entities,
    EntityView,
    Environment,
    Measure,
    Panel,
    PublishedTable,
    QuasiIdentifier,
    QuasiIdentifiers,
    RawTable,
    Reference,
    Role,
    Truth,
    Views,
    WideFigures,
    decimal_text,
)

MEASURES = (
    Measure(name="employ", unit="persons", significant_digits=1, description="Employees."),
    Measure(name="sales", unit="USD", significant_digits=2, description="Sales of the year."),
    Measure(name="avgsal", unit="USD", significant_digits=2, additive=False, description="Average salary."),
    Measure(name="scrap", unit="%", decimals=2, significant_digits=1, additive=False, description="Items thrown away."),
    Measure(name="rework", unit="%", decimals=2, significant_digits=1, additive=False, description="Items made again."),
    Measure(name="tothrs", unit="hours", significant_digits=1, description="Hours of training."),
    Measure(name="totrain", unit="persons", significant_digits=1, description="Employees who were trained."),
)
"""Most figures have two or three digits: with the usual three that are kept, nearly all would stay as they are."""


def render_firms(truth: Truth) -> pl.DataFrame:
    firms = truth.tables["firms"].sort(truth.order.mac(pl.lit("firms"), "firm"))
    return firms.select(pl.col("firm", "union", "granted").cast(pl.String))


def render_reports(truth: Truth) -> pl.DataFrame:
    reports = truth.tables["figures"].sort(truth.order.mac(pl.lit("reports"), "firm"), PERIOD)
    figures = [decimal_text(pl.col(measure.name), measure.decimals).alias(measure.name) for measure in MEASURES]
    numbered = reports.with_columns(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"))
    return numbered.select("id", "firm", pl.col(PERIOD).cast(pl.String), *figures)


JOBTRAINING = Environment(
    name="jobtraining",
    title="Firms of Michigan and their training, 1987 to 1989",
    raw_tables=(
        RawTable(
            name="firms",
            key=("firm",),
            columns=(
                Column(name="firm", role=Role.CODE, nullable=False),
                Column(name="union", allowed=("0", "1"), nullable=False),
                Column(name="granted", allowed=("1988", "1989"), description="Year in which a grant was paid."),
            ),
        ),
        RawTable(
            name="reports",
            key=("firm", PERIOD),
            columns=(
                Column(name="firm", role=Role.CODE, nullable=False),
                Column(name=PERIOD, type="integer", nullable=False),
                *(measure.column() for measure in MEASURES),
            ),
            references=(Reference(columns=("firm",), to_table="firms"),),
        ),
    ),
    entities=Entities(tables=("firms",), code="firm", language="en", code_mention=r"\b(4[0-9]{5})\b"),
    panel=Panel(tables=("reports",), measures=MEASURES, known=(("employ",), ("employ", "sales", "avgsal"))),
    quasi_identifiers=QuasiIdentifiers(
        kept=(), dealt=(QuasiIdentifier(column="union"), QuasiIdentifier(column="granted"))
    ),
    tables=(
        PublishedTable(
            path="firms.csv",
            columns=("firm", "union", "granted"),
            row_key="firm",
            needs=("firms",),
            render=render_firms,
        ),
        PublishedTable(
            path="reports.csv",
            columns=("id", "firm", PERIOD, *(measure.name for measure in MEASURES)),
            needs=("figures",),
            render=render_reports,
        ),
    ),
    views=Views(
        entities=EntityView(table="firms", columns={"firm": "firm", "union": "union", "granted": "granted"}),
        figures=(WideFigures(table="reports", code="firm", year=PERIOD),),
    ),
)
