"""Draws the numbers of events from noised statistics: the events of one entity are its records, as years are in a panel.

Which of them comes first is drawn by key. So the distance from one to the next shows how alike any two of an entity are. A
score is then a part of the entity and a part of the row, and entities with many events have the parts that go with many.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
import scipy

from anonymize.synthesis import statistics as st
from anonymize.synthesis.account import BudgetAccount
from anonymize.synthesis.cube import Floats, Integers, members_of, order_of
from anonymize.synthesis.dependence import Alike, alike
from anonymize.synthesis.events.columns import (
    CLOCK,
    DECADES_OF_POSITIONS,
    NUMBER,
    PLACE,
    EventColumns,
    figures_of,
    rows_of,
    seconds_of_day,
)
from anonymize.synthesis.model import understood
from anonymize.synthesis.records import Records, records_of
from anonymize.synthesis.sampling import sample_records
from anonymize.synthesis.shape import PER_DECADE
from anonymize.synthesis.statistics import Statistics, noised_statistics
from pipeline.keyed import Key
from pipeline.model import PERIOD

_SHARES: Mapping[str, float] = {
    st.STATES: 0.05,
    st.GRAINS: 0.02,
    st.COARSE: 0.08,
    st.FINE: 0.25,
    st.LOCATION: 0.24,
    st.SPREAD: 0.05,
    st.PRODUCTS: 0.21,
    st.TREND: 0.001,
    st.STEPS: 0.1,
}
"""Statistic -> its share of what is spent on rows: columns are fewer than in a panel, so that shapes cost a larger part."""

_OF_SIZES = 0.03
"""Share of what is spent on rows that goes to how many entities of each industry have events."""


def fitted_rows(
    layout: EventColumns, frame: pl.DataFrame, entities: pl.DataFrame, account: BudgetAccount, *, rho: float, about: str
) -> Statistics:
    """Take the statistics of rows through the account.

    Args:
        layout: Of `event_columns`.
        frame: The originals that are looked at: `entity`, `PERIOD`, `NUMBER`, `PLACE` and the table's columns.
        entities: `entity` and `industry` of all that may have events.
        rho: What may be spent.
        about: The table, in the account.
    """
    records = event_records(layout, frame, entities)
    counts = np.asarray([records.has_row[group].any(axis=1).sum() for group in records.groups.values()], np.float64)
    # One entity of an industry comes or goes.
    noised = account.noised(f"{about}entities with events", counts, sensitivity=1.0, rho=rho * _OF_SIZES)
    return noised_statistics(
        records,
        layout.grains,
        account,
        rho=rho * (1 - _OF_SIZES),
        shares=_SHARES,
        is_sure=True,
        sizes=dict(zip(records.groups, np.maximum(np.rint(noised.values), 1.0).tolist(), strict=True)),
        about=about,
    )


def event_records(layout: EventColumns, frame: pl.DataFrame, entities: pl.DataFrame) -> Records:
    """Return the records of all entities; arguments as above."""
    rows = pl.concat([frame.select("entity", pl.col(PLACE).alias(PERIOD)), figures_of(layout, frame)], how="horizontal")
    records = records_of(rows, layout.measured, code="entity", industry="industry", entities=entities, with_all=True)
    quanta, values = records.quanta.copy(), records.values.copy()
    for name in layout.positions:
        place = records.layout.measures.index(name)
        # Times at full hours are no earlier than others of the hour.
        values[:, :, place] = (np.ceil(values[:, :, place] * PER_DECADE) - 0.5) / PER_DECADE
        if name == CLOCK:
            quanta[:, :, place] = seconds_of_day(quanta[:, :, place])
    ranges = {records.layout.measures.index(name): DECADES_OF_POSITIONS for name in layout.positions}
    return replace(records, years=(), quanta=quanta, values=values, ranges=ranges)


def draw_events(
    layout: EventColumns, statistics: Statistics, counts: pl.DataFrame, weekdays: pl.Series | None, key: Key
) -> pl.DataFrame:
    """Draw the columns of figures and times.

    Args:
        layout: Of `event_columns`.
        counts: The rows to be drawn: `entity`, `industry` and `PERIOD`.
        weekdays: Of each row; None if events have no time.
        key: Key of this purpose.
    """
    model = understood(statistics)
    entities = counts.group_by("entity", "industry", maintain_order=True).len()
    place = dict(zip(entities["entity"], range(entities.height), strict=True))
    of_row = counts["entity"].replace_strict(place, return_dtype=pl.Int64).to_numpy().astype(np.int64)
    rows = entities["len"].to_numpy().astype(np.int64)
    number = statistics.scale.columns.index(statistics.layout.measures.index(NUMBER))
    hangs = alike(model.correlations, model.lagged)
    groups = members_of([label or "" for label in entities["industry"]])
    of_entity = _of_entities(hangs, rows, groups, number, key)
    scores = of_entity[of_row] + hangs.records(_normal(key, "rows", (len(of_row), len(hangs.own))))
    drawn = sample_records(model, counts["industry"], scores, 1 / rows[of_row], layout.measured)
    grain = statistics.grains[statistics.layout.measures.index(CLOCK)] if layout.has_clock else 1
    return rows_of(layout, counts[PERIOD], drawn, weekdays, grain)


# ----------------------------------------------------------------------------------------------------------------------


def _of_entities(hangs: Alike, rows: Integers, groups: Mapping[str, Integers], number: int, key: Key) -> Floats:
    """Return the entities' parts of scores: in an industry the one with most rows has that which goes with most."""
    drawn = hangs.entities(_normal(key, "entities", (len(rows), len(hangs.own))))
    found = np.empty_like(drawn)
    for members in groups.values():
        by_score = members[order_of(drawn[members, number])]
        found[members[np.argsort(rows[members], kind="stable")]] = drawn[by_score]
    return found


def _normal(key: Key, purpose: str, shape: tuple[int, int]) -> Floats:
    draws: Floats = scipy.special.ndtri(key.uniforms(shape[0] * shape[1], purpose) + 2.0**-54).reshape(shape)
    return draws
