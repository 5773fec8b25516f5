"""Unmixing: which original's neighbours explain a published record, and how well.

Mechanisms that make a record of several firms' figures (microaggregation, swapping, mixtures) take them from near the owner.
So for each candidate the record's normal scores, of all years and measures at once, are regressed on those of the candidate's
nearest originals, itself excluded. What the regression leaves is whitened by the covariance that it has for true pairs,
which are known in the attacker's own releases (Mahalanobis; the likelihood of a pair but for a constant). A record that is
the original with noise is explained by neighbours no better than by anybody's: that is for other attacks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from validation.attacks.adaptive.sides import Booleans, Floats, Integers, Side

NEIGHBOURS = 12
"""Nearest originals on which a record is regressed (our choice: what the broken mechanism of neighbours draws from)."""

FEWEST_FIRMS = 20
"""Firms of an industry below which it is put together with the next larger ones when neighbours are looked for."""

KNOWN_WEIGHT = 20.0
"""How much more a measure counts for nearness that outsiders know: the broken mechanism's own weight; without it
neighbourhoods are other ones, and unmixing names a third fewer."""

_RIDGE = 0.003
"""Weight of the squared coefficients, for each whitened direction."""

_SHRINKAGE = 0.1
"""Share of the learnt covariance that is taken from its diagonal."""

_LEAST_VARIANCE = 1e-3

_LEAST_REPORTED = 0.1
"""Share of originals that report a measure in a year below which it is not looked at."""

_DISTANCE_WEIGHT = 0.15
"""What the logarithm of the distance to the owner counts against that of the residual (our choice, like the next: tried on one
release of us-listed by the broken mechanism of neighbours; its other keys had no part in it)."""

_OTHER_YEARS = 1.0
"""What it costs if a record has other years than the candidate, on the same scale."""

_SMALL = 1e-9


@dataclass(frozen=True, kw_only=True)
class Unmixer:
    """What an attacker knows of the originals' neighbourhoods, and has learnt of what regressions leave."""

    originals: Side
    neighbours: Integers
    """Shape (n, k): of each original its nearest others."""
    is_used: Booleans
    """Of each year and measure, flat."""
    importance: Floats
    """Of each measure; the sum is one."""
    whitening: Floats
    ridge: float = _RIDGE

    def costs(self, published: Side) -> dict[str, Floats]:
        """Return for each industry of both sides what speaks against each pair, shape (records, originals)."""
        white = self.originals.filled.reshape(len(self.originals.codes), -1)[:, self.is_used] @ self.whitening
        industries = np.asarray(self.originals.industries)
        found = {}
        for industry, records in published.by_industry().items():
            places = np.flatnonzero(industries == industry)
            if not len(places):
                continue
            points = records.filled.reshape(len(records.codes), -1)[:, self.is_used] @ self.whitening
            residuals = [_residuals(points, white[self.neighbours[place]], self.ridge) for place in places]
            candidates = self.originals.taken(places)
            found[industry] = (
                np.log(np.stack(residuals, axis=1) + _SMALL)
                + _DISTANCE_WEIGHT * np.log(self._distances(records, candidates) + _LEAST_VARIANCE)
                + _OTHER_YEARS * (records.has_row[:, None] != candidates.has_row).any(axis=2)
            )
        return found

    def learnt(self, own: Sequence[tuple[Side, Mapping[str, str]]]) -> "Unmixer":
        """Return the unmixer that whitens by what regressions leave of true pairs: releases and their truth."""
        errors = [error for release, truth in own for error in self._errors(release, truth)]
        if not errors:
            return self
        covariance = np.stack(errors).T @ np.stack(errors) / len(errors)
        own_variance = np.diag(np.diag(covariance))
        shrunk = (1 - _SHRINKAGE) * covariance + _SHRINKAGE * own_variance + _LEAST_VARIANCE * np.eye(len(covariance))
        variances, directions = np.linalg.eigh(shrunk)
        return Unmixer(
            originals=self.originals,
            neighbours=self.neighbours,
            is_used=self.is_used,
            importance=self.importance,
            whitening=directions / np.sqrt(variances),
        )

    def _errors(self, release: Side, truth: Mapping[str, str]) -> Iterator[Floats]:
        """Yield what the regression on its owner's neighbours leaves of each record."""
        places = {code: place for place, code in enumerate(release.codes)}
        points = self.originals.filled.reshape(len(self.originals.codes), -1)[:, self.is_used]
        records = release.filled.reshape(len(release.codes), -1)[:, self.is_used]
        for code, neighbours in zip(self.originals.codes, self.neighbours, strict=True):
            place = places.get(truth.get(code, ""))
            if place is not None:
                middle, slopes = _centred(points[neighbours])
                rest = records[place] - middle
                weights = np.linalg.solve(_gram(slopes, self.ridge * slopes.shape[1]), slopes @ rest)
                yield rest - weights @ slopes

    def _distances(self, records: Side, candidates: Side) -> Floats:
        """Return squared distances of means over the years, by importance."""
        root = np.sqrt(self.importance)
        distances: Floats = cdist(
            records.filled.mean(axis=1) * root, candidates.filled.mean(axis=1) * root, "sqeuclidean"
        )
        return distances


def unmixer_of(originals: Side, measures: Sequence[str], known: Sequence[str]) -> Unmixer:
    """Return the unmixer of an attacker who has not learnt anything yet.

    Args:
        originals: All originals of the industries that are attacked.
        measures: Their measures.
        known: Those that count more for who is near.
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
    """Return of each firm the nearest others of its pool of industries; with fewer others, some stand more than once."""
    found = np.zeros((len(points), NEIGHBOURS), np.int64)
    for places in _pools(industries):
        distances = cdist(points[places], points[places], "sqeuclidean")
        np.fill_diagonal(distances, np.inf)
        nearest = distances.argsort(axis=1, kind="stable")[:, : max(len(places) - 1, 1)]
        found[places] = places[nearest[:, np.arange(NEIGHBOURS) % nearest.shape[1]]]
    return found


def _pools(industries: Sequence[str]) -> Iterator[Integers]:
    """Yield the positions of each industry's firms, small ones put together until there are enough, smallest first."""
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


def _residuals(points: Floats, neighbours: Floats, ridge: float) -> Floats:
    """Return of each point the penalised mean square that an affine combination of the neighbours leaves."""
    middle, slopes = _centred(neighbours)
    rest = points - middle
    penalty = ridge * slopes.shape[1]
    products = slopes @ rest.T
    weights = np.linalg.solve(_gram(slopes, penalty), products)
    residuals: Floats = ((rest**2).sum(axis=1) - (weights * products).sum(axis=0)) / slopes.shape[1]
    return np.maximum(residuals, 0.0)


def _centred(neighbours: Floats) -> tuple[Floats, Floats]:
    middle = neighbours.mean(axis=0)
    return middle, neighbours - middle


def _gram(slopes: Floats, penalty: float) -> Floats:
    gram: Floats = slopes @ slopes.T + max(penalty, _SMALL) * np.eye(len(slopes))
    return gram
