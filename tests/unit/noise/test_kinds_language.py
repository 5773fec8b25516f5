"""What the kind that varies translations does, against an obvious version in plain Python, and what of it can be taken back."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypinyin import Style, pinyin

from anonymize.names.vocabulary import chinese as words
from pipeline.noise.engine import Noised
from pipeline.noise.kinds.names.translations import LEGAL_SUFFIXES, TranslationVariants
from tests.unit.noise.applied import applied, environment_of, mended, refused, rows_of, table_of

HAN = st.text("三达腾长桥众课科数锌锗西安丁明", min_size=2, max_size=4)
TRADES = st.sampled_from(["Data", "Technology", "Song Equipment", "Port", "Materials and Mines"])
PAIRS = st.lists(st.tuples(HAN, TRADES), min_size=1, max_size=12)

SWAPPED = TranslationVariants(columns=("english",), forms=("swapped_syllables",), chinese="chinese")
JOINED = TranslationVariants(columns=("english",), forms=("joined_syllables",), chinese="chinese")
LOST = TranslationVariants(columns=("english",), forms=("lost_letter",), chinese="chinese")
SUFFIX = TranslationVariants(columns=("english",), forms=("suffix",))
ALL = TranslationVariants(columns=("english",), chinese="chinese")


def syllables(han: str) -> list[str]:
    """Return the first reading of each character."""
    return [one[0].capitalize() for one in pinyin(han, style=Style.NORMAL)]


def named(pairs: list[tuple[str, str]]) -> tuple[list[str | None], list[str | None]]:
    """Return names in Chinese, and in English as syllables, trade and suffix."""
    chinese: list[str | None] = [f"{han}有限公司" for han, _ in pairs]
    return chinese, [" ".join((*syllables(han), trade, "Co., Ltd.")) for han, trade in pairs]


def noised(kind: TranslationVariants, pairs: list[tuple[str, str]]) -> Noised:
    """Apply a kind to all names."""
    chinese, english = named(pairs)
    return applied(kind, chinese=chinese, english=english)


def run_of(text: str, han: str, trade: str) -> list[str]:
    """Return the words that may change: the syllables, and what looks like one behind them."""
    return text.split(" ")[: len(syllables(han)) + (trade == "Song Equipment")]


def variants(form: str, text: str, run: list[str]) -> set[str]:
    """Return every text that a form can make of a name, one by one."""
    rest = text[len(" ".join(run)) :]
    pairs = range(len(run) - 1)
    made: dict[str, list[list[str]]] = {
        "swapped_syllables": [
            [*run[:at], run[at + 1], run[at], *run[at + 2 :]] for at in pairs if run[at].lower() != run[at + 1].lower()
        ],
        "joined_syllables": [[*run[:at], run[at] + run[at + 1].lower(), *run[at + 2 :]] for at in pairs],
        "lost_letter": [
            [*run[:at], word[:letter] + word[letter + 1 :], *run[at + 1 :]]
            for at, word in enumerate(run)
            if len(word) > 2
            for letter in range(1, len(word))
        ],
    }
    if form == "suffix":
        return {text.removesuffix("Co., Ltd.") + other for other in LEGAL_SUFFIXES}
    return {" ".join(words) + rest for words in made[form]}


@given(pairs=PAIRS)
@pytest.mark.parametrize("kind", [SWAPPED, JOINED, LOST, SUFFIX, ALL], ids=lambda kind: ", ".join(kind.forms))
def test_one_form_happens_once(kind: TranslationVariants, pairs: list[tuple[str, str]]) -> None:
    """At rate 1 each name in which a form can happen is one of the texts that plain Python lists; the others stay."""
    _, english = named(pairs)
    result = noised(kind, pairs).frame["english"].to_list()
    for (han, trade), before, after in zip(pairs, english, result, strict=True):
        assert before is not None
        run = run_of(before, han, trade)
        possible = set().union(*(variants(form, before, run) for form in kind.forms))
        assert after in possible if possible else after == before
        assert after != before or not possible


@given(pairs=PAIRS)
@pytest.mark.parametrize("kind", [SWAPPED, JOINED, LOST, SUFFIX, ALL], ids=lambda kind: ", ".join(kind.forms))
def test_what_comes_back_is_what_is_called_recoverable(kind: TranslationVariants, pairs: list[tuple[str, str]]) -> None:
    """No more and no less; clean names stay as they are."""
    chinese, english = named(pairs)
    clean = rows_of({"chinese": chinese, "english": english})
    assert mended(kind, clean).equals(clean)
    result = noised(kind, pairs)
    back = mended(kind, result.frame)["english"].to_list()
    lost = set(result.ledger.filter(~pl.col("recoverable"))["row_key"].cast(pl.Int64))
    for row, (before, after) in enumerate(zip(english, back, strict=True)):
        assert (before == after) != (row in lost)


def test_every_place_and_option_is_drawn_alike() -> None:
    """Over many names all variants of each form occur, and every form of a name that has them all."""
    pairs = [("三达腾", "Data")] * 2_000
    text = named(pairs[:1])[1][0]
    assert text is not None
    counts = noised(ALL, pairs).frame["english"].value_counts()
    for form in ALL.forms:
        of_form = counts.filter(pl.col("english").is_in(list(variants(form, text, syllables("三达腾")))))
        assert of_form.height == len(variants(form, text, syllables("三达腾")))
        assert 400 < of_form["count"].sum() < 600


@pytest.mark.parametrize(
    ("kind", "chinese", "before", "possible"),
    [
        (LOST, "三三达腾有限公司", "Da Teng", {"Da Ten", "Da Tng", "Da Teg"}),
        (JOINED, "达腾", "Da Teng Company", {"Dateng Company"}),
        (SWAPPED, "锌锗", "Xin Zhe Materials", {"Zhe Xin Materials"}),
        (SUFFIX, "", "Haishan Changgong Equipment Co., Ltd.",
            {f"Haishan Changgong Equipment {suffix}" for suffix in LEGAL_SUFFIXES}),
    ],
)  # fmt: skip
def test_forms_of_the_release(kind: TranslationVariants, chinese: str, before: str, possible: set[str]) -> None:
    """Names like those of the release vary as theirs do (reference, 4.22)."""
    found = {
        applied(kind, chinese=[chinese or None] * 40, english=[before] * 40).frame["english"][row] for row in range(40)
    }
    assert found == possible


@pytest.mark.parametrize("text", ["Notice on Stable Growth", "TCL", "Da", "Xi", "", "国务院", "Joint Stock Company"])
def test_other_texts_stay(text: str) -> None:
    """A title, a name without pinyin or of one short syllable, or with another suffix is not eligible."""
    result = applied(ALL, chinese=["达"], english=[text or None])
    assert result.ledger.is_empty()
    assert result.opportunities["eligible"].sum() == 0


def test_a_longer_suffix_is_not_taken_for_the_clean_one() -> None:
    """`Joint Stock Co., Ltd.` ends like `Co., Ltd.`: it is a variant itself, and read as a whole."""
    name = "Da Teng Data Joint Stock Co., Ltd."
    assert applied(SUFFIX, english=[name]).ledger.is_empty()
    assert mended(SUFFIX, rows_of({"english": [name]}))["english"].to_list() == ["Da Teng Data Co., Ltd."]


@pytest.mark.parametrize(
    ("kind", "chinese", "text"),
    [
        (LOST, "太海", "Ta Hai"),  # 太 reads `ta` as well
        (SWAPPED, "丁丁丁", "Ding Ding Ding"),
        (JOINED, "达腾", "Datong"),
        (ALL, "达腾", "Xyz Teng"),
        (ALL, None, "Dateng"),
    ],
)
def test_what_characters_do_not_tell_stays(kind: TranslationVariants, chinese: str | None, text: str) -> None:
    """A name that reads as its characters may, or as no form makes it, is left alone."""
    assert mended(kind, rows_of({"chinese": [chinese], "english": [text]}))["english"].to_list() == [text]


def test_no_invented_name_is_taken_for_a_variant() -> None:
    """Brands of every character, and every trade with every legal form, read as they are written: mending leaves them."""
    brands = [(character, syllable.capitalize()) for character, syllable in words.SYLLABLES.items()]
    trades = {
        pair for trade in (*words.LEXICON.trades.values(), words.LEXICON.any_trade) for pair in trade.business.items()
    }
    names = [
        (f"{brand}{word}{form}", f"{roman} {english} {ending}")
        for brand, roman in brands
        for word, english in sorted(trades)
        for form, ending in words.LEGAL_FORMS_IN_ENGLISH.items()
    ]
    rows = rows_of({"chinese": [name for name, _ in names], "english": [name for _, name in names]})
    assert rows.height > 10_000
    assert mended(ALL, rows).equals(rows)


def test_without_the_chinese_column_suffixes_come_back_alone() -> None:
    """A noisy table that lost the column of Chinese names still has its suffixes mended."""
    rows = rows_of({"english": ["Dateng Data Company"]})
    table = table_of(rows)
    assert ALL.mended(rows, table, environment_of(table), {})["english"].to_list() == ["Dateng Data Co., Ltd."]


def test_contradictions_are_refused() -> None:
    """The clean suffix is no variant of itself, and the Chinese names are not what changes."""
    assert refused(TranslationVariants(columns=("english",), suffix="Company")) == {"suffixes"}
    assert refused(TranslationVariants(columns=("english",), chinese="english")) == {"chinese"}
    assert refused(ALL) == set()
