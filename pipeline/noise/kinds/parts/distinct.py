"""Works on the distinct texts of a column, of which there are few, instead of on all its cells.

What is worked out belongs to the kinds.
"""

from collections.abc import Callable, Sequence
from functools import partial

import polars as pl

_TEXT, _RESULT = "text", "result"


def by_distinct(
    text: pl.Expr, worked_out: Callable[[pl.Series], pl.Series], return_type: pl.DataType | None = None
) -> pl.Expr:
    """Return, for each text, what a function makes of it; null for null.

    Args:
        worked_out: Takes the distinct texts (String, no nulls, any order) and returns as many values in their order.
        return_type: The type of the values; String if not given.
    """
    return text.map_batches(
        partial(_spread, worked_out=worked_out), return_dtype=return_type or pl.String(), is_elementwise=True
    )


def rewritten(rows: pl.DataFrame, columns: Sequence[str], how: Callable[[pl.Expr], pl.Expr]) -> pl.DataFrame:
    """Return rows with the texts of some columns, as far as they are there, made into others."""
    others = [how(pl.col(column)).alias(column) for column in columns if column in rows.columns]
    return rows.lazy().with_columns(others).collect()  # lazy, so that what stands twice in one is worked out once


def _spread(texts: pl.Series, worked_out: Callable[[pl.Series], pl.Series]) -> pl.Series:
    distinct = texts.drop_nulls().unique().alias(_TEXT)
    results = pl.DataFrame([distinct, worked_out(distinct).alias(_RESULT)])
    return texts.alias(_TEXT).to_frame().join(results, on=_TEXT, how="left", maintain_order="left")[_RESULT]
