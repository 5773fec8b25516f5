"""What the statistics of a sampled release tell about one company to whoever has all others, this code, and no key.

Every statistic is a sum over companies with normal noise. Less the contributions of all others it is what the company
contributes, with that noise: a likelihood of whatever the company may report. Its posterior is worked out from all that the
others say of companies of its industry. The control is the same attack on the statistics as they would be with another company
of the industry in its place. Not used are trend, spread, steps, decimals and states, which have a tenth of the budget.

    python -m benchmarks.learnt.likelihood --environment us-listed --raw path/to/tables --keys 4
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy

from anonymize.synthesis import contributions as of
from anonymize.synthesis import synthesise
from anonymize.synthesis.contributions import INDICATOR
from anonymize.synthesis.cube import Booleans, Floats, Integers
from anonymize.synthesis.records import Records, records_of, yearly_mean
from anonymize.synthesis.shape import PER_DECADE, ZERO
from anonymize.synthesis.statistics import FINE, LOCATION, PRODUCTS, Statistics
from anonymize.tables import original_figures
from benchmarks.learnt.guesses import HEADER, Guesses
from benchmarks.targets import markdown
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.model.budget import Budget
from pipeline.model.identities import with_totals
from pipeline.places import landing
from raw.landing import land
from silt.environments.registry import find_environment
from validation.attacks.adaptive.findings import Separation, separation
from validation.attacks.adaptive.inference import TOLERANCE
from validation.attacks.adaptive.values import NEAR

ALL_OTHERS = "all figures of all other companies"

_GRID = np.arange(0.0, 18.0, np.log10(1 + TOLERANCE) / 2)
"""Logarithms of magnitudes that are thought of."""

_RIDGE, _STEPS, _HALF = 1e-3, 40, 0.5


@dataclass(frozen=True, kw_only=True)
class Believed:
    """The posterior of one company, of each column of numbers."""

    kinds: Floats
    """Log-probabilities of negative, zero and positive, shape (columns, 3)."""
    magnitudes: Floats
    """Log-probabilities over the grid, shape (columns, grid)."""


@dataclass(frozen=True)
class Attacker:
    """Somebody with one release's statistics and the records of all companies but the one that is asked for."""

    records: Records
    statistics: Statistics

    @cached_property
    def _values(self) -> Floats:
        return self.statistics.scale.chosen(self.records)

    @cached_property
    def _scores(self) -> tuple[Floats, Booleans, Floats]:
        """Return mean scores of magnitudes, whether there are any, and mean scores of all columns."""
        found = self.statistics.scale.magnitudes(self._values)
        has = np.sum(~np.isnan(found), axis=1) > 0
        return yearly_mean(found), has, yearly_mean(self.statistics.scale.scores(self.records))

    @cached_property
    def contributions(self) -> dict[str, Floats]:
        """Return what each company contributes, by statistic."""
        scale = self.statistics.scale
        return {
            LOCATION: of.location(scale, self.statistics.whitening).of(self.records),
            PRODUCTS: of.products(scale).of(self.records),
            FINE: of.fine(self.statistics.columns).of(self.records),
        }

    @cached_property
    def _noise(self) -> dict[str, Floats]:
        """Return the noise of each statistic: what passed less what everybody contributes."""
        passed = self.statistics.passed
        groups = [self.contributions[LOCATION][group].sum(axis=0) for group in self.records.groups.values()]
        wholes = {name: each.sum(axis=0) for name, each in self.contributions.items()} | {LOCATION: np.stack(groups)}
        return {name: passed[name].values - whole for name, whole in wholes.items()}

    def left(self, name: str, target: int, instead: int) -> Floats:
        """Return what is left of a statistic without the others, if `instead` stood in the target's place."""
        noise = self._noise[name]
        own = noise[self.records.group_of[target]] if name == LOCATION else noise
        found: Floats = self.contributions[name][instead] + own
        return found

    @cached_property
    def _spread(self) -> Floats:
        """Return the covariance of scores within industries, of magnitudes and then of all columns."""
        magnitudes, has, scores = self._scores
        both = np.concatenate([np.where(has, magnitudes, np.nan), scores], axis=1)
        for group in self.records.groups.values():
            both[group] -= _mean(np.nan_to_num(both[group]), ~np.isnan(both[group]))
        centred = np.nan_to_num(both)
        found: Floats = centred.T @ centred / len(centred) + _RIDGE * np.eye(centred.shape[1])
        return found

    def usual(self, others: Integers) -> tuple[Floats, Floats]:
        """Return what the others' scores let expect, and how many of their numbers are negative, zero and positive."""
        magnitudes, has, scores = self._scores
        expected = np.where(has[others].any(axis=0), _mean(magnitudes[others], has[others]), 0.0)
        values = self._values[others]
        kinds = [(np.sign(values) == sign).sum(axis=(0, 1)) for sign in (-1, 0, 1)]
        return np.concatenate([expected, scores[others].mean(axis=0)]), np.stack(kinds, axis=1).astype(np.float64)

    def believed(self, target: int, instead: int, others: Integers) -> Believed:
        """Return the posterior of a target, if `instead` stood in its place."""
        expected, kinds = self.usual(others)
        center, deviations = self._posterior(expected, target, instead)
        shapes = self.statistics.scale.shapes
        bins = self._bins(target, instead) / self.statistics.passed[FINE].sigma ** 2
        steps = np.clip(np.ceil(_GRID * PER_DECADE), 1, ZERO).astype(int)
        magnitudes = []
        for column, shape in enumerate(shapes):
            sign = 1 if kinds[column, 2] >= kinds[column, 0] else -1
            scores = shape.magnitude_scores(sign * np.maximum(_GRID, 1e-9))
            jacobian = np.log(np.maximum(np.gradient(scores), 1e-9))
            within = -(((scores - center[column]) / deviations[column]) ** 2) / 2
            magnitudes.append(within + jacobian + bins[column][ZERO + sign * steps])
        return Believed(kinds=self._kinds(kinds, target, instead), magnitudes=np.stack(magnitudes))

    def _posterior(self, expected: Floats, target: int, instead: int) -> tuple[Floats, Floats]:
        """Return mean and deviation of the scores of magnitudes: by the location, then around the mode by the products."""
        p, spread = len(self.statistics.scale.shapes), self._spread
        sigma = self.statistics.passed[LOCATION].sigma
        undone = self.statistics.whitening.undone
        gain = np.linalg.solve(spread[:p, :p] + sigma**2 * undone @ undone, spread[:p]).T
        center = expected + gain @ (self.left(LOCATION, target, instead)[:p] @ undone - expected[:p])
        left = spread - gain @ spread[:p]
        matrix = self._matrix(self.left(PRODUCTS, target, instead))
        precision = np.linalg.inv(left[p:, p:] + _RIDGE * np.eye(len(left) - p))
        noise = self.statistics.passed[PRODUCTS].sigma ** 2

        def cost(scores: Floats) -> tuple[float, Floats]:
            away, wrong = scores - center[p:], np.outer(scores, scores) - matrix
            value = away @ precision @ away / 2 + (wrong**2).sum() / (2 * noise)
            return float(value), precision @ away + 2 * wrong @ scores / noise

        mode = scipy.optimize.minimize(cost, center[p:], jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
        center = center[:p] + left[:p, p:] @ precision @ (mode - center[p:])
        return center, np.sqrt(np.maximum(np.diag(left)[:p], _RIDGE))

    def _bins(self, target: int, instead: int) -> Floats:
        """Return what is left of the histograms of the columns that are drawn."""
        every = list(self.statistics.columns)
        found: Floats = self.left(FINE, target, instead)[[every.index(each) for each in self.statistics.scale.columns]]
        return found

    def _matrix(self, triangle: Floats) -> Floats:
        count = len(self.statistics.scale.deviations)
        rows, columns = np.triu_indices(count)
        found = np.zeros((count, count))
        found[rows, columns] = triangle / np.where(rows == columns, 1.0, np.sqrt(2))
        found += np.triu(found, 1).T
        return found

    def _kinds(self, counts: Floats, target: int, instead: int) -> Floats:
        """Return log-probabilities of signs: the others' shares, the location's indicators, and the bins of each sign."""
        scale, p = self.statistics.scale, len(self.statistics.scale.shapes)
        prior = np.log((counts + _HALF) / (counts + _HALF).sum(axis=1, keepdims=True))
        located = self.left(LOCATION, target, instead) / INDICATOR
        sigma = self.statistics.passed[LOCATION].sigma / INDICATOR
        zero, negative = located[p : 2 * p] + scale.zero, located[2 * p : 3 * p] + scale.negative
        bins, noise = self._bins(target, instead), self.statistics.passed[FINE].sigma
        sums = np.stack([bins[:, :ZERO].sum(axis=1), bins[:, ZERO], bins[:, ZERO + 1 :].sum(axis=1)], axis=1)
        widths = np.asarray([ZERO, 1, ZERO])
        found: Floats = prior.copy()
        for kind, is_so in enumerate(((1, 0), (0, 1), (0, 0))):
            found[:, kind] -= ((negative - is_so[0]) ** 2 + (zero - is_so[1]) ** 2) / (2 * sigma**2)
            found[:, kind] += (sums[:, kind] - _HALF) / (widths[kind] * noise**2)
        return found


def learnt(records: Records, releases: Sequence[Statistics], key: Key, *, targets: int) -> Iterator[Guesses]:
    """Yield what whoever has all others learns of drawn targets: figures, the largest of an industry, and signs.

    Several releases of the same originals, under keys of their own, are attacked as one.
    """
    attackers = [Attacker(records, each) for each in releases]
    columns = set.intersection(*({*each.scale.columns} for each in releases))
    drawn = sorted(range(len(records.entities)), key=lambda place: key.digest(records.entities[place]))[:targets]
    told = [each for target in drawn for each in _told(attackers, sorted(columns), target, key)]
    largest = _largest(records)
    figures = [each for each in told if each.truth]
    top = [each for each in figures if (each.target, each.column) in largest]
    for name, some in (("figures, by likelihood", figures), ("largest of an industry, by likelihood", top)):
        yield _guesses(records, name, some, [each.hits for each in some], [each.nearly for each in some])
    yield _guesses(records, "negative, zero or positive, by likelihood", told, [each.signs for each in told], None)


@dataclass(frozen=True, kw_only=True)
class _Told:
    target: int
    column: int
    truth: float
    hits: tuple[bool, bool]
    """Within the tolerance, with the target and with another in its place."""
    nearly: tuple[bool, bool]
    signs: tuple[bool, bool]


def _told(attackers: Sequence[Attacker], columns: Sequence[int], target: int, key: Key) -> Iterator[_Told]:
    records = attackers[0].records
    peers = list(records.groups.values())[records.group_of[target]]
    others = peers[peers != target]
    if not len(others):
        return
    peer = int(others[int(key.digest("peer", records.entities[target]).hex(), 16) % len(others)])
    sides = [[each.believed(target, instead, others) for each in attackers] for instead in (target, peer)]
    for column in columns:
        guesses = [_guess(attackers, beliefs, column) for beliefs in sides]
        for value in records.values[target, :, column]:
            if not np.isnan(value):
                sizes = [abs(abs(value) - guess[1]) for guess in guesses]
                right = [bool(np.sign(value) == guess[0]) for guess in guesses]
                yield _Told(
                    target=target,
                    column=column,
                    truth=float(value),
                    hits=(_within(sizes[0], TOLERANCE), _within(sizes[1], TOLERANCE)),
                    nearly=(_within(sizes[0], NEAR), _within(sizes[1], NEAR)),
                    signs=(right[0], right[1]),
                )


def _within(distance: float, tolerance: float) -> bool:
    return bool(distance <= np.log10(1 + tolerance))


def _guess(attackers: Sequence[Attacker], beliefs: Sequence[Believed], column: int) -> tuple[int, float]:
    """Return the likeliest sign, and the magnitude around which most of the posterior is within the tolerance."""
    places = [each.statistics.scale.columns.index(column) for each in attackers]
    kinds = sum(each.kinds[place] for each, place in zip(beliefs, places, strict=True))
    magnitudes = sum(each.magnitudes[place] for each, place in zip(beliefs, places, strict=True))
    weights = np.exp(magnitudes - np.max(magnitudes))
    near = np.convolve(weights, np.ones(5), "same")
    return int(np.argmax(kinds)) - 1, float(_GRID[int(near.argmax())])


def _largest(records: Records) -> set[tuple[int, int]]:
    """Return which company has the largest mean magnitude of an industry in each column."""
    sizes = yearly_mean(np.abs(records.values))
    return {
        (int(group[sizes[group, column].argmax()]), column)
        for group in records.groups.values()
        for column in range(sizes.shape[1])
    }


def _guesses(
    records: Records,
    name: str,
    told: Sequence[_Told],
    right: Sequence[tuple[bool, bool]],
    near: Sequence[tuple[bool, bool]] | None,
) -> Guesses:
    both = np.asarray(right, np.float64).reshape(-1, 2)
    return Guesses(
        attack=name,
        knowledge=ALL_OTHERS,
        codes=[records.entities[each.target] for each in told],
        right=both[:, 0],
        control=both[:, 1],
        near=None if near is None else np.asarray(near, np.float64).reshape(-1, 2)[:, 0],
    )


def membership(records: Records, statistics: Statistics, key: Key, *, games: int) -> Separation:
    """Play games: is the target in the release, or another company of its industry in its place? By likelihood ratio.

    The ratio of the target's likelihood to the mean of its peers' is what no other test beats (Neyman and Pearson; Carlini et
    al. 2022 estimate it from shadow releases; here it is known).
    """
    attacker = Attacker(records, statistics)
    drawn = sorted(range(len(records.entities)), key=lambda place: key.digest(records.entities[place]))
    members, strangers = [], []
    for target in drawn[:games]:
        peers = list(records.groups.values())[records.group_of[target]]
        others = peers[peers != target]
        if len(others):
            peer = int(others[int(key.digest("peer", records.entities[target]).hex(), 16) % len(others)])
            rest = others[others != peer]
            members.append(_ratio(attacker, target, target, rest))
            strangers.append(_ratio(attacker, target, peer, rest))
    return separation(
        "membership by likelihood ratio", ALL_OTHERS, members=np.asarray(members), others=np.asarray(strangers)
    )


def _ratio(attacker: Attacker, target: int, instead: int, rest: Integers) -> float:
    """Return the logarithm of the likelihood of the target over the mean of those of the rest."""
    candidates = np.asarray([target, *rest])
    logs = np.zeros(len(candidates))
    for name, each in attacker.contributions.items():
        seen = attacker.left(name, target, instead)
        distances = (each[candidates] - seen).reshape(len(candidates), -1)
        logs -= (distances**2).sum(axis=1) / (2 * attacker.statistics.passed[name].sigma ** 2)
    found: float = logs[0] - scipy.special.logsumexp(logs[1:]) + np.log(max(len(rest), 1))
    return float(found)


def _mean(values: Floats, weights: Booleans) -> Floats:
    found: Floats = (values * weights).sum(axis=0) / np.maximum(weights.sum(axis=0), 1)
    return found


def stated(
    environment: Environment, conformed: Frames, keys: Sequence[Key], *, budget: float
) -> tuple[Records, list[Statistics]]:
    """Return the records of the originals, and the statistics of a release under each key."""
    originals = original_figures(environment, conformed)
    made = [synthesise(environment, conformed, originals, key, budget=budget).statistics for key in keys]
    entities = environment.entities
    records = records_of(
        with_totals(originals, environment, conformed),
        environment.panel,
        code=entities.code,
        industry=entities.industry,
        entities=conformed[entities.tables[0]],
    )
    return records, [each for each in made if each is not None]


def main() -> None:
    """Print what is learnt from one release, under each key, and from all of them together."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learnt.likelihood",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--environment", default="us-listed")
    parser.add_argument("--raw", type=Path, help="folder of the raw tables; without it the generated ones")
    parser.add_argument("--keys", type=int, default=4)
    parser.add_argument("--budget", type=float, default=Budget().of_a_release)
    parser.add_argument("--targets", type=int, default=200, help="companies that are asked for")
    asked = parser.parse_args()
    environment, key = find_environment(asked.environment), Key(bytes(32))
    raw = asked.raw or land(environment.corpus, landing(environment.name), 1.0)
    keys = [Key(bytes([number + 1]) * 32) for number in range(asked.keys)]
    records, releases = stated(environment, conform(environment.raw_tables, raw).frames, keys, budget=asked.budget)
    rows = []
    for some in (
        *([each] for each in releases),
        *([releases[: len(releases) // 2], releases] if asked.keys > 1 else ()),
    ):
        found = learnt(records, some, key, targets=asked.targets)
        rows += [(each.row[0], f"{len(some)} release(s)", *each.row[2:]) for each in found]
    print(markdown(("attack", "who has all others, and", *HEADER[2:]), rows))
    for each in releases:
        told = membership(records, each, key, games=asked.targets)
        print(f"\n{told.attack}: area {told.area:.2f} (upper 95 % bound {told.upper_95:.2f}), {told.records} games")


if __name__ == "__main__":
    main()
