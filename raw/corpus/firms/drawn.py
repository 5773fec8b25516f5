"""The domestic firms, whole: who they are, where, since when, under which code and which names.

Assembles what the other modules decide, and adds board, dates and strategic class. Figures and prose about them are drawn
in `figures/drawn.py` and `narratives.py`, the text table is written in `profile.py`.
"""

from datetime import date

import polars as pl

from raw.corpus.firms.codes import code_domestic
from raw.corpus.firms.names import name_domestic
from raw.corpus.firms.places import place
from raw.corpus.firms.population import populate
from raw.draws import CORPUS_KEY, pick
from raw.vocabulary.industries import STRATEGIC_CLASSES
from raw.vocabulary.listing import EXCHANGES, HONG_KONG

_KEY = CORPUS_KEY.derive("firms")

_OPENED = {
    ("深交所", "主板"): date(1990, 12, 1),
    ("深交所", "创业板"): date(2009, 10, 30),
    ("上交所", "主板"): date(1990, 12, 19),
    ("上交所", "科创板"): date(2019, 7, 22),
    ("港交所", "主板"): date(1986, 4, 2),
    ("北交所", "北交所"): date(2021, 11, 15),
}
"""First day of trading of each board."""

_END_OF_OLD, _FIRST_DAY_OF_LATEST = date(2021, 12, 31), date(2022, 1, 1)
_DAYS_OF_LATEST = 365
_LATEST_SHARE = 0.025
"""Share of firms that were listed in 2022; our choice (more were)."""

_DELISTED_SHARE = 0.006
"""Share of firms delisted since; our choice."""

_SECOND_PLATE_SHARE = {"hightech": 0.75, "biotech": 0.6, "manufacture": 0.4, "service": 0.4}
"""Share of a kind of business on the younger board of its exchange; 0.08 where nothing is said. Our choice."""

_INDUSTRIES_OF_CLASS = {
    1: (3, 6, 19, 21),
    2: (5, 18, 27, 32),
    3: (2, 22, 23, 29, 43),
    4: (1, 5),
    5: (28, 46),
    6: (8, 13),
    7: (3, 33),
    8: (30,),
    9: (8, 12),
}
"""Strategic class -> the level-1 industries whose firms can be in it; our reading."""

_CLASSIFIED_SHARE = {"主板": 0.12, "创业板": 0.85, "科创板": 0.95, "北交所": 0.9}
_SUBCLASSIFIED_SHARE = 0.15


def make_firms(scale: float) -> pl.DataFrame:
    """Return one row a domestic firm, sorted by code.

    Returns:
        The columns of `populate` and `place`, `plate`, `code`, `brand`, `word`, `legal`, `short`, `english`, the dates
        `completed`, `listed`, `delisted`, and `class_id`, `class`, `subclass_id`, `subclass`.
    """
    placed = place(populate(scale))
    coded = code_domestic(placed.with_columns(plate=_plate()))
    return _classified(name_domestic(_dated(coded))).sort("code")


def _plate() -> pl.Expr:
    share = pl.col("kind").replace_strict(_SECOND_PLATE_SHARE, default=0.08, return_dtype=pl.Float64)
    is_second = _KEY.derive("plate").uniform("firm") < share
    first = {exchange.name: exchange.plates[0] for exchange in EXCHANGES}
    second = {exchange.name: exchange.plates[-1] for exchange in EXCHANGES}
    return (
        pl.when(is_second)
        .then(pl.col("exchange").replace_strict(second))
        .otherwise(pl.col("exchange").replace_strict(first))
    )


def _dated(firms: pl.DataFrame) -> pl.DataFrame:
    """Add listing, founding (unknown in Hong Kong) and, for a few, delisting."""
    opened = pl.DataFrame(
        [(*venue, day) for venue, day in _OPENED.items()], schema=["exchange", "plate", "opened"], orient="row"
    )
    age = _KEY.derive("listed").uniform("firm")
    old_days = (pl.lit(_END_OF_OLD) - pl.col("opened")).dt.total_days()
    is_latest = _KEY.derive("latest").uniform("firm") < _LATEST_SHARE
    listed = (
        pl.when(is_latest)
        .then(_days_after(pl.lit(_FIRST_DAY_OF_LATEST), age * _DAYS_OF_LATEST))
        .otherwise(_days_after(pl.col("opened"), age * (old_days + 1)))
    )
    years_before = 2 + 18 * _KEY.derive("completed").uniform("firm")
    is_delisted = _KEY.derive("delisted").uniform("firm") < _DELISTED_SHARE
    return (
        firms.join(opened, on=["exchange", "plate"])
        .with_columns(listed=listed)
        .with_columns(
            completed=pl.when(pl.col("company_type") != HONG_KONG).then(
                _days_after(pl.col("listed"), -365.25 * years_before)
            ),
            delisted=pl.when(is_delisted).then(_days_after(pl.lit(date(2023, 1, 1)), 1000 * age)),
        )
        .drop("opened")
    )


def _days_after(start: pl.Expr, days: pl.Expr) -> pl.Expr:
    return start + pl.duration(days=days.floor().cast(pl.Int64))


def _classified(firms: pl.DataFrame) -> pl.DataFrame:
    """Add the strategic class and, for few, its sub-class; firms of most old boards have none."""
    choices = pl.DataFrame(
        [
            (industry, class_id, name, sub_id, sub_name, 1.0)
            for class_id, name, subclasses in STRATEGIC_CLASSES
            for industry in _INDUSTRIES_OF_CLASS[class_id]
            for sub_id, sub_name in subclasses
        ],
        schema=["industry_id", "class_id", "class", "subclass_id", "subclass", "weight"],
        orient="row",
    )
    drawn = pick(firms, choices, by=["industry_id"], uniform=_KEY.derive("class").uniform("firm"))
    share = pl.col("plate").replace_strict(_CLASSIFIED_SHARE)
    has_class = (_KEY.derive("has class").uniform("firm") < share) & pl.col("class").is_not_null()
    has_subclass = has_class & (_KEY.derive("has subclass").uniform("firm") < _SUBCLASSIFIED_SHARE)
    return drawn.with_columns(
        *(pl.when(has_class).then(column).alias(column) for column in ("class_id", "class")),
        *(pl.when(has_subclass).then(column).alias(column) for column in ("subclass_id", "subclass")),
    )
