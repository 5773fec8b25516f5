"""Invented names of people: of one language, each once, and nobody's in the originals however that is written."""

import pytest
from faker import Generator
from hypothesis import given
from hypothesis import strategies as st

from anonymize.names import pseudonymous_persons
from anonymize.names.providers import ChinesePersonProvider, EnglishPersonProvider, Language
from pipeline.errors import InputError
from pipeline.keyed import Key

KEY = Key(bytes(range(32)))
CODES = [str(100_000 + 7 * number) for number in range(3_000)]
PROVIDERS = {"zh": ChinesePersonProvider, "en": EnglishPersonProvider}

languages = pytest.mark.parametrize("language", ["zh", "en"])


@languages
def test_no_two_people_have_one_name(language: Language) -> None:
    """Among 3,000, which a hash alone would give some names twice in English (one in 690,000 pairs), in any order."""
    names = pseudonymous_persons(CODES, KEY, language=language, avoid=[])
    assert len({name.legal for name in names.values()}) == len(CODES)
    assert names == pseudonymous_persons(CODES[::-1], KEY, language=language, avoid=[])
    others = pseudonymous_persons(CODES, Key(b"o" * 32), language=language, avoid=[])
    assert sum(names[code] == others[code] for code in CODES) < 5


@languages
def test_nobody_has_the_name_of_an_original(language: Language) -> None:
    """Whoever would have been called so is called otherwise, and nobody else moves but by chance."""
    before = pseudonymous_persons(CODES, KEY, language=language, avoid=[])
    taken = [before[code].legal for code in CODES[:500]]
    after = pseudonymous_persons(CODES, KEY, language=language, avoid=taken)
    assert not {name.legal for name in after.values()} & set(taken)
    parts = {part for name in taken for part in name.split()} if language == "en" else set()
    others = [code for code in CODES[500:] if not parts & set(before[code].legal.split())]
    assert sum(before[code] != after[code] for code in others) < 10


def test_no_part_of_an_english_name_is_anybody_s_while_most_are_free() -> None:
    """A surname alone is searched for, so that no invented one may be it; where nearly all are taken, whole names differ."""
    few, many = ([f"{given} {family}" for given, family in zip(*_parts(count), strict=True)] for count in (200, 690))
    avoided = {part for name in few for part in name.split()}
    invented = pseudonymous_persons(CODES, KEY, language="en", avoid=few).values()
    assert not avoided & {part for name in invented for part in name.legal.split()}
    assert len(pseudonymous_persons(CODES, KEY, language="en", avoid=many)) == len(CODES)


def _parts(count: int) -> tuple[list[str], list[str]]:
    provider = EnglishPersonProvider(Generator())
    names = [provider.person_of_number(number * 1_001).legal.split() for number in range(count)]
    return [given for given, _ in names], [family for _, family in names]


@pytest.mark.parametrize("written", ["{1}, {0}", "{0} M. {1}", "{1} {0}"])
def test_an_english_original_is_avoided_in_either_order(written: str) -> None:
    [name] = pseudonymous_persons(["1"], KEY, language="en", avoid=[]).values()
    given_name, family = name.legal.split()
    avoid = [written.format(given_name.upper(), family)]
    assert pseudonymous_persons(["1"], KEY, language="en", avoid=avoid)["1"].legal != name.legal


@given(st.sampled_from(["zh", "en"]), st.integers(min_value=0, max_value=689_999))
def test_a_name_leads_back_to_its_number(language: str, number: int) -> None:
    """So that what is avoided can be found; other texts are nobody's name."""
    provider = PROVIDERS[language](Generator())
    assert number in provider.numbers_of(provider.person_of_number(number).legal)
    assert list(provider.numbers_of("")) == list(provider.numbers_of("Xyzzy")) == []


def test_forms_of_a_name() -> None:
    """A Chinese name has its pinyin, family name first; an English one the initial of the given name."""
    chinese, english = ChinesePersonProvider(Generator()), EnglishPersonProvider(Generator())
    [number] = chinese.numbers_of("李昊哲")
    name = chinese.person_of_number(number)
    assert (name.legal, name.short, name.english, name.brand) == ("李昊哲", "李昊哲", "Li Haozhe", "李昊哲")
    number = next(english.numbers_of("Carla Boone"))
    name = english.person_of_number(number)
    assert (name.legal, name.short, name.english) == ("Carla Boone", "C. Boone", "Carla Boone")


def test_more_people_than_names_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"621,001 people want a name, and of 690,000 that can be invented at most 90% are"
    ):
        pseudonymous_persons(list(map(str, range(621_001))), KEY, language="en", avoid=[])
