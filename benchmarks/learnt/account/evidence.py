"""What is left of all statistics when the others' contributions are taken away: one company's, with noise that is known.

Contributions are divided by their noise. Then what the statistics disclose follows from inner products: of any two companies'
contributions, and of each with the noise. Those of several statistics add up, and those of several releases.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

import numpy as np
import scipy

from anonymize.synthesis import contributions as of
from anonymize.synthesis import statistics as st
from anonymize.synthesis.account import NoisedStatistic
from anonymize.synthesis.contributions import Contributions
from anonymize.synthesis.cube import Floats, Integers
from anonymize.synthesis.records import Records
from anonymize.synthesis.shape import per_decade
from benchmarks.learnt.account.replayed import OfPanel
from benchmarks.learnt.others import ALL_OTHERS
from pipeline.keyed import Key
from validation.attacks.adaptive.findings import Auc, auc

LOOKED_AT = 1_000
"""Companies from which an attacker learns at most how figures and statistics hang together, drawn by key (our choice)."""

_DIRECTIONS, _FAINT = 200, 1e-3
"""Directions in which companies differ most: how many are looked at, and the least variance, in that of the noise."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Inner products of m companies' contributions, in standard deviations of the noise."""

    groups: Integers
    """The industry of each company."""
    products: Floats
    """Shape (m, m)."""
    noise: Floats
    """Of each industry's noise with each company's contributions, shape (industries, m)."""

    def __add__(self, other: "Evidence") -> "Evidence":
        """Return what both disclose together."""
        return Evidence(groups=self.groups, products=self.products + other.products, noise=self.noise + other.noise)

    @cached_property
    def directions(self) -> tuple[Floats, Floats]:
        """Return each company's contribution along the main directions, shape (m, r), and the noise of each industry there."""
        mean = self.products.mean(axis=0)
        centred = self.products - mean - mean[:, None] + mean.mean()
        values, vectors = np.linalg.eigh(centred)
        main = np.flatnonzero(values > _FAINT * len(values))[::-1][:_DIRECTIONS]
        noise = self.noise - self.noise.mean(axis=1, keepdims=True)
        return vectors[:, main] * np.sqrt(values[main]), noise @ vectors[:, main] / np.sqrt(values[main])

    def ratio(self, target: int, instead: int, rest: Integers) -> float:
        """Return the logarithm of the target's likelihood over the mean of the rest's, if `instead` stood in its place."""
        asked = np.asarray([target, *rest])
        noise, own = self.noise[self.groups[target]], self.products[instead]
        apart = self.products[asked, asked] - 2 * own[asked] + own[instead]
        logs = noise[asked] - noise[instead] - apart / 2
        return float(logs[0] - scipy.special.logsumexp(logs[1:]) + np.log(max(len(rest), 1)))

    def peers(self, key: Key, names: Sequence[str]) -> Integers:
        """Return another company of each one's industry, drawn by key; itself where there is none."""
        found = np.arange(len(names))
        for target, name in enumerate(names):
            others = np.flatnonzero((self.groups == self.groups[target]) & (np.arange(len(names)) != target))
            if len(others):
                found[target] = others[int(key.digest("peer", name).hex(), 16) % len(others)]
        return found


def added(evidence: Sequence[Evidence]) -> Evidence:
    """Return what several releases of the same originals disclose together."""
    return reduce(add, evidence)


def evidence_of(
    contributions: Mapping[str, Floats],
    totals: Mapping[str, Floats],
    passed: Mapping[str, NoisedStatistic],
    groups: Integers,
) -> Evidence:
    """Return the evidence of statistics.

    Args:
        contributions: Statistic -> what each company that is looked at contributes.
        totals: Statistic -> the sum over all companies, or over each industry.
        passed: Statistic -> what a release knows of it.
        groups: The industry of each company.
    """
    companies, industries = len(groups), int(groups.max()) + 1
    products, noise = np.zeros((companies, companies)), np.zeros((industries, companies))
    for name, each in contributions.items():
        own, noised = each.reshape(companies, -1) / passed[name].sigma, passed[name]
        left = (noised.values.reshape(totals[name].shape) - totals[name]) / noised.sigma
        is_by_industry = totals[name].ndim == each.ndim
        products += own @ own.T
        noise += (left.reshape(len(left), -1)[:industries] if is_by_industry else left.reshape(1, -1)) @ own.T
    return Evidence(groups=groups, products=products, noise=noise)


def contributions_of(seen: OfPanel, asked: Integers) -> dict[str, Floats]:
    """Return what companies contribute to each statistic of figures: a new statistic needs a line here."""
    statistics, grains = seen.statistics, seen.grains
    scale, columns = statistics.scale, statistics.columns
    means = st.means_of(statistics.passed[st.LOCATION], statistics.whitening, statistics.sizes)
    every: dict[str, Callable[[int], Contributions]] = {
        st.STATES: lambda _: of.states(seen.records),
        st.GRAINS: lambda _: of.grains(grains),
        st.COARSE: lambda _: of.coarse(columns),
        st.FINE: lambda _: of.fine(columns, per_decade(statistics.passed[st.FINE].values)),
        st.LOCATION: lambda _: of.location(scale, statistics.whitening),
        st.PRODUCTS: lambda _: of.products(scale),
        st.SPREAD: lambda industry: of.spread(scale, means[industry]),
        st.TREND: lambda _: of.trend(scale),
        st.STEPS: lambda _: of.steps(scale),
    }
    return {name: _by_industry(seen.records, each, asked) for name, each in every.items()}


def groups_of(records: Records) -> Integers:
    """Return the position of each entity's industry."""
    of = np.empty(len(records.entities), np.int64)
    for place, members in enumerate(records.groups.values()):
        of[members] = place
    return of


def _by_industry(records: Records, statistic: Callable[[int], Contributions], asked: Integers) -> Floats:
    groups = groups_of(records)[asked]
    parts = {industry: asked[groups == industry] for industry in np.unique(groups)}
    found = {industry: statistic(int(industry)).of(records.of(part)) for industry, part in parts.items()}
    whole = np.zeros((len(asked), *next(iter(found.values())).shape[1:]))
    for industry, each in found.items():
        whole[groups == industry] = each
    return whole


def membership(evidence: Evidence, names: Sequence[str], key: Key, *, games: int) -> Auc:
    """Play games: is the target in the release, or another company of its industry in its place? By likelihood ratio.

    The ratio of the target's likelihood to the mean of its peers' is what no other test beats (Neyman and Pearson; Carlini et
    al. 2022 estimate it from shadow releases; here it is known). The first companies are the targets.
    """
    peers = evidence.peers(key, names)
    members, strangers = [], []
    for target in np.flatnonzero(peers != np.arange(len(peers)))[:games]:
        rest = np.flatnonzero(evidence.groups == evidence.groups[target])
        rest = rest[(rest != target) & (rest != peers[target])]
        if len(rest):
            members.append(evidence.ratio(target, target, rest))
            strangers.append(evidence.ratio(target, peers[target], rest))
    return auc("membership by likelihood ratio", ALL_OTHERS, members=np.asarray(members), others=np.asarray(strangers))
