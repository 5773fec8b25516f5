"""Detects invented names that collide with names to avoid. Inventing other names belongs to `firms.py`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from anonymize.names.legal_forms import ENGLISH_FORMS

WHOLE_WORD_BELOW = 4
"""Latin names shorter than this count only as whole words (our choice): else `GE` would rule out every `Gero`."""

_BEGINNING = 3
"""How many characters are compared first: most brands hold no such piece of an avoided name."""

_FORMS, _ANY_FORM = rf"(?: (?:{'|'.join(ENGLISH_FORMS)}))+ $", " ¤ "
"""Legal forms at the end of a name, and what stands for all of them: the search takes one for another."""


@dataclass(frozen=True)
class NameForms:
    """An invented name of one firm, in the forms that may be published. Each text begins with the brand."""

    code: str
    brand: str
    texts: Sequence[str]


def bare(names: Collection[str]) -> pl.Series:
    """Return names without case, width and punctuation, each once and none that is empty then."""
    avoided = pl.DataFrame({"name": list(names)}, schema={"name": pl.String}).select(_bare("name")).unique().to_series()
    return avoided.filter(avoided.str.strip_chars() != "")


def colliding(candidates: Collection[NameForms], avoided: pl.Series) -> set[str]:
    """Return the codes of the candidates that collide with a name to avoid, of those that `bare` gives.

    A candidate collides when an avoided name begins within its brand, or its brand stands in an avoided name. After the brand,
    an avoided name of one word is an ordinary word of the trade (`软件`) from our own table, and does not count; a name of
    several words (`Partners Group`) counts there, too, whatever its legal form and without an article. All candidates
    and avoided names are searched at once, by automata.
    """
    rows = [(candidate.code, candidate.brand, len(candidate.texts)) for candidate in candidates]
    schema = {"code": pl.String, "brand": pl.String, "texts": pl.Int64}
    brands = pl.DataFrame(rows, schema=schema, orient="row").with_columns(_bare("brand"))
    texts = pl.Series("text", [text for candidate in candidates for text in candidate.texts], dtype=pl.String)
    frame = brands[np.repeat(np.arange(len(brands)), brands["texts"])].with_columns(texts).with_columns(_bare("text"))
    likely = _likely(avoided, frame, brands["brand"].unique())
    collides = _begins_in_brand(likely) | _holds_words(avoided) | _brand_within(brands["brand"], avoided)
    return set(frame.filter(collides)["code"])


def _bare(column: str) -> pl.Expr:
    """Return names in lower case; each run of other characters than letters and digits, and each end, is one blank."""
    lower = pl.col(column).str.normalize("NFKC").str.to_lowercase()
    return pl.concat_str(pl.lit(" "), lower, pl.lit(" ")).str.replace_all(r"[^\p{L}\p{N}]+", " ").alias(column)


def _likely(avoided: pl.Series, frame: pl.DataFrame, brands: pl.Series) -> list[str]:
    """Return what is looked for of the avoided names that may begin in a brand: all that are short, or begin as it goes on.

    They are few, and what takes time is making an automaton.
    """
    words = avoided.str.strip_chars()
    is_long = (words.str.len_chars() >= WHOLE_WORD_BELOW) | (
        words.str.contains(r"\p{Han}") & (words.str.len_chars() > 1)
    )
    patterns = pl.select(pl.when(is_long).then(words).otherwise(avoided)).to_series()
    length = pl.col("brand").str.len_chars().cast(pl.Int64)
    # The brand ends with a blank that the text need not have: what begins with its last two letters is read in the text.
    across = [frame.select(pl.col("text").str.slice(length - back, _BEGINNING)).to_series() for back in (3, 2)]
    within = [brands.str.slice(at, _BEGINNING) for at in range(max(brands.str.len_chars(), default=0))]
    beginnings = pl.concat([each.unique() for each in (*across, *within)]).unique()
    is_likely = (patterns.str.len_chars() < _BEGINNING) | patterns.str.head(_BEGINNING).is_in(beginnings.implode())
    return patterns.filter(is_likely).to_list()


def _begins_in_brand(patterns: list[str]) -> pl.Expr:
    # Text and brand begin with the same blank, so that an offset before the brand's final blank lies within the brand.
    first = pl.col("text").str.find_many(_patterns(patterns), overlapping=True).list.min()
    return (first < pl.col("brand").str.len_bytes() - 1).fill_null(False)


def _holds_words(avoided: pl.Series) -> pl.Expr:
    # Blanks around both sides make these matches of whole words.
    several = pl.select(_with_any_form(pl.lit(avoided).str.replace("^ the ", " "))).to_series()
    several = several.filter(several.str.strip_chars().str.contains(" ")).unique().sort()
    return _with_any_form(pl.col("text")).str.contains_any(_patterns(several.to_list()))


def _with_any_form(names: pl.Expr) -> pl.Expr:
    return names.str.replace(_FORMS, _ANY_FORM)


def _brand_within(brands: pl.Series, avoided: pl.Series) -> pl.Expr:
    patterns = brands.str.strip_chars().unique().sort().to_list()
    found = pl.select(pl.lit(avoided).str.extract_many(_patterns(patterns), overlapping=True)).to_series()
    return pl.col("brand").str.strip_chars().is_in(found.explode().unique().implode())


def _patterns(patterns: list[str]) -> pl.Expr:
    return pl.lit(pl.Series([patterns], dtype=pl.List(pl.String)))
