"""Invents the names of people: a given name and a family name, no two the same, and none of a person in the originals.

The names themselves belong to the providers; `firms.py` names firms.
"""

from collections.abc import Collection

from faker import Generator

from anonymize.codes import HIGHEST_LOAD
from anonymize.names.providers import ChinesePersonProvider, EnglishPersonProvider, Language, PseudonymousName
from anonymize.seats import seats
from pipeline.errors import InputError
from pipeline.keyed import Key


def pseudonymous_persons(
    codes: Collection[str], key: Key, *, language: Language, avoid: Collection[str]
) -> dict[str, PseudonymousName]:
    """Invent one name for each person, by keyed hash of the pseudonymous code (`anonymize/seats.py`).

    Args:
        codes: pseudonymous codes.
        key: the key of this purpose.
        language: language of the names.
        avoid: names that no invented one may equal, in any case and order.

    Returns:
        Names by pseudonymous code, in the order of the codes.

    Raises:
        InputError: there are more people than names.
    """
    provider = (ChinesePersonProvider if language == "zh" else EnglishPersonProvider)(Generator())
    forbidden = {number for name in avoid for number in provider.numbers_of(name)}
    free = provider.person_count - len(forbidden)
    if len(codes) > HIGHEST_LOAD * free:
        raise InputError(
            f"{len(codes):,} people want a name, and of {free:,} that can be invented at most {HIGHEST_LOAD:.0%} are; leave "
            "their names out (`Entities.name`), and they have codes alone"
        )
    numbers = seats(codes, key, size=provider.person_count, forbidden=forbidden)
    return {code: provider.person_of_number(numbers[code]) for code in sorted(codes)}
