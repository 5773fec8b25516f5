"""Questions that tasks ask of a table: small and typed, answered from one side.

Belongs here: the kinds of questions and their arithmetic. `declared.py` decides which are asked. An answer is a value that two
sides share or do not share: a name, a direction, yes or no. It is None if too few firms report the figures: fewer than
`FEWEST_FIRMS` in a group.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import scipy

from validation.distributions.correlations import FEWEST_PAIRS
from validation.distributions.samples import Floats
from validation.fidelity.conclusions.view import EVERYBODY, Group, View
from validation.fidelity.sides import FEWEST_FIRMS
from validation.laws import ranks_of

SIGNIFICANT = 0.05
"""Level at which a correlation counts as having a sign: the convention."""

Statistic = Literal["median", "mean", "sum"]

Answer = Hashable | None


class Analysis(Protocol):
    """One question, which its docstring puts in plain English."""

    def answer(self, view: View) -> Answer:
        """Return the answer of one side; None if there is none."""


@dataclass(frozen=True, kw_only=True)
class TopGroups:
    """Which of some groups are the largest by a statistic, in any order."""

    measure: str
    statistic: Statistic
    year: int
    groups: tuple[Group, ...]
    count: int

    def answer(self, view: View) -> Answer:
        """Return their names, sorted; None unless at least one more group can be ranked."""
        found = [
            (-value, group.value)
            for group in self.groups
            if (value := _statistic(view.reported(self.measure, self.year, group), self.statistic)) is not None
        ]
        return tuple(sorted(name for _, name in sorted(found)[: self.count])) if len(found) > self.count else None


@dataclass(frozen=True, kw_only=True)
class LargerMedian:
    """Which of two groups has the larger median."""

    measure: str
    year: int
    first: Group
    second: Group

    def answer(self, view: View) -> Answer:
        """Return the group's value, or `equal`."""
        first, second = (
            _statistic(view.reported(self.measure, self.year, group), "median") for group in (self.first, self.second)
        )
        if first is None or second is None:
            return None
        return "equal" if first == second else self.first.value if first > second else self.second.value


@dataclass(frozen=True, kw_only=True)
class AgainstTheRest:
    """Whether a group has a larger median than all firms outside of it."""

    measure: str
    year: int
    group: Group

    def answer(self, view: View) -> Answer:
        """Return yes or no."""
        inside = view.rows(self.year, self.group)
        outside = np.setdiff1d(view.rows(self.year), inside, assume_unique=True)
        medians = [_statistic(_there(view.values(self.measure, rows)), "median") for rows in (inside, outside)]
        return None if medians[0] is None or medians[1] is None else medians[0] > medians[1]


@dataclass(frozen=True, kw_only=True)
class Trend:
    """Whether a group's median rises or falls over the years, by the slope of least squares."""

    measure: str
    group: Group
    years: tuple[int, ...]

    def answer(self, view: View) -> Answer:
        """Return `up`, `down` or `flat`."""
        medians = _yearly(view, self.measure, self.group, self.years, "median")
        if medians is None:
            return None
        years = np.array(self.years, dtype=np.float64)
        slope = float(((years - years.mean()) * (medians - medians.mean())).sum())
        return "flat" if slope == 0 else "up" if slope > 0 else "down"


@dataclass(frozen=True, kw_only=True)
class YearOfMaximum:
    """In which year a group's statistic is largest."""

    measure: str
    group: Group
    statistic: Statistic
    years: tuple[int, ...]

    def answer(self, view: View) -> Answer:
        """Return the year, the first of equal ones."""
        found = _yearly(view, self.measure, self.group, self.years, self.statistic)
        return None if found is None else self.years[int(found.argmax())]


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Sign and significance of the rank correlation of two measures."""

    first: str
    second: str
    year: int
    group: Group = EVERYBODY

    def answer(self, view: View) -> Answer:
        """Return `positive`, `negative` or `not significant` (two-sided t at 5 %); None below `FEWEST_PAIRS` firms."""
        rows = view.rows(self.year, self.group)
        both = _complete(view.values(self.first, rows), view.values(self.second, rows))
        return None if both.shape[1] < FEWEST_PAIRS else _signed(both)


@dataclass(frozen=True, kw_only=True)
class RegressionSign:
    """Sign of the first of two coefficients where the log of a measure is regressed on those of two others."""

    output: str
    first: str
    second: str
    year: int

    def answer(self, view: View) -> Answer:
        """Return `positive` or `negative`; None where fewer than `FEWEST_PAIRS` firms have all three above 0."""
        rows = view.rows(self.year)
        three = _complete(*(view.values(name, rows) for name in (self.output, self.first, self.second)))
        three = np.log(three[:, (three > 0).all(axis=0)])
        if three.shape[1] < FEWEST_PAIRS:
            return None
        y, x, z = three - three.mean(axis=1, keepdims=True)
        # The coefficient's denominator is never negative (Cauchy-Schwarz), so that its sign is the numerator's.
        numerator = (x @ y) * (z @ z) - (x @ z) * (z @ y)
        return "positive" if numerator > 0 else "negative"


@dataclass(frozen=True, kw_only=True)
class TopTenthHolds:
    """Whether the largest tenth of a group's firms holds more than half of its sum."""

    measure: str
    year: int
    group: Group = EVERYBODY

    def answer(self, view: View) -> Answer:
        """Return yes or no; None below ten firms or where the sum is not above 0."""
        found = np.sort(view.reported(self.measure, self.year, self.group))[::-1]
        if found.size < _TEN or found.sum() <= 0:
            return None
        return bool(found[: -(-found.size // _TEN)].sum() > found.sum() / 2)


@dataclass(frozen=True, kw_only=True)
class MostAbove:
    """Whether a measure, or its ratio to another, is above a threshold in most firms."""

    measure: str
    threshold: float
    year: int
    denominator: str = ""
    group: Group = EVERYBODY

    def answer(self, view: View) -> Answer:
        """Return yes or no; firms whose denominator is not above 0 do not count."""
        rows = view.rows(self.year, self.group)
        values = view.values(self.measure, rows)
        if self.denominator:
            below = view.values(self.denominator, rows)
            values = values / np.where(below > 0, below, np.nan)
        found = _there(values)
        return None if found.size < FEWEST_FIRMS else bool((found > self.threshold).mean() > _HALF)


@dataclass(frozen=True, kw_only=True)
class MostGrew:
    """Whether a measure rose over the year before in most of a group's firms."""

    measure: str
    year: int
    group: Group = EVERYBODY

    def answer(self, view: View) -> Answer:
        """Return yes or no."""
        rows = view.rows(self.year, self.group)
        before = view.before(rows)
        rows, before = rows[before >= 0], before[before >= 0]
        rises = _there(view.values(self.measure, rows) - view.values(self.measure, before))
        return None if rises.size < FEWEST_FIRMS else bool((rises > 0).mean() > _HALF)


_TEN = 10
_HALF = 0.5


def _statistic(values: Floats, statistic: Statistic) -> float | None:
    if values.size < FEWEST_FIRMS:
        return None
    match statistic:
        case "median":
            return float(np.median(values))
        case "mean":
            return float(values.mean())
        case "sum":
            return float(values.sum())


def _yearly(view: View, measure: str, group: Group, years: tuple[int, ...], statistic: Statistic) -> Floats | None:
    found = [_statistic(view.reported(measure, year, group), statistic) for year in years]
    return None if None in found else np.array(found, dtype=np.float64)


def _signed(both: Floats) -> str:
    ranks = np.array([ranks_of(row) for row in both])
    ranks -= ranks.mean(axis=1, keepdims=True)
    scale = np.sqrt((ranks**2).sum(axis=1).prod())
    if scale == 0:
        return "not significant"
    r = np.clip(float(ranks[0] @ ranks[1] / scale), -1, 1)
    freedom = both.shape[1] - 2
    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt(freedom / (1 - r**2))
    p_value = 2 * scipy.special.stdtr(freedom, -t)
    return "not significant" if p_value > SIGNIFICANT else "positive" if r > 0 else "negative"


def _complete(*columns: Floats) -> Floats:
    table = np.array(columns)
    return np.asarray(table[:, ~np.isnan(table).any(axis=0)])


def _there(values: Floats) -> Floats:
    return np.asarray(values[~np.isnan(values)])
