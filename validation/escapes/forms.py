"""Which tokens are looked for in normal form, and how far their writing may stray: what is left out would cry wolf.

- *Names*, and all else that has several words or Chinese characters: whatever the case, width, script, accents and what
  stands between the words, if six letters or digits are left, or four of which one is Chinese. Of a name its distinctive
  part, without the legal form, is enough if it has two words and eight letters, or five characters of which one is
  Chinese, is not made of words of which names are invented, and stands in no invented name.
- *One word* in Latin letters (`NIKE`): in its own case or in capitals, since in small letters it may be a word.
- *Codes with a suffix* (`000001.SZ`): also without leading zeros (`1.SZ`), and with the suffix first (`SZ000001`).

Numbers (a date, a telephone number) have too many writings that mean something else: `literal.py` has them as they are.
A token that begins or ends in a Latin letter or digit counts only where no such character is beside it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import polars as pl

from anonymize.names.legal_forms import (
    CHINESE_FORMS,
    DISTINCTIVE_LETTERS,
    DISTINCTIVE_WITH_CHINESE,
    DISTINCTIVE_WORDS,
    ENGLISH_FORMS,
)
from anonymize.names.vocabulary import Lexicon, chinese, english
from validation.escapes.identities import LATIN, Identities, is_word
from anonymize.mentions.normal_form import cased_letters, letters, normal_form, spread

FEWEST_LETTERS, FEWEST_WITH_CHINESE = 6, 4
"""Our choice: with these, nothing in the builds of both environments is a false alarm."""

FEWEST_DIGITS = 4
"""Digits of a code that may touch its suffix or follow it (our choice): `SH12` and `1HK` may be anything."""

_GAP = r"[\W_]*"
"""What may stand between two words of a token, each Chinese character being one."""

_SPACE = r"[\W_]{1,3}"
"""What stands between the letters of a Latin word that is spaced out: between all of them or none."""


class Form(NamedTuple):
    """One way in which a token may be written."""

    kind: str
    shape: Literal["name", "word", "code"]
    words: tuple[str, ...]
    """The token's words in normal form, or its one word in its own case; each Chinese character is a word."""

    @property
    def keeps_case(self) -> bool:
        """Return whether it is looked for in text that keeps its case."""
        return self.shape == "word"

    @property
    def needle(self) -> str:
        """Return its normal form."""
        return "".join(map(letters, "".join(self.words))) if self.keeps_case else "".join(self.words)

    def matches(self, written: str) -> Iterator[re.Match[str]]:
        """Return where it stands in spread text."""
        # NOTE: what must not stand before it keeps `re` from looking for its first letter, and takes 30 times as long.
        if not _core(self.shape, self.words).search(written):
            return iter(())
        return _pattern(self.shape, self.words).finditer(written)


@lru_cache(maxsize=1)
def forms_by_needle(identities: Identities) -> Mapping[str, list[Form]]:
    """Return every form that is looked for, by its normal form; one of several kinds has the first.

    The last is kept, since every variant of a build is searched for the same.
    """
    kinds = {" ".join(token.splitlines()): kind for token, kind in identities.anywhere().items()}
    written = spread("".join(f"{token}\n" for token in kinds)).split("\n")[:-1]
    parts = _distinctive_parts(written, identities.invented)
    forms: dict[str, dict[tuple[str, tuple[str, ...]], Form]] = defaultdict(dict)
    for (token, kind), text, part in zip(kinds.items(), written, parts, strict=True):
        for form in filter(_has_letter, _forms(token, text, part, kind)):
            forms[form.needle].setdefault((form.shape, form.words), form)
    return {needle: list(of_needle.values()) for needle, of_needle in forms.items()}


def _distinctive_parts(written: list[str], invented: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the words by which each name is known without its legal form; none if they could be another's."""
    parts = [_words(_LEGAL_FORM.sub("", text)) for text in written]
    distinctive = {"".join(words) for words in parts if _is_distinctive(words)}
    names = normal_form(pl.Series(invented, dtype=pl.String))
    taken = names.str.extract_many(sorted(distinctive), overlapping=True).explode().drop_nulls() if distinctive else ()
    distinctive -= set(taken)
    return [words if "".join(words) in distinctive else () for words in parts]


def _forms(token: str, written: str, part: tuple[str, ...], kind: str) -> Iterator[Form]:
    code = re.fullmatch(r"(\d+)[\W_]+([a-z]+)", written)
    if kind == "code" and code:
        yield from (Form(kind, "code", words) for words in _code_forms(code[1], code[2]))
    elif is_word(token):
        yield Form(kind, "word", ("".join(map(cased_letters, token)),))
    else:
        whole = _words(written)
        if part:
            yield Form(kind, "name", part)
        elif sum(map(len, whole)) >= (FEWEST_WITH_CHINESE if _has_chinese(whole) else FEWEST_LETTERS):
            yield Form(kind, "name", whole)


def _has_letter(form: Form) -> bool:
    return any(character.isalpha() for character in form.needle)


def _code_forms(digits: str, suffix: str) -> Iterator[tuple[str, str]]:
    significant = digits.lstrip("0") or "0"
    yield significant, suffix
    if len(suffix) > 1:
        fewest = max(len(significant), FEWEST_DIGITS)
        yield from ((suffix, digits[-count:]) for count in range(fewest, len(digits) + 1))


def _words(written: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(written))


def _is_distinctive(words: tuple[str, ...]) -> bool:
    part = "".join(words)
    if _has_chinese(words):
        return len(part) >= DISTINCTIVE_WITH_CHINESE and not _chinese_vocabulary().fullmatch(part)
    is_long = len(words) >= DISTINCTIVE_WORDS and len(part) >= DISTINCTIVE_LETTERS
    return is_long and not _english_vocabulary().issuperset(words)


@cache
def _core(shape: str, words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what stands wherever the form does, whatever is beside it."""
    return re.compile(_written(shape, words))


@cache
def _pattern(shape: str, words: tuple[str, ...]) -> re.Pattern[str]:
    zeros = "0*" if shape == "code" and words[0].isdigit() else ""
    before = f"(?<![{LATIN}])" if is_word(words[0]) else ""
    after = f"(?![{LATIN}])" if is_word(words[-1]) else ""
    return re.compile(f"{before}{zeros}{_written(shape, words)}{after}")


def _written(shape: str, words: tuple[str, ...]) -> str:
    match shape:
        case "code":
            return _code(*words)
        case "word":
            return f"(?:{_word(words[0])}|{_word(words[0].upper())})"
        case _:
            return _GAP.join(map(_word, words)) + _GLUED


def _word(word: str) -> str:
    return f"(?:{word}|{_SPACE.join(word)})" if len(word) > 1 else word


def _code(first: str, last: str) -> str:
    """Return the pattern of a code without leading zeros; the fewer digits, the more it takes to see that they belong."""
    if not first.isdigit():
        return rf"{first}[\W_]{{0,2}}{last}"
    between = r"\." if len(last) == 1 else r"[\W_]{0,2}" if len(first) >= FEWEST_DIGITS else r"[\W_]{1,2}"
    return f"{first}{between}{last}"


_LEGAL_FORM = re.compile(
    rf"(?:{_GAP}(?:{'|'.join(CHINESE_FORMS)}))+{_GAP}$"
    rf"|(?:[\W_]+(?:{'|'.join(map(_GAP.join, ENGLISH_FORMS))}))+{_GAP}$|^the[\W_]+"
)
_GLUED = f"(?:{'|'.join(ENGLISH_FORMS)})*"
"""A legal form that touches the name (`RossStoresInc`): it makes no other word of it."""

_WORD = re.compile(f"[{LATIN}]+|[^\\W_]")
_CHINESE = re.compile(r"[\u3400-\u9fff\U00020000-\U000323af]")


def _has_chinese(words: tuple[str, ...]) -> bool:
    return any(map(_CHINESE.match, words))


@cache
def _chinese_vocabulary() -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(sorted(_vocabulary(chinese.LEXICON)))})*")


@cache
def _english_vocabulary() -> frozenset[str]:
    return frozenset(word for words in _vocabulary(english.LEXICON) for word in _words(spread(words)))


def _vocabulary(lexicon: Lexicon) -> set[str]:
    trades = [*lexicon.trades.values(), lexicon.any_trade]
    of_trades = {word for trade in trades for word in (*trade.business, *trade.products)}
    return {*of_trades, *lexicon.subsidiary_roles, *lexicon.legal_forms}
