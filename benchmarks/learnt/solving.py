"""Solves what is stated of a cell for the originals in it: for all of them, or for the one that is missing.

Several builds of the same originals have equations for the same figures, which are solved together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from benchmarks.learnt.equations import HALF_STEPS, Floats, Integers, Stated, residuals
from pipeline.keyed import Key

SHAPES = 200
"""Number of shapes of a cell that are tried first."""

STARTS = 4
"""Number of shapes, the nearest ones, from which least squares go on."""

STEPS = 30
"""Number of steps of least squares."""

_POWERS = (0.3, 1.0, 3.0, 6.0)
"""Powers of normal draws that give shapes from two clumps to one outlier."""

_CELLS_AT_ONCE = 200
_APART = 1e-6
_GRID = 400
_FINER = np.asarray([1.0, 0.04])
_AROUND = np.linspace(-1.0, 1.0, 51)
_KEPT = 8
_BEYOND = 3.0
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Equations:
    """What one build states of cells of one size."""

    published: Floats
    """The release's figures as signed logs, in order: one row a cell."""
    stated: Stated
    """One number a cell."""

    def taken(self, places: Integers) -> "Equations":
        """Return the cells at these places."""
        stated = {name: np.asarray(value)[places] for name, value in self.stated.items()}
        return Equations(self.published[places], stated)

    def residuals(self, figures: Floats) -> Floats:
        """Return by how much tried figures miss what is stated, in half steps."""
        return residuals(figures, self.published, self.stated)


def solved(builds: Sequence[Equations], size: int) -> Floats:
    """Return the figures of cells of this size that miss least of what all builds state, one row a cell, in order."""
    cells = len(builds[0].published)
    parts = np.array_split(np.arange(cells), max(1, cells // _CELLS_AT_ONCE))
    return np.concatenate([_solved([each.taken(part) for each in builds], size) for part in parts])


def missing_one(builds: Sequence[Equations], others: Sequence[Floats]) -> float:
    """Return the figure, as signed log, that misses least of what is stated; of equally good ones a middle one.

    Args:
        builds: One cell each.
        others: The other figures of each of these cells.
    """
    every = np.concatenate([*others, *(each.published[0] for each in builds)])
    end, is_signed = float(np.abs(every).max()) + _BEYOND, bool((every < 0).any())
    even = np.linspace(-end if is_signed else 0.0, end, _GRID * (1 + is_signed))
    tried = np.unique(np.concatenate([[0.0], even, np.quantile(every, np.linspace(0, 1, _GRID))]))
    for step in (even[1] - even[0]) * _FINER:
        best = _best(tried, _missed(builds, others, tried))
        tried = np.unique(np.concatenate([best, *(each + step * _AROUND for each in best)]))
    return float(_best(tried, _missed(builds, others, tried))[0])


def _best(tried: Floats, missed: Floats) -> Floats:
    """Return the best, the middle of equally good ones first."""
    tied = tried[missed <= missed.min() * (1 + _ROUNDING)]
    return tried[np.lexsort((np.abs(tried - tied[(len(tied) - 1) // 2]), missed))][:_KEPT]


def _solved(builds: Sequence[Equations], size: int) -> Floats:
    """Try every number of zeros: a figure that starts as 0 stays so, because a logarithm never gets there."""
    cells = np.arange(len(builds[0].published))
    shapes = _shapes_of(builds[0], size)
    found = np.concatenate([_improved(builds, _zeroed(shapes, zeros)) for zeros in range(size)], axis=1)
    several = [each.taken(np.repeat(cells, found.shape[1])) for each in builds]
    best = _cost(several, found.reshape(-1, size)).reshape(found.shape[:2]).argmin(axis=1)
    return np.sort(found[cells, best], axis=1)


def _improved(builds: Sequence[Equations], shapes: Floats) -> Floats:
    """Return the best shapes of each cell after least squares; shape (cells, starts, figures)."""
    cells, tried, size = shapes.shape
    repeated = [each.taken(np.repeat(np.arange(cells), tried)) for each in builds]
    order = np.argsort(_cost(repeated, shapes.reshape(-1, size)).reshape(cells, tried), axis=1)[:, :STARTS]
    chosen = np.take_along_axis(shapes, order[:, :, None], axis=1)
    several = [each.taken(np.repeat(np.arange(cells), STARTS)) for each in builds]
    return _least_squares(several, chosen.reshape(-1, size)).reshape(chosen.shape)


def _zeroed(shapes: Floats, zeros: int) -> Floats:
    """Return the shapes with so many of their figures, those nearest to 0, set to it."""
    ranks = np.abs(shapes).argsort(axis=-1).argsort(axis=-1)
    return np.where(ranks < zeros, 0.0, shapes)


def _shapes_of(equations: Equations, size: int) -> Floats:
    """Return figures of many shapes with the mean and the standard deviation that are stated: cells, shapes, figures."""
    draws = scipy.special.ndtri(Key(bytes(32)).uniforms(SHAPES * size, "shapes", str(size))).reshape(SHAPES, size)
    powers = np.resize(_POWERS, SHAPES)[:, None]
    shapes = np.sign(draws) * np.abs(draws) ** powers
    shapes = (shapes - shapes.mean(axis=1, keepdims=True)) / shapes.std(axis=1, ddof=1, keepdims=True)
    spread, shift = (
        np.nan_to_num(equations.stated[name], nan=none) for name, none in (("spread", 1.0), ("shift", 0.0))
    )
    sd = equations.published.std(axis=1, ddof=1) / np.maximum(spread, HALF_STEPS["spread"])
    mean = equations.published.mean(axis=1) - shift * sd
    return np.asarray(mean[:, None, None] + sd[:, None, None] * shapes)


def _least_squares(builds: Sequence[Equations], figures: Floats) -> Floats:
    """Improve every row by itself (Levenberg 1944, Marquardt 1963), with differences for derivatives."""
    damping, missed = np.full(len(figures), 1e-2), _all(builds, figures)
    for _ in range(STEPS):
        steps = _APART * np.eye(figures.shape[1])[:, None, :] * (figures != 0)
        slopes = np.stack([(_all(builds, figures + step) - missed) / _APART for step in steps], axis=-1)
        squares = np.einsum("rsi,rsj->rij", slopes, slopes)
        scale = np.einsum("rii->ri", squares) + 1e-9
        squares += np.eye(figures.shape[1]) * (damping[:, None] * scale)[:, None, :]
        moved = figures - np.linalg.solve(squares, np.einsum("rsi,rs->ri", slopes, missed)[:, :, None])[:, :, 0]
        again = _all(builds, moved)
        is_better = (again**2).sum(axis=1) < (missed**2).sum(axis=1)
        figures, missed = np.where(is_better[:, None], moved, figures), np.where(is_better[:, None], again, missed)
        damping = np.clip(np.where(is_better, damping / 5, damping * 4), 1e-9, 1e9)
    return figures


def _all(builds: Sequence[Equations], figures: Floats) -> Floats:
    return np.concatenate([each.residuals(figures) for each in builds], axis=1)


def _cost(builds: Sequence[Equations], figures: Floats) -> Floats:
    return np.asarray((_all(builds, figures) ** 2).sum(axis=1))


def _missed(builds: Sequence[Equations], others: Sequence[Floats], tried: Floats) -> Floats:
    # A published number is rounded: within half a step nothing is missed.
    cost = np.zeros(len(tried))
    for each, rest in zip(builds, others, strict=True):
        cells = np.column_stack([np.broadcast_to(rest, (len(tried), len(rest))), tried])
        cost += (np.maximum(np.abs(each.residuals(cells)) - 1, 0) ** 2).sum(axis=1)
    return cost
