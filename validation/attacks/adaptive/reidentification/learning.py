"""Learning: the weight of each number about a pair, from releases in which the attacker knows the true pairs.

A logistic regression on the numbers of `pairs.py`. Each number enters raw, relative to its record's other pairs, and
relative to its candidate's (a record that is far from everybody is not far from its owner). It is trained on every true
pair and a keyed sample of the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from pipeline.keyed import Key
from validation.attacks.adaptive.arrays import Booleans, FirmArrays, Floats
from validation.attacks.adaptive.reidentification.pairs import Features

OTHERS = 10
"""False pairs for each true one in the training (our choice: twice as many moved rates by a point at most)."""

_RIDGE = 10.0
"""Weight of the squared coefficients (our choice: with some fifty numbers a pair, it keeps chance down)."""

_STEPS = 8
"""Steps of Newton's method, whose error is squared at each step: eight are enough from zero."""

_SMALL = 1e-9


@dataclass(frozen=True, kw_only=True)
class LabelledExample:
    """The pairs of one industry of a release whose true pairs are known."""

    features: Features
    is_pair: Booleans
    """Shape (records, candidates)."""


@dataclass(frozen=True, kw_only=True)
class Learnt:
    """What has been learnt: the features and their coefficients."""

    names: tuple[str, ...]
    middles: Floats
    spreads: Floats
    weights: Floats

    def costs(self, features: Features) -> Floats:
        """Return the evidence against each pair, shape (records, candidates)."""
        costs = np.zeros(features[self.names[0]].shape)
        slopes = (self.weights / self.spreads).tolist()
        for look, middle, slope in zip(_looks(features, self.names), self.middles.tolist(), slopes, strict=True):
            costs -= (look - middle) * slope
        return costs


def learnt(examples: Sequence[LabelledExample], names: Sequence[str], key: Key) -> Learnt | None:
    """Learn from examples; None if they have no true pair, or no false one.

    Args:
        examples: All with the same features.
        names: The features that the attacker has.
        key: Decides which false pairs are used.
    """
    rows, truth = [], []
    for number, example in enumerate(examples):
        is_taken = _taken(example.is_pair, key, str(number))
        rows.append(np.column_stack([look[is_taken] for look in _looks(example.features, names)]))
        truth.append(example.is_pair[is_taken])
    is_pair = np.concatenate(truth) if truth else np.zeros(0, np.bool_)
    if is_pair.all() or not is_pair.any():
        return None
    numbers = np.concatenate(rows)
    middles, spreads = numbers.mean(axis=0), numbers.std(axis=0) + _SMALL
    standard = np.column_stack([np.ones(len(numbers)), (numbers - middles) / spreads])
    weights = _fitted(standard, is_pair)[1:]
    return Learnt(names=tuple(names), middles=middles, spreads=spreads, weights=weights)


def is_pair(records: FirmArrays, candidates: FirmArrays, truth: Mapping[str, str]) -> Booleans:
    """Return which record belongs to which candidate; `truth` maps candidates' codes to records'."""
    own = np.asarray([truth.get(code, "") for code in candidates.codes])
    found: Booleans = np.asarray(records.codes)[:, None] == own[None, :]
    return found


def _taken(is_pair: Booleans, key: Key, name: str) -> Booleans:
    draws = key.uniforms(is_pair.size, name).reshape(is_pair.shape)
    taken: Booleans = is_pair | (draws * is_pair.shape[1] < OTHERS)
    return taken


def _fitted(numbers: Floats, is_pair: Booleans) -> Floats:
    """Return the coefficients of a ridge logistic regression in which true and false pairs have the same total weight."""
    weight = np.where(is_pair, 0.5 / is_pair.mean(), 0.5 / (~is_pair).mean())
    coefficients = np.zeros(numbers.shape[1])
    for _ in range(_STEPS):
        chance = scipy.special.expit(numbers @ coefficients)
        slope = numbers.T @ (weight * (is_pair - chance)) - _RIDGE * coefficients
        bend = (numbers * (weight * chance * (1 - chance))[:, None]).T @ numbers + _RIDGE * np.eye(len(slope))
        coefficients += np.linalg.solve(bend, slope)
    return coefficients


def _looks(features: Features, names: Sequence[str]) -> Iterator[Floats]:
    """Yield each feature raw, relative to its candidate's other pairs, and relative to its record's."""
    for name in names:
        # Rounded, because processors differ in last bits: a feature without a spread would be nothing but these.
        feature = np.round(features[name], 6)
        yield feature
        for axis in (0, 1):
            middle = feature.mean(axis=axis, keepdims=True)
            yield (feature - middle) / (feature.std(axis=axis, keepdims=True) + _SMALL)
