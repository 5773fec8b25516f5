"""One side in the form that analyses read: the figures of a measure, year and group of firms, indexed for many look-ups.

Belongs here: rows by group and year. Questions about them belong to `analyses.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from pipeline.model import PERIOD, Panel
from validation.distributions.samples import Floats, Integers
from validation.fidelity.sides import EntityColumns
from validation.pair import Side

CATEGORIES = 6
"""Number of further columns of entities that questions are about, the first ones of the declaration."""


@dataclass(frozen=True)
class Group:
    """Firms with one value in one column of entities; without a column, all firms."""

    column: str = ""
    value: str = ""


EVERYBODY = Group()


@dataclass(frozen=True, kw_only=True)
class View:
    """Figures with the labels of their firms."""

    frame: pl.DataFrame
    """One row a firm and year: the code, `PERIOD`, a text column for each label, a Float64 one for each measure (its unit)."""
    code: str
    labels: tuple[str, ...]
    _columns: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, side: Side, panel: Panel, columns: EntityColumns) -> "View":
        """Return the view of a side, with the first `CATEGORIES` further columns that the side has as text."""
        texts = [name for name in columns.categories if side.entities.schema.get(name, pl.Null) == pl.String]
        labels = tuple(dict.fromkeys((columns.industry, columns.sub_industry, *texts[:CATEGORIES])))
        frame = side.labelled(columns.code, labels).select(
            columns.code,
            PERIOD,
            *(pl.col(label).cast(pl.String) for label in labels),
            *((pl.col(m.name).cast(pl.Float64) * 10.0**-m.decimals).alias(m.name) for m in panel.measures),
        )
        return cls(frame=frame.sort(columns.code, PERIOD), code=columns.code, labels=labels)

    def of_firms(self, codes: pl.Series) -> "View":
        """Return the view of these firms."""
        chosen = self.frame.filter(pl.col(self.code).is_in(codes.implode()))
        return View(frame=chosen, code=self.code, labels=self.labels)

    def rows(self, year: int, group: Group = EVERYBODY) -> Integers:
        """Return the rows of a group in a year."""
        if not group.column:
            return self._years.get(year, _NOBODY)
        return self._groups.get((group.column, group.value, year), _NOBODY)

    def values(self, measure: str, rows: Integers) -> Floats:
        """Return a measure in some rows, NaN for a gap."""
        if measure not in self._columns:
            self._columns[measure] = self.frame[measure].fill_null(np.nan).to_numpy()
        return self._columns[measure][rows]

    def reported(self, measure: str, year: int, group: Group = EVERYBODY) -> Floats:
        """Return the figures that a group reports of a measure in a year."""
        found = self.values(measure, self.rows(year, group))
        return found[~np.isnan(found)]

    def groups(self, column: str, year: int) -> list[Group]:
        """Return the groups of a column in a year, those with the most firms first, then by name."""
        return self._sorted_groups.get((column, year), [])

    def years(self) -> list[int]:
        """Return the years, rising."""
        return sorted(self._years)

    def before(self, rows: Integers) -> Integers:
        """Return, for each row, its firm's row of the year before; -1 if there is none."""
        return self._before[rows]

    @cached_property
    def _years(self) -> dict[int, Integers]:
        found = _places(self.frame.with_row_index(_PLACE), [PERIOD])
        return dict(zip(found[PERIOD].to_list(), _arrays(found), strict=True))

    @cached_property
    def _groups(self) -> dict[tuple[str, str, int], Integers]:
        groups: dict[tuple[str, str, int], Integers] = {}
        numbered = self.frame.with_row_index(_PLACE)
        for label in self.labels:
            found = _places(numbered.drop_nulls(label), [label, PERIOD])
            for value, year, rows in zip(found[label], found[PERIOD], _arrays(found), strict=True):
                groups[label, value, year] = rows
        return groups

    @cached_property
    def _sorted_groups(self) -> dict[tuple[str, int], list[Group]]:
        groups: dict[tuple[str, int], list[Group]] = {}
        for (label, value, year), _ in sorted(self._groups.items(), key=lambda item: (-item[1].size, item[0])):
            groups.setdefault((label, year), []).append(Group(label, value))
        return groups

    @cached_property
    def _before(self) -> Integers:
        same = (self.frame[self.code] == self.frame[self.code].shift(1)) & (
            self.frame[PERIOD] == self.frame[PERIOD].shift(1) + 1
        )
        return np.where(same.fill_null(value=False).to_numpy(), np.arange(self.frame.height) - 1, -1)


_NOBODY = np.zeros(0, dtype=np.int64)


_PLACE = "\x1fplace"


def _places(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    return frame.select(pl.col(_PLACE).cast(pl.Int64), *by).group_by(by).agg(pl.col(_PLACE))


def _arrays(found: pl.DataFrame) -> list[Integers]:
    return [places.to_numpy() for places in found[_PLACE]]
