"""The environment `us-listed`: annual figures of large US companies from their 10-K filings, 2012-2016.

The raw tables are the public "New York Stock Exchange" fundamentals set (CC0) as republished: `securities.csv` and
`fundamentals.csv`. Everything peculiar to them stands here: junk columns, `#N/A`, a fiscal year of 1215, headquarters as one
text. Whoever does not have them builds from generated ones (`raw/listed/`). Published tables: contract, "Published tables".
"""

from pipeline.model import PERIOD, Aggregate, Corpus, Entities, Environment, Panel, PublishedTable, Vocabulary
from raw.listed import VERSION, generate
from silt.environments.us_listed.domains import domains
from silt.environments.us_listed.facts import facts_of
from silt.environments.us_listed.lineage import lineage_of
from silt.environments.us_listed.published import (
    _PUBLISHED,
    PROFILE_COLUMNS,
    VIEWS,
    aggregate_table,
    definition,
    render_definitions,
    render_figures,
    render_profile,
)
from silt.environments.us_listed.raw_tables import (
    CODE,
    DOLLARS,
    FUNDAMENTALS,
    IDENTITIES,
    KNOWN,
    MEASURES,
    NAME,
    PERCENT,
    QUASI_IDENTIFIERS,
    SECTOR,
    SECURITIES,
    STATE,
    SUB_INDUSTRY,
)
from silt.environments.us_listed.translations import (
    COUNTRIES_IN_CHINESE,
    DEFINITIONS_IN_CHINESE,
    SECTORS_IN_CHINESE,
    SECTORS_IN_SPANISH,
)

__all__ = ["CODE", "KNOWN", "NAME", "SECTOR", "US_LISTED"]

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
    aggregates=(Aggregate(name="sector_aggregates", by=(SECTOR,)), Aggregate(name="state_aggregates", by=(STATE,))),
    tables=(
        PublishedTable(
            path="company_profile.csv",
            columns=PROFILE_COLUMNS,
            needs=("securities",),
            render=render_profile,
            description="One row for each company.",
        ),
        PublishedTable(
            path="company_figures.csv",
            columns=("id", "code", PERIOD, "measure", "unit", "value"),
            needs=("figures",),
            render=render_figures,
            beside=("company_profile",),
            description="One row for each figure that a company reports for a fiscal year.",
        ),
        aggregate_table(
            "sector_aggregates", SECTOR, "sector", "Statistics of each measure over the companies of a sector and year."
        ),
        aggregate_table(
            "state_aggregates", STATE, "state", "Statistics of each measure over the companies of a state and year."
        ),
        PublishedTable(
            path="metric_definitions.csv",
            columns=("id", "definition"),
            needs=(),
            render=render_definitions,
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
            aliases={definition(name): (chinese,) for name, chinese in DEFINITIONS_IN_CHINESE.items()},
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
        }
    },
    facts=facts_of(MEASURES),
    meanings={
        "sector": "sector of the Global Industry Classification Standard",
        "sub_industry": "sub-industry of the same standard",
        "state": "state of the headquarters, in the United States",
        "country": "country of the headquarters",
        "year_added": "year in which the company joined the index",
        PERIOD: "fiscal year",
        "measure": "what the figure is",
        "statistic": "sum, mean, max, min or median",
        "unit": "unit of the figure",
        "value": "the figure",
        "definition": "definition of a measure",
    },
    corpus=Corpus(version=VERSION, generate=generate),
    lineage=lineage_of(
        [measure.name for measure in MEASURES],
        code=CODE,
        year=PERIOD,
        profile={column: raw for raw, column in _PUBLISHED.items()} | {STATE: STATE, "year_added": "year_added"},
        groups={"sector_aggregates": (SECTOR, "sector"), "state_aggregates": (STATE, "state")},
    ),
)
