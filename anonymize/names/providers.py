"""Faker providers of invented companies, one a language: brands by number, trade and legal form by chance.

They work in any `faker.Generator`; here its `random` is a keyed stream. Uniqueness and raw names are not known here.
"""

from dataclasses import dataclass

from faker.providers import BaseProvider

from anonymize.names.vocabulary import chinese, english


@dataclass(frozen=True)
class PseudonymousName:
    """One firm's invented name in all its forms; every form but `english` of a Chinese name begins with `brand`."""

    legal: str
    short: str
    """Brand and trade, without the legal form: what prose says."""
    english: str
    brand: str


class ChineseCompanyProvider(BaseProvider):
    """Chinese companies: `泽宇恒软件股份有限公司`, in English `Ze Yu Heng Software Co., Ltd.`."""

    brand_count = len(chinese.SYLLABLES) ** 3
    """How many brands there are; no two have the same pinyin."""

    def company_of_brand(self, number: int, industry: str) -> PseudonymousName:
        """Return a company of the trade whose brand is the one of that number, 0 <= number < brand_count."""
        characters = self._characters(number)
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
        """Return a company of the trade whose brand is the one of that number, 0 <= number < brand_count."""
        number, last = divmod(number, len(english.LAST_SYLLABLES))
        first, middle = divmod(number, len(english.MIDDLE_SYLLABLES))
        syllables = english.FIRST_SYLLABLES[first], english.MIDDLE_SYLLABLES[middle], english.LAST_SYLLABLES[last]
        brand = "".join(syllables).capitalize()
        short = f"{brand} {self.random_element(tuple(english.LEXICON.trade(industry).business))}"
        legal = f"{short} {self.random_element(english.LEXICON.legal_forms)}"
        return PseudonymousName(legal=legal, short=short, english=legal, brand=brand)
