"""The model: everything that a release under `guarded` knows about the originals' figures, and nothing that is one firm's.

Fitted once, with no key; drawing from it is `sampling.py`'s. `described` is what the curator gets as `model.json`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from anonymize.synthesis.columns import Columns, columns_of, layout_of, nearest_year, states_of
from anonymize.synthesis.cube import Cube, Floats, Integers, cube_of, members_of, places_in, pooled
from anonymize.synthesis.dependence import Dependence, fit_dependence, normal_scores
from anonymize.synthesis.marginal import FEWEST, Marginal, Table, marginal, noised_table
from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel

FEWEST_OF_POOL = 20
"""Firms of an industry below which it shares its statistics with others (our choice: four means of five)."""

PRIOR = 10.0
"""Firms' worth of prior by which the effect of a category is drawn towards none (empirical Bayes; our choice)."""

_USUAL = 0.9
"""Share of figures that a number of decimals must suffice for."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """Statistics of the panel by pool of industries."""

    years: tuple[int, ...]
    layout: Columns
    pools: Mapping[str, str]
    """Industry -> the pool that it belongs to: itself where it has enough firms."""
    levels: Table
    """Pool, position of the year and of the measure -> its distribution."""
    growth: Table
    """Pool, year and path -> the logarithm of the quotient to the year before."""
    shares: Table
    """Pool, year and numerator -> the ratio to its denominator."""
    states: Table
    """Pool, year and position among the gaps, then the breaks -> how often it is so."""
    dependence: Dependence
    effects: Mapping[str, Mapping[str, Floats]]
    """Attribute -> category -> what it adds to every column's standard normal score, shape (p + q,)."""
    decimals: tuple[int, ...]
    """Digits after the point that most figures of a measure have."""

    def pool_of(self, industry: str | None) -> str:
        """Return the pool of a published industry: that of no industry where it is blank, or the first one."""
        return self.pools.get(industry or "", next(iter(self.pools.values())))

    def shift(self, firms: pl.DataFrame) -> Floats:
        """Return what the firms' categories add to their scores, shape (n, p + q)."""
        total = np.zeros((firms.height, len(self.dependence.now)))
        for attribute, effects in self.effects.items():
            if effects:
                total += _looked_up(effects, firms[attribute])
        return total

    def noised(self, key: Key) -> "Model":
        """Return the model with keyed noise on its distributions of levels, the same in every year.

        Whoever knows all firms but one could otherwise tell that one's figures from the means (differencing).
        """
        return replace(self, levels=noised_table(self.levels, key))

    def numbers(self) -> dict[str, int]:
        """Return how many numbers each part consists of."""
        tables = {"levels": self.levels, "growth": self.growth, "shares": self.shares}
        p, q = self.dependence.constant, self.dependence.next.shape[1]
        return {name: sum(one.numbers() for one in table.values() if one) for name, table in tables.items()} | {
            "states": sum(1 for one in self.states.values() if one and one.above),
            "correlations": (p + q) * (p + q - 1) // 2 + (p + q) * q,
            "effects": sum(len(vector) for effects in self.effects.values() for vector in effects.values()),
            "decimals": len(self.decimals),
        }

    def described(self, panel: Panel) -> dict[str, Any]:
        """Return the whole model as JSON takes it."""
        names = [measure.name for measure in panel.measures]
        tables = {"levels": self.levels, "growth": self.growth, "shares": self.shares}
        return {
            "years": list(self.years),
            "pools": dict(self.pools),
            "numbers": self.numbers(),
            "distributions": [
                {"of": kind, "pool": pool, "year": self.years[year], "measure": names[place]} | one.described()
                for kind, table in tables.items()
                for (pool, year, place), one in table.items()
                if one
            ],
            "states": [
                {"pool": pool, "year": self.years[year], "of": self._state(place, panel), "share": 1 - one.zero}
                for (pool, year, place), one in self.states.items()
                if one and one.above
            ],
            "columns": self._named(panel),
            "year_of_levels": self.years[self.layout.anchor],
            "growth_is_kept_of": [names[place] for place in sorted(self.layout.with_growth)],
            "ordered_by_ratio_to": {names[above]: names[below] for above, below in self.layout.shares.items()},
            "decimals": dict(zip(names, self.decimals, strict=True)),
            "correlations": np.round(self.dependence.now, 3).tolist(),
            "correlations_with_next_year": np.round(self.dependence.next, 3).tolist(),
            "effects": {
                attribute: {category: np.round(vector, 3).tolist() for category, vector in effects.items()}
                for attribute, effects in self.effects.items()
            },
        }

    def _state(self, place: int, panel: Panel) -> str:
        gaps = self.layout.gaps
        if place < len(gaps):
            return "gaps of " + ", ".join(panel.measures[measure].name for measure in gaps[place])
        return f"breaks of {panel.identities[self.layout.broken[place - len(gaps)]].output}"

    def _named(self, panel: Panel) -> list[str]:
        names = [measure.name for measure in panel.measures]
        states = len(self.layout.gaps) + len(self.layout.broken)
        return [
            *(f"level of {names[place]}" for place in self.layout.paths),
            *(f"growth of {names[place]}" for place in self.layout.paths),
            *(f"{names[place]} of the year" for place in self.layout.yearly),
            *(self._state(place, panel) for place in range(states)),
        ]


def fit_model(
    figures: pl.DataFrame, panel: Panel, *, code: str, industry: str, firms: pl.DataFrame, attributes: Sequence[str]
) -> Model:
    """Fit the model.

    Args:
        figures: The originals: one row for each code and year, one Int64 column of quanta for each measure.
        panel: Declares measures and identities.
        code: The column of codes.
        industry: The column of `firms` that groups them.
        firms: One row for each firm with figures: code, industry and attributes.
        attributes: Categories that go with figures, the most telling first.
    """
    cube = cube_of(figures.sort(code, PERIOD), [measure.name for measure in panel.measures], code=code)
    listed = firms[places_in(pl.Series(cube.firms, dtype=pl.String), firms[code])]
    labels = [label or "" for label in listed[industry]]
    pools = pooled(labels, at_least=FEWEST_OF_POOL)
    groups = members_of([pools[label] for label in labels])
    observed = states_of(figures, panel, code=code)
    layout = layout_of(cube, observed, panel)
    constant, yearly = columns_of(cube, observed, layout)
    scores = normal_scores(constant[:, None], list(groups.values()))[:, 0], normal_scores(yearly, list(groups.values()))
    effects, explained = _effects(scores, listed.select(attributes))
    q, states = yearly.shape[2], len(layout.gaps) + len(layout.broken)
    return Model(
        years=cube.years,
        layout=layout,
        pools=pools,
        levels=_marginals(groups, {j: cube.values[:, :, j] for j in (*layout.paths, *layout.yearly)}, layout),
        growth=_marginals(groups, {j: yearly[:, :, k] for k, j in enumerate(layout.paths)}, layout),
        shares=_marginals(groups, _ratios(cube, constant, layout), layout),
        states=_marginals(groups, {k: yearly[:, :, q - states + k] for k in range(states)}, layout),
        dependence=fit_dependence(constant, yearly, scores, explained),
        effects=effects,
        decimals=tuple(decimals_of(measure, cube.values[:, :, j]) for j, measure in enumerate(panel.measures)),
    )


def _ratios(cube: Cube, constant: Floats, layout: Columns) -> dict[int, Floats]:
    """Return the ratios of paths, which are drawn for the anchor year alone, in its place."""
    found = {}
    for k, j in enumerate(layout.paths):
        if j in layout.shares:
            found[j] = np.full(cube.has_row.shape, np.nan)
            found[j][:, layout.anchor] = constant[:, k]
    return found


def _marginals(groups: Mapping[str, Integers], columns: Mapping[int, Floats], layout: Columns) -> Table:
    """Return the distribution of each column, of shape (n, t), in each group and year.

    Where too few report it in a year, it is that of each firm's nearest year, and where too few of the group do, of all firms:
    in their nearest year, or else in this one.
    """
    found: dict[tuple[str, int, int], Marginal | None] = {}
    for place, column in columns.items():
        nearest = nearest_year(column[:, :, None], layout.anchor)[:, 0]
        everybody = _reported(nearest), [_reported(column[:, year]) for year in range(column.shape[1])]
        for name, group in groups.items():
            wider = _reported(nearest[group])
            for year, others in enumerate(everybody[1]):
                found[name, year, place] = marginal([_reported(column[group, year]), wider, everybody[0], others])
    return found


def _reported(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _effects(scores: tuple[Floats, Floats], attributes: pl.DataFrame) -> tuple[dict[str, dict[str, Floats]], Floats]:
    """Return the effects of categories on each column's score, one attribute after the other, and their covariance."""
    constant, yearly = scores
    known = (~np.isnan(yearly)).sum(axis=1)
    means = np.concatenate([np.nan_to_num(constant), np.nan_to_num(yearly).sum(axis=1) / np.maximum(known, 1)], axis=1)
    total = np.zeros(means.shape)
    effects: dict[str, dict[str, Floats]] = {}
    for attribute in attributes.columns:
        members = members_of([value or "" for value in attributes[attribute].cast(pl.String)])
        left = means - total
        effects[attribute] = {
            category: left[group].sum(axis=0) / (len(group) + PRIOR)
            for category, group in members.items()
            if category and FEWEST <= len(group) < len(means)
        }
        if effects[attribute]:
            total += _looked_up(effects[attribute], attributes[attribute])
    centred = total - total.mean(axis=0)
    return effects, centred.T @ centred / len(centred)


def _looked_up(effects: Mapping[str, Floats], categories: pl.Series) -> Floats:
    nothing = np.zeros(len(next(iter(effects.values()))))
    return np.stack([effects.get(value or "", nothing) for value in categories.cast(pl.String)])


def decimals_of(measure: Measure, values: Floats) -> int:
    """Return the number of decimals that suffices for most figures, which are quanta, NaN where nothing is reported."""
    quanta = np.abs(_reported(values))
    return next(
        (
            places
            for places in range(measure.decimals)
            if len(quanta) and (quanta % 10 ** (measure.decimals - places) == 0).mean() >= _USUAL
        ),
        measure.decimals,
    )
