"""Where the domestic firms are: province, city, district and the country they are booked under.

Firms gather: every industry has its own few strong provinces. Geography itself is in `raw/vocabulary/geography.py`.
"""

from collections import Counter
from collections.abc import Sequence

import polars as pl

from raw.draws import CORPUS_KEY, pick
from raw.vocabulary.geography import NO_AREA, PROVINCES
from raw.vocabulary.industries import INDUSTRIES

_KEY = CORPUS_KEY.derive("places")

REGIONAL_COUNT_ROWS = 2_809
"""Rows of regional firm counts in the release: each province and industry (and the total), alone and by pairs."""

_HONG_KONG_EXCHANGE = "港交所"
_OFFSHORE = {"香港特别行政区": 200.0, "台湾省": 4.0}
"""Weights of places from which firms list in Hong Kong only; among mainland weights that sum to about 250. Our choice."""

_TABLE = """
广东省:42 浙江省:33 江苏省:32 北京市:24 上海市:22 山东省:15 福建省:8 四川省:8 安徽省:8 湖南省:7 湖北省:6.5 河南省:5.5
辽宁省:4.5 河北省:4 江西省:4 陕西省:4 天津市:3.5 重庆市:3.5 新疆维吾尔自治区:3 吉林省:2.5 山西省:2.2 黑龙江省:2
云南省:2 广西壮族自治区:1.9 贵州省:1.7 甘肃省:1.7 海南省:1.6 内蒙古自治区:1.4 西藏自治区:1 宁夏回族自治区:0.8
青海省:0.6
"""
_WEIGHTS = {name: float(weight) for name, weight in (entry.split(":") for entry in _TABLE.split())}
"""How many firms a mainland province has, about per 250 (China's listed firms in 2022, rounded); Macao has none."""

_GATHERING = 2.0
"""Exponent of an industry's affinity to a province: the higher, the fewer provinces an industry sits in. Our choice."""

_NO_AREA_SHARE = 0.6
"""Share of firms without a district that say 无 instead of nothing; our choice."""


def place(firms: pl.DataFrame) -> pl.DataFrame:
    """Add `province`, `country`, `city` and `area` (null or 无 in Hong Kong and Taiwan) to firms."""
    chosen = pick(
        firms, _province_choices(), by=["exchange", "industry_id"], uniform=_KEY.derive("province").uniform("firm")
    )
    settled = _settle_provinces(chosen)
    countries = {province.name: province.country for province in PROVINCES}
    with_city = pick(settled, _city_choices(), by=["province"], uniform=_KEY.derive("city").uniform("firm"))
    is_silent = _KEY.derive("area").uniform("firm") >= _NO_AREA_SHARE
    return with_city.with_columns(
        country=pl.col("province").replace_strict(countries),
        area=pl.when((pl.col("area") != NO_AREA) | ~is_silent).then("area"),
    )


def count_rows(firms: pl.DataFrame) -> int:
    """Return how many rows count the firms by province: each industry there and the total, alone and by pairs."""
    breakdowns: tuple[list[str], ...] = (
        ["industry_id"],
        ["industry_id", "ownership", "exchange"],
        [],
        ["ownership", "exchange"],
    )
    return sum(firms.select("province", *columns).n_unique() for columns in breakdowns)


def _province_choices() -> pl.DataFrame:
    """Return the weights of provinces by industry and exchange."""
    names = pl.DataFrame({"province": [*_WEIGHTS, *_OFFSHORE], "mass": [*_WEIGHTS.values(), *_OFFSHORE.values()]})
    industries = pl.DataFrame(
        {"industry_id": [industry.id for industry in INDUSTRIES]}, schema={"industry_id": pl.Int64}
    )
    exchanges = pl.DataFrame({"exchange": ["深交所", "上交所", _HONG_KONG_EXCHANGE, "北交所"]})
    # An exponential deviate to a power above 1 makes a few provinces of each industry much stronger than the others.
    affinity = (-(1 - _KEY.derive("affinity").uniform("industry_id", "province")).log()).pow(_GATHERING)
    is_possible = ~pl.col("province").is_in(list(_OFFSHORE)) | (pl.col("exchange") == _HONG_KONG_EXCHANGE)
    return (
        industries.join(names, how="cross")
        .with_columns(
            weight=pl.col("mass") * pl.when(pl.col("province").is_in(list(_OFFSHORE))).then(1.0).otherwise(affinity)
        )
        .drop("mass")
        .join(exchanges, how="cross")
        .filter(is_possible)
    )


def _settle_provinces(firms: pl.DataFrame) -> pl.DataFrame:
    """Move lone firms to where firms like them are until the regional count rows are as many as in the release.

    A firm is alone if no other of its industry, owner and exchange is in its province; it moves to the province that has
    most firms like it. The last firm of a province stays.
    """
    shuffled = firms.sort(_KEY.derive("settle").mac("firm"))
    crowd = _Crowd(list(shuffled.select("province", "industry_id", "ownership", "exchange").iter_rows()))
    surplus = count_rows(firms) - REGIONAL_COUNT_ROWS
    for firm in range(shuffled.height):
        surplus -= crowd.move(firm, surplus)
    return shuffled.with_columns(province=pl.Series([province for province, *_ in crowd.rows], dtype=pl.String))


class _Crowd:
    """How many firms every counted cell has, while firms move between provinces."""

    def __init__(self, rows: list[tuple[str, int, str, str]]) -> None:
        self.rows = rows
        self._cells = Counter(cell for row in rows for cell in self._cells_of(row))
        self._provinces = sorted({province for province, *_ in rows})

    def move(self, firm: int, surplus: int) -> int:
        """Move a lone firm if that takes away at most `surplus` counted cells, and return how many it took away."""
        row = self.rows[firm]
        cells = self._cells_of(row)
        # A counted cell disappears only if this firm was the last one in it.
        gain = sum(self._cells[cell] == 1 for cell in cells)
        like = {province: self._cells[province, *row[1:]] for province in self._provinces if province != row[0]}
        best = max(like, key=lambda province: (like[province], province), default=None)
        target = best if best is not None and like[best] else None
        if self._cells[row] > 1 or self._cells[row[:1]] == 1 or not 0 < gain <= surplus or target is None:
            return 0
        self._cells.subtract(cells)
        self.rows[firm] = (target, *row[1:])
        self._cells.update(self._cells_of(self.rows[firm]))
        return gain

    @staticmethod
    def _cells_of(row: tuple[str, int, str, str]) -> Sequence[tuple[object, ...]]:
        province, industry, ownership, exchange = row
        return (province,), (province, industry), (province, ownership, exchange), row


def _city_choices() -> pl.DataFrame:
    """Return cities and districts; the first of a province is the most frequent, each next a third rarer."""
    rows = [
        (province.name, city.name, area, 0.67**rank / len(city.areas))
        for province in PROVINCES
        for rank, city in enumerate(province.cities)
        for area in city.areas
    ]
    return pl.DataFrame(rows, schema=["province", "city", "area", "weight"], orient="row")
