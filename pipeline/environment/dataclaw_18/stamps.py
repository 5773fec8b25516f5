"""How `dataclaw-18` writes days, load times and row numbers (reference, section 1.3).

Load times are part of the shape, not of the data: they grow with the row number and say nothing about a row.
"""

from datetime import datetime

import polars as pl

_LOADED_FROM = datetime(2025, 9, 7, 8, 0, 0)  # noqa: DTZ001  (the release's own stamps have no zone)
_UPDATED_AT = ("10/9/2025 14:24:34", "15/9/2025 11:18:16", "11/9/2025 10:16:25")
"""The three batch updates that the release shows."""

_ROWS_A_SECOND = 20
_ROWS_A_BATCH = 4_096


def day_text(column: str) -> pl.Expr:
    """Return a date as D/M/YYYY without padding."""
    return pl.col(column).dt.strftime("%-d/%-m/%Y").alias(column)


def numbered(frame: pl.DataFrame, *, start: int = 1) -> pl.DataFrame:
    """Return the frame with `id` counting up from `start` (Int64), in row order."""
    return frame.with_columns(pl.int_range(start, start + pl.len(), dtype=pl.Int64).alias("id"))


def load_stamps() -> tuple[pl.Expr, pl.Expr]:
    """Return createTime and updateTime as functions of the Int64 column `id`."""
    created = pl.lit(_LOADED_FROM) + pl.duration(seconds=pl.col("id") // _ROWS_A_SECOND)
    batch = (pl.col("id") // _ROWS_A_BATCH) % len(_UPDATED_AT)
    updated = batch.replace_strict(dict(enumerate(_UPDATED_AT)), return_dtype=pl.String)
    return created.dt.strftime("%-d/%-m/%Y %H:%M:%S").alias("createTime"), updated.alias("updateTime")
