"""Maps mixtures back onto what the industry really reports: its gaps, its zeros and its sorted values, none lost or new.

Within one industry, year and measure the firms that lean most to a gap (whose contributors report nothing) get the gaps,
those that lean most to zero the zeros, and the others the sorted figures in the order of their mixed scores. So each
industry's distribution is the original one (two-sample KS D = 0), while which firm reports what is its mixture's.

The gaps of a firm must move with its figures: which of its measures are zero or missing singles out 99.6 % of real listed
companies within their sector, whatever stands in the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .cube import Booleans, Cube, Floats, Integers, filled_over_years
from .mixtures import Mixtures

_LEAST_WEIGHT = 0.3
"""Weight of contributors that report a measure below which their mixture is not blown up further."""

_DIGITS = 9

Records = tuple[Integers, Integers]
"""Positions of firms and of years."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Records of one industry and year among which its values are given out."""

    records: Records
    followers: Records
    """Records of years with too few of their own: each takes the values of those here whose scores are nearest."""


def mapped(cube: Cube, scores: Floats, mixtures: Mixtures, cells: Sequence[Cell]) -> Cube:
    """Return the cube with the figures of every cell given out anew among the cell's records.

    Args:
        cube: The originals.
        scores: Their normal scores, NaN where nothing is reported.
        mixtures: Contributors and coefficients of every firm.
        cells: Every record once, as record or follower.
    """
    filled = filled_over_years(scores)
    levels = _levels(filled, mixtures)
    gaps = _mixed(_known_over_years(~cube.is_reported, cube.has_row), mixtures)
    zeros = _mixed(_known_over_years(cube.is_zero, cube.has_row), mixtures)
    values, is_reported = np.zeros_like(cube.values), np.zeros_like(cube.is_reported)
    for cell in cells:
        at = cell.records
        values[at], is_reported[at] = _given_out(cube.values[at], cube.is_reported[at], levels[at], gaps[at], zeros[at])
        if len(cell.followers[0]):
            nearest = np.abs(levels[cell.followers][:, None] - levels[at]).argmin(axis=1)
            values[cell.followers] = np.take_along_axis(values[at], nearest, axis=0)
            is_reported[cell.followers] = np.take_along_axis(is_reported[at], nearest, axis=0)
    return Cube(firms=cube.firms, years=cube.years, values=values, is_reported=is_reported, has_row=cube.has_row)


def _levels(filled: Floats, mixtures: Mixtures) -> Floats:
    """Return the mixed scores; contributors that never report a measure are left out of it."""
    known = ~np.isnan(filled)
    total = _mixed(np.nan_to_num(filled), mixtures)
    weight = np.einsum("nk,nktj->ntj", mixtures.weights, known[mixtures.contributors].astype(np.float64))
    levels: Floats = total / np.maximum(weight, _LEAST_WEIGHT)
    return levels


def _mixed(scores: Floats, mixtures: Mixtures) -> Floats:
    mixed: Floats = np.einsum("nk,nktj->ntj", mixtures.coefficients, scores[mixtures.contributors])
    return mixed


def _known_over_years(states: Booleans, has_row: Booleans) -> Floats:
    """Return a state as 0 and 1, in years without a record that of the nearest year with one."""
    return filled_over_years(np.where(has_row[:, :, None], states, np.nan))


def _given_out(
    values: Integers, is_reported: Booleans, levels: Floats, gaps: Floats, zeros: Floats
) -> tuple[Integers, Booleans]:
    """Give out the figures of one cell, shapes (records, measures); of equals the first record is served first."""
    new, is_new = np.zeros_like(values), np.zeros_like(is_reported)
    for j in range(values.shape[1]):
        figures = np.sort(values[is_reported[:, j], j])
        others = figures[figures != 0]
        after_gaps = _leaning_least(np.arange(len(values)), gaps[:, j], len(figures))
        after_zeros = _leaning_least(after_gaps, zeros[:, j], len(others))
        order = np.round(levels[after_zeros, j], _DIGITS).argsort(kind="stable")
        is_new[after_gaps, j] = True
        new[after_zeros[order], j] = others
    return new, is_new


def _leaning_least(records: Integers, leaning: Floats, count: int) -> Integers:
    """Return the records, in their order, that lean least to a state; of equals the later ones are left out."""
    order = np.round(leaning[records], _DIGITS).argsort(kind="stable")
    return records[np.sort(order[:count])]
