"""Replaces identities inside prose: names and aliases by their pseudonyms, mentions of codes by pseudonymous codes.

Finding what has been missed is not done here (`validation/escapes/`), nor is inventing what stands in the place.
"""

import re
from collections.abc import Mapping

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import SEPARATOR

_WORD = r"([\p{Latin}\p{Nd}]+)"
"""A run of Latin letters and digits: the scripts that set words apart; Chinese does not."""


def replace_identities(texts: pl.Series, replacements: Mapping[str, str]) -> pl.Series:
    """Replace every name of `replacements` in texts: in one pass, leftmost first, of several at a place the longest.

    What has been put in is not searched again. Case counts. A name that begins or ends in a Latin letter or a digit is
    found only where a word does, so `Gap` leaves `Gaps` and `Singapore` as they are. Nulls stay null.

    Raises:
        InputError: a name is empty.
    """
    if not replacements:
        return texts
    if "" in replacements:
        raise InputError("an identity to replace is empty; leave nulls and blanks out of the names and aliases")
    # Words are walled in on both sides, in texts and names alike, so that the automaton can match whole words only.
    names = sorted(replacements, key=lambda name: (-len(name), name))
    walled = _walled(pl.Series(names, dtype=pl.String)).to_list()
    found = _walled(texts).str.replace_many(walled, [replacements[name] for name in names], leftmost=True)
    return found.str.replace_all(SEPARATOR, "", literal=True)


def replace_codes(
    texts: pl.Series, codes: Mapping[str, str], *, pattern: str, own_codes: pl.Series | None = None
) -> pl.Series:
    """Replace every mention of a code in texts by its pseudonymous code. Nulls stay null.

    A mention in full (`000001.SZ`) becomes the pseudonym of that code. A bare one (`000001`, or with a suffix that no
    code has) becomes that of the row's own code if the digits are its own, else of the first code, sorted, with these
    digits; a number that belongs to no code stays.

    Args:
        texts: prose (String).
        codes: pseudonymous codes by raw code.
        pattern: regular expression (Python's `re`) of a mention; its first group is the code without its suffix.
        own_codes: each row's own raw code, null where it has none.

    Raises:
        InputError: the pattern is no regular expression or has no group.
    """
    mention = _compiled(pattern)
    by_digits: dict[str, str] = {}
    for code in sorted(codes):
        by_digits.setdefault(_bare(mention, code), codes[code])
    known = by_digits | dict(codes)
    own = [None] * len(texts) if own_codes is None else own_codes.to_list()
    replaced = [_replaced(text, code, mention, known, codes) for text, code in zip(texts.to_list(), own, strict=True)]
    return pl.Series(texts.name, replaced, dtype=pl.String)


def _walled(texts: pl.Series) -> pl.Series:
    return texts.str.replace_all(_WORD, f"{SEPARATOR}${{1}}{SEPARATOR}")


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        mention = re.compile(pattern)
    except re.error as error:
        raise InputError(
            f"the pattern of code mentions is no regular expression: {error}; found {pattern!r}"
        ) from error
    if not mention.groups:
        raise InputError(
            f"the pattern of code mentions has no group for the code without its suffix; found {pattern!r}"
        )
    return mention


def _bare(mention: re.Pattern[str], code: str) -> str:
    match = mention.fullmatch(code)
    return (match[1] if match else None) or code


def _replaced(
    text: str | None, own: str | None, mention: re.Pattern[str], known: Mapping[str, str], codes: Mapping[str, str]
) -> str | None:
    if text is None:
        return None
    own_digits = _bare(mention, own) if own else None

    def pseudonym(match: re.Match[str]) -> str:
        full, bare = match[0], match[1] or match[0]
        if full not in codes and own and bare == own_digits:
            return codes[own]
        return known.get(full) or known.get(bare) or full

    return mention.sub(pseudonym, text)
