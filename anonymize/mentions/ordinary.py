"""Words that say nothing by themselves: those of the language, of the trades of which names are invented, of legal forms.

They are where measuring begins; which words are ordinary in a corpus is measured in its texts (`measuring.py`).
"""

import re
from functools import cache
from unicodedata import normalize

from faker.providers.lorem.en_US import Provider as EnglishWords
from faker.providers.lorem.zh_CN import Provider as ChineseWords

from anonymize.names.legal_forms import ENGLISH_FORMS
from anonymize.names.vocabulary import Lexicon, chinese, english, words
from pipeline.normal_form import spread

WORD = re.compile(r"[0-9A-Za-zß-öø-ɏͰ-ԯ]+|[^\W_]")
"""A word in normal form or in its own case; each Chinese character is one."""

HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U000323af]")

SHORT_WORDS = frozenset(
    words("""
    a about all an and are as at be but by for from has have in into is it its new no not of on one or our s so that the
    their this to us was we with you
    """)
)
"""Words that join others; no name is known by them."""


WIDE_PLACES = frozenset(
    words("""
    africa african america american asia asian australia australian canada canadian china chinese east eastern europe european
    german germany global hong india indian international japan japanese kong national north northern pacific singapore south
    southern states taiwan united west western world worldwide
    """)
)
"""Words of countries and continents; no name is known by them either."""


_SENTENCE_BEFORE = re.compile(
    r"[.!?;:][)\"'”’]*\s+[\"'“‘(]*$|[。！？；•][)\"'”’]*\s*[\"'“‘(]*$|(?:^|[^,，\s])\s*\n\s*$|^$"
)
_DOES = re.compile(
    r"['’]s\b|\s(?:said|says|asked|asks|told|tells|wrote|writes|called|calls|phoned|rang|emailed|complain(?:ed|s)|replie[ds]"
    r"|answered|wants|wanted|thinks|thought|thanked|refused|insisted|shouted|apologised)\b"
)
"""What stands behind a person's name that stands first, and hardly behind the ordinary word."""

_MONTHS = frozenset(("march", "april", "may", "june", "august"))
_MONTH_BEFORE = re.compile(
    r"(?:\d(?:st|nd|rd|th)?|\b(?:in|of|since|until|till|by|early|mid|late|last|next|this|every|end|from|to))[\s-]+$",
    re.IGNORECASE,
)


@cache
def english_words() -> frozenset[str]:
    """Return ordinary English words in normal form: Faker's list of common words, and those of trades and legal forms."""
    listed = {word.lower() for word in EnglishWords.word_list}
    ours = {word for phrase in trade_words(english.LEXICON) for word in WORD.findall(spread(phrase))}
    return frozenset(listed | ours | set(ENGLISH_FORMS) | SHORT_WORDS | WIDE_PLACES)


@cache
def syllables() -> frozenset[str]:
    """Return what a Chinese character may sound like, without tones: `you` and `he` are names, too."""
    from pypinyin.pinyin_dict import pinyin_dict  # noqa: PLC0415  (its tables take 0.4 s to load)

    marked = {sound for sounds in set(pinyin_dict.values()) for sound in sounds.split(",")}
    return frozenset("".join(filter(str.isascii, normalize("NFD", sound))) for sound in marked)


@cache
def chinese_words() -> re.Pattern[str]:
    """Return the pattern of a text that is made of Chinese words of the trades alone."""
    return re.compile(f"(?:{'|'.join(sorted(trade_words(chinese.LEXICON)))})*")


@cache
def common_chinese() -> frozenset[str]:
    """Return common Chinese words (Faker's list) and those of the trades."""
    return frozenset(ChineseWords.word_list) | trade_words(chinese.LEXICON)


def trade_words(lexicon: Lexicon) -> frozenset[str]:
    """Return the words of which names of the trades are invented."""
    trades = [*lexicon.trades.values(), lexicon.any_trade]
    of_trades = {word for trade in trades for word in (*trade.business, *trade.products)}
    return frozenset({*of_trades, *lexicon.subsidiary_roles, *lexicon.legal_forms})


def begins_sentence(before: str, behind: str, *, is_person: bool) -> bool:
    """Say whether a word has its capital for standing first; not so where a person's name does what people do."""
    return not (is_person and _DOES.match(behind)) and _SENTENCE_BEFORE.search(before) is not None


def is_month(word: str, before: str, behind: str) -> bool:
    """Say whether a word stands as a month does."""
    return word in _MONTHS and bool(_MONTH_BEFORE.search(before) or re.match(r"[\s,-]{1,2}\d", behind))
