"""Identity closure: an identity that held in the originals holds again after any mechanism, with residual zero.

If bases and outputs were perturbed on their own, ratios and totals would break, and a reader could undo the noise of one from
the others (Domingo-Ferrer and Torra 2003). So an output is recomputed, not perturbed, wherever its identity held. Real tables
hold their identities only in part (`gross profit = revenue - cost` in 92 % of the US company-years); where an identity did not
hold, its output is perturbed like a base.
"""

import polars as pl

from pipeline.model import Growth, Identity, Measured, Product, Ratio, Total
from pipeline.model.identities import stated_by

ROUNDING_TOLERANCE = 1
"""Quanta by which a stated quotient may differ and the identity still hold: tables round halves up or to even, or cut."""


def breaks(figures: pl.DataFrame, panel: Measured, *, code: str, is_exact: bool = False) -> pl.DataFrame:
    """Return one Boolean column for each identity: output and inputs are there, and it does not hold (never null).

    If the test is exact, a quotient does not hold either that is off by no more than the tolerance.
    """
    # Lazily, because many identities look at the period before, which is then found once.
    return (
        figures.lazy()
        .select(broken_by(each, panel, code=code, is_exact=is_exact) for each in panel.identities)
        .collect()
    )


def restore(figures: pl.DataFrame, broken: pl.DataFrame, panel: Measured, *, code: str) -> pl.DataFrame:
    """Return the figures with every identity's output recomputed, in declared order.

    An output stays as it is where its identity is broken in the originals, and where it or an input is not reported.
    """
    restored = figures.lazy()
    for identity in panel.identities:
        stated, output = stated_by(identity, panel, code=code), pl.col(identity.output)
        is_bound = ~pl.lit(broken[identity.output]) & stated.is_not_null() & output.is_not_null()
        restored = restored.with_columns(pl.when(is_bound).then(stated).otherwise(output).alias(identity.output))
    return restored.collect()


def close(
    figures: pl.DataFrame, broken: pl.DataFrame, missing: pl.DataFrame, panel: Measured, *, code: str
) -> pl.DataFrame:
    """Return sampled figures with gaps, and with every identity's output recomputed from the rest, in declared order.

    An output is computed from its inputs, and null if an input or the output itself is missing. Where the sampled record breaks
    the identity, the output stays as sampled. `broken` and `missing` have the rows of `figures`, and a Boolean column for each
    output and for each measure.
    """
    closed = figures.lazy().with_columns(
        _reported(pl.col(measure.name), missing[measure.name]).alias(measure.name) for measure in panel.measures
    )
    for identity in panel.identities:
        stated, output = stated_by(identity, panel, code=code), pl.col(identity.output)
        is_own = pl.lit(broken[identity.output]) & output.is_not_null()
        computed = _reported(pl.when(is_own).then(output).otherwise(stated), missing[identity.output])
        closed = closed.with_columns(computed.alias(identity.output))
    return closed.collect()


def _reported(figure: pl.Expr, missing: pl.Series) -> pl.Expr:
    return pl.when(~pl.lit(missing)).then(figure)


def broken_by(identity: Identity, panel: Measured, *, code: str, is_exact: bool = False) -> pl.Expr:
    """Return whether the output differs from what the identity gives by more than the tolerance; false if it gives null."""
    tolerance = ROUNDING_TOLERANCE if _is_rounded(identity) and not is_exact else 0
    residual = pl.col(identity.output) - stated_by(identity, panel, code=code)
    return (residual.abs() > tolerance).fill_null(value=False).alias(identity.output)


def _is_rounded(identity: Identity) -> bool:
    if isinstance(identity, Total):
        return identity.statistic == "mean"
    return isinstance(identity, Ratio | Growth | Product)
