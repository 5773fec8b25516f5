"""The macro series by day, week, month and year: national tables, and regional ones.

Values wander around the level that the vocabulary gives each series, with a trend, a season and noise; they are nobody's
published figures. Yearly values follow from the periods by the series' own rule. Names, units and rules of the series are in
`raw/vocabulary/macro.py`.
"""

import math
from collections.abc import Sequence
from datetime import date

import polars as pl

from pipeline.errors import InputError
from pipeline.numerals import decimal_text
from raw.draws import CORPUS_KEY, normal, scaled
from raw.vocabulary.industries import INDUSTRIES
from raw.vocabulary.macro import (
    FURTHER_SERIES,
    HOUSING_SERIES,
    NATIONAL_SERIES,
    PRODUCT_SERIES,
    YEARLY_SERIES,
    Frequency,
    RegionalSeries,
    Rollup,
)

_KEY = CORPUS_KEY.derive("macro")

NATIONAL_DETAIL, NATIONAL_YEARLY, REGIONAL_DETAIL, REGIONAL_ANNUAL = 43_938, 776, 3_173, 34
"""Records of the release; its regional yearly table is the detail table once more, and the annual rows."""

_HEADER = ("industryId", "industry", "year", "targetName", "targetUnit", "value")
_REGIONAL_HEADER = ("province", *_HEADER)

_FIRST_YEAR, _LAST_YEAR = 1951, 2022
_STEPS = {Frequency.DAY: "1d", Frequency.WEEK: "1w", Frequency.MONTH: "1mo"}
_DAY_LABEL, _MONTH_LABEL = "（%Y年%-m月%-d日）", "（%Y年%-m月）"
_ANNUAL_LABEL = "（年度）"
_RATE_UNIT = "%"
_LARGE_CITIES = 4
"""The first cities of the housing series, with which the regional tables begin."""

_RANKS_A_YEAR = 2
"""How many further series are worth as much as one further year of a series, when the tables are filled. Our choice."""


def macro_tables(scale: float) -> dict[str, pl.DataFrame]:
    """Return the four macro tables as text, each row unique in name and year.

    The regional yearly table repeats the detail rows as if all were of the last year, as the release does.
    """
    national = _series([RegionalSeries("", series) for series in NATIONAL_SERIES])
    wider = _series([RegionalSeries("", series) for series in (*NATIONAL_SERIES, *FURTHER_SERIES)])
    number = scaled(NATIONAL_DETAIL, scale)
    cities, others = HOUSING_SERIES[:_LARGE_CITIES], HOUSING_SERIES[_LARGE_CITIES:]
    by_distance = sorted(PRODUCT_SERIES, key=lambda regional: regional.province != "广东省")
    detail = _detail(_series([*cities, *by_distance, *others]), scaled(REGIONAL_DETAIL, scale))
    products, rows = _series(PRODUCT_SERIES), scaled(REGIONAL_ANNUAL, scale)
    annual = _annual(products.with_columns(first_year=_LAST_YEAR - (rows - 1) // products.height), rows)
    yearly = pl.concat([detail.with_columns(year=pl.lit(str(_LAST_YEAR))), annual])
    return {
        "national_macro_detail": _detail(national if _reaches(national, number) else wider, number).select(_HEADER),
        "national_macro_yearly": _annual(national, scaled(NATIONAL_YEARLY, scale)).select(_HEADER),
        "regional_macro_detail": detail.select(_REGIONAL_HEADER),
        "regional_macro_yearly": yearly.select(_REGIONAL_HEADER),
    }


def _series(regional: Sequence[RegionalSeries]) -> pl.DataFrame:
    """Return the series as rows, their place in the sequence as `rank`."""
    rows = [
        (rank, one.province, s.name, s.unit, s.frequency.value, s.rollup.value, s.first_year, s.level, s.industry_id)
        for rank, one in enumerate(regional)
        for s in (one.series,)
    ]
    words = dict.fromkeys(("province", "name", "unit", "frequency", "rollup"), pl.String)
    schema = {"rank": pl.Int64} | words | {"first_year": pl.Int64, "level": pl.Float64, "industry_id": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _detail(series: pl.DataFrame, number: int) -> pl.DataFrame:
    """Return `number` rows of single periods; the first series reach furthest back."""
    years = _years(series).sort(pl.col("rank") + _RANKS_A_YEAR * pl.col("ago"), "rank")
    sized = years.join(_lengths(), on=["frequency", "year"], maintain_order="left")
    # Only the years that are needed for so many rows are computed.
    needed = sized.filter(pl.col("length").cum_sum() - pl.col("length") < number)
    periods = _with_values(needed).sort("ago", "day", "rank", descending=[False, True, False]).head(number)
    return _text(_enough(periods, number).sort("rank", "day"), pl.col("name") + _day_label())


def _reaches(series: pl.DataFrame, number: int) -> bool:
    """Say whether series have so many periods."""
    return int(_years(series).join(_lengths(), on=["frequency", "year"])["length"].sum()) >= number


def _lengths() -> pl.DataFrame:
    """Return how many periods of each frequency a year has."""
    return _calendar().group_by("frequency", "year").agg(length=pl.len())


def _annual(series: pl.DataFrame, number: int) -> pl.DataFrame:
    """Return `number` rows of whole years: those of the first series first, the latest first."""
    is_later = pl.col("rank") >= YEARLY_SERIES
    years = _years(series).sort(is_later, "ago", "rank").head(number)
    value = pl.col("value").sort_by("day")
    rollup = {Rollup.SUM: value.sum(), Rollup.MEAN: value.mean().round().cast(pl.Int64), Rollup.LAST: value.last()}
    totals = _with_values(years).group_by("rank", "year").agg(**{name.value: how for name, how in rollup.items()})
    taken = pl.coalesce(pl.when(pl.col("rollup") == name.value).then(name.value) for name in rollup)
    rows = years.join(totals, on=["rank", "year"], maintain_order="left").with_columns(value=taken)
    return _text(_enough(rows, number).sort("rank", "year"), pl.col("name") + _ANNUAL_LABEL)


def _years(series: pl.DataFrame) -> pl.DataFrame:
    """Return every series in every year that it has, `ago` being the years since."""
    years = pl.DataFrame({"year": range(_FIRST_YEAR, _LAST_YEAR + 1)}, schema={"year": pl.Int64})
    known = series.join(years, how="cross").filter(pl.col("year") >= pl.col("first_year"))
    return known.with_columns(ago=_LAST_YEAR - pl.col("year"))


def _calendar() -> pl.DataFrame:
    """Return the periods of every frequency: columns `frequency`, `day`, `year`."""
    first, last = date(_FIRST_YEAR, 1, 1), date(_LAST_YEAR, 12, 31)
    days = [
        pl.DataFrame({"day": pl.date_range(first, last, step, eager=True)}).with_columns(
            frequency=pl.lit(frequency.value)
        )
        for frequency, step in _STEPS.items()
    ]
    return pl.concat(days).with_columns(year=pl.col("day").dt.year().cast(pl.Int64))


def _with_values(years: pl.DataFrame) -> pl.DataFrame:
    """Spread series and years over their periods and add `value` in hundredths (Int64)."""
    periods = years.join(_calendar(), on=["frequency", "year"])
    noise = normal(_KEY.derive("noise"), "name", "day")
    season = (2 * math.pi * (pl.col("day").dt.month() / 12 + _KEY.derive("season").uniform("name"))).cos()
    trend = 0.02 + 0.06 * _KEY.derive("trend").uniform("name")
    amount = pl.col("level") * (0.08 * season + 0.05 * noise - trend * pl.col("ago")).exp()
    rate = pl.col("level") + 0.3 * pl.col("level").sqrt() * (season + noise)
    value = pl.when(pl.col("unit") == _RATE_UNIT).then(rate).otherwise(amount)
    return periods.with_columns(value=(value * 100).round().cast(pl.Int64))


def _day_label() -> pl.Expr:
    is_month = pl.col("frequency") == Frequency.MONTH.value
    return (
        pl.when(is_month).then(pl.col("day").dt.strftime(_MONTH_LABEL)).otherwise(pl.col("day").dt.strftime(_DAY_LABEL))
    )


def _enough(rows: pl.DataFrame, number: int) -> pl.DataFrame:
    if rows.height < number:
        raise InputError(f"SCALE too large: {number} macro records asked for, {rows.height} there; use a smaller SCALE")
    return rows


def _text(rows: pl.DataFrame, name: pl.Expr) -> pl.DataFrame:
    industries = {industry.id: industry.name for industry in INDUSTRIES}
    return rows.select(
        "province",
        industryId=pl.col("industry_id").cast(pl.String),
        industry=pl.col("industry_id").replace_strict(industries, return_dtype=pl.String),
        year=pl.col("year").cast(pl.String),
        targetName=name,
        targetUnit=pl.when(pl.col("unit") != "").then("unit"),
        value=decimal_text(pl.col("value"), 2),
    )
