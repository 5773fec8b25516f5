"""What the domestic firms do not report, by kind of business and exchange, and how many records that leaves.

Amounts are missing as a firm's habit: finance and real estate rarely report research, Hong Kong reports less of everything.
Counts are missing by firm, indicator and year; there are more of them than the release has records, and the surplus is
are emptied so that the release's three tables have exactly their numbers of records. Figures themselves are in
`figures/drawn.py` and `figures/inventions.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from raw.draws import CORPUS_KEY
from raw.vocabulary.indicators import COUNT_INDICATORS, INDICATORS
from raw.vocabulary.listing import HONG_KONG

_KEY = CORPUS_KEY.derive("gaps")

_RESEARCH_SHARE = {
    "hightech": 0.96,
    "biotech": 0.97,
    "manufacture": 0.95,
    "heavy": 0.72,
    "consumer": 0.70,
    "service": 0.55,
    "finance": 0.10,
    "property": 0.13,
}
"""Share of a kind of business that reports research; our choice."""

_HONG_KONG_RESEARCH = 0.62
"""How much rarer that is in Hong Kong."""

_REPORTED_SHARES = {
    "总资产": (0.999, 0.998),
    "总负债": (0.999, 0.996),
    "营业收入金额": (0.999, 0.994),
    "营业利润金额": (0.998, 0.96),
    "净利润金额": (0.999, 0.995),
    "雇员总数": (0.985, 0.93),
    "政府奖励资金、补贴": (0.95, 0.64),
    "公司市值": (0.985, 0.94),
}
"""Share of firms that report, on the mainland and in Hong Kong; our choice."""

_OF_RESEARCHING = {"资本化研发投入": (0.26, 0.12), "研发人员数量": (0.91, 0.24)}
"""The same among the firms that report research."""

_FORGOTTEN_SHARE = 0.004
"""Share of single amounts that are missing for no reason; our choice."""

_COUNT_SHARES = (0.822, 0.104, 0.02, 0.015)
"""Shares of a firm's counts that are known in all three years, in the first two, in the first, in the last; others never."""
_HONG_KONG_COUNTS = 0.9
"""How much fewer of them are known in Hong Kong."""

_ADDITIVE = tuple(measure.name for measure in INDICATORS if measure.additive)


@dataclass(frozen=True)
class Tally:
    """Records that the figures make in the three published tables."""

    detail: int
    """Figures of all years."""
    status: int
    """Figures of the last year, and rates of those that can be summed."""
    yearly: int
    """Differences from the year before, and rates."""

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.detail + other.detail, self.status + other.status, self.yearly + other.yearly)

    def above(self, target: "Tally", scale: float) -> "Tally":
        """Return how many records there are too many, 0 where there are too few."""
        pairs = ((self.detail, target.detail), (self.status, target.status), (self.yearly, target.yearly))
        return Tally(*(max(0, own - round(aim * scale)) for own, aim in pairs))


RELEASE = Tally(detail=781_772, status=353_438, yearly=669_169)
"""Records of company_operation_status_detail, company_operation_status and company_operation_yearly_status."""


def forget_amounts(figures: pl.DataFrame) -> pl.DataFrame:
    """Empty the amounts that a firm does not report (rows of firm and year)."""
    research = pl.col("kind").replace_strict(_RESEARCH_SHARE) * pl.when(_is_hong_kong()).then(
        _HONG_KONG_RESEARCH
    ).otherwise(1)
    has_research = _habit("研发投入金额") < research
    has = {"研发投入金额": has_research}
    has |= {name: _habit(name) < _by_market(shares) for name, shares in _REPORTED_SHARES.items()}
    has |= {name: has_research & (_habit(name) < _by_market(shares)) for name, shares in _OF_RESEARCHING.items()}
    is_kept = {name: _KEY.derive("forgotten", name).uniform("firm", "year") >= _FORGOTTEN_SHARE for name in has}
    return figures.with_columns(pl.when(has[name] & is_kept[name]).then(name).alias(name) for name in has)


def forget_counts(parts: Iterable[pl.DataFrame], *, scale: float) -> pl.DataFrame:
    """Empty counts so that the published tables have as many records as in the release.

    Args:
        parts: Cells of some firms after others: columns `firm`, `company_type`, `measure`, and the value of each year,
            `"2020"`, `"2021"`, `"2022"`.
    """
    is_count = pl.col("measure").is_in(COUNT_INDICATORS)
    divided = [(cells.filter(~is_count), _by_pattern(cells.filter(is_count))) for cells in parts]
    amounts, counts = (pl.concat([pair[side] for pair in divided]) for side in (0, 1))
    return pl.concat([amounts, _settle(counts, (tally(amounts) + tally(counts)).above(RELEASE, scale))])


def tally(cells: pl.DataFrame) -> Tally:
    """Return the records that the cells make."""
    is_known = {year: pl.col(year).is_not_null() for year in ("2020", "2021", "2022")}
    is_changed = {later: is_known[later] & is_known[before] for later, before in (("2021", "2020"), ("2022", "2021"))}
    is_additive = pl.col("measure").is_in(_ADDITIVE)
    is_rated = {
        later: is_changed[later] & is_additive & (pl.col(before) != 0)
        for later, before in (("2021", "2020"), ("2022", "2021"))
    }
    detail, latest, changes, rates, latest_rates = cells.select(
        pl.sum_horizontal(flag.sum() for flag in is_known.values()).alias("detail"),
        is_known["2022"].sum().alias("latest"),
        pl.sum_horizontal(flag.sum() for flag in is_changed.values()).alias("changes"),
        pl.sum_horizontal(flag.sum() for flag in is_rated.values()).alias("rates"),
        is_rated["2022"].sum().alias("latest_rates"),
    ).row(0)
    return Tally(detail=detail, status=latest + latest_rates, yearly=changes + rates)


def _by_pattern(counts: pl.DataFrame) -> pl.DataFrame:
    """Draw for each firm and indicator in which years it is known."""
    share = pl.when(_is_hong_kong()).then(_HONG_KONG_COUNTS).otherwise(1.0)
    # One draw decides all years, so that the patterns of a firm's years have the declared shares.
    place = _KEY.derive("pattern").uniform("firm", "measure") / share
    always, early, first, last = (sum(_COUNT_SHARES[: position + 1]) for position in range(len(_COUNT_SHARES)))
    is_known = {
        "2020": place < first,
        "2021": place < early,
        "2022": (place < always) | ((place >= first) & (place < last)),
    }
    return counts.with_columns(pl.when(flag).then(year).alias(year) for year, flag in is_known.items())


def _settle(counts: pl.DataFrame, surplus: Tally) -> pl.DataFrame:
    """Empty surplus cells, each chosen so that it removes a record from certain tables only.

    A zero of the first year that is followed by the second but not the last takes one from detail and yearly; a cell of the
    last year alone takes one from detail and status; a cell of the first year alone takes one from detail.
    """
    first, second, last = (pl.col(year) for year in ("2020", "2021", "2022"))
    taken = counts
    # Each of the first two moves also takes a record of detail, so that the third takes only the rest.
    moves = (
        ("2020", (first == 0) & second.is_not_null() & last.is_null(), surplus.yearly),
        ("2022", last.is_not_null() & second.is_null(), surplus.status),
        ("2020", first.is_not_null() & second.is_null(), surplus.detail - surplus.yearly - surplus.status),
    )
    for year, pool, number in moves:
        mac = _KEY.derive("settle").mac("firm", "measure", pl.lit(year)).alias("mac")
        surplus_rows = taken.with_row_index("row").filter(pool).select("row", mac).sort("mac").head(max(0, number))
        taken = taken.with_columns(taken[year].scatter(surplus_rows["row"], None))
    return taken


def _habit(name: str) -> pl.Expr:
    return _KEY.derive("habit", name).uniform("firm")


def _by_market(shares: tuple[float, float]) -> pl.Expr:
    mainland, hong_kong = shares
    return pl.when(_is_hong_kong()).then(hong_kong).otherwise(mainland)


def _is_hong_kong() -> pl.Expr:
    return pl.col("company_type") == HONG_KONG
