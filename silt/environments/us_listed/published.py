"""The published tables of `us-listed`: their fields, how they are rendered, and how they are read back."""

from dataclasses import replace
from typing import Any

import polars as pl

from pipeline.derive import STATISTICS
from pipeline.model import PERIOD, EntityView, Field, LongFigures, Parts, PublishedTable, Truth, Views, origins
from pipeline.numerals import decimal_text
from pipeline.render.long import FIGURE, NUMBER, LongCell, LongSection, long_table
from silt.environments.us_listed.raw_tables import CODE, COUNTRY, MEASURES, NAME, SECTOR, STATE, SUB_INDUSTRY

DEFINITIONS = {
    "Total Revenue": "All income from sales before any cost; the sum of cost of revenue and gross profit.",
    "Gross Profit": "What is left of total revenue after cost of revenue.",
    "Gross Margin": "100 x gross profit / total revenue, rounded to whole percent.",
    "Operating Margin": "100 x operating income / total revenue, sign dropped, rounded to whole percent.",
    "Pre-Tax Margin": "100 x earnings before tax / total revenue, sign dropped, rounded to whole percent.",
    "Profit Margin": "100 x net income / total revenue, sign dropped, rounded to whole percent.",
    "After Tax ROE": "100 x net income / total equity, sign dropped, rounded to whole percent.",
    "Pre-Tax ROE": "100 x earnings before tax / total equity, sign dropped, rounded to whole percent.",
    "Current Ratio": "100 x total current assets / total current liabilities, rounded to whole percent.",
    "Cash Ratio": "100 x (cash and cash equivalents + short-term investments) / total current liabilities, in whole percent.",
    "Quick Ratio": "Liquid current assets over total current liabilities, in whole percent.",
    "Earnings Before Interest and Tax": "Earnings before tax with interest expense added back.",
    "Total Assets": "Everything the company owns; total liabilities plus total equity unless minority interests stand between.",
    "Total Liabilities & Equity": "The other side of the balance sheet; equals total assets.",
    "Estimated Shares Outstanding": "Net income / earnings per share: an estimate, not a count.",
    "Earnings Per Share": "Net income for one share, in dollars.",
    "Price": "Price of one share near the end of the period, in dollars.",
    "Research and Development": "Expense for research and development; 0 where a company does not report it.",
    "sum, mean, max, min, median": "Statistics of the aggregate tables, over the companies that report the measure.",
}
"""What an analyst needs to read the figures; our wording."""

_ID = Field("id", type="integer", minimum=1, unique=True, origins=())
_YEAR = Field(PERIOD, type="integer", minimum=1990, maximum=2030)
_MEASURE = Field("measure", allowed=tuple(measure.name for measure in MEASURES))
_UNIT = Field("unit", allowed=tuple(dict.fromkeys(measure.unit for measure in MEASURES)))
_VALUE = Field("value", type="decimal", unit_in=_UNIT.name)


def _profile(name: str, raw: str, meaning: str = "", **declared: Any) -> Field:
    return Field(name, meaning=meaning, origins=(("securities", raw),), **declared)


_CODE = _profile("code", CODE, pattern="[A-Z]{5}", unique=True)
_SECTOR = _profile("sector", SECTOR, "sector of the Global Industry Classification Standard")
_STATE = _profile("state", STATE, "state of the headquarters, in the United States", nullable=True)
_PROFILE = (
    _ID,
    _CODE,
    _profile("name", NAME),
    _SECTOR,
    _profile("sub_industry", SUB_INDUSTRY, "sub-industry of the same standard", nullable=True),
    _STATE,
    _profile("country", COUNTRY, "country of the headquarters", nullable=True),
    _profile(
        "year_added",
        "year_added",
        "year in which the company joined the index",
        type="integer",
        minimum=1900,
        maximum=2030,
        nullable=True,
    ),
)
_RAW = {field.name: raw for field in _PROFILE for _, raw in field.origins or ()}
"""Published columns of the companies, and what they are called in the raw table."""

_MEASURES = [measure.name for measure in MEASURES]
_FIGURES = (
    _ID,
    Field("code", pattern="[A-Z]{5}", refers_to=("company_profile", "code"), origins=(("figures", CODE),)),
    replace(_YEAR, origins=(("figures", PERIOD),)),
    replace(_MEASURE, origins=()),
    replace(_UNIT, origins=()),
    replace(_VALUE, origins=origins("figures", _MEASURES)),
)
_OF_PANEL = origins("figures", (CODE, PERIOD, *_MEASURES))
"""Each figure that is reported is a row, so that every column of the panel decides which rows there are."""

_DEFINED = (_ID, Field("definition", unique=True, meaning="definition of a measure", origins=()))


def render_profile(truth: Truth) -> pl.DataFrame:
    """Return a row for each company."""
    companies = truth.tables["securities"].sort(truth.order.mac(pl.lit("profile"), CODE))
    columns = [pl.col(raw).cast(pl.String).alias(name) for name, raw in _RAW.items()]
    return _numbered(companies).select("id", *columns)


def render_figures(truth: Truth) -> Parts:
    """Return a record for each figure that exists: by company in keyed order, period and measure."""
    figures = truth.tables["figures"]
    mac = truth.order.mac(pl.lit("figures"), CODE)
    order = figures.select(pl.arg_sort_by(mac, PERIOD)).to_series()
    cells = [
        LongCell(figure=pl.col(m.name), decimals=m.decimals, labels={"measure": m.name, "unit": m.unit})
        for m in MEASURES
    ]
    return long_table([LongSection(rows=order, cells=cells)], figures.__getitem__, _figures_text, index=(CODE, PERIOD))


def _figures_text(records: pl.DataFrame, _rows: int) -> pl.DataFrame:
    named = records.rename({NUMBER: "id", CODE: "code", FIGURE: "value"})
    return named.select(pl.col(field.name for field in _FIGURES).cast(pl.String))


def _render_aggregate(name: str, by: str, group: str, truth: Truth) -> pl.DataFrame:
    units = {measure.name: measure.unit for measure in MEASURES}
    return _numbered(truth.tables[name].drop_nulls("mantissa").sort(by, PERIOD, "measure", "statistic")).select(
        "id",
        pl.col(by).alias(group),
        pl.col(PERIOD).cast(pl.String),
        "measure",
        "statistic",
        pl.col("measure").replace_strict(units).alias("unit"),
        decimal_text(pl.col("mantissa"), pl.col("scale")).alias("value"),
    )


def render_definitions(_truth: Truth) -> pl.DataFrame:
    """Return a row for each definition."""
    return _numbered(pl.DataFrame({"definition": [definition(name) for name in DEFINITIONS]})).select(
        "id", "definition"
    )


def definition(name: str) -> str:
    """Return what a measure means, as it is published."""
    return f"{name}: {DEFINITIONS[name]}"


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"))


def _aggregate(name: str, by: str, group: Field, description: str) -> PublishedTable:
    """Declare the table of the statistics of an aggregate, whose groups stand in the column `group`."""
    return PublishedTable(
        path=f"{name}.csv",
        fields=(
            _ID,
            replace(group, origins=((name, by),)),
            replace(_YEAR, meaning="fiscal year"),
            replace(_MEASURE, meaning="what the figure is"),
            Field("statistic", allowed=STATISTICS, meaning="sum, mean, max, min or median"),
            replace(_UNIT, origins=((name, "measure"),), meaning="unit of the figure"),
            replace(_VALUE, origins=origins(name, ("mantissa", "scale")), meaning="the figure"),
        ),
        source=name,
        rows_from=((name, "mantissa"),),
        render=lambda truth: _render_aggregate(name, by, group.name, truth),
        description=description,
    )


TABLES = (
    PublishedTable(
        path="company_profile.csv",
        fields=_PROFILE,
        needs=("securities",),
        render=render_profile,
        description="One row for each company.",
    ),
    PublishedTable(
        path="company_figures.csv",
        fields=_FIGURES,
        rows_from=_OF_PANEL,
        needs=("figures",),
        render=render_figures,
        beside=("company_profile",),
        description="One row for each figure that a company reports for a fiscal year.",
    ),
    _aggregate(
        "sector_aggregates",
        SECTOR,
        replace(_SECTOR, refers_to=("company_profile", "sector")),
        "Statistics of each measure over the companies of a sector and year.",
    ),
    _aggregate("state_aggregates", STATE, _STATE, "Statistics of each measure over the companies of a state and year."),
    PublishedTable(
        path="metric_definitions.csv",
        fields=_DEFINED,
        needs=(),
        render=render_definitions,
        description="What the measures mean.",
    ),
)

VIEWS = Views(
    entities=EntityView(table="company_profile", vocabularies={"sector": "sectors"}),
    figures=(
        LongFigures(
            table="company_figures",
            code="code",
            year=PERIOD,
            measure="measure",
            unit="unit",
            value="value",
            vocabulary="measures",
        ),
    ),
)
