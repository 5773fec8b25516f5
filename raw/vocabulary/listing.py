"""Exchanges, boards, company types and owners of the listed domestic firms.

Facts of the listing only; the codes that exchanges give are made in `raw/corpus/firms/codes.py`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Exchange:
    """A domestic exchange: the suffix of its codes, its boards and its number of firms in 2022."""

    name: str
    suffix: str
    company_type: str
    plates: tuple[str, ...]
    firms: int


MAINLAND, HONG_KONG, OVERSEAS = ("沪深", "港股", "国外")
"""Company types: mainland A-shares (Beijing included), Hong Kong, overseas."""

EXCHANGES: tuple[Exchange, ...] = (
    Exchange("深交所", "SZ", MAINLAND, ("主板", "创业板"), 2_728),
    Exchange("上交所", "SH", MAINLAND, ("主板", "科创板"), 2_156),
    Exchange("港交所", "HK", HONG_KONG, ("主板",), 1_849),
    Exchange("北交所", "BJ", MAINLAND, ("北交所",), 162),
)
"""The firms sum to 6,895."""

OWNERSHIPS: tuple[str, ...] = (
    "民营企业",
    "中央国有企业",
    "地方国有企业",
    "国有企业（其他）",
    "国有企业（院所）",
    "外资企业",
    "中外合资经营企业",
    "集体企业",
)

ABSENT_PAIRS: frozenset[tuple[str, str]] = frozenset(
    {("国有企业（院所）", "北交所"), ("集体企业", "北交所"), ("国有企业（院所）", "港交所")}
)
"""Never together; the release has 29 of the 32 pairs, which three it lacks is our choice."""

OWNERSHIP_EXCHANGE_PAIRS: tuple[tuple[str, str], ...] = tuple(
    (ownership, exchange.name)
    for ownership in OWNERSHIPS
    for exchange in EXCHANGES
    if (ownership, exchange.name) not in ABSENT_PAIRS
)
"""The 29 pairs that occur, by ownership, then exchange."""
