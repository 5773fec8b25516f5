"""A mechanism that is broken: each firm's panel is a mixture of near neighbours of its own industry, distributions unchanged.

Kept as the weak setting of the attackers' tests, never to be offered. Whose neighbours a record is made of depends on no key,
so an attacker with the originals regresses each record on every firm's neighbours and sees whose explain it. The first
`guarded` was such a mechanism: it chose among keyed mixtures those that hide the owner from the nearest neighbour.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
import scipy

from pipeline.keyed import Key
from pipeline.model import PERIOD
from validation.attacks.adaptive.arrays import FirmArrays, Floats, Sight, arrays_of
from validation.attacks.adaptive.populations import CODE, Population

CONTRIBUTORS, NEIGHBOURS, MIXTURES = 5, 12, 32
"""Firms in a mixture, nearest firms out of which they are drawn, and mixtures among which one is chosen."""

KNOWN_WEIGHT = 20.0
"""Weight of measures that outsiders know when neighbours are looked for."""


def mixed_from_neighbours(population: Population, known: Sequence[str], key: Key) -> pl.DataFrame:
    """Return the figures of a population, each industry's own values and gaps given out anew among its records."""
    sight = Sight.of_all(population)
    importance = np.asarray([KNOWN_WEIGHT if name in known else 1.0 for name in sight.measures])
    importance /= importance.sum()
    made = [_mixed(firms, sight, importance, key) for firms in arrays_of(population, sight).by_industry().values()]
    return pl.concat(made).sort(CODE, PERIOD)


def _mixed(firms: FirmArrays, sight: Sight, importance: Floats, key: Key) -> pl.DataFrame:
    """Return the records of one industry."""
    gaps = np.isnan(firms.values).astype(np.float64)
    weights = _weights(
        np.hstack([firms.filled.mean(axis=1) * np.sqrt(importance), gaps.mean(axis=1)]), firms.codes, key
    )
    levels, leaning = (np.einsum("nk,ktj->ntj", weights, of) for of in (firms.filled, gaps))
    values = np.full(firms.values.shape, np.nan)
    for year, measure in np.ndindex(values.shape[1:]):
        place = firms.has_row[:, year], year, measure
        values[place] = _given_out(firms.values[place], levels[place], leaning[place])
    at = np.nonzero(firms.has_row)
    keys = {CODE: np.asarray(firms.codes)[at[0]], PERIOD: np.asarray(sight.years)[at[1]]}
    figures = {name: pl.Series(values[at][:, j], nan_to_null=True) for j, name in enumerate(sight.measures)}
    return pl.DataFrame(keys | figures).with_columns(pl.col(sight.measures).round().cast(pl.Int64))


def _weights(points: Floats, codes: Sequence[str], key: Key) -> Floats:
    """Return the weight of each firm in each firm's mixture: of several keyed mixtures, those of the one nearest to its own."""
    distances = scipy.spatial.distance.cdist(points, points)
    np.fill_diagonal(distances, -1)  # first in its own order, and left out
    weights = np.zeros_like(distances)
    for firm, code in enumerate(codes):
        near = np.delete(distances[firm].argsort(kind="stable"), 0)[:NEIGHBOURS] if len(codes) > 1 else np.zeros(1, int)
        draws = key.uniforms(MIXTURES * 2 * len(near), code).reshape(MIXTURES, 2, len(near))
        drawn = np.where(draws[:, 0].argsort(axis=1) < CONTRIBUTORS, -np.log1p(-draws[:, 1]), 0.0)
        drawn /= drawn.sum(axis=1, keepdims=True)
        best = scipy.spatial.distance.cdist(drawn @ points[near], points[[firm]])[:, 0].argmin()
        weights[firm, near] = drawn[best]
    return weights


def _given_out(values: Floats, levels: Floats, leaning: Floats) -> Floats:
    """Give out sorted values in the order of levels, and gaps to the records that lean most to one."""
    given, figures = np.full(len(values), np.nan), np.sort(values[~np.isnan(values)])
    filled = leaning.argsort(kind="stable")[: len(figures)]
    given[filled[levels[filled].argsort(kind="stable")]] = figures
    return given
