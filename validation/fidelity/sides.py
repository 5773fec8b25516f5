"""The columns of entities that both sides of a comparison have, and a summary that several measures of fidelity share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.model import Environment
from pipeline.model.treatments import quasi_identifiers
from validation.distributions.samples import Floats

FEWEST_FIRMS = 5
"""Smallest number of firms for which a cell of the originals is a fact about a group and not about single firms."""

DECIMALS = 6
"""Decimals in reports: more than any verdict needs, fewer than another order of summing changes."""


@dataclass(frozen=True, kw_only=True)
class EntityColumns:
    """The columns of entities by which figures are joined and grouped."""

    code: str
    industry: str
    sub_industry: str
    categories: tuple[str, ...] = ()
    """Further columns of entities whose values make groups (a state, an ownership); only texts are used."""

    @classmethod
    def of(cls, environment: Environment) -> "EntityColumns":
        """Return the columns of an environment; its categories are its quasi-identifiers."""
        keys = environment.entities
        taken = {keys.code, keys.industry, keys.sub_industry}
        categories = (column for column in quasi_identifiers(environment).columns if column not in taken)
        return cls(code=keys.code, industry=keys.industry, sub_industry=keys.sub_industry, categories=tuple(categories))


@dataclass(frozen=True, kw_only=True)
class ChangesOverYears:
    """Absolute changes of one kind of statistic; None if there is none to compare."""

    n: int
    """Statistics that both sides have."""
    median: float | None
    percentile_95: float | None
    largest: float | None
    largest_at: str
    """The place of the largest change, in words."""
    limit: float
    """The change that counts as small."""
    within: float | None
    """Share of changes that are at most `limit`."""


def changes(sizes: Floats, names: Sequence[str], *, limit: float) -> ChangesOverYears:
    """Summarise |changes|; NaN stands for a change that could not be computed.

    Args:
        sizes: One absolute change for each name.
        names: Where each was found.
        limit: The largest change that counts as small.
    """
    there = np.flatnonzero(~np.isnan(sizes))
    # Sums are added up in any order, so that their last digits are arbitrary.
    found = np.round(sizes[there], DECIMALS)
    if not found.size:
        return ChangesOverYears(
            n=0, median=None, percentile_95=None, largest=None, largest_at="", limit=limit, within=None
        )
    largest = int(found.argmax())
    return ChangesOverYears(
        n=int(found.size),
        median=float(np.median(found)),
        percentile_95=float(np.quantile(found, 0.95)),
        largest=float(found[largest]),
        largest_at=names[int(there[largest])] if found[largest] > 0 else "",
        limit=limit,
        within=float((found <= limit).mean()),
    )


def mean(values: pl.Series) -> float | None:
    """Return the mean of what is not null; None where nothing is. Of yes and no it is the share of yes."""
    there = values.drop_nulls().to_numpy()
    return float(there.mean()) if there.size else None
