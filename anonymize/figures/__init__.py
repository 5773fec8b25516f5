"""Figures: a mechanism changes the bases, then the identities that held in the originals are restored (`closure.py`).

`lsd.py` is the paper's mechanism: fresh low digits; under `guarded` it is applied to sampled figures (`anonymize/synthesis`).
`alone.py` moves figures that came out as they were, and by which somebody could be found.
The environment declares the figures and the identities between them.
"""

import polars as pl

from anonymize.figures.alone import move_alone
from anonymize.figures.closure import breaks, restore
from anonymize.figures.lsd import perturb_low_digits
from pipeline.keyed import Key
from pipeline.model import PERIOD, Panel

FEWEST_WHO_SHARE = 20
"""Entities that have a measure's only value at least, for it to stay (our choice: as few as a group that is tested has)."""


def perturb_figures(
    originals: pl.DataFrame,
    panel: Panel,
    *,
    code: str,
    key: Key,
    totals: pl.DataFrame | None = None,
    broken: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return the panel with perturbed bases and restored identities.

    Args:
        originals: One row for each code and period, one Int64 column of quanta for each measure, and totals of their events.
        code: The column of original codes, which identify the firm for the keyed function.
        key: Key of the purpose "perturb".
        totals: Totals of the published events: the columns that `with_totals` adds, rows as in `originals`.
        broken: Which identities do not hold in which row (`breaks`); found here if None.
    """
    varying = [measure for measure in panel.measures if not _is_shared_by_all(originals, measure.name, code)]
    drawn = originals.with_columns(perturb_low_digits(measure, of=(code, PERIOD), key=key) for measure in varying)
    moving = [measure.name for measure in varying if panel.moves(measure.name)]
    moved = move_alone(drawn, originals, moving, code=code, key=key)
    perturbed = moved if totals is None else moved.with_columns(totals.get_columns())
    broken = breaks(originals, panel, code=code) if broken is None else broken
    return restore(perturbed, broken, panel, code=code)


def _is_shared_by_all(originals: pl.DataFrame, measure: str, code: str) -> bool:
    """Say whether a measure has one value for everybody: it distinguishes nobody, and with other digits it would vary."""
    held = originals.drop_nulls(measure)
    return held[measure].n_unique() == 1 and held[code].n_unique() >= FEWEST_WHO_SHARE
