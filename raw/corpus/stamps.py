"""How raw tables write days, load times and row numbers, and the year they are of (reference, sections 1.3 and 2.1).

Which days there are is decided where the firms and policies are made.
"""

from datetime import datetime

import polars as pl

LATEST_YEAR = 2022
"""The year of every profile and of the status tables."""

_LOADED_FROM = datetime(2025, 9, 1, 8, 0, 0)  # noqa: DTZ001  (the release's own stamps have no zone)
_UPDATED = "10/9/2025 14:24:34"


def day_text(day: pl.Expr) -> pl.Expr:
    """Return a date as D/M/YYYY without padding."""
    return day.dt.strftime("%-d/%-m/%Y")


def load_stamps(rows_a_second: int) -> dict[str, pl.Expr]:
    """Return createTime, growing with the column `id` (Int64), and updateTime, the time of one batch."""
    created = pl.lit(_LOADED_FROM) + pl.duration(seconds=pl.col("id") // rows_a_second)
    return {"createTime": created.dt.strftime("%-d/%-m/%Y %-H:%M:%S"), "updateTime": pl.lit(_UPDATED)}


def numbered(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the running `id` 1, 2, ... in row order."""
    return rows.with_columns(id=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
