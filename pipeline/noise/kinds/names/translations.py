"""Translation variants: a romanised Chinese name spelt or ended another way. A name in another language is another kind."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial
from typing import Literal

import polars as pl

from pipeline.documents.fields import Some, Text
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Family, NoisyRows, WrittenColumn, drawn
from pipeline.noise.kinds.parts.distinct import by_distinct, rewritten
from pipeline.noise.kinds.parts.slips import picked
from pipeline.noise.mechanisms import ColumnName

_Form = Literal["swapped_syllables", "joined_syllables", "lost_letter", "suffix"]
_FORMS: tuple[_Form, ...] = ("swapped_syllables", "joined_syllables", "lost_letter", "suffix")

LEGAL_SUFFIXES = ("Company", "Joint Stock Co., Ltd.", "Company Limited", "Co. Ltd.", "Corporation Limited")
"""How translators end the name of a limited company besides `Co., Ltd.`: the first two stand in the release (reference,
4.22), the others are our choice of what filings in English have."""

_INITIALS = "zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw]"
_FINALS = (
    "a|ai|an|ang|ao|e|ei|en|eng|er|i|ia|ian|iang|iao|ie|in|ing|iong|iu|o|ong|ou|u|ua|uai|uan|uang|ue|ui|un|uo|v|ve"
)
_SYLLABLES = rf"^((?:(?i:(?:{_INITIALS})?(?:{_FINALS}))(?: |$))+)"
"""The words at the beginning of a name that are built like a syllable of Hanyu Pinyin (ISO 7098), each with what ends it."""

_LEAST_LETTERS = 3
"""Of a syllable that can lose one."""

_HAN = r"\p{Han}+"
_GAP = "\x1f"


class TranslationVariants(ColumnsKind):
    """Spells the pinyin of a translated name another way, or ends the name in another legal suffix."""

    name = "translation_variants"
    family = Family.LANGUAGE
    recovery = (
        "Yes, of the suffix, which clean names share, and of syllables where the Chinese name is beside and its characters "
        "read in one way only."
    )

    columns: Some[WrittenColumn]
    """Columns of names in English, each with its own draw; a cell in which no form can happen is left."""
    forms: Some[_Form] = _FORMS
    """What happens, each alike where it can: of the syllables that the name begins with, two neighbours change places or
    are written as one word, or one loses a letter; or the suffix is another."""
    suffix: Text = "Co., Ltd."
    """The legal suffix of clean names."""
    suffixes: Some[Text] = LEGAL_SUFFIXES
    """Suffixes that stand instead, each alike."""
    chinese: ColumnName | None = None
    """Column whose first run of Chinese characters begins with the name that is romanised, one syllable a character;
    syllables are not recoverable without."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a suffix that would stand for itself, and a Chinese name that the rule itself would change."""
        if self.suffix in self.suffixes:
            yield Refusal("suffixes", self.suffix, "other texts than `suffix`")
        if self.chinese in self.columns:
            yield Refusal("chinese", self.chinese, "a column that is not among `columns`")

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return rows with the clean names' suffix, and with syllables as the characters of the Chinese name read."""
        chinese = self.chinese if self.chinese in noisy.rows.columns else None
        return rewritten(noisy.rows, self.columns, lambda text: self._restored_by(text, chinese))

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return pl.any_horizontal(self._is_possible(text).values())

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        cell = pl.col(column)
        flags = [pl.when(can).then(pl.lit(form)) for form, can in self._is_possible(cell).items()]
        return {
            "words": _words(cell),
            **{f"uniform {what}": draws.uniform(column, what) for what in ("form", "place", "option")},
            "form": picked(pl.concat_list(flags).list.drop_nulls(), drawn("uniform form")),
            "place": self._place(drawn("uniform place")),
            "variant": self._variant(cell, drawn("uniform option")),
        }

    def _restored(self, text: pl.Expr) -> pl.Expr:
        return self._restored_by(text, self.chinese)

    def _is_possible(self, cell: pl.Expr) -> dict[str, pl.Expr]:
        """Return for each form whether it can happen in a text."""
        words = _words(cell)
        others = [cell.str.ends_with(f" {other}") for other in self.suffixes]
        possible = {form: _places(words, which).list.len() > 0 for form, which in _PLACES.items()}
        possible["suffix"] = cell.str.ends_with(f" {self.suffix}") & ~pl.any_horizontal(others)
        return {form: possible[form].fill_null(value=False) for form in self.forms}

    def _place(self, uniform: pl.Expr) -> pl.Expr:
        """Draw the word at which the form happens, each alike of those where it can."""
        return pl.coalesce(
            pl.lit(None, pl.Int64),
            *(
                pl.when(drawn("form") == form).then(picked(_places(drawn("words"), which), uniform))
                for form, which in _PLACES.items()
            ),
        )

    def _variant(self, cell: pl.Expr, uniform: pl.Expr) -> pl.Expr:
        """Return the text in which the form that was drawn has happened; the text itself if none can."""
        words, place = drawn("words"), drawn("place")
        rest = cell.str.slice(words.list.join(" ").str.len_chars())
        stem = cell.str.strip_suffix(self.suffix)
        written = [
            pl.when(drawn("form") == form).then(made(words, place, uniform).list.join(" ") + rest)
            for form, made in _WRITTEN.items()
        ]
        ended = pl.when(drawn("form") == "suffix").then(stem + picked(pl.lit([*self.suffixes]), uniform))
        return pl.coalesce(*written, ended, cell)

    def _restored_by(self, cell: pl.Expr, chinese: str | None) -> pl.Expr:
        text = self._with_suffix(cell) if "suffix" in self.forms else cell
        spelt = set(self.forms) - {"suffix"}
        if chinese is None or not spelt:
            return text
        han = pl.col(chinese).str.extract(f"({_HAN})")
        read = by_distinct(han + _GAP + text, partial(_all_read, forms=spelt))
        return pl.coalesce(read, text)

    def _with_suffix(self, cell: pl.Expr) -> pl.Expr:
        """Return texts that end as clean names do where they end in another suffix, the longest that it can be."""
        longest_first = sorted(self.suffixes, key=lambda suffix: (-len(suffix), suffix))
        ends = [(f" {other}", pl.lit(f" {self.suffix}")) for other in longest_first]
        changed = [pl.when(cell.str.ends_with(end)).then(cell.str.strip_suffix(end) + own) for end, own in ends]
        return pl.coalesce(*changed, cell)


# --- there -------------------------------------------------------------------------------------------------------------


def _words(cell: pl.Expr) -> pl.Expr:
    """Return the syllables at the beginning of a name; an empty list if there are none."""
    run = cell.str.extract(_SYLLABLES).str.strip_suffix(" ").str.split(" ")
    return pl.when(cell.is_not_null()).then(run.fill_null([]))


def _places(words: pl.Expr, which: pl.Expr) -> pl.Expr:
    """Return the places of those words of which something, said of `pl.element()`, is true."""
    return words.list.eval(pl.arg_where(which)).cast(pl.List(pl.Int64))


def _swapped(words: pl.Expr, place: pl.Expr, _uniform: pl.Expr) -> pl.Expr:
    return pl.concat_list(
        words.list.head(place), words.list.slice(place + 1, 1), words.list.slice(place, 1), words.list.slice(place + 2)
    )


def _joined(words: pl.Expr, place: pl.Expr, _uniform: pl.Expr) -> pl.Expr:
    both = words.list.get(place, null_on_oob=True) + words.list.get(place + 1, null_on_oob=True).str.to_lowercase()
    return pl.concat_list(words.list.head(place), both, words.list.slice(place + 2))


def _shorter(words: pl.Expr, place: pl.Expr, uniform: pl.Expr) -> pl.Expr:
    """Leave out one letter, each alike but the first."""
    word = words.list.get(place, null_on_oob=True)
    letter = 1 + (uniform * (word.str.len_chars().cast(pl.Int64) - 1)).cast(pl.Int64)
    left = word.str.slice(0, letter) + word.str.slice(letter + 1)
    return pl.concat_list(words.list.head(place), left, words.list.slice(place + 1))


_PLACES = {
    "swapped_syllables": pl.element().str.to_lowercase() != pl.element().str.to_lowercase().shift(-1),
    "joined_syllables": pl.element().shift(-1).is_not_null(),
    "lost_letter": pl.element().str.len_chars() >= _LEAST_LETTERS,
}
"""Form -> at which words of a name it can happen."""

_WRITTEN: dict[str, Callable[[pl.Expr, pl.Expr, pl.Expr], pl.Expr]] = {
    "swapped_syllables": _swapped,
    "joined_syllables": _joined,
    "lost_letter": _shorter,
}
"""Form -> the words afterwards, given the words, the place and a uniform draw on [0, 1)."""


# --- and back ----------------------------------------------------------------------------------------------------------


def _all_read(pairs: pl.Series, forms: Collection[str]) -> pl.Series:
    return pl.Series([_read(pair, forms) for pair in pairs], dtype=pl.String)


def _read(pair: str, forms: Collection[str]) -> str:
    """Return a name as its characters read, if one form at the first word that they do not read like explains it.

    It is left as it is if no form does, or several that give different names. The pair is its characters and its text.
    """
    han, _, text = pair.partition(_GAP)
    words = text.split(" ")
    place = next((at for at, word in enumerate(words[: len(han)]) if word.lower() not in _readings(han[at])), None)
    if place is None:
        return text
    found = {
        " ".join((*words[:place], *put, *words[place + taken :]))
        for form, taken in (("swapped_syllables", 2), ("joined_syllables", 1), ("lost_letter", 1))
        if form in forms
        for put in _UNDONE[form](words[place : place + 2], han[place : place + 2])
    }
    return found.pop() if len(found) == 1 else text


def _swapped_back(words: list[str], han: str) -> Iterator[tuple[str, ...]]:
    if len(words) == len(han) == 2 and all(  # noqa: PLR2004  (a pair)
        word.lower() in _readings(character) for word, character in zip(reversed(words), han, strict=True)
    ):
        yield words[1], words[0]


def _parted(words: list[str], han: str) -> Iterator[tuple[str, ...]]:
    for first in _readings(han[0]):
        second = words[0].lower().removeprefix(first)
        if words[0].lower().startswith(first) and second in _readings(han[1:]):
            yield words[0][: len(first)], second.capitalize()


def _longer(words: list[str], han: str) -> Iterator[tuple[str, ...]]:
    for reading in _readings(han[0]):
        if any(words[0].lower() == reading[:at] + reading[at + 1 :] for at in range(1, len(reading))):
            yield (reading.capitalize() if re.match("[A-Z]", words[0]) else reading,)


_UNDONE: dict[str, Callable[[list[str], str], Iterator[tuple[str, ...]]]] = {
    "swapped_syllables": _swapped_back,
    "joined_syllables": _parted,
    "lost_letter": _longer,
}
"""Form -> what the word at a place may have been, given two words and two characters from there on."""


@cache
def _readings(character: str) -> frozenset[str]:
    """Return every reading of a Chinese character without tones; none of no character."""
    from pypinyin import Style, pinyin  # noqa: PLC0415  (its tables take 0.4 s to load)

    return frozenset(reading for one in pinyin(character, style=Style.NORMAL, heteronym=True) for reading in one)
