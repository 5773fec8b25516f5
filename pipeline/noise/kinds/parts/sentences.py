"""Places in a text: its sentences, and the first spot after a drawn place. What is put or lost there belongs to the kinds."""

import polars as pl

_SENTENCE = r"(?s).+?(?:[。！？]+[”’）】]*|[.!?]+[\"')]*(?:\s+|$)|$)"
"""Up to a full stop of Chinese, or one of English that a blank follows (with that blank), or the end."""


def sentences(text: pl.Expr) -> pl.Expr:
    """Return the text cut after each sentence, as a list that joins to the text again."""
    return text.str.extract_all(_SENTENCE)


def first_sentence(text: pl.Expr) -> pl.Expr:
    """Return the text up to the end of its first sentence, blanks after it included."""
    return text.str.extract(f"^({_SENTENCE})", 1)


def inserted(text: pl.Expr, uniform: pl.Expr, sentence: pl.Expr, *, is_whole: bool = False) -> pl.Expr:
    """Return the text with a sentence put after one of its own, each alike.

    Unless the text is known to be whole, not after the last but if it is the only one: what follows the last full stop may be
    the end of a page, not of a sentence.
    """
    own = sentences(text)
    number = (uniform * (own.list.len().cast(pl.Int64) - (not is_whole)).clip(1)).cast(pl.Int64) + 1
    return pl.concat_str(own.list.head(number).list.join(""), sentence, own.list.slice(number).list.join(""))


def replaced_after(text: pl.Expr, uniform: pl.Expr, pattern: str, replacement: str) -> pl.Expr:
    """Return the text with one match of a pattern replaced: the first after a drawn place, of all if there is none.

    Args:
        text: The text; without a match it comes back as it is.
        uniform: The place as a share of the text's characters, on [0, 1).
        replacement: What the match becomes; `$1` is its first group.
    """
    place = (uniform * text.str.len_chars()).cast(pl.Int64)
    head, tail = text.str.slice(0, place), text.str.slice(place)
    after_place = head + tail.str.replace(pattern, replacement)
    return pl.when(tail.str.contains(pattern)).then(after_place).otherwise(text.str.replace(pattern, replacement))


def picked(uniform: pl.Expr, texts: tuple[str, ...]) -> pl.Expr:
    """Return the text that a uniform draw on [0, 1) picks, each alike."""
    rank = (uniform * len(texts)).cast(pl.Int64)
    return rank.replace_strict(dict(enumerate(texts)), return_dtype=pl.String)


def counted(uniform: pl.Expr, most: int) -> pl.Expr:
    """Return the number from 1 to `most` (Int64) that a uniform draw on [0, 1) picks, each alike."""
    return (uniform * most).cast(pl.Int64) + 1
