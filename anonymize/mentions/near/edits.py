"""Which words are one edit apart: a letter left out, put in, replaced, or swapped with its neighbour; or look alike.

That is distance 1 of optimal string alignment (restricted Damerau-Levenshtein). Words without one of their letters are
compared, as SymSpell does, so that each word is looked up once. What words stand for belongs elsewhere.
"""

import polars as pl

LIKENESSES = {"rn": "m", "vv": "w", "cl": "d", "0": "o", "1": "l", "i": "l", "5": "s"}
"""What is read for something else where a text is scanned, or typed by whoever reads it (our choice)."""


def near_pairs(words: pl.Series, known: pl.Series) -> list[tuple[str, str]]:
    """Return each word (String, no nulls) with each known one that is one edit from it or looks like it, sorted."""
    pairs = _keys(words).join(_keys(known), on="key", suffix="_known").select("word", "word_known").unique()
    every = pairs.collect().sort(pl.all()).iter_rows()
    return [
        (word, other)
        for word, other in every
        if word != other and (is_one_edit(word, other) or _look_alike(word, other))
    ]


def is_one_edit(word: str, other: str) -> bool:
    """Say whether one edit makes one of a word the other; none makes it of itself."""
    at = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    a, b = word[at:], other[at:]
    is_swapped = a[:2] == b[1::-1] and len(a) > 1 and a[2:] == b[2:]
    return a != b and (a[1:] == b or a == b[1:] or a[1:] == b[1:] or is_swapped)


def _look_alike(word: str, other: str) -> bool:
    return _seen_as(word) == _seen_as(other)


def _seen_as(word: str) -> str:
    for written, read in LIKENESSES.items():
        word = word.replace(written, read)
    return word


def _keys(words: pl.Series) -> pl.LazyFrame:
    """Return `word, key`: words with each letter left out in turn, with none left out, and as they may be read."""
    frame = words.unique().alias("word").to_frame().lazy()
    without = frame.with_columns(at=pl.int_ranges(pl.col("word").str.len_chars() + 1)).explode("at")
    seen_as = pl.col("word")
    for written, read in LIKENESSES.items():
        seen_as = seen_as.str.replace_all(written, read, literal=True)
    key = pl.col("word").str.slice(0, pl.col("at")) + pl.col("word").str.slice(pl.col("at") + 1)
    return pl.concat([without.select("word", key=key), frame.select("word", key="=" + seen_as)])
