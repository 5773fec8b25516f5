"""Reads published events back: text -> typed columns, as the environment's views declare. Unreadable cells are null."""

from collections.abc import Mapping

import polars as pl

from pipeline.conform.cells import understand
from pipeline.model import Environment, EventView


def read_events(
    environment: Environment, view: EventView, published: pl.DataFrame, owners: Mapping[str, str]
) -> pl.DataFrame:
    """Return the rows whose owner is known, with the published columns of the raw table; unpublished figures are null.

    Args:
        view: Maps published columns to columns of the raw table.
        published: The published table as text.
        owners: Published code -> the code to put in its place.
    """
    events, table = environment.events_of(view.events), environment.raw_table(view.events)
    raw = {column.name: column for column in table.columns}
    typed = {
        name: understand(raw[name], published[shown].str.strip_chars()).values.alias(name)
        for shown, name in view.columns.items()
    }
    owner = typed[events.entity].replace_strict(owners, default=None, return_dtype=pl.String)
    absent = [pl.lit(None, pl.Int64).alias(each.name) for each in events.measures if each.name not in typed]
    return pl.DataFrame([*typed.values()]).with_columns(owner, *absent).drop_nulls(events.entity)
