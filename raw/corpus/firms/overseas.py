"""The overseas decoys: firms without figures, whose geography, venue and country have nothing to do with each other.

Source of the pools and of the independence: the release (reference, section 6.4). In all other columns of a profile a decoy is
like a domestic firm, so that only filters on these columns separate them. Names are made in `names.py`.
"""

import polars as pl

from raw.corpus.firms.codes import code_overseas
from raw.corpus.firms.names import name_overseas
from raw.draws import CORPUS_KEY, one_of, scaled
from raw.vocabulary.listing import OVERSEAS

_KEY = CORPUS_KEY.derive("overseas")

REGIONS: dict[str, tuple[tuple[str | None, ...], int]] = {
    "as": (("日本", "新加坡", None), 1_282),
    "eu": (("英国", "德国", "法国"), 1_201),
    "na": (("美国", "加拿大"), 791),
    "oc": (("澳大利亚",), 401),
}
"""Region -> the countries booked there (None is a blank) and its number of firms."""

REPEATED = 400
"""How many of the decoys stand among the domestic firms as well."""

_BLANK = ""
_PROVINCES = ("Ontario", "California", "England", "Tokyo", "Zurich", "Bavaria", "New South Wales", _BLANK)
_CITIES = ("Frankfurt", "Toronto", "London", "Singapore", "New York", "Sydney", "Tokyo", _BLANK)
_EXCHANGES = ("TSE", "LSE", "TSX", "NASDAQ", "SGX", "XETRA", "ASX", "NYSE", _BLANK)
_PLATES = ("Growth", "Standard", "NASDAQ Global Select", "Prime", "Main Board", _BLANK)

_LIKE_DOMESTIC = (
    *("industry", "second_id", "second", "class_id", "class", "subclass_id", "subclass"),
    *("completed", "listed", "delisted"),
)
"""What a decoy has of a domestic firm drawn at random, blanks included."""


def make_overseas(scale: float, domestic: pl.DataFrame) -> pl.DataFrame:
    """Return one row an overseas firm, sorted by code.

    Args:
        domestic: The domestic firms, of which trade, class and dates are taken.

    Returns:
        Columns `firm`, `country`, `code`, `legal`, `english`, `province`, `city`, `exchange`, `plate`, `industry`,
        `second_id`, `second`, the classes and dates of domestic firms, `company_type`, `industry_id` (0: none of the
        domestic industries), `area` and `ownership` (blank), `is_repeated` (whether it stands among the domestic firms too).
    """
    rows = [
        (countries[place % len(countries)],)
        for countries, number in REGIONS.values()
        for place in range(scaled(number, scale))
    ]
    firms = pl.DataFrame(rows, schema={"country": pl.String}, orient="row").select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("firm"), "country"
    )
    named = name_overseas(code_overseas(firms)).with_columns(*_attributes(), _is_repeated(scale))
    models = domestic.select(pl.int_range(pl.len(), dtype=pl.Int64).alias("model"), *_LIKE_DOMESTIC)
    drawn = named.with_columns(model=_KEY.derive("model").draw("firm") % domestic.height)
    return drawn.join(models, on="model").drop("model").sort("code")


def _attributes() -> list[pl.Expr]:
    pools = {"province": _PROVINCES, "city": _CITIES, "exchange": _EXCHANGES, "plate": _PLATES}
    drawn = {name: one_of(pool, _KEY.derive(name).draw("firm")) for name, pool in pools.items()}
    return [
        *(pl.when(value != _BLANK).then(value).alias(name) for name, value in drawn.items()),
        pl.lit(OVERSEAS).alias("company_type"),
        pl.lit(0, pl.Int64).alias("industry_id"),
        *(pl.lit(None, pl.String).alias(name) for name in ("area", "ownership")),
    ]


def _is_repeated(scale: float) -> pl.Expr:
    return (_KEY.derive("repeated").mac("firm").rank("ordinal") <= scaled(REPEATED, scale)).alias("is_repeated")
