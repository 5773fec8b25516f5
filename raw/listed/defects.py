"""What is wrong with the figures of listed companies, as it is with the real ones; counts are those at their size.

Years are missing, sums do not hold, ratios were cut, signs turned round, cells are blank. How cells are written: `tables.py`.
"""

import polars as pl

from raw.draws import normal
from raw.listed.register import KEY
from raw.listed.statement import RATIOS

_KEY = KEY.derive("defects")

_ACCOUNTS, _ROW = ("accounts", "year"), ("Ticker Symbol", "year")
"""What two listings of one company have in common, and what each has of its own."""

_EARLY = 0.53
"""Share of companies that report 2012 to 2015; the others report 2013 to 2016."""

_TWO_YEARS, _THREE_YEARS = 3, 5
"""Companies that report less, their last years."""

_LONG_AGO = {2012: 2003, 2013: 2004, 2014: 2006, 2015: 2007, 2016: 2008}
"""Years that one company reports in place of these."""

_STANDS_BETWEEN = 0.12
"""Share of companies whose minority interests are neither liabilities nor equity."""

_RESTATED, _CUT, _TURNED = 78, 6, 4
"""Rows: assets that were restated on one side of the balance sheet, ratios cut at 99, earnings a share with a wrong sign."""

_NOT_PRICED, _WITHOUT_SHARES, _WITHOUT_YEAR = 21, 219, 173
"""Cells that are blank; where the year is, so are the shares."""

_LAST_BLANK = 0.25
"""Share of companies of whose last year nobody knew more than the accounts."""

_BEFORE = 0.35
"""Share of companies with a year end in winter that count years by their beginning."""

_NEVER = 1215
"""A year that one row is of."""


def years_reported(listings: pl.DataFrame, scale: float) -> pl.DataFrame:
    """Return the rows of listing and fiscal year that there are, with the day on which each ended."""
    is_single = ~pl.col("accounts").is_duplicated()
    place = pl.when(is_single).then(_KEY.derive("short").mac("accounts")).rank("ordinal").fill_null(listings.height)
    two, three = round(_TWO_YEARS * scale), round((_TWO_YEARS + _THREE_YEARS) * scale)
    first = pl.when(_KEY.derive("early").uniform("accounts") < _EARLY).then(2012).otherwise(2013)
    missing = pl.when(place <= two).then(2).when(place <= three).then(1).otherwise(0)
    rows = listings.with_columns(first=first, missing=missing, is_old=place == three + 1).join(
        pl.DataFrame({"year": [*_LONG_AGO]}), how="cross"
    )
    kept = pl.col("year").is_between(pl.col("first") + pl.col("missing"), pl.col("first") + 3)
    shown = pl.when("is_old").then(pl.col("year").replace_strict(_LONG_AGO)).otherwise("year")
    return rows.filter(kept).with_columns(end=_ended(shown), shown=shown)


def _ended(year: pl.Expr) -> pl.Expr:
    last = pl.date(year, pl.col("year end").str.strip_suffix("w").cast(pl.Int8), 1).dt.month_end()
    to_saturday = (9 - last.dt.weekday().cast(pl.Int64)) % 7 - 3
    is_week = pl.col("year end").str.ends_with("w")
    return pl.when(is_week).then(last + pl.duration(days=to_saturday)).otherwise(last)


def as_reported(rows: pl.DataFrame, scale: float) -> pl.DataFrame:
    """Add to accounts the totals, ratios, prices and figures a share as they were reported, each with its errors.

    Args:
        rows: Accounts of the listings and years that there are.

    Returns:
        Amounts in dollars, ratios in percent and figures a share as numbers; null where a cell is blank.
    """
    totals = rows.with_columns(_totals(scale))
    ratios = totals.with_columns(_ratios(scale))
    shares = (pl.col("Net Income") / pl.col("Earnings Per Share")).alias("Estimated Shares Outstanding")
    return ratios.with_columns(_earnings(scale), _price(scale), _for_year(scale)).with_columns(shares)


def _totals(scale: float) -> list[pl.Expr]:
    """Return totals; the balance sheet adds up but for minorities and restatements, and banks state no gross profit."""
    states_current = _KEY.derive("current").uniform("accounts") < pl.col("current")
    stands_between = _KEY.derive("between").uniform("accounts") < _STANDS_BETWEEN
    restated = _chosen(_RESTATED * scale, "restated")
    stated = {
        "Total Current Assets": (states_current, "current assets"),
        "Total Current Liabilities": (states_current, "current debts"),
        **{name: (pl.col("Cost of Revenue") != 0, name) for name in ("Gross Profit", "Operating Income")},
    }
    return [
        *(pl.when(is_stated).then(name).otherwise(0).alias(total) for total, (is_stated, name) in stated.items()),
        (pl.col("debts") - pl.when(stands_between).then("Minority Interest").otherwise(0)).alias("Total Liabilities"),
        (pl.col("debts") + pl.col("Total Equity")).alias("Total Liabilities & Equity"),
        (pl.col("Total Assets") + pl.when(restated).then("Other Assets").otherwise(0)).alias("Total Assets"),
    ]


def _ratios(scale: float) -> list[pl.Expr]:
    sums = {
        "liquid": pl.sum_horizontal("Cash and Cash Equivalents", "Short-Term Investments"),
        "quick": pl.col("Total Current Assets") - pl.col("Inventory"),
    }
    cut = _chosen(_CUT * scale, "cut")
    found = []
    for name, (numerator, denominator) in RATIOS.items():
        percent = ((100 * sums.get(numerator, pl.col(numerator)) / pl.col(denominator)).abs() + 0.5).floor()
        shown = pl.when(cut).then(99.0).otherwise(percent) if denominator == "Total Current Liabilities" else percent
        found.append(pl.when(pl.col(denominator) != 0).then(shown).cast(pl.Int64).alias(name))
    return found


def _earnings(scale: float) -> pl.Expr:
    cents = (100 * pl.col("Net Income") / pl.col("shares")).round()
    turned = pl.when(_chosen(_TURNED * scale, "turned")).then(-cents).otherwise(cents)
    is_blank = _blank() <= round(_WITHOUT_SHARES * scale)
    return pl.when(~is_blank & (pl.col("shares") > 0) & (cents != 0)).then(turned / 100).alias("Earnings Per Share")


def _blank() -> pl.Expr:
    """Return the place of a row among those that something is missing of: many a company's last year, then any other."""
    is_last = (pl.col("year") == pl.col("first") + 3) & (_KEY.derive("last").uniform("accounts") < _LAST_BLANK)
    return pl.concat_str(~is_last, _KEY.derive("blank").mac(*_ROW)).rank("dense")


def _price(scale: float) -> pl.Expr:
    own, yearly = normal(_KEY.derive("own price"), "Ticker Symbol"), normal(_KEY.derive("price"), *_ROW)
    price = (4.03 + 0.55 * own + 0.2 * yearly).exp().round(2)
    unlisted = _chosen(_NOT_PRICED * scale, "unlisted", of=_ROW, among=pl.col("year") == pl.col("first"))
    return pl.when(~unlisted).then(price).alias("Price")


def _for_year(scale: float) -> pl.Expr:
    """Return the year that a row says it is of: of some years that end in winter the one before, and of one row nonsense."""
    begins_before = pl.col("year end").is_in(["1", "1w", "2"]) & (_KEY.derive("before").uniform("accounts") < _BEFORE)
    is_blank = _blank() <= round(_WITHOUT_YEAR * scale)
    said = (
        pl.when(_chosen(1, "never", of=_ROW, among=~is_blank)).then(_NEVER).otherwise(pl.col("shown") - begins_before)
    )
    return pl.when(~is_blank).then(said).alias("For Year")


def _chosen(number: float, what: str, *, of: tuple[str, str] = _ACCOUNTS, among: pl.Expr | None = None) -> pl.Expr:
    """Return whether a row is one of so many, all equally likely, of those `among` which they are looked for."""
    mac = _KEY.derive("chosen", what).mac(*of)
    candidates = mac if among is None else pl.when(among).then(mac)
    return (candidates.rank("dense") <= round(number)).fill_null(value=False)
