"""Other script: simplified characters are written as traditional ones. Other characters by mistake are another kind."""

from collections.abc import Mapping
from functools import cache
from typing import ClassVar, Literal

import opencc
import polars as pl

from pipeline.noise.documents.fields import Some
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.distinct import by_distinct

_Standard = Literal["traditional", "taiwan", "hong_kong"]
_CONVERSIONS: Mapping[_Standard, tuple[str, str]] = {
    "traditional": ("s2t", "t2s"),
    "taiwan": ("s2tw", "tw2s"),
    "hong_kong": ("s2hk", "hk2s"),
}
"""OpenCC's conversions, there and back."""


class OtherScript(ColumnsKind):
    """Writes a text in traditional characters instead of simplified ones, all of it, by OpenCC's tables."""

    name: ClassVar[str] = "other_script"
    family: ClassVar[Family] = Family.LANGUAGE
    recovery: ClassVar[str] = "Yes, by converting back, where that gives the text (said cell by cell)."

    columns: Some[WrittenColumn]
    """Columns of Chinese text, each with its own draw; texts that are the same in both scripts are left."""
    standard: _Standard = "traditional"
    """Whose traditional forms: OpenCC's own, those of Taiwan or those of Hong Kong."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        cell = pl.col(column)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._traditional(cell) != cell,
            draws={"traditional": self._traditional(cell)},
            after={column: drawn("traditional")},
            is_recoverable=self._restored(drawn("traditional")) == cell,
        )

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
