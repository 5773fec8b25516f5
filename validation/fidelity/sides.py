"""What is compared: the entities and figures of one side, and the columns that both sides share.

Belongs here: the two inputs of every measure of fidelity, and the summaries in which several of them are told.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.model import Environment
from pipeline.model.fates import quasi_identifiers

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FEWEST_FIRMS = 5
"""Firms below which a cell of the originals is no fact about a group: its statistics are those of single firms."""

FEWEST_PAIRS = 30
"""Records below which no correlation is taken: of unrelated figures of 30 it has a standard deviation of 0.19."""


DECIMALS = 6
"""Decimals of what is told: more than any verdict needs, fewer than a sum in another order changes."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns of entities by which figures are linked and grouped."""

    code: str
    industry: str
    sub_industry: str
    categories: tuple[str, ...] = ()
    """Further columns of entities whose values make groups (a state, an ownership); those that are no text are left out."""

    @classmethod
    def of(cls, environment: Environment) -> "Columns":
        """Return the columns of an environment; its categories are its quasi-identifiers."""
        keys = environment.entities
        taken = {keys.code, keys.industry, keys.sub_industry}
        categories = (column for column in quasi_identifiers(environment).columns if column not in taken)
        return cls(code=keys.code, industry=keys.industry, sub_industry=keys.sub_industry, categories=tuple(categories))


@dataclass(frozen=True, kw_only=True)
class Side:
    """Originals or release."""

    entities: pl.DataFrame
    """One row a firm: the code and the columns of groups; null where none is told."""
    figures: pl.DataFrame
    """The panel: the code, `PERIOD` and a column of quanta for each measure, whole or float; null is a gap."""

    def labelled(self, columns: Columns, labels: Sequence[str]) -> pl.DataFrame:
        """Return the figures with columns of their firms' entities beside them; of a column named twice, one."""
        chosen = self.entities.select(columns.code, *dict.fromkeys(labels)).unique(columns.code, keep="first")
        return self.figures.join(chosen, on=columns.code, how="left", maintain_order="left")


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Absolute changes of one kind of statistic; None where there is none to compare."""

    n: int
    """Statistics that both sides have."""
    median: float | None
    percentile_95: float | None
    largest: float | None
    largest_at: str
    """Where the largest is, in words."""
    limit: float
    """What `within` is held against."""
    within: float | None
    """Share that is at most `limit`."""


def changes(sizes: Floats, names: Sequence[str], *, limit: float) -> Changes:
    """Summarise |changes|; NaN is no change that could be taken.

    Args:
        sizes: One absolute change for each name.
        names: Where each was found.
        limit: Inclusive.
    """
    there = np.flatnonzero(~np.isnan(sizes))
    # Sums come in any order, so that their last digits are nobody's.
    found = np.round(sizes[there], DECIMALS)
    if not found.size:
        return Changes(n=0, median=None, percentile_95=None, largest=None, largest_at="", limit=limit, within=None)
    largest = int(found.argmax())
    return Changes(
        n=int(found.size),
        median=float(np.median(found)),
        percentile_95=float(np.quantile(found, 0.95)),
        largest=float(found[largest]),
        largest_at=names[int(there[largest])] if found[largest] > 0 else "",
        limit=limit,
        within=float((found <= limit).mean()),
    )
