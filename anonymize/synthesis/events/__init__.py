"""Events that are sampled: which entity has how many, when, and what stands in each. No row is one of the originals.

The originals enter as noised statistics alone, through the account: how many events an entity has in a period (a panel of its
own, `counts.py`), figures and times and their correlations (`rows.py`), and shares of categories (`values.py`). An entity
contributes to each one bounded vector, whatever the number of its rows. Rows are numbered anew and stand in an order drawn by
key. Totals of a panel (`Total`) are computed from the sampled events.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from anonymize.policy import UNDER_LSD
from anonymize.synthesis.account import BudgetAccount, shared_out
from anonymize.synthesis.entities.firms import REPORTS, YEARS
from anonymize.synthesis.events.columns import NUMBER, PLACE, WEEKDAY, EventColumns, event_columns
from anonymize.synthesis.events.counts import ListedEntities, drawn_rows, fitted_counts, years_with_events
from anonymize.synthesis.events.rows import draw_events, fitted_rows
from anonymize.synthesis.events.values import Values, draw_values, draw_weekdays, own_name, valued
from pipeline.errors import InputError
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import PERIOD, Environment, Events, Frames, RawTable, Role
from pipeline.model.periods import Frequency, period_of

__all__ = ["ListedEntities", "SampledEvents", "referring", "sample_events"]

FEWEST_ENTITIES = 20
"""Entities with events that statistics are taken of at least (our choice)."""

MOST_ROWS = 100
"""Rows of an entity that are looked at: as many, drawn by key, say of it what all of them do, and memory is bounded."""

PERIODS, COUNTS, ROWS, VALUES = "periods", "counts", "rows", "values"
"""What is known of a table: the years with events, their numbers, figures and times, and all that is no number."""

_SHARES: Mapping[str, float] = {PERIODS: 0.05, COUNTS: 0.2, ROWS: 0.55, VALUES: 0.2}
"""Part -> its share of what a table may spend; what is not there leaves it to the others."""

_ORDER = f"{SEPARATOR}order"


@dataclass(frozen=True, kw_only=True)
class SampledEvents:
    """One table of events."""

    rows: pl.DataFrame
    """Columns and types of the conformed table, under the codes of the originals, to which rows have no other relation. Columns
    that are not published are null."""
    holding: tuple[str, ...]
    """Outputs of the identities that hold in every sampled event."""
    described: Mapping[str, Any]
    """All that the release knows of the originals' events."""


def referring(environment: Environment) -> Iterator[str]:
    """Yield which tables refer to rows of events, of which none is published, and what can be done."""
    sampled = {events.table for events in environment.events}
    for table in environment.raw_tables:
        for reference in table.references:
            if reference.to_table in sampled:
                named = ", ".join(map(repr, reference.columns))
                yield (
                    f"{table.name!r} refers by {named} to rows of the events {reference.to_table!r}: the policy "
                    "'guarded' publishes none of them, but sampled ones; `silt init --policy guarded` writes a declaration "
                    "without such columns, references and sums, which loses which rows belong together; leave "
                    f"{table.name!r} out; or {UNDER_LSD}"
                )


def sample_events(
    environment: Environment,
    events: Events,
    conformed: Frames,
    listed: ListedEntities,
    key: Key,
    *,
    account: BudgetAccount,
    rho: float,
) -> SampledEvents:
    """Sample one table of events.

    Args:
        listed: The entities that may have events.
        key: Key of this purpose.
        rho: What may be spent.

    Raises:
        InputError: There are too few entities with events, events of nobody or of somebody whom no table lists, or a category
            of which no value can be published.
    """
    table, about = environment.raw_table(events.table), f"{events.table}: "
    _refuse_strange(events, conformed[events.table], listed)
    layout = event_columns(events, table, _frequency(environment, events))
    budget, of_panel = _parts(environment, events, rho), _has_totals(environment, events)
    dated = _with_periods(conformed[events.table], events, layout)
    if PERIODS in budget:
        periods = years_with_events(dated, account, rho=budget[PERIODS], about=about)
    else:
        periods = _reported(listed.drawn) if of_panel else pl.Series(PERIOD, [0], pl.Int64)
    kept = dated.filter(pl.col(PERIOD).is_in(periods.implode()))
    places, drawn = listed.periods(periods, of_panel=of_panel)
    counts = fitted_counts(kept, places, account, rho=budget[COUNTS], about=about)
    looked = _looked_at(kept, layout.anchor, key.derive("looked at"))
    statistics = fitted_rows(layout, looked, listed.entities(), account, rho=budget[ROWS], about=about)
    values = Values(
        table=table,
        originals=looked.join(listed.entities(), on="entity", how="left", maintain_order="left"),
        account=account,
        rho=spent_on_a_value(environment, events, rho),
        cells=MOST_ROWS * listed.originals.height,
        about=about,
    )
    rows = drawn_rows(counts, drawn, key.derive("counts"))
    weekdays, of_days = draw_weekdays(values, rows, key.derive("weekdays")) if layout.anchor else (None, [])
    figures = draw_events(layout, statistics, rows, weekdays, key.derive("rows"))
    order = key.derive("order").mac("entity", PERIOD, PLACE).alias(_ORDER)
    filled, of_values = draw_values(
        environment, events, conformed, values, rows.with_columns(order), key.derive("values")
    )
    filled = pl.concat([filled, figures], how="horizontal")
    return SampledEvents(
        rows=_numbered(table, filled, conformed[events.table].schema),
        holding=statistics.holding,
        described={
            PERIODS: periods.to_list(),
            COUNTS: counts.described(),
            ROWS: statistics.described(),
            VALUES: [*of_days, *of_values],
        },
    )


def _frequency(environment: Environment, events: Events) -> Frequency:
    """Return the panel's frequency if it has totals of these events, years otherwise."""
    return environment.panel.period.frequency if _has_totals(environment, events) else "year"


def _has_totals(environment: Environment, events: Events) -> bool:
    return any(total.events == events.table for total in environment.panel.totals)


def _with_periods(frame: pl.DataFrame, events: Events, layout: EventColumns) -> pl.DataFrame:
    """Return the events with `entity` and `PERIOD`, 0 where events have no time; those whose time is missing are left out."""
    period = period_of(pl.col(layout.anchor), layout.frequency) if layout.anchor else pl.lit(0, pl.Int64)
    named = {name: own_name(name) for name in frame.columns if name != own_name(name)}
    owners = frame.select(pl.col(events.entity).alias("entity"), period.alias(PERIOD))
    return pl.concat([frame.rename(named), owners], how="horizontal").drop_nulls(PERIOD)


def _reported(drawn: pl.DataFrame) -> pl.Series:
    """Return the periods that drawn entities report."""
    reported = drawn.filter(pl.col(REPORTS))[YEARS].explode()
    return reported.drop_nulls().unique().sort().alias(PERIOD)


def _looked_at(frame: pl.DataFrame, anchor: str, key: Key) -> pl.DataFrame:
    """Return of each entity `MOST_ROWS` rows, drawn by what stands in them, with `PLACE`, `NUMBER` and `WEEKDAY`."""
    texts = [pl.col(name).cast(pl.String).fill_null("") for name in frame.columns]
    content = pl.concat_str(texts, separator=SEPARATOR)
    placed = frame.with_columns(
        (key.mac(content).rank("ordinal").over("entity") - 1).cast(pl.Int64).alias(PLACE),
        pl.len().over("entity").cast(pl.Int64).alias(NUMBER),
    )
    weekday = (pl.col(anchor).dt.weekday().cast(pl.Int64) - 1 if anchor else pl.lit(None, pl.Int64)).alias(WEEKDAY)
    return placed.filter(pl.col(PLACE) < MOST_ROWS).with_columns(weekday).sort("entity", PLACE)


def spent_on_a_value(environment: Environment, events: Events, rho: float) -> float:
    """Return what one column of values may spend of what a table of events may."""
    return _parts(environment, events, rho).get(VALUES, 0.0) / max(_values(environment, events), 1)


def _values(environment: Environment, events: Events) -> int:
    """Return how many columns of values there are, weekdays among them."""
    table = environment.raw_table(events.table)
    return len(valued(environment, table, events)) + bool(_anchor(environment, events))


def _anchor(environment: Environment, events: Events) -> str:
    layout = event_columns(events, environment.raw_table(events.table), _frequency(environment, events))
    return layout.anchor or ""


def _parts(environment: Environment, events: Events, rho: float) -> dict[str, float]:
    """Return what each part of a table of events may spend: those that are there."""
    has_periods = bool(_anchor(environment, events)) and not _has_totals(environment, events)
    is_there = {PERIODS: has_periods, COUNTS: True, ROWS: True, VALUES: _values(environment, events) > 0}
    return dict(shared_out(rho, [(part, share) for part, share in _SHARES.items() if is_there[part]]))


def _refuse_strange(events: Events, frame: pl.DataFrame, listed: ListedEntities) -> None:
    known = pl.col(events.entity).is_in(listed.originals[listed.kind.code].implode())
    strange = frame.filter(~known.fill_null(value=False)).height
    if strange:
        raise InputError(
            f"{strange:,} rows of the events {events.table!r} have no code in {events.entity!r} that a table lists: the policy "
            f"'guarded' samples the events of listed entities; list them (`Entities.tables`), leave the rows out, or "
            f"{UNDER_LSD}"
        )


def _numbered(table: RawTable, drawn: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Return the rows in the order of `_ORDER`, numbered anew; of two with one key the first."""
    ordered = drawn.sort(_ORDER)
    numbers = [column.name for column in table.of_role(Role.NUMBER)]
    if set(table.key) <= set(drawn.columns):
        ordered = ordered.unique(table.key, keep="first", maintain_order=True)
    numbered = ordered.with_columns(pl.int_range(1, pl.len() + 1).alias(name) for name in numbers)
    absent = [pl.lit(None).alias(name) for name in schema if name not in numbered.columns]
    return numbered.with_columns(absent).select(schema.names()).cast(schema)
