"""Events that are sampled: which entity has how many, when, and what stands in each. No row is one of the originals.

The originals enter as statistics alone: distributions of the number of events by industry and period (a panel of its own,
`synthesis/model.py`), distributions of figures and times and their correlations (`rows.py`), and shares of categories
(`values.py`). Rows are numbered anew and stand in an order drawn by key. Totals of a panel (`Total`) are computed from the
sampled events.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from anonymize.synthesis.events.columns import always_hold, event_columns
from anonymize.synthesis.events.rows import draw_events, fit_events
from anonymize.synthesis.events.values import draw_values
from anonymize.synthesis.firms import REPORTS, YEARS
from anonymize.synthesis.model import FEWEST_OF_POOL, Model, fit_model
from anonymize.synthesis.sampling import sample_figures
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD, Entities, Environment, Events, Frames, Measure, Panel, RawTable, Role
from pipeline.model.periods import Frequency, period_of

_COUNT = "events"
_COUNTED = Panel(measures=(Measure(name=_COUNT, unit=""),))
"""The number of events of an entity in a period is a figure like others."""

_ROW = "row"


@dataclass(frozen=True, kw_only=True)
class SampledEvents:
    """One table of events."""

    rows: pl.DataFrame
    """Columns and types of the conformed table, under the codes of the originals, to which rows have no other relation. Columns
    that are not published are null."""
    described: Mapping[str, Any]
    """All that the release knows of the originals' events, for the curator."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """The entities of one kind, as the originals list them and as they are drawn: code, industry, `YEARS` and `REPORTS`."""

    kind: Entities
    originals: pl.DataFrame
    drawn: pl.DataFrame


def refuse_references(environment: Environment) -> None:
    """Refuse tables that refer to rows of events: of those none is published.

    Raises:
        InputError: There is such a table.
    """
    sampled = {events.table for events in environment.events}
    for table in environment.raw_tables:
        for reference in table.references:
            if reference.to_table in sampled:
                raise InputError(
                    f"column(s) {', '.join(map(repr, reference.columns))} of {table.name!r} refer to rows of the "
                    f"events {reference.to_table!r}: the policy 'guarded' publishes none of them, but sampled ones; leave the "
                    "reference and its columns out of the declaration, or publish under 'lsd' and read what that is worth"
                )


def sample_events(
    environment: Environment, events: Events, conformed: Frames, listed: Listed, key: Key
) -> SampledEvents:
    """Sample one table of events.

    Args:
        environment: Declares tables and kinds.
        events: The events.
        conformed: Conformed tables by name.
        listed: The entities that may have events.
        key: Key of this purpose.

    Raises:
        InputError: There are too few entities with events, events of nobody or of somebody whom no table lists, or a category
            that too few entities share.
    """
    table, schema = environment.raw_table(events.table), conformed[events.table].schema
    _refuse_strange(events, conformed[events.table], listed)
    frequency = _frequency(environment, events)
    dated = _with_periods(table, events, conformed[events.table], frequency)
    originals = _common(events, dated, listed)
    _refuse_too_few(events, dated, originals)
    hold = always_hold(events, conformed[events.table])
    model = fit_events(event_columns(events, table, originals, frequency=frequency, hold=hold), originals)
    counts = _fitted_counts(environment, events, originals, listed)
    wanted = _drawn_counts(environment, events, counts, listed, key.derive("counts"))
    drawn = draw_events(model.noised(key.derive("noise")), wanted, key.derive("rows"))
    grouped = drawn.join(_grouped(listed, listed.drawn), on="entity", how="left", maintain_order="left")
    valued = draw_values(environment, events, conformed, originals, grouped, model=model, key=key.derive("values"))
    return SampledEvents(
        rows=_numbered(table, valued, schema, key.derive("order")),
        described={"counts": counts.described(_COUNTED), "rows": model.described()},
    )


def _frequency(environment: Environment, events: Events) -> Frequency:
    """Return the panel's frequency if it has totals of these events, years otherwise."""
    return environment.panel.period.frequency if _has_totals(environment, events) else "year"


def _has_totals(environment: Environment, events: Events) -> bool:
    return any(total.events == events.table for total in environment.panel.totals)


def _with_periods(table: RawTable, events: Events, frame: pl.DataFrame, frequency: Frequency) -> pl.DataFrame:
    """Return the events with their `PERIOD`, 0 where they have no time; those whose time is missing are left out."""
    anchor = events.time or next((column.name for column in table.of_role(Role.TIME, Role.DATE)), "")
    period = period_of(pl.col(anchor), frequency) if anchor else pl.lit(0, pl.Int64)
    return frame.with_columns(period.alias(PERIOD)).drop_nulls(PERIOD)


def _grouped(listed: Listed, entities: pl.DataFrame) -> pl.DataFrame:
    return entities.select(entity=listed.kind.code, industry=listed.kind.industry)


def _common(events: Events, frame: pl.DataFrame, listed: Listed) -> pl.DataFrame:
    """Add `owner` and `industry`, and leave out periods in which too few entities have events."""
    owners = _grouped(listed, listed.originals).sort("entity").with_row_index("owner").cast({"owner": pl.Int64})
    owned = frame.join(owners, left_on=events.entity, right_on="entity", how="left", maintain_order="left")
    return owned.filter(pl.col("owner").n_unique().over(PERIOD) >= FEWEST_OF_POOL)


def _refuse_strange(events: Events, frame: pl.DataFrame, listed: Listed) -> None:
    known = pl.col(events.entity).is_in(listed.originals[listed.kind.code].implode())
    strange = frame.filter(~known.fill_null(value=False)).height
    if strange:
        raise InputError(
            f"{strange:,} rows of the events {events.table!r} have no code in {events.entity!r} that a table lists: the policy "
            f"'guarded' samples the events of listed entities; list them (`Entities.tables`), leave the rows out, or publish "
            "under 'lsd' and read what that is worth"
        )


def _refuse_too_few(events: Events, frame: pl.DataFrame, originals: pl.DataFrame) -> None:
    if originals.is_empty():
        raise InputError(
            f"{frame[events.entity].n_unique()} entities have events in {events.table!r}, and in no period {FEWEST_OF_POOL} or "
            f"more: the policy 'guarded' samples events from statistics of {FEWEST_OF_POOL} entities or more; give more "
            "entities, or publish under 'lsd' and read what that is worth"
        )


def _fitted_counts(environment: Environment, events: Events, originals: pl.DataFrame, listed: Listed) -> Model:
    """Fit how many events an entity has in a period: 0 where there is none, of its years alone where the panel has totals."""
    counted = originals.group_by(entity=events.entity, year=PERIOD).agg(pl.len().cast(pl.Int64).alias(_COUNT))
    places = _places(environment, events, listed, listed.originals, originals[PERIOD].unique())
    figures = places.explode(PERIOD).join(
        counted.rename({"year": PERIOD}), on=["entity", PERIOD], how="left", maintain_order="left"
    )
    return fit_model(
        figures.select("entity", PERIOD, pl.col(_COUNT).fill_null(0)),
        _COUNTED,
        code="entity",
        industry="industry",
        firms=places.select("entity", "industry"),
        attributes=(),
    )


def _drawn_counts(environment: Environment, events: Events, model: Model, listed: Listed, key: Key) -> pl.DataFrame:
    """Draw how many events each entity has in each period: `entity`, `industry`, `PERIOD`, `events`."""
    places = _places(environment, events, listed, listed.drawn, pl.Series(PERIOD, model.years, pl.Int64))
    drawn = sample_figures(
        model.noised(key.derive("noise")),
        places.rename({PERIOD: "years"}),
        _COUNTED,
        code="entity",
        industry="industry",
        key=key.derive("figures"),
    )
    return drawn.figures.join(places.select("entity", "industry"), on="entity", how="left", maintain_order="left")


def _places(
    environment: Environment, events: Events, listed: Listed, entities: pl.DataFrame, periods: pl.Series
) -> pl.DataFrame:
    """Return the periods, as a list, in which each entity may have events; those without any are left out."""
    every = pl.lit(periods.sort().implode())
    own = pl.col(YEARS).list.set_intersection(every).list.sort()
    is_bound = pl.col(REPORTS) & pl.lit(_has_totals(environment, events))
    may = entities.select(
        pl.col(listed.kind.code).alias("entity"),
        pl.col(listed.kind.industry).alias("industry"),
        pl.when(is_bound).then(own).otherwise(every).alias(PERIOD),
    )
    return may.filter(pl.col(PERIOD).list.len() > 0)


def _numbered(table: RawTable, drawn: pl.DataFrame, schema: pl.Schema, key: Key) -> pl.DataFrame:
    """Return the rows in an order drawn by key, numbered anew; of two with one key the first."""
    place = pl.int_range(pl.len()).over("entity", PERIOD)
    ordered = drawn.with_columns(key.mac("entity", PERIOD, place).alias(_ROW)).sort(_ROW)
    numbers = [column.name for column in table.of_role(Role.NUMBER)]
    if set(table.key) <= set(drawn.columns):
        ordered = ordered.unique(table.key, keep="first", maintain_order=True)
    numbered = ordered.with_columns(pl.int_range(1, pl.len() + 1).alias(name) for name in numbers)
    absent = [pl.lit(None).alias(name) for name in schema if name not in numbered.columns]
    return numbered.with_columns(absent).select(schema.names()).cast(schema)
