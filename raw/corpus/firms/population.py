"""Who the domestic firms are: industry, exchange, owner, second-level industry, in the release's numbers.

Places are in `places.py`, names and codes in `names.py` and `codes.py`. Industry and exchange numbers are exact at every
scale; which firm has which is drawn.
"""

from collections import Counter

import polars as pl

from raw.corpus.trades import TRADES
from raw.draws import CORPUS_KEY, pick, scaled
from raw.vocabulary.industries import INDUSTRIES
from raw.vocabulary.listing import ABSENT_PAIRS, EXCHANGES, OWNERSHIPS

_KEY = CORPUS_KEY.derive("population")

NATIONAL_COUNT_ROWS = 1_026
"""Rows of national firm counts in the release: groups, owners, exchanges and pairs over 44 industries and the total."""

_FINANCE = 7
_FINANCE_OWNERS = (112, 64, 105, 1, 2, 7, 5, 1)
"""Owners of the 297 financial firms in the order of `OWNERSHIPS` (reference, section 2.7)."""

_EXCHANGE_AFFINITY = {
    "北交所": {"manufacture": 2.5, "hightech": 2.0, "biotech": 1.5, "service": 0.3, "consumer": 0.3, "finance": 0.1},
    "港交所": {
        "property": 3.2,
        "finance": 2.4,
        "service": 2.2,
        "consumer": 1.8,
        "biotech": 1.2,
        "heavy": 1.0,
        "hightech": 0.8,
    },
    "上交所": {"finance": 1.6, "heavy": 1.8, "property": 1.0, "biotech": 1.0, "service": 0.7, "consumer": 1.0},
}
"""How much rather than others a kind of business lists there; 0.6 where nothing is said. Our choice."""

_PRIVATE, _CENTRAL, _LOCAL, *_ = OWNERSHIPS
_OWNER_WEIGHTS = {
    "深交所": (725, 62, 180, 4, 3, 17, 7, 2),
    "上交所": (590, 125, 250, 5, 4, 17, 7, 2),
    "港交所": (690, 92, 145, 5, 0, 52, 13, 3),
    "北交所": (905, 12, 55, 8, 0, 12, 8, 0),
}
"""Owners per mille by exchange, in the order of `OWNERSHIPS`; our choice."""

_STATE_TILT = {"heavy": 2.2, "property": 1.4, "finance": 2.5, "hightech": 0.6, "biotech": 0.5}
"""How much oftener the state owns firms of a kind of business; 1 where nothing is said. Our choice."""

_KINDS = {industry: trade.kind for industry, trade in TRADES.items()}


def populate(scale: float) -> pl.DataFrame:
    """Return one row a domestic firm.

    Returns:
        Columns `firm` (0, 1, ..., by industry), `industry_id`, `industry`, `kind`, `second_id`, `second`, `exchange`,
        `company_type`, `ownership`.
    """
    rows = [(i.id, i.name, _KINDS[i.id]) for i in INDUSTRIES for _ in range(scaled(i.firms, scale))]
    firms = pl.DataFrame(
        rows, schema={"industry_id": pl.Int64, "industry": pl.String, "kind": pl.String}, orient="row"
    ).select(pl.int_range(pl.len(), dtype=pl.Int64).alias("firm"), pl.all())
    listed = _listed(firms, scale)
    owned = _settle_owners(_owned(listed))
    return _with_second(owned).sort("firm")


def _listed(firms: pl.DataFrame, scale: float) -> pl.DataFrame:
    """Fill the exchanges in turn with the firms that suit them best: weighted sampling by exponential races.

    Source: Efraimidis and Spirakis 2006, algorithm A-Res. The first exchange takes what the others leave.
    """
    rest, *others = EXCHANGES
    placed = firms.with_columns(exchange=pl.lit(None, pl.String))
    for exchange in reversed(others):
        # The firms with the smallest times of an exponential race are a sample weighted by affinity.
        race = -(1 - _KEY.derive("exchange", exchange.name).uniform("firm")).log() / _affinity(exchange.name)
        is_free = pl.col("exchange").is_null()
        is_first = pl.when(is_free).then(race).rank("ordinal") <= round(exchange.firms * scale)
        placed = placed.with_columns(
            exchange=pl.when(is_free & is_first).then(pl.lit(exchange.name)).otherwise("exchange")
        )
    types = {exchange.name: exchange.company_type for exchange in EXCHANGES}
    return placed.with_columns(pl.col("exchange").fill_null(rest.name)).with_columns(
        company_type=pl.col("exchange").replace_strict(types)
    )


def _affinity(exchange: str) -> pl.Expr:
    return pl.col("kind").replace_strict(_EXCHANGE_AFFINITY[exchange], default=0.6, return_dtype=pl.Float64)


def _owned(firms: pl.DataFrame) -> pl.DataFrame:
    """Draw owners; those of financial firms are the release's numbers, as near as the scale allows."""
    is_finance = pl.col("industry_id") == _FINANCE
    drawn = pick(
        firms.filter(~is_finance),
        _owner_choices(),
        by=["exchange", "kind"],
        uniform=_KEY.derive("owner").uniform("firm"),
    )
    finance = firms.filter(is_finance)
    return pl.concat([drawn, _owned_finance(finance)])


def _owner_choices() -> pl.DataFrame:
    rows = [
        (exchange, kind, ownership, weight * (_STATE_TILT.get(kind, 1.0) if ownership in {_CENTRAL, _LOCAL} else 1.0))
        for exchange, weights in _OWNER_WEIGHTS.items()
        for kind in sorted(set(_KINDS.values()))
        for ownership, weight in zip(OWNERSHIPS, weights, strict=True)
        if weight
    ]
    return pl.DataFrame(rows, schema=["exchange", "kind", "ownership", "weight"], orient="row")


def _owned_finance(firms: pl.DataFrame) -> pl.DataFrame:
    """Deal the owners out in keyed order; whom an exchange never has is dealt first, to the firms of other exchanges."""
    total = sum(_FINANCE_OWNERS)
    edges = [round(sum(_FINANCE_OWNERS[: place + 1]) * firms.height / total) for place in range(len(OWNERSHIPS))]
    dealt = [
        ownership
        for ownership, start, end in zip(OWNERSHIPS, [0, *edges[:-1]], edges, strict=True)
        for _ in range(end - start)
    ]
    # Owners that some exchange never has are dealt first, to firms of the two largest exchanges.
    picky = [ownership for ownership, _ in sorted(ABSENT_PAIRS)]
    dealt.sort(key=lambda ownership: (ownership not in picky, OWNERSHIPS.index(ownership)))
    shuffled = firms.sort(~pl.col("exchange").is_in(["上交所", "深交所"]), _KEY.derive("finance").mac("firm"))
    return shuffled.with_columns(ownership=pl.Series(dealt, dtype=pl.String))


def _settle_owners(firms: pl.DataFrame) -> pl.DataFrame:
    """Turn lone owners into private ones until the national count rows are as many as in the release.

    A firm is alone if no other of its industry has its owner and exchange. Finance and the last of a pair stay.
    """
    shuffled = firms.sort(_KEY.derive("settle").mac("firm"))
    rows = list(shuffled.select("industry_id", "ownership", "exchange").iter_rows())
    pairs, owners, nation = Counter(rows), Counter((i, o) for i, o, _ in rows), Counter((o, e) for _, o, e in rows)
    surplus = count_rows(firms) - NATIONAL_COUNT_ROWS
    settled = []
    for industry, ownership, exchange in rows:
        # The row of the pair disappears, and that of the owner if no other firm of the industry has it.
        gain = 1 + (owners[industry, ownership] == 1)
        is_lone = pairs[industry, ownership, exchange] == 1 < nation[ownership, exchange]
        has_company = ownership != _PRIVATE and pairs[industry, _PRIVATE, exchange] > 0
        is_moved = is_lone and has_company and industry != _FINANCE and gain <= surplus
        if is_moved:
            surplus -= gain
            owners[industry, ownership] -= 1
            nation[ownership, exchange] -= 1
        settled.append(_PRIVATE if is_moved else ownership)
    return shuffled.with_columns(ownership=pl.Series(settled, dtype=pl.String))


def count_rows(firms: pl.DataFrame) -> int:
    """Return how many rows count the firms: each industry and the total, by nothing, owner, exchange and both."""
    breakdowns: tuple[list[str], ...] = ([], ["ownership"], ["exchange"], ["ownership", "exchange"])
    by_industry = sum(firms.select("industry_id", *columns).n_unique() for columns in breakdowns)
    return by_industry + sum(firms.select(columns).n_unique() if columns else 1 for columns in breakdowns)


def _with_second(firms: pl.DataFrame) -> pl.DataFrame:
    """Draw the second-level industry; the first that an industry has is the most frequent, each next half as frequent."""
    rows = [
        (industry.id, second_id, name, 0.5**place)
        for industry in INDUSTRIES
        for place, (second_id, name) in enumerate(industry.second)
    ]
    choices = pl.DataFrame(rows, schema=["industry_id", "second_id", "second", "weight"], orient="row")
    return pick(firms, choices, by=["industry_id"], uniform=_KEY.derive("second").uniform("firm"))
