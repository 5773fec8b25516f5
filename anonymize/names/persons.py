"""Invents the names of people: a given name and a family name, no two the same, and none of a person in the originals.

The names themselves belong to the providers; `firms.py` names firms.
"""

from collections.abc import Collection
from dataclasses import dataclass

from faker import Generator

from anonymize.codes import HIGHEST_LOAD
from anonymize.names.providers import ChinesePersonProvider, EnglishPersonProvider, Language, PseudonymousName
from anonymize.seats import seats
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.wording import exact_percent


def pseudonymous_persons(
    codes: Collection[str], key: Key, *, language: Language, avoid: Collection[str]
) -> dict[str, PseudonymousName]:
    """Invent one name for each person, by keyed hash of the pseudonymous code (`anonymize/seats.py`).

    Args:
        codes: pseudonymous codes.
        key: the key of this purpose.
        avoid: names that no invented one may equal, in any case and order; nor is a part of it a
            part of one in English, as long as most of the parts are nobody's.

    Returns:
        Names by pseudonymous code, in the order of the codes.

    Raises:
        InputError: there are more people than names.
    """
    provider = (ChinesePersonProvider if language == "zh" else EnglishPersonProvider)(Generator())
    whole = frozenset(number for name in avoid for number in provider.numbers_of(name))
    forbidden, free = _Forbidden(whole), float(provider.person_count - len(whole))
    if isinstance(provider, EnglishPersonProvider):
        given, family = (part if 2 * len(part) <= count else frozenset() for part, count in provider.parts_in(avoid))
        forbidden = _Forbidden(whole, given, family, provider.family_count)
        free *= (1 - len(given) / provider.given_count) * (1 - len(family) / provider.family_count)
    if len(codes) > HIGHEST_LOAD * free:
        raise InputError(
            f"{len(codes):,} people want a name, and of {free:,.0f} that can be invented at most "
            f"{exact_percent(HIGHEST_LOAD)} are; leave their names out (`Entities.name`), and they have codes alone"
        )
    numbers = seats(codes, key, size=provider.person_count, forbidden=forbidden)
    return {code: provider.person_of_number(numbers[code]) for code in sorted(codes)}


@dataclass(frozen=True)
class _Forbidden:
    """Numbers of names that nobody may get: single ones, and all of some given and family names."""

    numbers: Collection[int]
    given: Collection[int] = ()
    family: Collection[int] = ()
    family_count: int = 1

    def __contains__(self, number: object) -> bool:
        given, family = divmod(number, self.family_count) if isinstance(number, int) else (0, 0)
        return number in self.numbers or given in self.given or family in self.family
