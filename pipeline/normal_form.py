"""The normal form of a text: its letters and digits alone, in one width, one case and one script, without accents.

Each character has a normal form (often an empty one); the normal form of a text joins those of its characters. So a token
occurs in a text, in whatever way both are written, exactly where its normal form occurs in the text's normal form. Which
tokens are searched for belongs to `anonymize/mentions/forms.py`.

Width and compatibility: Unicode's NFKD (UAX #15). Case: Unicode's full case folding. Script: OpenCC's tables of characters,
from Hong Kong's, Taiwan's and other traditional forms to simplified ones.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import opencc
import polars as pl

_SCRIPTS = ("hk2s", "tw2s", "t2s")
"""OpenCC's conversions. The first two map a few forms that the last one lacks."""

_ASCII = bytes(range(128))

CODE_POINTS = 0x110000
"""How many there are."""

_UNSEEN = {"Mn", "Me", "Cf"}
"""Unicode categories of characters that cannot be seen: combining and enclosing marks, format characters."""


def normal_form(texts: pl.Series) -> pl.Series:
    """Return the normal forms of texts (String, no nulls)."""
    return _replaced(texts, letters)


def spread(text: str, *, keeps_case: bool = False) -> str:
    """Return a text whose words are in normal form; all between the words stays, except for invisible characters."""
    return text.translate(_CASED if keeps_case else _SMALL)


def spread_forms(texts: Sequence[str]) -> list[str]:
    """Return texts as `spread` gives them in their own case, many at once."""
    return _replaced(pl.Series(texts, dtype=pl.String), _cased_or_between).to_list()


def spread_places(text: str, *, keeps_case: bool = False) -> list[int]:
    """Return, for each character of `spread(text)`, its position in the text."""
    sizes = {character: len(spread(character, keeps_case=keeps_case)) for character in set(text)}
    return [place for place, character in enumerate(text) for _ in range(sizes[character])]


def letters_of(text: str) -> str:
    """Return the normal form of one text."""
    return text.translate(_LETTERS)


@cache
def letters(character: str) -> str:
    """Return the normal form of one character."""
    return _seen(unicodedata.normalize("NFKD", cased_letters(character).casefold()))


@cache
def cased_letters(character: str) -> str:
    """Return the normal form of one character in its own case."""
    return "".join(map(_simplified, _seen(unicodedata.normalize("NFKD", character))))


def _replaced(texts: pl.Series, normal: Callable[[str], str]) -> pl.Series:
    """Return texts with each character replaced by its normal form."""
    changed = {character: form for character in _characters(texts) if (form := normal(character)) != character}
    return texts.str.replace_many(list(changed), list(changed.values())) if changed else texts


def _characters(texts: pl.Series) -> Iterator[str]:
    """Return every distinct character of texts, and all of ASCII: sets and counts of millions of characters are slow."""
    others = texts.str.join().cast(pl.Binary).item().translate(None, delete=_ASCII).decode()
    return map(chr, (*_ASCII, *used(np.frombuffer(others.encode("utf-32-le"), dtype=np.uint32))))


def used(code_points: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """Return the distinct code points, sorted."""
    is_used = np.zeros(CODE_POINTS, dtype=np.bool_)
    is_used[code_points] = True
    return np.flatnonzero(is_used)


def _seen(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


@cache
def is_seen(character: str) -> bool:
    """Return whether a character is no mark and no format character (zero width)."""
    return unicodedata.category(character) not in _UNSEEN


def _between(character: str) -> str:
    """Return a character that is neither letter nor digit in its usual width; nothing if it cannot be seen."""
    return unicodedata.normalize("NFKC", character) if is_seen(character) else ""


def _cased_or_between(character: str) -> str:
    return cased_letters(character) or _between(character)


@cache
def _simplified(character: str) -> str:
    # The regional tables first: they know forms that the general one would leave.
    for conversion in _SCRIPTS:
        character = _converter(conversion).convert(character)
    return character


@cache
def _converter(conversion: str) -> opencc.OpenCC:
    return opencc.OpenCC(conversion)


class _Table(dict[int, str]):
    """A table for `str.translate` that computes an entry when it is first needed."""

    def __init__(self, normal: Callable[[str], str]) -> None:
        super().__init__()
        self._normal = normal

    def __missing__(self, code_point: int) -> str:
        self[code_point] = self._normal(chr(code_point))
        return self[code_point]


_LETTERS = _Table(letters)
_SMALL = _Table(lambda character: letters(character) or _between(character))
_CASED = _Table(_cased_or_between)
