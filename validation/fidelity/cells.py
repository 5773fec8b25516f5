"""The figures of both sides in cells: one sample of each side for each measure, group and year.

Belongs here: which figures make a cell. Statistics of cells belong to `marginals.py` and `sums.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.keyed import SEPARATOR
from pipeline.model import PERIOD, Measure

_PLACE = f"{SEPARATOR}place"
"""No column of a table can have this name."""


@dataclass(frozen=True)
class GroupCells:
    """The cells of either side. Firms without a group are in no cell."""

    labels: pl.DataFrame
    """`sample, measure, group, year, is_additive`, one row a cell, sorted by `sample`."""
    values: pl.DataFrame
    """`sample, value` (Float64, in the measure's unit, never null) and `is_anonymised` (1 of the release, 0 of originals)."""


def cells(originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[Measure], *, group: str) -> GroupCells:
    """Divide both sides into cells.

    Args:
        originals: Columns `PERIOD`, `group` and one for each measure, in quanta.
        published: The same columns, of other firms.
        group: Column whose values make the groups.
    """
    groups = pl.concat([side.select(group=group, year=PERIOD).unique() for side in (originals, published)])
    places = groups.drop_nulls().unique().sort("group", "year").with_row_index("place")
    values = [
        _long(side, places, measures, group).with_columns(is_anonymised=pl.lit(i, pl.Int64))
        for i, side in enumerate((originals, published))
    ]
    names = pl.DataFrame(
        {
            "measure": [measure.name for measure in measures],
            "is_additive": [measure.additive for measure in measures],
        },
        schema={"measure": pl.String, "is_additive": pl.Boolean},
    ).with_row_index("which")
    labels = names.join(places, how="cross").select(
        sample=_sample(places.height), measure="measure", group="group", year="year", is_additive="is_additive"
    )
    return GroupCells(labels.sort("sample"), pl.concat(values))


def _long(side: pl.DataFrame, places: pl.DataFrame, measures: Sequence[Measure], group: str) -> pl.DataFrame:
    rows = side.select(group=group, year=PERIOD).join(places, on=["group", "year"], how="left", maintain_order="left")
    parts = [
        side.select(measure.name)
        .lazy()
        .with_columns(rows["place"].alias(_PLACE))
        .select(
            sample=_sample(places.height, pl.lit(which, pl.Int64), place=_PLACE),
            # In polars a quotient by a scalar may differ in its last bit from row to row; a product does not.
            value=pl.col(measure.name).cast(pl.Float64) * 10.0**-measure.decimals,
        )
        .drop_nulls()
        for which, measure in enumerate(measures)
    ]
    empty = pl.LazyFrame(schema={"sample": pl.Int64, "value": pl.Float64})
    return pl.concat([empty, *parts]).collect()


def _sample(places: int, which: pl.Expr | None = None, *, place: str = "place") -> pl.Expr:
    """Return the number of a cell: measures after each other, in each of them the groups and years."""
    number = pl.col("which").cast(pl.Int64) if which is None else which
    return pl.col(place).cast(pl.Int64) + number * places
