"""The amounts, heads and ratios of the domestic firms for three years, before anything is missing.

Size drives everything: revenue is heavy-tailed within a kind of business; assets, debts, profits, staff and research follow it,
each with a spread and yearly shocks of its own. Patents and awards are in `figures/inventions.py`, gaps in `gaps.py`, the
documented extremes in `outliers.py`.
"""

from dataclasses import dataclass, fields

import polars as pl

from raw.draws import CORPUS_KEY, normal, ragged
from raw.vocabulary.listing import HONG_KONG

_KEY = CORPUS_KEY.derive("figures")

YEARS = (2020, 2021, 2022)


@dataclass(frozen=True)
class Business:
    """What figures of one kind of business look like; logarithms are natural, amounts in yuan."""

    revenue: float
    """Logarithm of the median revenue."""
    spread: float
    """Standard deviation of the logarithm of revenue."""
    assets: float
    """Logarithm of the median of assets over revenue."""
    debt: float
    """Logit of the median debt ratio."""
    margin: float
    """Median operating margin."""
    margin_spread: float
    research: float
    """Logarithm of the median of research over revenue."""
    revenue_a_head: float
    """Logarithm of the median revenue of one employee."""
    drift: float
    """Mean growth (logarithm) of revenue."""


BUSINESSES = {
    "hightech": Business(20.5, 1.4, 0.55, -0.45, 0.06, 0.11, -2.6, 13.6, 0.10),
    "biotech": Business(20.5, 1.4, 0.65, -0.65, 0.08, 0.17, -2.5, 13.5, 0.09),
    "manufacture": Business(20.8, 1.3, 0.40, -0.25, 0.06, 0.08, -3.3, 13.8, 0.08),
    "heavy": Business(22.1, 1.6, 0.45, 0.05, 0.05, 0.08, -4.3, 14.6, 0.07),
    "finance": Business(21.9, 1.8, 2.40, 0.90, 0.20, 0.18, -4.8, 14.4, 0.03),
    "property": Business(21.6, 1.5, 1.20, 0.60, 0.04, 0.19, -4.9, 14.7, 0.00),
    "service": Business(20.7, 1.5, 0.60, -0.10, 0.04, 0.15, -3.6, 13.4, 0.02),
    "consumer": Business(21.0, 1.5, 0.30, -0.25, 0.05, 0.10, -4.0, 13.6, 0.04),
}
"""Our choice, by order of magnitude of Chinese listed firms."""

_OWNER_SIZE = {"中央国有企业": 1.0, "地方国有企业": 0.45, "国有企业（院所）": 0.2}
_EXCHANGE_SIZE = {"北交所": -1.4, "上交所": 0.3, "港交所": -0.1}
_LOG_OF_LARGEST = 31.0
"""No amount exceeds exp(31) yuan, about 29 million million: no bank in China had larger assets."""

_TROUBLED_SHARE = 0.012
"""Share of firms whose debts exceed their assets; our choice."""

_HONG_KONG_UNIT = 1_000 * 100
"""Firms in Hong Kong report in thousands of yuan: one such unit in hundredths of a yuan."""


def make_figures(firms: pl.DataFrame) -> pl.DataFrame:
    """Return one row a firm and year.

    Returns:
        Columns `firm`, `year`, the eight amounts of `_MONEY`, 公司市值, 雇员总数 and 研发人员数量 in quanta (Int64), `size`
        (the standardised logarithm of revenue), and what the firm is.
    """
    sized = _with_paths(_sized(firms))
    amounts = sized.with_columns(**_amounts()).with_columns(**_dependents())
    return amounts.with_columns(_reported(name) for name in _MONEY).drop(*_INTERNAL)


_MONEY = (
    "营业收入金额",
    "总资产",
    "总负债",
    "营业利润金额",
    "净利润金额",
    "研发投入金额",
    "资本化研发投入",
    "政府奖励资金、补贴",
)
_PARAMETERS = tuple(field.name for field in fields(Business))
_INTERNAL = (*_PARAMETERS, "path")


def _sized(firms: pl.DataFrame) -> pl.DataFrame:
    """Repeat the firms for each year, and add the parameters of their business and their size."""
    rows = [(kind, *(getattr(business, name) for name in _PARAMETERS)) for kind, business in BUSINESSES.items()]
    businesses = pl.DataFrame(rows, schema=["kind", *_PARAMETERS], orient="row")
    tilt = normal(_KEY.derive("industry"), "industry_id") * 0.2
    owner = pl.col("ownership").replace_strict(_OWNER_SIZE, default=0.0, return_dtype=pl.Float64)
    exchange = pl.col("exchange").replace_strict(_EXCHANGE_SIZE, default=0.0, return_dtype=pl.Float64)
    known = firms.select("firm", "code", "industry_id", "kind", "ownership", "exchange", "company_type", "listed")
    sized = known.join(businesses, on="kind").with_columns(size=normal(_KEY.derive("size"), "firm"))
    return (
        sized.with_columns(revenue=pl.col("revenue") + tilt + owner + exchange + pl.col("spread") * pl.col("size"))
        .join(pl.DataFrame({"year": YEARS}, schema={"year": pl.Int64}), how="cross")
        .sort("firm", "year")
    )


def _with_paths(sized: pl.DataFrame) -> pl.DataFrame:
    """Add `path`, the growth of the logarithm of revenue since the first year; its shocks are heavy-tailed."""
    # A normal deviate times a lognormal one has heavy tails.
    surprise = 0.16 * _yearly("growth") * (0.5 * _yearly("turmoil")).exp()
    step = pl.when(pl.col("year") > YEARS[0]).then((pl.col("drift") + surprise).clip(-2.5, 2.8)).otherwise(0.0)
    return sized.with_columns(path=step.cum_sum().over("firm", order_by="year"))


def _amounts() -> dict[str, pl.Expr]:
    """Return the figures that follow from size alone, in quanta."""
    revenue = (pl.col("revenue") + pl.col("path")).clip(12.0, _LOG_OF_LARGEST - 1)
    assets = (
        pl.col("revenue") + pl.col("assets") + 0.5 * pl.col("path") + 0.4 * _own("assets") + 0.06 * _yearly("assets")
    )
    heads = (
        pl.col("revenue")
        - pl.col("revenue_a_head")
        + 0.4 * pl.col("path")
        + 0.5 * _own("heads")
        + 0.05 * _yearly("heads")
    )
    subsidy = pl.col("revenue") - 5.3 + 0.9 * _own("subsidy") + 0.35 * _yearly("subsidy")
    worth = pl.col("revenue") + 0.3 * pl.col("path") + 0.6 + 0.7 * _own("worth") + 0.2 * _yearly("worth")
    return {
        "营业收入金额": _amount(revenue, "revenue"),
        "总资产": _amount(assets.clip(13.0, _LOG_OF_LARGEST), "assets"),
        "政府奖励资金、补贴": _amount(subsidy, "subsidy"),
        "公司市值": (worth.exp() / 1e6).round().cast(pl.Int64).clip(50),
        "雇员总数": heads.exp().round().cast(pl.Int64).clip(12),
    }


def _dependents() -> dict[str, pl.Expr]:
    """Return the figures that are a share of another one, in quanta."""
    profit = _share("营业收入金额", _margin(), "profit")
    tax = pl.when(profit > 0).then(0.84 + 0.05 * _yearly("tax")).otherwise(1.02 + 0.03 * _yearly("tax"))
    research = (pl.col("research") + 0.75 * _own("research") + 0.12 * _yearly("research")).clip(-9, 1.1).exp()
    researchers = (-1.9 + 0.55 * _own("researchers") + 0.05 * _yearly("researchers")).clip(-5, -0.1).exp()
    capitalised = research * (-1.8 + 0.8 * _own("capital") + 0.3 * _yearly("capital")).clip(-6, -0.1).exp()
    return {
        "总负债": _share("总资产", _debt_ratio(), "debt"),
        "营业利润金额": profit,
        "净利润金额": (profit * tax).round().cast(pl.Int64),
        "研发投入金额": _share("营业收入金额", research, "research"),
        "资本化研发投入": _share("营业收入金额", capitalised, "capital"),
        "研发人员数量": (pl.col("雇员总数") * researchers).round().cast(pl.Int64).clip(1),
    }


def _margin() -> pl.Expr:
    spread = pl.col("margin_spread") * (
        0.6 * _own("margin") + 0.6 * _yearly("margin") * (0.4 * _yearly("margin tail")).exp()
    )
    return (pl.col("margin") + 0.1 * pl.col("margin_spread") * pl.col("size") + spread).clip(-3.0, 0.75)


def _debt_ratio() -> pl.Expr:
    logit = pl.col("debt") + 0.25 * pl.col("size") + 0.7 * _own("debt") + 0.12 * _yearly("debt")
    sound = 1 / (1 + (-logit).exp())
    is_troubled = _KEY.derive("troubled").uniform("firm") < _TROUBLED_SHARE
    return pl.when(is_troubled).then(1.02 + 0.3 * _own("debt").abs()).otherwise(sound)


def _own(what: str) -> pl.Expr:
    """Return a standard normal deviate of the firm, the same in every year."""
    return normal(_KEY.derive("own", what), "firm")


def _yearly(what: str) -> pl.Expr:
    """Return a standard normal deviate of the firm and year."""
    return normal(_KEY.derive("yearly", what), "firm", "year")


def _amount(log: pl.Expr, what: str) -> pl.Expr:
    return _ragged(log.exp() * 100, what)


def _share(base: str, share: pl.Expr, what: str) -> pl.Expr:
    return _ragged(pl.col(base) * share, what)


def _ragged(quanta: pl.Expr, what: str) -> pl.Expr:
    return ragged(quanta, _KEY.derive("digits", what).draw("firm", "year"))


def _reported(name: str) -> pl.Expr:
    """Return an amount as it is reported: in thousands of yuan in Hong Kong, to the hundredth elsewhere."""
    in_thousands = (pl.col(name) // _HONG_KONG_UNIT) * _HONG_KONG_UNIT
    return pl.when(pl.col("company_type") == HONG_KONG).then(in_thousands).otherwise(name).alias(name)
