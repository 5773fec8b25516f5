"""Pseudonymous codes: a code of the declared shape in place of each raw code, by keyed hash, no two equal.

Belongs here: the shapes, each a numbered space of codes, and the map from raw to pseudonymous code. A declaration chooses its
shape (`Entities.code_shape`). Replacing codes in prose belongs to `prose/replacing.py`, keeping the map to
`keys/identity_map.py`.
"""

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from anonymize.seats import seats
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import CodeShape, CodesLike
from pipeline.wording import exact_percent

HIGHEST_LOAD = 0.9
"""Largest share of the free codes that may be used (our choice): near 1 the number of attempts grows without bound."""


@dataclass(frozen=True, kw_only=True)
class CodeSpace:
    """All codes of one shape, numbered from 0 in their order."""

    shape: str
    """The shape in words."""
    places: tuple[str, ...]
    """The characters that may stand at each place, in ascending order."""

    @property
    def size(self) -> int:
        """Return how many codes there are."""
        return math.prod(len(characters) for characters in self.places)

    def code(self, number: int) -> str:
        """Return the code of a number, 0 <= number < size."""
        code = ""
        for characters in reversed(self.places):
            number, digit = divmod(number, len(characters))
            code = characters[digit] + code
        return code

    def number(self, code: str) -> int:
        """Return the number of a code of this space."""
        number = 0
        for character, characters in zip(code, self.places, strict=True):
            number = number * len(characters) + characters.index(character)
        return number

    def __contains__(self, code: str) -> bool:
        return len(code) == len(self.places) and all(c in place for c, place in zip(code, self.places, strict=True))

    def written(self, bare: str) -> str:
        """Return bare letters and digits with the zeros, signs and small letters of a code; a text that is too long stays."""
        free = [place for place in self.places if len(place) > 1]
        # Zeros lost at the front of the last digits are put back, as in 1 for 000001.
        padded = re.sub(r"\d*$", lambda digits: digits[0].rjust(len(free) - digits.start(), "0"), bare, count=1)
        characters = iter(padded)
        code = "".join(_in_case_of(place, next(characters)) if len(place) > 1 else place for place in self.places)
        return code + padded[len(free) :]


def _in_case_of(place: str, character: str) -> str:
    return character.lower() if place.islower() else character


_DIGITS = "0123456789"
_CONSONANTS = "BCDFGHJKLMNPRSTVWXZ"

SIX_DIGITS = CodeSpace(shape="six digits", places=(_DIGITS[1:], *[_DIGITS] * 5))
"""100000 to 999999: what the DataClaw release publishes."""

FIVE_LETTERS = CodeSpace(shape="five letters", places=(*[_CONSONANTS] * 4, "CDGHJSTV"))
"""`KRBTD`: the shape of a ticker, of nobody as far as one can know. Without vowels no code is a word.

A listed company has one to four letters as a rule; a fifth says what the security is (Nasdaq's "Fifth Character Symbol
Suffixes"). The last place leaves out those in use: classes and preferred shares (A, B, K to P), bankruptcy (Q), rights (R),
units (U), warrants (W), funds (X), foreign shares (F, Y) and other issues (Z).
"""

_SPACES = {space.shape: space for space in (SIX_DIGITS, FIVE_LETTERS)}


def code_space(shape: CodeShape) -> CodeSpace:
    """Return the codes of a declared shape.

    Raises:
        InputError: the shape is unknown, or the example has neither letters nor digits, or letters other than Latin ones.
    """
    if isinstance(shape, CodesLike):
        return _space_like(shape.example)
    if shape not in _SPACES:
        raise InputError.unknown("shape of codes", shape, _SPACES)
    return _SPACES[shape]


def _space_like(example: str) -> CodeSpace:
    """Return the codes like an example. Without vowels no code is a word. The first digit is 0 only if the example's is."""
    if not example.isascii() or not any(map(str.isalnum, example)):
        raise InputError(f"an example of a code needs Latin letters or digits, and no others; found {example!r}")
    places = tuple(map(_characters_like, example))
    # A leading zero gets lost in spreadsheets, so codes have one only if the example has.
    if example[0] in _DIGITS[1:]:
        places = (_DIGITS[1:], *places[1:])
    return CodeSpace(shape=f"the shape of {example!r}", places=places)


def _characters_like(character: str) -> str:
    if character.isdecimal():
        return _DIGITS
    if not character.isalpha():
        return character
    return _CONSONANTS if character.isupper() else _CONSONANTS.lower()


def pseudonymous_codes(
    codes: Iterable[str],
    key: Key,
    *,
    avoid: Iterable[str],
    avoid_whole: Iterable[str] = (),
    avoid_words: Iterable[str] = (),
    space: CodeSpace = SIX_DIGITS,
) -> dict[str, str]:
    """Give each distinct code a pseudonymous code of the space; two codes never share one.

    The result does not depend on the order of `codes` (`seats.py`). With n codes each added code changes about n / (2 x
    size) of the others (one of 6,895 codes for 260 added ones, with six digits).

    Args:
        codes: raw codes, in any order, duplicates allowed.
        key: the key of this purpose.
        avoid: raw codes that no pseudonym may equal, whole or one of their runs of digits or letters, bare or padded with
            zeros, whatever their case and signs (`000001.SZ`, `830799`, `brkhs.b`).
        avoid_whole: raw codes of other kinds of entities, and other identifiers, which no pseudonym may equal as a whole.
        avoid_words: names, which no run of letters of a pseudonym may be.
        space: the codes that are given out.

    Returns:
        Pseudonyms by raw code, sorted by raw code.

    Raises:
        InputError: there are more codes than `HIGHEST_LOAD` of the pseudonyms that remain.
    """
    forbidden = forbidden_numbers(list(avoid), avoid_whole, space, avoid_words=avoid_words)
    return codes_given_out(codes, key, forbidden=forbidden, space=space)


@dataclass(frozen=True, kw_only=True)
class Forbidden:
    """The numbers of codes that are not given out: a search for originals would find them."""

    numbers: frozenset[int]
    runs: frozenset[str]
    """Runs of digits and of letters in raw codes: where all of a code's are among them, it is one in another order."""
    words: frozenset[str]
    """Names of few letters, which no run of letters is."""
    space: CodeSpace

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int) or number in self.numbers:
            return True
        runs = [run.lstrip("0") for run in _runs(self.space.code(number))]
        return not self.words.isdisjoint(runs) or (len(runs) > 1 and self.runs.issuperset(runs))


def codes_given_out(codes: Iterable[str], key: Key, *, forbidden: Forbidden, space: CodeSpace) -> dict[str, str]:
    """Give out codes as `pseudonymous_codes` does, whose forbidden numbers are known: they are the same under every key."""
    wanting = sorted(set(codes))
    _refuse_overload(len(wanting), space.size - len(forbidden), space)
    numbers = seats(wanting, key, size=space.size, forbidden=forbidden)
    return {code: space.code(numbers[code]) for code in wanting}


def forbidden_numbers(
    avoid: Collection[str], avoid_whole: Iterable[str], space: CodeSpace, *, avoid_words: Iterable[str] = ()
) -> Forbidden:
    """Return the numbers of the codes that `pseudonymous_codes` avoids."""
    # A pseudonym may not be a run within a raw code either, since prose writes codes without their suffix.
    runs = [run for code in avoid for run in _runs(code)]
    return Forbidden(
        numbers=_numbers([*runs, *map(_bare, avoid), *map(_bare, avoid_whole)], space),
        runs=frozenset(run.lstrip("0") for run in runs),
        words=frozenset(word for word in map(_bare, avoid_words) if 1 < len(word) <= len(space.places)),
        space=space,
    )


def _numbers(bare: Iterable[str], space: CodeSpace) -> frozenset[int]:
    """Return the numbers of the codes in the space that have these letters and digits."""
    return frozenset(
        space.number(code) for code in map(space.written, {run.lstrip("0") for run in bare}) if code in space
    )


def _runs(code: str) -> list[str]:
    return re.findall("[0-9]+|[A-Z]+", code.upper())


def _bare(code: str) -> str:
    return re.sub("[^0-9A-Z]+", "", code.upper())


def _refuse_overload(wanted: int, free: int, space: CodeSpace) -> None:
    if wanted > HIGHEST_LOAD * free:
        raise InputError(
            f"{wanted:,} codes want a pseudonym, and of {free:,} free codes of {space.shape} at most "
            f"{exact_percent(HIGHEST_LOAD)} are given out; declare longer codes, or split the tables into environments "
            "of fewer entities"
        )
