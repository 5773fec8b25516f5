"""Draws firms' figures from a model, by key. The originals are not seen here.

Scores are drawn by the model's dependence; within each pool and year they decide the order, and the marginal the figures. What
identities say, and low digits, come after (`anonymize/figures`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy

from anonymize.synthesis.cube import Booleans, Floats, Integers, members_of, order_of
from anonymize.synthesis.marginal import Table
from anonymize.synthesis.model import Model
from pipeline.keyed import Key
from pipeline.model import PERIOD, Panel

LARGEST = 1e18
"""Quanta beyond which nothing is drawn: growth over years could lead out of 64 bits."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Rows of sampled firms, sorted by code and year."""

    figures: pl.DataFrame
    """Code, `PERIOD` and an Int64 column of quanta for each measure; outputs of identities that always hold are null."""
    broken: pl.DataFrame
    """A Boolean column for each identity's output: whether it does not hold."""
    missing: pl.DataFrame
    """A Boolean column for each measure: whether it is not reported."""


def sample_figures(model: Model, firms: pl.DataFrame, panel: Panel, *, code: str, industry: str, key: Key) -> Drawn:
    """Draw the figures of firms.

    Args:
        model: Statistics of the originals.
        firms: One row for each firm: code, industry, attributes, and `years`, the list of those it reports.
        panel: Declares measures and identities.
        code: The column of codes.
        industry: The column that groups the firms.
        key: Key of this purpose.
    """
    ordered = firms.sort(key.mac(code))
    p, q, t = model.dependence.constant, model.dependence.next.shape[1], len(model.years)
    uniform = key.uniforms(ordered.height * (p + q * t), "scores").reshape(ordered.height, -1)
    constant, yearly = model.dependence.draw(scipy.special.ndtri(uniform + 2.0**-54), t)
    shift = model.shift(ordered)
    pools = members_of([model.pool_of(label) for label in ordered[industry]])
    has_row = np.asarray([[year in years for year in model.years] for years in ordered["years"].to_list()], np.bool_)
    return _Drawing(
        model=model,
        pools=pools,
        has_row=has_row.reshape(ordered.height, t),
        constant=constant + shift[:, :p],
        yearly=yearly + shift[:, None, p:],
    ).drawn(ordered[code], panel, code=code)


@dataclass(frozen=True, kw_only=True)
class _Drawing:
    """Scores of n firms on their way to figures."""

    model: Model
    pools: Mapping[str, Integers]
    has_row: Booleans
    """Shape (n, t)."""
    constant: Floats
    """Shape (n, p)."""
    yearly: Floats
    """Shape (n, t, q)."""

    def drawn(self, codes: pl.Series, panel: Panel, *, code: str) -> Drawn:
        layout = self.model.layout
        names = [measure.name for measure in panel.measures]
        states = self._states()
        missing = np.zeros((*self.has_row.shape, len(names)), np.bool_)
        for k, group in enumerate(layout.gaps):
            missing[:, :, list(group)] = states[:, :, k, None]
        levels = self._levels(missing)
        firm, year = np.nonzero(self.has_row)
        rows = pl.DataFrame({code: codes[firm], PERIOD: np.asarray(self.model.years, np.int64)[year]})
        order = pl.arg_sort_by(code, PERIOD)
        broken = {identity.output: np.zeros(len(firm), np.bool_) for identity in panel.identities}
        for k, place in enumerate(layout.broken, start=len(layout.gaps)):
            broken[panel.identities[place].output] = states[firm, year, k]
        at = rows.select(order).to_series()
        figures = {name: whole(levels[firm, year, j], self._grain(panel, j)) for j, name in enumerate(names)}
        return Drawn(
            figures=rows.with_columns(**figures)[at],
            broken=pl.DataFrame(broken)[at] if broken else pl.DataFrame(),
            missing=pl.DataFrame(dict(zip(names, missing[firm, year].T, strict=True)))[at],
        )

    def _states(self) -> Booleans:
        """Return where gaps and breaks are, shape (n, t, s)."""
        count = len(self.model.layout.gaps) + len(self.model.layout.broken)
        states = np.zeros((*self.has_row.shape, count), np.bool_)
        for k in range(count):
            scores = self.yearly[:, :, self.yearly.shape[2] - count + k]
            for year in range(self.has_row.shape[1]):
                column = self._placed(self.model.states, year, k, scores[:, year], self.has_row[:, year])
                states[:, year, k] = column > 0.5  # noqa: PLR2004  (0 or 1)
        return states

    def _levels(self, missing: Booleans) -> Floats:
        """Return the measures' figures, shape (n, t, m); denominators come before what is ordered by them."""
        layout = self.model.layout
        levels = np.full(missing.shape, np.nan)
        places = sorted((*layout.paths, *layout.yearly), key=lambda j: (j in layout.shares, j))
        for j in places:
            reported = self.has_row & ~missing[:, :, j]
            below = levels[:, :, layout.shares[j]] if j in layout.shares else None
            levels[:, :, j] = self._path(j, reported, below) if j in layout.paths else self._by_year(j, reported)
        return levels

    def _by_year(self, j: int, reported: Booleans) -> Floats:
        scores = self.yearly[:, :, len(self.model.layout.paths) + self.model.layout.yearly.index(j)]
        years = range(reported.shape[1])
        return np.stack(
            [self._placed(self.model.levels, year, j, scores[:, year], reported[:, year]) for year in years], axis=1
        )

    def _path(self, j: int, reported: Booleans, below: Floats | None) -> Floats:
        """Return a path: the level of the anchor year, from which growth leads to the others."""
        layout, years = self.model.layout, reported.shape[1]
        k, anchor = layout.paths.index(j), layout.anchor
        path = np.empty(reported.shape)
        path[:, anchor] = self._level(
            j, anchor, self.constant[:, k], reported[:, anchor], None if below is None else below[:, anchor]
        )
        drawn = [
            self._placed(self.model.growth, year, j, self.yearly[:, year, k], reported[:, year])
            for year in range(years)
        ]
        growth: Floats = np.clip(np.nan_to_num(np.stack(drawn)), -np.log(LARGEST), np.log(LARGEST))
        for year in range(anchor + 1, years):
            path[:, year] = path[:, year - 1] * np.exp(growth[year])
        for year in range(anchor - 1, -1, -1):
            path[:, year] = path[:, year + 1] / np.exp(growth[year + 1])
        if j in layout.with_growth:
            return path
        for year in range(years):
            if year != anchor:
                path[:, year] = self._placed(self.model.levels, year, j, path[:, year], reported[:, year])
        return path

    def _level(self, j: int, year: int, scores: Floats, reported: Booleans, below: Floats | None) -> Floats:
        """Return the levels of one year, ordered by the scores, or by ratios that the scores order times a denominator."""
        if below is not None:
            scores = self._placed(self.model.shares, year, j, scores, reported) * np.nan_to_num(below)
        return self._placed(self.model.levels, year, j, scores, reported)

    def _placed(self, table: Table, year: int, place: int, scores: Floats, reported: Booleans) -> Floats:
        """Return the marginal's figures in the order of scores, for those that report and for the others, pool by pool."""
        figures = np.full(len(scores), np.nan)
        for pool, members in self.pools.items():
            found = table.get((pool, year, place))
            if found is None:
                continue
            for group in (members[reported[members]], members[~reported[members]]):
                figures[group[order_of(scores[group])]] = found.values(len(group))
        return figures

    def _grain(self, panel: Panel, j: int) -> int:
        return int(10 ** (panel.measures[j].decimals - self.model.decimals[j]))


def whole(values: Floats, grain: int) -> pl.Series:
    """Return whole multiples of a grain, null where there is no value."""
    is_there = ~np.isnan(values)
    within = np.clip(np.where(is_there, values, 0.0), -LARGEST, LARGEST)
    multiples = (np.rint(within / grain) * grain).astype(np.int64)
    return pl.select(pl.when(pl.Series(is_there)).then(pl.Series(multiples))).to_series()
