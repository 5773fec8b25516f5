"""The environment `tickers`: listed companies with their symbols, and the indices that they are in. There are no figures."""

import polars as pl

from silt import (
    Aggregate,
    Column,
    Entities,
    EntityView,
    Environment,
    PublishedTable,
    QuasiIdentifier,
    QuasiIdentifiers,
    RawTable,
    Reference,
    Repeats,
    Role,
    Truth,
    Views,
)

PROFILE = ("symbol", "name", "country", "industry")


def render_companies(truth: Truth) -> pl.DataFrame:
    return truth.tables["companies"].sort(truth.order.mac(pl.lit("companies"), "symbol")).select(PROFILE)


def render_members(truth: Truth) -> pl.DataFrame:
    members = truth.tables["members"].sort(truth.order.mac(pl.lit("members"), "symbol", "index"))
    numbered = members.with_columns(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"))
    return numbered.select("id", "symbol", "index")


TICKERS = Environment(
    name="tickers",
    title="Companies in twenty stock indices",
    raw_tables=(
        RawTable(
            name="companies",
            key=("symbol",),
            repeats=Repeats(first_by=("name",)),
            columns=(
                Column(name="symbol", role=Role.CODE, nullable=False),
                Column(name="name", role=Role.NAME, nullable=False),
                Column(name="country"),
                Column(name="industry"),
                Column(name="website", role=Role.IDENTIFIER),
            ),
        ),
        RawTable(
            name="isins",
            key=("isin",),
            columns=(
                Column(name="isin", role=Role.IDENTIFIER, nullable=False),
                Column(name="symbol", role=Role.CODE, nullable=False),
            ),
            references=(Reference(columns=("symbol",), to_table="companies"),),
        ),
        RawTable(
            name="members",
            key=("symbol", "index"),
            repeats=Repeats(),
            columns=(
                Column(name="symbol", role=Role.CODE, nullable=False),
                Column(name="index", nullable=False),
            ),
            references=(Reference(columns=("symbol",), to_table="companies", broken="drop"),),
        ),
    ),
    entities=Entities(
        tables=("companies",),
        code="symbol",
        name="name",
        industry="industry",
        sub_industry="industry",
        language="en",
        code_shape="five letters",
        same_name="several companies",  # First Bancorp and First BanCorp
    ),
    aggregates=(Aggregate(name="by_country", by=("country",), counts=((),)),),
    quasi_identifiers=QuasiIdentifiers(kept=("industry",), dealt=(QuasiIdentifier(column="country"),)),
    tables=(
        PublishedTable(
            path="companies.csv", columns=PROFILE, row_key="symbol", needs=("companies",), render=render_companies
        ),
        PublishedTable(
            path="members.csv", columns=("id", "symbol", "index"), needs=("members",), render=render_members
        ),
    ),
    views=Views(entities=EntityView(table="companies", columns={name: name for name in PROFILE})),
)
