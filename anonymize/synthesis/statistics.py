"""The statistics of figures: everything that a release under `guarded` knows about those of a panel, or of events.

`noised_statistics` takes them through the account, one after the other: first shapes of columns over all entities and years,
then, on the scale that they make, what industries differ in, and how columns depend on each other. No statistic belongs to a
year. What they come to is understood in `model.py`, without the originals.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np

from anonymize.synthesis import contributions as of
from anonymize.synthesis.account import BudgetAccount, NoisedStatistic, shared_out
from anonymize.synthesis.cube import Floats
from anonymize.synthesis.dependence import Whitening, covariance_of, whitening, with_diagonal
from anonymize.synthesis.records import RecordLayout, Records
from anonymize.synthesis.scale import Scale
from anonymize.synthesis.shape import FINER, PER_DECADE, SEEN_NEXT, shape_of, shape_within
from pipeline.model import Measured

STATES, GRAINS, COARSE, FINE = "states", "grains", "shapes by decade", "shapes"
LOCATION, SPREAD, PRODUCTS, TREND, STEPS = "location by industry", "spread by industry", "products", "trend", "steps"

SHARES: Mapping[str, float] = {
    STATES: 0.01,
    GRAINS: 0.005,
    COARSE: 0.02,
    FINE: 0.17,
    LOCATION: 0.35,
    SPREAD: 0.08,
    PRODUCTS: 0.33,
    TREND: 0.01,
    STEPS: 0.02,
}
"""Statistic -> its share of the panel's budget: by what it buys on `us-listed` (`docs/privacy.md`), not by how many numbers."""

_RARE, _NOISE = 0.01, 2.5
"""A state occurs if its share is at least so large, and at least so many standard deviations of its noise; so does a grain."""

_MANY = 200
"""Standard deviations of noise of a fine histogram that entities exceed for finer bins (our choice: with 65, of `us-listed`,
distributions come out worse by a tenth; with 375, of 738 firms with 6 figures, 9 to 14 of 48 that differ become 2 to 4)."""

_OFTEN = 0.98
"""A state that occurs more often than so counts as if it occurred so often."""

_USUAL = 0.9
"""Share of entities whose figures must be multiples of a grain."""


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """What passed, and what everybody knows."""

    layout: RecordLayout
    years: tuple[int, ...]
    sizes: Mapping[str, float]
    """Industry -> how many of its entities have figures: known to everybody, or a statistic itself."""
    columns: tuple[int, ...]
    """Positions of the columns of numbers of which histograms passed: those of `scale` are the ones in which they show any."""
    scale: Scale
    grains: tuple[int, ...]
    """Quanta of which most figures of a measure are multiples."""
    passed: Mapping[str, NoisedStatistic]
    """By name, as the account has them; `LOCATION` and `SPREAD` have a row for each industry."""

    @property
    def count(self) -> float:
        """Return how many entities have figures."""
        return sum(self.sizes.values())

    @cached_property
    def covariance(self) -> Floats:
        """Return the covariance of scores over everybody."""
        return covariance_of(self.passed[PRODUCTS], self.count, self.scale.deviations)

    @cached_property
    def whitening(self) -> Whitening:
        """Return the whitening of scores of magnitudes in `LOCATION`."""
        return whitening_of(self.scale, self.passed[PRODUCTS], self.count)

    @property
    def holding(self) -> tuple[str, ...]:
        """Return the outputs of the identities that hold wherever figures are drawn."""
        return tuple(self.layout.measures[place] for place in _given(self.layout, self.scale.occurring))

    def described(self) -> dict[str, Any]:
        """Return what its numbers in the account stand for, as JSON takes it."""
        names = self.layout.values
        return {
            "years": list(self.years),
            "industries": dict(self.sizes),
            "columns": [names[place] for place in self.columns],
            "drawn": [names[place] for place in self.scale.columns],
            "states": [self.layout.states[place] for place in self.scale.occurring],
            "grains": dict(zip(self.layout.measures, self.grains, strict=True)),
        }


def noised_statistics(  # noqa: PLR0913  (of panels and of events)
    records: Records,
    grains: Floats,
    account: BudgetAccount,
    *,
    rho: float,
    shares: Mapping[str, float] = SHARES,
    sizes: Mapping[str, float] | None = None,
    seen_next: float = SEEN_NEXT,
    is_sure: bool = False,
    about: str = "",
) -> Statistics:
    """Take the statistics of records through the account.

    Args:
        grains: In quanta, from coarse to fine, shape (measures, grains): figures are drawn as multiples of one.
        rho: What all of them may spend together.
        shares: Statistic -> its share of that.
        sizes: Industry -> how many entities have figures, where that is not known to everybody.
        seen_next: How far above its noise a decade beside another one is at least (`shape.py`).
        is_sure: Whether it is sure that every column has numbers.
        about: What the records are of; stands before the names of the statistics in the account.
    """
    budget = dict(shared_out(rho, list(shares.items())))
    passed: dict[str, NoisedStatistic] = {}

    def noised(name: str, each: of.Contributions, total: Floats) -> NoisedStatistic:
        passed[name] = account.noised(about + name, total, sensitivity=each.sensitivity, rho=budget[name])
        return passed[name]

    def summed(name: str, each: of.Contributions) -> NoisedStatistic:
        return noised(name, each, each.total(records))

    sizes = sizes or {name: float(len(group)) for name, group in records.groups.items()}
    count, layout = sum(sizes.values()), records.layout
    occurring, often = _occurring(summed(STATES, of.states(records)), count)
    columns = _drawn_columns(layout, occurring)
    per_decade = _per_decade(of.fine(columns).sensitivity / sqrt(2 * budget[FINE]), count, records)
    coarse, fine = summed(COARSE, of.coarse(columns)), summed(FINE, of.fine(columns, per_decade))
    shapes = {
        column: shape
        for column, decades, bins in zip(columns, coarse.values, fine.values, strict=True)
        if (
            shape := shape_within(records.ranges[column], bins, fine.sigma)
            if column in records.ranges
            else shape_of(decades, coarse.sigma, bins, fine.sigma, seen_next=seen_next, is_sure=is_sure)
        )
    }
    scale = Scale(columns=tuple(shapes), shapes=tuple(shapes.values()), occurring=occurring, states=often)
    products = summed(PRODUCTS, of.products(scale))
    whitening = whitening_of(scale, products, count)
    located = of.location(scale, whitening)
    locations = noised(LOCATION, located, located.totals(records))
    around = [of.spread(scale, mean) for mean in means_of(locations, whitening, sizes)]
    squares = [each.total(records.of(group)) for each, group in zip(around, records.groups.values(), strict=True)]
    noised(SPREAD, around[0], np.stack(squares))
    summed(TREND, of.trend(scale))
    summed(STEPS, of.steps(scale))
    suffices = summed(GRAINS, of.grains(grains))
    return Statistics(
        layout=layout,
        years=records.years,
        sizes=sizes,
        columns=columns,
        scale=scale,
        grains=_usual_grains(grains, suffices),
        passed=passed,
    )


def _per_decade(noise: float, count: float, records: Records) -> int:
    """Return how many bins of a decade are counted: twice as many where entities are far more than noise hides."""
    return FINER if not records.ranges and count > _MANY * noise else PER_DECADE


def whitening_of(scale: Scale, products: NoisedStatistic, count: float) -> Whitening:
    """Return the whitening of scores of magnitudes before noise is added to those of industries."""
    numbers = len(scale.shapes)
    return whitening(
        with_diagonal(covariance_of(products, count, scale.deviations)[:numbers, :numbers], np.ones(numbers))
    )


def means_of(locations: NoisedStatistic, whitening: Whitening, sizes: Mapping[str, float]) -> Floats:
    """Return the mean scores of magnitudes of each industry that its spread is around, shape (industries, columns)."""
    sums = locations.values[:, : len(whitening.weights)] @ whitening.undone
    means: Floats = np.clip(sums / np.asarray([*sizes.values()])[:, None], -1.0, 1.0)
    return means


def _occurring(states: NoisedStatistic, count: float) -> tuple[tuple[int, ...], Floats]:
    """Return which states occur, and how often."""
    shares = states.values / count
    found = np.flatnonzero(shares > max(_RARE, _NOISE * states.sigma / count))
    return tuple(found.tolist()), np.clip(shares[found], _RARE, _OFTEN)


def _drawn_columns(layout: RecordLayout, occurring: tuple[int, ...]) -> tuple[int, ...]:
    """Return the columns of numbers but for outputs of identities that always hold, which are computed."""
    given = _given(layout, occurring)
    return tuple(place for place in range(len(layout.values)) if place not in given)


def _given(layout: RecordLayout, occurring: tuple[int, ...]) -> tuple[int, ...]:
    """Return the positions of the outputs of identities that always hold."""
    measures = len(layout.measures)
    broken = {layout.outputs[place - measures] for place in occurring if place >= measures}
    return tuple(place for place in layout.outputs if place not in broken)


def grains_of(panel: Measured) -> Floats:
    """Return for each measure the grains of figures with 0, 1, ... decimals; the last of fewer is repeated."""
    most = max(measure.decimals for measure in panel.measures)
    return np.asarray(
        [[10.0 ** max(each.decimals - places, 0) for places in range(most + 1)] for each in panel.measures]
    )


def _usual_grains(grains: Floats, suffices: NoisedStatistic) -> tuple[int, ...]:
    """Return the coarsest grain that suits most entities, of those that noise does not hide."""
    seen = np.minimum(_NOISE * suffices.sigma, suffices.values.max(axis=1, keepdims=True))
    upto = np.cumsum(np.where(suffices.values >= seen, np.maximum(suffices.values, 0.0), 0.0), axis=1)
    enough = (upto >= _USUAL * np.maximum(upto[:, -1:], 1e-300)).argmax(axis=1)
    return tuple(int(each[place]) for place, each in zip(enough, grains, strict=True))
