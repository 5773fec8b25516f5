"""Zeros and gaps: the share of an industry's records without a figure, and the share of its figures that are 0.

Belongs here: presence alone. The sizes of figures belong to `marginals.py` and `sums.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from validation.fidelity.sides import FEWEST_FIRMS, ChangesOverYears, changes

PRESENCE = 0.05
"""Change of a share of zeros or gaps that counts as small: one record of twenty."""


@dataclass(frozen=True, kw_only=True)
class Presence:
    """Changes of the two shares over all measures and industries."""

    zeros: ChangesOverYears
    """Of the share of figures that are 0."""
    gaps: ChangesOverYears
    """Of the share of records without a figure."""


def presence(originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[str], *, group: str) -> Presence:
    """Compare the shares of zeros and gaps by measure and industry, all years together.

    Industries with fewer than `FEWEST_FIRMS` records of the originals are left out; one that the release lacks counts as gaps.

    Args:
        originals: `group` and a column for each measure.
        published: The same columns.
        group: The column of industries.
    """
    before, after = (shares(side, measures, group=group) for side in (originals, published))
    both = before.filter(pl.col("records") >= FEWEST_FIRMS).join(
        after, on=["measure", "group"], how="left", suffix=" after"
    )
    both = both.with_columns(pl.col("gaps after").fill_null(1.0)).sort("measure", "group")
    names = [f"{measure}, {industry}" for measure, industry in both.select("measure", "group").rows()]
    zeros, gaps = ((both[kind] - both[f"{kind} after"]).abs().to_numpy() for kind in ("zeros", "gaps"))
    return Presence(zeros=changes(zeros, names, limit=PRESENCE), gaps=changes(gaps, names, limit=PRESENCE))


def shares(figures: pl.DataFrame, measures: Sequence[str], *, group: str) -> pl.DataFrame:
    """Return `measure, group, records`, and the shares `gaps` (of records) and `zeros` (of figures, null without any)."""
    value, rows = pl.col("value"), figures.lazy().drop_nulls(group)
    counted = [
        rows.select(group=group, value=name)
        .group_by("group")
        .agg(records=pl.len(), gaps=value.is_null().mean(), zeros=(value == 0).mean())
        .select(pl.lit(name).alias("measure"), "group", "records", "gaps", "zeros")
        for name in measures
    ]
    return pl.concat(pl.collect_all(counted))
