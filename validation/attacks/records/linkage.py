"""Nearest-neighbour linkage: for each published record, the closest original of its group.

The attack of Winkler (2004) and Domingo-Ferrer and Torra (2003) on microdata: Euclidean distance on signed logarithms, and the
Mahalanobis distance, which weighs figures by how they vary together. It needs only what annual reports print.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from anonymize.quasi_identifiers import looked_up
from pipeline.keyed import SEPARATOR
from pipeline.model import PERIOD
from validation.attacks import Attack, and_the

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

OWNER = "nearest-neighbour linkage"
AMONG_FIVE = f"{OWNER}, owner among the five nearest"
MAHALANOBIS = f"{OWNER}, Mahalanobis"
WHOLE_YEAR = f"{OWNER}, all figures of a year"
WHOLE_PANEL = f"{OWNER}, all figures of all years"
GAPS = "linkage by zeros and gaps alone"
WITH_REGISTER = f"{OWNER}, with the register"
ATTACKS = (OWNER, AMONG_FIVE, MAHALANOBIS, WHOLE_YEAR, WHOLE_PANEL, GAPS, WITH_REGISTER)
"""Names of the attacks, by which policies set their limits."""

_PLACE = f"{SEPARATOR}place"
TARGET = f"{SEPARATOR}target"
"""No column of a table can have these names."""

_ABSENT = -1_000.0
"""Place of a missing figure on the scale of signed logarithms: far from every figure, near other missing ones."""

_AT_A_TIME = 512
"""Records, and originals, that are compared with each other at a time: a few megabytes."""

_BESIDE = 32
"""Records whose own distances are computed at a time, with those from each other's owners."""

_ENOUGH = 5
"""Originals before the owner that are counted; how many more there are makes no difference."""

_ROUNDING = 1e-9
"""How far apart places on a line may be rounded, by the largest coordinate: ten thousand times as far as they are."""

_DEGENERATE = 1e-9
"""Share of the largest variance below which a direction counts as constant."""


@dataclass(frozen=True, kw_only=True)
class _View:
    """What the attacker compares: points of originals and of published records; row i of both belongs to one company."""

    originals: Floats
    published: Floats
    groups: Sequence[Integers]
    knowledge: str
    stated: Integers | None = None
    """Shape (records, columns): must agree with `registered`, as numbers; -1 agrees with everything. None if nothing must."""
    registered: Integers | None = None
    """Shape (originals, columns)."""
    targets: Booleans | None = None
    """Which published records are attacked; None for all. Every original is a candidate for each of them."""

    def attacked(self, group: Integers) -> Integers:
        """Return the places in a group of the records that are attacked."""
        return np.arange(len(group)) if self.targets is None else np.flatnonzero(self.targets[group])

    def distances(self, records: Integers, group: Integers) -> Floats:
        """Return the squared distances, shape (records, originals of the group); infinite where something disagrees."""
        distances: Floats = scipy.spatial.distance.cdist(self.published[records], self.originals[group], "sqeuclidean")
        if self.stated is not None and self.registered is not None:
            for here, there in zip(self.stated[records].T, self.registered[group].T, strict=True):
                distances[(here[:, None] != there) & (here[:, None] >= 0)] = np.inf
        return distances


@dataclass(frozen=True, kw_only=True)
class _Found:
    """The result for each record that is attacked."""

    knowledge: str
    groups: Sequence[tuple[int, int]]
    """Of each group, how many records it has, and how many of them are attacked."""
    rank: Integers
    """Number of originals that are nearer than the owner; `_ENOUGH` or more where there are at least so many."""

    def attack(self, name: str, *, within: int = 1) -> Attack:
        """Count the records whose owner is among the first originals, at most `_ENOUGH`."""
        records, there = len(self.rank), sum(size for size, _ in self.groups)
        chance = sum(attacked * min(within, size) / size for size, attacked in self.groups) / max(records, 1)
        return Attack(
            attack=name,
            knowledge=self.knowledge,
            records=records,
            successes=int((self.rank < within).sum()),
            chance=min(chance, 1.0),
            detail="" if records == there else _DRAWN.format(records=records, there=there),
            drawn_from=None if records == there else there,
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the result for the records of all parts, at least one, which are of different groups."""
        groups = [group for part in parts for group in part.groups]
        return cls(knowledge=parts[0].knowledge, groups=groups, rank=np.concatenate([part.rank for part in parts]))


_DRAWN = (
    "{records:,} of {there:,} records were attacked, the same share of every group, drawn by key; every original was a "
    "candidate. The bound holds for all of them."
)


def linkage_attacks(
    originals: pl.DataFrame,
    published: pl.DataFrame,
    *,
    entity: str,
    group: str,
    measures: Sequence[str],
    known: Sequence[Sequence[str]],
    quasi_identifiers: Sequence[str] = (),
    named: Callable[[int], str] = str,
) -> list[Attack]:
    """Attack the fullest year by each set of known figures, by all figures and by a register, and the whole panel.

    Args:
        originals: As in `known_figure_attacks`, and `entity`.
        published: As in `known_figure_attacks`.
        entity: Column that identifies the company of a row.
        group: Column that is published as it is (an industry), so that the attacker looks only within it.
        known: Sets of measures that an outsider may know.
        quasi_identifiers: As in `known_figure_attacks`.
        named: As in `known_figure_attacks`.
    """
    year, sides = _of_fullest_year(originals, published, group, measures)
    if not sides[0].height:
        return []
    year_view = _view(*sides, group, measures, f"every figure of {named(year)}{and_the(group)}")
    panels = [_linked_panel(*sides, entity, group, measures) for sides in _of_each_group(originals, published, group)]
    whole, gaps = (_Found.joined(parts) for parts in zip(*panels, strict=True))
    return [
        *known_figure_attacks(
            originals, published, group=group, known=known, quasi_identifiers=quasi_identifiers, named=named
        ),
        _linked(year_view).attack(WHOLE_YEAR),
        whole.attack(WHOLE_PANEL),
        gaps.attack(GAPS),
    ]


def known_figure_attacks(
    originals: pl.DataFrame,
    published: pl.DataFrame,
    *,
    group: str,
    known: Sequence[Sequence[str]],
    quasi_identifiers: Sequence[str] = (),
    named: Callable[[int], str] = str,
) -> list[Attack]:
    """Attack the fullest year by each set of known figures, and by the last set with a register.

    Args:
        originals: Rows aligned with those of `published`: columns `group`, `PERIOD`, one of numbers for each measure, and
            the quasi-identifiers; `TARGET`, if only some of the published records are attacked.
        published: The same columns, anonymised; row i belongs to the company of row i of `originals`.
        group: Column that is published as it is (an industry), so that the attacker looks only within it.
        known: Sets of measures that an outsider may know.
        quasi_identifiers: Columns that a register also has; a record with a blank agrees with everybody.
        named: Returns the published name of a period.
    """
    year, sides = _of_fullest_year(originals, published, group, {name for names in known for name in names})
    found: list[Attack] = []
    for names in known if sides[0].height else ():
        view = _view(*sides, group, names, f"{', '.join(names)} of {named(year)}{and_the(group)}")
        euclidean = _linked(view)
        found += [
            euclidean.attack(OWNER),
            euclidean.attack(AMONG_FIVE, within=_ENOUGH),
            _linked(_whitened(view)).attack(MAHALANOBIS),
        ]
    if found and quasi_identifiers:
        asked = _with_register(*sides, group, known[-1], quasi_identifiers, named(year))
        found.append(_linked(asked).attack(WITH_REGISTER))
    return found


def fullest_year(figures: pl.DataFrame) -> int:
    """Return the year with the most records, the latest of several; 0 without records."""
    years = figures.group_by(PERIOD).len().sort("len", PERIOD, descending=True)[PERIOD]
    return int(years[0]) if len(years) else 0


def _of_fullest_year(
    originals: pl.DataFrame, published: pl.DataFrame, group: str, measures: Iterable[str]
) -> tuple[int, tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the year with the most records, and its records with a known group and a measure that both sides report."""
    is_there = pl.any_horizontal(pl.col(list(measures)).is_not_null()).alias("is there")
    is_attacked = originals[group].is_not_null()
    for side in (originals, published):
        is_attacked &= side.select(is_there).to_series()
    year = fullest_year(originals.filter(is_attacked))
    is_attacked &= originals[PERIOD] == year
    return year, (originals.filter(is_attacked), published.filter(is_attacked))


def _view(
    originals: pl.DataFrame, published: pl.DataFrame, group: str, measures: Sequence[str], knowledge: str
) -> _View:
    return _View(
        originals=_points(originals, measures),
        published=_points(published, measures),
        groups=members(originals[group]),
        knowledge=knowledge,
        targets=_targets(originals),
    )


def _targets(originals: pl.DataFrame) -> Booleans | None:
    return originals[TARGET].to_numpy() if TARGET in originals.columns else None


def _of_each_group(
    originals: pl.DataFrame, published: pl.DataFrame, group: str
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield both sides' records of each group, one after the other: side by side, the years of all take much memory."""
    for rows in members(originals[group]):
        of_group = originals[rows]
        if of_group[group][0] is not None:
            yield of_group, published[rows]


def _linked_panel(
    originals: pl.DataFrame, published: pl.DataFrame, entity: str, group: str, measures: Sequence[str]
) -> tuple["_Found", "_Found"]:
    """Link the companies of a group by all their figures, and by zeros and gaps alone."""
    view = _panel_view(originals, published, entity, group, measures)
    return _linked(view), _linked(_states(view))


def _panel_view(
    originals: pl.DataFrame, published: pl.DataFrame, entity: str, group: str, measures: Sequence[str]
) -> _View:
    """Return one point for each company: its figures of all years side by side."""
    companies = originals.drop_nulls(group).unique(entity, keep="first", maintain_order=True)
    places = companies.select(entity).with_row_index(_PLACE)
    years = originals[PERIOD].unique().sort()

    def wide(frame: pl.DataFrame) -> Floats:
        cube = np.full((companies.height, len(years), len(measures)), _ABSENT)
        numbered = originals.select(entity, PERIOD).join(places, on=entity, how="left", maintain_order="left")
        is_in = numbered[_PLACE].is_not_null()
        at = numbered.filter(is_in)
        cube[at[_PLACE].to_numpy(), years.search_sorted(at[PERIOD])] = _points(frame.filter(is_in), measures)
        return cube.reshape(companies.height, len(years) * len(measures))

    return _View(
        originals=wide(originals),
        published=wide(published),
        groups=members(companies[group]),
        knowledge=f"every figure of every year{and_the(group)}",
        targets=_targets(companies),
    )


def _with_register(
    originals: pl.DataFrame,
    published: pl.DataFrame,
    group: str,
    measures: Sequence[str],
    quasi_identifiers: Sequence[str],
    year: str,
) -> _View:
    knowledge = f"{', '.join(measures)} of {year}, and a register with {', '.join(quasi_identifiers)}"
    pairs = [_numbered(published, originals, column) for column in quasi_identifiers]
    stated, registered = (np.stack(side, axis=1) for side in zip(*pairs, strict=True))
    return replace(_view(originals, published, group, measures, knowledge), stated=stated, registered=registered)


def _numbered(published: pl.DataFrame, originals: pl.DataFrame, column: str) -> tuple[Integers, Integers]:
    """Return a column of both sides as numbers, equal for equal texts; -1 for a blank."""
    stated, registered = (
        frame.select(looked_up(frame, [column])).to_series().cast(pl.String) for frame in (published, originals)
    )
    domain = {value: place for place, value in enumerate(pl.concat([stated, registered]).drop_nulls().unique().sort())}
    here, there = (
        values.replace_strict(domain, default=-1, return_dtype=pl.Int64).to_numpy() for values in (stated, registered)
    )
    return here, there


def members(labels: pl.Series) -> list[Integers]:
    """Return the rows of each group, groups in the order of their first rows."""
    groups = labels.to_frame("label").with_row_index("row").group_by("label", maintain_order=True).agg("row")
    return [rows.to_numpy().astype(np.int64) for rows in groups["row"]]


def coordinates(measures: Sequence[str]) -> pl.Expr:
    """Return sign(x) * log(1 + |x|) of each measure, and a place far from every figure where it is missing."""
    value = pl.col(measures).cast(pl.Float64)
    return (value.sign() * value.abs().log1p()).fill_null(_ABSENT)


def _points(frame: pl.DataFrame, measures: Sequence[str]) -> Floats:
    return frame.select(coordinates(measures)).to_numpy()


def _states(view: _View) -> _View:
    """Return the view of an attacker who uses only which figures are zero and which are missing."""
    before, after = (
        np.where(points == _ABSENT, 2.0, (points == 0.0).astype(np.float64))
        for points in (view.originals, view.published)
    )
    return replace(
        view, originals=before, published=after, knowledge="which figures of which years are zero or missing"
    )


def _whitened(view: _View) -> _View:
    """Return the view in which Euclidean distance is the Mahalanobis distance, by the originals' covariance within groups."""
    centred = np.concatenate([view.originals[group] - view.originals[group].mean(axis=0) for group in view.groups])
    variances, directions = np.linalg.eigh(centred.T @ centred / max(len(centred) - 1, 1))
    # Measures that depend on each other leave directions without variance, which cannot be whitened.
    is_kept = variances > _DEGENERATE * max(variances.max(), _DEGENERATE)
    whitening = directions[:, is_kept] / np.sqrt(variances[is_kept])
    return replace(view, originals=view.originals @ whitening, published=view.published @ whitening)


def _linked(view: _View) -> _Found:
    rank = np.zeros(len(view.published), np.int64)
    attacked = [view.attacked(group) for group in view.groups]
    for group, at in zip(view.groups, attacked, strict=True):
        rank[group[at]] = _ranks(view, group, at)
    sizes = [(len(group), len(at)) for group, at in zip(view.groups, attacked, strict=True)]
    return _Found(knowledge=view.knowledge, groups=sizes, rank=rank if view.targets is None else rank[view.targets])


def _ranks(view: _View, group: Integers, at: Integers) -> Integers:
    """Count for each attacked record of a group, by their places in it, the originals that are nearer than its owner.

    Two points are at least as far apart as their places on a line. So an original is compared with a record only if it is as
    near on the line as the owner is in space; and a record with no more originals once enough are nearer.
    """
    own = _own_distances(view, group[at])
    rank = np.where(np.isfinite(own), 0, _ENOUGH)
    records, originals = view.published[group[at]], view.originals[group]
    line = np.sqrt(np.arange(1.0, records.shape[1] + 1))
    line /= max(float(np.linalg.norm(line)), _DEGENERATE)
    places, ordered = records @ line, np.sort(originals @ line)
    candidates = np.argsort(originals @ line)
    largest = max((float(np.abs(side).max(initial=1.0)) for side in (records, originals)), default=1.0)
    reach = np.sqrt(own) * (1 + _ROUNDING) + _ROUNDING * largest
    first, last = ordered.searchsorted(places - reach), ordered.searchsorted(places + reach, "right")
    by_place = np.argsort(places)
    for some in (by_place[start : start + _AT_A_TIME] for start in range(0, len(at), _AT_A_TIME)):
        for start in range(int(first[some].min()), int(last[some].max()), _AT_A_TIME):
            end = start + _AT_A_TIME
            asked = some[(rank[some] < _ENOUGH) & (first[some] < end) & (last[some] > start)]
            if len(asked):
                rank[asked] += _nearer(view, group, at[asked], candidates[start:end], own[asked])
    return rank


def _own_distances(view: _View, group: Integers) -> Floats:
    """Return the distance of each record of a group from its owner."""
    parts = (group[at : at + _BESIDE] for at in range(0, len(group), _BESIDE))
    return np.concatenate([np.empty(0), *(np.diagonal(view.distances(part, part)) for part in parts)])


def _nearer(view: _View, group: Integers, records: Integers, originals: Integers, own: Floats) -> Integers:
    """Count, for some records of a group, which of some originals stand before the owner."""
    distances, limit = view.distances(group[records], group[originals]), own[:, None]
    # Ties go to the original that comes first, so that equal distances do not all count as found.
    is_before = originals < records[:, None]
    return np.asarray(((distances < limit) | ((distances == limit) & is_before)).sum(axis=1))
