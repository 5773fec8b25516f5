"""The name attack finds puns, kept words and spellings, and with invented names it does no better than guessing."""

import random
from functools import cache
from itertools import chain, cycle
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypinyin import lazy_pinyin

from anonymize.codes import FIVE_LETTERS, SIX_DIGITS, pseudonymous_codes
from anonymize.names import pseudonymous_names
from anonymize.names.providers import Language
from anonymize.names.vocabulary import chinese, english
from pipeline.keyed import Key
from silt.environments.us_listed import CODE, NAME, SECTOR
from tests.stats import ALPHA, check_rate
from validation.attacks import Attack
from validation.attacks.identifiers.names import FIRST_FEW, FORMS, _sound, name_attacks

KEY = Key(b"n" * 32)
FIRM_COUNT = 2_000
languages = pytest.mark.parametrize("language", ["zh", "en"])


@cache
def invented(language: Language, purpose: str) -> pl.DataFrame:
    """Return invented firms with their industries; each purpose has its own names under the same codes."""
    industries = cycle((chinese if language == "zh" else english).LEXICON.trades)
    step = SIX_DIGITS.size // FIRM_COUNT
    listed = dict(zip((SIX_DIGITS.code(step * i) for i in range(FIRM_COUNT)), industries, strict=False))
    names = pseudonymous_names(listed, KEY.derive(purpose), language=language, avoid=[])
    rows = [(code, name.legal, name.short, name.english, name.brand, listed[code]) for code, name in names.items()]
    return pl.DataFrame(rows, schema=["code", *FORMS, "brand", "group"], orient="row")


def originals_of(firms: pl.DataFrame) -> pl.DataFrame:
    return firms.select("code", "group", name="legal")


@cache
def homophones() -> dict[str, str]:
    """Return for the characters of invented brands a common one (GB 2312, level 1) that sounds the same, if there is one."""
    common = [bytes([row, cell]).decode("gb2312") for row in range(0xB0, 0xD7) for cell in range(0xA1, 0xFA)]
    others = {reading: character for character in common for reading in lazy_pinyin(character)}
    pairs = {character: others.get(reading, character) for character, reading in chinese.SYLLABLES.items()}
    return {character: other for character, other in pairs.items() if character != other}


def punned(firms: pl.DataFrame, words: pl.DataFrame) -> pl.DataFrame:
    """Return names whose brand sounds like the firm's, in other characters, before the words of another firm."""
    puns = firms["brand"].str.replace_many(homophones())
    rest = [legal.removeprefix(brand) for legal, brand in words.select("legal", "brand").iter_rows()]
    return pl.DataFrame({"legal": [pun + end for pun, end in zip(puns, rest, strict=True)]})


def pairs(originals: dict[str, str], pseudonyms: list[str], group: str = "a") -> tuple[pl.DataFrame, pl.DataFrame]:
    known = pl.DataFrame({"code": [*originals], "name": [*originals.values()]}).with_columns(group=pl.lit(group))
    return known, pl.DataFrame({"legal": pseudonyms})


def first(attacks: list[Attack], reading: str, form: str = "legal") -> Attack:
    """Return the attack of that reading that counts right originals in the first place."""
    (found,) = (a for a in attacks if f"{reading} of the {form} name" in a.attack and "is first" in a.attack)
    return found


def test_sounds_are_those_of_soundex() -> None:
    """Digits of the American Soundex (National Archives), the first letter's among them: what sounds alike reads alike."""
    assert _sound(pl.Series(["Robert", "Rupert", "Ashcraft", "Tymczak"])) == ["6163", "6163", "2613", "3522"]


def test_guessing_succeeds_at_most_always() -> None:
    """In a group of two the right one is among the first five, whoever guesses."""
    for attack in name_attacks(*pairs({"1": "Red Mill", "2": "Old Oak"}, ["Blue Barn", "New Elm"]), language="en"):
        assert attack.chance == (1.0 if f"first {FIRST_FEW}" in attack.attack else 0.5)


@languages
def test_invented_names_tell_nothing_of_the_original(language: Language) -> None:
    """For 2,000 firms no form and reading beats guessing, and the 95 % bound is less than a point above its rate."""
    published = invented(language, "published")
    attacks = name_attacks(originals_of(invented(language, "originals")), published.select(FORMS), language=language)
    assert len(attacks) == 2 * {"zh": 10, "en": 6}[language]
    assert {attack.records for attack in attacks} == {FIRM_COUNT}
    assert not [attack for attack in attacks if attack.beats_chance(ALPHA / len(attacks))]
    is_first = [attack for attack in attacks if "is first" in attack.attack]
    assert max(attack.upper_95 - attack.chance for attack in is_first) < 0.01


def test_homophones_of_the_original_are_found() -> None:
    """Puns on the original's brand are found by sound for all but a few firms, from other characters for far fewer."""
    firms = invented("zh", "originals")
    attacks = name_attacks(originals_of(firms), punned(firms, invented("zh", "published")), language="zh")
    assert first(attacks, "pinyin").rate > 0.95
    assert first(attacks, "homophones").rate > 0.95
    assert first(attacks, "core").rate < 0.3


def test_a_few_puns_among_invented_names_are_noticed() -> None:
    """One pun in twenty names is more than chance explains."""
    firms, published = invented("zh", "originals"), invented("zh", "published")
    puns = punned(firms, published).with_row_index().with_columns(invented=published["legal"])
    mixed = puns.select(legal=pl.when(pl.col("index") % 20 == 0).then("legal").otherwise("invented"))
    attacks = name_attacks(originals_of(firms), mixed, language="zh")
    assert first(attacks, "homophones").beats_chance(ALPHA / len(attacks))


def test_the_english_name_gives_a_chinese_original_away() -> None:
    """Pinyin of the original's brand in the published English name finds it, whatever the Chinese names say."""
    firms = invented("zh", "originals")
    published = invented("zh", "published").select("legal", "short").with_columns(firms["english"])
    attacks = name_attacks(originals_of(firms), published, language="zh")
    assert first(attacks, "pinyin", "english").rate == 1
    assert first(attacks, "homophones", "english").rate == 1
    assert not first(attacks, "homophones").beats_chance(ALPHA)


def test_words_of_the_trade_do_not_hide_a_brand_that_was_kept() -> None:
    """The core finds a brand under another trade and form, where whole names are more like another firm's."""
    known = {"A": "Vex Pharmaceuticals Holdings Inc.", "B": "Quo Asset Management Corporation"}
    attacks = name_attacks(
        *pairs(known, ["Vex Asset Management Corp.", "Quo Pharmaceuticals Group Inc."]), language="en"
    )
    assert first(attacks, "core").rate == 1
    assert first(attacks, "characters").rate == 0


def test_spelling_does_not_hide_a_brand_that_sounds_the_same() -> None:
    """Soundex finds what is written in other letters of the same sound."""
    known = {"A": "Catterpix Inc.", "B": "Kudderly Inc.", "C": "Gondoral Inc."}
    attacks = name_attacks(*pairs(known, ["Kadrbis Corp.", "Gutorlei Corp.", "Kentorel Corp."]), language="en")
    assert first(attacks, "sound").rate == 1


def test_only_the_group_is_searched() -> None:
    """A name of another group draws nothing away; a group of one and rows without a name are no records."""
    originals = pl.DataFrame(
        {
            "code": ["1", "2", "3", "4", "5"],
            "name": ["Alberta", "Zurriko", "Albert", "Alberts", None],
            "group": ["a", "a", "b", None, "a"],
        }
    )
    published = pl.DataFrame({"legal": ["Albert", "Zurrik", "Albert", "Alberts", "Nobody"]})
    found = first(name_attacks(originals, published, language="en"), "characters")
    assert (found.records, found.successes, found.chance) == (2, 2, 0.5)


def test_nothing_to_attack_is_no_error() -> None:
    """Without two members of a group there are attacks without records, and the bound is that of knowing nothing."""
    attacks = name_attacks(*pairs({"A": "Alone Inc."}, ["Other Inc."]), language="en")
    assert {(attack.records, attack.rate, attack.upper_95) for attack in attacks} == {(0, 0.0, 1.0)}
    assert not any(attack.beats_chance(0.5) for attack in attacks)


def test_equals_are_shared_out_fairly() -> None:
    """Names that have no letter in common with any original are right as often as guessing is, for both numbers of guesses."""
    count, size = 4_000, 20
    originals = pl.DataFrame({"i": range(count)}).select(
        code=pl.col("i").cast(pl.String), name=pl.lit("Bbb"), group=pl.col("i") // size
    )
    published = pl.DataFrame({"legal": [f"{'xz'[i % 2]}{i}" for i in range(count)]})
    attacks = [a for a in name_attacks(originals, published, language="en") if "characters" in a.attack]
    for attack, guesses in zip(attacks, (1, FIRST_FEW), strict=True):
        assert attack.chance == pytest.approx(guesses / size)
        check_rate(attack.successes, count, guesses / size, tests=2)


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(shuffler: random.Random) -> None:
    """Both tables shuffled alike give the same attacks."""
    originals, published = originals_of(invented("en", "originals")).head(60), invented("en", "published").head(60)
    rows = [*range(60)]
    shuffler.shuffle(rows)
    shuffled = name_attacks(originals[rows], published.select(FORMS)[rows], language="en")
    assert shuffled == name_attacks(originals, published.select(FORMS), language="en")


small_names = st.lists(st.tuples(*[st.text(alphabet="abc", min_size=1, max_size=5)] * 2), min_size=2, max_size=6)


@given(small_names)
def test_the_most_similar_is_that_of_a_slow_search(names: list[tuple[str, str]]) -> None:
    """Successes lie between the names whose original is alone in front and those where none is nearer."""
    known = {str(i): name for i, (name, _) in enumerate(names)}
    found = first(name_attacks(*pairs(known, [published for _, published in names]), language="en"), "characters")
    leads = [lead_of_own(i, published, [*known.values()]) for i, (_, published) in enumerate(names)]
    assert sum(lead > 0 for lead in leads) <= found.successes <= sum(lead >= 0 for lead in leads)


def test_a_large_group_is_sampled() -> None:
    """Where there are too many pairs, those records that are attacked are as many as the pairs allow."""
    originals = pl.DataFrame({"code": [f"{i:05d}" for i in range(4_000)]}).with_columns(name="code", group=pl.lit("a"))
    found = first(name_attacks(originals, originals.select(legal="code"), language="en"), "characters")
    assert found.records == found.successes == pytest.approx(2_000, abs=5)


def test_no_name_stands_in_an_attack() -> None:
    """Whatever is found, what is reported holds numbers, forms and readings only."""
    attacks = name_attacks(
        *pairs({"A": "Vexatron Inc.", "B": "Quorilla Inc."}, ["Vexatron", "Quorilla"]), language="en"
    )
    texts = " ".join(chain.from_iterable((a.attack, a.knowledge, a.detail) for a in attacks)).lower()
    assert "vexatron" not in texts
    assert "quorilla" not in texts
    assert "among all 2 originals the right one stands before 100% of the others" in texts


def test_names_invented_for_listed_companies_tell_nothing(listed_tables: Path) -> None:
    """For 505 listed companies no form and reading beats guessing; their own names, shortened, are found at once."""
    originals = pl.read_csv(listed_tables / "securities.csv").select(code=CODE, name=NAME, group=SECTOR)
    codes = pseudonymous_codes(originals["code"], KEY, avoid=originals["code"], space=FIVE_LETTERS)
    sectors = {codes[code]: sector for code, _, sector in originals.iter_rows()}
    names = pseudonymous_names(sectors, KEY, language="en", avoid=originals["name"].to_list(), space=FIVE_LETTERS)
    rows = [(names[codes[code]].legal, names[codes[code]].short) for code in originals["code"]]
    attacks = name_attacks(originals, pl.DataFrame(rows, schema=["legal", "short"], orient="row"), language="en")
    assert {attack.records for attack in attacks} == {505}
    assert not [attack for attack in attacks if attack.beats_chance(ALPHA / len(attacks))]
    kept = originals.select(short=pl.col("name").str.split(" ").list.first())
    assert first(name_attacks(originals, kept, language="en"), "core", "short").rate > 0.8


def lead_of_own(own: int, published: str, names: list[str]) -> float:
    """Return by how much the own original is more like the published name than the best of the others."""
    likenesses = [likeness(name, published) for name in names]
    return likenesses.pop(own) - max(likenesses)


def likeness(ours: str, theirs: str) -> float:
    """Return twice the length of the longest common subsequence over both lengths."""
    lengths = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i, a in enumerate(ours):
        for j, b in enumerate(theirs):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if a == b else max(lengths[i][j + 1], lengths[i + 1][j])
    return 2 * lengths[-1][-1] / (len(ours) + len(theirs))
