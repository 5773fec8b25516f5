"""Under `lsd`: a figure by which an entity is alone in its period, and which came out as it was, moves by one unit.

Short figures keep all their digits, and some of longer ones are drawn as they were. Who looks up such a figure, or two of them,
finds the entity that alone has it. What entities share stays, so that distributions hardly change: of figures that are alone,
at most one crosses any value to either side. Of two figures that are alone together, the one with more values moves, since few
share one of its values. It hides a figure from whoever looks for it exactly, not from whoever looks for the nearest.
"""

from collections.abc import Collection
from itertools import chain, permutations

import polars as pl

from pipeline.keyed import Key
from pipeline.model import PERIOD


def move_alone(
    drawn: pl.DataFrame, originals: pl.DataFrame, measures: Collection[str], *, code: str, key: Key
) -> pl.DataFrame:
    """Return figures of which none or two are alone in their period and as they were, but for zeros.

    The step is up or down by key; the largest figure of a measure moves down and the smallest up, and none becomes 0.

    Args:
        drawn: Figures in quanta, whose low digits were drawn.
        originals: The originals, rows as in `drawn`: code, period, measures.
        measures: Which may move.
        code: The column of original codes.
        key: Key of the purpose "perturb".
    """
    finest = sorted(measures, key=lambda name: (-originals[name].n_unique(), name))
    for columns in chain(((name,) for name in finest), permutations(finest, 2)):
        same = pl.DataFrame([originals[name].eq_missing(drawn[name]) for name in columns]).min_horizontal()
        same &= originals[columns[0]].fill_null(0) != 0
        if same.any():
            is_found = same & originals.select(pl.struct(PERIOD, *columns).is_unique()).to_series()
            step = _stepped(originals, columns[0], code=code, key=key.derive("alone"))
            drawn = drawn.with_columns(pl.when(is_found).then(step).otherwise(columns[0]).alias(columns[0]))
    return drawn


def _stepped(originals: pl.DataFrame, name: str, *, code: str, key: Key) -> pl.Series:
    """Return a measure with every figure moved by one."""
    was, is_drawn_up = pl.col(name), key.draw(code, pl.lit(name), PERIOD) % 2 == 1
    is_up = ((was == was.min()) | is_drawn_up) & (was != was.max())
    moved = was + pl.when(is_up).then(1).otherwise(-1)
    return originals.select(pl.when(moved == 0).then(2 * was).otherwise(moved)).to_series()
