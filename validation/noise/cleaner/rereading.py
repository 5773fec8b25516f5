"""What do the mended rows of one table say of firms and figures, where they say it otherwise than the clean ones?

A table must be whole for this: the first row that can be read gives a figure, and rows may have been added, dropped or moved.
Aggregates of what all tables say together belong to `aggregates.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import polars as pl

from pipeline.conform.read_back import column_of, declared_views, read_back
from pipeline.model import PERIOD, Aggregate, Environment, LongFigures, Views, WideFigures
from pipeline.model.periods import period_number

MEASURE, VALUE = "measure", "value"

_SIDES = "<", ">"
"""Signs of clean and mended rows."""

Schema = Mapping[str, pl.DataType]
"""Columns and types of the first entity table."""


@dataclass(frozen=True, kw_only=True)
class Lost:
    """Where, in a clean or mended table, figures and firms are that unrecoverable noise touched."""

    figures: tuple[tuple[str, int, str | None], ...] = ()
    """Code, period and measure; no measure stands for all measures of the firm and period."""
    firms: tuple[tuple[str, str], ...] = ()
    """Codes, each with the column of the table that is lost, empty for the whole row."""


@dataclass(frozen=True, kw_only=True)
class Reread:
    """What the mended rows of one table say of firms and figures, where they say it otherwise than the clean ones."""

    codes: tuple[str, ...] = ()
    """The firms in whose rows of a table of entities something differs on which an aggregate depends."""
    entities: tuple[tuple[str | None, ...], ...] = ()
    """Their mended rows, as text: the columns that `listed_columns` names."""
    figures: tuple[tuple[str, int, str, int | None], ...] = ()
    """Code, period, measure and value in quanta of the cells that a table of figures now gives otherwise; None for none."""
    before: Lost = Lost()
    after: Lost = Lost()


def reread(
    environment: Environment, name: str, clean: pl.DataFrame, mended: pl.DataFrame, lost: pl.DataFrame, schema: Schema
) -> Reread:
    """Read a mended table back, and return what it says otherwise than the clean one.

    Args:
        environment: Declares, in its views, what the table holds; nothing is read without views, or of other tables.
        clean: All its rows without noise.
        mended: All its rows after mending.
        lost: `table, row_key, column` of what cannot be recovered (`scoring.lost_cells`).
        schema: Columns and types of the first entity table as it is conformed.
    """
    views = environment.views
    if views is None or name not in {views.entities.table, *(view.table for view in views.figures)}:
        return Reread()
    row_key = environment.table(name).row_key
    columns = listed_columns(environment, schema) if name == views.entities.table else []
    codes = _differing_codes(clean, mended, columns, row_key).unique().sort() if columns else pl.Series(dtype=pl.String)
    rows = pl.DataFrame({column: column_of(mended, column) for column in columns})
    figures = [
        cell
        for view in views.figures
        if view.table == name
        for cell in _figures_otherwise(environment, view, clean, mended, row_key, schema)
    ]
    before, after = (_lost(environment, name, rows, lost, columns) for rows in (clean, mended))
    return Reread(
        codes=tuple(codes),
        entities=tuple(rows.filter(pl.col(columns[0]).is_in(codes.implode())).iter_rows()) if columns else (),
        figures=tuple(figures),
        before=before,
        after=after,
    )


def all_of(parts: Sequence[Reread]) -> Reread:
    """Return what a table says, given what its shares say; one alone is the table."""
    if len(parts) == 1:
        return parts[0]
    return Reread(
        codes=tuple(sorted(code for part in parts for code in part.codes)),
        entities=tuple(row for part in parts for row in part.entities),
        figures=tuple(sorted((cell for part in parts for cell in part.figures), key=lambda cell: cell[:3])),
        before=_together([part.before for part in parts]),
        after=_together([part.after for part in parts]),
    )


def _together(parts: Sequence[Lost]) -> Lost:
    figures = dict.fromkeys(place for part in parts for place in part.figures)
    return Lost(figures=tuple(figures), firms=tuple(firm for part in parts for firm in part.firms))


def listed_columns(environment: Environment, schema: Schema) -> list[str]:
    """Return the published columns of entities on which an aggregate depends, the code first."""
    published = {raw: column for column, raw in environment.views.entities.columns.items()} if environment.views else {}
    code = environment.entities.code
    needed = all_needed(environment, schema)
    return [published[code], *(column for raw, column in published.items() if raw in needed - {code})]


def _figures_otherwise(
    environment: Environment,
    view: LongFigures | WideFigures,
    clean: pl.DataFrame,
    mended: pl.DataFrame,
    row_key: str,
    schema: Schema,
) -> list[tuple[str, int, str, int | None]]:
    codes = _differing_codes(clean, mended, [view.code, *_columns_of(environment, view)], row_key)
    if codes.is_empty():
        return []
    # Reading is dear for each measure, however few the rows: both sides are read at once, a sign before the code says which.
    rows = pl.concat(
        [
            of_codes(side, view.code, codes).with_columns(pl.col(view.code).str.strip_chars().str.replace("^", sign))
            for sign, side in zip(_SIDES, (clean, mended), strict=True)
            if view.code in side.columns
        ],
        how="diagonal",
    )
    code = pl.col(environment.entities.code)
    read = figures_read(environment, view, rows, schema)
    before, after = (read.filter(code.str.starts_with(sign)).with_columns(code.str.slice(1)) for sign in _SIDES)
    cell = [environment.entities.code, PERIOD, MEASURE]
    sides = before.join(after, on=cell, how="full", coalesce=True, suffix="_after")
    now = pl.col(f"{VALUE}_after")
    return sides.filter(pl.col(VALUE).ne_missing(now)).select(*cell, now).sort(cell).rows()


def figures_read(
    environment: Environment, view: LongFigures | WideFigures, rows: pl.DataFrame, schema: Schema
) -> pl.DataFrame:
    """Return code, period, measure and value of the figures in rows of one table."""
    listed = declared_views(environment).entities
    alone = replace(environment, views=Views(entities=listed, figures=(view,)))
    read = read_back(alone, {listed.table: pl.DataFrame(), view.table: rows}, {}, schema).figures
    measures = [measure.name for measure in environment.panel.measures]
    index = [environment.entities.code, PERIOD]
    return read.unpivot(measures, index=index, variable_name=MEASURE, value_name=VALUE).drop_nulls(VALUE)


def _lost(environment: Environment, name: str, rows: pl.DataFrame, lost: pl.DataFrame, listed: Sequence[str]) -> Lost:
    """Return the figures and firms in rows of a table that are lost."""
    views, row_key = environment.views, environment.table(name).row_key
    figures = [
        place
        for view in (views.figures if views else ())
        if view.table == name
        for place in _lost_figures(environment, view, rows, lost).rows()
    ]
    return Lost(figures=tuple(figures), firms=tuple(_lost_firms(rows, row_key, lost, listed).rows()) if listed else ())


def _lost_firms(rows: pl.DataFrame, row_key: str, lost: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the codes of firms (in the first of the columns), each with what is lost of it."""
    own = lost.filter(pl.col("column").is_in(["", *columns])).select("row_key", "column")
    firms = pl.DataFrame({"row_key": column_of(rows, row_key), "code": column_of(rows, columns[0])}).drop_nulls("code")
    is_everywhere = pl.col("row_key") == "" if row_key in rows.columns else pl.lit(value=True)
    everywhere = own.filter(is_everywhere).select("column").join(firms, how="cross")
    return (
        pl.concat([own.join(firms, on="row_key").select("code", "column"), everywhere.select("code", "column")])
        .unique()
        .sort(pl.all())
    )


def _lost_figures(
    environment: Environment, view: LongFigures | WideFigures, rows: pl.DataFrame, lost: pl.DataFrame
) -> pl.DataFrame:
    """Return code, period and measure of the figures whose cells are lost."""
    columns = [view.code, *_columns_of(environment, view)]
    rows = _lost_rows(rows, environment.table(view.table).row_key, lost, columns)
    measure = pl.Series([None] * rows.height, dtype=pl.String)
    if isinstance(view, LongFigures):
        labels = view.labels or {each.name: each.name for each in environment.panel.measures}
        measure = column_of(rows, view.measure).replace_strict(labels, default=None, return_dtype=pl.String)
    code, frequency = environment.entities.code, environment.panel.period.frequency
    lost_cells = pl.DataFrame({code: column_of(rows, view.code), PERIOD: column_of(rows, view.year), MEASURE: measure})
    numbered = lost_cells.with_columns(period_number(pl.col(PERIOD), frequency)).drop_nulls([code, PERIOD])
    return numbered.unique().sort(pl.all())


def _lost_rows(rows: pl.DataFrame, row_key: str, lost: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the rows of a table that are lost, or lose one of these cells or columns."""
    own = lost.filter(pl.col("column").is_in(["", *columns]))
    if own.is_empty():
        return rows.clear()
    if "" in own["row_key"] or row_key not in rows.columns:
        return rows
    return rows.filter(pl.col(row_key).is_in(own["row_key"].implode()))


def _columns_of(environment: Environment, view: LongFigures | WideFigures) -> list[str]:
    """Return the columns of a table of figures beside the code."""
    if isinstance(view, LongFigures):
        return [view.year, view.measure, view.value, *([view.unit] if view.unit else [])]
    return [view.year, *(view.columns or [each.name for each in environment.panel.measures])]


def _differing_codes(clean: pl.DataFrame, mended: pl.DataFrame, columns: Sequence[str], row_key: str) -> pl.Series:
    """Return the codes (in the first of some columns) of rows that are not the same in both tables, on either side."""
    code = columns[0]
    if clean.columns == mended.columns and clean[row_key].equals(mended[row_key]):
        is_other = pl.any_horizontal(clean[column].ne_missing(mended[column]) for column in columns)
        return pl.concat([frame.filter(is_other)[code] for frame in (clean, mended)]).drop_nulls()
    shared = [column for column in columns if column in mended.columns]
    if code not in shared:
        return clean[code].drop_nulls()
    before, after = clean.select(shared), mended.select(shared)
    sides = [here.join(there, on=shared, how="anti", nulls_equal=True) for here, there in permutations((before, after))]
    return pl.concat([rows[code] for rows in sides]).drop_nulls()


def of_codes(rows: pl.DataFrame, column: str, codes: pl.Series) -> pl.DataFrame:
    """Return the rows of some firms; none if the column of codes is gone."""
    return rows.filter(pl.col(column).is_in(codes.implode())) if column in rows.columns else rows.clear()


def all_needed(environment: Environment, schema: Schema) -> set[str]:
    """Return the columns of the entity table on which any aggregate depends."""
    return {name for each in environment.aggregates for name in needed_columns(each, schema)}


def needed_columns(aggregate: Aggregate, schema: Schema) -> set[str]:
    """Return the columns of the entity table, beside the code, on which an aggregate depends."""
    grouping = {*aggregate.by, *(column for breakdown in aggregate.counts for column in breakdown)}
    entities = pl.DataFrame(schema=schema)
    return grouping | {column for column in schema if not _selects_without(aggregate, entities, column)}


def _selects_without(aggregate: Aggregate, entities: pl.DataFrame, column: str) -> bool:
    try:
        aggregate.members(entities.drop(column).lazy()).collect()
    except pl.exceptions.ColumnNotFoundError:
        return False
    return True
