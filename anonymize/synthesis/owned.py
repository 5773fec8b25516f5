"""Distributions of values of which an entity has many: every number is a mean or a share over at least `FEWEST` entities.

Belongs here: marginals (`marginal.py`) of rows that belong to entities, and shares of categories. However many rows an entity
has, it counts in a mean like every other one, and in a share for one of `FEWEST` at most.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonymize.synthesis.cube import Floats, Integers
from anonymize.synthesis.marginal import FEWEST, MOST_KNOTS, Marginal, Side, largest_bounded, side_of


@dataclass(frozen=True, kw_only=True)
class Owned:
    """Values without NaN, and to whom each belongs."""

    values: Floats
    owners: Integers
    """Numbers of entities, from 0."""

    def where(self, keeps: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> "Owned":
        """Return some of the values."""
        return Owned(values=self.values[keeps], owners=self.owners[keeps])

    def count(self) -> int:
        """Return how many entities there are."""
        return len(np.unique(self.owners))

    def weights(self) -> Floats:
        """Return a weight for each value: together as many as there are entities, and of none of five or more above a fifth."""
        _, place, rows = np.unique(self.owners, return_inverse=True, return_counts=True)
        bounded = np.minimum(rows, _most_rows(rows))
        weights: Floats = (bounded / rows * len(rows) / bounded.sum())[place]
        return weights


def reported(values: Floats, owners: Integers) -> Owned:
    """Return the values that are there."""
    return Owned(values=values, owners=owners).where(~np.isnan(values))


def owned_marginal(samples: Sequence[Owned]) -> Marginal | None:
    """Return the marginal of the first sample with enough entities; of each sign, of the first with enough that have it.

    A zero that too few have is none. None if no sample has enough.
    """
    enough = next((sample for sample in samples if sample.count() >= FEWEST), None)
    if enough is None:
        return None
    below = next((side for sample in samples if (side := _side(_negated(sample)))), None)
    above = next((side for sample in samples if (side := _side(sample))), None)
    is_zero = enough.values == 0
    return Marginal(
        negative=_share(enough, enough.values < 0) if below else 0.0,
        zero=_share(enough, is_zero) if enough.where(is_zero).count() >= FEWEST else 0.0,
        below=below,
        above=above,
    )


def shares_of(categories: Sequence[object], owners: Integers) -> dict[object, float]:
    """Return the share of each category that enough entities have, in their order by text; together they are 1, or none is."""
    every = Owned(values=np.zeros(len(owners)), owners=owners)
    places: dict[object, list[int]] = {}
    for place, category in enumerate(categories):
        places.setdefault(category, []).append(place)
    weights = every.weights() if len(owners) else np.zeros(0)
    found = {
        category: float(weights[places[category]].sum())
        for category in sorted(places, key=str)
        if len(np.unique(owners[places[category]])) >= FEWEST
    }
    total = sum(found.values())
    rounded = {category: round(share / total, 3) for category, share in found.items()}
    return {category: share / sum(rounded.values()) for category, share in rounded.items() if share}


def chosen(shares: Mapping[object, float], uniform: Floats) -> list[object]:
    """Return a category for each draw on [0, 1), by their shares."""
    categories, edges = list(shares), np.cumsum(list(shares.values()))
    places = np.minimum(np.searchsorted(edges, uniform, side="right"), len(categories) - 1)
    return [categories[place] for place in places]


def _most_rows(rows: Integers) -> float:
    """Return with how many rows an entity may count for none to have more than one of `FEWEST`: as if it had no more."""
    ascending = np.sort(rows)
    for larger in range(min(FEWEST, len(rows))):
        most = float(ascending[: len(rows) - larger].sum()) / (FEWEST - larger)
        if len(rows) >= FEWEST and ascending[-1 - larger] <= most:
            return most
    return float(ascending[0])


def _negated(sample: Owned) -> Owned:
    return Owned(values=-sample.values, owners=sample.owners)


def _share(sample: Owned, is_so: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    weights = sample.weights()
    return round(float(weights[is_so].sum() / weights.sum()), 3)


def _side(sample: Owned) -> Side | None:
    """Return the magnitudes above zero in blocks of `FEWEST` entities or more, `MOST_KNOTS` at most."""
    above = sample.where(sample.values > 0)
    if above.count() < FEWEST:
        return None
    order = np.lexsort((above.owners, above.values))
    sorted_ = Owned(values=above.values[order], owners=above.owners[order])
    weights = sorted_.weights()
    blocks = list(_blocks(sorted_, weights))
    last = np.sort(_means(sorted_.values, sorted_.owners, blocks[-1]))
    top = largest_bounded(last)
    logs = np.log(sorted_.values)
    means = [float(_means(logs, sorted_.owners, block).mean()) for block in blocks]
    sizes = [round(float(weights[block].sum()), 1) for block in blocks]
    return side_of(np.asarray(means), [max(size, 0.1) for size in sizes], float(top.mean()))


def _means(values: Floats, owners: Integers, block: slice) -> Floats:
    """Return the mean of each entity in a block."""
    _, place = np.unique(owners[block], return_inverse=True)
    means: Floats = np.bincount(place, weights=values[block]) / np.bincount(place)
    return means


def _blocks(ascending: Owned, weights: Floats) -> Iterable[slice]:
    """Yield blocks from small to large; what is left behind the last one belongs to it."""
    upto, least = np.cumsum(weights), ascending.count() / MOST_KNOTS
    start, count = 0, len(weights)
    while start < count:
        heavy = int(np.searchsorted(upto, (upto[start - 1] if start else 0.0) + least - 1e-9)) + 1
        end = max(heavy, _until_enough(ascending.owners, start))
        is_last = end >= count or len(np.unique(ascending.owners[end:])) < FEWEST
        yield slice(start, count if is_last else end)
        start = count if is_last else end


def _until_enough(owners: Integers, start: int) -> int:
    """Return where a block from `start` on ends that has `FEWEST` entities."""
    length = FEWEST
    while True:
        _, first = np.unique(owners[start : start + length], return_index=True)
        if len(first) >= FEWEST:
            return start + int(np.sort(first)[FEWEST - 1]) + 1
        length *= 2
