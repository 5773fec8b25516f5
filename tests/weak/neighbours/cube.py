"""The panel as a cube of numbers (firm, year, measure), and the scales on which firms are compared.

Only the shape changes here and nothing is drawn by key, except the order of firms: it is keyed, so that whatever is decided
by order (equal values, who is first) says nothing of the originals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtri
from scipy.stats import rankdata

from pipeline.keyed import Key
from pipeline.model import PERIOD

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Cube:
    """Figures of n firms, t years and m measures."""

    firms: tuple[str, ...]
    years: tuple[int, ...]
    values: Integers
    """Quanta, shape (n, t, m); 0 where nothing is reported."""
    is_reported: Booleans
    """Whether the figure is not null, shape (n, t, m)."""
    has_row: Booleans
    """Whether the firm has a row for the year, shape (n, t)."""

    @property
    def is_zero(self) -> Booleans:
        """Return where zero is reported."""
        is_zero: Booleans = self.is_reported & (self.values == 0)
        return is_zero

    @property
    def logs(self) -> Floats:
        """Return sign(x) * log(1 + |x|) of each figure, NaN where nothing is reported."""
        values = self.values.astype(np.float64)
        return np.where(self.is_reported, np.sign(values) * np.log1p(np.abs(values)), np.nan)


def cube_of(figures: pl.DataFrame, measures: Sequence[str], *, code: str, key: Key) -> Cube:
    """Return the cube of a panel frame: `code`, `PERIOD` and an Int64 column for each measure, one row a code and year."""
    firms = figures.select(pl.col(code).unique()).sort(key.mac(code))[code]
    years = figures[PERIOD].unique().sort()
    at = _positions(figures[code], firms), _positions(figures[PERIOD], years)
    shape = (len(firms), len(years), len(measures))
    values, is_reported = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    values[at] = figures.select(pl.col(measures).fill_null(0)).to_numpy()
    is_reported[at] = figures.select(pl.col(measures).is_not_null()).to_numpy()
    has_row = np.zeros(shape[:2], np.bool_)
    has_row[at] = True
    return Cube(firms=tuple(firms), years=tuple(years), values=values, is_reported=is_reported, has_row=has_row)


def frame_of(cube: Cube, figures: pl.DataFrame, measures: Sequence[str], *, code: str) -> pl.DataFrame:
    """Return the panel frame with the cube's figures in its rows."""
    at = (
        _positions(figures[code], pl.Series(cube.firms, dtype=pl.String)),
        _positions(figures[PERIOD], pl.Series(cube.years, dtype=pl.Int64)),
    )
    values, is_reported = cube.values[at], cube.is_reported[at]
    return figures.with_columns(
        pl.select(pl.when(pl.Series(is_reported[:, j])).then(pl.Series(values[:, j])).alias(measure)).to_series()
        for j, measure in enumerate(measures)
    )


def normal_scores(cube: Cube, groups: Sequence[Integers]) -> Floats:
    """Return the normal score of each figure among those of its group, year and measure, NaN where nothing is reported.

    The score of rank r among n is the normal quantile of (r - 1/2) / n (Hazen); equal figures share their mean rank.
    """
    scores = np.full(cube.values.shape, np.nan)
    values = np.where(cube.is_reported, cube.values.astype(np.float64), np.nan)
    for group in groups:
        ranks = rankdata(values[group], axis=0, nan_policy="omit")
        scores[group] = ndtri((ranks - 0.5) / cube.is_reported[group].sum(axis=0))
    return scores


def filled_over_years(scores: Floats) -> Floats:
    """Return scores of shape (n, t, ...), NaN replaced by the firm's value of the nearest year, the earlier of two."""
    filled = scores.copy()
    years = scores.shape[1]
    for distance in range(1, years):
        for year in range(years):
            for other in (year - distance, year + distance):
                if 0 <= other < years:
                    is_open = np.isnan(filled[:, year])
                    filled[:, year][is_open] = scores[:, other][is_open]
    return filled


def members_of(labels: Sequence[str]) -> list[Integers]:
    """Return the positions of each label's members, in the order of the labels."""
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    return [np.asarray(places[label]) for label in sorted(places)]


def pooled(labels: Sequence[str], *, at_least: int) -> dict[str, str]:
    """Return the pool of each label: itself, or the common one of all labels that are too few.

    Labels with fewer members than `at_least` are put together, and with the smallest of the others as long as the pool
    itself has too few. The pool is named by its labels, joined by " + ".
    """
    sizes = {label: labels.count(label) for label in sorted(set(labels))}
    small, size = [], 0
    for label in sorted(sizes, key=lambda each: (sizes[each], each)):
        if sizes[label] >= at_least and (size == 0 or size >= at_least):
            break
        small.append(label)
        size += sizes[label]
    pool = " + ".join(sorted(small))
    return {label: pool if label in small else label for label in sizes}


def _positions(values: pl.Series, domain: pl.Series) -> Integers:
    places: Mapping[object, int] = {value: place for place, value in enumerate(domain)}
    return values.replace_strict(places, return_dtype=pl.Int64).to_numpy()
