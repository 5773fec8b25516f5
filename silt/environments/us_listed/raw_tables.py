"""The raw tables of `us-listed`: columns, measures, the identities between them, what an outsider can look up."""

import polars as pl

from pipeline.model import (
    PERIOD,
    Column,
    Measure,
    QuasiIdentifier,
    QuasiIdentifiers,
    Ratio,
    RawTable,
    Reference,
    Role,
    Sum,
)
from raw.listed.shapes import COUNTRIES, SUB_INDUSTRIES

DOLLARS, PERCENT = "USD", "%"
CODE, NAME = "Ticker Symbol", "Security"
SECTOR, SUB_INDUSTRY = "GICS Sector", "GICS Sub Industry"
COUNTRY, STATE = "Country", "state"

_RATIOS = """
After Tax ROE; Cash Ratio; Current Ratio; Gross Margin; Operating Margin; Pre-Tax Margin; Pre-Tax ROE; Profit Margin;
Quick Ratio
"""

_AMOUNTS = """
Accounts Payable; Accounts Receivable; Add'l income/expense items; Capital Expenditures; Capital Surplus;
Cash and Cash Equivalents; Changes in Inventories; Common Stocks; Cost of Revenue; Deferred Asset Charges;
Deferred Liability Charges; Depreciation; Earnings Before Interest and Tax; Earnings Before Tax;
Effect of Exchange Rate; Equity Earnings/Loss Unconsolidated Subsidiary; Fixed Assets; Goodwill; Gross Profit;
Income Tax; Intangible Assets; Interest Expense; Inventory; Investments; Liabilities; Long-Term Debt;
Long-Term Investments; Minority Interest; Misc. Stocks; Net Borrowings; Net Cash Flow; Net Cash Flow-Operating;
Net Cash Flows-Financing; Net Cash Flows-Investing; Net Income; Net Income Adjustments;
Net Income Applicable to Common Shareholders; Net Income-Cont. Operations; Net Receivables; Non-Recurring Items;
Operating Income; Other Assets; Other Current Assets; Other Current Liabilities; Other Equity;
Other Financing Activities; Other Investing Activities; Other Liabilities; Other Operating Activities;
Other Operating Items; Research and Development; Retained Earnings; Sale and Purchase of Stock;
Sales, General and Admin.; Short-Term Debt / Current Portion of Long-Term Debt; Short-Term Investments; Total Assets;
Total Current Assets; Total Current Liabilities; Total Equity; Total Liabilities; Total Liabilities & Equity;
Total Revenue; Treasury Stock
"""


def _names(text: str) -> list[str]:
    return " ".join(text.split()).split("; ")


MEASURES = (
    *(Measure(name=name, unit=DOLLARS) for name in _names(_AMOUNTS)),
    *(Measure(name=name, unit=PERCENT, additive=False) for name in _names(_RATIOS)),
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

STATES = {"D.C.": "District of Columbia"}
"""The one state that the headquarters name by its initials."""

_US_STATES = """
Alabama; Alaska; Arizona; Arkansas; California; Colorado; Connecticut; Delaware; District of Columbia; Florida; Georgia;
Hawaii; Idaho; Illinois; Indiana; Iowa; Kansas; Kentucky; Louisiana; Maine; Maryland; Massachusetts; Michigan; Minnesota;
Mississippi; Missouri; Montana; Nebraska; Nevada; New Hampshire; New Jersey; New Mexico; New York; North Carolina;
North Dakota; Ohio; Oklahoma; Oregon; Pennsylvania; Rhode Island; South Carolina; South Dakota; Tennessee; Texas; Utah;
Vermont; Virginia; Washington; West Virginia; Wisconsin; Wyoming
"""

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
    dealt=(
        QuasiIdentifier(column=SUB_INDUSTRY, known={sector: tuple(each) for sector, each in SUB_INDUSTRIES.items()}),
        QuasiIdentifier(column=COUNTRY, known=tuple(COUNTRIES)),
        QuasiIdentifier(column=STATE, within=COUNTRY, known={"United States": tuple(_names(_US_STATES))}),
        QuasiIdentifier(column="year_added", along=("Date first added",), known=(None, *range(1957, 2018))),
    ),
)
"""Sub-industries first, because they go with figures most. The index exists since 1957, and its standard names the
sub-industries of each sector."""
