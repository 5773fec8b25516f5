"""Figures written in another way: thousands separators, scientific notation, another decimal point.

They act on plain decimals (`-1234.5`, no exponent, no separator, no superfluous zero in front) by text alone, so that no
float rounds a digit. Figures in other units are `unit_mismatch`, percentages as fractions `percent.py`.
"""

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

import polars as pl

from pipeline.noise.documents.fields import Some, Within
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.plain_decimals import PLAIN, decimals, sign, whole_digits, with_decimals

_FROM_A_THOUSAND = r"^-?[1-9][0-9]{3,20}(?:\.[0-9]+)?$"
_SEPARATED = r"^-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
_SCIENTIFIC = r"^-?[1-9](?:\.[0-9]+)?E\+[0-9]{2,3}$"
_WHOLE = r"^-?(?:0|[1-9][0-9]*)$"
_WHOLE_WITH_POINT = r"^-?(?:0|[1-9][0-9]*)\.0$"
_BROKEN = r"^-?(?:0|[1-9][0-9]*)\.[0-9]+$"
_BROKEN_BY_COMMA = r"^-?(?:0|[1-9][0-9]*),[0-9]+$"

_GROUPS = 7
"""Thousands that a figure may have: no currency's totals come near 21 digits."""

_LARGEST_EXPONENT = 999
"""That of `_SCIENTIFIC`: no text is ever written out longer."""

_MOST_DIGITS = 15
"""Decimal digits that a double always keeps: no program loses more."""


class _RewrittenFigures(ColumnsKind):
    """What the kinds of this file have in common: each figure is rewritten by itself, without a draw."""

    family: ClassVar[Family] = Family.FORMAT

    columns: Some[WrittenColumn]
    """Columns that hold figures, each by its own draw; what is no plain decimal is left alone."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        cell = pl.col(column)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._fits(cell),
            draws={"text": pl.when(self._fits(cell)).then(self._rewritten(cell)).otherwise(cell)},
            after={column: drawn("text")},
            is_recoverable=self._restored(drawn("text")) == cell,
        )

    @abstractmethod
    def _fits(self, text: pl.Expr) -> pl.Expr:
        """Return whether a text is a figure that can be written in the other way."""

    @abstractmethod
    def _rewritten(self, text: pl.Expr) -> pl.Expr:
        """Return a text that fits in the other way, and whatever for others."""

    @abstractmethod
    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return what is written in the other way as plain decimals, all else as it is."""


class ThousandsSeparators(_RewrittenFigures):
    """Puts commas between the thousands of a figure (`1,234,567.8`), so that it is read as text."""

    name: ClassVar[str] = "thousands_separators"
    recovery: ClassVar[str] = "Yes, by taking the commas out."

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains(_FROM_A_THOUSAND)

    def _rewritten(self, text: pl.Expr) -> pl.Expr:
        padded = whole_digits(text).str.pad_start(3 * _GROUPS, " ")
        groups = pl.concat_str([padded.str.slice(3 * group, 3) for group in range(_GROUPS)], separator=",")
        return with_decimals(sign(text) + groups.str.strip_chars_start(" ,"), decimals(text))

    def _restored(self, text: pl.Expr) -> pl.Expr:
        return pl.when(text.str.contains(_SEPARATED)).then(text.str.replace_all(",", "", literal=True)).otherwise(text)


class ScientificNotation(_RewrittenFigures):
    """Writes a large figure with an exponent and few digits (`2.28062E+11`), as spreadsheets show and then save it."""

    name: ClassVar[str] = "scientific_notation"
    recovery: ClassVar[str] = "Yes, where the figure has no more digits than are kept; what is rounded away is lost."

    digits: Annotated[int, Within(1, _MOST_DIGITS)] = 6
    """Significant digits that are kept, the rest rounded half away from zero; trailing zeros are dropped."""
    from_digits: Annotated[int, Within(2)] = 12
    """Digits before the point from which on a figure is large: spreadsheets show shorter ones in full."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains(PLAIN) & (whole_digits(text).str.len_bytes() >= self.from_digits)

    def _rewritten(self, text: pl.Expr) -> pl.Expr:
        whole = whole_digits(text)
        everything = whole + decimals(text)
        is_up = everything.str.slice(self.digits, 1) >= "5"
        kept = everything.str.head(self.digits).str.pad_end(self.digits, "0").cast(pl.Int64, strict=False)
        rounded = (kept + is_up.cast(pl.Int64)).cast(pl.String)  # one digit more than kept if all were nines
        exponent = whole.str.len_bytes().cast(pl.Int64) + rounded.str.len_bytes() - self.digits - 1
        rest = rounded.str.slice(1).str.strip_chars_end("0")
        mantissa = with_decimals(sign(text) + rounded.str.head(1), rest)
        return mantissa + "E+" + exponent.cast(pl.String).str.zfill(2)

    def _restored(self, text: pl.Expr) -> pl.Expr:
        parts = text.str.splitn("E+", 2)
        mantissa = parts.struct.field("field_0")
        places = parts.struct.field("field_1").cast(pl.UInt32, strict=False).clip(upper_bound=_LARGEST_EXPONENT) + 1
        everything = whole_digits(mantissa) + decimals(mantissa)
        whole = sign(text) + everything.str.head(places).str.pad_end(places, "0")
        written = with_decimals(whole, everything.str.slice(places))
        return pl.when(text.str.contains(_SCIENTIFIC)).then(written).otherwise(text)


class DecimalPoint(_RewrittenFigures):
    """Writes a whole figure with `.0`, as tables read as floats do, or a broken one with a decimal comma."""

    name: ClassVar[str] = "decimal_point"
    recovery: ClassVar[str] = (
        "Yes, by dropping `.0`, or writing a point; not where a comma may part thousands (`1,234`)."
    )

    style: Literal["trailing_zero", "comma"] = "trailing_zero"
    """`.0` after whole figures, for columns that have none in them; or a comma in place of the point."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains(_BROKEN if self.style == "comma" else _WHOLE)

    def _rewritten(self, text: pl.Expr) -> pl.Expr:
        return text.str.replace(".", ",", literal=True) if self.style == "comma" else text + ".0"

    def _restored(self, text: pl.Expr) -> pl.Expr:
        if self.style == "comma":
            is_clear = text.str.contains(_BROKEN_BY_COMMA) & ~text.str.contains(_SEPARATED)
            return pl.when(is_clear).then(text.str.replace(",", ".", literal=True)).otherwise(text)
        return pl.when(text.str.contains(_WHOLE_WITH_POINT)).then(text.str.strip_suffix(".0")).otherwise(text)
