"""Draws figures from a model, those of companies by year and those of single records. The originals are not seen here.

Within each industry and year numbers are the quantiles of as many companies as there are: draws decide which company has
which, and add no error of sampling. What identities say, and low digits, come after (`anonymize/figures`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
import scipy

from anonymize.synthesis.cube import Booleans, Floats, Integers
from anonymize.synthesis.model import FigureModel
from anonymize.synthesis.records import even_ranks, factor_of_growth, unscaled
from pipeline.keyed import Key
from pipeline.model import PERIOD, Measured, Panel

LARGEST = 1e18
"""Quanta beyond which nothing is drawn: growth over years could lead out of 64 bits."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Sampled records."""

    figures: pl.DataFrame
    """An Int64 column of quanta for each measure, null for outputs of identities that always hold; before them, and sorted by
    them, code and `PERIOD` where records are those of years."""
    broken: pl.DataFrame
    """A Boolean column for each identity's output: whether it does not hold."""
    missing: pl.DataFrame
    """A Boolean column for each measure: whether it is not reported."""


def sample_figures(
    model: FigureModel, firms: pl.DataFrame, panel: Panel, *, code: str, industry: str, key: Key
) -> Drawn:
    """Draw the figures of firms.

    Args:
        firms: One row for each firm: code, industry, and `years`, the list of those it reports.
        industry: The column that groups the firms.
        key: Key of this purpose.
    """
    ordered = firms.sort(key.mac(code))
    years = model.statistics.years
    uniform = key.uniforms(model.dependence.draws(ordered.height, len(years)), "scores")
    drawing = _Drawing(
        model=model,
        rows=np.asarray([model.row_of(label) for label in ordered[industry]], np.int64),
        has_row=np.asarray(
            [[year in reported for year in years] for reported in ordered["years"].to_list()], np.bool_
        ).reshape(ordered.height, len(years)),
        scores=model.dependence.paths(scipy.special.ndtri(uniform + 2.0**-54), ordered.height, len(years)),
        weights=np.ones(ordered.height),
    )
    return _by_year(drawing, ordered[code], panel, code=code)


def sample_records(
    model: FigureModel, industries: pl.Series, scores: Floats, weights: Floats, panel: Measured
) -> Drawn:
    """Draw the figures of single records, in their order.

    Args:
        industries: Of each record.
        scores: Standard normal ones of all columns, shape (records, columns).
        weights: For how much each record counts in the distribution of its industry.
    """
    row_of = {label: model.row_of(label) for label in industries.unique()}
    drawing = _Drawing(
        model=model,
        rows=np.asarray([row_of[label] for label in industries], np.int64),
        has_row=np.ones((len(industries), 1), np.bool_),
        scores=scores[:, None],
        weights=weights,
    )
    return _measured(drawing, panel, np.arange(len(industries)), np.zeros(len(industries), np.int64))


@dataclass(frozen=True, kw_only=True)
class _Drawing:
    """Scores of n firms on their way to figures."""

    model: FigureModel
    rows: Integers
    """Row of each firm's industry in the model."""
    has_row: Booleans
    """Shape (n, t)."""
    scores: Floats
    """Shape (n, t, columns)."""
    weights: Floats
    """Shape (n,)."""

    @cached_property
    def anchor(self) -> int:
        """Return the year from which growth leads to the others: that with most records, the earliest of several."""
        return int(self.has_row.sum(axis=0).argmax())

    @property
    def _evened(self) -> Iterator[tuple[Integers, Integers, Floats]]:
        """Yield for each industry and column which firms there are, and the even quantiles of each year, shape (n, t)."""
        for row in np.unique(self.rows):
            members = np.flatnonzero(self.rows == row)
            for column in range(self.scores.shape[2]):
                yield members, np.asarray([row, column]), self._quantiles(members, column)

    def _quantiles(self, members: Integers, column: int) -> Floats:
        """Return quantiles that are even over the firms of a year, moved by the trend; whole paths are evened first.

        A firm's rank over all years decides most, so that it keeps its place from year to year.
        """
        scores, weights = self.scores[members, :, column], self.weights[members]
        level = scores.mean(axis=1)
        even = scipy.special.ndtri(even_ranks(level, weights))
        moved = scores + (even * level.std() / max(even.std(), 1e-9) - level)[:, None]
        years = np.arange(scores.shape[1]) - (scores.shape[1] - 1) / 2
        found = np.full(scores.shape, 0.5)
        for year, since in enumerate(years):
            there = self.has_row[members, year]
            ranks = scipy.special.ndtri(even_ranks(moved[there, year], weights[there]))
            found[there, year] = scipy.special.ndtr(ranks + self.model.trend[column] * since)
        return found

    def drawn(self) -> tuple[Floats, Booleans]:
        """Return the logarithms of all columns of numbers, and all columns of states."""
        statistics = self.model.statistics
        scale, layout = statistics.scale, statistics.layout
        values = np.full((*self.has_row.shape, len(layout.values)), np.nan)
        states = np.zeros((*self.has_row.shape, len(layout.states)), np.bool_)
        for members, (row, column), shares in self._evened:
            if column < len(scale.columns):
                numbers = self.model.numbers(int(row), int(column), shares.ravel()).reshape(shares.shape)
                values[members, :, scale.columns[column]] = numbers
            else:
                state = int(column) - len(scale.columns)
                states[members, :, scale.occurring[state]] = shares > 1 - self.model.states[row, state]
        return values, states

    def figures(self, values: Floats) -> Floats:
        """Return the measures' figures in quanta: where growth is drawn, that of the anchor year leads to the others."""
        layout = self.model.statistics.layout
        measures = len(layout.measures)
        found = unscaled(values[:, :, :measures])
        for place, measure in enumerate(layout.growing):
            path, factors = found[:, :, measure], factor_of_growth(values[:, :, measures + place])
            if np.isnan(path).all():
                continue
            grow(path, factors, self.anchor)
        return np.clip(found, -LARGEST, LARGEST)


def grow(path: Floats, factors: Floats, anchor: int) -> None:
    """Put figures into all years but the anchor: the factors of a year lead to it from the year before."""
    for year in range(anchor + 1, path.shape[1]):
        path[:, year] = path[:, year - 1] * factors[:, year]
    for year in range(anchor - 1, -1, -1):
        path[:, year] = path[:, year + 1] / factors[:, year + 1]


def _by_year(drawing: _Drawing, codes: pl.Series, panel: Panel, *, code: str) -> Drawn:
    firm, year = np.nonzero(drawing.has_row)
    rows = pl.DataFrame({code: codes[firm], PERIOD: np.asarray(drawing.model.statistics.years, np.int64)[year]})
    order = rows.select(pl.arg_sort_by(code, PERIOD)).to_series()
    drawn = _measured(drawing, panel, firm, year)
    return Drawn(
        figures=pl.concat([rows, drawn.figures], how="horizontal")[order],
        broken=drawn.broken[order] if panel.identities else drawn.broken,
        missing=drawn.missing[order],
    )


def _measured(drawing: _Drawing, panel: Measured, firm: Integers, year: Integers) -> Drawn:
    """Return the records of firms and years as quanta and states."""
    statistics = drawing.model.statistics
    values, states = drawing.drawn()
    figures, names = drawing.figures(values), statistics.layout.measures
    broken = {i.output: states[firm, year, len(names) + place] for place, i in enumerate(panel.identities)}
    grains = dict(zip(names, statistics.grains, strict=True))
    return Drawn(
        figures=pl.DataFrame(
            {name: whole(figures[firm, year, place], grains[name]) for place, name in enumerate(names)}
        ),
        broken=pl.DataFrame(broken),
        missing=pl.DataFrame({name: states[firm, year, place] for place, name in enumerate(names)}),
    )


def whole(values: Floats, grain: int) -> pl.Series:
    """Return whole multiples of a grain, null where there is no value."""
    is_there = ~np.isnan(values)
    within = np.clip(np.where(is_there, values, 0.0), -LARGEST, LARGEST)
    multiples = (np.rint(within / grain) * grain).astype(np.int64)
    return pl.select(pl.when(pl.Series(is_there)).then(pl.Series(multiples))).to_series()
