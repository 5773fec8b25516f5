"""The environment `us-listed`: annual figures of large US companies from their 10-K filings, 2012-2016.

The raw tables are the public "New York Stock Exchange" fundamentals set (CC0) as republished: `securities.csv` and
`fundamentals.csv`. Everything peculiar to them stands here: junk columns, `#N/A`, a fiscal year of 1215, headquarters as one
text. Whoever does not have them builds from generated ones (`raw/listed/`). Published tables: contract, "Published tables".
"""

from pipeline.model import Aggregate, Corpus, Entities, Environment, Panel, Vocabulary
from raw.listed import VERSION, generate
from silt.environments.us_listed import domains, published, raw_tables, translations
from silt.environments.us_listed.raw_tables import CODE, KNOWN, NAME, SECTOR

__all__ = ["CODE", "KNOWN", "NAME", "SECTOR", "US_LISTED"]

US_LISTED = Environment(
    name="us-listed",
    title="Large listed companies of the United States",
    raw_tables=(raw_tables.SECURITIES, raw_tables.FUNDAMENTALS),
    entities=Entities(
        tables=("securities",),
        code=CODE,
        name=NAME,
        industry=SECTOR,
        sub_industry=raw_tables.SUB_INDUSTRY,
        language="en",
        code_mention=r"\b([A-Z]{1,5})\b",
        code_shape="five letters",
        same_name="several companies",  # Under Armour has two listings (UA, UAA), and each reports
    ),
    panel=Panel(tables=("fundamentals",), measures=raw_tables.MEASURES, identities=raw_tables.IDENTITIES, known=KNOWN),
    aggregates=(
        Aggregate(name="sector_aggregates", by=(SECTOR,)),
        Aggregate(name="state_aggregates", by=(raw_tables.STATE,)),
    ),
    tables=published.TABLES,
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
                raw_tables.DOLLARS: ("US$", "US dollars", "$"),
                raw_tables.PERCENT: ("percent", "pct"),
                "USD per share": ("US$ per share", "$/share"),
                "shares": ("number of shares",),
            },
        ),
        Vocabulary(name="sectors_in_chinese", aliases=translations.SECTORS_IN_CHINESE),
        Vocabulary(name="sectors_in_spanish", aliases=translations.SECTORS_IN_SPANISH),
        Vocabulary(name="countries_in_chinese", aliases=translations.COUNTRIES_IN_CHINESE),
        Vocabulary(
            name="definitions_in_chinese",
            aliases={
                published.definition(name): (chinese,) for name, chinese in translations.DEFINITIONS_IN_CHINESE.items()
            },
        ),
    ),
    quasi_identifiers=raw_tables.QUASI_IDENTIFIERS,
    views=published.VIEWS,
    domains=domains.domains(SECTOR, raw_tables.STATE),
    units={
        raw_tables.DOLLARS: {
            "USD": 1,
            "thousand USD": 1_000,
            "ten thousand USD": 10_000,
            "million USD": 1_000_000,
            "ten million USD": 10_000_000,
        }
    },
    corpus=Corpus(version=VERSION, generate=generate),
)
