"""Likelihood with shadow releases: what any mechanism discloses of one company, whether or not it states statistics.

Whoever has all other companies takes their features (scores, products of scores, tenths) off those of a release's industry, and
compares what is left with each record that the target may have. How far a release strays otherwise, he learns from releases of
his own (Carlini et al. 2022, with one normal for all targets of an industry). The control is a release of the same size with
another company of the industry in the target's place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.keyed import Key
from validation.attacks.adaptive.arrays import FirmArrays, Floats, Integers, Sight, arrays_of
from validation.attacks.adaptive.findings import Auc, Gain, auc, gain
from validation.attacks.adaptive.inference import TOLERANCE
from validation.attacks.adaptive.membership import on_scale
from validation.attacks.adaptive.populations import Control, Population

ALL_OTHERS = "all figures of all other firms, and shadow releases"

_TENTHS = np.asarray([-1.28, -0.84, -0.52, -0.25, 0.0, 0.25, 0.52, 0.84, 1.28])
"""Normal scores at tenths."""

_SHRUNK, _LEAST = 0.7, 1e-3
"""How far covariances of features are shrunk to their diagonal (found most of 0.1 to 1), and the least variance."""


@dataclass(frozen=True)
class _Industry:
    """An industry of the originals, and the same of a control release."""

    firms: FirmArrays
    release: FirmArrays
    is_in: np.ndarray
    """Which of the firms the release was made of."""

    @cached_property
    def values(self) -> Floats:
        """Return the figures of firms, and then of published records."""
        return np.concatenate([each.values.reshape(len(each.codes), -1) for each in (self.firms, self.release)])

    @cached_property
    def features(self) -> Floats:
        """Return what is compared, a row as in `values`."""
        scores = [np.nan_to_num(self.firms.scores), on_scale(self.firms, self.release)]
        rows = np.concatenate([each.reshape(len(each), -1) for each in scores])
        upper = np.triu_indices(rows.shape[1])
        tenths = np.eye(len(_TENTHS) + 1)[np.searchsorted(_TENTHS, rows)]
        return np.concatenate([rows, rows[:, upper[0]] * rows[:, upper[1]], tenths.reshape(len(rows), -1)], axis=1)

    @cached_property
    def excess(self) -> Floats:
        """Return the features of the release, as of so many firms as it was made of, less those of the firms."""
        count, published = len(self.firms.codes), self.features[len(self.firms.codes) :]
        found: Floats = published.mean(axis=0) * self.is_in.sum() - self.features[:count][self.is_in].sum(axis=0)
        return found


def shadow_attacks(originals: Population, controls: Sequence[Control], key: Key) -> tuple[list[Gain], list[Auc]]:
    """Guess figures and membership of each firm that one control leaves out and the next includes.

    Args:
        originals: All figures of all firms.
        controls: Each made without some firms; the attacker learns from all but those two.
        key: Decides who stands in a target's place.

    Returns:
        The gain in figures within 10 %, and the area for membership; nothing with fewer than four controls.
    """
    sides = [_industries(originals, control) for control in controls]
    if len(sides) < 4:  # noqa: PLR2004
        return [], []
    found = [
        each
        for place in range(len(sides))
        for name in sides[place]
        if all(name in side for side in sides)
        for each in _games([side[name] for side in sides], place, key)
    ]
    hits, ratios, guessed = (np.asarray([each[i] for each in found]) for i in range(3))
    return (
        [gain("figures by likelihood", ALL_OTHERS, with_firm=hits[:, 0], without=hits[:, 1], guessed=guessed)],
        [auc("membership by likelihood", ALL_OTHERS, members=ratios[:, 0], others=ratios[:, 1])],
    )


def _industries(originals: Population, control: Control) -> Mapping[str, _Industry]:
    sight = Sight.of_all(originals)
    firms, release = (arrays_of(each, sight).by_industry() for each in (originals, control.release.population))
    return {
        name: _Industry(each, release[name], ~np.isin(each.codes, list(control.left_out)))
        for name, each in firms.items()
        if name in release
    }


def _games(
    sides: Sequence[_Industry], place: int, key: Key
) -> Iterator[tuple[tuple[float, float], tuple[float, float], float]]:
    """Yield of each target hits and ratios, with it and with another in its place, and how many figures it has."""
    without, having = sides[place], sides[(place + 1) % len(sides)]
    shadows = np.stack([side.excess for side in sides if side is not without and side is not having])
    bias, precision = shadows.mean(axis=0), _precision(shadows)
    for target in np.flatnonzero(having.is_in & ~without.is_in):
        peers = np.flatnonzero(having.is_in & without.is_in)
        if len(peers) > 1:
            peer = peers[int(key.digest("peer", having.firms.codes[target]).hex(), 16) % len(peers)]
            rest = peers[peers != peer]
            asked = [(having, int(target)), (without, int(peer))]
            logs = [_logs(side, instead, int(target), rest, bias, precision) for side, instead in asked]
            hits = [_hits(side, int(target), rest, each) for (side, _), each in zip(asked, logs, strict=True)]
            ratios = [float(each[0] - np.logaddexp.reduce(each[1 : len(rest) + 1])) for each in logs]
            figures = having.values[target]
            yield (hits[0], hits[1]), (ratios[0], ratios[1]), float((np.isfinite(figures) & (figures != 0)).sum())


def _precision(shadows: Floats) -> Floats:
    """Return the inverse of the shadows' covariance, shrunk."""
    spread: Floats = np.cov(shadows.T).astype(np.float64)
    shrunk = (1 - _SHRUNK) * spread + _SHRUNK * np.diag(np.diag(spread)) + _LEAST * np.eye(len(spread))
    inverse: Floats = np.linalg.inv(shrunk)
    return inverse


def _logs(side: _Industry, instead: int, target: int, rest: Integers, bias: Floats, precision: Floats) -> Floats:
    """Return log-likelihoods of what may stand in a place: the target's record, those of the rest, those published."""
    left = side.excess - bias + side.features[instead]
    published = np.arange(len(side.firms.codes), len(side.values))
    wrong = left - side.features[np.concatenate([[target], rest, published])]
    found: Floats = -np.einsum("ij,jk,ik->i", wrong, precision, wrong) / 2
    return found


def _hits(side: _Industry, target: int, rest: Integers, logs: Floats) -> float:
    """Return how many figures are guessed: those around which, within the tolerance, the likeliest records lie."""
    published = np.arange(len(side.firms.codes), len(side.values))
    values, weights = side.values[np.concatenate([rest, published])], np.exp(logs[1:] - logs[1:].max())
    is_near = np.abs(values[:, None] - values[None]) <= TOLERANCE * np.abs(values)[None]
    best = np.einsum("ijk,i->jk", is_near, weights).argmax(axis=0)
    guess, truth = values[best, np.arange(values.shape[1])], side.values[target]
    return float((np.isfinite(truth) & (truth != 0) & (np.abs(guess - truth) <= TOLERANCE * np.abs(truth))).sum())
