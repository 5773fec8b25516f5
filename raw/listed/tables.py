"""The two raw tables of listed companies as files: how amounts, prices, days and row labels are written."""

import csv
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from raw.listed.accounts import make_accounts
from raw.listed.defects import as_reported, years_reported
from raw.listed.register import KEY, make_companies
from raw.listed.statement import RATIOS, STATEMENT, StatementTotal

REGISTER = (
    *("Ticker Symbol", "Security", "SEC filings", "GICS Sector", "GICS Sub Industry", "Address of Headquarters"),
    *("Country", "Date first added", "CIK", "Financials?"),
)

AMOUNTS = sorted(
    {"Total Revenue", "Total Assets", "Total Liabilities", "Total Liabilities & Equity"}
    | {"Total Current Assets", "Total Current Liabilities"}
    | {step.name for step in STATEMENT if isinstance(step, StatementTotal) and step.name[0].isupper()}
    | {
        line.name
        for step in STATEMENT
        if not isinstance(step, StatementTotal)
        for line in step.lines
        if line.name[0].isupper()
    }
)

_FIRST_DAY = date(1899, 12, 30)
"""Day 0 of a spreadsheet."""

_LABELS = ("label", "number")
"""Two columns without a header."""

_TEN_DIGITS = 10**9

_ROUNDED = 10**11
"""Amounts from here on are written as a spreadsheet shows them, with three digits."""

_FINE = 0.75
"""Share of prices that are adjusted, and written with the digits that a binary fraction of 24 bits has."""


def generate(directory: Path, scale: float) -> None:
    """Write both raw tables into a directory as CSV.

    Args:
        directory: Made if it is not there; files of the same names are replaced.
        scale: Companies relative to the real tables, which have 505.

    Raises:
        InputError: The scale is larger than names last for.
    """
    companies = make_companies(scale)
    directory.mkdir(parents=True, exist_ok=True)
    companies.select(REGISTER).write_csv(directory / "securities.csv")
    figures = _as_text(_fundamentals(companies, scale))
    with (directory / "fundamentals.csv").open("w", encoding="utf-8", newline="") as file:
        header = csv.writer(file, lineterminator="\n")
        header.writerow(["" if name in _LABELS else name for name in figures.columns])
        file.write(figures.write_csv(include_header=False))


def _fundamentals(companies: pl.DataFrame, scale: float) -> pl.DataFrame:
    """Return the figures of all listings and years as numbers, by ticker and year."""
    years = years_reported(companies.filter("reports"), scale)
    accounts = make_accounts(companies).drop("GICS Sector")
    return as_reported(years.join(accounts, on=["accounts", "year"]).sort("Ticker Symbol", "year"), scale)


def _as_text(figures: pl.DataFrame) -> pl.DataFrame:
    label, number = _LABELS
    return figures.select(
        pl.concat_str("Ticker Symbol", (pl.col("end") - _FIRST_DAY).dt.total_days()).alias(label),
        pl.int_range(pl.len()).alias(number),
        _price(figures),
        "Ticker Symbol",
        pl.col("end").dt.strftime("%-m/%-d/%Y").alias("Period Ending"),
        *(_written(figures[name], _amount) for name in sorted([*AMOUNTS, *RATIOS])),
        "For Year",
        _written(figures["Earnings Per Share"], "{:.10g}".format),
        _written(figures["Estimated Shares Outstanding"], _count),
    )


def _written(figures: pl.Series, write: Callable[[Any], str]) -> pl.Series:
    return pl.Series(figures.name, [None if figure is None else write(figure) for figure in figures], pl.String)


def _amount(amount: int) -> str:
    return f"{amount:.2E}" if abs(amount) >= _ROUNDED else str(amount)


def _count(shares: float) -> str:
    return str(round(shares)) if abs(shares) >= _TEN_DIGITS else f"{round(shares, 2):.10g}"


def _price(figures: pl.DataFrame) -> pl.Series:
    """Write prices to the cent, or with the digits that they get as binary fractions of 24 bits."""
    is_fine = figures.select(KEY.derive("fine price").uniform("Ticker Symbol", "year") < _FINE).to_series()
    binary = figures["Price"].cast(pl.Float32).cast(pl.Float64).round(6)
    price = pl.select(pl.when(is_fine).then(binary).otherwise(figures["Price"])).to_series()
    return _written(price, "{:.10g}".format).fill_null("#N/A").alias("Price")
