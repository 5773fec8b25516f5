"""Tables published in the shape in which they came: a file for each raw table, and how it is read back.

A declaration that wants other shapes (long figures, joined tables) renders them itself. Which columns are published follows
from their treatments alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from pipeline.model import (
    ALL_IN_ONE,
    PERIOD,
    Column,
    EntityView,
    Environment,
    EventView,
    Field,
    PublishedTable,
    RawTable,
    Role,
    Truth,
    Views,
    WideFigures,
)
from pipeline.model.periods import FREQUENCIES, Period, period_text
from pipeline.model.treatments import Treatment, treatments
from pipeline.numerals import decimal_text


def as_raw(environment: Environment) -> Environment:
    """Return an environment that also publishes each raw table as a file of its own, with views if it has none.

    Rows stand in an order that the key decides, columns as in the raw table, those that `complete` adds last. The panel is
    published under the name of its first table. It leaves out withheld columns, floats, and tables that would have nothing
    but codes or aliases.
    """
    taken = {table.name for table in environment.tables}
    tables = [table for table in _tables(environment) if table.name not in taken]
    published = replace(environment, tables=(*environment.tables, *tables))
    return published if published.views else replace(published, views=_views(published, tables))


def _tables(environment: Environment) -> Iterator[PublishedTable]:
    panel = environment.panel.tables
    for table in environment.raw_tables:
        columns = _published(environment, table)
        if table.name in panel[:1]:
            yield _panel(environment, table, columns)
        elif table.name not in panel and _says_something(environment, table, columns):
            yield _plain(environment, table, columns)


def _published(environment: Environment, table: RawTable) -> tuple[Column, ...]:
    decided = treatments(environment, table)
    return tuple(
        column
        for column in (*table.columns, *table.adds)
        if decided.get(column.name, Treatment.WITHHELD) is not Treatment.WITHHELD
        and column.type != "float"
        and column.name != ALL_IN_ONE
    )


def _says_something(environment: Environment, table: RawTable, columns: Sequence[Column]) -> bool:
    """Say whether a table is more than a list of aliases, or of codes whose other columns are withheld."""
    if any(source.table == table.name for kind in environment.kinds for source in kind.aliases):
        return False
    is_listing = any(table.name in kind.tables for kind in environment.kinds)
    return is_listing or any(column.role is not Role.CODE for column in columns)


def _panel(environment: Environment, table: RawTable, columns: Sequence[Column]) -> PublishedTable:
    number, panel = _number(environment, columns), environment.panel
    names = (number, *(column.name for column in columns))
    render = partial(_render_panel, environment.entities.code, panel.period, columns, number)
    return PublishedTable(
        path=f"{table.name}.csv",
        columns=names,
        fields=(_made(number), Field(panel.period.column, nullable=None, origins=(("figures", PERIOD),))),
        source="figures",
        row_key=number,
        render=render,
        description=table.description,
    )


def _plain(environment: Environment, table: RawTable, columns: Sequence[Column]) -> PublishedTable:
    names = tuple(column.name for column in columns)
    number = "" if len(table.key) == 1 and table.key[0] in names else _number(environment, columns)
    is_sorted = any(events.table == table.name for events in environment.events)
    owner = environment.owner(table.name)
    first = () if owner is None or owner.name not in names else (owner.name,)
    render = partial(_render_plain, table.name, columns, number, None if is_sorted else first)
    return PublishedTable(
        path=f"{table.name}.csv",
        columns=(number, *names) if number else names,
        fields=(_made(number),),
        source=table.name,
        row_key=number or table.key[0],
        render=render,
        description=table.description,
    )


def _made(number: str) -> Field:
    return Field(number, nullable=None, origins=())


def _number(environment: Environment, columns: Sequence[Column]) -> str:
    """Return a name for the column that numbers the rows: one that neither stands there nor has codes in another table."""
    codes = (column for table in environment.raw_tables for column in table.of_role(Role.CODE))
    taken = {column.name for column in (*columns, *codes)}
    return next(name for name in ("id", "row_id", "published_row_id") if name not in taken)


def _render_panel(code: str, period: Period, columns: Sequence[Column], number: str, truth: Truth) -> pl.DataFrame:
    rows = truth.tables["figures"].sort(truth.order.mac(pl.lit("panel"), code), PERIOD)
    periods = Column(name=period.column, type="integer" if period.frequency == "year" else period.frequency)
    texts = [
        _text(PERIOD, periods) if column.name == period.column else _text(column.name, column) for column in columns
    ]
    return _numbered(rows.select(texts), number)


def _render_plain(
    name: str, columns: Sequence[Column], number: str, first: Sequence[str] | None, truth: Truth
) -> pl.DataFrame:
    """Render a table; `first` are the columns whose rows stay together, None if its rows are in a keyed order already."""
    rows = truth.tables[name].select(_text(column.name, column) for column in columns)
    if first is not None:
        label = [pl.col(each).fill_null("") for each in first or rows.columns]
        rows = rows.sort(truth.order.mac(pl.lit(name), *label), *rows.columns)
    return _numbered(rows, number) if number else rows


def _numbered(rows: pl.DataFrame, number: str) -> pl.DataFrame:
    return rows.select(pl.int_range(1, pl.len() + 1).cast(pl.String).alias(number), pl.all())


def _text(name: str, column: Column) -> pl.Expr:
    """Return the cells of an anonymised column as its raw table writes them, null for an empty one."""
    value = pl.col(name)
    if column.type in ("decimal", "integer"):
        text = decimal_text(value, column.decimals, least=column.numerals.least_decimals)
    elif column.type in ("date", "timestamp"):
        text = value.dt.to_string(column.date_format)
    elif column.type in FREQUENCIES:
        text = period_text(value, column.type)
    else:
        text = value.cast(pl.String).replace("", None)
    return text.alias(column.name)


def _views(environment: Environment, tables: Sequence[PublishedTable]) -> Views | None:
    published = {table.name: table for table in tables}
    listings = [
        EntityView(table=name, of=kind.kind) for kind in environment.kinds for name in kind.tables if name in published
    ]
    if not listings or listings[0].of:
        return None
    panel = [name for name in environment.panel.tables[:1] if name in published]
    return Views(
        entities=listings[0],
        further=tuple(listings[1:]),
        figures=tuple(
            WideFigures(table=name, code=environment.entities.code, year=environment.panel.period.column)
            for name in panel
        ),
        events=tuple(
            EventView(table=events.table, events=events.table)
            for events in environment.events
            if events.table in published
        ),
    )
