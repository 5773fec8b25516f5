"""Plain decimals as text (`-1234.5`, no exponent, no separator, no superfluous zero in front), and their parts."""

import polars as pl

PLAIN = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$"
"""A plain decimal."""


def sign(text: pl.Expr) -> pl.Expr:
    """Return "-" or nothing."""
    return pl.when(text.str.starts_with("-")).then(pl.lit("-")).otherwise(pl.lit(""))


def whole_digits(text: pl.Expr) -> pl.Expr:
    """Return the digits before the point."""
    return text.str.strip_prefix("-").str.splitn(".", 2).struct.field("field_0")


def decimals(text: pl.Expr) -> pl.Expr:
    """Return the digits after the point, nothing if there is none."""
    return text.str.splitn(".", 2).struct.field("field_1").fill_null("")


def with_decimals(whole: pl.Expr, rest: pl.Expr) -> pl.Expr:
    """Return a figure of its digits before and after the point, which stands only where some follow."""
    return whole + pl.when(rest == "").then(pl.lit("")).otherwise("." + rest)
