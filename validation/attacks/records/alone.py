"""Figures by which an entity is alone in its period, and which are as they were: who knows one or two of them looks it up.

Belongs here: records of the panel, figures compared exactly. Rows of events belong to `events.py`, measures to `unchanged.py`.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

import polars as pl

from pipeline.model import PERIOD, Panel
from validation.attacks import Attack

ALONE = "record alone in its period, as it was"


def alone_in_period(originals: pl.DataFrame, published: pl.DataFrame, panel: Panel) -> Iterator[Attack]:
    """Count the records that are alone in their period by one or two figures, and have these still; nothing where all may.

    Args:
        originals: `PERIOD` and a column of quanta for each measure.
        published: The measures, anonymised; row i belongs to the entity and period of row i of `originals`.
        panel: Says which measures may stay (`may_stay`): they are in no pair.
    """
    if panel.may_stay is None:
        return
    count, columns = most_alone(originals, published, [each.name for each in panel.measures if panel.moves(each.name)])
    by, stay = " and ".join(columns), ", ".join(sorted(panel.may_stay))
    said = (
        f"Found by {by}; `Panel.may_stay` names those that may be." if count else "",
        f"May stay as they were, as declared: {stay}." if stay else "",
    )
    yield Attack(
        attack=ALONE,
        knowledge="one or two figures of every record of a period",
        records=published.height if len(panel.may_stay) < len(panel.measures) else 0,
        successes=count,
        detail=" ".join(filter(None, said)),
    )


def most_alone(
    originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[str]
) -> tuple[int, tuple[str, ...]]:
    """Return how many records are alone by the figure or two that find most and still are as they were, and which these are."""
    same = pl.DataFrame([originals[name].eq_missing(published[name]) for name in measures])
    worst: tuple[int, tuple[str, ...]] = (0, ())
    for columns in chain(combinations(measures, 1), combinations(measures, 2)):
        is_there = originals.select(pl.any_horizontal(pl.col(columns).is_not_null())).to_series()
        found = same.select(pl.min_horizontal(columns)).to_series() & is_there
        if found.sum() > worst[0]:  # being alone finds no more
            found &= originals.select(pl.struct(PERIOD, *columns).is_unique()).to_series()
            worst = max(worst, (int(found.sum()), columns))
    return worst
