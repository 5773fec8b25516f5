"""Reads published cells, which are text, as the types that the declaration gives their columns, where all cells allow it."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from pipeline.model import Column, Environment, LongFigures, PublishedTable, WideFigures
from pipeline.model.types import NAMES, PUBLISHED
from pipeline.publish.formats import WrittenAs
from validation.expectations.following import facts_of


def typed(environment: Environment, table: PublishedTable, text: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of a published table as their types; one with a cell that cannot be read so stays text."""
    return WrittenAs(types=types_of(environment, table)).typed(text)


def types_of(environment: Environment, table: PublishedTable) -> dict[str, Column]:
    """Return how the columns of a table are read that are no text, by their published names."""
    facts = {name: Column(name=name, type=fact.type) for name, fact in facts_of(environment, table).items()}
    declared = {name: fact for name, fact in facts.items() if fact.type != "text"} | dict(_viewed(environment, table))
    return {
        name: replace(column, type=NAMES[PUBLISHED[column.type]].read_as, null_tokens=())
        for name, column in declared.items()
        if column.type in PUBLISHED
    }


def _viewed(environment: Environment, table: PublishedTable) -> Iterator[tuple[str, Column]]:
    """Yield published columns that views name, as columns of the type that they have in the raw tables."""
    views = environment.views
    if views is None:
        return
    raw = [(view.columns, environment.kind(view.of).tables[0]) for view in views.listings if view.table == table.name]
    raw += [(view.columns, view.events) for view in views.events if view.table == table.name]
    for columns, name in raw:
        known = {column.name: column for column in environment.raw_table(name).columns}
        yield from ((shown, known[of]) for shown, of in columns.items() if of in known)
    for view in views.figures:
        if view.table == table.name:
            yield view.year, Column(name=view.year, type=environment.panel.period.type)
            yield from ((name, Column(name=name, type="decimal")) for name in _of_figures(environment, view))


def _of_figures(environment: Environment, view: LongFigures | WideFigures) -> list[str]:
    if isinstance(view, LongFigures):
        return [view.value]
    return [*view.columns] or [measure.name for measure in environment.panel.measures]
