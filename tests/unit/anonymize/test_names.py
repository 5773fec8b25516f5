"""Invented names: unique, independent of each other, plausible for the industry, and nobody's real name."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

import polars as pl
import pytest
from faker import Faker, Generator
from hypothesis import given
from hypothesis import strategies as st

from anonymize.codes import FIVE_LETTERS, SIX_DIGITS, CodeSpace
from anonymize.names import ALIAS_KINDS, PseudonymousName, pseudonymous_alias, pseudonymous_names
from anonymize.names.avoidance import NameForms, bare, colliding
from anonymize.names.firms import _forms
from anonymize.names.legal_forms import without_legal_form
from anonymize.names.permutation import ROUNDS, Permutation
from anonymize.names.providers import ChineseCompanyProvider, EnglishCompanyProvider, Language
from anonymize.names.vocabulary import Lexicon, chinese, english
from pipeline.errors import WITHHELD, InputError
from pipeline.keyed import Key
from raw.corpus.firms.aliases import make_aliases
from raw.corpus.firms.drawn import make_firms
from raw.corpus.firms.overseas import make_overseas
from raw.vocabulary.industries import INDUSTRIES
from silt.environments.us_listed import NAME

KEY = Key(bytes(range(32)))
LEXICONS: dict[Language, Lexicon] = {"zh": chinese.LEXICON, "en": english.LEXICON}
FIRM_COUNT = 3_000
MANY = 20_000
FORMS = ("legal", "short", "english", "brand")

languages = pytest.mark.parametrize("language", ["zh", "en"])
every_trade = pytest.mark.parametrize(
    ("lexicon", "industry"),
    [(lexicon, industry) for lexicon in LEXICONS.values() for industry in (*lexicon.trades, "no such industry")],
)


def firms(language: Language, count: int = FIRM_COUNT) -> dict[str, str]:
    """Return firms of all industries under codes all over the code space."""
    industries = [*LEXICONS[language].trades]
    step = SIX_DIGITS.size // count
    return {SIX_DIGITS.code(i * step): industries[i % len(industries)] for i in range(count)}


@cache
def named(language: Language, count: int = FIRM_COUNT, *, avoid: tuple[str, ...] = ()) -> dict[str, PseudonymousName]:
    """Name these firms."""
    return pseudonymous_names(firms(language, count), KEY, language=language, avoid=avoid)


@cache
def corpus_names() -> tuple[str, ...]:
    """Return every name and alias of the generated corpus at full size."""
    domestic = make_firms(1.0)
    overseas = make_overseas(1.0, domestic)
    aliases = make_aliases(domestic, domestic.select("firm"))["alias"]
    return tuple(chain(domestic["legal"], overseas["legal"], overseas["english"], aliases))


def real_names(real_tables: Path) -> list[str]:
    return pl.read_csv(real_tables / "securities.csv")[NAME].to_list()


def words_of(name: str) -> list[str]:
    return re.findall("[a-z0-9]+", name.lower())


def is_brand(word: str) -> bool:
    """Say whether a word falls into three syllables of English brands."""
    cut = re.fullmatch("([^aeiou]*[aeiou][^aeiou]*)([^aeiou][aeiou])([^aeiou].*)", word)
    pools = (english.FIRST_SYLLABLES, english.MIDDLE_SYLLABLES, english.LAST_SYLLABLES)
    return cut is not None and all(syllable in pool for syllable, pool in zip(cut.groups(), pools, strict=True))


def any_contained(parts: Sequence[str], wholes: Sequence[str]) -> bool:
    """Say whether one of the parts stands in one of the wholes."""
    return bool(pl.Series(wholes).str.contains_any(list(parts)).any())


def test_twenty_thousand_chinese_names_are_nobodys() -> None:
    """All forms of 20,000 names differ; none is, holds or stands in a name or alias of the corpus at full size."""
    corpus = corpus_names()
    names = named("zh", MANY, avoid=corpus).values()
    assert all(len({getattr(name, form) for name in names}) == MANY for form in FORMS)
    assert not any_contained([name.brand for name in names], corpus)
    assert not any_contained(corpus, [form for name in names for form in (name.legal, name.short, name.english)])


def test_twenty_thousand_english_names_are_told_apart() -> None:
    """All forms of 20,000 names differ, and each of the twelve sectors has more than a thousand."""
    names, listed = named("en", MANY), firms("en", MANY)
    assert all(len({getattr(name, form) for name in names.values()}) == MANY for form in FORMS)
    assert min(Counter(listed[code] for code in names).values()) > 1_000


def test_no_english_name_is_that_of_a_real_company(real_tables: Path) -> None:
    """Names invented for other tables, which do not list the real companies, neither are nor hold one of their names."""
    names = named("en", MANY).values()
    real = [" ".join(words_of(name)) for name in real_names(real_tables)]
    invented = [f" {' '.join(words_of(name.legal))} " for name in names]
    assert not any_contained([f" {name} " for name in real], invented)
    first_words = {words_of(name)[0] for name in real_names(real_tables)}
    assert not {name.brand.lower() for name in names} & first_words


def test_no_brand_can_be_a_word_of_a_real_name(real_tables: Path) -> None:
    """Each word of a real name that the syllables can make, and there are some, is one that every brand is kept from."""
    words = {word for name in real_names(real_tables) for word in words_of(name) if is_brand(word)}
    assert len(words) > 20
    listed = [NameForms(word, word, [f"{word} Foods"]) for word in words]
    assert colliding(listed, bare(english.LEXICON.famous_brands)) == words


@languages
def test_a_name_depends_on_no_other_firm(language: Language) -> None:
    """A firm named alone, or in another order, has the name that it has among others."""
    names, listed = named(language), firms(language)
    backwards = pseudonymous_names(dict(reversed(listed.items())), KEY, language=language, avoid=[])
    assert list(backwards.items()) == list(names.items())
    code = next(iter(listed))
    assert pseudonymous_names({code: listed[code]}, KEY, language=language, avoid=[]) == {code: names[code]}


@languages
def test_another_key_gives_other_names(language: Language) -> None:
    """Under another key no firm keeps its brand, and brands in common are as few as chance has it."""
    ours = named(language)
    theirs = pseudonymous_names(firms(language), KEY.derive("another"), language=language, avoid=[])
    assert not [code for code in ours if ours[code].brand == theirs[code].brand]
    assert len({name.brand for name in ours.values()} & {name.brand for name in theirs.values()}) < 10


@languages
def test_a_name_speaks_of_its_industry(language: Language) -> None:
    """The short name is the brand and a word of the industry; the legal name adds a legal form."""
    lexicon, listed = LEXICONS[language], firms(language)
    for code, name in named(language).items():
        word = name.short.removeprefix(name.brand + lexicon.gap)
        assert word in lexicon.trade(listed[code]).business
        assert name.legal.removeprefix(name.short + lexicon.gap) in lexicon.legal_forms


def test_the_english_name_of_a_chinese_firm_agrees_with_it() -> None:
    """It is the pinyin of the brand, the translated word and the translated legal form."""
    listed = firms("zh")
    for code, name in named("zh").items():
        word = name.short.removeprefix(name.brand)
        pinyin = " ".join(chinese.SYLLABLES[character].capitalize() for character in name.brand)
        translation = chinese.LEXICON.trade(listed[code]).business[word]
        form = chinese.LEGAL_FORMS_IN_ENGLISH[name.legal.removeprefix(name.short)]
        assert name.english == f"{pinyin} {translation} {form}"


@languages
def test_an_unknown_industry_has_general_words(language: Language) -> None:
    """A firm of an industry that is not in the table is named all the same."""
    names = pseudonymous_names({"123456": ""}, KEY, language=language, avoid=[])
    word = names["123456"].short.removeprefix(names["123456"].brand).strip()
    assert word in LEXICONS[language].any_trade.business


@languages
@pytest.mark.parametrize("form", FORMS)
def test_an_avoided_name_is_not_given(language: Language, form: str) -> None:
    """A firm whose name is avoided, whole or in any form, moves to another brand, which nobody has; the others stay."""
    before = named(language, 50)
    avoided = list(before.values())[7]
    after = named(language, 50, avoid=(getattr(avoided, form).upper(),))
    changed = [code for code in before if before[code] != after[code]]
    assert changed == [list(before)[7]]
    assert after[changed[0]].brand not in {name.brand for name in before.values()}


def test_a_name_inside_an_avoided_one_is_not_given() -> None:
    """A brand that stands anywhere in a raw name is given up."""
    name = named("zh", 1)["100000"]
    assert named("zh", 1, avoid=(f"某市{name.brand}厂",))["100000"].brand != name.brand


def test_an_alias_that_only_a_subsidiary_would_run_into_is_avoided() -> None:
    """The brand is given up too if it and the first word of a subsidiary or product hold an avoided name."""
    name = named("zh", 1)["100000"]
    subsidiary = pseudonymous_alias("subsidiary", name, firms("zh", 1)["100000"], 0, KEY)
    assert named("zh", 1, avoid=(subsidiary[2:6],))["100000"].brand != name.brand


def test_words_of_the_trade_are_not_avoided() -> None:
    """A raw alias that is an ordinary word changes no name."""
    words = [word for trade in chinese.LEXICON.trades.values() for word in trade.business]
    assert named("zh", 100, avoid=tuple(words)) == named("zh", 100)


@languages
def test_no_name_holds_a_famous_brand(language: Language) -> None:
    """Neither the letters nor, in Chinese, the sound of a well-known brand is in any brand."""
    famous = [brand.replace("-", " ") for brand in LEXICONS[language].famous_brands]
    for name in named(language).values():
        sound = name.brand if language == "en" else " ".join(chinese.SYLLABLES[char] for char in name.brand)
        assert not [brand for brand in famous if len(brand) > 3 and brand in sound.lower()]


def test_avoiding_every_attempt_is_an_error() -> None:
    """When every brand of a firm is avoided the error says so, and names neither firm nor name."""
    every_brand = [first + middle for first in english.FIRST_SYLLABLES for middle in english.MIDDLE_SYLLABLES]
    with pytest.raises(InputError, match=r"^1 of 1 invented names still run into one of \d+ names to avoid after 11 "):
        named("en", 1, avoid=tuple(every_brand))


@pytest.mark.parametrize("code", ["000001", "000001.SZ", "99999", "1000000", "１２３４５６", ""])
def test_only_pseudonymous_codes_are_named(code: str) -> None:
    """A raw code given by mistake is refused and not shown."""
    with pytest.raises(
        InputError,
        match=f"^1 code without the shape of pseudonyms: found {re.escape(WITHHELD)}; give codes of six digits$",
    ):
        pseudonymous_names({code: "教育"}, KEY, language="zh", avoid=[])


@pytest.mark.parametrize("space", [SIX_DIGITS, FIVE_LETTERS], ids=lambda space: space.shape)
@pytest.mark.parametrize("provider", [ChineseCompanyProvider, EnglishCompanyProvider])
def test_there_are_enough_brands(
    provider: type[ChineseCompanyProvider] | type[EnglishCompanyProvider], space: CodeSpace
) -> None:
    """Each language has brands for every code five times over, and numbers give different brands."""
    assert provider.brand_count >= 5 * space.size
    company = provider(Generator())
    step = provider.brand_count // 4_999
    brands = [company.company_of_brand(number, "").brand for number in range(0, provider.brand_count, step)]
    assert len(set(brands)) == len(brands)


def test_codes_of_letters_are_named_too() -> None:
    """Firms under codes of five letters have names of their own, which differ from code to code."""
    listed = {FIVE_LETTERS.code(number): "Energy" for number in range(0, FIVE_LETTERS.size, 2_003)}
    names = pseudonymous_names(listed, KEY, language="en", avoid=[], space=FIVE_LETTERS)
    assert names.keys() == listed.keys()
    assert len({name.brand for name in names.values()}) == len(listed)


@pytest.mark.parametrize(
    ("pool", "shape"),
    [
        (english.FIRST_SYLLABLES, "[^aeiou]*[aeiou][^aeiou]?"),
        (english.MIDDLE_SYLLABLES, "[^aeiou][aeiou]"),
        (english.LAST_SYLLABLES, "[^aeiou](i?[ao]|[aeiou][^aeiou]+)"),
    ],
)
def test_english_brands_fall_into_syllables_in_one_way(pool: tuple[str, ...], shape: str) -> None:
    """A brand is cut before the consonant in front of its second vowel, and behind that vowel."""
    assert all(re.fullmatch(shape, syllable) for syllable in pool)
    assert len(set(pool)) == len(pool)


def test_providers_work_in_any_faker() -> None:
    """A user's own Faker takes the provider and gives companies."""
    fake = Faker("zh_CN")
    fake.add_provider(ChineseCompanyProvider)
    fake.seed_instance(0)
    assert fake.company_of_brand(0, "教育").brand == "艾艾艾"


def test_every_character_has_its_own_pinyin() -> None:
    """No two characters of brands are homophones, so Chinese names that differ do so in English."""
    assert len(set(chinese.SYLLABLES.values())) == len(chinese.SYLLABLES)
    assert all(re.fullmatch("[a-z]{1,6}", pinyin) for pinyin in chinese.SYLLABLES.values())


def test_every_industry_has_words() -> None:
    """The 44 industries of the environment are the 44 of the table."""
    assert set(chinese.LEXICON.trades) == {industry.name for industry in INDUSTRIES}


@every_trade
def test_words_of_different_use_differ(lexicon: Lexicon, industry: str) -> None:
    """Businesses, products and subsidiaries share no word, so a firm's names do not coincide."""
    trade = lexicon.trade(industry)
    words = [*trade.business, *trade.products, *lexicon.subsidiary_roles]
    assert len(set(words)) == len(words)
    assert len(trade.business) >= 5
    assert all(trade.business.values())


@every_trade
def test_aliases_of_one_firm_differ(lexicon: Lexicon, industry: str) -> None:
    """A hundred subsidiaries and a hundred products have a hundred names each, all under the brand, none the firm's."""
    name = named("zh" if lexicon is chinese.LEXICON else "en", 1)["100000"]
    aliases = [
        pseudonymous_alias(kind, name, industry, i, KEY) for kind in ("subsidiary", "product") for i in range(100)
    ]
    assert len({*aliases, name.legal, name.short}) == len({name.legal, name.short}) + 200
    assert all(alias.startswith(name.brand) for alias in aliases)


def test_short_and_english_aliases_are_the_names() -> None:
    """Whatever their ordinal, they are the firm's short and English names."""
    name = PseudonymousName("甲乙丙软件股份有限公司", "甲乙丙软件", "Jia Yi Bing Software Co., Ltd.", "甲乙丙")
    assert [pseudonymous_alias(kind, name, "", 3, KEY) for kind in ALIAS_KINDS[:2]] == [name.short, name.english]


def test_an_unknown_kind_of_alias_is_refused() -> None:
    """The error lists the kinds."""
    name = named("en", 1)["100000"]
    with pytest.raises(
        InputError,
        match="unknown kind of alias 'nickname'; known: called, chinese, english, former, person, product, short, subsidiary",
    ):
        pseudonymous_alias("nickname", name, "", 0, KEY)


@pytest.mark.parametrize("size", [1, 2, 5, 64, 1_000])
def test_a_permutation_is_a_bijection(size: int) -> None:
    """Every number below the size is the image of exactly one."""
    permutation = Permutation(KEY, size)
    assert sorted(permutation(range(size))) == list(range(size))


@pytest.mark.parametrize("size", [1, 5, 64, 8_000_000])
def test_a_permutation_is_the_network_of_its_rounds(size: int) -> None:
    """Each image is that of a balanced Feistel network which is walked number by number; nothing has no image."""
    half = ((size - 1).bit_length() + 1) // 2

    def enciphered(index: int) -> int:
        left, right = index >> half, index & ((1 << half) - 1)
        for step in range(ROUNDS):
            drawn = int.from_bytes(KEY.digest(str(step), str(right)), "big")
            left, right = right, left ^ (drawn & ((1 << half) - 1))
        image = left << half | right
        return image if image < size else enciphered(image)

    some = sorted({index * size // 7 for index in range(7)})
    assert Permutation(KEY, size)(some) == [enciphered(index) for index in some]
    assert Permutation(KEY, size)([]) == []


def test_a_permutation_is_keyed_and_mixes() -> None:
    """Keys give different permutations, and neighbours land far apart: about a third of the range in the mean."""
    ours, theirs = (Permutation(key, 1_000_003) for key in (KEY, KEY.derive("another")))
    images = ours(range(2_000))
    assert images != theirs(range(2_000))
    mean_distance = sum(abs(b - a) for a, b in pairwise(images)) / 1_999
    assert math.isclose(mean_distance, 1_000_003 / 3, rel_tol=0.1)


avoided_names = st.text(alphabet="甲乙丙软件aA3 &", max_size=4)


@given(st.sampled_from(["甲乙丙", "乙甲甲"]), st.lists(avoided_names, max_size=4))
def test_collisions_equal_those_of_a_slow_search(brand: str, avoided: list[str]) -> None:
    """The automaton finds what trying every avoided name at every place of the brand finds."""
    text = f"{brand}软件aa"
    assert colliding([NameForms("1", brand, [text])], bare(avoided)) == (
        {"1"} if _runs_into(brand, text, avoided) else set()
    )


@pytest.mark.parametrize("avoided", ["Gap", "gap-ro", "rop"])
def test_short_latin_names_count_as_whole_words(avoided: str) -> None:
    """A Latin name of three letters inside a brand is chance, and so are words that do not touch."""
    assert not colliding([NameForms("1", "Zoropagap", ["Zoropagap Foods"])], bare([avoided]))


@pytest.mark.parametrize("avoided", ["Zoropagap", "ZORO", "opag!", "The Ｚｏｒｏｐａｇａｐ Co.", "gap foods"])
def test_longer_latin_names_count_anywhere(avoided: str) -> None:
    """A Latin name of four letters or more counts inside a brand too, whatever its case, width and punctuation."""
    assert colliding([NameForms("1", "Zoropagap", ["Zoropagap Foods"])], bare([avoided])) == {"1"}


def test_a_name_that_begins_with_the_last_letter_of_a_brand_counts() -> None:
    """Where the English name is written in one word."""
    assert colliding([NameForms("1", "Zoropagap", ["ZoropagapFoods"])], bare(["Pfood"])) == {"1"}


def test_a_chinese_name_is_looked_at_in_letters_too() -> None:
    """With blanks between the syllables, as addresses on the web have it without any, and with two written as one word."""
    characters = list(chinese.SYLLABLES)[:3]
    brand, (first, second, third) = "".join(characters), (chinese.SYLLABLES[each] for each in characters)
    spelt = f"{first} {second} {third} Tools"
    name = PseudonymousName(legal=f"{brand}软件", short=brand, english=spelt, brand=brand)
    *_, spaced, joined, early, late = (candidate.texts for candidate in _forms("1", name, "软件"))
    assert (spaced, joined) == ((spelt,), (spelt.replace(" ", ""),))
    assert (early, late) == ((f"{first}{second} {third} Tools",), (f"{first} {second}{third} Tools",))


def test_two_characters_in_a_brand_count() -> None:
    """Chinese names of two characters are looked for anywhere in it, those of one as whole words."""
    for avoided, found in (("乙丙", {"1"}), ("丙软", {"1"}), ("乙", set())):
        assert colliding([NameForms("1", "甲乙丙", ["甲乙丙软件"])], bare([avoided])) == found


@pytest.mark.parametrize(
    ("avoided", "collides"),
    [
        ("Partners-Group", True),
        ("Partners Corp.", True),
        ("The Partners, Ltd.", True),
        ("The Partners", False),
        ("Partners", False),
        ("Art Group", False),
        ("Group Inc.", False),
    ],
)
def test_a_name_of_several_words_counts_in_the_words_of_the_trade(avoided: str, collides: bool) -> None:  # noqa: FBT001
    """One word of the trade is anybody's; with a legal form, any of them, it is that company's whose name it is."""
    found = colliding([NameForms("1", "Zoropagap", ["Zoropagap Partners Group Inc."])], bare([avoided]))
    assert found == ({"1"} if collides else set())


def _runs_into(brand: str, text: str, avoided: list[str]) -> bool:
    bare = [" ".join(re.findall(r"\w+", name.lower())) for name in avoided]
    within = any(brand in name for name in bare)
    chinese_or_long = [name for name in bare if len(name) > 3 or (len(name) > 1 and re.search("[甲乙丙软件]", name))]
    begins = any(text.startswith(name, place) for name in chinese_or_long for place in range(len(brand)))
    return within or begins or text in bare


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("北京启明星科技股份有限公司", "北京启明星科技"),
        ("上海电力股份有限公司", ""),
        ("Tarnuva Machine Works, Inc.", "Tarnuva Machine Works"),
        ("Best Buy Co. Inc.", ""),
    ],
)
def test_a_name_without_its_form_is_kept_where_it_is_distinctive(name: str, part: str) -> None:
    """What could be anybody's is none."""
    assert without_legal_form(name) == part
