"""The other names of the domestic firms: short, English, and those of subsidiaries and products.

`names.py` decides which brands there are. Every alias of the corpus is unique, and long enough to be recognised in prose.
"""

import polars as pl

from raw.corpus.firms.names import FIRST, MIDDLE, WORDS
from raw.corpus.trades import TRADES
from raw.draws import CORPUS_KEY, one_of
from raw.vocabulary.geography import PROVINCES

_KEY = CORPUS_KEY.derive("aliases")

KINDS = ("short", "english", "subsidiary", "product")

_SUBSIDIARIES, _PRODUCTS = 3, 3
"""The most that a firm has; those after the second are there by chance."""
_SURE, _FURTHER_SHARE = 2, 0.4

_CITIES = tuple(city.name.removesuffix("市") for p in PROVINCES for city in p.cities if city.name.endswith("市"))
_PRODUCT_WORDS = pl.DataFrame(
    [(industry, which, product) for industry, trade in TRADES.items() for which, product in enumerate(trade.products)],
    schema={"industry_id": pl.Int64, "which": pl.Int64, "noun": pl.String},
    orient="row",
)
_NOUNS_AN_INDUSTRY = 5


def make_aliases(firms: pl.DataFrame, narrated: pl.DataFrame) -> pl.DataFrame:
    """Return the aliases: columns `firm`, `bmCode`, `alias`, `kind`, by code, kind and alias.

    Args:
        firms: All domestic firms, each of which has a short and an English name.
        narrated: Column `firm`: those with a narrative, which have subsidiaries and products too.
    """
    described = firms.join(narrated, on="firm", how="semi")
    given = [firms.select("firm", "code", alias=kind, kind=pl.lit(kind)) for kind in KINDS[:2]]
    tables = [*given, _subsidiaries(described), _products(described)]
    rank = pl.col("kind").replace_strict({kind: rank for rank, kind in enumerate(KINDS)})
    return pl.concat(tables).sort("code", rank, "alias").rename({"code": "bmCode"})


def _subsidiaries(firms: pl.DataFrame) -> pl.DataFrame:
    """Name subsidiaries after the brand, in other cities and trades."""
    words = tuple(WORDS["word"])
    place, trade = (_KEY.derive("subsidiary", what).draw("firm", "nth") for what in ("city", "word"))
    name = pl.concat_str(one_of(_CITIES, place), "brand", one_of(words, trade), pl.lit("有限公司"))
    return _distinct(_repeated(firms, _SUBSIDIARIES, "subsidiary").with_columns(alias=name), "subsidiary")


def _products(firms: pl.DataFrame) -> pl.DataFrame:
    """Name the first product after the brand and others after invented syllables in an order that brands never have."""
    nth = _repeated(firms, _PRODUCTS, "product")
    offset = (_KEY.derive("noun").draw("firm") + pl.col("nth")) % _NOUNS_AN_INDUSTRY
    syllables = [
        one_of(pool, _KEY.derive("product", str(at)).draw("firm", "nth")) for at, pool in enumerate((MIDDLE, FIRST))
    ]
    maker = pl.when(pl.col("nth") == 0).then("brand").otherwise(pl.concat_str(syllables))
    nouns = nth.with_columns(which=offset).join(_PRODUCT_WORDS, on=["industry_id", "which"])
    return _distinct(nouns.with_columns(alias=pl.concat_str(maker, "noun")), "product")


def _repeated(firms: pl.DataFrame, most: int, kind: str) -> pl.DataFrame:
    """Return each firm once or more often, numbered by `nth`."""
    numbers = pl.DataFrame({"nth": range(most)}, schema={"nth": pl.Int64})
    is_there = (pl.col("nth") < _SURE) | (_KEY.derive("further", kind).uniform("firm", "nth") < _FURTHER_SHARE)
    return firms.join(numbers, how="cross").filter(is_there)


def _distinct(named: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Keep each name once: the first firm's that has it. No firm loses its first, which carries its brand."""
    # First ones come first: they carry the brand, which no other firm has.
    kept = named.sort("nth", "firm").unique("alias", keep="first", maintain_order=True)
    return kept.select("firm", "code", "alias", kind=pl.lit(kind))
