"""Figures written in another way: thousands separators, scientific notation, another decimal point, percent as fractions.

They act on plain decimals (`-1234.5`, no exponent, no separator, no superfluous zero in front) by text alone, so that no
float rounds a digit. Figures in other units are `units.py`.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.fields import Some, Text, Within
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, NoisyRows, OneEdit, WrittenColumn
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

    family = Family.FORMAT

    columns: Some[WrittenColumn]
    """Columns that hold figures, each by its own draw; what is no plain decimal is left alone."""

    def _steps(self, column: str, _draws: Draws) -> Mapping[str, pl.Expr]:
        cell = pl.col(column)
        return {"text": pl.when(self._fits(cell)).then(self._rewritten(cell)).otherwise(cell)}

    @abstractmethod
    def _rewritten(self, text: pl.Expr) -> pl.Expr:
        """Return a text that fits in the other way, and whatever for others."""


class ThousandsSeparators(_RewrittenFigures):
    """Puts commas between the thousands of a figure (`1,234,567.8`), so that it is read as text."""

    name = "thousands_separators"
    recovery = "Yes, by taking the commas out."

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

    name = "scientific_notation"
    recovery = "Yes, where the figure has no more digits than are kept; what is rounded away is lost."

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

    name = "decimal_point"
    recovery = "Yes, by dropping `.0`, or writing a point; not where a comma may part thousands (`1,234`)."

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


_PLACES = 2
"""A percentage is a fraction with its point moved by two digits."""


class PercentAsFraction(OneEdit):
    """States a percentage as a fraction (28.63 % becomes 0.2863), its label moved along or emptied.

    The point moves by two digits and no other digit changes: 100 % is 1.00.
    """

    name = "percent_as_fraction"
    family = Family.FORMAT
    mends_each_row = True
    recovery = "Yes, by the label: a hundred times the figure; not where the label is emptied."

    unit_column: WrittenColumn
    """The column of the label."""
    value_column: WrittenColumn
    """The column of the figure; what is no plain decimal is left alone."""
    percent_label: Text = "%"
    """The label of percentages."""
    fraction_label: Text | None = None
    """The label of fractions, one that the clean column never has; the cell is emptied if not given."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse one column as both, and a label of fractions that means something else."""
        if self.unit_column == self.value_column:
            yield Refusal("value_column", self.value_column, "another column than unit_column")
        units = {unit for family in environment.units.values() for unit in family} | {self.percent_label}
        if self.fraction_label in units:
            yield Refusal("fraction_label", self.fraction_label, "a label that is no unit of the environment, or none")

    def _edit(self, _environment: Environment, draws: Draws) -> Edit:
        label, value = pl.col(self.unit_column), pl.col(self.value_column)
        is_moved = (label == self.percent_label) & (value.is_null() | value.str.contains(PLAIN))
        return Edit(
            column=self.value_column,
            owner=draws.row_key,
            is_eligible=(label == self.percent_label) & value.str.contains(PLAIN),
            after={
                self.value_column: pl.when(is_moved).then(_hundredth(value)).otherwise(value),
                self.unit_column: pl.when(is_moved).then(pl.lit(self.fraction_label, pl.String)).otherwise(label),
            },
            is_recoverable=pl.lit(self.fraction_label is not None),
        )

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """State whatever is labelled as a fraction in percent."""
        if self.fraction_label is None or not noisy.has(self.unit_column, self.value_column):
            return noisy.rows
        label, value = pl.col(self.unit_column), pl.col(self.value_column)
        is_fraction = (label == self.fraction_label) & (value.is_null() | value.str.contains(PLAIN))
        return noisy.rows.with_columns(
            pl.when(is_fraction).then(_hundredfold(value)).otherwise(value).alias(self.value_column),
            pl.when(is_fraction).then(pl.lit(self.percent_label)).otherwise(label).alias(self.unit_column),
        )


def _hundredth(text: pl.Expr) -> pl.Expr:
    """Return a plain decimal with its point moved two digits to the left: as many digits, zeros in front where needed."""
    whole = whole_digits(text).str.zfill(_PLACES + 1)
    places = whole.str.len_bytes() - _PLACES
    return sign(text) + whole.str.head(places) + "." + whole.str.slice(places) + decimals(text)


def _hundredfold(text: pl.Expr) -> pl.Expr:
    """Return a plain decimal with its point moved two digits to the right, without superfluous zeros in front."""
    fraction = decimals(text).str.pad_end(_PLACES, "0")
    whole = (whole_digits(text) + fraction.str.head(_PLACES)).str.replace("^0+([0-9])", "${1}")
    return with_decimals(sign(text) + whole, fraction.str.slice(_PLACES))
