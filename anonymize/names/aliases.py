"""Invented aliases of a firm, under its brand: short and English names, people, subsidiaries, products.

Inventing the firm's own name belongs to `firms.py`.
"""

from collections.abc import Iterator

from anonymize.names.providers import PseudonymousName
from anonymize.names.vocabulary import Lexicon, chinese, english
from pipeline.errors import InputError
from pipeline.keyed import Key

ALIAS_KINDS = ("short", "english", "chinese", "called", "person", "subsidiary", "product")
"""Kinds of alias under a firm's brand; a person is somebody who works for the firm."""

FORMER = "former"
"""Kind of alias for a former name. A former name that a table lists is invented like a name of its own, so that it does not
lead to the present one. A former name that a text states stands beside the present one anyway."""


def pseudonymous_alias(kind: str, name: PseudonymousName, industry: str, ordinal: int, key: Key) -> str:  # noqa: PLR0911
    """Return the invented form of one alias of a firm.

    Args:
        kind: one of `ALIAS_KINDS`.
        industry: the firm's industry, which makes its products plausible; any other text gives general products.
        ordinal: number of the subsidiary or product among the firm's, from 0; no two have the same name. A firm has one
            short and one English name, whatever the ordinal.
        key: the key of this purpose; the word for ordinal 0 is PRF(key, kind, brand).

    Raises:
        InputError: the kind is unknown.
    """
    lexicon = _lexicon(name)
    match kind:
        case "short":
            return name.short
        case "english" | "chinese":
            return name.english
        case "subsidiary":
            role = _numbered(lexicon.subsidiary_roles, ordinal, lexicon.gap, key.digest(kind, name.brand))
            return lexicon.gap.join((name.brand, role, lexicon.subsidiary_form))
        case "former":
            others = [
                word
                for word in (*lexicon.trade(industry).business, *lexicon.any_trade.business)
                if word not in name.legal
            ]
            trade = _numbered(tuple(others), ordinal, lexicon.gap, key.digest(kind, name.brand))
            return lexicon.gap.join((name.brand, trade, lexicon.subsidiary_form))
        case "called":
            return name.brand
        case "person":
            return _person(name, ordinal, key)
        case "product":
            noun = _numbered(lexicon.trade(industry).products, ordinal, lexicon.gap, key.digest(kind, name.brand))
            return lexicon.gap.join((name.brand, noun))
        case _:
            raise InputError.unknown("kind of alias", kind, (*ALIAS_KINDS, FORMER))


def alias_beginnings(name: PseudonymousName, industry: str) -> Iterator[str]:
    """Yield every beginning that names of the firm's subsidiaries and products can have: the brand and one word."""
    lexicon = _lexicon(name)
    for word in (*lexicon.subsidiary_roles, *lexicon.trade(industry).products):
        yield lexicon.gap.join((name.brand, word))


def _person(name: PseudonymousName, ordinal: int, key: Key) -> str:
    """Return the invented name of a person of the firm: surname and given name, from the syllables of brands."""
    stream = key.stream("person", name.brand, str(ordinal))
    if name.brand.isascii():
        first, last = (english.FIRST_SYLLABLES, english.LAST_SYLLABLES)
        return " ".join((stream.choice(first) + stream.choice(last)).capitalize() for _ in range(2))
    return "".join(stream.sample(tuple(chinese.SYLLABLES), 3))


def _lexicon(name: PseudonymousName) -> Lexicon:
    return english.LEXICON if name.brand.isascii() else chinese.LEXICON


def _numbered(words: tuple[str, ...], ordinal: int, gap: str, digest: bytes) -> str:
    """Return the word of an ordinal, counted from a keyed place; from the second round on, with the round's number."""
    lap, place = divmod(ordinal, len(words))
    word = words[(place + int.from_bytes(digest, "big")) % len(words)]
    return f"{word}{gap}{lap + 1}" if lap else word
