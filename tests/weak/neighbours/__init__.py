"""A mechanism that is broken: each firm's panel rebuilt from near neighbours of its own industry, distributions unchanged.

Kept as the weak setting of the attackers' tests, never to be offered. Whose neighbours a record is made of depends on no key,
so an attacker with the originals regresses each record on every firm's neighbours and sees whose explain it: 87-90 % of the
owners of us-listed are named so. A firm's new figures are a mixture of its neighbours' (`mixtures.py`), given out over the
industry's own sorted values, zeros and gaps (`mapping.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.keyed import Key
from pipeline.model import Panel

from .cube import (
    Booleans,
    Cube,
    Integers,
    cube_of,
    frame_of,
    members_of,
    normal_scores,
    pooled,
)
from .mapping import Cell, mapped
from .mixtures import Mixtures, choose_mixtures

STRENGTH = 4
"""The most other originals that are demanded to be nearer to a record than its owner, by the known figures."""

FEWEST_FOR_NEIGHBOURS = 20
"""Firms of an industry below which it is merged with others when neighbours are looked for."""

FEWEST_FOR_VALUES = 5
"""Records of an industry and year below which no values are given out: the industry is merged with others, and the few
records of a thin year take after those of the nearest year that has enough."""


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    """The rebuilt panel, and what the curator may know of how it came about."""

    figures: pl.DataFrame
    """The originals' rows and columns."""
    contributors: pl.DataFrame
    """`code, contributor, weight`, by original codes, the largest weight of each code first."""
    merged: tuple[str, ...]
    """Pools of industries with too few firms of their own, named by their members."""


def rebuild_from_neighbours(
    figures: pl.DataFrame,
    panel: Panel,
    *,
    code: str,
    industries: Mapping[str, str | None],
    key: Key,
) -> Rebuilt:
    """Rebuild the panel.

    Args:
        figures: One row for each code and year, one Int64 column of quanta for each measure.
        panel: Declares the measures, and which of them outsiders know (the longest of `known`; all if there is none).
        code: The column of original codes.
        industries: Industry by original code.
        key: Key of this purpose.
    """
    measures = [measure.name for measure in panel.measures]
    cube = cube_of(figures, measures, code=code, key=key.derive("order"))
    labels = [industries.get(firm) or "" for firm in cube.firms]
    pools = pooled(labels, at_least=FEWEST_FOR_NEIGHBOURS)
    neighbourhoods = members_of([pools[label] for label in labels])
    scores = normal_scores(cube, members_of(labels))
    known = [measures.index(name) for name in max(panel.known, key=len, default=measures)]
    mixtures = choose_mixtures(
        cube,
        scores,
        neighbourhoods,
        known=known,
        strength=STRENGTH,
        key=key.derive("mixtures"),
    )
    rebuilt = mapped(cube, scores, mixtures, _cells(cube, labels))
    merged = sorted({pool for label, pool in pools.items() if pool != label})
    return Rebuilt(
        figures=frame_of(rebuilt, figures, measures, code=code),
        contributors=_contributors(cube, mixtures, code=code),
        merged=tuple(merged),
    )


def _cells(cube: Cube, labels: list[str]) -> list[Cell]:
    """Return the records among which values are given out: those of an industry and year."""
    pools = pooled(labels, at_least=FEWEST_FOR_VALUES)
    groups = members_of([pools[label] for label in labels])
    return [cell for group in groups for cell in _cells_of(group, cube.has_row[group])]


def _cells_of(group: Integers, has_row: Booleans) -> list[Cell]:
    """Return one cell for each year with enough records; records of other years follow the nearest such year."""
    counts = has_row.sum(axis=0)
    enough = np.flatnonzero(counts >= FEWEST_FOR_VALUES)
    anchors = enough if len(enough) else counts.argmax(keepdims=True)
    nearest = anchors[np.abs(np.arange(len(counts))[:, None] - anchors).argmin(axis=1)]
    firms, years = np.nonzero(has_row)
    return [
        Cell(
            records=(group[firms[years == anchor]], years[years == anchor]),
            followers=(group[firms[is_follower]], years[is_follower]),
        )
        for anchor in anchors
        for is_follower in ((nearest[years] == anchor) & (years != anchor),)
    ]


def _contributors(cube: Cube, mixtures: Mixtures, *, code: str) -> pl.DataFrame:
    firms, places = np.nonzero(mixtures.weights)
    names = np.asarray(cube.firms)
    return pl.DataFrame(
        {
            code: names[firms],
            "contributor": names[mixtures.contributors[firms, places]],
            "weight": mixtures.weights[firms, places],
        }
    )
