"""Populations as arrays: what an attacker sees of a firm, on scales on which two populations can be compared.

Scales are computed within an industry and year of the same population, so that originals and releases need neither the same
firms nor the same rows. Only the form changes here; comparing belongs to `reidentification/pairs.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from pipeline.model import PERIOD
from validation.attacks.adaptive.populations import CODE, INDUSTRY, Population

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

LARGEST_LOG = 60.0
"""Bound of a guess, because a regression may diverge."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """The years, measures and columns that an attacker looks at in both populations."""

    years: tuple[int, ...]
    measures: tuple[str, ...]
    flags: tuple[str, ...] = ()
    register: tuple[str, ...] = ()

    @classmethod
    def of_all(cls, originals: Population) -> Self:
        """Return the sight of all years and measures."""
        return cls(years=tuple(originals.figures[PERIOD].unique().sort()), measures=originals.measures)


@dataclass(frozen=True)
class FirmArrays:
    """Some of n firms of one population in t years: figures of m measures, f flags, c columns of a register."""

    codes: tuple[str, ...]
    industries: tuple[str, ...]
    values: Floats
    """Shape (n, t, m), NaN where nothing is reported."""
    ranks: Floats
    """(rank - 1/2) / number of figures, within industry, year and measure; equal figures share their mean rank."""
    flags: Booleans
    """Shape (n, t, f); false without a record."""
    has_row: Booleans
    """Shape (n, t)."""
    register: Sequence[tuple[str | None, ...]]
    """One row a firm."""

    @cached_property
    def scores(self) -> Floats:
        """Return the normal scores (Hazen): the normal quantiles of the ranks."""
        scores: Floats = scipy.special.ndtri(self.ranks)
        return scores

    @cached_property
    def logs(self) -> Floats:
        """Return sign(x) * log(1 + |x|) of each figure."""
        return signed_logs(self.values)

    @cached_property
    def filled(self) -> Floats:
        """Return the scores, gaps filled with the nearest year's, else with 0 (the median)."""
        return np.nan_to_num(filled_over_years(self.scores))

    @property
    def points(self) -> Floats:
        """Return the filled scores of each firm side by side, shape (n, t * m)."""
        return side_by_side(self.filled)

    def places(self) -> dict[str, Integers]:
        """Return the positions of the firms of each industry."""
        labels = np.asarray(self.industries)
        return {industry: np.flatnonzero(labels == industry) for industry in sorted(set(self.industries))}

    def taken(self, places: Integers) -> "FirmArrays":
        """Return the firms at these positions; ranks stay those among all firms."""
        return FirmArrays(
            tuple(self.codes[place] for place in places),
            tuple(self.industries[place] for place in places),
            self.values[places],
            self.ranks[places],
            self.flags[places],
            self.has_row[places],
            [self.register[place] for place in places],
        )

    def by_industry(self) -> "dict[str, FirmArrays]":
        """Return the firms of each industry."""
        return {industry: self.taken(places) for industry, places in self.places().items()}


def arrays_of(population: Population, sight: Sight) -> FirmArrays:
    """Return the firms that have a record in one of the years, sorted by code."""
    rows = (
        population.figures.filter(pl.col(PERIOD).is_in(sight.years))
        .join(population.entities.select(CODE, INDUSTRY), on=CODE)
        .sort(CODE, PERIOD)
    )
    listed = rows.select(CODE).unique(maintain_order=True).join(population.entities, on=CODE, maintain_order="left")
    at = (
        rows.select(pl.col(CODE).rle_id())[CODE].to_numpy(),
        np.searchsorted(np.asarray(sight.years), rows[PERIOD].to_numpy()),
    )
    shape = (listed.height, len(sight.years))
    names = list(sight.measures)
    figure = pl.col(names).cast(pl.Float64)
    hazen = (figure.rank() - 0.5) / figure.count()
    return FirmArrays(
        tuple(listed[CODE]),
        tuple(listed[INDUSTRY]),
        _placed(rows.select(figure).to_numpy(), at, shape, np.nan),
        _placed(rows.select(hazen.over(INDUSTRY, PERIOD)).cast(pl.Float64).to_numpy(), at, shape, np.nan),
        _placed(
            rows.select(sight.flags).to_numpy().reshape(rows.height, len(sight.flags)).astype(np.float64),
            at,
            shape,
            0.0,
        )
        > 0,
        _placed(np.ones((rows.height, 1)), at, shape, 0.0)[:, :, 0] > 0,
        listed.select(pl.col(sight.register).cast(pl.String)).rows() if sight.register else [()] * listed.height,
    )


def side_by_side(cube: Floats) -> Floats:
    """Return everything of each firm in one row, of shape (n, ...): (n, product of the rest). There may be no firm."""
    return cube.reshape(len(cube), math.prod(cube.shape[1:]))


def signed_logs(values: Floats) -> Floats:
    """Return sign(x) * log(1 + |x|)."""
    logs: Floats = np.sign(values) * np.log1p(np.abs(values))
    return logs


def unlogged(logs: Floats) -> Floats:
    """Undo `signed_logs`, within a bound that cannot overflow."""
    values: Floats = np.sign(logs) * np.expm1(np.minimum(np.abs(logs), LARGEST_LOG))
    return values


def filled_over_years(values: Floats) -> Floats:
    """Return values of shape (n, t, ...), NaN replaced by the firm's value of the nearest year, the earlier of two."""
    filled = values.copy()
    years = range(values.shape[1])
    for distance in years[1:]:
        for year in years:
            for other in (year - distance, year + distance):
                if other in years:
                    is_open = np.isnan(filled[:, year])
                    filled[:, year][is_open] = values[:, other][is_open]
    return filled


def _placed(rows: Floats, at: tuple[Integers, Integers], shape: tuple[int, int], absent: float) -> Floats:
    """Return rows of shape (records, k) as a cube of shape (firms, years, k)."""
    cube = np.full((*shape, rows.shape[1]), absent)
    cube[at] = rows
    return cube
