"""What kinds share whose figures come from other rows: figures as exact whole numbers, and how they are written.

What is taken from where belongs to the kinds; carrying out a `Lookup` to `interface.py`.
"""

import polars as pl

from pipeline.noise.kinds.interface import clean
from pipeline.numerals import decimal_text, power_of_ten

PLACES = 15
"""Digits after the point that sums are taken at: all that a figure may have (a mean has 15 significant digits)."""

_PLAIN = rf"^-?(0|[1-9][0-9]{{0,17}})(\.[0-9]{{1,{PLACES}}})?$"


def places(figure: pl.Expr) -> pl.Expr:
    """Return the number of digits after the point as Int64, 0 where there is no point."""
    return figure.str.extract(r"\.([0-9]+)$", 1).str.len_bytes().fill_null(0).cast(pl.Int64)


def quanta(figure: pl.Expr, scale: pl.Expr | int = PLACES) -> pl.Expr:
    """Return figure * 10**scale as Int128, exactly.

    It is null where the text is no plain decimal number of at most 18 digits before the point, or where it has more than
    `scale` digits after it. Sums of 100,000 figures at 15 places stay below 2**127.
    """
    missing = (pl.lit(scale, pl.Int64) if isinstance(scale, int) else scale) - places(figure)
    digits = figure.str.replace(".", "", literal=True).cast(pl.Int128, strict=False)
    is_exact = figure.str.contains(_PLAIN) & (missing >= 0)
    return pl.when(is_exact).then(digits * power_of_ten(missing.clip(0)))


def sum_of(figure: pl.Expr) -> pl.Expr:
    """Return the exact sum of a group's figures (Int128 at `PLACES`); null if there is none, or one that is no number."""
    number = quanta(figure)
    is_complete = (number.count() > 0) & (number.count() == figure.count())
    return pl.when(is_complete).then(number.sum())


def only(text: pl.Expr) -> pl.Expr:
    """Return the one text that a group has, null if it has several."""
    return pl.when(text.drop_nulls().n_unique() == 1).then(text.max())


def figure_text(number: pl.Expr, scale: pl.Expr | int, *, like: pl.Expr) -> pl.Expr:
    """Return number * 10**-scale as plain text, with `.0` behind a whole number if `like` has it."""
    text = decimal_text(number, scale)
    keeps_point = like.str.ends_with(".0") & ~text.str.contains(".", literal=True)
    return pl.when(keeps_point).then(text + pl.lit(".0")).otherwise(text)


def unless_changed(column: str, after: pl.Expr) -> pl.Expr:
    """Return the new text, but leave a cell that another rule has changed before (it may be in another unit)."""
    return pl.when(pl.col(column) == clean(column)).then(after).otherwise(pl.col(column))
