"""Do mended tables give the clean aggregates? Statistics and counts are derived anew from the mended firms.

What the mended rows of each table say otherwise than the clean ones is found table by table (`rereading.py`),
and put together here: firms that nothing was said about otherwise are the clean ones. A group that unrecoverable noise
touched may differ, and is counted; no other may.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import polars as pl

from pipeline.conform.read_back import read_entities
from pipeline.derive import contributions, counts, derive_aggregate
from pipeline.model import PERIOD, Aggregate, Environment, Frames, Views
from pipeline.noise.steps import Source, blocks_of
from validation.noise.cleaner.rereading import (
    MEASURE,
    VALUE,
    Lost,
    Reread,
    all_needed,
    figures_read,
    listed_columns,
    needed_columns,
    of_codes,
)

Tables = Mapping[str, Source]
"""Tables by name, each whole or as its blocks."""

_NUMBERS = ("n", "mantissa", "scale", "count")
"""Columns of derived tables that do not identify a cell."""


@dataclass(frozen=True, kw_only=True)
class Recomputed:
    """One derived table, from mended firms compared with clean ones."""

    table: str
    cells: int
    touched: int
    """Cells to which a figure or firm touched by unrecoverable noise belongs, or came to belong."""
    differing: int
    """Cells that differ."""
    unexplained: int
    """Cells that differ although unrecoverable noise did not touch them."""


@dataclass(frozen=True)
class Firms:
    """The input of aggregates."""

    entities: pl.DataFrame
    """Columns of the first entity table, its code among them."""
    figures: pl.DataFrame
    """Code, year and measures in quanta."""


def recomputed(
    environment: Environment, read: Mapping[str, Reread], clean: Tables, derived: Frames, truth: Firms
) -> list[Recomputed]:
    """Derive every aggregate from the mended firms, and compare it with that of the clean ones.

    Args:
        environment: Declares aggregates and, in its views, where firms and figures stand; without views nothing is compared.
        read: What each table that noise touched says after mending. The others are unchanged.
        clean: The published tables without noise. Only tables of figures are read, if there are several: where one lost a
            figure, another may have it.
        derived: The tables that the aggregates give for the clean firms.
        truth: The firms of the clean tables (the audit guarantees that reading the tables back gives them).
    """
    views = environment.views
    if views is None:
        return []
    now = _mended_firms(environment, views, read, clean, truth)
    listed = read.get(views.entities.table, Reread())
    figures = [read[view.table] for view in views.figures if view.table in read]
    return [
        one
        for aggregate in environment.aggregates
        for one in _compared(
            environment,
            aggregate,
            {name: derived[name] for name in aggregate.tables()},
            _Side(truth, _places(environment, aggregate, truth, listed.before, [each.before for each in figures])),
            _Side(now, _places(environment, aggregate, truth, listed.after, [each.after for each in figures])),
        )
    ]


# --- the mended firms --------------------------------------------------------------------------------------------------


def _mended_firms(
    environment: Environment, views: Views, read: Mapping[str, Reread], clean: Tables, truth: Firms
) -> Firms:
    """Return the firms of the mended tables; the true ones themselves if they are the same."""
    entities = _mended_entities(environment, read.get(views.entities.table, Reread()), truth)
    figures = _mended_figures(environment, _figures_now(environment, views, read, clean, truth), truth)
    return truth if entities is truth.entities and figures is truth.figures else Firms(entities, figures)


def _mended_entities(environment: Environment, said: Reread, truth: Firms) -> pl.DataFrame:
    """Return the entities; the true ones themselves if nothing on which an aggregate depends differs."""
    views, code = environment.views, environment.entities.code
    if views is None or not said.codes:
        return truth.entities
    schema = truth.entities.schema
    columns = dict.fromkeys(listed_columns(environment, schema), pl.String)
    rows = pl.DataFrame(said.entities, schema=columns, orient="row")
    now = read_entities(environment, rows, schema)
    needed = {code, *all_needed(environment, schema)}
    after = now.select(name for name in now.columns if name in needed)
    is_read = pl.col(code).is_in(said.codes)
    before = truth.entities.select(after.columns)
    if before.filter(is_read).sort(pl.all()).equals(after.sort(pl.all())):
        return truth.entities
    return pl.concat([before.filter(~is_read), after])


def _figures_now(
    environment: Environment, views: Views, read: Mapping[str, Reread], clean: Tables, truth: Firms
) -> pl.DataFrame:
    """Return the figures that any table gives otherwise, as the first table that has them gives them; null if none has."""
    code, schema = environment.entities.code, truth.entities.schema
    cell = [code, PERIOD, MEASURE]
    types = {code: pl.String, PERIOD: pl.Int64, MEASURE: pl.String, VALUE: pl.Int64}
    said = {
        view.table: pl.DataFrame(read.get(view.table, Reread()).figures, schema=types, orient="row")
        for view in views.figures
    }
    figures = pl.concat([pl.DataFrame(schema=types), *said.values()])
    readings = []
    for view in views.figures if figures.height else ():
        if len(views.figures) > 1:
            rows = pl.concat(of_codes(block, view.code, figures[code]) for block in blocks_of(clean[view.table]))
            readings.append(figures_read(environment, view, rows, schema).join(said[view.table], on=cell, how="anti"))
        readings.append(said[view.table].drop_nulls())
    first = pl.concat([pl.DataFrame(schema=types), *readings]).unique(cell, keep="first", maintain_order=True)
    return figures.select(cell).unique().join(first, on=cell, how="left")


def _mended_figures(environment: Environment, now: pl.DataFrame, truth: Firms) -> pl.DataFrame:
    """Return the figures with some replaced; the true ones themselves if none differs."""
    names, index = [measure.name for measure in environment.panel.measures], [environment.entities.code, PERIOD]
    concerned = truth.figures.select(*index, *names).join(now, on=index, how="semi")
    before = concerned.unpivot(names, index=index, variable_name=MEASURE, value_name=VALUE)
    cell = [*index, MEASURE]
    joined = now.join(before, on=cell, how="left", suffix="_before")
    if not joined.filter(pl.col(VALUE).ne_missing(pl.col(f"{VALUE}_before"))).height:
        return truth.figures
    after = pl.concat([before.join(now, on=cell, how="anti"), now])
    wide = after.pivot(MEASURE, on_columns=names, index=index, values=VALUE)
    others = truth.figures.select(*index, *names).join(now, on=index, how="anti")
    return pl.concat([others, wide.select(others.columns)])


# --- comparing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Places:
    """Where figures and firms are that unrecoverable noise touched."""

    figures: pl.DataFrame
    """Code, period (Int64) and measure; a null measure stands for all measures of the firm and period."""
    firms: pl.Series
    """Codes."""


@dataclass(frozen=True)
class _Side:
    """Firms, and which of them unrecoverable noise touched."""

    firms: Firms
    lost: _Places


def _places(
    environment: Environment, aggregate: Aggregate, truth: Firms, listed: Lost, figures: Sequence[Lost]
) -> _Places:
    """Return where unrecoverable noise touched the input of an aggregate."""
    code, views = environment.entities.code, environment.views
    published = {raw: column for column, raw in views.entities.columns.items()} if views else {}
    needed = {"", *(published.get(raw, "") for raw in {code, *needed_columns(aggregate, truth.entities.schema)})}
    types = {code: pl.String, PERIOD: pl.Int64, MEASURE: pl.String}
    return _Places(
        figures=pl.DataFrame(
            [place for lost in figures for place in lost.figures], schema=types, orient="row"
        ).unique(),
        firms=pl.Series(code, [firm for firm, column in listed.firms if column in needed], dtype=pl.String).unique(),
    )


def _compared(
    environment: Environment, aggregate: Aggregate, before: Frames, clean: _Side, mended: _Side
) -> list[Recomputed]:
    after = before
    if mended.firms is not clean.firms:
        after = derive_aggregate(environment, aggregate, mended.firms.entities, mended.firms.figures)
    touched = {aggregate.name: [_touched_statistics(environment, aggregate, side) for side in (clean, mended)]}
    if aggregate.counts:
        touched[aggregate.counts_name] = [_touched_counts(environment, aggregate, side) for side in (clean, mended)]
    return [_difference(name, before[name], after[name], pl.concat(touched[name]).unique()) for name in before]


def _touched_statistics(environment: Environment, aggregate: Aggregate, side: _Side) -> pl.DataFrame:
    """Return the groups, years and measures with a contribution that unrecoverable noise touched."""
    code, lost = environment.entities.code, side.lost
    concerned = pl.concat([lost.figures[code], lost.firms]).unique()
    figures = side.firms.figures.filter(pl.col(code).is_in(concerned.implode()))
    contributed = contributions(
        aggregate, side.firms.entities, figures, measures=environment.panel.measures, code=code
    ).collect()
    is_whole_year = pl.col(MEASURE).is_null()
    parts = [
        contributed.join(lost.figures.filter(~is_whole_year), on=[code, PERIOD, MEASURE], how="semi"),
        contributed.join(lost.figures.filter(is_whole_year), on=[code, PERIOD], how="semi"),
        contributed.filter(pl.col(code).is_in(lost.firms.implode())),
    ]
    return pl.concat(parts).select(*aggregate.by, PERIOD, MEASURE).unique()


def _touched_counts(environment: Environment, aggregate: Aggregate, side: _Side) -> pl.DataFrame:
    is_concerned = pl.col(environment.entities.code).is_in(side.lost.firms.implode())
    return counts(aggregate, side.firms.entities.filter(is_concerned)).drop("count")


def _difference(name: str, before: pl.DataFrame, after: pl.DataFrame, touched: pl.DataFrame) -> Recomputed:
    place = [column for column in before.columns if column not in _NUMBERS]
    sides = [
        here.join(there, on=here.columns, how="anti", nulls_equal=True).select(place)
        for here, there in permutations((before, after))
    ]
    differing, keys = pl.concat(sides).unique(), touched.columns
    return Recomputed(
        table=name,
        cells=before.height,
        touched=before.join(touched, on=keys, how="semi", nulls_equal=True).height,
        differing=differing.height,
        unexplained=differing.join(touched, on=keys, how="anti", nulls_equal=True).height,
    )
