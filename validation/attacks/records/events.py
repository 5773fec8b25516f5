"""Attacks on events: equal cells, and the owner of a record or of all records of an entity, found by figures, days or counts.

The attacker has the original events. What `lsd` leaves of them is much, and these attacks say how much; what no policy may
leave is an event's time as it was. A sampled event has no original: under `guarded` nobody may find an owner, or a row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from pipeline.keyed import SEPARATOR, Key
from pipeline.model import Environment, Events, RawTable, Role
from pipeline.model.periods import Frequency, first_day, period_of
from validation.attacks import Attack
from validation.attacks.records.linkage import coordinates
from validation.laws import exceeded

FIGURE, TIME, NUMBER = "event figure unchanged", "event time unchanged", "event number unchanged"
OWNER, OWNERS = "owner of an event by its figures", "owner of all events by their figures"
DAYS, COUNT = "owner by the days of events", "owner by the number of events"
COPIED, ALONE = "event copied whole", "event alone of its kind, as it was"
"""Names of the attacks, by which policies set their limits."""

_ATTACKED = 5_000
"""Published records, drawn by key, that are linked at most: enough for a bound within a point of the rate."""

_ATTACKED_ENTITIES = 500
"""Entities, drawn by key, whose days are compared with those of all others, week by week."""

_AT_A_TIME = 512
"""Entities that are compared with all of their group at a time: a few megabytes."""

_RING: Mapping[Frequency | None, int] = {None: 364, "year": 364, "quarter": 84, "month": 28}
"""Days round which days are turned, in whole weeks, by the period that they stay within: nearly a year where it is none."""

Floats = npt.NDArray[np.float64]


GROUP = f"{SEPARATOR}group"
_THEN, _NOW, _SIZE, _PLACE = (f"{SEPARATOR}{name}" for name in ("then", "now", "size", "place"))
"""Columns beside those of raw tables, whose headers may be any others."""


@dataclass(frozen=True, kw_only=True)
class UnchangedRows(Attack):
    """How many cells of a column are those of the same event in the originals."""

    table: str
    column: str


@dataclass(frozen=True, kw_only=True)
class EventSides:
    """The events of one table on both sides, under the original codes, and the entities' groups."""

    events: Events
    table: RawTable
    originals: pl.DataFrame
    published: pl.DataFrame
    groups: pl.DataFrame
    """The entity as the events' column of codes, and `GROUP`, within which the attacker looks: what is published as it is."""
    is_aligned: bool = True
    """Whether row i of both is one event; only then cells can be compared."""
    is_sampled: bool = False
    """Whether events are sampled: then row i is nobody's, and how many an entity has is not its own."""

    @classmethod
    def of(
        cls, environment: Environment, table: str, sides: Sequence[pl.DataFrame], entities: pl.DataFrame, **how: bool
    ) -> Self:
        """Return the events of a table on both sides; `entities` lists whose they are."""
        events = environment.events_of(table)
        kind, (originals, published) = environment.kind_of_events(events), sides
        groups = entities.select(pl.col(kind.code).alias(events.entity), pl.col(kind.industry).alias(GROUP))
        raw = environment.raw_table(table)
        return cls(events=events, table=raw, originals=originals, published=published, groups=groups, **how)


def event_attacks(sides: EventSides, key: Key) -> list[Attack]:
    """Run every attack on one table of events; `key` decides which records and entities are attacked where they are many."""
    return [
        *((*_unchanged(sides), *_alone(sides)) if sides.is_aligned and not sides.is_sampled else ()),
        *_copied(sides),
        *_owner_by_figures(sides, key.derive("figures")),
        *_owner_by_days(sides, key.derive("days")),
        *_owner_by_count(sides),
    ]


def _unchanged(sides: EventSides) -> Iterator[UnchangedRows]:
    """Compare each published cell with its own original; chance is that of any other's."""
    columns = [(FIGURE, measure.name) for measure in sides.events.measures]
    columns += [(TIME, column.name) for column in sides.table.of_role(Role.TIME)]
    columns += [(NUMBER, column.name) for column in sides.table.of_role(Role.NUMBER)]
    for name, column in columns:
        compared = {"entity": sides.originals[sides.events.entity], "then": sides.originals[column]}
        both = pl.DataFrame(compared | {"now": sides.published[column]}).drop_nulls()
        # A number of an entity is drawn once, however many of its events have it.
        both = both.unique() if name == NUMBER else both
        yield UnchangedRows(
            attack=name,
            table=sides.table.name,
            column=column,
            knowledge=f"{column} of the same event in the originals of {sides.table.name}",
            records=both.height,
            successes=int((both["then"] == both["now"]).sum()),
            chance=_agreeing(both),
        )


def _agreeing(both: pl.DataFrame) -> float:
    """Return the share of all pairs of a cell of either side that are equal."""
    then, now = (both.group_by(value=side).agg(pl.len().cast(pl.Float64).alias(f"{side}s")) for side in ("then", "now"))
    return float(then.join(now, on="value").select(pl.col("thens").dot("nows")).item() / max(both.height, 1) ** 2)


def _copied(sides: EventSides) -> Iterator[Attack]:
    """Count the published events that are one of the originals in all figures and times, whosoever; chance is that of others.

    These others are the published events another week of the originals, or where events have no time, with the next figure,
    if the originals go so far.
    """
    times = [column.name for column in sides.table.of_role(Role.TIME) if column.name in sides.published.columns]
    figures = [measure.name for measure in sides.events.measures if sides.published[measure.name].count()]
    if not (columns := [*times, *figures]):
        return
    then, now = (side.select(columns).drop_nulls() for side in (sides.originals, sides.published))
    moved = times or [max(figures, key=lambda each: then[each].n_unique())]
    within = pl.col(moved[0]).is_between(then[moved[0]].min(), then[moved[0]].max())
    others = [now.with_columns(_moved(then, moved, by, is_time=bool(times))).filter(within) for by in (-1, 1)]
    copied, by_chance = (
        sum(each.join(then, on=columns, how="semi").height for each in some) for some in ([now], others)
    )
    yield Attack(
        attack=COPIED,
        knowledge=f"every event in {sides.table.name}",
        records=now.height,
        successes=copied,
        chance=(by_chance + 1) / (sum(each.height for each in others) + 2),
        detail="Chance is that of events like these a week earlier or later." if times else "",
    )


def _alone(sides: EventSides) -> Iterator[Attack]:
    """Count the events that are alone with weekday, hour and two figures (or the only one), and have all of these still.

    Of all pairs of figures the one counts that finds most; what a declaration lets stay is in none.
    """
    times = [pl.col(column.name) for column in sides.table.of_role(Role.TIME) if column.name in sides.published.columns]
    moments = [time.cast(pl.Datetime("us")).dt.to_string("%u %H").name.prefix("hour of ") for time in times]
    figures = [measure.name for measure in sides.events.measures if measure.name not in sides.events.may_stay]
    found = []
    for pair in combinations(figures, min(2, len(figures))) if figures else ():
        then, now = (side.select(*pair, *moments) for side in (sides.originals, sides.published))
        is_same = pl.DataFrame([then[name].eq_missing(now[name]) for name in then.columns]).min_horizontal()
        is_alone = then.select(
            pl.struct(pl.all()).is_unique() & pl.any_horizontal(pl.col(pair).is_not_null())
        ).to_series()
        found.append((int((is_same & is_alone).sum()), pair))
    if found:
        count, pair = max(found)
        yield Attack(
            attack=ALONE,
            knowledge=f"weekday, hour and {' and '.join(pair)} of every event in {sides.table.name}",
            records=sides.published.height,
            successes=count,
            detail="A figure with `significant_digits=0` is never what it was; `Events.may_stay` names those that may be.",
        )


def _moved(then: pl.DataFrame, columns: Sequence[str], by: int, *, is_time: bool) -> list[pl.Expr]:
    """Return times moved by weeks, or a figure moved by the step that all of them are made of."""
    if is_time:
        return [pl.col(name) + pl.duration(weeks=by) for name in columns]
    step = max(int(np.gcd.reduce(then[columns[0]].to_numpy())) if then.height else 1, 1)
    return [pl.col(columns[0]) + by * step]


@dataclass(frozen=True, kw_only=True)
class OfRows(Attack):
    """An attack on rows, of which those of one entity succeed or fail together."""

    effective_records: float
    """The effective sample size: with so many independent records, the rate would vary as much as it does with these rows."""

    @property
    def p_value(self) -> float:
        """Return the probability with which guessing succeeds as often, rows of an entity going together."""
        records = round(self.effective_records)
        return float(exceeded(round(self.rate * records) - 1, records, self.chance))


def _owner_by_figures(sides: EventSides, key: Key) -> Iterator[Attack]:
    """Name for each record the owner of the original event of its group whose figures come nearest.

    For all records of an entity together, name whom most of them name.
    """
    names = [measure.name for measure in sides.events.measures]
    if not names:
        return
    named = _named(sides, names, key)
    records, hits = int(named["records"].sum()), int(named.filter(pl.col("owner") == pl.col("named"))["records"].sum())
    chance = float(named.select(pl.col("records").dot("chance")).item() or 0.0) / max(records, 1)
    yield OfRows(
        attack=OWNER,
        knowledge=f"{', '.join(names)} of every event in {sides.table.name}, and the group of its entity",
        records=records,
        successes=hits,
        chance=chance,
        effective_records=_effective_records(named, chance),
        detail=_OF_SAMPLED if sides.is_sampled else "Chance is to name the entity of the group with the most events.",
    )
    entities = _entities(sides)
    most = named.sort("records", "named", descending=[True, False]).unique("owner", keep="first", maintain_order=True)
    entity = sides.events.entity
    attacked = entities.join(most, left_on=entity, right_on="owner", how="semi")
    right = most.filter(pl.col("owner") == pl.col("named"))
    found = right.join(entities, left_on="owner", right_on=entity, how="semi").height
    yield _of_entities(OWNERS, f"{', '.join(names)} of all events in {sides.table.name}", attacked, entities, found)


_OF_SAMPLED = "Chance is what is found if the owners of a group are dealt out anew."


def _named(sides: EventSides, names: Sequence[str], key: Key) -> pl.DataFrame:
    """Return how many records of each `owner` name whom: `group`, its `size`, the `chance` of a guess, `named`, `records`."""
    rows, released = (
        frame.join(sides.groups, on=sides.events.entity, how="left", maintain_order="left").select(
            group=GROUP, owner=sides.events.entity, point=pl.concat_list(coordinates(names)).list.to_array(len(names))
        )
        for frame in (sides.originals, sides.published)
    )
    attacked = released.with_row_index("row").sort(key.mac("row")).head(_ATTACKED)
    found = []
    for group, mine in attacked.group_by("group", maintain_order=True):
        known = rows.filter(pl.col("group").eq_missing(pl.lit(group[0])))
        if known.is_empty():
            continue
        nearest = np.asarray(scipy.spatial.KDTree(known["point"].to_numpy()).query(mine["point"].to_numpy())[1])
        counts = known["owner"].unique_counts().to_numpy()
        pairs = mine.select("owner", "group", named=known["owner"].gather(nearest))
        counted = pairs.group_by("owner", "group", "named", maintain_order=True).agg(
            pl.len().cast(pl.Int64).alias("records")
        )
        chance = 1 / len(counts) if sides.is_sampled else float(counts.max()) / known.height
        found.append(counted.with_columns(size=pl.lit(len(counts)), chance=pl.lit(chance)))
    empty = pl.DataFrame(schema=_NAMED)
    return pl.concat([empty, *(each.select(_NAMED.names()).cast(_NAMED) for each in found)])


_NAMED = pl.Schema(
    dict.fromkeys(("owner", "group", "named"), pl.String())
    | {"records": pl.Int64(), "size": pl.Int64(), "chance": pl.Float64()}
)


def _effective_records(named: pl.DataFrame, chance: float) -> float:
    """Return the effective sample size of the rows, all of them at most.

    The variance of the number of successes, if the owners of a group were permuted, is that of Hoeffding (1951, theorem 2).
    """
    records, variance = float(named["records"].sum()), 0.0
    for _, of_group in named.group_by("group", maintain_order=True):
        size = float(of_group["size"][0])
        sums = [of_group.group_by(side).agg(pl.col("records").sum())["records"] for side in ("owner", "named")]
        spread = float((of_group["records"] ** 2).sum()) + (float(of_group["records"].sum()) / size) ** 2
        spread -= sum(float((side**2).sum()) for side in sums) / size
        variance += max(spread, 0.0) / max(size - 1, 1.0)
    return round(min(records, records**2 * chance * (1 - chance) / variance), 1) if variance else records


def _owner_by_days(sides: EventSides, key: Key) -> Iterator[Attack]:
    """Name for each entity that whose days fit best, of all of its group and after each turn by whole weeks."""
    if not sides.events.time:
        return
    entities = _entities(sides)
    then, now = (_days(sides, frame, entities) for frame in (sides.originals, sides.published))
    places = entities.with_row_index(_PLACE)
    attacked = places.sort(key.mac(sides.events.entity)).head(_ATTACKED_ENTITIES)
    hits = 0
    for _, mine in attacked.group_by(GROUP):
        candidates = places.filter(pl.col(GROUP).eq_missing(pl.lit(mine[GROUP][0])))[_PLACE].to_numpy()
        own = mine[_PLACE].to_numpy()
        fits = [_fit(np.roll(now[own], turn, axis=2), then[candidates]) for turn in range(0, now.shape[2], 7)]
        hits += int((candidates[np.max(fits, axis=0).argmax(axis=1)] == own).sum())
    yield _of_entities(DAYS, f"the days of all events in {sides.table.name}", attacked, entities, hits)


def _days(sides: EventSides, frame: pl.DataFrame, entities: pl.DataFrame) -> Floats:
    """Return on which days each entity has events, logarithms of how many: shape (entities, periods, days in whole weeks)."""
    date, within = pl.col(sides.events.time).cast(pl.Date), sides.events.stay_within
    if within is None:
        # The week of 1 January 1970 began three days before.
        period, since = pl.lit(0, pl.Int64), date.cast(pl.Int32).cast(pl.Int64) + 3
    else:
        period = period_of(date, within)
        since = (date - first_day(period, within)).dt.total_days()
    length = _RING[within]
    places = entities.with_row_index(_PLACE).select(sides.events.entity, _PLACE)
    rows = frame.join(places, on=sides.events.entity).drop_nulls(sides.events.time)
    at = rows.select(place=_PLACE, period=period, day=since % length)
    periods = at["period"].unique().sort()
    days = np.zeros((entities.height, max(len(periods), 1), length))
    np.add.at(days, (at["place"].to_numpy(), periods.search_sorted(at["period"]), at["day"].to_numpy()), 1.0)
    return np.log1p(days)


def _fit(now: Floats, then: Floats) -> Floats:
    """Return the cosine of the days of published and of original entities."""
    flat = [side.reshape(len(side), side.shape[1] * side.shape[2]) for side in (now, then)]
    unit = [side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12) for side in flat]
    fit: Floats = unit[0] @ unit[1].T
    return fit


def _owner_by_count(sides: EventSides) -> Iterator[Attack]:
    """Name for each entity that of its group whose number of events comes nearest, the first of equals."""
    entities, hits = _entities(sides), 0
    for _, mine in entities.group_by(GROUP):
        then, now = (mine[side].to_numpy().astype(np.float64) for side in (_THEN, _NOW))
        some = (now[at : at + _AT_A_TIME] for at in range(0, len(now), _AT_A_TIME))
        nearest = np.concatenate([np.abs(each[:, None] - then[None, :]).argmin(axis=1) for each in some])
        hits += int((nearest == np.arange(mine.height)).sum())
    yield _of_entities(COUNT, f"how many events each entity has in {sides.table.name}", entities, entities, hits)


def _entities(sides: EventSides) -> pl.DataFrame:
    """Return the entities with events, sorted: code, `GROUP`, and how many events they have `_THEN` and `_NOW`."""
    entity = sides.events.entity
    then, now = (
        frame.drop_nulls(entity).group_by(entity).agg(pl.len().alias(side))
        for side, frame in ((_THEN, sides.originals), (_NOW, sides.published))
    )
    counted = then.join(now, on=entity, how="left").join(sides.groups, on=entity, how="left")
    return counted.with_columns(pl.col(_NOW).fill_null(0)).sort(entity)


def _of_entities(name: str, knowledge: str, attacked: pl.DataFrame, entities: pl.DataFrame, hits: int) -> Attack:
    sizes = entities.group_by(GROUP).agg(pl.len().alias(_SIZE))
    chance = attacked.join(sizes, on=GROUP, nulls_equal=True).select((1 / pl.col(_SIZE)).mean()).item()
    return Attack(
        attack=name,
        knowledge=f"{knowledge}, and the group of the entity",
        records=attacked.height,
        successes=hits,
        chance=float(chance or 0.0),
    )
