"""Invents the names of firms: a brand that no other firm has, a word of the trade, a legal form.

Words and their combination belong to the providers, aliases of a firm to `aliases.py`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from faker import Generator

from anonymize.codes import SIX_DIGITS, CodeSpace
from anonymize.names.aliases import alias_beginnings
from anonymize.names.avoidance import NameForms, bare, colliding
from anonymize.names.permutation import Permutation
from anonymize.names.providers import ChineseCompanyProvider, EnglishCompanyProvider, Language, PseudonymousName
from anonymize.names.vocabulary import chinese, english
from anonymize.seats import seats
from pipeline.errors import WITHHELD, InputError
from pipeline.keyed import Key
from pipeline.wording import counted

FEWEST_ATTEMPTS = 4
"""Brands that every code must have to choose from (our choice). If the codes are too many for that, seats number the brands."""

_AT_A_TIME = 1 << 14
"""Firms of whose names all forms are in memory at a time: about 150 MB."""

_LEXICONS = {"zh": chinese.LEXICON, "en": english.LEXICON}


def pseudonymous_names(
    firms: Mapping[str, str], key: Key, *, language: Language, avoid: Collection[str], space: CodeSpace = SIX_DIGITS
) -> dict[str, PseudonymousName]:
    """Invent one name for each firm, unique by construction and independent of every other firm.

    A brand is a keyed permutation of (attempt, pseudonymous code), read as three syllables, so that different codes have
    different brands, in pinyin too. A firm whose name collides with an avoided one (`avoidance.colliding`) makes another
    attempt, and brands of different attempts differ. The word of the trade and the legal form are drawn from the keyed
    stream of (code, attempt). The original name has no influence, except that it is avoided.

    Args:
        firms: industries by pseudonymous code.
        key: the key of this purpose.
        language: language of the legal names; a Chinese firm's English name is its pinyin and the translated words.
        avoid: raw names and aliases; famous brands are always avoided.
        space: the space of the codes. If it is larger than the number of brands, a firm's seat (`anonymize/seats.py`) replaces
            its code, so that brands depend a little on which other firms there are.

    Returns:
        Names by pseudonymous code, in the order of the codes.

    Raises:
        InputError: a code is not of the space, or every attempt of a firm collides with an avoided name.
    """
    _refuse_other_codes(firms, space)
    company = _Inventor(key, language, firms, space)
    refused = bare([*avoid, *_LEXICONS[language].famous_brands])
    names: dict[str, PseudonymousName] = {}
    pending = sorted(firms)
    for attempt in range(company.attempts):
        collisions = set[str]()
        for first in range(0, len(pending), _AT_A_TIME):
            some = pending[first : first + _AT_A_TIME]
            invented = company.invent({code: firms[code] for code in some}, attempt)
            collisions |= colliding([c for code in some for c in _forms(code, invented[code], firms[code])], refused)
            names.update({code: name for code, name in invented.items() if code not in collisions})
        # Only firms with a collision move on, so that an added name to avoid changes no other firm.
        pending = sorted(collisions)
        if not pending:
            return dict(sorted(names.items()))
    raise InputError(
        f"{len(pending)} of {len(firms)} invented names still run into one of {len(avoid)} names to avoid after "
        f"{company.attempts} attempts; leave names of one or two letters or syllables out of the names and aliases"
    )


@dataclass(frozen=True)
class _Numbered:
    """A number for each code, below a bound."""

    size: int
    of: Callable[[str], int]


def _numbered(firms: Mapping[str, str], key: Key, space: CodeSpace, brands: int) -> _Numbered:
    if space.size * FEWEST_ATTEMPTS <= brands:
        return _Numbered(space.size, space.number)
    return _Numbered(SIX_DIGITS.size, seats(firms, key.derive("seats"), size=SIX_DIGITS.size, forbidden=()).__getitem__)


class _Inventor:
    """A Faker generator of one language whose randomness is keyed."""

    def __init__(self, key: Key, language: Language, firms: Mapping[str, str], space: CodeSpace) -> None:
        self._words = key.derive("words")
        self._faker = Generator()
        self._provider = (ChineseCompanyProvider if language == "zh" else EnglishCompanyProvider)(self._faker)
        self._brand = Permutation(key.derive("brand"), self._provider.brand_count)
        self._numbers = _numbered(firms, key, space, self._provider.brand_count)
        self.attempts = self._provider.brand_count // self._numbers.size

    def invent(self, industries: Mapping[str, str], attempt: int) -> dict[str, PseudonymousName]:
        """Invent a name for each code."""
        brands = self._brand(attempt * self._numbers.size + self._numbers.of(code) for code in industries)
        invented = {}
        for (code, industry), brand in zip(industries.items(), brands, strict=True):
            self._faker.random = self._words.stream(code, str(attempt))
            invented[code] = self._provider.company_of_brand(brand, industry)
        return invented


def _forms(code: str, name: PseudonymousName, industry: str) -> Iterator[NameForms]:
    """Yield every form of the name that may be published, and every beginning of its aliases."""
    yield NameForms(code, name.brand, (name.legal, *alias_beginnings(name, industry)))
    if not name.brand.isascii():
        syllables = [chinese.SYLLABLES[character] for character in name.brand]
        pinyin = " ".join(syllables)
        yield NameForms(code, pinyin, (name.english,))
        yield NameForms(code, pinyin.replace(" ", ""), (name.english.replace(" ", ""),))
        # As people and noise write two syllables as one word: `Tai Yilei Software` holds `Yilei Software`.
        for place in range(1, len(syllables)):
            joined = " ".join(
                (*syllables[: place - 1], "".join(syllables[place - 1 : place + 1]), *syllables[place + 1 :])
            )
            yield NameForms(code, joined, (joined + name.english[len(pinyin) :],))


def _refuse_other_codes(firms: Mapping[str, str], space: CodeSpace) -> None:
    others = sum(code not in space for code in firms)
    if others:
        raise InputError(
            f"{counted(others, 'code')} without the shape of pseudonyms: found {WITHHELD}; give codes of {space.shape}"
        )
