"""The published tables of `us-listed`, and how they are read back."""

import polars as pl

from pipeline.model import PERIOD, EntityView, LongFigures, Parts, PublishedTable, Truth, Views
from pipeline.numerals import decimal_text
from pipeline.render.long import FIGURE, NUMBER, Cell, Section, long_table
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

_PUBLISHED = {CODE: "code", NAME: "name", SECTOR: "sector", SUB_INDUSTRY: "sub_industry", COUNTRY: "country"}
"""Columns of the companies that are published under another name."""

PROFILE_COLUMNS = ("id", "code", "name", "sector", "sub_industry", "state", "country", "year_added")


def render_profile(truth: Truth) -> pl.DataFrame:
    """Return a row for each company."""
    companies = truth.tables["securities"].sort(truth.order.mac(pl.lit("profile"), CODE)).rename(_PUBLISHED)
    return _numbered(companies).select(pl.col(PROFILE_COLUMNS).cast(pl.String))


def render_figures(truth: Truth) -> Parts:
    """Return a record for each figure that exists: by company in keyed order, period and measure."""
    figures = truth.tables["figures"]
    mac = truth.order.mac(pl.lit("figures"), CODE)
    order = figures.select(pl.arg_sort_by(mac, PERIOD)).to_series()
    cells = [
        Cell(figure=pl.col(m.name), decimals=m.decimals, labels={"measure": m.name, "unit": m.unit}) for m in MEASURES
    ]
    return long_table([Section(rows=order, cells=cells)], figures.__getitem__, _figures_text, index=(CODE, PERIOD))


def _figures_text(records: pl.DataFrame, _rows: int) -> pl.DataFrame:
    named = records.rename({NUMBER: "id", CODE: "code", FIGURE: "value"})
    return named.select(pl.col("id", "code", PERIOD, "measure", "unit", "value").cast(pl.String))


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


def aggregate_table(name: str, by: str, group: str, description: str) -> PublishedTable:
    """Return the table of the statistics of an aggregate, whose groups stand in the column `group`."""
    return PublishedTable(
        path=f"{name}.csv",
        columns=("id", group, PERIOD, "measure", "statistic", "unit", "value"),
        needs=(name,),
        render=lambda truth: _render_aggregate(name, by, group, truth),
        description=description,
    )


VIEWS = Views(
    entities=EntityView(
        table="company_profile",
        columns={column: raw for raw, column in _PUBLISHED.items()} | {STATE: STATE, "year_added": "year_added"},
        vocabularies={"sector": "sectors"},
    ),
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
