"""Stray blanks: blanks before, after or inside a text that change nothing about it. Lost separators are another kind."""

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal, cast

import numpy as np
import polars as pl

from pipeline.noise.documents.fields import Some, Within
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.distinct import by_distinct
from pipeline.noise.kinds.parts.sentences import picked
from pipeline.noise.kinds.parts.slips import Characters, Codes, Flags, Slip, is_possible, one_of, slip_draws

_Where = Literal["leading", "trailing", "inner"]
_Sign = Literal["space", "full_width", "no_break"]

_SIGNS = {"space": " ", "full_width": "\u3000", "no_break": "\u00a0"}
_WIDE = r"[\p{Han}\u3001-\u303f\uff01-\uff65]"
"""Characters that stand without blanks between them: Chinese characters and their punctuation."""


class StrayBlanks(ColumnsKind):
    """Puts blanks before or after a text, between two of its Chinese characters, or beside a blank that it has."""

    name: ClassVar[str] = "stray_blanks"
    family: ClassVar[Family] = Family.NAMES
    recovery: ClassVar[str] = (
        "Yes: strip the ends, close up Chinese characters, make every other run of blanks one space."
    )

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts that have stray blanks already are left."""
    where: Some[_Where] = ("trailing",)
    """Where blanks are put, each alike where it can be."""
    signs: Some[_Sign] = ("space",)
    """Which blank is put, each alike: the space, the full-width (U+3000) or the no-break one (U+00A0)."""
    most: Annotated[int, Within(1)] = 1
    """The largest number of blanks put, all at one place and of one sign."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        cell, slips = pl.col(column), self._slips()
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=(self._restored(cell) == cell) & cell.str.contains(r"\S") & is_possible(cell, slips),
            draws=slip_draws(cell, slips, draws, column),
            after={column: drawn("slipped")},
            is_recoverable=self._restored(drawn("slipped")) == cell,
        )

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
