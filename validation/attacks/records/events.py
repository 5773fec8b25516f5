"""Attacks on events: equal cells, and the owner of a record or of all records of an entity, found by figures, days or counts.

The attacker has the original events. What `lsd` leaves of them is much, and these attacks say how much; what no policy may
leave is an event's time as it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.spatial import KDTree

from pipeline.keyed import Key
from pipeline.model import Events, RawTable, Role
from pipeline.model.periods import Frequency, first_day, period_of
from validation.attacks import Attack

FIGURE, TIME, NUMBER = "event figure unchanged", "event time unchanged", "event number unchanged"
OWNER, DAYS, COUNT = "owner of an event by its figures", "owner by the days of events", "owner by the number of events"
"""Names of the attacks, by which policies set their limits."""

_ATTACKED = 5_000
"""Published records, drawn by key, that are linked at most: enough for a bound within a point of the rate."""

_ATTACKED_ENTITIES = 500
"""Entities, drawn by key, whose days are compared with those of all others, week by week."""

_ABSENT = -1_000.0
"""Where a figure that is not reported stands on the scale of signed logarithms."""

_RING: Mapping[Frequency | None, int] = {None: 364, "year": 364, "quarter": 84, "month": 28}
"""Days round which days are turned, in whole weeks, by the period that they stay within: nearly a year where it is none."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Unchanged(Attack):
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
    """The entity as the events' column of codes, and `group`, within which the attacker looks: what is published as it is."""
    is_aligned: bool = True
    """Whether row i of both is one event; only then cells can be compared."""


def event_attacks(sides: EventSides, key: Key) -> list[Attack]:
    """Run every attack on one table of events; `key` decides which records and entities are attacked where they are many."""
    return [
        *(_unchanged(sides) if sides.is_aligned else ()),
        *_owner_by_figures(sides, key.derive("figures")),
        *_owner_by_days(sides, key.derive("days")),
        *_owner_by_count(sides),
    ]


def _unchanged(sides: EventSides) -> Iterator[Unchanged]:
    """Compare each published cell with its own original; chance is that of any other's."""
    columns = [(FIGURE, measure.name) for measure in sides.events.measures]
    columns += [(TIME, column.name) for column in sides.table.of_role(Role.TIME)]
    columns += [(NUMBER, column.name) for column in sides.table.of_role(Role.NUMBER)]
    for name, column in columns:
        compared = {"entity": sides.originals[sides.events.entity], "then": sides.originals[column]}
        both = pl.DataFrame(compared | {"now": sides.published[column]}).drop_nulls()
        # A number of an entity is drawn once, however many of its events have it.
        both = both.unique() if name == NUMBER else both
        yield Unchanged(
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


def _owner_by_figures(sides: EventSides, key: Key) -> Iterator[Attack]:
    """Name for each record the owner of the original event of its group whose figures come nearest."""
    names = [measure.name for measure in sides.events.measures]
    if not names:
        return
    rows, told = (
        frame.join(sides.groups, on=sides.events.entity, how="left", maintain_order="left").select(
            pl.col(sides.events.entity).alias("owner"), "group", _points(names).alias("point")
        )
        for frame in (sides.originals, sides.published)
    )
    attacked = told.with_row_index("row").sort(key.mac("row")).head(_ATTACKED)
    hits, lucky = 0, 0.0
    for group, mine in attacked.group_by("group"):
        known = rows.filter(pl.col("group").eq_missing(pl.lit(group[0])))
        nearest = np.asarray(KDTree(known["point"].to_numpy()).query(mine["point"].to_numpy())[1])
        hits += int((known["owner"].gather(nearest) == mine["owner"]).sum())
        lucky += mine.height * float(known["owner"].unique_counts().to_numpy().max()) / known.height
    yield Attack(
        attack=OWNER,
        knowledge=f"{', '.join(names)} of every event in {sides.table.name}, and the group of its entity",
        records=attacked.height,
        successes=hits,
        chance=lucky / max(attacked.height, 1),
        detail="Chance is to name the entity of the group with the most events.",
    )


def _points(names: Sequence[str]) -> pl.Expr:
    """Return sign(x) * log(1 + |x|) of each figure, side by side."""
    value = [pl.col(name).cast(pl.Float64) for name in names]
    scaled = [(each.sign() * each.abs().log1p()).fill_null(_ABSENT) for each in value]
    return pl.concat_list(scaled).list.to_array(len(names))


def _owner_by_days(sides: EventSides, key: Key) -> Iterator[Attack]:
    """Name for each entity that whose days fit best, of all of its group and after each turn by whole weeks."""
    if not sides.events.time:
        return
    entities = _entities(sides)
    then, now = (_days(sides, frame, entities) for frame in (sides.originals, sides.published))
    places = entities.with_row_index("place")
    attacked = places.sort(key.mac(sides.events.entity)).head(_ATTACKED_ENTITIES)
    hits = 0
    for _, mine in attacked.group_by("group"):
        candidates = places.filter(pl.col("group").eq_missing(pl.lit(mine["group"][0])))["place"].to_numpy()
        own = mine["place"].to_numpy()
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
    places = entities.with_row_index("place").select(sides.events.entity, "place")
    rows = frame.join(places, on=sides.events.entity).drop_nulls(sides.events.time)
    at = rows.select("place", period=period, day=since % length)
    periods = at["period"].unique().sort()
    days = np.zeros((entities.height, max(len(periods), 1), length))
    np.add.at(days, (at["place"].to_numpy(), periods.search_sorted(at["period"]), at["day"].to_numpy()), 1.0)
    return np.log1p(days)


def _fit(now: Floats, then: Floats) -> Floats:
    """Return the cosine of the days of published and of original entities."""
    flat = [side.reshape(len(side), -1) for side in (now, then)]
    unit = [side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12) for side in flat]
    fit: Floats = unit[0] @ unit[1].T
    return fit


def _owner_by_count(sides: EventSides) -> Iterator[Attack]:
    """Name for each entity that of its group whose number of events comes nearest, the first of equals."""
    entities, hits = _entities(sides), 0
    for _, mine in entities.group_by("group"):
        then, now = (mine[side].to_numpy().astype(np.float64) for side in ("then", "now"))
        nearest = np.abs(now[:, None] - then[None, :]).argmin(axis=1)
        hits += int((nearest == np.arange(mine.height)).sum())
    yield _of_entities(COUNT, f"how many events each entity has in {sides.table.name}", entities, entities, hits)


def _entities(sides: EventSides) -> pl.DataFrame:
    """Return the entities with events, sorted: code, `group`, and how many events they have `then` and `now`."""
    entity = sides.events.entity
    then, now = (
        frame.drop_nulls(entity).group_by(entity).agg(pl.len().alias(side))
        for side, frame in (("then", sides.originals), ("now", sides.published))
    )
    counted = then.join(now, on=entity, how="left").join(sides.groups, on=entity, how="left")
    return counted.with_columns(pl.col("now").fill_null(0)).sort(entity)


def _of_entities(name: str, knowledge: str, attacked: pl.DataFrame, entities: pl.DataFrame, hits: int) -> Attack:
    sizes = entities.group_by("group").agg(pl.len().alias("size"))
    chance = attacked.join(sizes, on="group", nulls_equal=True).select((1 / pl.col("size")).mean()).item()
    return Attack(
        attack=name,
        knowledge=f"{knowledge}, and the group of the entity",
        records=attacked.height,
        successes=hits,
        chance=float(chance or 0.0),
    )
