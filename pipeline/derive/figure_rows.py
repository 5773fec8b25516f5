"""Turns wide tables of figures into long ones. A measure may have the name of a column that this makes."""

from collections.abc import Mapping, Sequence

import polars as pl

from pipeline.keyed import SEPARATOR


def figure_rows(
    frame: pl.LazyFrame, measures: Sequence[str], *, index: Mapping[str, str], value: str = "value"
) -> pl.LazyFrame:
    """Return one row for each row and measure: the columns of `index`, `measure` (its name), and `value`.

    Args:
        frame: Has a column for each measure.
        index: Column of the result -> column of the frame that it repeats.
        value: Name of the column of figures.
    """
    places = {f"{SEPARATOR}{place}": name for place, name in enumerate(measures)}
    kept = {f"{SEPARATOR}{name}": name for name in index}
    # Measures and kept columns are renamed before unpivoting, since one of them may be called `measure` or `value`.
    narrow = frame.select(
        *(pl.col(index[name]).alias(kept_as) for kept_as, name in kept.items()),
        *(pl.col(name).alias(place) for place, name in places.items()),
    )
    return narrow.unpivot(list(places), index=list(kept), variable_name="measure", value_name=value).select(
        *(pl.col(kept_as).alias(name) for kept_as, name in kept.items()),
        pl.col("measure").replace_strict(places, return_dtype=pl.String),
        value,
    )
