"""The companies of the register: names, tickers, places, days, numbers, and listings that share them."""

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any

import polars as pl

from pipeline.errors import InputError
from raw.draws import CORPUS_KEY, scaled
from raw.listed.names import company_name, ticker, weighted
from raw.listed.shapes import COMPANIES, COUNTRIES, FIRST_YEARS, PLACES, SUB_INDUSTRIES, TRADES, YEAR_ENDS

KEY = CORPUS_KEY.derive("listed")

_UNDATED = 0.39
"""Share of companies of which nobody wrote down when they joined the index."""

_TWINS = (
    ("", ""),
    (" Class A", " Class B"),
    (" Class A", " Class B"),
    (" Class A", " Class C"),
    (" Class A", " Class B"),
)
"""What the names of two listings of one company end with: the first two have the very same name."""

_REPORTING_TWINS = 3
"""How many of these report figures, each listing the same."""

_REPORTING = 442
"""Companies with one listing that report figures."""

_WITH_FINANCIALS = 0.77
"""Share of companies with a 1 in the column `Financials?`, which says nothing."""

_LARGEST = 10
"""How many times as many companies there are names for."""

_LONGEST = 5
"""Letters of a ticker."""

_FIRST_CIK, _NEXT_CIK = 9_000_000, 1_999
"""The Commission counts them up and has come to about 2,100,000: none of these is anybody's."""


def make_companies(scale: float) -> pl.DataFrame:
    """Return the listings in the order of their names: the columns of `securities.csv`, and three more.

    These are `accounts`, the company whose figures a listing reports, `reports`, whether it does, and its `year end`.

    Raises:
        InputError: The scale is larger than names last for.
    """
    if scale > _LARGEST:
        raise InputError(f"SCALE too large: names last for {_LARGEST} times the companies of 1; use a smaller SCALE")
    companies = list(_companies(scale))
    tickers = {each["Ticker Symbol"] for each in companies}
    able = [
        each
        for each in companies
        if len(each["Ticker Symbol"]) < _LONGEST and f"{each['Ticker Symbol']}A" not in tickers
    ]
    twins = able[: scaled(len(_TWINS), scale)]
    singles = [each for each in companies if each not in twins]
    listings = [each | {"reports": place < scaled(_REPORTING, scale)} for place, each in enumerate(singles)]
    for place, (twin, classes) in enumerate(zip(twins, _TWINS, strict=False)):
        for letter, ending in zip(("", "A"), classes, strict=True):
            names = {"Ticker Symbol": twin["Ticker Symbol"] + letter, "Security": twin["Security"] + ending}
            listings.append(twin | names | {"reports": place < _REPORTING_TWINS})
    return pl.DataFrame(listings).sort(pl.col("Security").str.to_lowercase(), "Ticker Symbol")


def _companies(scale: float) -> Iterator[dict[str, Any]]:
    names, tickers = set[str](), set[str]()
    sectors = [sector for sector, number in COMPANIES.items() for _ in range(scaled(number, scale))]
    order = KEY.derive("order")
    for number, place in enumerate(sorted(range(len(sectors)), key=lambda place: order.digest(str(place)))):
        random = KEY.stream("company", str(number))
        yield {"accounts": number, "CIK": str(_FIRST_CIK + _NEXT_CIK * number)} | _company(
            random, sectors[place], names, tickers
        )


def _company(random: Random, sector: str, names: set[str], tickers: set[str]) -> dict[str, Any]:
    name, country = company_name(random, TRADES[sector].split(", "), names), weighted(random, COUNTRIES)
    return {
        "Ticker Symbol": ticker(random, name, tickers),
        "Security": name,
        "SEC filings": "reports",
        "GICS Sector": sector,
        "GICS Sub Industry": weighted(random, SUB_INDUSTRIES[sector]),
        "Address of Headquarters": weighted(random, PLACES[country]),
        "Country": country,
        "Date first added": _day(random) if random.random() >= _UNDATED else None,
        "Financials?": str(int(random.random() < _WITH_FINANCIALS)),
        "year end": weighted(random, YEAR_ENDS),
    }


def _day(random: Random) -> str:
    year = int(weighted(random, FIRST_YEARS))
    day = date(year, 1, 1) + timedelta(days=random.getrandbits(16) % 365)
    day -= timedelta(days=max(0, day.weekday() - 4))  # a Friday in place of a weekend
    return f"{day.month}/{day.day}/{day.year}"
