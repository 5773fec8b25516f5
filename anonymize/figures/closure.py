"""Identity closure: an identity that held in the originals holds again after any mechanism, with residual zero.

Perturbing bases and outputs apart would break ratios and totals, and would let a reader undo the noise of one from the
others (Domingo-Ferrer and Torra 2003). So outputs are never perturbed where their identity held; they are recomputed.
Real tables hold their identities only in part (`gross profit = revenue - cost` in 92 % of the US company-years), and where one
did not hold the figure is treated as a base of its own.
"""

import polars as pl

from pipeline.environment.identities import stated_by
from pipeline.environment.model import Growth, Identity, Panel, Ratio

ROUNDING_TOLERANCE = 1
"""Quanta by which a stated quotient may differ and still hold: tables round halves up, to even, or cut."""


def holds(figures: pl.DataFrame, panel: Panel, *, code: str) -> pl.DataFrame:
    """Return one Boolean column for each identity, named by its output: whether it holds in each row (never null)."""
    return figures.select(_holds(identity, panel, code=code).alias(identity.output) for identity in panel.identities)


def restore(figures: pl.DataFrame, held: pl.DataFrame, panel: Panel, *, code: str) -> pl.DataFrame:
    """Return the figures with every identity's output recomputed in the rows where it held, in declared order."""
    for identity in panel.identities:
        stated = stated_by(identity, panel, code=code)
        is_held = pl.lit(held[identity.output])
        figures = figures.with_columns(
            pl.when(is_held).then(stated).otherwise(pl.col(identity.output)).alias(identity.output)
        )
    return figures


def _holds(identity: Identity, panel: Panel, *, code: str) -> pl.Expr:
    tolerance = ROUNDING_TOLERANCE if isinstance(identity, Ratio | Growth) else 0
    residual = pl.col(identity.output) - stated_by(identity, panel, code=code)
    return (residual.abs() <= tolerance).fill_null(value=False)
