"""How columns depend on each other and over years: a Gaussian copula whose correlations are estimated through the ties.

A firm has *constant* columns (its level in one year) and *yearly* ones (growth, levels, gaps). The yearly ones follow a vector
autoregression of order one. Correlations are pooled over all industries and years, on scores within each: one firm of n
moves a correlation by about 1 / n. Distributions are `marginal.py`'s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import factorial

import numpy as np
import scipy
from numpy.polynomial.hermite_e import hermeval

from anonymize.synthesis.cube import Floats, Integers

FEWEST_PAIRS = 30
"""Observations below which an estimated correlation is drawn towards 0."""

_TERMS = 32
"""Terms of the expansion in Hermite polynomials: enough for columns of which 99 % are tied, and correlations up to 0.9."""

_HALVINGS = 50
"""Steps of the search for a correlation: to 1e-15. Then processors, which differ in last bits, differ in no more."""

_LEAST_EIGENVALUE = 2e-3
"""Our choice: what is added where an estimated matrix is not positive definite, and keeps solutions stable."""

_UNTIED = 0.1
"""Product of the variances of two columns' scores below which ties leave too little to tell a negative r from 0."""

_MANY = 0.01
"""Share of the figures that have one value, above which the correlation is estimated through this tie."""

_LARGEST = 0.999


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """A stationary process of p constant and q yearly standard normal columns."""

    constant: int
    now: Floats
    """Correlations of the constant columns, then the yearly ones in one year; shape (p + q, p + q)."""
    next: Floats
    """Those with the yearly columns of the year after; shape (p + q, q)."""

    def draw(self, normal: Floats, years: int) -> tuple[Floats, Floats]:
        """Return paths made of independent standard normal draws.

        Args:
            normal: Shape (n, p + q * years).
            years: Number of years.

        Returns:
            Constant columns, shape (n, p), and yearly ones, shape (n, years, q).
        """
        p, q = self.constant, self.next.shape[1]
        first = _uncorrelated(normal[:, : p + q])
        start = first @ np.linalg.cholesky(self.now).T
        transition = np.linalg.solve(self.now, self.next)
        rest = self.now[p:, p:] - self.next.T @ transition
        values, directions = np.linalg.eigh((rest + rest.T) / 2)
        # The symmetric root: eigenvectors alone would turn with the last bits of an estimate, and so with the processor.
        spread = (directions * np.sqrt(np.clip(values, 0.0, None))) @ directions.T
        yearly = [start[:, p:]]
        for year in range(1, years):
            fresh = normal[:, p + q * year : p + q * (year + 1)]
            before = np.concatenate([start[:, :p], yearly[-1]], axis=1)
            yearly.append(before @ transition + _uncorrelated(fresh, with_respect_to=first) @ spread.T)
        return start[:, :p], np.stack(yearly, axis=1)


@dataclass(frozen=True, kw_only=True)
class _Sums:
    """Sums over what both columns of a pair have: one, the product of the scores, and each score's square."""

    pairs: Floats
    products: Floats
    left: Floats
    right: Floats

    def correlations(self) -> Floats:
        """Return correlations about 0; 0 for a constant."""
        scale = np.sqrt(self.left * self.right)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.where(scale > 1e-6 * np.maximum(self.pairs, 1), self.products / scale, 0.0)
        return np.clip(found, -1.0, 1.0)


def fit_dependence(constant: Floats, yearly: Floats, scores: tuple[Floats, Floats], explained: Floats) -> Dependence:
    """Estimate the process.

    Args:
        constant: Constant columns, shape (n, p); NaN where unknown.
        yearly: Yearly columns, shape (n, t, q).
        scores: Normal scores of both.
        explained: Covariance of the p + q columns that is explained otherwise (by categories), and taken off.
    """
    p, (n, years, q) = constant.shape[1], yearly.shape
    of_constant, of_yearly = (
        np.asarray([_coefficients(_tied(columns[..., j])) for j in range(columns.shape[-1])]).reshape(-1, _TERMS + 1)
        for columns in (constant, yearly)
    )
    fixed, moving = scores
    flat = moving.reshape(n * years, q)
    within = _correlations(_sums(fixed, fixed), of_constant, of_constant)
    across = _correlations(_sums_over_years(fixed, moving), of_constant, of_yearly)
    same = _correlations(_sums(flat, flat), of_yearly, of_yearly)
    earlier, later = (part.reshape(-1, q) for part in (moving[:, :-1], moving[:, 1:]))
    lagged = _correlations(_sums(earlier, later), of_yearly, of_yearly)
    for square in (within, same):
        np.fill_diagonal(square, 1.0)
    joint = np.block([[within, across, across], [across.T, same, lagged], [across.T, lagged.T, same]])
    places = np.concatenate([np.arange(p + q), np.arange(p, p + q)])
    valid = positive_definite(joint - explained[np.ix_(places, places)])
    return Dependence(constant=p, now=valid[: p + q, : p + q], next=valid[: p + q, p + q :])


def normal_scores(columns: Floats, groups: Sequence[Integers]) -> Floats:
    """Return the score of each figure among those of its group and year: its expected normal quantile, equal for ties.

    Args:
        columns: Shape (n, t, m), NaN where nothing is reported.
        groups: Positions of the firms of each group.
    """
    scores = np.full(columns.shape, np.nan)
    for group in groups:
        part = columns[group]
        count = (~np.isnan(part)).sum(axis=0)
        low, high = (scipy.stats.rankdata(part, axis=0, method=side, nan_policy="omit") for side in ("min", "max"))
        with np.errstate(invalid="ignore", divide="ignore"):
            scores[group] = (_density((low - 1) / count) - _density(high / count)) / ((high - low + 1) / count)
    return scores


def _density(share: Floats) -> Floats:
    """Return the standard normal density at a quantile; 0 at both ends."""
    density: Floats = np.exp(-(scipy.special.ndtri(np.clip(share, 0.0, 1.0)) ** 2) / 2) / np.sqrt(2 * np.pi)
    return density


def _tied(column: Floats) -> tuple[tuple[float, float], ...]:
    """Return between which shares of the reported figures those lie that many have: zeros, ones of a state, whole numbers."""
    _, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    ends = np.cumsum(counts) / max(int(counts.sum()), 1)
    shares = counts / max(int(counts.sum()), 1)
    return tuple((float(ends[at] - shares[at]), float(ends[at])) for at in np.flatnonzero(shares > _MANY))


@cache
def _hermite() -> tuple[Floats, Floats]:
    """Return standard normal quantiles and the orthonormal Hermite polynomials 1, ..., `_TERMS` there."""
    at = scipy.special.ndtri((np.arange(4_000) + 0.5) / 4_000)
    orders = range(1, _TERMS + 1)
    return at, np.stack([hermeval(at, [0] * k + [1]) / np.sqrt(float(factorial(k))) for k in orders])


def _coefficients(tied: Sequence[tuple[float, float]]) -> Floats:
    """Return Hermite coefficients of the score of a normal variable whose quantiles between such shares are tied.

    After them comes the score's standard deviation: no number of terms adds up to that of a step.
    """
    at, polynomials = _hermite()
    score = at.copy()
    for low, high in tied:
        is_tied = (at > scipy.special.ndtri(max(low, 1e-9))) & (at < scipy.special.ndtri(min(high, 1 - 1e-9)))
        if is_tied.any():
            score[is_tied] = at[is_tied].mean()
    return np.append(polynomials @ score / len(at), score.std())


def _correlations(sums: _Sums, of_left: Floats, of_right: Floats) -> Floats:
    """Return the correlations of the normal variables behind pairs of score columns, nearer to 0 where little is known.

    With Hermite coefficients a and b of the scores, normal variables of correlation r have scores of covariance
    sum of a_k * b_k * r**k (Mehler), which rises in r where ties lie alike, and is solved by bisection.
    """
    observed, pairs = sums.correlations(), sums.pairs
    lengths = of_left[:, -1], of_right[:, -1]
    target = observed * np.outer(*lengths)
    products = of_left[:, None, :-1] * of_right[None, :, :-1]
    low, high = np.full(target.shape, -_LARGEST), np.full(target.shape, _LARGEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        covariance = np.zeros(target.shape)
        for term in range(_TERMS - 1, -1, -1):  # Horner's rule
            covariance = (covariance + products[:, :, term]) * middle
        is_below = covariance < target
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    found = np.clip(pairs / FEWEST_PAIRS, 0.0, 1.0) * (low + high) / 2
    # That two rare things never meet is no evidence that they avoid each other.
    information = np.outer(lengths[0] ** 2, lengths[1] ** 2)
    drawn: Floats = np.where(found < 0, np.clip(information / _UNTIED, 0.0, 1.0), 1.0) * found
    return drawn


def _sums(left: Floats, right: Floats) -> _Sums:
    """Return the sums over the rows of two matrices that both have."""
    return _sums_of(_powers(left), _powers(right))


def _sums_over_years(constant: Floats, yearly: Floats) -> _Sums:
    """Return the sums over firms and years; constant columns have the same score in each."""
    known, filled, squares = (part.sum(axis=1) for part in _powers(yearly))
    return _sums_of(_powers(constant), (known, filled, squares))


def _powers(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Return where scores are known, the scores, and their squares; 0 where they are not."""
    filled = np.nan_to_num(scores)
    return (~np.isnan(scores)).astype(np.float64), filled, filled**2


def _sums_of(left: tuple[Floats, Floats, Floats], right: tuple[Floats, Floats, Floats]) -> _Sums:
    return _Sums(
        pairs=left[0].T @ right[0], products=left[1].T @ right[1], left=left[2].T @ right[0], right=left[0].T @ right[2]
    )


def positive_definite(matrix: Floats) -> Floats:
    """Return the matrix with eigenvalues of at least `_LEAST_EIGENVALUE`, its diagonal as it was."""
    diagonal = np.sqrt(np.clip(np.diag(matrix), _LEAST_EIGENVALUE, None))
    values, directions = np.linalg.eigh(matrix / np.outer(diagonal, diagonal))
    mended = (directions * np.maximum(values, _LEAST_EIGENVALUE)) @ directions.T
    scale = diagonal / np.sqrt(np.diag(mended))
    result: Floats = mended * np.outer(scale, scale)
    return result


def _uncorrelated(normal: Floats, *, with_respect_to: Floats | None = None) -> Floats:
    """Return draws whose sample moments are exact: mean 0, variance 1, no correlation, as far as there are rows enough.

    What the sample is then off by is the estimate's error alone, not a second one of sampling.
    """
    centred = normal - normal.mean(axis=0)
    if with_respect_to is not None and len(normal) > with_respect_to.shape[1] + normal.shape[1] + 1:
        centred -= with_respect_to @ (with_respect_to.T @ centred) / len(normal)
    if len(normal) <= normal.shape[1] + 1:
        return np.asarray(centred)
    root = np.linalg.cholesky(centred.T @ centred / len(normal))
    whitened: Floats = np.linalg.solve(root, centred.T).T
    return whitened
