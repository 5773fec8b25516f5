"""Unmixing: which original's neighbours explain a published record, and how well.

Mechanisms that combine figures of several firms (microaggregation, swapping, mixtures) take them from the owner's
neighbourhood. So for each candidate the record's normal scores, of all years and measures at once, are regressed on those of
the nearest other originals of the candidate. The residuals are whitened by their covariance for true pairs, which the attacker
knows in shadow releases (Mahalanobis distance; the likelihood of a pair up to a constant). A record that is its original
plus noise is not explained better by the owner's neighbours than by others: such records are left to other attacks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from validation.attacks.adaptive.arrays import Booleans, FirmArrays, Floats, Integers

NEIGHBOURS = 12
"""Number of nearest originals in a regression (our choice: as many as the broken mechanism of neighbours draws from)."""

FEWEST_FIRMS = 20
"""An industry with fewer firms shares its search for neighbours with the next larger ones."""

KNOWN_WEIGHT = 20.0
"""Weight of known measures in nearness, relative to others: the broken mechanism's own weight. Without it neighbourhoods
are different, and unmixing names a third fewer."""

_RIDGE = 0.003
"""Weight of the squared coefficients, for each whitened direction."""

_SHRINKAGE = 0.1
"""Share of the learnt covariance that is replaced by its diagonal."""

_LEAST_VARIANCE = 1e-3

_LEAST_REPORTED = 0.1
"""Smallest share of originals that report a measure in a year for the measure to be used."""

_DISTANCE_WEIGHT = 0.15
"""Weight of the logarithm of the distance to the owner, relative to that of the residual (our choice, like the next: tuned on
one release of us-listed by the broken mechanism of neighbours; its other keys were not used)."""

_OTHER_YEARS = 1.0
"""Cost of a record with other years than the candidate, on the same scale."""

_SMALL = 1e-9


@dataclass(frozen=True, kw_only=True)
class Unmixer:
    """What an attacker knows of the originals' neighbourhoods, and has learnt of the residuals."""

    originals: FirmArrays
    neighbours: Integers
    """Shape (n, k): the nearest other originals of each original."""
    is_used: Booleans
    """Which years and measures are used, flat."""
    importance: Floats
    """Weight of each measure; the sum is one."""
    whitening: Floats

    def costs(self, published: FirmArrays) -> dict[str, Floats]:
        """Return, for each industry of both, the evidence against each pair, shape (records, originals)."""
        white = self.originals.points[:, self.is_used] @ self.whitening
        originals = self.originals.places()
        found = {}
        for industry, records in published.by_industry().items():
            if industry not in originals:
                continue
            places = originals[industry]
            points = records.points[:, self.is_used] @ self.whitening
            residuals = [_residuals(points, white[self.neighbours[place]]) for place in places]
            candidates = self.originals.taken(places)
            found[industry] = (
                np.log(np.stack(residuals, axis=1) + _SMALL)
                + _DISTANCE_WEIGHT * np.log(self._distances(records, candidates) + _LEAST_VARIANCE)
                + _OTHER_YEARS * (records.has_row[:, None] != candidates.has_row).any(axis=2)
            )
        return found

    def learnt(self, own: Sequence[tuple[FirmArrays, Mapping[str, str]]]) -> "Unmixer":
        """Return the unmixer that whitens by the residuals of true pairs, given releases with their truth."""
        errors = [error for release, truth in own for error in self._errors(release, truth)]
        if not errors:
            return self
        covariance = np.stack(errors).T @ np.stack(errors) / len(errors)
        own_variance = np.diag(np.diag(covariance))
        # There may be fewer true pairs than dimensions; shrunk to its diagonal, the covariance can be inverted.
        shrunk = (1 - _SHRINKAGE) * covariance + _SHRINKAGE * own_variance + _LEAST_VARIANCE * np.eye(len(covariance))
        variances, directions = np.linalg.eigh(shrunk)
        return replace(self, whitening=directions / np.sqrt(variances))

    def _errors(self, release: FirmArrays, truth: Mapping[str, str]) -> Iterator[Floats]:
        """Yield the residuals of each record in the regression on its owner's neighbours."""
        places = {code: place for place, code in enumerate(release.codes)}
        points, records = self.originals.points[:, self.is_used], release.points[:, self.is_used]
        for code, neighbours in zip(self.originals.codes, self.neighbours, strict=True):
            place = places.get(truth.get(code, ""))
            if place is not None:
                middle, slopes = _centred(points[neighbours])
                rest = records[place] - middle
                weights = np.linalg.solve(_gram(slopes), slopes @ rest)
                yield rest - weights @ slopes

    def _distances(self, records: FirmArrays, candidates: FirmArrays) -> Floats:
        """Return squared distances of means over the years, weighted by importance."""
        root = np.sqrt(self.importance)
        distances: Floats = scipy.spatial.distance.cdist(
            records.filled.mean(axis=1) * root, candidates.filled.mean(axis=1) * root, "sqeuclidean"
        )
        return distances


def unmixer_of(originals: FirmArrays, measures: Sequence[str], known: Sequence[str]) -> Unmixer:
    """Return the unmixer of an attacker who has not learnt anything yet.

    Args:
        originals: All originals of the attacked industries.
        known: Measures with more weight in nearness.
    """
    importance = np.asarray([KNOWN_WEIGHT if measure in known else 1.0 for measure in measures])
    importance /= importance.sum()
    is_used = (~np.isnan(originals.scores)).mean(axis=0).ravel() >= _LEAST_REPORTED
    gaps = np.isnan(originals.scores).mean(axis=1) / np.sqrt(len(measures))
    points = np.concatenate([originals.filled.mean(axis=1) * np.sqrt(importance), gaps], axis=1)
    return Unmixer(
        originals=originals,
        neighbours=_neighbours(points, originals.industries),
        is_used=is_used,
        importance=importance,
        whitening=np.eye(int(is_used.sum())),
    )


def _neighbours(points: Floats, industries: Sequence[str]) -> Integers:
    """Return the nearest other firms of each firm in its pool of industries; with too few others, some are repeated."""
    found = np.zeros((len(points), NEIGHBOURS), np.int64)
    for places in _pools(industries):
        distances = scipy.spatial.distance.cdist(points[places], points[places], "sqeuclidean")
        np.fill_diagonal(distances, np.inf)
        nearest = distances.argsort(axis=1, kind="stable")[:, : max(len(places) - 1, 1)]
        # Pools with too few firms repeat neighbours, so that all regressions have the same number.
        found[places] = places[nearest[:, np.arange(NEIGHBOURS) % nearest.shape[1]]]
    return found


def _pools(industries: Sequence[str]) -> Iterator[Integers]:
    """Yield the positions of each industry's firms; small industries are pooled until there are enough, smallest first."""
    labels = np.asarray(industries)
    names, counts = np.unique(labels, return_counts=True)
    waiting: list[str] = []
    firms = 0
    for place in np.lexsort((names, counts)):
        waiting.append(names[place])
        firms += int(counts[place])
        if firms >= FEWEST_FIRMS:
            yield np.flatnonzero(np.isin(labels, waiting))
            waiting, firms = [], 0
    if waiting:
        yield np.flatnonzero(np.isin(labels, waiting))


def _residuals(points: Floats, neighbours: Floats) -> Floats:
    """Return, for each point, the penalised mean square residual of the best affine combination of its neighbours."""
    middle, slopes = _centred(neighbours)
    rest = points - middle
    products = slopes @ rest.T
    weights = np.linalg.solve(_gram(slopes), products)
    residuals: Floats = ((rest**2).sum(axis=1) - (weights * products).sum(axis=0)) / slopes.shape[1]
    return np.maximum(residuals, 0.0)


def _centred(neighbours: Floats) -> tuple[Floats, Floats]:
    middle = neighbours.mean(axis=0)
    return middle, neighbours - middle


def _gram(slopes: Floats) -> Floats:
    gram: Floats = slopes @ slopes.T + max(_RIDGE * slopes.shape[1], _SMALL) * np.eye(len(slopes))
    return gram
