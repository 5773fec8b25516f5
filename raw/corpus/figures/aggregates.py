"""The industry tables that the firms' publisher would have computed: counts and statistics, national and by province.

They are computed from the raw firms in plain polars, independently of `pipeline/derive/`, so that one checks the other. Labels
follow the release (reference, sections 1.2 and 3.2).
"""

import polars as pl

from pipeline.numerals import decimal_text
from raw.vocabulary.geography import PROVINCES, STATISTICS_PROVINCES
from raw.vocabulary.indicators import COUNT_INDICATORS, INDICATORS
from raw.vocabulary.industries import INDUSTRIES
from raw.vocabulary.listing import EXCHANGES, OWNERSHIP_EXCHANGE_PAIRS, OWNERSHIPS

STATISTICS = ("合计", "均值", "最大值", "最小值", "中位数")
"""Suffixes of the statistics, in order; measures that are not additive have no 合计."""

_MEAN_DIGITS = 15
_LATEST = "2022"

COUNT_COLUMNS = (
    "企业总数",
    *(f"{ownership}企业数量" for ownership in OWNERSHIPS),
    *(f"{exchange.name}企业数量" for exchange in EXCHANGES),
    *(f"{ownership}-{exchange}企业数量" for ownership, exchange in OWNERSHIP_EXCHANGE_PAIRS),
)
"""The 42 counts of the wide tables."""

STATISTIC_COLUMNS = tuple(
    measure.name + statistic
    for measure in INDICATORS
    for statistic in STATISTICS
    if measure.additive or statistic != STATISTICS[0]
)
"""The 229 statistics of the wide tables, by indicator, then statistic."""


def national_table(cells: pl.DataFrame, firms: pl.DataFrame) -> pl.DataFrame:
    """Return one row an industry, as text."""
    rows = pl.DataFrame({"industry": [industry.name for industry in INDUSTRIES]})
    filled = _filled(rows, cells, firms, by=["industry"])
    return filled.select(
        pl.col("industry").alias("行业"), pl.lit("全国").alias("district"), *COUNT_COLUMNS, *STATISTIC_COLUMNS
    )


def regional_table(cells: pl.DataFrame, firms: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each province and industry, as text; statistics for the provinces that carry them."""
    provinces = pl.DataFrame({"province": [province.name for province in PROVINCES]})
    rows = provinces.join(pl.DataFrame({"industry": [industry.name for industry in INDUSTRIES]}), how="cross")
    filled = _filled(rows, cells, firms, by=["province", "industry"])
    keys = (pl.col("industry").alias("行业"), pl.col("province").alias("省份"))
    return filled.select(*keys, *COUNT_COLUMNS, *STATISTIC_COLUMNS)


def _filled(rows: pl.DataFrame, cells: pl.DataFrame, firms: pl.DataFrame, *, by: list[str]) -> pl.DataFrame:
    """Add counts and statistics to the rows; where no firm reports a count indicator its statistics are 0."""
    counts = _pivoted(_counts(firms, by), by, COUNT_COLUMNS)
    statistics = _pivoted(_statistics(cells, firms, by), by, STATISTIC_COLUMNS)
    has_statistics = pl.col("province").is_in(STATISTICS_PROVINCES) if "province" in by else pl.lit(True)
    of_counts = [column for column in STATISTIC_COLUMNS if column.removesuffix(_suffix(column)) in COUNT_INDICATORS]
    return (
        rows.join(counts, on=by, how="left", maintain_order="left")
        .join(statistics, on=by, how="left", maintain_order="left")
        .with_columns(pl.when(has_statistics).then(column).alias(column) for column in STATISTIC_COLUMNS)
        .with_columns(pl.when(has_statistics).then(pl.col(column).fill_null("0")).alias(column) for column in of_counts)
    )


def _suffix(column: str) -> str:
    return next(statistic for statistic in STATISTICS if column.endswith(statistic))


def _pivoted(cells: pl.DataFrame, by: list[str], columns: tuple[str, ...]) -> pl.DataFrame:
    return cells.pivot("label", index=by, values="text", on_columns=columns)


def _counts(firms: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    suffix = pl.lit("企业数量")
    labels = {
        (): pl.lit("企业总数"),
        ("ownership",): pl.col("ownership") + suffix,
        ("exchange",): pl.col("exchange") + suffix,
        ("ownership", "exchange"): pl.col("ownership") + "-" + pl.col("exchange") + suffix,
    }
    tables = [
        firms.group_by(*by, *columns).len().select(*by, label=label, text=pl.col("len").cast(pl.String))
        for columns, label in labels.items()
    ]
    return pl.concat(tables)


def _statistics(cells: pl.DataFrame, firms: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return the statistics as text: sums, extremes and medians exact, means as floats of 15 significant digits."""
    reported = (
        cells.select("firm", "measure", value=_LATEST).drop_nulls("value").join(firms.select("firm", *by), on="firm")
    )
    value = pl.col("value")
    grouped = reported.group_by(*by, "measure").agg(
        total=value.sum(), largest=value.max(), smallest=value.min(), n=pl.len(), halves=_twice_median(value)
    )
    decimals = pl.col("measure").replace_strict({m.name: m.decimals for m in INDICATORS}).cast(pl.Int64)
    mean = pl.col("total").cast(pl.Float64) / (pl.col("n") * pl.lit(10).pow(decimals))
    texts = (
        decimal_text(pl.col("total"), decimals),
        mean.round_sig_figs(_MEAN_DIGITS).cast(pl.String).str.strip_suffix(".0"),
        decimal_text(pl.col("largest"), decimals),
        decimal_text(pl.col("smallest"), decimals),
        decimal_text(5 * pl.col("halves"), decimals + 1),
    )
    tables = [
        grouped.select(*by, label=pl.col("measure") + statistic, text=text)
        for statistic, text in zip(STATISTICS, texts, strict=True)
    ]
    return pl.concat(tables).filter(pl.col("label").is_in(STATISTIC_COLUMNS))


def _twice_median(value: pl.Expr) -> pl.Expr:
    ordered = value.sort()
    return ordered.get((pl.len() - 1) // 2) + ordered.get(pl.len() // 2)
