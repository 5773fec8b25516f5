"""What sampling needs of the originals at a budget, known before anything is drawn: what is missing, what is lost, what helps.

Belongs here: counting entities beside what noise asks for. What the statistics are and spend belongs to their modules.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import polars as pl

from anonymize.policy import UNDER_LSD
from anonymize.synthesis.entities.categories import OVER_EVERYBODY, SENSITIVITY, threshold
from anonymize.synthesis.entities.firms import firms_enough, too_few
from anonymize.synthesis.events import FEWEST_ENTITIES, MOST_ROWS, referring, spent_on_a_value
from anonymize.synthesis.events.values import codes_listed, valued
from anonymize.synthesis.spending import spending, spent_on_an_attribute
from pipeline.errors import InputError
from pipeline.model import Column, Environment, Events, Frames
from pipeline.wording import counted, percent

FEWEST_FIRMS = 20
"""Firms with figures, in all and in a year, that statistics are taken of at least (our choice)."""

_DOUBLED, _SHOWN, _ENOUGH, _MARGIN = (2, 4, 8, 16, 32, 64, 128), 3, 0.5, 4.0
"""Budgets that are tried, by the given one; columns that are offered; the share of a column below which it is thin; and
standard deviations of noise by which a count never gains."""


def refuse_unmet(environment: Environment, conformed: Frames, originals: pl.DataFrame, *, budget: float) -> None:
    """Refuse what the policy cannot sample, all of it at once.

    Raises:
        InputError: There are too few entities with figures or events, or a category of which no value can be published.
    """
    if missing := list(unmet(environment, conformed, originals, budget=budget)):
        raise InputError("\n".join(missing))


def unmet(environment: Environment, conformed: Frames, originals: pl.DataFrame, *, budget: float) -> Iterator[str]:
    """Yield what is missing, each with what can be done and what that loses.

    Args:
        originals: The panel.
        budget: What all statistics may spend together (rho).
    """
    yield from referring(environment)
    firms = originals[environment.entities.code].n_unique() if environment.panel else FEWEST_FIRMS
    if firms < FEWEST_FIRMS:
        measures = [measure.name for measure in environment.panel.measures]
        figures = sum(originals[name].count() for name in measures)
        missing = too_few(*_counted_with(environment, conformed, originals, budget))
        yield (
            f"{missing}. Only {firms} report figures. Give more firms; leave the panel out, which loses "
            f"{counted(len(measures), 'measure')} of {counted(figures, 'figure')}; or {UNDER_LSD}"
        )
    for events in environment.events:
        if events.table in conformed:
            yield from _of_events(environment, conformed, events, budget)


def enough_firms(environment: Environment, conformed: Frames, originals: pl.DataFrame, *, budget: float) -> int:
    """Return about how many firms are enough: as many as the refusal of too few says."""
    return firms_enough(*_counted_with(environment, conformed, originals, budget))


def thin(environment: Environment, conformed: Frames, *, budget: float, offers_budgets: bool = True) -> Iterator[str]:
    """Yield which categories of events come out mostly blank at a budget, and what would keep more of them.

    Args:
        offers_budgets: Whether another budget is among that.
    """
    for events in environment.events:
        for column in _categories(environment, conformed, events):
            counts = _counts(conformed[events.table], events.entity, column.name)
            kept = _passing(environment, conformed, events, counts, budget)
            share = float(kept["count"].sum()) / max(float(counts["count"].sum()), 1.0)
            if share < _ENOUGH and (column.nullable or len(kept)):
                other = _other_budget(environment, conformed, events, counts, budget) if offers_budgets else ""
                yield (
                    f"under 'guarded', {len(kept)} of {len(counts):,} values of {column.name!r} in {events.table!r} have "
                    f"enough entities to be published; {percent(1 - share)} of its cells are drawn blank or as other values; "
                    f"declare what everybody knows (`allowed`), make it coarser, or leave out other columns{other}"
                )


# ----------------------------------------------------------------------------------------------------------------------


def _counted_with(
    environment: Environment, conformed: Frames, originals: pl.DataFrame, budget: float
) -> tuple[float, int]:
    """Return what counts of firms may spend, and how many years a firm reports at most."""
    years = originals.group_by(environment.entities.code).len()["len"]
    return spent_on_an_attribute(environment, conformed, budget), max(years, default=1)


def _of_events(environment: Environment, conformed: Frames, events: Events, budget: float) -> Iterator[str]:
    frame = conformed[events.table]
    count = frame[events.entity].n_unique()
    if count < FEWEST_ENTITIES:
        others = _other_owners(environment, frame, events)
        yield (
            f"only {count} entities have events in {events.table!r}: the policy 'guarded' needs {FEWEST_ENTITIES} or more, "
            f"whatever the budget; give more entities{others}; leave the table out, which loses "
            f"{counted(frame.height, 'row')} of {counted(len(events.measures), 'measure')}; or {UNDER_LSD}"
        )
        return
    for column in _categories(environment, conformed, events):
        counts = _counts(frame, events.entity, column.name)
        if not column.nullable and _passing(environment, conformed, events, counts, budget, margin=_MARGIN).is_empty():
            other = _other_budget(environment, conformed, events, counts, budget)
            yield (
                f"column {column.name!r} of the events {events.table!r} may not be empty, and none of its values has enough "
                f"entities to be published, at a budget of {budget:g}; declare its values (`allowed`), give it the role NUMBER "
                f"if it numbers rows, IGNORED if it can be left out, make its categories coarser{other}, or {UNDER_LSD}"
            )


def _other_owners(environment: Environment, frame: pl.DataFrame, events: Events) -> str:
    """Return which columns have enough values to be what the events are about."""
    texts = [column.name for column in environment.raw_table(events.table).columns if column.type == "text"]
    counts = {name: frame[name].n_unique() for name in texts if name in frame.columns and name != events.entity}
    fitting = {name: count for name, count in counts.items() if FEWEST_ENTITIES <= count <= frame.height / 2}
    if not fitting:
        return ""
    named = ", ".join(f"{name!r} ({count:,} values)" for name, count in list(fitting.items())[:_SHOWN])
    return f"; let the events be about another column ({named}), which loses what belongs to each {events.entity!r}"


def _categories(environment: Environment, conformed: Frames, events: Events) -> Sequence[Column]:
    """Return the columns of which values pass by their noised count alone."""
    if events.table not in conformed:
        return ()
    columns = valued(environment, environment.raw_table(events.table), events)
    texts = [column for column in columns if column.allowed is None and column.type == "text"]
    return [column for column in texts if codes_listed(environment, column, conformed) is None]


def _counts(frame: pl.DataFrame, entity: str, column: str) -> pl.DataFrame:
    """Return for each value of how many entities it is, where an entity with several counts in parts: `count`."""
    rows = frame.drop_nulls([entity, column]).with_columns(count=1 / pl.len().over(entity))
    return rows.group_by(column).agg(pl.col("count").sum()).sort("count", descending=True)


def _passing(
    environment: Environment,
    conformed: Frames,
    events: Events,
    counts: pl.DataFrame,
    budget: float,
    *,
    margin: float = 0.0,
) -> pl.DataFrame:
    """Return the values whose count exceeds what noise asks for, with so many standard deviations of noise in its favour."""
    rho = spending(environment, conformed, budget)["events"]
    sigma = SENSITIVITY / sqrt(2 * OVER_EVERYBODY * spent_on_a_value(environment, events, rho))
    entities = conformed[events.table][events.entity].n_unique()
    return counts.filter(pl.col("count") > threshold(sigma, MOST_ROWS * entities) - margin * sigma)


def _other_budget(
    environment: Environment, conformed: Frames, events: Events, counts: pl.DataFrame, budget: float
) -> str:
    """Return the smallest budget, of those that are tried, at which more values pass, and how many."""
    now = len(_passing(environment, conformed, events, counts, budget))
    for times in _DOUBLED:
        then = len(_passing(environment, conformed, events, counts, times * budget))
        if then > now:
            spent = times * budget
            return (
                f", or spend a budget of {spent:g}, which keeps {counted(then, 'value')} and tells so much more of each "
                "entity"
            )
    return ""
