"""The environment `us-listed`: annual figures of large US companies from their 10-K filings, 2012-2016.

The raw tables are the public "New York Stock Exchange" fundamentals set (CC0) as republished: `securities.csv` and
`fundamentals.csv`. Everything peculiar to them stands here: junk columns, `#N/A`, a fiscal year of 1215, headquarters as one
text. Published tables: contract, "Published tables".
"""

import polars as pl

from pipeline.model import (
    PERIOD,
    Aggregate,
    Column,
    Entities,
    EntityView,
    Environment,
    LongFigures,
    Measure,
    Panel,
    PublishedTable,
    QuasiIdentifier,
    QuasiIdentifiers,
    Ratio,
    RawTable,
    Reference,
    Role,
    Sum,
    Truth,
    Views,
    Vocabulary,
)
from silt.environments.us_listed.domains import domains
from silt.environments.us_listed.facts import facts_of
from silt.environments.us_listed.lineage import lineage_of
from silt.environments.us_listed.translations import (
    COUNTRIES_IN_CHINESE,
    DEFINITIONS_IN_CHINESE,
    SECTORS_IN_CHINESE,
    SECTORS_IN_SPANISH,
)
from pipeline.numerals import decimal_text

DOLLARS = "USD"
PERCENT = "%"

CODE, NAME = "Ticker Symbol", "Security"
SECTOR, SUB_INDUSTRY = "GICS Sector", "GICS Sub Industry"
COUNTRY, STATE = "Country", "state"

_RATIO_MEASURES = (
    "After Tax ROE",
    "Cash Ratio",
    "Current Ratio",
    "Gross Margin",
    "Operating Margin",
    "Pre-Tax Margin",
    "Pre-Tax ROE",
    "Profit Margin",
    "Quick Ratio",
)

_DOLLAR_MEASURES = (
    "Accounts Payable",
    "Accounts Receivable",
    "Add'l income/expense items",
    "Capital Expenditures",
    "Capital Surplus",
    "Cash and Cash Equivalents",
    "Changes in Inventories",
    "Common Stocks",
    "Cost of Revenue",
    "Deferred Asset Charges",
    "Deferred Liability Charges",
    "Depreciation",
    "Earnings Before Interest and Tax",
    "Earnings Before Tax",
    "Effect of Exchange Rate",
    "Equity Earnings/Loss Unconsolidated Subsidiary",
    "Fixed Assets",
    "Goodwill",
    "Gross Profit",
    "Income Tax",
    "Intangible Assets",
    "Interest Expense",
    "Inventory",
    "Investments",
    "Liabilities",
    "Long-Term Debt",
    "Long-Term Investments",
    "Minority Interest",
    "Misc. Stocks",
    "Net Borrowings",
    "Net Cash Flow",
    "Net Cash Flow-Operating",
    "Net Cash Flows-Financing",
    "Net Cash Flows-Investing",
    "Net Income",
    "Net Income Adjustments",
    "Net Income Applicable to Common Shareholders",
    "Net Income-Cont. Operations",
    "Net Receivables",
    "Non-Recurring Items",
    "Operating Income",
    "Other Assets",
    "Other Current Assets",
    "Other Current Liabilities",
    "Other Equity",
    "Other Financing Activities",
    "Other Investing Activities",
    "Other Liabilities",
    "Other Operating Activities",
    "Other Operating Items",
    "Research and Development",
    "Retained Earnings",
    "Sale and Purchase of Stock",
    "Sales, General and Admin.",
    "Short-Term Debt / Current Portion of Long-Term Debt",
    "Short-Term Investments",
    "Total Assets",
    "Total Current Assets",
    "Total Current Liabilities",
    "Total Equity",
    "Total Liabilities",
    "Total Liabilities & Equity",
    "Total Revenue",
    "Treasury Stock",
)

MEASURES = (
    *(Measure(name=name, unit=DOLLARS) for name in _DOLLAR_MEASURES),
    *(Measure(name=name, unit=PERCENT, additive=False) for name in _RATIO_MEASURES),
    Measure(name="Price", unit="USD per share", decimals=9, additive=False, null_tokens=("#N/A",)),
    Measure(name="Earnings Per Share", unit="USD per share", decimals=3, additive=False),
    Measure(name="Estimated Shares Outstanding", unit="shares", decimals=2),
)

IDENTITIES = (
    Sum(output="Total Assets", plus=("Total Liabilities", "Total Equity")),
    Sum(output="Total Liabilities & Equity", plus=("Total Assets",)),
    Sum(output="Total Revenue", plus=("Cost of Revenue", "Gross Profit")),
    Sum(output="Earnings Before Interest and Tax", plus=("Earnings Before Tax", "Interest Expense")),
    Sum(output="Net Income Applicable to Common Shareholders", plus=("Net Income",)),
    Ratio(output="Gross Margin", numerator=("Gross Profit",), denominator="Total Revenue", is_absolute=True),
    Ratio(output="Operating Margin", numerator=("Operating Income",), denominator="Total Revenue", is_absolute=True),
    Ratio(output="Pre-Tax Margin", numerator=("Earnings Before Tax",), denominator="Total Revenue", is_absolute=True),
    Ratio(output="Profit Margin", numerator=("Net Income",), denominator="Total Revenue", is_absolute=True),
    Ratio(output="After Tax ROE", numerator=("Net Income",), denominator="Total Equity", is_absolute=True),
    Ratio(output="Pre-Tax ROE", numerator=("Earnings Before Tax",), denominator="Total Equity", is_absolute=True),
    Ratio(output="Current Ratio", numerator=("Total Current Assets",), denominator="Total Current Liabilities"),
    Ratio(
        output="Cash Ratio",
        numerator=("Cash and Cash Equivalents", "Short-Term Investments"),
        denominator="Total Current Liabilities",
    ),
)
"""Those of the tables' relations that hold in most company-years. A total is the output, never a difference of large
figures, so that perturbing its parts cannot change its size."""

STATES = {
    "D.C.": "District of Columbia",
}
"""The one state that the headquarters name by its initials."""

KNOWN = (
    ("Total Revenue",),
    ("Total Revenue", "Total Assets", "Net Income"),
    (
        "Total Revenue",
        "Total Assets",
        "Net Income",
        "Operating Income",
        "Gross Profit",
        "Research and Development",
        "Total Liabilities",
    ),
)
"""Figures that stand in every annual report: one, three, seven."""

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


def _with_state(securities: pl.LazyFrame) -> pl.LazyFrame:
    """Add the state (null outside the United States) and the year of joining the index."""
    place = pl.col("Address of Headquarters").str.split(", ").list.last()
    return securities.with_columns(
        state=pl.when(pl.col(COUNTRY) == "United States").then(place.replace(STATES)),
        year_added=pl.col("Date first added").dt.year().cast(pl.Int64),
    )


def _with_fiscal_year(fundamentals: pl.LazyFrame) -> pl.LazyFrame:
    """Add the fiscal year: that of the period's end, the first week of January still belonging to the year before.

    `For Year` is blank in a tenth of the rows and contradicts the period in others, so it is not used.
    """
    return fundamentals.with_columns(
        (pl.col("Period Ending") - pl.duration(days=7)).dt.year().cast(pl.Int64).alias(PERIOD)
    )


_US_DATE = "%m/%d/%Y"

SECURITIES = RawTable(
    name="securities",
    description="One row for each company.",
    key=(CODE,),
    ignored=("SEC filings", "Financials?"),
    columns=(
        Column(name=CODE, role=Role.CODE, nullable=False),
        Column(name=NAME, role=Role.NAME, nullable=False),
        Column(name=SECTOR, nullable=False),
        Column(name=SUB_INDUSTRY, nullable=False),
        Column(name="Address of Headquarters", role=Role.IDENTIFIER, nullable=False),
        Column(name=COUNTRY, nullable=False),
        Column(name="Date first added", role=Role.DATE, type="date", date_format=_US_DATE, is_trading_day=True),
        Column(name="CIK", role=Role.IDENTIFIER, nullable=False),
    ),
    complete=_with_state,
    adds=(Column(name=STATE), Column(name="year_added", type="integer")),
)

FUNDAMENTALS = RawTable(
    name="fundamentals",
    description="One row for each company and fiscal year; the first two columns have no header and hold row labels.",
    key=(CODE, PERIOD),
    ignored=("",),
    columns=(
        Column(name=CODE, role=Role.CODE, nullable=False),
        Column(name="Period Ending", type="date", date_format=_US_DATE, nullable=False),
        Column(
            name="For Year",
            type="integer",
            minimum=1990,
            maximum=2030,
            treat={"out of range": "null"},
            public="the year of the record, where it is right",
        ),
        *(measure.column() for measure in MEASURES),
    ),
    references=(Reference(columns=(CODE,), to_table="securities"),),
    complete=_with_fiscal_year,
    adds=(Column(name=PERIOD, type="integer", nullable=False),),
)

QUASI_IDENTIFIERS = QuasiIdentifiers(
    kept=(SECTOR,),
    told=(
        QuasiIdentifier(column=SUB_INDUSTRY),
        QuasiIdentifier(column=COUNTRY),
        QuasiIdentifier(column=STATE, within=COUNTRY),
        QuasiIdentifier(column="year_added", along=("Date first added",)),
    ),
)
"""Sub-industries first, because they go with figures most."""

_PUBLISHED = {CODE: "code", NAME: "name", SECTOR: "sector", SUB_INDUSTRY: "sub_industry", COUNTRY: "country"}
"""Columns of the companies that are published under another name."""

PROFILE_COLUMNS = ("id", "code", "name", "sector", "sub_industry", "state", "country", "year_added")


def _render_profile(truth: Truth) -> pl.DataFrame:
    companies = truth.tables["securities"].sort(truth.order.mac(pl.lit("profile"), CODE)).rename(_PUBLISHED)
    return _numbered(companies).select(pl.col(PROFILE_COLUMNS).cast(pl.String))


def _render_figures(truth: Truth) -> pl.DataFrame:
    names = [measure.name for measure in MEASURES]
    long = truth.tables["figures"].unpivot(names, index=[CODE, PERIOD], variable_name="measure").drop_nulls("value")
    facts = pl.DataFrame(
        [(measure.name, measure.unit, measure.decimals, rank) for rank, measure in enumerate(MEASURES)],
        schema={"measure": pl.String, "unit": pl.String, "decimals": pl.Int64, "rank": pl.Int64},
        orient="row",
    )
    return _numbered(
        long.join(facts, on="measure").sort(truth.order.mac(pl.lit("figures"), CODE), PERIOD, "rank")
    ).select(
        "id",
        pl.col(CODE).alias("code"),
        pl.col(PERIOD).cast(pl.String),
        "measure",
        "unit",
        decimal_text(pl.col("value"), pl.col("decimals")).alias("value"),
    )


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


def _render_definitions(_truth: Truth) -> pl.DataFrame:
    return _numbered(pl.DataFrame({"definition": [_definition(name) for name in DEFINITIONS]})).select(
        "id", "definition"
    )


def _definition(name: str) -> str:
    return f"{name}: {DEFINITIONS[name]}"


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"))


def _aggregate_table(name: str, by: str, group: str, description: str) -> PublishedTable:
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

US_LISTED = Environment(
    name="us-listed",
    title="Large listed companies of the United States, 2012-2016",
    raw_tables=(SECURITIES, FUNDAMENTALS),
    entities=Entities(
        tables=("securities",),
        code=CODE,
        name=NAME,
        industry=SECTOR,
        sub_industry=SUB_INDUSTRY,
        language="en",
        code_mention=r"\b([A-Z]{1,5})\b",
        code_shape="five letters",
        same_name="several companies",  # Under Armour has two listings (UA, UAA), and each reports
    ),
    panel=Panel(tables=("fundamentals",), measures=MEASURES, identities=IDENTITIES, known=KNOWN),
    aggregates=(
        Aggregate(name="sector_aggregates", by=(SECTOR,)),
        Aggregate(name="state_aggregates", by=(STATE,)),
    ),
    tables=(
        PublishedTable(
            path="company_profile.csv",
            columns=PROFILE_COLUMNS,
            needs=("securities",),
            render=_render_profile,
            description="One row for each company.",
        ),
        PublishedTable(
            path="company_figures.csv",
            columns=("id", "code", PERIOD, "measure", "unit", "value"),
            needs=("figures",),
            render=_render_figures,
            beside=("company_profile",),
            description="One row for each figure that a company reports for a fiscal year.",
        ),
        _aggregate_table(
            "sector_aggregates", SECTOR, "sector", "Statistics of each measure over the companies of a sector and year."
        ),
        _aggregate_table(
            "state_aggregates", STATE, "state", "Statistics of each measure over the companies of a state and year."
        ),
        PublishedTable(
            path="metric_definitions.csv",
            columns=("id", "definition"),
            needs=(),
            render=_render_definitions,
            description="What the measures mean.",
        ),
    ),
    vocabularies=(
        Vocabulary(
            name="measures",
            aliases={
                "Total Revenue": ("Revenues", "Net Sales", "Sales"),
                "Net Income": ("Net Earnings", "Net Profit"),
                "Total Assets": ("Assets", "Assets, Total"),
                "Total Liabilities": ("Liabilities, Total",),
                "Total Equity": ("Shareholders' Equity", "Stockholders' Equity"),
                "Gross Profit": ("Gross Income",),
                "Operating Income": ("Income from Operations", "Operating Profit"),
                "Cost of Revenue": ("Cost of Sales", "Cost of Goods Sold"),
                "Research and Development": ("R&D", "R&D Expense"),
                "Sales, General and Admin.": ("SG&A", "Selling, General & Administrative"),
                "Earnings Before Interest and Tax": ("EBIT",),
                "Cash and Cash Equivalents": ("Cash & Equivalents",),
            },
        ),
        Vocabulary(
            name="sectors",
            aliases={
                "Information Technology": ("IT", "Technology"),
                "Telecommunications Services": ("Telecom", "Telecommunication Services"),
                "Health Care": ("Healthcare",),
                "Consumer Discretionary": ("Cons. Discretionary",),
                "Consumer Staples": ("Cons. Staples",),
                "Financials": ("Financial Services",),
                "Real Estate": ("Realty",),
                "Industrials": ("Industrial Goods & Services",),
            },
        ),
        Vocabulary(
            name="unit_labels",
            aliases={
                DOLLARS: ("US$", "US dollars", "$"),
                PERCENT: ("percent", "pct"),
                "USD per share": ("US$ per share", "$/share"),
                "shares": ("number of shares",),
            },
        ),
        Vocabulary(name="sectors_in_chinese", aliases=SECTORS_IN_CHINESE),
        Vocabulary(name="sectors_in_spanish", aliases=SECTORS_IN_SPANISH),
        Vocabulary(name="countries_in_chinese", aliases=COUNTRIES_IN_CHINESE),
        Vocabulary(
            name="definitions_in_chinese",
            aliases={_definition(name): (chinese,) for name, chinese in DEFINITIONS_IN_CHINESE.items()},
        ),
    ),
    quasi_identifiers=QUASI_IDENTIFIERS,
    views=VIEWS,
    domains=domains(SECTOR, STATE),
    units={
        DOLLARS: {
            "USD": 1,
            "thousand USD": 1_000,
            "ten thousand USD": 10_000,
            "million USD": 1_000_000,
            "ten million USD": 10_000_000,
        },
    },
    facts=facts_of(MEASURES),
    lineage=lineage_of(
        [measure.name for measure in MEASURES],
        code=CODE,
        year=PERIOD,
        profile={column: raw for raw, column in _PUBLISHED.items()} | {STATE: STATE, "year_added": "year_added"},
        groups={"sector_aggregates": (SECTOR, "sector"), "state_aggregates": (STATE, "state")},
    ),
)
