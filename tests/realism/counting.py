"""Counting in published tables: shares, and texts as they stand. What is counted is the facts' matter."""

import polars as pl

from tests.realism.comparing import Part

ALWAYS = ("every row", 1.0, 1.0)
"""What the reference states of a share, and its bounds, where there is no exception."""


def part(frame: pl.DataFrame, is_counted: pl.Expr) -> Part:
    """Return of how many rows something is true, and how many there are; what is unknown is not true."""
    return int(frame.select(is_counted.fill_null(value=False).sum()).item()), frame.height


def texts(frame: pl.DataFrame, *columns: str) -> list[str]:
    """Return the rows' distinct texts, the columns' joined by commas, in the order of the table."""
    shown = pl.concat_str([pl.col(column).fill_null("") for column in columns], separator=",")
    return frame.select(shown.alias("shown"))["shown"].unique(maintain_order=True).to_list()


def number(column: str = "value") -> pl.Expr:
    """Return a column as numbers, null where it holds none."""
    return pl.col(column).cast(pl.Float64, strict=False)
