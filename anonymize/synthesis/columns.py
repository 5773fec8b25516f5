"""Which columns a firm's figures are drawn as, and how they are read off the originals.

A measure that is never negative and keeps its order over years is a *path*: its level in the anchor year and its growth, so
that a firm's history hangs together. Every other measure is drawn year by year. A measure with another as the denominator of a
declared ratio is ordered by that ratio. Where figures are missing, and where an identity does not hold, are columns, too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy

from anonymize.figures.closure import broken_by
from anonymize.synthesis.cube import Booleans, Cube, Floats, cube_of
from pipeline.model import PERIOD, Growth, Panel, Ratio
from pipeline.model.identities import stated_by

RARE = 0.003
"""Share of records below which gaps of a measure, or breaks of an identity, are not modelled: there are none then."""

_NEGATIVE, _SAME_STATE, _ORDER_KEPT = 0.01, 0.95, 0.9
"""What a path has: negatives at most, pairs of years both above zero or neither at least, rank correlation at least."""

_FEWEST = 50
"""Pairs of years below which a measure is no path."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The layout: positions are those of the panel's measures."""

    anchor: int
    """Position of the year with most records."""
    paths: tuple[int, ...]
    yearly: tuple[int, ...]
    with_growth: frozenset[int]
    """Paths whose growth is published: it is kept as drawn, at the cost of the levels of other years."""
    shares: Mapping[int, int]
    """Numerator -> denominator by whose ratio it is ordered."""
    gaps: tuple[tuple[int, ...], ...]
    """Measures that are missing together."""
    broken: tuple[int, ...]
    """Positions of the identities that do not hold everywhere."""


@dataclass(frozen=True, kw_only=True)
class States:
    """What the records say of gaps and identities, 0 or 1; NaN where there is no record, or nothing to say."""

    gaps: Floats
    """Whether a measure is missing, shape (n, t, m); NaN where an identity's inputs do not give its output."""
    breaks: Floats
    """Whether an identity does not hold, shape (n, t, identities)."""


def states_of(figures: pl.DataFrame, panel: Panel, *, code: str) -> States:
    """Read the states off the originals."""
    names = [measure.name for measure in panel.measures]
    can = {i.output: stated_by(i, panel, code=code).is_not_null() for i in panel.identities}
    gaps = [pl.when(can.get(name, True)).then(pl.col(name).is_null()).alias(f"gap {name}") for name in names]
    broken = [broken_by(i, panel, code=code).alias(f"break {place}") for place, i in enumerate(panel.identities)]
    states = figures.lazy().select(code, PERIOD, *gaps, *broken).collect()
    values = cube_of(states, states.columns[2:], code=code).values
    return States(gaps=values[:, :, : len(gaps)], breaks=values[:, :, len(gaps) :])


def layout_of(cube: Cube, states: States, panel: Panel) -> Columns:
    """Decide the layout from the originals; each decision rests on a share over all records."""
    names = [measure.name for measure in panel.measures]
    is_broken = tuple(
        place for place in range(len(panel.identities)) if is_frequent(states.breaks[cube.has_row][:, place])
    )
    derived = {identity.output for place, identity in enumerate(panel.identities) if place not in is_broken}
    paths = [place for place, name in enumerate(names) if name not in derived and _is_path(cube.values[:, :, place])]
    return Columns(
        anchor=int(cube.has_row.sum(axis=0).argmax()),
        paths=tuple(paths),
        yearly=tuple(place for place, name in enumerate(names) if name not in derived and place not in paths),
        with_growth=frozenset(
            place for place in paths for i in panel.identities if isinstance(i, Growth) and i.base == names[place]
        ),
        shares=_shares(panel, names, paths),
        gaps=missing_together(states.gaps[cube.has_row]),
        broken=is_broken,
    )


def columns_of(cube: Cube, states: States, layout: Columns) -> tuple[Floats, Floats]:
    """Return the originals' columns, NaN where unknown.

    Returns:
        Constant ones, shape (n, p): the level of each path in the anchor year or the nearest. Yearly ones, shape (n, t, q): the
        growth of paths (logarithm of the quotient to the year before), levels, gaps and breaks.
    """
    levels = cube.values.copy()
    with np.errstate(invalid="ignore", divide="ignore"):
        for numerator, denominator in layout.shares.items():
            below = cube.values[:, :, denominator]
            levels[:, :, numerator] = np.where(below > 0, cube.values[:, :, numerator] / below, np.nan)
        paths = cube.values[:, :, list(layout.paths)]
        growth = np.log(paths[:, 1:] / paths[:, :-1])
    growth[~np.isfinite(growth)] = np.nan
    growth = np.concatenate([np.full_like(paths[:, :1], np.nan), growth], axis=1)
    gaps = states.gaps[:, :, [group[0] for group in layout.gaps]]
    constant = nearest_year(levels[:, :, list(layout.paths)], layout.anchor)
    parts = [growth, levels[:, :, list(layout.yearly)], gaps, states.breaks[:, :, list(layout.broken)]]
    return constant, np.concatenate(parts, axis=2)


def nearest_year(columns: Floats, anchor: int) -> Floats:
    """Return each firm's figure of the anchor year, or of the nearest year with one, the earlier of two."""
    years = sorted(range(columns.shape[1]), key=lambda year: (abs(year - anchor), year))
    found = columns[:, years[0]].copy()
    for year in years[1:]:
        found = np.where(np.isnan(found), columns[:, year], found)
    return found


def _is_path(values: Floats) -> bool:
    reported = values[~np.isnan(values)]
    before, after = values[:, :-1].ravel(), values[:, 1:].ravel()
    is_both = ~np.isnan(before) & ~np.isnan(after)
    if is_both.sum() < _FEWEST or (reported < 0).mean() > _NEGATIVE:
        return False
    before, after = before[is_both], after[is_both]
    is_same: Booleans = (before > 0) == (after > 0)
    if is_same.mean() < _SAME_STATE or np.ptp(before) == 0 or np.ptp(after) == 0:
        return False
    return bool(np.corrcoef(scipy.stats.rankdata(before), scipy.stats.rankdata(after))[0, 1] >= _ORDER_KEPT)


def _shares(panel: Panel, names: list[str], paths: Iterable[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    allowed = set(paths)
    for identity in panel.identities:
        if isinstance(identity, Ratio) and len(identity.numerator) == 1:
            above, below = names.index(identity.numerator[0]), names.index(identity.denominator)
            is_free = above not in found and above not in found.values() and below not in found
            if is_free and {above, below} <= allowed and above != below:
                found[above] = below
    return found


def missing_together(states: Floats) -> tuple[tuple[int, ...], ...]:
    """Return groups of measures that are missing in the same records; states of shape (records, m)."""
    together: dict[bytes, list[int]] = {}
    for place, state in enumerate(states.T):
        if is_frequent(state):
            together.setdefault(state.tobytes(), []).append(place)
    return tuple(tuple(places) for places in together.values())


def is_frequent(state: Floats) -> bool:
    """Say whether a state is so often enough to be modelled; NaN where nothing is known."""
    known = state[~np.isnan(state)]
    return bool(len(known) and known.mean() > RARE)
