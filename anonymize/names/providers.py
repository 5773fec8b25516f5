"""Faker providers of invented names, one a language, of companies (the brand by number, trade and legal form drawn) and people.

They work in any `faker.Generator`; here its `random` is a keyed stream. Uniqueness and raw names are not known here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import contains
from typing import ClassVar, Literal, TypeAlias

from faker.providers import BaseProvider
from faker.providers.person.en_US import Provider as AmericanNames
from faker.providers.person.zh_CN import Provider as ChineseNames

from anonymize.names.vocabulary import chinese, english

Language: TypeAlias = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class PseudonymousName:
    """One entity's invented name in all its forms. Those of a firm begin with `brand`, except a Chinese firm's `english`."""

    legal: str
    """The full name."""
    short: str
    """Brand and trade without the legal form, as prose writes it; of a person initial and family name (`C. Boone`)."""
    english: str
    brand: str
    """The brand; of a person the full name."""


class ChineseCompanyProvider(BaseProvider):
    """Chinese companies: `泽宇恒软件股份有限公司`, in English `Ze Yu Heng Software Co., Ltd.`."""

    brand_count = len(chinese.SYLLABLES) ** 3
    """How many brands there are; no two have the same pinyin."""

    def company_of_brand(self, number: int, industry: str) -> PseudonymousName:
        """Return a company of the trade with the brand of that number, 0 <= number < brand_count."""
        characters = self._characters(number)
        # All syllables come from the number alone: the generator may decide the trade and form, never the brand.
        brand = "".join(characters)
        pinyin = " ".join(chinese.SYLLABLES[character].capitalize() for character in characters)
        trade, translation = self.random_element(tuple(chinese.LEXICON.trade(industry).business.items()))
        form: str = self.random_element(chinese.LEXICON.legal_forms)
        return PseudonymousName(
            legal=f"{brand}{trade}{form}",
            short=f"{brand}{trade}",
            english=f"{pinyin} {translation} {chinese.LEGAL_FORMS_IN_ENGLISH[form]}",
            brand=brand,
        )

    def _characters(self, number: int) -> tuple[str, str, str]:
        pool = tuple(chinese.SYLLABLES)
        number, last = divmod(number, len(pool))
        first, middle = divmod(number, len(pool))
        return pool[first], pool[middle], pool[last]


class EnglishCompanyProvider(BaseProvider):
    """English companies: `Brevanor Software Inc.`."""

    brand_count = len(english.FIRST_SYLLABLES) * len(english.MIDDLE_SYLLABLES) * len(english.LAST_SYLLABLES)
    """How many brands there are."""

    def company_of_brand(self, number: int, industry: str) -> PseudonymousName:
        """Return a company of the trade with the brand of that number, 0 <= number < brand_count."""
        number, last = divmod(number, len(english.LAST_SYLLABLES))
        first, middle = divmod(number, len(english.MIDDLE_SYLLABLES))
        syllables = english.FIRST_SYLLABLES[first], english.MIDDLE_SYLLABLES[middle], english.LAST_SYLLABLES[last]
        brand = "".join(syllables).capitalize()
        short = f"{brand} {self.random_element(tuple(english.LEXICON.trade(industry).business))}"
        legal = f"{short} {self.random_element(english.LEXICON.legal_forms)}"
        return PseudonymousName(legal=legal, short=short, english=legal, brand=brand)


class ChinesePersonProvider(BaseProvider):
    """Chinese people: `顾明哲`, in English `Gu Mingzhe`. A family name, and two of the characters of brands."""

    _families = tuple(name for name in ChineseNames.last_names if len(name) == 1)
    _given = tuple(chinese.SYLLABLES)
    person_count = len(_families) * len(_given) ** 2
    """How many names there are."""

    def person_of_number(self, number: int) -> PseudonymousName:
        """Return the person of a number, 0 <= number < person_count."""
        from pypinyin import lazy_pinyin  # noqa: PLC0415  (its tables take 0.4 s to load)

        number, last = divmod(number, len(self._given))
        family, first = divmod(number, len(self._given))
        given = self._given[first] + self._given[last]
        name = self._families[family] + given
        pinyin = "".join(chinese.SYLLABLES[character] for character in given).capitalize()
        english = f"{lazy_pinyin(self._families[family])[0].capitalize()} {pinyin}"
        return PseudonymousName(legal=name, short=name, english=english, brand=name)

    def numbers_of(self, name: str) -> Iterator[int]:
        """Yield the number of a name, without regard to blanks; nothing if it is none of these."""
        characters, number = tuple("".join(name.split())), 0
        pools = (self._families, self._given, self._given)
        if len(characters) == len(pools) and all(map(contains, pools, characters)):
            for character, pool in zip(characters, pools, strict=True):
                number = number * len(pool) + pool.index(character)
            yield number


class EnglishPersonProvider(BaseProvider):
    """People with English names: `Carla Boone`. Both parts are among the commonest in the United States."""

    _given = tuple(AmericanNames.first_names)
    _families = tuple(AmericanNames.last_names)
    _given_at: ClassVar = {name.casefold(): place for place, name in enumerate(_given)}
    _family_at: ClassVar = {name.casefold(): place for place, name in enumerate(_families)}
    person_count = len(_given) * len(_families)
    """How many names there are."""
    given_count, family_count = len(_given), len(_families)

    def person_of_number(self, number: int) -> PseudonymousName:
        """Return the person of a number, 0 <= number < person_count."""
        first, last = divmod(number, len(self._families))
        given, family = self._given[first], self._families[last]
        name = f"{given} {family}"
        return PseudonymousName(legal=name, short=f"{given[0]}. {family}", english=name, brand=name)

    def parts_in(self, names: Iterable[str]) -> tuple[tuple[frozenset[int], int], tuple[frozenset[int], int]]:
        """Return the places of given names that are a word of a name, and of how many they are; the same of family names."""
        words = {word for name in names for word in re.findall(r"[\w'-]+", name.casefold())}
        given, family = (frozenset(at[word] for word in words & at.keys()) for at in (self._given_at, self._family_at))
        return (given, self.given_count), (family, self.family_count)

    def numbers_of(self, name: str) -> Iterator[int]:
        """Yield the numbers of a name, in either order of its parts and with anything between them."""
        parts = re.findall(r"[\w'-]+", name.casefold())
        for given, family in (parts[:1] + parts[-1:], parts[-1:] + parts[:1]) if parts else ():
            if given in self._given_at and family in self._family_at:
                yield self._given_at[given] * len(self._families) + self._family_at[family]
