"""Figures: a mechanism changes the bases, then the identities that held in the originals are restored (`closure.py`).

`lsd.py` is the paper's mechanism: fresh low digits. Under `guarded` it is applied to sampled figures (`anonymize/synthesis`).
The environment declares the figures and the identities between them.
"""

import polars as pl

from anonymize.figures.closure import breaks, restore
from anonymize.figures.lsd import perturb_low_digits
from pipeline.keyed import Key
from pipeline.model import PERIOD, Panel


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
        panel: Declares measures and identities.
        code: The column of original codes, which identify the firm for the keyed function.
        key: Key of the purpose "perturb".
        totals: Totals of the published events: the columns that `with_totals` adds, rows as in `originals`.
        broken: Which identities do not hold in which row (`breaks`); found here if None.
    """
    perturbed = originals.with_columns(
        *(perturb_low_digits(measure, of=(code, PERIOD), key=key) for measure in panel.measures),
        *([] if totals is None else totals.get_columns()),
    )
    broken = breaks(originals, panel, code=code) if broken is None else broken
    return restore(perturbed, broken, panel, code=code)
