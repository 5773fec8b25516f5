"""The extreme figures that the release documents, planted in one firm each (reference, section 4.18).

They are true in the corpus: amounts are set so that the identity gives the documented ratio or rate. A corpus that is too small
for a firm of the required kind goes without.
"""

import polars as pl

from raw.corpus.figures.drawn import YEARS
from raw.draws import CORPUS_KEY
from raw.vocabulary.listing import MAINLAND

_KEY = CORPUS_KEY.derive("outliers")

_LATEST, _BEFORE = YEARS[-1], YEARS[-2]

_PHARMACY, _HOTELS, _SOFTWARE, _STEEL, _RETAIL = 1, 37, 3, 29, 9
"""Industries that carry them; the first two are the release's."""

_RESEARCH_RATIO = 934_642.8
_REVENUE_GROWTH = 21_217.83
_RESEARCH_GROWTH = 99_540.03
_NEGATIVE_DEBT_RATIO, _HIGH_DEBT_RATIO = -47.1, 187.92
"""All in percent."""

_SMALLEST_REVENUE = 2_150_000
"""Revenue of the firm that only does research, in hundredths of a yuan; our choice."""

_LARGE = 5 * 10**10
"""The smallest amount (hundredths of a yuan) with which a growth rate can be exact to its second decimal."""


def plant(figures: pl.DataFrame) -> pl.DataFrame:
    """Return the figures (rows of firm and year, quanta) with the documented extremes."""
    research = _SMALLEST_REVENUE * _RESEARCH_RATIO / 100
    # A firm that only does research loses what it spends, and some of its other costs.
    loss = pl.lit(-1.1 * research)
    planted = _set(
        figures,
        _carrier(figures, _PHARMACY, "研发投入金额"),
        _LATEST,
        {
            "营业收入金额": pl.lit(_SMALLEST_REVENUE),
            "研发投入金额": pl.lit(research),
            "营业利润金额": loss,
            "净利润金额": loss,
        },
    )
    planted = _grow(planted, _HOTELS, "营业收入金额", _REVENUE_GROWTH)
    planted = _grow(planted, _SOFTWARE, "研发投入金额", _RESEARCH_GROWTH)
    planted = _owe(planted, _STEEL, _NEGATIVE_DEBT_RATIO)
    return _owe(planted, _RETAIL, _HIGH_DEBT_RATIO)


def _grow(figures: pl.DataFrame, industry: int, measure: str, growth: float) -> pl.DataFrame:
    """Make the measure so small in the year before that it grew by the given percentage."""
    latest = pl.col(measure).filter(pl.col("year") == _LATEST).first().over("firm")
    return _set(figures, _carrier(figures, industry, measure), _BEFORE, {measure: latest / (1 + growth / 100)})


def _owe(figures: pl.DataFrame, industry: int, ratio: float) -> pl.DataFrame:
    return _set(figures, _carrier(figures, industry, "总负债"), _LATEST, {"总负债": pl.col("总资产") * ratio / 100})


def _carrier(figures: pl.DataFrame, industry: int, measure: str) -> list[int]:
    """Return the firm that carries an extreme, if there is one: large, mainland, and reporting the measure every year."""
    reporting = (pl.col(measure) > _LARGE).all() & pl.col("总资产", "营业收入金额").is_not_null().all()
    able = (
        figures.filter(pl.col("industry_id") == industry, pl.col("company_type") == MAINLAND)
        .group_by("firm")
        .agg(is_able=pl.all_horizontal(reporting) & (pl.len() == len(YEARS)))
    )
    return able.filter("is_able").sort(_KEY.mac(pl.lit(measure), "firm"))["firm"].head(1).to_list()


def _set(figures: pl.DataFrame, firm: list[int], year: int, values: dict[str, pl.Expr]) -> pl.DataFrame:
    is_meant = pl.col("firm").is_in(firm) & (pl.col("year") == year)
    return figures.with_columns(
        pl.when(is_meant).then(value.round().cast(pl.Int64)).otherwise(name).alias(name)
        for name, value in values.items()
    )
