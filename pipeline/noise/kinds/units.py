"""Units: a figure is stated in another unit with its label, or is off by a power of ten under its own.

A label without its value, or a value without its label, are `scale_error` (they lose the truth). Other words for a unit drift
(`names/drift.py`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.documents.fields import KnownName, Some
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.noise.kinds.interface import (
    ColumnsKind,
    Draws,
    Edit,
    Family,
    NoisyRows,
    OneEdit,
    WrittenColumn,
    clean,
    drawn,
)
from pipeline.noise.kinds.parts.plain_decimals import sign
from pipeline.numerals import number_of

_TINY, _LARGE = 1e-7, 1e36
"""Converted figures between which 15 digits come back for certain."""

_TOO_LARGE = 1e280
"""Figures from here on are left alone (our choice), so that no conversion overflows; so is `inf`, and `nan`."""


class UnitMismatch(OneEdit):
    """Writes the figure in another unit of its kind (or, by chance, its own), as floats give it (`101.49309351000001`).

    Each unit of the kind is drawn alike. The value is float(text) * factor of the own unit / factor of the drawn one, in the
    fewest digits that read back as the same float: the binary residue of the conversion stays, as in the original
    (reference 4.3).
    """

    name = "unit_mismatch"
    family = Family.UNITS
    mends_each_row = True
    recovery = (
        "Yes: value times the labelled unit, in the fewest digits that convert to what stands there, where the truth is in "
        "the base unit and written like that."
    )

    unit_column: WrittenColumn
    """The column of labels."""
    value_column: WrittenColumn
    """The column of figures; the mechanism looks at it."""
    units: Some[Annotated[str, KnownName("unit")]] | None = None
    """The units to draw from and to act on; every family of the environment if not given."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse units of different families, and an environment without any."""
        if not environment.units:
            yield Refusal("", self.name, f"nothing: {environment.name} declares no units")
        if self.unit_column == self.value_column:
            yield Refusal("value_column", self.value_column, "another column than unit_column")
        if self.units and not any(set(self.units) <= set(family) for family in environment.units.values()):
            yield Refusal("units", ", ".join(self.units), f"units of one family: {_listed(environment.units)}")

    def _edit(self, environment: Environment, draws: Draws) -> Edit:
        factors = {unit: factor for family in environment.units.values() for unit, factor in family.items()}
        label, value, target = pl.col(self.unit_column), pl.col(self.value_column), drawn("unit")
        own = pl.when(_factor(label, factors).is_null()).then(clean(self.unit_column)).otherwise(label)
        converted = _number(value) * _factor(own, factors) / _factor(target, factors)
        is_moved = (target != own) & (value.is_null() | drawn("converted").is_not_null())
        bases = self._bases(environment)
        is_base = clean(self.unit_column).is_in(list(set(bases.values())))
        return Edit(
            column=self.value_column,
            owner=draws.row_key,
            is_eligible=label.is_in(list(self._families(environment))) & _number(value).is_not_null(),
            draws={"unit": self._target(environment, draws), "converted": converted},
            after={
                self.unit_column: pl.when(is_moved).then(target).otherwise(label),
                self.value_column: pl.when(is_moved).then(plain_text(drawn("converted"))).otherwise(value),
            },
            is_recoverable={
                self.unit_column: is_base,
                self.value_column: is_base
                & label.is_not_null()
                & _comes_back(drawn("converted"), _factor(target, factors), clean(self.value_column)),
            },
        )

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return rows with every figure, and the label beside it, back in its family's base unit (factor 1)."""
        if not noisy.has(self.unit_column, self.value_column):
            return noisy.rows
        bases = self._bases(noisy.environment)
        factors = {unit: factor for family in noisy.environment.units.values() for unit, factor in family.items()}
        label, value = pl.col(self.unit_column), pl.col(self.value_column)
        is_other = label.is_in([unit for unit, base in bases.items() if unit != base]).fill_null(value=False)
        number = _number(pl.when(is_other).then(value))
        is_moved = is_other & (value.is_null() | number.is_not_null())
        return noisy.rows.with_columns(
            pl.when(number.is_not_null()).then(plain_text(_in_base(number, _factor(label, factors)))).otherwise(value),
            pl.when(is_moved).then(label.replace_strict(bases, default=None)).otherwise(label),
        )

    def _target(self, environment: Environment, draws: Draws) -> pl.Expr:
        """Draw the unit by the clean label, so that no other rule sways it."""
        families = self._families(environment)
        targets = [drawn for family in families.values() for drawn in family]
        starts = dict(zip(families, accumulate(map(len, families.values()), initial=0), strict=False))
        sizes = {unit: len(family) for unit, family in families.items()}
        own = clean(self.unit_column)
        uniform = draws.uniform(self.value_column, "what")
        start, size = (own.replace_strict(numbers, default=None, return_dtype=pl.Int64) for numbers in (starts, sizes))
        rank = start + (uniform * size).cast(pl.Int64)
        return rank.replace_strict(dict(enumerate(targets)), default=None, return_dtype=pl.String)

    def _bases(self, environment: Environment) -> Mapping[str, str]:
        """Return for each unit that may be acted on the base unit of its family, if that may be as well."""
        families = self._families(environment)
        return {
            unit: base
            for family in environment.units.values()
            for base, factor in family.items()
            if factor == 1 and base in families
            for unit in family
            if unit in families
        }

    def _families(self, environment: Environment) -> Mapping[str, tuple[str, ...]]:
        """Return the units to draw from by the unit that is there."""
        return {
            unit: self.units or tuple(family)
            for family in environment.units.values()
            for unit in family
            if self.units is None or unit in self.units
        }


_SHORT = r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$"
"""Plain figures as `plain_text` writes them."""
_SURE = 15
"""Digits that a float always gives back."""


def _comes_back(number: pl.Expr, factor: pl.Expr, clean_text: pl.Expr) -> pl.Expr:
    """Say whether the converted number gives its clean text back, at sight where it is plain and short."""
    return pl.map_batches([number, factor, clean_text], _is_back, return_dtype=pl.Boolean)


def _is_back(series: Sequence[pl.Series]) -> pl.Series:
    numbers, factors, texts = series
    magnitude = numbers.abs().is_between(_TINY, _LARGE)
    is_sure = (texts.str.len_bytes() <= _SURE) & texts.str.contains(_SHORT) & magnitude
    others = (~is_sure.fill_null(value=False)).arg_true()
    if others.is_empty():
        return is_sure
    figures = plain_text(_in_base(pl.lit(numbers.gather(others)), pl.lit(factors.gather(others))))
    is_back = pl.select(figures == pl.lit(texts.gather(others))).to_series()
    return is_sure.scatter(others, is_back)


def _in_base(number: pl.Expr, factor: pl.Expr) -> pl.Expr:
    """Return the figure in the base unit that was converted to a number: the one of fewest digits, up to 17 as a float has.

    Tried with 15, 16 and 17 digits: what gives the number again. A text of up to 15 digits that was converted is always found
    from 1e-7 to 1e36, where the powers of ten are exact: three roundings to 53 bits move it by less than half its last digit.
    """
    return pl.map_batches([number, factor], _based, return_dtype=pl.Float64)


def _based(series: Sequence[pl.Series]) -> pl.Series:
    numbers, factors = (one.cast(pl.Float64).to_numpy() for one in series)
    with np.errstate(all="ignore"):
        figures = numbers * factors
        open_ = np.arange(len(figures))
        for digits in (15, 16):
            rounded = _rounded(figures[open_], digits)
            is_found = rounded / factors[open_] == numbers[open_]
            figures[open_[is_found]] = rounded[is_found]
            open_ = open_[~is_found]
    return pl.Series(figures).fill_nan(None)


def _rounded(numbers: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    """Return floats rounded to significant digits; NaN for 0."""
    places = digits - 1 - np.floor(np.log10(np.abs(numbers)))
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    return np.asarray(np.rint(numbers * up / down) / up * down)


def plain_text(number: pl.Expr) -> pl.Expr:
    """Return a finite float as plain decimal text: the fewest digits that read back the same, no exponent, no `.0`."""
    return number.map_batches(_plain, return_dtype=pl.String)


def _plain(numbers: pl.Series) -> pl.Series:
    shortest = numbers.cast(pl.String).str.strip_suffix(".0")
    # polars writes an exponent outside these bounds only, and few figures lie there
    is_rare = ~numbers.abs().is_between(1e-4, 1e15) & (numbers != 0)
    rare = is_rare.arg_true()
    if rare.is_empty():
        return shortest
    return shortest.scatter(rare, pl.select(_without_exponent(pl.lit(shortest.gather(rare)))).to_series())


def _without_exponent(shortest: pl.Expr) -> pl.Expr:
    mantissa = shortest.str.extract(r"^-?([0-9.]+)e", 1)
    exponent = shortest.str.extract(r"e([+-]?\d+)$", 1).str.strip_prefix("+").cast(pl.Int64)
    digits = mantissa.str.replace(".", "", literal=True)
    # NOTE: both branches are computed for all rows, hence the lower bounds of the widths
    small = sign(shortest) + pl.lit("0.") + digits.str.pad_start((digits.str.len_bytes() - 1 - exponent).clip(0), "0")
    large = sign(shortest) + digits.str.pad_end((exponent + 1).clip(0), "0")
    scientific = pl.when(exponent < 0).then(small).otherwise(large)
    return pl.when(mantissa.is_null()).then(shortest).otherwise(scientific)


def _number(text: pl.Expr) -> pl.Expr:
    number = number_of(text)
    return pl.when(number.abs() < _TOO_LARGE).then(number)


def _factor(unit: pl.Expr, factors: Mapping[str, int]) -> pl.Expr:
    return unit.replace_strict(factors, default=None, return_dtype=pl.Float64)


def _listed(units: Mapping[str, Mapping[str, int]]) -> str:
    return "; ".join(", ".join(family) for family in units.values())


_FARTHEST = 30
"""Places that a decimal point may move (our choice): as far as any unit or slip of a spreadsheet reaches."""
_FIGURE = r"^[+-]?\d+(?:\.\d+)?$"
_IS_NOT_ZERO = "[1-9]"


class ScaleError(ColumnsKind):
    """Multiplies a figure by a power of ten and leaves its unit, by moving the decimal point in the text."""

    name = "scale_error"
    family = Family.UNITS
    recovery = "No, unless another table repeats the figure: the digits are right, their place is lost."

    columns: Some[WrittenColumn]
    """Columns of figures, each with its own draw."""
    factors: Some[float]
    """Powers of ten, each drawn alike: 100 where percents stand for shares, 0.0001 where 万元 were taken for 元."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse factors that are no power of ten, are 1 or are out of reach."""
        for factor in self.factors:
            if not _is_power(factor):
                yield Refusal("factors", factor, f"powers of ten other than 1, from 1e-{_FARTHEST} to 1e{_FARTHEST}")

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains(_FIGURE) & text.str.contains(_IS_NOT_ZERO)

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        cell, places = pl.col(column), pl.Series([_places(factor) for factor in self.factors])
        which = (draws.uniform(column, "what") * len(places)).cast(pl.Int64)
        moved = pl.when(self._fits(cell)).then(_moved(cell, drawn("places"))).otherwise(cell)
        return {"places": pl.lit(places).gather(which), "text": moved}


def _is_power(factor: float) -> bool:
    if not math.isfinite(factor) or factor <= 0 or factor == 1:
        return False
    return abs(_places(factor)) <= _FARTHEST and float(f"1e{_places(factor)}") == factor


def _places(factor: float) -> int:
    return round(math.log10(factor))


def _moved(text: pl.Expr, places: pl.Expr) -> pl.Expr:
    """Return a figure with its decimal point some places further right; text that ends in `.0` still does if it is whole.

    Zeros are put in where the point leaves the digits, and dropped where they say nothing.
    """
    parts = text.str.strip_chars_start("+-").str.splitn(".", 2)
    whole, fraction = parts.struct.field("field_0"), parts.struct.field("field_1").fill_null("")
    sign = text.str.slice(0, text.str.len_bytes() - text.str.strip_chars_start("+-").str.len_bytes())
    point = whole.str.len_bytes().cast(pl.Int64) + places
    digits = (pl.concat_str(pl.lit("").str.pad_end((-point).clip(0), "0"), whole, fraction)).str.pad_end(
        point.clip(0), "0"
    )
    before = digits.str.slice(0, point.clip(0)).str.strip_chars_start("0")
    after = digits.str.slice(point.clip(0)).str.strip_chars_end("0")
    whole_text = pl.concat_str(sign, pl.when(before == "").then(pl.lit("0")).otherwise(before))
    ending = pl.when(text.str.ends_with(".0")).then(pl.lit(".0")).otherwise(pl.lit(""))
    return whole_text + pl.when(after == "").then(ending).otherwise(pl.lit(".") + after)
