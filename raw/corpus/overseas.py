"""The overseas decoys: firms without figures, whose geography, venue and country have nothing to do with each other.

Source of the pools and of the independence: the release (reference, section 6.4). Names are made in `names.py`.
"""

import polars as pl

from raw.corpus.codes import code_overseas
from raw.corpus.draws import CORPUS_KEY, one_of
from raw.corpus.names import name_overseas
from raw.corpus.population import scaled
from raw.vocabulary.industries import INDUSTRIES

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

_SECONDS = tuple(
    (industry.name, str(second_id), second) for industry in INDUSTRIES for second_id, second in industry.second
)


def make_overseas(scale: float) -> pl.DataFrame:
    """Return one row an overseas firm, sorted by code.

    Returns:
        Columns `firm`, `country`, `code`, `legal`, `english`, `province`, `city`, `exchange`, `plate`, `industry`,
        `second_id`, `second`, `is_repeated` (whether it stands among the domestic firms too).
    """
    rows = [
        (countries[place % len(countries)],)
        for countries, number in REGIONS.values()
        for place in range(scaled(number, scale))
    ]
    firms = pl.DataFrame(rows, schema={"country": pl.String}, orient="row").select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("firm"), "country"
    )
    return name_overseas(code_overseas(firms)).with_columns(*_attributes(), _is_repeated(scale)).sort("code")


def _attributes() -> list[pl.Expr]:
    pools = {"province": _PROVINCES, "city": _CITIES, "exchange": _EXCHANGES, "plate": _PLATES}
    place = _KEY.derive("industry").draw("firm")
    industries = {
        name: one_of(tuple(row[position] for row in _SECONDS), place)
        for position, name in enumerate(("industry", "second_id", "second"))
    }
    drawn = {name: one_of(pool, _KEY.derive(name).draw("firm")) for name, pool in pools.items()}
    return [pl.when(value != _BLANK).then(value).alias(name) for name, value in (drawn | industries).items()]


def _is_repeated(scale: float) -> pl.Expr:
    return (_KEY.derive("repeated").mac("firm").rank("ordinal") <= scaled(REPEATED, scale)).alias("is_repeated")
