"""Nearest-neighbour linkage: for each published record, the original in its group whose figures are closest.

The attack of Winkler (2004) and Domingo-Ferrer and Torra (2003) on masked microdata: Euclidean distance on signed logarithms.
It needs nothing but figures that annual reports print.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.environment.model import PERIOD
from validation.attacks import Attack

Floats = npt.NDArray[np.float64]

_ABSENT = -1_000.0
"""Where a figure that is not reported stands on the scale of signed logarithms: far from every figure, near its like."""


def linkage_attacks(
    originals: pl.DataFrame, published: pl.DataFrame, *, group: str, known: Sequence[Sequence[str]]
) -> list[Attack]:
    """Attack the year with the most records, once for each set of known measures; frames as in the single attack."""
    years = originals.group_by(PERIOD).len().sort("len", PERIOD, descending=True)[PERIOD]
    return [
        nearest_neighbour_linkage(originals, published, group=group, year=year, measures=measures)
        for year in years.head(1)
        for measures in known
    ]


def nearest_neighbour_linkage(
    originals: pl.DataFrame, published: pl.DataFrame, *, group: str, year: int, measures: Sequence[str]
) -> Attack:
    """Link every published record of a year to its nearest original within the group.

    Args:
        originals: Rows aligned with those of `published`: columns `group`, `PERIOD` and one of numbers for each measure.
        published: The same columns, anonymised; row i belongs to the company of row i of `originals`.
        group: Column that is published as it is (an industry), so that the attacker looks only within it.
        year: The year attacked.
        measures: The figures that the attacker knows.
    """
    is_attacked = (originals[PERIOD] == year) & originals[group].is_not_null()
    sides = [frame.filter(is_attacked) for frame in (originals, published)]
    places = [_places(side, measures) for side in sides]
    members = sides[0].with_row_index("row").group_by(group, maintain_order=True).agg("row")["row"]
    successes = sum(_successes(places[0][rows], places[1][rows]) for rows in (rows.to_numpy() for rows in members))
    knowledge = f"{', '.join(measures)} of {year}, and the {group}"
    return Attack(attack="nearest-neighbour linkage", knowledge=knowledge, records=sides[0].height, successes=successes)


def _places(frame: pl.DataFrame, measures: Sequence[str]) -> Floats:
    """Return the records as points: sign(x) * log(1 + |x|) of each measure."""
    value = pl.col(measures).cast(pl.Float64)
    return frame.select((value.sign() * value.abs().log1p()).fill_null(_ABSENT)).to_numpy()


def _successes(originals: Floats, published: Floats) -> int:
    """Count the published points of one group whose nearest original is their own; the first of equals is taken."""
    squares = (published[:, None, :] - originals[None, :, :]) ** 2
    return int((squares.sum(axis=2).argmin(axis=1) == np.arange(len(published))).sum())
