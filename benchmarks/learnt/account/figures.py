"""The figures of a panel: what one, two or four releases disclose of each, of the largest of an industry, and of signs.

Logarithms of magnitudes are expected year by year, and how likely a figure is to be negative, zero or positive.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonymize.synthesis.cube import Booleans, Floats, Integers
from anonymize.synthesis.records import yearly_mean
from benchmarks.learnt.account.evidence import (
    LOOKED_AT,
    Evidence,
    added,
    contributions_of,
    evidence_of,
    groups_of,
    membership,
)
from benchmarks.learnt.account.expected import expected
from benchmarks.learnt.account.replayed import OfPanel
from benchmarks.learnt.guesses import Guesses
from benchmarks.learnt.others import ALL_OTHERS
from pipeline.keyed import Key
from validation.attacks.adaptive.findings import Auc
from validation.attacks.adaptive.inference import TOLERANCE
from validation.attacks.adaptive.values import NEAR

TARGETS = 200
"""Companies that are asked for."""

_SIGNS = (-1, 0, 1)


@dataclass(frozen=True)
class Attacked:
    """Releases of the same originals, each with its evidence."""

    releases: Sequence[OfPanel]
    key: Key
    """Decides whom is asked for, and who stands in."""

    @cached_property
    def asked(self) -> Integers:
        """Return the companies that are looked at, those that are asked for first."""
        names = self.releases[0].records.entities
        return np.asarray(sorted(range(len(names)), key=lambda place: self.key.digest(names[place]))[:LOOKED_AT])

    @cached_property
    def names(self) -> list[str]:
        """Return their codes."""
        return [self.releases[0].records.entities[place] for place in self.asked]

    @cached_property
    def evidence(self) -> list[Evidence]:
        """Return what each release discloses."""
        groups = groups_of(self.releases[0].records)[self.asked]
        return [
            evidence_of(contributions_of(each, self.asked), each.totals, each.statistics.passed, groups)
            for each in self.releases
        ]

    def membership(self, releases: Sequence[int], *, targets: int = TARGETS) -> Auc:
        """Return how well a member is distinguished from another company of its industry by some of the releases, as one."""
        return membership(added([self.evidence[place] for place in releases]), self.names, self.key, games=targets)

    def learnt(self, releases: Sequence[int], *, targets: int = TARGETS) -> Iterator[Guesses]:
        """Yield what some of the releases disclose, as one: figures, the largest of an industry, and signs."""
        evidence = added([self.evidence[place] for place in releases])
        peers = evidence.peers(self.key, self.names)
        some = np.flatnonzero(peers != np.arange(len(peers)))[:targets]
        records = self.releases[0].records
        scales = [self.releases[place].statistics.scale for place in releases]
        columns = sorted(set.intersection(*({*each.columns} for each in scales)))
        truth = records.values[self.asked][:, :, columns]
        sizes, signs = _expected(evidence, truth, some, peers[some])
        top = _largest(records.values[:, :, columns], list(records.groups.values()))[self.asked[some]]
        truth = truth[some]
        for name, is_tried in (
            ("figures, by likelihood", np.nan_to_num(truth) != 0),
            ("largest of an industry, by likelihood", (np.nan_to_num(truth) != 0) & top[:, None, :]),
        ):
            near = [np.abs(np.abs(truth)[is_tried] - size[is_tried]) for size in sizes]
            right, control, exact = (
                near[side] <= np.log10(1 + within) for side, within in ((0, TOLERANCE), (1, TOLERANCE), (0, NEAR))
            )
            yield self._guesses(name, some, is_tried, right, control, exact)
        is_tried = ~np.isnan(truth)
        hits = [np.sign(truth)[is_tried] == sign[is_tried] for sign in signs]
        yield self._guesses("negative, zero or positive, by likelihood", some, is_tried, hits[0], hits[1], None)

    def _guesses(
        self,
        name: str,
        some: Integers,
        is_tried: Booleans,
        right: Booleans,
        control: Booleans,
        near: Booleans | None,
    ) -> Guesses:
        return Guesses(
            attack=name,
            knowledge=ALL_OTHERS,
            codes=[self.names[some[place]] for place in np.nonzero(is_tried)[0]],
            right=right.astype(np.float64),
            control=control.astype(np.float64),
            near=None if near is None else near.astype(np.float64),
        )


def _expected(
    evidence: Evidence, truth: Floats, some: Integers, peers: Integers
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return guesses of magnitudes and of signs, with the targets and with others in their places."""
    flat, shape = truth.reshape(len(truth), -1), (len(some), *truth.shape[1:])
    size = expected(evidence, np.where(flat == 0, np.nan, np.abs(flat)), some, peers)
    kinds = np.concatenate([np.where(np.isnan(flat), np.nan, np.sign(flat) == sign) for sign in _SIGNS], axis=1)
    kind = expected(evidence, kinds, some, peers)
    signs = [each.reshape(len(some), len(_SIGNS), -1).argmax(axis=1).reshape(shape) - 1 for each in kind]
    return (size[0].reshape(shape), size[1].reshape(shape)), (signs[0], signs[1])


def _largest(values: Floats, groups: Sequence[Integers]) -> Booleans:
    """Return which company has the largest mean magnitude of an industry in each column, shape (companies, columns)."""
    sizes = yearly_mean(np.abs(values))
    found = np.zeros(sizes.shape, np.bool_)
    for group in groups:
        found[group[sizes[group].argmax(axis=0)], np.arange(sizes.shape[1])] = True
    return found
