"""Detects invented names that collide with names to avoid. Inventing other names belongs to `firms.py`."""

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

WHOLE_WORD_BELOW = 4
"""Latin names shorter than this count only as whole words (our choice): else `GE` would rule out every `Gero`."""


@dataclass(frozen=True)
class Candidate:
    """An invented name of one firm, in one form that may be published. The text begins with the brand."""

    code: str
    brand: str
    text: str


def colliding(candidates: Collection[Candidate], avoid: Collection[str]) -> set[str]:
    """Return the codes of the candidates that collide with an avoided name, without case, width and punctuation.

    A candidate collides when an avoided name begins within its brand, or its brand stands in an avoided name. After the brand,
    an avoided name of one word is an ordinary word of the trade (`软件`) from our own table, and does not count; a name of
    several words (`Partners Group`) counts there, too. All candidates and avoided names are searched at once, by automata.
    """
    frame = pl.DataFrame(
        {
            "code": [candidate.code for candidate in candidates],
            "brand": _bare(pl.Series([candidate.brand for candidate in candidates], dtype=pl.String)),
            "text": _bare(pl.Series([candidate.text for candidate in candidates], dtype=pl.String)),
        }
    )
    avoided = _bare(pl.Series(sorted(avoid), dtype=pl.String)).unique().sort()
    avoided = avoided.filter(avoided.str.strip_chars() != "")
    collides = _begins_in_brand(avoided) | _holds_words(avoided) | _brand_within(frame["brand"], avoided)
    return set(frame.filter(collides)["code"])


def _bare(names: pl.Series) -> pl.Series:
    """Return names in lower case; each run of other characters than letters and digits, and each end, is one blank."""
    lower = names.str.normalize("NFKC").str.to_lowercase()
    return (" " + lower + " ").str.replace_all(r"[^\p{L}\p{N}]+", " ")


def _begins_in_brand(avoided: pl.Series) -> pl.Expr:
    words = avoided.str.strip_chars()
    is_long = (words.str.len_chars() >= WHOLE_WORD_BELOW) | (
        words.str.contains(r"\p{Han}") & (words.str.len_chars() > 1)
    )
    patterns = pl.select(pl.when(is_long).then(words).otherwise(avoided)).to_series().to_list()
    # Text and brand begin with the same blank, so that an offset before the brand's final blank lies within the brand.
    first = pl.col("text").str.find_many(_patterns(patterns), overlapping=True).list.min()
    return (first < pl.col("brand").str.len_bytes() - 1).fill_null(False)


def _holds_words(avoided: pl.Series) -> pl.Expr:
    # Blanks around both sides make these matches of whole words.
    several = avoided.filter(avoided.str.strip_chars().str.contains(" "))
    return pl.col("text").str.contains_any(_patterns(several.to_list()))


def _brand_within(brands: pl.Series, avoided: pl.Series) -> pl.Expr:
    patterns = brands.str.strip_chars().unique().sort().to_list()
    found = pl.select(pl.lit(avoided).str.extract_many(_patterns(patterns), overlapping=True)).to_series()
    return pl.col("brand").str.strip_chars().is_in(found.explode().unique().implode())


def _patterns(patterns: list[str]) -> pl.Expr:
    return pl.lit(pl.Series([patterns], dtype=pl.List(pl.String)))
