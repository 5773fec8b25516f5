"""Figures: mechanisms change the bases, then the identities that were not broken are restored (`closure.py`).

`lsd.py` is the paper's mechanism: fresh low digits. Under `guarded` it comes after figures that are sampled
(`anonymize/synthesis`). What is a figure, and which identities bind them, the environment declares.
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
    told: pl.DataFrame | None = None,
    broken: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return the panel with perturbed bases and restored identities.

    Args:
        originals: One row for each code and period, one Int64 column of quanta for each measure, and what their events say.
        panel: Declares measures and identities.
        code: The column of original codes, which name the firm to the keyed function.
        key: Key of the purpose "perturb".
        told: What the published events say, in columns as `with_totals` puts them, rows as in `originals`.
        broken: Which identities do not hold in which row (`breaks`); found here if None.
    """
    perturbed = originals.with_columns(
        *(perturb_low_digits(measure, of=(code, PERIOD), key=key) for measure in panel.measures),
        *([] if told is None else told.get_columns()),
    )
    broken = breaks(originals, panel, code=code) if broken is None else broken
    return restore(perturbed, broken, panel, code=code)
