"""Declares and renders the industry tables of `dataclaw-18`: statistics, counts and macro series, long and wide.

Labels follow the grammar of the release (reference, sections 3.2 and 3.3): `[行业-][所有制-][交易所]企业数量` for counts,
`{指标}{统计}` for statistics.
"""

from dataclasses import replace

import polars as pl

from pipeline.derive import STATISTICS
from pipeline.model import PERIOD, Aggregate, Field, GivenAggregate, Origin, PublishedTable, Truth, origins
from pipeline.numerals import decimal_text
from raw.corpus.stamps import numbered
from raw.vocabulary.english import EXCHANGES_IN_ENGLISH, INDICATORS_IN_ENGLISH, OWNERSHIPS_IN_ENGLISH
from raw.vocabulary.geography import PROVINCES, STATISTICS_PROVINCES
from raw.vocabulary.indicators import COUNT_INDICATORS, INDICATORS
from raw.vocabulary.industries import INDUSTRIES, TOTAL_INDUSTRY
from raw.vocabulary.listing import EXCHANGES, OWNERSHIP_EXCHANGE_PAIRS, OWNERSHIPS
from silt.environments.dataclaw_18.fields import (
    ID,
    INDUSTRY,
    INDUSTRY_ID,
    LABEL,
    LATEST_YEAR,
    OF_LATEST,
    STAMPS,
    UNIT,
    VALUE,
    YEAR,
    names,
    nullable,
)
from silt.environments.dataclaw_18.raw_tables import OVERSEAS
from silt.environments.dataclaw_18.stamps import load_stamps

_PROVINCE = Field("province", allowed=tuple(province.name for province in PROVINCES), meaning="province")
_FIGURE = replace(VALUE, unit_in=UNIT.name)
_MACRO = (ID, *nullable(INDUSTRY_ID, INDUSTRY), YEAR, LABEL, UNIT, _FIGURE)
_REGIONAL_MACRO = (ID, _PROVINCE, *_MACRO[1:])


def _status_fields(of: str) -> tuple[Field, ...]:
    """Return the fields of a long table of statistics, counts and repeated macro series."""
    counts, macro = f"{of}_counts", f"{of}_macro_yearly"
    industries = ((of, "industry"), (counts, "industry"))
    labels = (
        *origins(of, ("measure", "statistic")),
        *origins(counts, ("industry", "ownership", "exchange", "breakdown")),
        (macro, "targetName"),
    )
    values = (*origins(of, ("mantissa", "scale", "n", "measure")), (counts, "count"), (macro, "value"))
    return (
        ID,
        replace(INDUSTRY_ID, origins=industries),
        replace(INDUSTRY, origins=industries),
        replace(LABEL, origins=labels),
        replace(UNIT, origins=((of, "measure"), (macro, "targetUnit"))),
        replace(_FIGURE, nullable=True, origins=values),
        *STAMPS,
        OF_LATEST,
    )


def _status_rows(of: str) -> tuple[Origin, ...]:
    """Return what decides which rows such a table has."""
    breakdowns = origins(f"{of}_counts", ("ownership", "exchange", "breakdown"))
    return (*origins(of, ("measure", "statistic")), *breakdowns)


_PROVINCES = tuple((table, "province") for table in ("regional", "regional_counts", "regional_macro_yearly"))
_STATUS = _status_fields("national")
_REGIONAL_STATUS = (ID, replace(_PROVINCE, origins=_PROVINCES), *_status_fields("regional")[1:])

SUFFIXES = dict(zip(STATISTICS, ("合计", "均值", "最大值", "最小值", "中位数"), strict=True))
"""How the names of statistics end."""

COUNT = "企业数量"
TOTAL_COUNT = "企业总数"
_BREAKDOWNS = ((), ("ownership",), ("exchange",), ("ownership", "exchange"))
_REGIONAL_LONG_BREAKDOWNS = ("", "ownership+exchange")
"""The long regional table counts each group and each pair; single breakdowns follow by adding up pairs."""

NATION = "全国"

_INDUSTRY_IDS = {industry.name: str(industry.id) for industry in INDUSTRIES} | {TOTAL_INDUSTRY[1]: TOTAL_INDUSTRY[0]}
_INDUSTRY_RANKS = {name: rank for rank, name in enumerate(_INDUSTRY_IDS)}
"""Industries by id, the total last."""
_INDICATOR_RANKS = {measure.name: rank for rank, measure in enumerate(INDICATORS)}
_PROVINCE_RANKS = {province.name: rank for rank, province in enumerate(PROVINCES)}


def _domestic(profile: pl.LazyFrame) -> pl.LazyFrame:
    return profile.filter(pl.col("companyType") != OVERSEAS)


def statistic_labels() -> list[tuple[str, str, str]]:
    """Return (measure, statistic, published label) in published order: by measure, then statistic."""
    return [
        (measure.name, statistic, measure.name + suffix)
        for measure in INDICATORS
        for statistic, suffix in SUFFIXES.items()
        if measure.additive or statistic != "sum"
    ]


def _aggregate(name: str, headers: dict[str, str], **domain: tuple[str, ...]) -> Aggregate:
    """Declare an aggregate by groups, which stand under `headers` in the originals' own; `domain` has those but industries."""
    return Aggregate(
        name=name,
        by=tuple(headers),
        domain=domain | {"industry": tuple(industry.name for industry in INDUSTRIES)},
        total_over="industry",
        total_label=TOTAL_INDUSTRY[1],
        years=(LATEST_YEAR,),
        counts=_BREAKDOWNS,
        members=_domestic,
        given=GivenAggregate(table=f"{name}_industry_status", by=headers, statistics=tuple(statistic_labels())),
    )


_NATIONAL_HEADERS, _REGIONAL_HEADERS = {"industry": "行业"}, {"province": "省份", "industry": "行业"}
NATIONAL = _aggregate("national", _NATIONAL_HEADERS)
REGIONAL = _aggregate("regional", _REGIONAL_HEADERS, province=STATISTICS_PROVINCES)
"""Statistics for the 16 provinces that carry them in the release, counts wherever firms are."""


def count_labels() -> list[tuple[str | None, str | None, str]]:
    """Return (ownership, exchange, label of the wide tables): the total, 8 owners, 4 exchanges, 29 pairs."""
    exchanges = [exchange.name for exchange in EXCHANGES]
    return [
        (None, None, TOTAL_COUNT),
        *((ownership, None, ownership + COUNT) for ownership in OWNERSHIPS),
        *((None, exchange, exchange + COUNT) for exchange in exchanges),
        *((ownership, exchange, f"{ownership}-{exchange}{COUNT}") for ownership, exchange in OWNERSHIP_EXCHANGE_PAIRS),
    ]


_OF_FIRMS = {own: english[0] for own, english in OWNERSHIPS_IN_ENGLISH.items()} | {
    own: english[-1] for own, english in EXCHANGES_IN_ENGLISH.items()
}


def _counted(*groups: str | None) -> str:
    """Return what a count is of, in English."""
    of = ", ".join(_OF_FIRMS[group] for group in groups if group)
    return f"number of companies: {of}" if of else "number of companies"


_COUNTS = {label: _counted(ownership, exchange) for ownership, exchange, label in count_labels()}
_STATISTICS = {
    label: f"{statistic} of {INDICATORS_IN_ENGLISH[measure]}" for measure, statistic, label in statistic_labels()
}
WIDE_COLUMNS = (*_COUNTS, *_STATISTICS)
"""The 271 columns of numbers of the wide tables."""


def _wide_fields(of: str, *keys: str) -> tuple[Field, ...]:
    """Return the fields of a wide table, in which labels choose the column and keys the row."""
    counts = origins(f"{of}_counts", (*keys, "ownership", "exchange", "count"))
    statistics = origins(of, (*keys, "measure", "statistic", "mantissa", "scale"))
    return (
        *(Field(label, nullable=None, meaning=meaning, origins=counts) for label, meaning in _COUNTS.items()),
        *(Field(label, nullable=None, meaning=meaning, origins=statistics) for label, meaning in _STATISTICS.items()),
    )


_NATIONAL_WIDE = (
    Field("行业", nullable=None, origins=()),
    Field("district", nullable=None, origins=(), meaning="industry"),
    *_wide_fields("national", "industry"),
)
_REGIONAL_WIDE = (
    Field("行业", nullable=None, origins=(), meaning="industry"),
    Field("省份", nullable=None, origins=(), meaning="province"),
    *_wide_fields("regional", "province", "industry"),
)


def render_national(truth: Truth) -> pl.DataFrame:
    """Render statistics, counts, then the yearly macro rows as if they were of the last year and all industries."""
    macro = _macro_repeated(truth, "national_macro_yearly")
    rows = pl.concat([_statistic_rows(truth, "national"), _count_rows(truth, "national"), macro], how="diagonal")
    return _status(rows, _STATUS)


def render_regional(truth: Truth) -> pl.DataFrame:
    """Render the regional statistics, counts and repeated series; provinces in their official order."""
    counts = _count_rows(truth, "regional").filter(pl.col("breakdown").is_in(_REGIONAL_LONG_BREAKDOWNS))
    macro = _macro_repeated(truth, "regional_macro_yearly")
    rows = pl.concat([_statistic_rows(truth, "regional"), counts, macro], how="diagonal")
    return _status(rows, _REGIONAL_STATUS)


def render_macro(table: str, fields: tuple[Field, ...], truth: Truth) -> pl.DataFrame:
    """Render a table of macro series in the order of series and periods."""
    value = decimal_text(pl.col("value"), _MACRO_DECIMALS, least=1).alias("value")
    rows = truth.tables[table].sort("targetName", PERIOD)
    return numbered(rows.with_columns(value)).select(pl.col(names(fields)).cast(pl.String))


def render_regional_yearly(truth: Truth) -> pl.DataFrame:
    """Render the regional series sorted by value: the release's own disorder (reference 4.15), a shape and not noise."""
    rows = truth.tables["regional_macro_yearly"].sort("value", "targetName")
    value = decimal_text(pl.col("value"), _MACRO_DECIMALS).alias("value")
    return numbered(rows.with_columns(value)).select(pl.col(names(_REGIONAL_MACRO)).cast(pl.String))


def render_national_wide(truth: Truth) -> pl.DataFrame:
    """Render one row an industry: counts, then statistics."""
    frame = pl.DataFrame({"行业": [industry.name for industry in INDUSTRIES]}).with_columns(district=pl.lit(NATION))
    return _wide(frame, truth, "national", _NATIONAL_HEADERS).select(names(_NATIONAL_WIDE))


def render_regional_wide(truth: Truth) -> pl.DataFrame:
    """Render one row for each province and industry, empty where nothing is known."""
    industries = pl.DataFrame({"行业": [industry.name for industry in INDUSTRIES]})
    frame = pl.DataFrame({"省份": list(_PROVINCE_RANKS)}).join(industries, how="cross")
    return _wide(frame, truth, "regional", _REGIONAL_HEADERS).select(names(_REGIONAL_WIDE))


_MACRO_DECIMALS = 6

_STATISTIC_FACTS = pl.DataFrame(
    [(*names, rank) for rank, names in enumerate(statistic_labels())],
    schema=["measure", "statistic", "label", "rank"],
    orient="row",
).join(pl.DataFrame({"measure": [m.name for m in INDICATORS], "unit": [m.unit for m in INDICATORS]}), on="measure")

_COUNT_FACTS = pl.DataFrame(
    [(*names, rank) for rank, names in enumerate(count_labels())],
    schema={"ownership": pl.String, "exchange": pl.String, "label": pl.String, "rank": pl.Int64},
    orient="row",
)


def _statistic_rows(truth: Truth, aggregate: str) -> pl.DataFrame:
    """Return the statistics as rows: by indicator, province, industry, statistic.

    Where no firm reports a count (patents, awards) the release states 0; where none reports an amount or a ratio, nothing.
    """
    statistics = truth.tables[aggregate].join(_STATISTIC_FACTS, on=["measure", "statistic"])
    is_zero = (pl.col("n") == 0) & pl.col("measure").is_in(COUNT_INDICATORS)
    value = pl.when(is_zero).then(pl.lit("0")).otherwise(decimal_text(pl.col("mantissa"), pl.col("scale")))
    place = ["province"] if "province" in statistics.columns else []
    return statistics.with_columns(value=value, targetName=pl.col("label"), targetUnit=pl.col("unit")).sort(
        *(pl.col(column).replace_strict(_PROVINCE_RANKS) for column in place),
        pl.col("measure").replace_strict(_INDICATOR_RANKS),
        pl.col("industry").replace_strict(_INDUSTRY_RANKS),
        "rank",
    )


def _count_rows(truth: Truth, aggregate: str) -> pl.DataFrame:
    """Return the counts as rows, the total of all industries first."""
    counts = truth.tables[f"{aggregate}_counts"].join(_COUNT_FACTS, on=["ownership", "exchange"], nulls_equal=True)
    is_total = pl.col("industry") == TOTAL_INDUSTRY[1]
    of_industry = pl.when(is_total).then(pl.lit("")).otherwise(pl.col("industry") + "-")
    group = pl.when(is_total).then(pl.lit(TOTAL_COUNT)).otherwise(pl.col("industry") + COUNT)
    name = pl.when(pl.col("breakdown") == "").then(group).otherwise(of_industry + pl.col("label"))
    place = [pl.col("province").replace_strict(_PROVINCE_RANKS)] if "province" in counts.columns else []
    return counts.with_columns(
        targetName=name, targetUnit=pl.lit(None, pl.String), value=pl.col("count").cast(pl.String)
    ).sort(*place, ~is_total, pl.col("industry").replace_strict(_INDUSTRY_RANKS), "rank")


def _macro_repeated(truth: Truth, table: str) -> pl.DataFrame:
    if table not in truth.tables:
        return pl.DataFrame(schema={"targetName": pl.String})
    value = decimal_text(pl.col("value"), _MACRO_DECIMALS)
    return (
        truth.tables[table]
        .sort("targetName", PERIOD)
        .select(
            pl.lit(TOTAL_INDUSTRY[1]).alias("industry"),
            pl.col("^province$"),
            "targetName",
            "targetUnit",
            value.alias("value"),
        )
    )


def _status(rows: pl.DataFrame, fields: tuple[Field, ...]) -> pl.DataFrame:
    named = numbered(rows).with_columns(
        pl.col("industry").replace_strict(_INDUSTRY_IDS).alias("industryId"),
        pl.lit(LATEST_YEAR).alias(PERIOD),
        *load_stamps(),
    )
    return named.select(pl.col(names(fields)).cast(pl.String))


def _wide(frame: pl.DataFrame, truth: Truth, aggregate: str, columns: dict[str, str]) -> pl.DataFrame:
    keys = list(columns.values())
    statistics = (
        truth.tables[aggregate]
        .join(_STATISTIC_FACTS, on=["measure", "statistic"])
        .with_columns(value=decimal_text(pl.col("mantissa"), pl.col("scale")))
    )
    counts = truth.tables[f"{aggregate}_counts"].join(_COUNT_FACTS, on=["ownership", "exchange"], nulls_equal=True)
    for cells in (counts.with_columns(value=pl.col("count").cast(pl.String)), statistics):
        wide = cells.rename(columns).pivot("label", index=keys, values="value")
        frame = frame.join(wide, on=keys, how="left", maintain_order="left")
    absent = [pl.lit(None, pl.String).alias(column) for column in WIDE_COLUMNS if column not in frame.columns]
    return frame.with_columns(absent)


def _macro_table(
    name: str, raw: str, fields: tuple[Field, ...], description: str, *, beside: tuple[str, ...] = ()
) -> PublishedTable:
    return PublishedTable(
        path=f"industry/{name}.csv",
        fields=fields,
        source=raw,
        render=lambda truth: render_macro(raw, fields, truth),
        beside=beside,
        description=description,
    )


INDUSTRY_TABLES = (
    PublishedTable(
        path="industry/national_industry_status.csv",
        fields=_STATUS,
        rows_from=_status_rows("national"),
        needs=("national", "national_counts"),
        uses=("national_macro_yearly",),
        render=render_national,
        description="Statistics and counts of each industry, and macro series.",
    ),
    _macro_table("national_industry_status_detail", "national_macro_detail", _MACRO, "Macro series by day and month."),
    _macro_table(
        "national_industry_yearly_status",
        "national_macro_yearly",
        _MACRO,
        "Macro series by year.",
        beside=("national_industry_status_detail",),
    ),
    PublishedTable(
        path="industry/regional_industry_status.csv",
        fields=_REGIONAL_STATUS,
        rows_from=_status_rows("regional"),
        needs=("regional", "regional_counts"),
        uses=("regional_macro_yearly",),
        render=render_regional,
        beside=("national_industry_status",),
        description="Statistics and counts of each industry in each province, and regional series.",
    ),
    _macro_table(
        "regional_industry_status_detail",
        "regional_macro_detail",
        _REGIONAL_MACRO,
        "Regional series by day and month.",
    ),
    PublishedTable(
        path="industry/regional_industry_yearly_status.csv",
        fields=_REGIONAL_MACRO,
        source="regional_macro_yearly",
        render=render_regional_yearly,
        description="Yearly series of provinces, the rows sorted by value as in the paper's release.",
    ),
)

IDEAL_INDUSTRY_TABLES = (
    PublishedTable(
        path="national_industry_status.csv",
        folder="ideal",
        fields=_NATIONAL_WIDE,
        row_key="行业",
        needs=("national", "national_counts"),
        render=render_national_wide,
        description="One row an industry.",
    ),
    PublishedTable(
        path="regional_industry_status.csv",
        folder="ideal",
        fields=_REGIONAL_WIDE,
        row_key="",
        needs=("regional", "regional_counts"),
        render=render_regional_wide,
        description="One row for each province and industry.",
    ),
)
