"""Exact numbers as text, and as floats: mantissa * 10**-scale. No float occurs on the way to a published digit.

Reading numbers exactly, by their declaration, belongs to `conform`; their scale is decided where they are computed.
"""

from typing import TypeVar

import polars as pl

_Text = TypeVar("_Text", pl.Expr, pl.Series)


def decimal_text(mantissa: pl.Expr, scale: pl.Expr | int, *, least: int = 0) -> pl.Expr:
    """Return mantissa * 10**-scale as plain decimal text without needless trailing zeros (null stays null).

    Args:
        mantissa: Integers.
        scale: Digits after the point before trailing zeros are dropped, 0 <= scale <= 18.
        least: Digits after the point that each number has, zeros where need be (`Numerals.least_decimals`).
    """
    if isinstance(scale, int) and not scale:
        return mantissa.cast(pl.String) + pl.lit("." + "0" * least) if least else mantissa.cast(pl.String)
    places = scale if isinstance(scale, pl.Expr) else pl.lit(scale, pl.Int64)
    unit, magnitude = power_of_ten(places), mantissa.abs()
    sign = pl.when(mantissa < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    fraction = (magnitude % unit).cast(pl.String).str.zfill(places).str.strip_chars_end("0").str.pad_end(least, "0")
    return pl.concat_str(sign, (magnitude // unit).cast(pl.String), pl.lit("."), fraction).str.strip_suffix(".")


def number_of(text: _Text) -> _Text:
    """Return texts as the nearest Float64; null where there is none."""
    return text.cast(pl.Float64, strict=False).fill_nan(None)


def as_float(mantissa: pl.Expr, scale: pl.Expr | int) -> pl.Expr:
    """Return mantissa * 10**-scale as the nearest Float64, except that the mantissa is rounded to a float first."""
    places = scale if isinstance(scale, pl.Expr) else pl.lit(scale, pl.Int64)
    return mantissa.cast(pl.Float64) / power_of_ten(places).cast(pl.Float64)


def power_of_ten(exponent: pl.Expr) -> pl.Expr:
    """Return 10**exponent as Int64, for 0 <= exponent <= 18."""
    return pl.lit(10, pl.Int64).pow(exponent.cast(pl.UInt32))


def digit_count(magnitude: pl.Expr) -> pl.Expr:
    """Return how many decimal digits a whole number >= 0 has, as Int64; 0 has none."""
    return pl.when(magnitude == 0).then(0).otherwise(magnitude.cast(pl.String).str.len_bytes()).cast(pl.Int64)
