"""A small environment of invented workshops whose aggregates nest, with everything that is published of them as text.

Trades over the nation, towns and trades, towns alone; some workshops have no town, trade or owner, one town is outside the
domain; measures of either sign, one of which has no sum; petitions that name trades and are counted.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl
from hypothesis import strategies as st

from pipeline.derive import derive_aggregate
from pipeline.model import (
    PERIOD,
    Aggregate,
    EntityView,
    Environment,
    LongFigures,
    Measure,
    Panel,
    PublishedTable,
    Truth,
    Views,
    WideFigures,
)
from pipeline.model.schema.domains import Domains, NamedElsewhere, StatedCounts, StatedRecount, StatedStatistics
from pipeline.numerals import decimal_text
from tests.unit.validation.mills import MILLS

MEASURES = (
    Measure(name="sales", unit="EUR", decimals=2),
    Measure(name="margin", unit="%", decimals=1, additive=False),
    Measure(name="staff", unit="heads"),
)
TRADES, TOWNS = ("flour", "paper"), ("Aachen", "Bremen")
YEARS = (2021, 2022)
ENTITIES = pl.Schema(dict.fromkeys(("mill", "name", "trade", "town", "owner", "size"), pl.String()))
FIGURES = pl.Schema({"mill": pl.String(), PERIOD: pl.Int64(), **{measure.name: pl.Int64() for measure in MEASURES}})

NATIONAL = Aggregate(
    name="national",
    by=("trade",),
    domain={"trade": TRADES},
    total_over="trade",
    total_label="all",
    years=(2022,),
    counts=((), ("owner",), ("size",), ("owner", "size")),
)
REGIONAL = replace(
    NATIONAL,
    name="regional",
    by=("town", "trade"),
    domain={"town": TOWNS, "trade": TRADES},
    counts=((), ("owner", "size")),
)
BY_TOWN = Aggregate(name="by_town", by=("town",))


def _nothing(_truth: Truth) -> pl.DataFrame:
    return pl.DataFrame()


def _table(name: str, *columns: str) -> PublishedTable:
    return PublishedTable(path=f"{name}.csv", columns=columns, needs=(), render=_nothing)


def _recount(petitions: pl.DataFrame) -> pl.DataFrame:
    counted = Counter(trade for row in petitions.rows(named=True) for trade in row["trades"].split("; "))
    rows = [(trade, str(count)) for trade, count in counted.items()]
    return pl.DataFrame(rows, schema={"trade": pl.String, "value": pl.String}, orient="row")


STATISTICS, COUNTS = ("measure", "statistic", "value"), ("owner", "size", "value")
GUILDS = replace(
    MILLS,
    name="guilds",
    panel=Panel(tables=("accounts",), measures=MEASURES),
    aggregates=(NATIONAL, REGIONAL, BY_TOWN),
    tables=(
        _table("mills", *ENTITIES),
        _table("accounts", "mill", PERIOD, *(measure.name for measure in MEASURES)),
        _table("latest", "mill", PERIOD, "what", "value"),
        *(_table(each.name, *each.by, PERIOD, *STATISTICS) for each in (NATIONAL, REGIONAL, BY_TOWN)),
        *(_table(each.counts_name, *each.by, *COUNTS) for each in (NATIONAL, REGIONAL)),
        _table("petitions", "title", "trades"),
        _table("petition_counts", "trade", "value"),
    ),
    views=Views(
        entities=EntityView(table="mills", columns={name: name for name in ENTITIES}),
        figures=(
            WideFigures(table="accounts", code="mill", year=PERIOD),
            LongFigures(
                table="latest",
                code="mill",
                year=PERIOD,
                measure="what",
                value="value",
                labels={measure.name.upper(): measure.name for measure in MEASURES},
            ),
        ),
    ),
    domains=Domains(
        statistics=tuple(
            StatedStatistics(table=each.name, aggregate=each.name, domain=domain, read=lambda published: published)
            for each, domain in ((NATIONAL, "industry"), (REGIONAL, "region"), (BY_TOWN, "region"))
        ),
        counts=tuple(
            StatedCounts(
                table=each.counts_name,
                aggregate=each.name,
                domain=domain,
                breakdowns=each.counts,
                read=lambda published: published,
            )
            for each, domain in ((NATIONAL, "industry"), (REGIONAL, "region"))
        ),
        recounts=(
            StatedRecount(
                table="petition_counts", domain="policy", rows="petitions", rows_domain="policy", recount=_recount
            ),
        ),
        names=(
            NamedElsewhere(
                table="petitions",
                column="trades",
                domain="policy",
                to_table="national",
                to_column="trade",
                to_domain="industry",
                separator="; ",
            ),
        ),
    ),
)

Figure = int | None
Shop = tuple[str | None, str | None, str | None, str, list[tuple[Figure, Figure, Figure]]]
"""Town, trade, owner, size, and the figures of each year."""

_FIGURE = st.one_of(st.none(), st.integers(-(10**13), 10**13), st.integers(-20, 20))
SHOPS: st.SearchStrategy[list[Shop]] = st.lists(
    st.tuples(
        st.sampled_from([*TOWNS, "Celle", None]),
        st.sampled_from([*TRADES, None]),
        st.sampled_from(["guild", "crown", None]),
        st.sampled_from(["small", "large"]),
        st.lists(st.tuples(_FIGURE, _FIGURE, _FIGURE), min_size=len(YEARS), max_size=len(YEARS)),
    ),
    max_size=14,
)

EXAMPLE: list[Shop] = [
    (
        [*TOWNS, "Celle", None][i % 4],
        [*TRADES, None][i * 7 % 11 % 3],
        ["guild", "crown", None][i * 5 % 7 % 3],
        ["small", "large"][i // 3 % 2],
        [(1_000 + 37 * i * i, 105 - 13 * i, i), (2_000 + 41 * i * i, 17 * i - 90, i + 1)],
    )
    for i in range(40)
]


@dataclass(frozen=True)
class Release:
    """The firms, what was derived of them, and all of it as published text."""

    entities: pl.DataFrame
    figures: pl.DataFrame
    derived: dict[str, pl.DataFrame]
    published: dict[str, pl.DataFrame]


def release(shops: Sequence[Shop], *, environment: Environment = GUILDS) -> Release:
    """Derive and write down what a build would."""
    entities = pl.DataFrame(
        [(f"M{i}", f"Mill {i}", trade, town, owner, size) for i, (town, trade, owner, size, _) in enumerate(shops)],
        schema=ENTITIES,
        orient="row",
    )
    figures = pl.DataFrame(
        [(f"M{i}", year, *row) for i, (*_, rows) in enumerate(shops) for year, row in zip(YEARS, rows, strict=True)],
        schema=FIGURES,
        orient="row",
    )
    derived: dict[str, pl.DataFrame] = {}
    for aggregate in environment.aggregates:
        derived |= derive_aggregate(environment, aggregate, entities, figures)
    return Release(entities, figures, derived, _published(entities, figures, derived))


def _published(
    entities: pl.DataFrame, figures: pl.DataFrame, derived: dict[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    accounts = figures.select(
        "mill",
        pl.col(PERIOD).cast(pl.String),
        *(decimal_text(pl.col(m.name), m.decimals).alias(m.name) for m in MEASURES),
    )
    latest = accounts.filter(pl.col(PERIOD) == "2022").unpivot(
        [measure.name for measure in MEASURES], index=["mill", PERIOD], variable_name="what"
    )
    value = decimal_text(pl.col("mantissa"), pl.col("scale")).alias("value")
    petitions = pl.DataFrame({"title": ["one", "two", "three"], "trades": ["flour", "paper; flour", "paper"]})
    return {
        "mills": entities,
        "accounts": accounts,
        "latest": latest.drop_nulls("value").with_columns(pl.col("what").str.to_uppercase()),
        **{
            each.name: derived[each.name].select(
                *each.by, pl.col(PERIOD).cast(pl.String), "measure", "statistic", value
            )
            for each in (NATIONAL, REGIONAL, BY_TOWN)
        },
        **{
            each.counts_name: derived[each.counts_name].select(
                *each.by, "owner", "size", pl.col("count").cast(pl.String).alias("value")
            )
            for each in (NATIONAL, REGIONAL)
        },
        "petitions": petitions,
        "petition_counts": pl.DataFrame({"trade": ["flour", "paper"], "value": ["2", "2"]}),
    }
