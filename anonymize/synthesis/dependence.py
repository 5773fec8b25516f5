"""How columns depend on each other and over years: a Gaussian copula with factors that persist.

Correlations of scores, which ties make smaller, are turned into those of the normal variables behind them. Companies are
drawn as a few common factors, which hardly change from year to year, and what is a column's own, which persists as much as
its score is seen to. Distributions are `shape.py`'s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import factorial

import numpy as np
import scipy
from numpy.polynomial.hermite_e import hermeval

from anonymize.synthesis.account import NoisedStatistic
from anonymize.synthesis.cube import Floats

TERMS = 32
"""Terms of the expansion in Hermite polynomials: enough for columns of which 99 % are tied, and correlations up to 0.9."""

_HALVINGS = 50
"""Steps of the search for a correlation: to 1e-15. Then processors, which differ in last bits, differ in no more."""

_LEAST_EIGENVALUE = 2e-3
"""Our choice: what is added where an estimated matrix is not positive definite, and keeps solutions stable."""

_UNIQUE = 0.4
"""Share of a column's variance that is its own before correlations are known: from there eigenvalues are counted."""

_WHITENED, _LEAST_WHITENED = 0.25, 0.1
"""Power of the correlations by which columns are whitened, and the least eigenvalue that it sees."""

_UNTIED = 0.1
"""With a smaller product of the variances of two columns' scores, ties leave too little to distinguish a negative r from 0."""

_LARGEST = 0.999

_FACTOR_PERSISTS = 0.985
"""Correlation of a factor with itself a year later (our choice: that of the size of a company)."""

_FACTOR = 1.05
"""Eigenvalue of a factor at least: it says more than a column (Kaiser 1960), by more than the last bits of a column alone."""

_LEAST_OWN = 0.02
"""Share of a column's variance that is its own at least, where its persistence is worked out."""

_OWN_PERSISTS = -0.5, 0.999
"""Bounds of the persistence of what is a column's own."""


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """A stationary process of standard normal columns: what they have in common, and what is each column's own."""

    common: Floats
    """The symmetric root of the covariance that factors make, shape (columns, columns)."""
    own: Floats
    """The same of what is left."""
    persistence: Floats
    """Correlation of what is a column's own with itself a year later."""

    def draws(self, rows: int, years: int) -> int:
        """Return how many independent standard normal draws `paths` takes."""
        return 2 * rows * years * len(self.own)

    def paths(self, normal: Floats, rows: int, years: int) -> Floats:
        """Return paths made of independent standard normal draws, shape (rows, years, columns)."""
        fresh = normal.reshape(years, 2, rows, len(self.own))
        common, own = _uncorrelated(fresh[0, 0]) @ self.common, _uncorrelated(fresh[0, 1]) @ self.own
        found = [common + own]
        for first, second in fresh[1:]:
            common = _later(common, _uncorrelated(first) @ self.common, _FACTOR_PERSISTS)
            own = _later(own, _uncorrelated(second) @ self.own, self.persistence)
            found.append(common + own)
        return np.stack(found, axis=1)


def process(correlations: Floats, lagged: Floats) -> Dependence:
    """Return the process with given correlations of one year, and correlations of each column with itself a year later.

    Roots are symmetric: eigenvectors alone would turn with the last bits of an estimate, and so with the processor.
    """
    values, directions = np.linalg.eigh(correlations)
    factors = np.where(values > _FACTOR, values, 0.0)
    shared = ((directions**2) * factors).sum(axis=1)
    persistence = (lagged - _FACTOR_PERSISTS * shared) / np.maximum(1 - shared, _LEAST_OWN)
    return Dependence(
        common=(directions * np.sqrt(factors)) @ directions.T,
        own=(directions * np.sqrt(np.clip(values - factors, 0.0, None))) @ directions.T,
        persistence=np.clip(persistence, *_OWN_PERSISTS),
    )


def _later(before: Floats, fresh: Floats, persistence: Floats | float) -> Floats:
    """Return the next year of a process, of the same variance."""
    after: Floats = persistence * before + np.sqrt(1 - np.square(persistence)) * fresh
    return after


@dataclass(frozen=True, kw_only=True)
class Alike:
    """Standard normal columns of records, each with a part of its entity, the same in all of them, and one of its own."""

    of_entity: Floats
    """The symmetric root of the covariance of entities' parts, shape (columns, columns)."""
    own: Floats
    """That of the records' parts."""

    def entities(self, normal: Floats) -> Floats:
        """Return entities' parts made of independent standard normal draws; both of shape (entities, columns)."""
        parts: Floats = _uncorrelated(normal) @ self.of_entity
        return parts

    def records(self, normal: Floats) -> Floats:
        """Return the parts of records in the same way."""
        parts: Floats = _uncorrelated(normal) @ self.own
        return parts


def alike(correlations: Floats, same_entity: Floats) -> Alike:
    """Return columns with given correlations within a record, and of each column with itself in another of the entity.

    What two columns have in common is the entity's in as large a part as of both, in the geometric mean.
    """
    share = np.clip(same_entity, 0.0, _LARGEST)
    common = correlations * np.sqrt(np.outer(share, share))
    return Alike(of_entity=_root(common), own=_root(with_diagonal(positive_definite(correlations - common), 1 - share)))


@dataclass(frozen=True, kw_only=True)
class Whitening:
    """Weights of correlated columns, before noise of one size is added to all of them.

    Without weights, what columns have in common (the size of a company) would be disclosed far better than what is a column's
    own. With the weights C**(-1/4), for correlations C, the mean square of what the noise leaves unknown is least: this is the
    Gaussian mechanism with the best strategy for independent directions (Li et al. 2010). And less of the size is disclosed.
    """

    correlations: Floats
    """Of the columns."""
    weights: Floats
    """The symmetric matrix that rows are multiplied by."""

    @cached_property
    def undone(self) -> Floats:
        """Return the inverse of the weights."""
        return np.asarray(np.linalg.inv(self.weights), np.float64)

    @cached_property
    def noise(self) -> Floats:
        """Return the covariance of noise with variance 1, once the weights are undone."""
        covariance: Floats = self.undone @ self.undone
        return covariance

    def expected(self, shares: Floats) -> float:
        """Return the mean square of the length of weighted rows, in which each column is there in such a share."""
        present = np.sqrt(shares)
        return float(np.trace(self.weights @ (self.correlations * np.outer(present, present)) @ self.weights))


def whitening(correlations: Floats) -> Whitening:
    """Return the weights of columns with such correlations."""
    values, directions = np.linalg.eigh(correlations)
    weights = (directions * np.maximum(values, _LEAST_WHITENED) ** -_WHITENED) @ directions.T
    return Whitening(correlations=correlations, weights=weights)


def covariance_of(products: NoisedStatistic, count: float, deviations: Floats) -> Floats:
    """Return the covariance of scores over everybody, with the variances that shapes give."""
    variances = deviations**2
    rows, columns = np.triu_indices(len(variances))
    means = np.zeros((len(variances), len(variances)))
    if not means.size:  # so small a budget keeps no column
        return means
    means[rows, columns] = products.values / count / np.where(rows == columns, 1.0, np.sqrt(2))
    means = means + np.triu(means, 1).T
    kept = np.diag(means) / variances
    bounded = np.maximum(np.diag(means), 0.3 * max(float(np.median(kept)), 1e-3) * variances)
    whole = with_diagonal(means, variances, was=bounded)
    np.fill_diagonal(whole, variances)
    noise = products.sigma / count / np.sqrt(2) * float(np.median(variances / bounded))
    return with_diagonal(positive_definite(without_noise(whole, noise, _UNIQUE * variances)), variances)


def without_noise(matrix: Floats, noise: float, level: Floats) -> Floats:
    """Return a symmetric matrix without what its noise explains: eigenvalues, counted from a diagonal, are drawn to it.

    The noise of entries with standard deviation s makes eigenvalues of up to 2 s sqrt(columns), and makes those of a signal
    larger: l becomes sqrt(l**2 - 4 s**2 columns), which is best in the mean square (Gavish and Donoho 2017, equation 7).
    """
    values, directions = np.linalg.eigh(matrix - np.diag(level))
    left = np.sign(values) * np.sqrt(np.maximum(values**2 - 4 * noise**2 * len(matrix), 0.0))
    found: Floats = (directions * left) @ directions.T + np.diag(level)
    return found


def hermite_coefficients(tied: Sequence[tuple[float, float]]) -> Floats:
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


def normal_correlations(observed: Floats, coefficients: Floats) -> Floats:
    """Return the correlations of the normal variables behind columns whose scores have the observed ones.

    With Hermite coefficients a and b of the scores, normal variables of correlation r have scores of covariance
    sum of a_k * b_k * r**k (Mehler), which rises in r where ties lie alike, and is solved by bisection.

    Args:
        observed: Correlations of scores, shape (columns, columns).
        coefficients: Of each column (`hermite_coefficients`).
    """
    lengths = coefficients[:, -1]
    target = np.clip(observed, -1.0, 1.0) * np.outer(lengths, lengths)
    products = coefficients[:, None, :-1] * coefficients[None, :, :-1]
    low, high = np.full(target.shape, -_LARGEST), np.full(target.shape, _LARGEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        covariance = np.zeros(target.shape)
        for term in range(TERMS - 1, -1, -1):  # Horner's rule
            covariance = (covariance + products[:, :, term]) * middle
        is_below = covariance < target
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    found = (low + high) / 2
    # That two rare things never meet is no evidence that they avoid each other.
    information = np.outer(lengths**2, lengths**2)
    found = np.where(found < 0, np.clip(information / _UNTIED, 0.0, 1.0), 1.0) * found
    np.fill_diagonal(found, 1.0)
    return with_diagonal(positive_definite(found), np.ones(len(found)))


def positive_definite(matrix: Floats) -> Floats:
    """Return the matrix with eigenvalues of at least `_LEAST_EIGENVALUE`, its diagonal as it was."""
    diagonal = np.clip(np.diag(matrix), _LEAST_EIGENVALUE, None)
    values, directions = np.linalg.eigh(with_diagonal(matrix, np.ones(len(matrix)), was=diagonal))
    return with_diagonal((directions * np.maximum(values, _LEAST_EIGENVALUE)) @ directions.T, diagonal)


def with_diagonal(matrix: Floats, diagonal: Floats, *, was: Floats | None = None) -> Floats:
    """Return a covariance matrix with other variances and the same correlations."""
    scale = np.sqrt(diagonal / (np.diag(matrix) if was is None else was))
    scaled: Floats = matrix * np.outer(scale, scale)
    return scaled


@cache
def _hermite() -> tuple[Floats, Floats]:
    """Return standard normal quantiles and the orthonormal Hermite polynomials 1, ..., `TERMS` there."""
    at = scipy.special.ndtri((np.arange(4_000) + 0.5) / 4_000)
    orders = range(1, TERMS + 1)
    return at, np.stack([hermeval(at, [0] * k + [1]) / np.sqrt(float(factorial(k))) for k in orders])


def _root(matrix: Floats) -> Floats:
    """Return the symmetric root: eigenvectors alone would turn with the last bits of an estimate, and so with the processor."""
    values, directions = np.linalg.eigh(matrix)
    root: Floats = (directions * np.sqrt(np.clip(values, 0.0, None))) @ directions.T
    return root


def _uncorrelated(normal: Floats) -> Floats:
    """Return draws whose sample moments are exact: mean 0, variance 1, no correlation, as far as there are rows enough.

    What the sample is then off by is the estimate's error alone, not a second one of sampling.
    """
    centred = normal - normal.sum(axis=0) / max(len(normal), 1)
    if len(normal) <= normal.shape[1] + 1:
        return np.asarray(centred)
    root = np.linalg.cholesky(centred.T @ centred / len(normal))
    whitened: Floats = np.linalg.solve(root, centred.T).T
    return whitened
