"""Draws the numbers of events from statistics of industries: distributions by pool and period, and how they hang together.

A score is a part of the entity and a part of the row: events of one entity are alike, as far as those of the originals are, and
so are entities with many events. Every statistic counts each entity the same (`synthesis/owned.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import scipy

from anonymize.synthesis.cube import Booleans, Floats, Integers, members_of, order_of, pooled
from anonymize.synthesis.dependence import fit_dependence, normal_scores, positive_definite
from anonymize.synthesis.events.columns import EventColumns, numbers_of, rows_of, weekdays_of
from anonymize.synthesis.marginal import Marginal, Table, noised_table
from anonymize.synthesis.model import FEWEST_OF_POOL
from anonymize.synthesis.owned import Owned, chosen, owned_marginal, reported, shares_of
from pipeline.keyed import Key
from pipeline.model import PERIOD

_MOST_OF_ENTITY = 0.95
"""The most of a score's variance that may be the entity's."""


@dataclass(frozen=True, kw_only=True)
class Alike:
    """How scores hang together: columns are the magnitudes, the states, and last the number of events."""

    of_entity: Floats
    """Share of each column's variance that is the entity's, to two digits."""
    between: Floats
    """Correlations of the entities' parts, the number of events among them; shape (q + 1, q + 1)."""
    within: Floats
    """Correlations of the rows' parts; shape (q, q)."""


@dataclass(frozen=True, kw_only=True)
class EventModel:
    """All that the release knows of the rows of a table of events."""

    layout: EventColumns
    pools: Mapping[str, str]
    """Industry -> pool."""
    magnitudes: Table
    states: Table
    weekdays: Mapping[str, Mapping[object, float]]
    """Pool -> share of each weekday; empty where events have no time."""
    alike: Alike

    def pool_of(self, industry: str | None) -> str:
        """Return the pool of an industry: the first one where none of it has events."""
        return self.pools.get(industry or "", next(iter(self.pools.values())))

    def noised(self, key: Key) -> "EventModel":
        """Return the model with keyed noise on the distributions of magnitudes, the same in every period."""
        return replace(self, magnitudes=noised_table(self.magnitudes, key))

    def described(self) -> dict[str, Any]:
        """Return the whole model as JSON takes it."""
        return {
            "pools": dict(self.pools),
            "columns": [*self.layout.drawn, *self.layout.states, "number of events"],
            "distributions": [
                {"pool": pool, "period": period, "column": names[place]} | one.described()
                for names, table in ((self.layout.drawn, self.magnitudes), (self.layout.states, self.states))
                for (pool, period, place), one in table.items()
                if one
            ],
            "weekdays": {
                pool: {str(day): share for day, share in each.items()} for pool, each in self.weekdays.items()
            },
            "share_of_entity": self.alike.of_entity.round(2).tolist(),
            "between_entities": self.alike.between.round(2).tolist(),
            "within_entities": self.alike.within.round(2).tolist(),
        }


def fit_events(layout: EventColumns, frame: pl.DataFrame) -> EventModel:
    """Fit the model.

    Args:
        layout: Of `event_columns`.
        frame: The originals: `PERIOD`, `owner` (a number), `industry`, and the table's columns.
    """
    owners, periods = frame["owner"].to_numpy(), frame[PERIOD].to_numpy()
    labels = [label or "" for label in frame["industry"]]
    of_owner = dict(zip(owners.tolist(), labels, strict=True))
    pools = pooled(list(of_owner.values()), at_least=FEWEST_OF_POOL)
    groups = members_of([pools[label] for label in labels])
    magnitudes, states = numbers_of(layout, frame)
    weekdays = weekdays_of(layout, frame) if layout.anchor else None
    return EventModel(
        layout=layout,
        pools=pools,
        magnitudes=_marginals(magnitudes, owners, periods, groups),
        states=_marginals(states, owners, periods, groups),
        weekdays={} if weekdays is None else {pool: _weekdays(weekdays, owners, rows) for pool, rows in groups.items()},
        alike=_alike(np.concatenate([magnitudes, states], axis=1), owners, groups),
    )


def draw_events(model: EventModel, counts: pl.DataFrame, key: Key) -> pl.DataFrame:
    """Draw events.

    Args:
        model: Statistics of the originals.
        counts: `entity`, `industry`, `PERIOD` and `events`, the number of events to be drawn; one row an entity and period.
        key: Key of this purpose.

    Returns:
        `entity`, `PERIOD`, and the columns of figures and times.
    """
    ordered = counts.filter(pl.col("events") > 0).sort(key.mac("entity"), PERIOD)
    rows = ordered.select(pl.exclude("events").repeat_by("events").explode())
    entities = ordered.group_by("entity", "industry", maintain_order=True).agg(pl.col("events").sum())
    pools = [model.pool_of(label) for label in entities["industry"]]
    place = dict(zip(entities["entity"], range(entities.height), strict=True))
    of_row = rows["entity"].replace_strict(place, return_dtype=pl.Int64).to_numpy()
    scores = _scores(model.alike, entities["events"].to_numpy(), members_of(pools), of_row, key)
    drawing = _Drawing(
        groups=[
            (pool, int(period), group)
            for pool, members in members_of([pools[at] for at in of_row]).items()
            for period, group in _by_period(rows[PERIOD].to_numpy(), members)
        ],
        scores=scores,
    )
    states = drawing.states(model.states, len(model.layout.states))
    missing = model.layout.missing(states)
    magnitudes = (
        np.stack(
            [
                drawing.placed(
                    model.magnitudes, place, scores[:, place], ~missing.get(name, np.zeros(len(rows), np.bool_))
                )
                for place, name in enumerate(model.layout.drawn)
            ],
            axis=1,
        )
        if model.layout.drawn
        else np.zeros((len(rows), 0))
    )
    weekdays = _drawn_weekdays(model, [pools[at] for at in of_row], key)
    return pl.concat(
        [rows.select("entity", PERIOD), rows_of(model.layout, rows[PERIOD], magnitudes, states, weekdays)],
        how="horizontal",
    )


# ----------------------------------------------------------------------------------------------------------------------


def _marginals(columns: Floats, owners: Integers, periods: Integers, groups: Mapping[str, Integers]) -> Table:
    """Return the distribution of each column in each pool and period: of the pool in any period where too few have it there."""
    found: dict[tuple[str, int, int], Marginal | None] = {}
    for place, column in enumerate(columns.T):
        everybody = reported(column, owners)
        for pool, rows in groups.items():
            of_pool = reported(column[rows], owners[rows])
            wider = _enough([of_pool, everybody])
            for period, group in _by_period(periods, rows):
                found[pool, period, place] = owned_marginal(
                    [*_enough([reported(column[group], owners[group])]), *wider]
                )
            for period in np.unique(periods).tolist():
                found.setdefault((pool, period, place), owned_marginal(wider))
    return found


def _enough(samples: Sequence[Owned]) -> list[Owned]:
    return [sample for sample in samples if sample.count() >= FEWEST_OF_POOL]


def _by_period(periods: Integers, rows: Integers) -> list[tuple[int, Integers]]:
    return [(int(period), rows[periods[rows] == period]) for period in np.unique(periods[rows])]


def _weekdays(weekdays: pl.Series, owners: Integers, rows: Integers) -> dict[object, float]:
    return shares_of(weekdays.gather(rows).to_list(), owners[rows]) or dict.fromkeys(range(7), 1 / 7)


def _alike(columns: Floats, owners: Integers, groups: Mapping[str, Integers]) -> Alike:
    """Estimate how scores hang together; each entity counts the same."""
    entities, rows = np.unique(owners), np.bincount(owners)
    at = np.searchsorted(entities, owners)
    count, size = len(entities), rows[entities].astype(np.float64)
    scores = normal_scores(columns[:, None], list(groups.values()))
    weights = np.sqrt(len(owners) / count / size[at])
    joint = _correlations(columns, scores[:, 0] * weights[:, None])
    means = _means(scores[:, 0], at, count)
    pool_of = {int(owner): pool for pool, members in groups.items() for owner in np.unique(at[members])}
    pools = list(members_of([pool_of[place] for place in range(count)]).values())
    of_entities = np.concatenate([means, size[:, None]], axis=1)
    between = _correlations(of_entities, normal_scores(of_entities[:, None], pools)[:, 0])
    share = _share_of_entity(scores[:, 0], means, at)
    q, own, rest = len(share), np.sqrt(share), np.sqrt(1 - share)
    within = positive_definite((joint - between[:q, :q] * np.outer(own, own)) / np.outer(rest, rest))
    return Alike(of_entity=share, between=between, within=within)


def _correlations(columns: Floats, scores: Floats) -> Floats:
    """Return the correlations of the normal variables behind columns, of which scores are known; both of shape (n, q)."""
    nothing, q = np.zeros((len(columns), 0)), columns.shape[1]
    return fit_dependence(nothing, columns[:, None], (nothing, scores[:, None]), np.zeros((q, q))).now


def _means(scores: Floats, at: Integers, count: int) -> Floats:
    """Return the mean score of each entity, NaN where it has none; shape (entities, q)."""
    known = ~np.isnan(scores)
    sums = np.zeros((count, scores.shape[1]))
    counts = np.zeros((count, scores.shape[1]))
    np.add.at(sums, at, np.nan_to_num(scores))
    np.add.at(counts, at, known)
    with np.errstate(invalid="ignore"):
        means: Floats = sums / counts
    return means


def _share_of_entity(scores: Floats, means: Floats, at: Integers) -> Floats:
    """Return the share of each column's variance that lies between entities (analysis of variance), each counting the same."""
    known = ~np.isnan(scores)
    counts = np.zeros(means.shape)
    np.add.at(counts, at, known)
    free = np.maximum((counts - 1).clip(0).sum(axis=0), 1)
    inner = (np.nan_to_num(scores - means[at]) ** 2).sum(axis=0) / free
    has = counts > 0
    seen = np.maximum(has.sum(axis=0), 1)
    chance = inner * np.where(has, 1 / np.maximum(counts, 1), 0).sum(axis=0) / seen
    outer = np.maximum(np.nan_to_num(means**2).sum(axis=0) / seen - chance, 0.0)
    share: Floats = np.clip(np.round(outer / np.maximum(outer + inner, 1e-12), 2), 0.0, _MOST_OF_ENTITY)
    return share


def _scores(alike: Alike, events: Integers, pools: Mapping[str, Integers], of_row: Integers, key: Key) -> Floats:
    """Return each row's scores, shape (rows, q): a part of its entity, which goes with how many events it has, and its own."""
    q = len(alike.of_entity)
    normal = scipy.special.ndtri(key.uniforms(len(events) * (q + 1), "entities") + 2.0**-54).reshape(-1, q + 1)
    drawn = normal @ np.linalg.cholesky(alike.between).T
    of_entity = np.empty((len(events), q))
    for members in pools.values():
        by_score = members[order_of(drawn[members, q])]
        of_entity[members[np.argsort(events[members], kind="stable")]] = drawn[by_score, :q]
    drawn = scipy.special.ndtri(key.uniforms(len(of_row) * q, "rows") + 2.0**-54).reshape(-1, q)
    own = drawn @ np.linalg.cholesky(alike.within).T
    scores: Floats = np.sqrt(alike.of_entity) * of_entity[of_row] + np.sqrt(1 - alike.of_entity) * own
    return scores


@dataclass(frozen=True, kw_only=True)
class _Drawing:
    """Rows by pool and period, and their scores."""

    groups: Sequence[tuple[str, int, Integers]]
    scores: Floats

    def states(self, table: Table, count: int) -> Booleans:
        """Return where the states are so; scores of states come last."""
        first, every = self.scores.shape[1] - count, np.ones(len(self.scores), np.bool_)
        found = np.zeros((len(self.scores), count), np.bool_)
        for place in range(count):
            found[:, place] = self.placed(table, place, self.scores[:, first + place], every) > 0.5  # noqa: PLR2004  (0 or 1)
        return found

    def placed(self, table: Table, place: int, scores: Floats, is_there: Booleans) -> Floats:
        """Return the figures of a column in the order of scores, NaN where there are none."""
        figures = np.full(len(scores), np.nan)
        for pool, period, rows in self.groups:
            group, found = rows[is_there[rows]], table.get((pool, period, place))
            if found is not None:
                figures[group[order_of(scores[group])]] = found.values(len(group))
        return figures


def _drawn_weekdays(model: EventModel, pools: Sequence[str], key: Key) -> Floats:
    if not model.weekdays:
        return np.zeros(len(pools))
    uniform, days = key.uniforms(len(pools), "weekdays"), np.zeros(len(pools))
    for pool, rows in members_of(pools).items():
        days[rows] = [int(str(day)) for day in chosen(model.weekdays[pool], uniform[rows])]
    return days
