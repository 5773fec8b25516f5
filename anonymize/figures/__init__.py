"""Figures: a mechanism perturbs the bases (`lsd.py`), then the identities that held are restored (`closure.py`).

`perturb_figures` is the whole of it. What is a figure, and which identities bind them, the environment declares.
"""

from typing import Literal

import polars as pl

from anonymize.figures.closure import holds, restore
from anonymize.figures.lsd import perturb_low_digits
from pipeline.environment.model import Panel
from pipeline.keyed import Key

Policy = Literal["lsd"]
"""Mechanisms by name; `lsd` is the paper's least-significant-digit mechanism (appendix A.2)."""


def perturb_figures(figures: pl.DataFrame, panel: Panel, *, code: str, key: Key) -> pl.DataFrame:
    """Return the panel with perturbed bases and restored identities.

    Args:
        figures: One row for each code and year, one Int64 column of quanta for each measure.
        panel: Declares measures and identities.
        code: The column of original codes, which name the firm to the keyed function.
        key: Key of the purpose "perturb".
    """
    held = holds(figures, panel, code=code)
    perturbed = figures.with_columns(perturb_low_digits(measure, code=code, key=key) for measure in panel.measures)
    return restore(perturbed, held, panel, code=code)
