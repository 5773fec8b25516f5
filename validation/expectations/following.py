"""Facts of a published table: the declared ones, or those that follow from the rest of an environment's declaration."""

from pipeline.model import Column, Environment, PublishedTable
from pipeline.model.claims.facts import ColumnFacts, TableFacts
from pipeline.model.fates import in_a_register


def facts_of(environment: Environment, table: PublishedTable) -> TableFacts:
    """Return facts by column, in the order of the table's columns.

    A column about which nothing is known holds any text, and may be empty.
    """
    known = environment.facts.get(table.name) or _following(environment, table)
    return {column: known.get(column, ColumnFacts(nullable=True)) for column in table.columns}


def _following(environment: Environment, table: PublishedTable) -> dict[str, ColumnFacts]:
    key = {table.row_key: ColumnFacts(unique=True)} if table.row_key else {}
    return key | _of_entities(environment, table) | _of_figures(environment, table)


def _of_entities(environment: Environment, table: PublishedTable) -> dict[str, ColumnFacts]:
    """Return the facts that conforming guarantees for the columns of a table that lists entities."""
    listings = environment.views.listings if environment.views else ()
    view = next((view for view in listings if view.table == table.name), None)
    if view is None:
        return {}
    kind = environment.kind(view.of)
    raw = {column.name: column for column in environment.raw_table(kind.tables[0]).columns}
    drawn = in_a_register(environment, kind)
    return {
        published: _of_raw(raw[name], may_be_blank=name in drawn, is_code=name == kind.code)
        for published, name in view.columns.items()
        if name in raw
    }


def _of_raw(column: Column, *, may_be_blank: bool, is_code: bool) -> ColumnFacts:
    is_number = column.type == "integer"
    return ColumnFacts(
        type="integer" if is_number else "text",
        nullable=column.nullable or may_be_blank,
        allowed=column.allowed,
        minimum=column.minimum if is_number else None,
        maximum=column.maximum if is_number else None,
        unique=is_code,
    )


def _of_figures(environment: Environment, table: PublishedTable) -> dict[str, ColumnFacts]:
    """Return the facts that a view states of a table of figures: owners and years exist, figures are numbers."""
    facts: dict[str, ColumnFacts] = {}
    for view in environment.views.figures if environment.views else ():
        if view.table == table.name:
            facts[view.code] = ColumnFacts()
            is_year = environment.panel.period.frequency == "year"
            facts[view.year] = ColumnFacts(type="integer") if is_year else ColumnFacts()
    return facts
