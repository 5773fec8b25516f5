"""What the companies report, as accounts that add up to the last dollar: one row for each company and fiscal year.

Size drives everything: revenue is heavy-tailed within a sector, assets and debts follow it, and every other line is a share of
another (`statement.py`). Whatever is wrong with them comes later (`defects.py`).
"""

from functools import reduce
from operator import add

import polars as pl

from raw.draws import normal, ragged
from raw.listed.register import KEY
from raw.listed.shapes import ACCOUNT_SHAPES, ACCOUNTS
from raw.listed.statement import STATEMENT, Division, Line, Shares, StatementTotal

_KEY = KEY.derive("accounts")

YEARS = (2012, 2013, 2014, 2015, 2016)

_ROW = ("accounts", "year")

_SIZES = ("Total Revenue", "Total Assets", "debts")

_IN_MILLIONS = 0.46
"""Share of companies that report in whole millions."""


def make_accounts(companies: pl.DataFrame) -> pl.DataFrame:
    """Return every line of the statement in dollars, for each company whose figures anybody reports and each year."""
    reporting = companies.filter("reports").unique("accounts").sort("accounts").select("accounts", "GICS Sector")
    rows = reporting.join(pl.DataFrame({"year": YEARS}), how="cross").join(_sectors(), on="GICS Sector").sort(*_ROW)
    in_millions = _KEY.derive("unit").uniform("accounts") < _IN_MILLIONS
    made = rows.with_columns(unit=pl.when(in_millions).then(1_000_000).otherwise(1_000)).with_columns(_growth())
    made = made.with_columns(_sizes()).with_columns(_reported(pl.col(name), name) for name in _SIZES)
    for step in STATEMENT:
        made = _with_step(made, step)
    return made


def _sectors() -> pl.DataFrame:
    rows = [(sector, *numbers) for sector, numbers in ACCOUNTS.items()]
    return pl.DataFrame(rows, schema=["GICS Sector", *ACCOUNT_SHAPES], orient="row")


def _growth() -> pl.Expr:
    # A normal deviate times a lognormal one has heavy tails.
    step = 0.03 + 0.1 * _yearly("growth") * (0.5 * _yearly("turmoil")).exp()
    return step.cum_sum().over("accounts", order_by="year").alias("growth")


def _sizes() -> list[pl.Expr]:
    revenue = pl.col("revenue") + 0.9 * pl.col("spread") * _own("revenue")
    assets = revenue + pl.col("assets") + 0.9 * pl.col("assets_spread") * _own("assets") + 0.08 * _yearly("assets")
    debt = pl.col("debt").log() + 0.25 * _own("debt") + 0.07 * _yearly("debt")
    logarithms = (revenue + pl.col("growth"), assets + 0.8 * pl.col("growth"), assets + 0.8 * pl.col("growth") + debt)
    return [logarithm.exp().alias(name) for name, logarithm in zip(_SIZES, logarithms, strict=True)]


def _with_step(made: pl.DataFrame, step: Shares | Division | StatementTotal) -> pl.DataFrame:
    if isinstance(step, StatementTotal):
        signed = (-pl.col(term[1:]) if term.startswith("-") else pl.col(term) for term in step.terms)
        return made.with_columns(reduce(add, signed).alias(step.name))
    names = [line.name for line in step.lines]
    weighed = made.with_columns(_weight(line) for line in step.lines)
    whole = pl.sum_horizontal(names) if isinstance(step, Division) else 1.0
    shared = weighed.with_columns(_reported(pl.col(step.of) * pl.col(name) / whole, name) for name in names)
    return shared.with_columns(pl.sum_horizontal(names).alias(step.of)) if isinstance(step, Division) else shared


def _weight(line: Line) -> pl.Expr:
    size = line.median * (line.own * _own(line.name) + line.yearly * _yearly(line.name)).exp()
    never = 1 - pl.col(line.never) if isinstance(line.never, str) else pl.lit(line.never)
    is_there = (_draw("never", line.name, "accounts") >= never) & (_draw("nothing", line.name) >= line.sometimes)
    sign = pl.when(_draw("minus", line.name) < line.minus).then(-1).otherwise(1)
    return pl.when(is_there).then(sign * size).otherwise(0.0).alias(line.name)


def _reported(amount: pl.Expr, name: str) -> pl.Expr:
    whole = ragged(amount, _KEY.derive("digits", name).draw(*_ROW))
    return (whole // pl.col("unit") * pl.col("unit")).alias(name)


def _own(what: str) -> pl.Expr:
    """Return a standard normal deviate of the company, the same in every year."""
    return normal(_KEY.derive("own", what), "accounts")


def _yearly(what: str) -> pl.Expr:
    """Return a standard normal deviate of the company and year."""
    return normal(_KEY.derive("yearly", what), *_ROW)


def _draw(purpose: str, name: str, *label: str) -> pl.Expr:
    return _KEY.derive(purpose, name).uniform(*(label or _ROW))
