"""Scale error: a figure is off by a power of ten, its label as it was. Another unit with its label is another kind."""

import math
from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import Some
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn

_FARTHEST = 30
"""Places that a decimal point may move (our choice): as far as any unit or slip of a spreadsheet reaches."""
_FIGURE = r"^[+-]?\d+(?:\.\d+)?$"
_IS_NOT_ZERO = "[1-9]"


class ScaleError(ColumnsKind):
    """Multiplies a figure by a power of ten and leaves its unit, by moving the decimal point in the text."""

    name: ClassVar[str] = "scale_error"
    family: ClassVar[Family] = Family.UNITS
    recovery: ClassVar[str] = "No, unless another table repeats the figure: the digits are right, their place is lost."

    columns: Some[WrittenColumn]
    """Columns of figures, each with its own draw."""
    factors: Some[float]
    """Powers of ten, each drawn alike: 100 where percents stand for shares, 0.0001 where 万元 were taken for 元."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse factors that are no power of ten, are 1 or are out of reach."""
        for factor in self.factors:
            if not _is_power(factor):
                yield Refusal("factors", factor, f"powers of ten other than 1, from 1e-{_FARTHEST} to 1e{_FARTHEST}")

    def _edit(self, column: str, draws: Draws) -> Edit:
        cell, places = pl.col(column), pl.Series([_places(factor) for factor in self.factors])
        uniform = draws.uniform(column, "what")
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=_is_figure(cell),
            draws={"places": pl.lit(places).gather((uniform * len(places)).cast(pl.Int64))},
            after={column: pl.when(_is_figure(cell)).then(_moved(cell, drawn("places"))).otherwise(cell)},
        )


def _is_power(factor: float) -> bool:
    if not math.isfinite(factor) or factor <= 0 or factor == 1:
        return False
    return abs(_places(factor)) <= _FARTHEST and float(f"1e{_places(factor)}") == factor


def _places(factor: float) -> int:
    return round(math.log10(factor))


def _is_figure(text: pl.Expr) -> pl.Expr:
    return text.str.contains(_FIGURE) & text.str.contains(_IS_NOT_ZERO)


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
