"""The same text in other signs: traditional characters, full width, stray blanks. Other characters by mistake are typos."""

import string
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Literal, cast

import numpy as np
import opencc
import polars as pl

from pipeline.documents.fields import Some, Within
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Family, WrittenColumn
from pipeline.noise.kinds.parts.distinct import by_distinct
from pipeline.noise.kinds.parts.sentences import picked
from pipeline.noise.kinds.parts.slips import Characters, Codes, Flags, Slip, is_possible, one_of, slip_draws

_Standard = Literal["traditional", "taiwan", "hong_kong"]
_CONVERSIONS: Mapping[_Standard, tuple[str, str]] = {
    "traditional": ("s2t", "t2s"),
    "taiwan": ("s2tw", "tw2s"),
    "hong_kong": ("s2hk", "hk2s"),
}
"""OpenCC's conversions, there and back."""


class OtherScript(ColumnsKind):
    """Writes a text in traditional characters instead of simplified ones, all of it, by OpenCC's tables."""

    name = "other_script"
    family = Family.LANGUAGE
    recovery = "Yes, by converting back, where that gives the text (said cell by cell)."

    columns: Some[WrittenColumn]
    """Columns of Chinese text, each with its own draw; texts that are the same in both scripts are left."""
    standard: _Standard = "traditional"
    """Whose traditional forms: OpenCC's own, those of Taiwan or those of Hong Kong."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return self._traditional(text) != text

    def _steps(self, column: str, _draws: Draws) -> Mapping[str, pl.Expr]:
        return {"traditional": self._traditional(pl.col(column))}

    def _traditional(self, cell: pl.Expr) -> pl.Expr:
        there, _ = _CONVERSIONS[self.standard]
        return by_distinct(cell, lambda texts: _converted(texts, there))

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return in simplified characters what is written throughout as this kind writes."""
        return by_distinct(text, self._simplified_if_traditional)

    def _simplified_if_traditional(self, texts: pl.Series) -> pl.Series:
        there, back = _CONVERSIONS[self.standard]
        simplified = _converted(texts, back)
        return simplified.zip_with(_converted(simplified, there) == texts, texts)


def _converted(texts: pl.Series, conversion: str) -> pl.Series:
    convert = _converter(conversion).convert
    return pl.Series([convert(text) for text in texts], dtype=pl.String)


@cache
def _converter(conversion: str) -> opencc.OpenCC:
    return opencc.OpenCC(conversion)


_Characters = Literal["digits", "letters", "signs"]
_ASCII = {"digits": string.digits, "letters": string.ascii_letters, "signs": string.punctuation}
_FULL_WIDTH = 0xFF01 - 0x21
"""Between a character of ASCII and its full-width form (Unicode, block Halfwidth and Fullwidth Forms)."""


class OtherWidth(ColumnsKind):
    """Writes digits, letters or signs of ASCII in full width (２０２２), all of them in the cell."""

    name = "other_width"
    family = Family.FORMAT
    recovery = "Yes: every full-width form back to ASCII, where no ASCII form of such characters is left."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts with a full-width form of such characters already are left."""
    characters: Some[_Characters] = ("digits", "letters")
    """What is written in full width. Leave out `signs` where Chinese text uses full-width ones anyway."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains_any([*self._ascii]) & ~text.str.contains_any([*self._full_width])

    def _steps(self, column: str, _draws: Draws) -> Mapping[str, pl.Expr]:
        return {"wide": pl.col(column).str.replace_many([*self._ascii], [*self._full_width])}

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return in ASCII what has all characters of that set in full width."""
        narrow = text.str.replace_many([*self._full_width], [*self._ascii])
        return pl.when(text.str.contains_any([*self._ascii])).then(text).otherwise(narrow)

    @property
    def _ascii(self) -> str:
        return "".join(_ASCII[name] for name in self.characters)

    @property
    def _full_width(self) -> str:
        return "".join(chr(ord(character) + _FULL_WIDTH) for character in self._ascii)


_Where = Literal["leading", "trailing", "inner"]
_Sign = Literal["space", "full_width", "no_break"]

_SIGNS = {"space": " ", "full_width": "\u3000", "no_break": "\u00a0"}
_WIDE = r"[\p{Han}\u3001-\u303f\uff01-\uff65]"
"""Characters that stand without blanks between them: Chinese characters and their punctuation."""


class StrayBlanks(ColumnsKind):
    """Puts blanks before or after a text, between two of its Chinese characters, or beside a blank that it has."""

    name = "stray_blanks"
    family = Family.NAMES
    recovery = "Yes: strip the ends, close up Chinese characters, make every other run of blanks one space."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts that have stray blanks already are left."""
    where: Some[_Where] = ("trailing",)
    """Where blanks are put, each alike where it can be."""
    signs: Some[_Sign] = ("space",)
    """Which blank is put, each alike: the space, the full-width (U+3000) or the no-break one (U+00A0)."""
    most: Annotated[int, Within(1)] = 1
    """The largest number of blanks put, all at one place and of one sign."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return (self._restored(text) == text) & text.str.contains(r"\S") & is_possible(text, self._slips())

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        return slip_draws(pl.col(column), self._slips(), draws, column)

    def _slips(self) -> tuple[Slip, ...]:
        written: Mapping[_Where, Callable[[pl.Expr, pl.Expr, pl.Expr], pl.Expr]] = {
            "leading": lambda this, after, uniform: self._blanks(uniform) + this + after,
            "trailing": lambda this, after, uniform: this + after + self._blanks(uniform),
            "inner": lambda this, after, uniform: this + self._blanks(uniform) + after,
        }
        return tuple(Slip(name=where, can_happen=_PLACES[where], written=written[where]) for where in self.where)

    def _blanks(self, uniform: pl.Expr) -> pl.Expr:
        """Return what is put in: one of so many signs times one of so many lengths."""
        return picked(uniform, tuple(_SIGNS[sign] * count for sign in self.signs for count in range(1, self.most + 1)))

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return texts as they stand without stray blanks; a text of nothing but blanks as it is."""
        return by_distinct(
            text, lambda texts: texts.to_frame("text").select(self._closed_up(pl.col("text"))).to_series()
        )

    def _closed_up(self, text: pl.Expr) -> pl.Expr:
        blanks, normal = "".join(_SIGNS[sign] for sign in self.signs), text
        if "leading" in self.where:
            normal = normal.str.strip_chars_start(blanks)
        if "trailing" in self.where:
            normal = normal.str.strip_chars_end(blanks)
        if "inner" in self.where:
            normal = _closed_up_inside(normal, f"[ {blanks}]")
        return pl.when(normal == "").then(text).otherwise(normal)


def _closed_up_inside(text: pl.Expr, blank: str) -> pl.Expr:
    between_wide = f"({_WIDE}){blank}+({_WIDE})"
    # NOTE: a match takes the character after the blanks along, so every other gap is closed by a second pass
    closed = text.str.replace_all(between_wide, "${1}${2}").str.replace_all(between_wide, "${1}${2}")
    return closed.str.replace_all(f"(\\S){blank}{{2,}}(\\S)", "${1} ${2}")


def _is_inside(characters: Characters) -> Flags:
    return cast("Flags", (characters.this == ord(" ")) | (_is_wide(characters.this) & _is_wide(characters.after)))


def _is_wide(codes: Codes) -> Flags:
    found = np.flatnonzero(np.bincount(codes, minlength=1))
    texts = pl.Series([chr(code) for code in found], dtype=pl.String)
    return one_of(texts.filter(texts.str.contains(_WIDE)))(codes)


_PLACES: Mapping[_Where, Callable[[Characters], Flags]] = {
    "leading": lambda characters: characters.is_first,
    "trailing": lambda characters: characters.is_last,
    "inner": _is_inside,
}
