"""How the accounts of a listed company hang together: each line, of what it is a share, and what adds up. Data only.

Medians, spreads and shares are those of the public tables, rounded to two digits.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A figure that is a share of another, lognormal."""

    name: str
    median: float
    own: float
    """Spread of the logarithm between companies."""
    yearly: float
    """The same from year to year."""
    never: float | str = 0.0
    """Share of companies that do not report it, or the field of the sector that says how many do."""
    sometimes: float = 0.0
    """Share of years in which it is nothing."""
    minus: float = 0.0
    """Share of years in which it is below zero."""


@dataclass(frozen=True)
class Shares:
    """Lines that are shares of a figure, each by itself."""

    of: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Division:
    """Lines into which a figure is divided without a rest: it is their sum."""

    of: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class StatementTotal:
    """A figure that follows from others; those that are taken off have a minus before their name."""

    name: str
    terms: tuple[str, ...]


def _total(name: str, terms: str) -> StatementTotal:
    return StatementTotal(name, tuple(terms.split("; ")))


STOCKS, SHORT_DEBT = "Inventory", "Short-Term Debt / Current Portion of Long-Term Debt"

STATEMENT: tuple[Shares | Division | StatementTotal, ...] = (
    Division(
        "Total Revenue",
        (
            Line("Cost of Revenue", 0.57, 0.5, 0.055, never=0.05),
            Line("Sales, General and Admin.", 0.2, 0.9, 0.091, never=0.04),
            Line("Research and Development", 0.082, 0.87, 0.1, never="research"),
            Line("Other Operating Items", 0.056, 1.3, 0.19, never=0.42),
            Line("ordinary charges", 0.0095, 1.5, 1.1, never=0.44, sometimes=0.22),
            Line("ordinary income", 0.2, 0.55, 0.2),
        ),
    ),
    Shares("ordinary income", (Line("write-off", 1.4, 0.3, 0.6, sometimes=0.95),)),
    Shares(
        "Total Revenue",
        (
            Line("Add'l income/expense items", 0.0038, 1.5, 1.1, never=0.13, sometimes=0.05, minus=0.34),
            Line("Equity Earnings/Loss Unconsolidated Subsidiary", 0.005, 1.6, 0.75, 0.68, 0.06, 0.19),
            Line("discontinued", 0.006, 1.2, 1.2, never=0.4, sometimes=0.4, minus=0.5),
            Line("preferred", 0.003, 1.3, 0.5, never=0.8, sometimes=0.2),
            Line("dividends", 0.03, 0.8, 0.3, never=0.2),
        ),
    ),
    _total("Non-Recurring Items", "ordinary charges; write-off"),
    _total("Gross Profit", "Total Revenue; -Cost of Revenue"),
    _total("Operating Income", "ordinary income; -write-off"),
    Division(
        "Total Assets",
        (
            Line("Cash and Cash Equivalents", 0.069, 1.2, 0.42),
            Line("Short-Term Investments", 0.038, 1.7, 0.62, never=0.58, sometimes=0.1),
            Line("Net Receivables", 0.088, 0.82, 0.18, never=0.05),
            Line(STOCKS, 0.075, 1.1, 0.13, never="stock"),
            Line("Other Current Assets", 0.022, 0.65, 0.32, never=0.18),
            Line("Long-Term Investments", 0.062, 1.7, 0.33, never=0.39, sometimes=0.05),
            Line("Fixed Assets", 0.18, 1.2, 0.11, never=0.03),
            Line("Goodwill", 0.17, 1.1, 0.16, never=0.19),
            Line("Intangible Assets", 0.063, 1.3, 0.3, never=0.28),
            Line("Other Assets", 0.031, 0.94, 0.29, never=0.06),
            Line("Deferred Asset Charges", 0.02, 1.2, 0.43, never=0.52, sometimes=0.13),
        ),
    ),
    _total(
        "current assets",
        "Cash and Cash Equivalents; Short-Term Investments; Net Receivables; Inventory; Other Current Assets",
    ),
    Division(
        "debts",
        (
            Line("Accounts Payable", 0.19, 0.91, 0.17, never=0.02),
            Line(SHORT_DEBT, 0.038, 1.5, 0.93, never=0.11, sometimes=0.1),
            Line("Other Current Liabilities", 0.068, 1.4, 0.3, never=0.33, sometimes=0.08),
            Line("Long-Term Debt", 0.41, 0.62, 0.18, never=0.06, sometimes=0.03),
            Line("Other Liabilities", 0.11, 0.93, 0.23, never=0.07),
            Line("Deferred Liability Charges", 0.089, 1.1, 0.33, never=0.3, sometimes=0.04),
            Line("Minority Interest", 0.0061, 1.8, 0.52, never=0.42, sometimes=0.09),
            Line("Misc. Stocks", 0.012, 1.5, 0.38, never=0.79, sometimes=0.26),
        ),
    ),
    _total("current debts", f"Accounts Payable; {SHORT_DEBT}; Other Current Liabilities"),
    _total("Total Equity", "Total Assets; -debts"),
    Shares(
        "Total Assets",
        (
            Line("Common Stocks", 0.0007, 2.6, 0.16, never=0.05),
            Line("Capital Surplus", 0.15, 0.9, 0.15, never=0.12, sometimes=0.03),
            Line("Treasury Stock", 0.13, 1.5, 0.41, never=0.36, sometimes=0.05, minus=1),
            Line("Other Equity", 0.012, 1.4, 0.82, never=0.03, minus=0.75),
            Line("Depreciation", 0.032, 0.7, 0.13),
            Line("Net Income Adjustments", 0.012, 0.95, 0.89, minus=0.27),
            Line("Accounts Receivable", 0.005, 1.1, 0.97, never=0.1, minus=0.68),
            Line("Changes in Inventories", 0.0044, 1.2, 0.94, never="stock", minus=0.69),
            Line("Other Operating Activities", 0.0043, 1, 0.99, never=0.03, minus=0.6),
            Line("Liabilities", 0.0091, 1, 0.95, never=0.02, minus=0.39),
            Line("Capital Expenditures", 0.032, 0.9, 0.23, never=0.04, minus=1),
            Line("Investments", 0.0099, 1.4, 1.2, never=0.13, sometimes=0.09, minus=0.63),
            Line("Other Investing Activities", 0.0085, 1.3, 1.4, never=0.02, minus=0.59),
            Line("Sale and Purchase of Stock", 0.024, 1.2, 1.1, sometimes=0.03, minus=0.73),
            Line("Other Financing Activities", 0.0014, 1.6, 1.1, never=0.21, sometimes=0.12, minus=0.68),
            Line("Effect of Exchange Rate", 0.0011, 1.2, 1.1, never=0.31, sometimes=0.03, minus=0.77),
            Line("Net Cash Flow", 0.0135, 0.9, 1.2, minus=0.46),
            Line("shares", 0.019, 0.85, 0.16),
        ),
    ),
    Shares("Long-Term Debt", (Line("Interest Expense", 0.042, 0.36, 0.24, never=0.12),)),
    _total("Retained Earnings", "Total Equity; -Common Stocks; -Capital Surplus; -Treasury Stock; -Other Equity"),
    _total("Earnings Before Interest and Tax", "Operating Income; Add'l income/expense items"),
    _total("Earnings Before Tax", "Earnings Before Interest and Tax; -Interest Expense"),
    Shares("Earnings Before Tax", (Line("Income Tax", 0.3, 0.3, 0.3, never=0.01, minus=0.04),)),
    _total("Net Income-Cont. Operations", "Earnings Before Tax; -Income Tax"),
    _total("Net Income", "Net Income-Cont. Operations; discontinued"),
    _total("Net Income Applicable to Common Shareholders", "Net Income; -preferred"),
    _total(
        "Net Cash Flow-Operating",
        "Net Income; Depreciation; Net Income Adjustments; Accounts Receivable; Changes in Inventories; "
        "Other Operating Activities; Liabilities",
    ),
    _total("Net Cash Flows-Investing", "Capital Expenditures; Investments; Other Investing Activities"),
    _total(
        "Net Cash Flows-Financing",
        "Net Cash Flow; -Net Cash Flow-Operating; -Net Cash Flows-Investing; -Effect of Exchange Rate",
    ),
    _total(
        "Net Borrowings",
        "Net Cash Flows-Financing; -Sale and Purchase of Stock; -Other Financing Activities; dividends",
    ),
)
"""In the order in which figures are known; names in small letters are not reported."""

RATIOS = {
    "After Tax ROE": ("Net Income", "Total Equity"),
    "Cash Ratio": ("liquid", "Total Current Liabilities"),
    "Current Ratio": ("Total Current Assets", "Total Current Liabilities"),
    "Gross Margin": ("Gross Profit", "Total Revenue"),
    "Operating Margin": ("Operating Income", "Total Revenue"),
    "Pre-Tax Margin": ("Earnings Before Tax", "Total Revenue"),
    "Pre-Tax ROE": ("Earnings Before Tax", "Total Equity"),
    "Profit Margin": ("Net Income", "Total Revenue"),
    "Quick Ratio": ("quick", "Total Current Liabilities"),
}
"""In whole percent, without a sign; blank where nothing is divided by."""
