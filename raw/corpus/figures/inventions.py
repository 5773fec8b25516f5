"""Patents, citations, awards and standards of the domestic firms for three years, before anything is missing.

Most firms have none and report zeros. Firms that invent do so in proportion to their size; a year's total is the total of the
year before and what the year adds. Amounts are in `figures/drawn.py`.
"""

import polars as pl

from raw.corpus.figures.drawn import YEARS
from raw.draws import CORPUS_KEY, normal

_KEY = CORPUS_KEY.derive("inventions")

_INVENTING_SHARE = {
    "hightech": 0.58,
    "biotech": 0.58,
    "manufacture": 0.57,
    "heavy": 0.36,
    "consumer": 0.28,
    "service": 0.2,
}
"""Share of a kind of business that has patents; 0.03 where nothing is said. Our choice."""

_ABROAD_SHARE = 0.18
"""Share of the inventing firms that apply abroad (PCT); our choice."""

_LONE_RATES = {
    "累计PCT发明专利失效数": 0.0,
    "累计核心专利被引次数": 0.0,
    "国家科技进步奖": 0.002,
    "国家技术发明奖": 0.001,
    "国家自然科学奖": 0.001,
    "省/部级科技进步奖": 0.045,
    "省/部级技术发明奖": 0.012,
    "省/部级自然科学奖": 0.004,
    "省/部级科学技术奖": 0.03,
    "省级企业科技创新奖": 0.015,
    "国际行业奖项": 0.02,
    "参与起草国家标准": 0.13,
    "参与起草行业标准": 0.11,
}
"""Share of firms with any. The first two are zero in every sampled industry of the release; the others are our choice."""

_GROWING_SHARE = 0.3
"""Share of those with any that gain one each year; our choice."""


def add_inventions(figures: pl.DataFrame) -> pl.DataFrame:
    """Add the 26 counts (Int64) to rows of firm and year with columns `firm`, `year`, `kind`, `size`."""
    active = figures.with_columns(intensity=_intensity(), is_abroad=_own_uniform("abroad") < _ABROAD_SHARE)
    applied = active.with_columns(**_applications()).with_columns(**_parts())
    return (
        applied.with_columns(**_accumulated()).with_columns(**_consequences(), **_lone()).drop("intensity", "is_abroad")
    )


def _intensity() -> pl.Expr:
    """Return the patents that a firm applies for in a usual year, 0 if it doesn't invent."""
    share = pl.col("kind").replace_strict(_INVENTING_SHARE, default=0.03, return_dtype=pl.Float64)
    level = (2.2 + 0.7 * pl.col("size") + 0.9 * normal(_KEY.derive("level"), "firm")).exp()
    return pl.when(_own_uniform("invents") < share).then(level).otherwise(0.0)


def _applications() -> dict[str, pl.Expr]:
    level = pl.col("intensity") * (0.3 * normal(_KEY.derive("yearly"), "firm", "year")).exp()
    abroad = pl.when("is_abroad").then(level * 0.12).otherwise(0.0)
    return {"年度中国专利申请数": _whole(level), "年度PCT专利申请数": _whole(abroad)}


def _parts() -> dict[str, pl.Expr]:
    """Return what is part of the year's applications: inventions, and what the year granted."""
    inventive = 0.25 + 0.5 * _own_uniform("inventive")
    granted = 0.5 + 0.45 * _KEY.derive("granted").uniform("firm", "year")
    return {
        "年度中国发明专利申请数": _whole(pl.col("年度中国专利申请数") * inventive),
        "年度PCT发明专利申请数": _whole(pl.col("年度PCT专利申请数") * 0.85),
        "年度中国专利授权数": _whole(pl.col("年度中国专利申请数") * granted),
        "年度中国发明专利授权数": _whole(pl.col("年度中国专利申请数") * granted * inventive * 0.6),
    }


def _accumulated() -> dict[str, pl.Expr]:
    return {
        f"累计{kind}数": _stock(f"年度{kind}数")
        for kind in ("中国专利申请", "PCT专利申请", "中国发明专利授权", "中国发明专利申请", "PCT发明专利申请")
    }


def _stock(flow: str) -> pl.Expr:
    """Return what accumulated: some years' worth of the first year, then year by year."""
    age = 3 + 6 * _own_uniform("age")
    before = _whole(pl.col(flow).sort_by("year").first().over("firm") * age)
    return before + pl.col(flow).cum_sum().over("firm", order_by="year")


def _consequences() -> dict[str, pl.Expr]:
    lapsed = 0.3 * _own_uniform("lapsed")
    cited = (0.6 + 0.7 * normal(_KEY.derive("cited"), "firm")).exp()
    return {
        "累计中国发明专利失效数": _whole(pl.col("累计中国发明专利授权数") * lapsed),
        "累计所有专利被引用数": _whole(pl.col("累计中国专利申请数") * cited),
    }


def _lone() -> dict[str, pl.Expr]:
    """Return the counts that don't depend on patents: few firms have any, larger ones rather; they never shrink."""
    return {name: _lone_count(name, rate) for name, rate in _LONE_RATES.items()}


def _lone_count(name: str, rate: float) -> pl.Expr:
    has_any = _own_uniform(name) < rate * (0.4 * pl.col("size")).exp()
    first = 1 + (-(1 - _own_uniform(name, "first")).log() * 1.5).floor()
    later = (pl.col("year") - YEARS[0]) * (_own_uniform(name, "later") < _GROWING_SHARE)
    return pl.when(has_any).then(first + later).otherwise(0).cast(pl.Int64)


def _own_uniform(*what: str) -> pl.Expr:
    return _KEY.derive("own", *what).uniform("firm")


def _whole(value: pl.Expr) -> pl.Expr:
    return value.round().cast(pl.Int64)
