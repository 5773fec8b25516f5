"""Identities: the share of records in which each holds, on both sides, and how exactly.

Belongs here: shares. `pipeline/model/identities.py` computes what an identity gives; `consistency/residuals.py`, which
shares no arithmetic with it, measures the residual where the identity holds.
"""

from dataclasses import dataclass

import polars as pl

from anonymize.figures.closure import ROUNDING_TOLERANCE
from pipeline.model import PERIOD, Growth, Identity, Panel, Product, Ratio
from pipeline.model.identities import stated_by
from validation.consistency.residuals import identity_residuals
from validation.fidelity.sides import mean


@dataclass(frozen=True, kw_only=True)
class IdentityShares:
    """One identity on both sides; a share is None if no record has output and inputs."""

    identity: str
    """The output of the identity."""
    n: int
    """Records of the originals that have output and inputs."""
    n_published: int
    originals: float | None
    """Share of those in which it holds: exactly, or within one unit of the last digit for a quotient."""
    published: float | None
    largest_residual: int
    """The largest residual of published records in which it holds, in units of the last digit. 0 is exact."""


def identity_shares(
    originals: pl.DataFrame, published: pl.DataFrame, panel: Panel, *, code: str
) -> list[IdentityShares]:
    """Compare in how many records the declared identities hold.

    Args:
        originals: `code`, `PERIOD` and a column of quanta for each measure; floats are rounded to whole quanta.
        published: The same columns.
    """
    sides = [_whole(side, panel, code) for side in (originals, published)]
    before, after = (side.select(_holds(identity, panel, code) for identity in panel.identities) for side in sides)
    held = after.select(pl.all().fill_null(value=False))
    residuals = identity_residuals(sides[1], panel, code=code, held=held) if panel.identities else []
    return [
        IdentityShares(
            identity=identity.output,
            n=before[identity.output].count(),
            n_published=after[identity.output].count(),
            originals=mean(before[identity.output]),
            published=mean(after[identity.output]),
            largest_residual=residual.max_residual,
        )
        for identity, residual in zip(panel.identities, residuals, strict=True)
    ]


def _whole(side: pl.DataFrame, panel: Panel, code: str) -> pl.DataFrame:
    measures = (pl.col(measure.name).round(0).cast(pl.Int64) for measure in panel.measures)
    return side.select(code, PERIOD, *measures).sort(code, PERIOD)


def _holds(identity: Identity, panel: Panel, code: str) -> pl.Expr:
    """Return whether the identity holds in a record, null where output or an input is missing."""
    tolerance = ROUNDING_TOLERANCE if isinstance(identity, Ratio | Growth | Product) else 0
    residual = pl.col(identity.output) - stated_by(identity, panel, code=code)
    return (residual.abs() <= tolerance).alias(identity.output)
