"""Differencing: what does a release disclose about one firm to an attacker who has the figures of all others?

The release's statistics of the industry are compared with those of the others, one firm fewer. If a mechanism keeps a mean,
the firm's value is the remainder; if it keeps values, the firm's is the one that none of the others explains. The same
guess is made from a control release made without the firm, with the others that the control was made from. The release with
the firm is another control, which leaves out as many firms: a larger release would disclose slightly more in any case.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.keyed import Key
from pipeline.wording import exact_percent
from validation.attacks.adaptive.arrays import (
    Booleans,
    FirmArrays,
    Floats,
    Integers,
    Sight,
    arrays_of,
    signed_logs,
    unlogged,
)
from validation.attacks.adaptive.findings import Gain, gain
from validation.attacks.adaptive.inference import TOLERANCE
from validation.attacks.adaptive.populations import Control, Population

TARGETS = 300
"""Largest number of firms that are guessed about, drawn by key."""


def differencing_attacks(originals: Population, controls: Sequence[Control], key: Key) -> list[Gain]:
    """Guess every figure of firms that some control leaves out, from that control and from the next, which includes them.

    Args:
        originals: All figures of all firms.
        controls: Each made without some firms; two at least, or nothing is guessed.
        key: Decides which firms are guessed about.
    """
    sight = Sight.of_all(originals)
    firms = arrays_of(originals, sight)
    chosen = _chosen(firms, key)
    sides = [
        _Made(arrays_of(control.release.population, sight).by_industry(), control.left_out) for control in controls
    ]
    tallies = [
        tally
        for without, having in zip(sides, sides[1:] + sides[:1], strict=True)
        for target in chosen
        if firms.codes[target] in without.left_out - having.left_out
        for tally in _tallied(firms, target, (having, without))
    ]
    if not tallies:
        return []
    guessed, with_firm, without = (np.stack([np.atleast_1d(tally[i]) for tally in tallies]) for i in range(3))
    text = f"all figures of all other firms; guesses within {exact_percent(TOLERANCE)}"
    return [
        gain(name, text, with_firm=with_firm[:, i], without=without[:, i], guessed=guessed[:, 0])
        for i, name in enumerate(_GUESSES)
    ]


@dataclass(frozen=True)
class _Made:
    """A release by industry, and the firms that it was made without."""

    sides: Mapping[str, FirmArrays]
    left_out: frozenset[str]


def _chosen(firms: FirmArrays, key: Key) -> list[int]:
    order = key.derive("targets")
    return sorted(sorted(range(len(firms.codes)), key=lambda place: order.digest(firms.codes[place]))[:TARGETS])


def _tallied(firms: FirmArrays, target: int, sources: tuple[_Made, _Made]) -> Iterator[tuple[int, Floats, Floats]]:
    """Yield how many values were guessed, and how many of them rightly, by each way and from both sources; nothing if alone."""
    industry = firms.industries[target]
    is_peer = np.asarray(firms.industries) == industry
    is_peer[target] = False
    values = firms.values[target].ravel()
    is_asked = np.isfinite(values) & (values != 0)
    tables = [_table(source.sides[industry], is_asked) for source in sources if industry in source.sides]
    others = [
        _table(firms.taken(np.flatnonzero(is_peer & ~np.isin(firms.codes, list(source.left_out)))), is_asked)
        for source in sources
    ]
    if len(tables) == len(sources) and all(len(table) for table in others):
        truth = values[is_asked]
        right = [
            np.asarray([_right(guess(*pair), truth) for guess in _GUESSES.values()])
            for pair in zip(tables, others, strict=True)
        ]
        yield len(truth), right[0], right[1]


def _table(side: FirmArrays, is_asked: Booleans) -> Floats:
    """Return one row a firm, one column for each year and measure in question."""
    return side.values.reshape(len(side.codes), is_asked.size)[:, is_asked]


def _right(guess: Floats, truth: Floats) -> float:
    return float((np.abs(guess - truth) <= TOLERANCE * np.abs(truth)).sum())


def _left_of_sum(published: Floats, others: Floats) -> Floats:
    """Return the remainder: the published mean times the number of firms, less the sum of the others."""
    counts = np.isfinite(published).sum(axis=0)
    means = np.nansum(published, axis=0) / np.maximum(counts, 1)
    # The mean times the number of firms with the target, less the sum of the others.
    rest: Floats = means * (np.isfinite(others).sum(axis=0) + 1) - np.nansum(others, axis=0)
    return rest


def _left_of_logs(published: Floats, others: Floats) -> Floats:
    return unlogged(_left_of_sum(signed_logs(published), signed_logs(others)))


def _left_of_values(published: Floats, others: Floats) -> Floats:
    """Return the published value without which the rest are nearest to the others' values, both sorted.

    If the release has another number of values, its quantiles are used instead.
    """
    there = np.sort(signed_logs(others), axis=0)
    counts = np.isfinite(there).sum(axis=0)
    here = _quantiles(np.sort(signed_logs(published), axis=0), counts + 1, len(there) + 1)
    below, above = (np.nan_to_num(np.abs(part - there)) for part in (here[:-1], here[1:]))
    none = np.zeros((1, there.shape[1]))
    # Costs of leaving out each published value: the ones before it keep their rank, the ones after it move down by one.
    costs = np.concatenate([none, below.cumsum(axis=0)]) + np.concatenate([above[::-1].cumsum(axis=0)[::-1], none])
    costs[np.isnan(here)] = np.inf
    return unlogged(np.take_along_axis(here, costs.argmin(axis=0)[None, :], axis=0)[0])


def _quantiles(ordered: Floats, counts: Integers, rows: int) -> Floats:
    """Return `counts` evenly spaced quantiles of each column of values in order (NaN last), NaN below them."""
    last = np.isfinite(ordered).sum(axis=0) - 1
    steps = np.arange(rows)[:, None] * (np.maximum(last, 0) / np.maximum(counts - 1, 1))
    steps = np.minimum(steps, np.maximum(last, 0))
    floor = np.floor(steps).astype(np.int64)
    low, high = (np.take_along_axis(ordered, place, axis=0) for place in (floor, np.minimum(floor + 1, last.clip(0))))
    quantiles = low + (high - low) * (steps - floor)
    return np.where(np.arange(rows)[:, None] < counts, quantiles, np.nan)


_GUESSES: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "a firm's figures inferred from the industry's means": _left_of_sum,
    "a firm's figures inferred from the industry's means of logarithms": _left_of_logs,
    "a firm's figures inferred from the industry's values": _left_of_values,
}
