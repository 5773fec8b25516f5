"""How `dataclaw-18` writes days and load times (reference, section 1.3).

Load times are part of the shape, not of the data: they grow with the row number and say nothing about a row. Every table
is loaded in the same hours, whatever its size, so that they do not distinguish rows of a short table from those of a long one.
"""

from datetime import datetime

import polars as pl

_LOADED_FROM = datetime(2025, 9, 7, 8, 0, 0)  # noqa: DTZ001  (the release's own stamps have no zone)
_UPDATED_AT = ("10/9/2025 14:24:34", "15/9/2025 11:18:16", "11/9/2025 10:16:25")
"""The three batch updates that the release shows."""

_LOAD_SECONDS = 4 * 3_600
"""How long each table takes to load: until noon, as the release's stamps say (7/9/2025 11:59:09)."""

_LOADED_AT = pl.select(
    (pl.lit(_LOADED_FROM) + pl.duration(seconds=pl.int_range(_LOAD_SECONDS))).dt.strftime("%-d/%-m/%Y %H:%M:%S")
).to_series()
"""The text of each of these seconds."""


def day_text(column: str) -> pl.Expr:
    """Return a date as D/M/YYYY without padding."""
    return pl.col(column).dt.strftime("%-d/%-m/%Y").alias(column)


def load_stamps(rows: int | None = None) -> tuple[pl.Expr, pl.Expr]:
    """Return createTime and updateTime of records of a table as functions of `id` (Int64, 1 to the number of its rows).

    Args:
        rows: How many rows the table has; those of the frame if not given.
    """
    place, of = pl.col("id") - 1, pl.len().cast(pl.Int64) if rows is None else pl.lit(rows, pl.Int64)
    created = pl.lit(_LOADED_AT).gather(place * _LOAD_SECONDS // of)
    updated = pl.lit(pl.Series(_UPDATED_AT)).gather(place * len(_UPDATED_AT) // of)
    return created.alias("createTime"), updated.alias("updateTime")
