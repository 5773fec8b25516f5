"""The records of entities as columns of numbers on one public scale: what statistics are taken of, and figures are drawn as.

Columns follow from the declaration alone, never from what stands in the originals: the *levels* of all measures, the *growth*
of those whose growth is published, and *states*, which are 0 or 1: that a measure is missing, that an identity does not hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from anonymize.figures.closure import broken_by
from anonymize.synthesis.cube import Booleans, Floats, Integers, cube_of, members_of, places_in
from pipeline.model import PERIOD, Growth, Measured
from pipeline.model.identities import stated_by

DECADES = 18
"""Decades of a scale, to either side of zero: an Int64 has no more."""

_STEPS_OF_GROWTH = 1000.0
"""A logarithm of a quotient is counted in thousandths, so that the scale separates growth by a tenth of a per cent."""


@dataclass(frozen=True, kw_only=True)
class RecordLayout:
    """The columns, decided by the declaration."""

    measures: tuple[str, ...]
    growing: tuple[int, ...]
    """Positions of the measures whose growth over one period is drawn, and leads to their other years."""
    outputs: tuple[int, ...]
    """Positions of the measures that the identities give, in declared order."""

    @property
    def values(self) -> tuple[str, ...]:
        """Return the columns of numbers."""
        return (*self.measures, *(f"growth of {self.measures[place]}" for place in self.growing))

    @property
    def states(self) -> tuple[str, ...]:
        """Return the columns of zeros and ones: a gap of each measure, then a break of each identity."""
        return (
            *(f"gap of {name}" for name in self.measures),
            *(f"break of {self.measures[place]}" for place in self.outputs),
        )


@dataclass(frozen=True, kw_only=True)
class Records:
    """What n entities report for t periods."""

    entities: tuple[str, ...]
    """Codes, sorted."""
    years: tuple[int, ...]
    groups: dict[str, Integers]
    """Industry (empty where it is blank) -> positions of its entities."""
    layout: RecordLayout
    values: Floats
    """Signed logarithms (`scaled`), shape (n, t, columns); NaN where there is nothing."""
    states: Booleans
    """Shape (n, t, states)."""
    has_row: Booleans
    """Shape (n, t)."""
    quanta: Floats
    """The measures' figures as they stand, shape (n, t, measures); NaN where there is nothing."""
    ranges: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Column of numbers -> the decades, from and to, between which all of it is: where that is known to everybody."""

    def of(self, chosen: Integers) -> "Records":
        """Return the records of some entities, in one group: whatever is summed over all of them can be summed part by part."""
        return replace(
            self,
            entities=tuple(self.entities[place] for place in chosen),
            groups={"": np.arange(len(chosen))},
            **{name: getattr(self, name)[chosen] for name in ("values", "states", "has_row", "quanta")},
        )


def layout_of(panel: Measured) -> RecordLayout:
    """Return the columns of a panel."""
    names = [measure.name for measure in panel.measures]
    grown = {i.base for i in panel.identities if isinstance(i, Growth) and i.periods == 1}
    return RecordLayout(
        measures=tuple(names),
        growing=tuple(place for place, name in enumerate(names) if name in grown),
        outputs=tuple(names.index(identity.output) for identity in panel.identities),
    )


def records_of(
    figures: pl.DataFrame,
    panel: Measured,
    *,
    code: str,
    industry: str,
    entities: pl.DataFrame,
    with_all: bool = False,
) -> Records:
    """Read records off the originals.

    Args:
        figures: One row for each code and year, one Int64 column of quanta for each measure.
        industry: The column of `entities` that groups them.
        entities: One row for each entity with figures.
        with_all: Whether all of `entities` are to be in the records, those without figures, too.
    """
    layout = layout_of(panel)
    firms = entities[code] if with_all else figures[code]
    cube = cube_of(figures.sort(code, PERIOD), layout.measures, code=code, firms=firms)
    listed = entities[places_in(pl.Series(cube.firms, dtype=pl.String), entities[code])]
    levels = cube.values
    before, after = levels[:, :-1, list(layout.growing)], levels[:, 1:, list(layout.growing)]
    growth = np.full((*levels.shape[:2], len(layout.growing)), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        quotients = np.log(after / before)
    growth[:, 1:] = np.where(np.isfinite(quotients), quotients * _STEPS_OF_GROWTH, np.nan)
    return Records(
        entities=cube.firms,
        years=cube.years,
        groups=members_of([label or "" for label in listed[industry]]),
        layout=layout,
        values=np.concatenate([scaled(levels), scaled(growth)], axis=2),
        states=_states(figures, panel, layout, firms, code=code) == 1,
        has_row=cube.has_row,
        quanta=levels,
    )


def scaled(numbers: Floats) -> Floats:
    """Return signed decimal logarithms: sign(x) * log10(1 + |x|), between -`DECADES` and `DECADES`."""
    logs: Floats = np.sign(numbers) * np.minimum(np.log10(1 + np.abs(numbers)), DECADES)
    return logs


def unscaled(logs: Floats) -> Floats:
    """Return the numbers of signed logarithms."""
    numbers: Floats = np.sign(logs) * (10.0 ** np.abs(logs) - 1)
    return numbers


def factor_of_growth(logs: Floats) -> Floats:
    """Return each figure's quotient to the period before, as the column of growth states it."""
    factors: Floats = np.exp(np.clip(unscaled(logs) / _STEPS_OF_GROWTH, -DECADES, DECADES))
    return factors


def yearly_mean(columns: Floats) -> Floats:
    """Return each entity's mean over the periods in which it has something, shape (n, columns); 0 where it never has.

    However many periods an entity reports, its mean is within the bounds of its numbers.
    """
    known = ~np.isnan(columns)
    means: Floats = np.where(known, columns, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return means


def _states(figures: pl.DataFrame, panel: Measured, layout: RecordLayout, firms: pl.Series, *, code: str) -> Floats:
    """Return where measures are missing that no identity gives, and where identities do not hold; NaN without a record."""
    can = {i.output: stated_by(i, panel, code=code).is_not_null() for i in panel.identities}
    gaps = [pl.when(can.get(name, True)).then(pl.col(name).is_null()).alias(f"gap {name}") for name in layout.measures]
    broken = [broken_by(i, panel, code=code).alias(f"break {place}") for place, i in enumerate(panel.identities)]
    states = figures.lazy().select(code, PERIOD, *gaps, *broken).collect()
    return cube_of(states, states.columns[2:], code=code, firms=firms).values


def even_ranks(scores: Floats, weights: Floats) -> Floats:
    """Return the rank of each score as a share of all weights: of equal ones (rank - 1/2) / n, the quantiles of n at best."""
    order = np.argsort(np.round(scores, 9), kind="stable")
    shares, upto = np.empty(len(scores)), np.cumsum(weights[order])
    shares[order] = (upto - weights[order] / 2) / max(weights.sum(), 1e-300)
    return shares
