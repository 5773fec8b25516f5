"""The public scale of one release: which columns are drawn, their shapes, and the scores that further statistics are taken of.

All of it follows from noised histograms and shares. A score is the standard normal quantile at a number's place in the shape of
its column, so that large companies weigh no more than others, and every later statistic is bounded.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from anonymize.synthesis.cube import Booleans, Floats
from anonymize.synthesis.dependence import TERMS, hermite_coefficients
from anonymize.synthesis.records import Records
from anonymize.synthesis.shape import ColumnShape

_MOST = 3.0
"""Largest score of a state that is rare."""

_LEAST = 0.05
"""Least standard deviation of a score."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Columns of numbers, then of states."""

    columns: tuple[int, ...]
    """Positions among the layout's columns of numbers."""
    shapes: tuple[ColumnShape, ...]
    occurring: tuple[int, ...]
    """Positions among the layout's states."""
    states: Floats
    """How often each occurs."""

    @cached_property
    def zero(self) -> Floats:
        """Return the share of zeros in each column of numbers."""
        return np.asarray([shape.zero for shape in self.shapes])

    @cached_property
    def negative(self) -> Floats:
        """Return the share of negative numbers in each column of numbers."""
        return np.asarray([shape.negative for shape in self.shapes])

    @cached_property
    def positive(self) -> Floats:
        """Return the share of positive numbers in each column of numbers."""
        return np.asarray([shape.positive for shape in self.shapes])

    @cached_property
    def coefficients(self) -> Floats:
        """Return the Hermite coefficients of the score of each column (`dependence.py`)."""
        ties = [((each.negative, each.negative + each.zero),) if each.zero else () for each in self.shapes]
        every = (*ties, *(((0.0, 1 - share), (1 - share, 1.0)) for share in self.states))
        return np.asarray([hermite_coefficients(tied) for tied in every]).reshape(len(every), TERMS + 1)

    @cached_property
    def deviations(self) -> Floats:
        """Return the standard deviation of each column's score; a little of one where all scores are the same."""
        found: Floats = np.maximum(self.coefficients[:, -1], _LEAST)
        return found

    def chosen(self, records: Records) -> Floats:
        """Return the columns of numbers, shape (n, t, p)."""
        return records.values[:, :, list(self.columns)]

    def chosen_states(self, records: Records) -> Booleans:
        """Return the columns of states, shape (n, t, q)."""
        return records.states[:, :, list(self.occurring)]

    def scores(self, records: Records) -> Floats:
        """Return the scores of all columns, shape (n, t, p + q); NaN where there is nothing."""
        values, states = self.chosen(records), self.chosen_states(records)
        found = np.full((*values.shape[:2], len(self.shapes) + len(self.states)), np.nan)
        for place, shape in enumerate(self.shapes):
            is_there = ~np.isnan(values[:, :, place])
            found[is_there, place] = shape.scores(values[is_there, place])
        low, high = state_scores(self.states)
        of_states = np.where(states, high, low)
        found[:, :, len(self.shapes) :] = np.where(records.has_row[:, :, None], of_states, np.nan)
        return found

    def magnitudes(self, values: Floats) -> Floats:
        """Return the scores of magnitudes of chosen columns of numbers, of one shape with them; NaN for zeros."""
        found = np.full(values.shape, np.nan)
        for place, shape in enumerate(self.shapes):
            is_there = ~np.isnan(values[..., place])
            found[is_there, place] = shape.magnitude_scores(values[is_there, place])
        return found


def state_scores(shares: Floats) -> tuple[Floats, Floats]:
    """Return the expected normal score of a column that is 0, and of one that is 1 in so many cases."""
    density = np.exp(-(scipy.special.ndtri(1 - shares) ** 2) / 2) / np.sqrt(2 * np.pi)
    return -density / (1 - shares), np.minimum(density / shares, _MOST)
