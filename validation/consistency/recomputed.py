"""Statistics and counts of groups, computed again from the published entities and figures in a simple way.

Belongs here: a second, independent computation. It shares no arithmetic with `pipeline/derive/`, whose results it checks:
figures are read as decimals from the published text, a total's members are listed, and nothing is rounded. Comparing belongs to
`domains.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

from pipeline.conform.read_back import declared_views, read_entities
from pipeline.derive.figure_rows import figure_rows
from pipeline.model import PERIOD, Aggregate, Environment, Frames, LazyFrames, LongFigures, WideFigures
from pipeline.model.periods import period_number

PLACES = 15
"""Decimals of all numbers here: no published number has more, because a mean has at most so many (`pipeline/derive/`)."""

CELL = ("code", PERIOD, "measure")
"""The columns that identify a figure."""

_LONG = pl.Schema({"code": pl.Categorical(), PERIOD: pl.Int64(), "measure": pl.Categorical(), "value": pl.Int128()})
"""Codes and measures recur in every row, and are found and grouped several times as fast as categories."""


@dataclass(frozen=True, kw_only=True)
class PublishedFirms:
    """What the published tables state of single entities."""

    code: str
    """The column of `entities` that holds codes."""
    entities: pl.DataFrame
    """The published columns of the first entity table."""
    panel: pl.DataFrame
    """Every figure once, from the first table that has it: `CELL` and `value` (Int128 in 10**-`PLACES`, null if it is no
    number)."""
    repeated: Sequence["Repeated"]
    """What each further table repeats."""


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """The figures of a published table that also stand in the first table of figures."""

    table: str
    first: str
    cells: int
    differing: pl.DataFrame
    """`CELL`, the `value`, and that in the first table, `expected`: those that differ."""


def published_firms(
    environment: Environment, published: Frames | LazyFrames, schema: Mapping[str, pl.DataType]
) -> PublishedFirms:
    """Read entities, and figures of the years that aggregates cover, from published text without noise.

    Args:
        published: Published tables by name. Tables of figures may be absent.
        schema: Columns and types of the first entity table as it is conformed.

    Raises:
        InputError: There are no views, or they name something that is not declared.
    """
    views = declared_views(environment)
    years = _years(environment)
    first, panel, repeated = "", _LONG.to_frame(), []
    # One table after the other, and one measure after the other: they have the same figures, millions of them.
    for view in (view for view in views.figures if view.table in published):
        figures = _figures(environment, view, published[view.table].lazy(), years).collect(engine="streaming")
        if not first:
            first, of_first, panel = view.table, figures.height, figures
            continue
        repeated.append(_repeated(view.table, first, figures, panel.head(of_first)))
        panel = pl.concat([panel, *(of.join(known, on=CELL, how="anti") for of, known in _by_measure(figures, panel))])
    entities = read_entities(environment, published[views.entities.table].lazy().collect(), schema)
    return PublishedFirms(code=environment.entities.code, entities=entities, panel=panel, repeated=repeated)


def _repeated(table: str, first: str, figures: pl.DataFrame, of_first: pl.DataFrame) -> Repeated:
    cells, differing = 0, [pl.DataFrame(schema=_LONG).with_columns(expected="value")]
    for of_measure, known in _by_measure(figures, of_first):
        both = of_measure.join(known.rename({"value": "expected"}), on=CELL)
        cells += both.height
        differing.append(both.filter(pl.col("value").ne_missing(pl.col("expected"))))
    return Repeated(table=table, first=first, cells=cells, differing=pl.concat(differing))


def _by_measure(*frames: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, ...]]:
    """Yield the figures of each measure of the first frame, of all frames."""
    for measure in frames[0]["measure"].unique():
        yield tuple(frame.filter(pl.col("measure") == measure) for frame in frames)


def statistics_again(aggregate: Aggregate, firms: PublishedFirms, panel: pl.DataFrame) -> pl.DataFrame:
    """Return the statistics of each group in the declared domain.

    Args:
        aggregate: Groups and measures.
        firms: Whose entities are grouped.
        panel: Their figures.

    Returns:
        Columns `aggregate.by`, `year`, `measure`, `n` and in 10**-`PLACES` `sum`, `max`, `min` and `twice_median` (Int128).
    """
    is_declared = [pl.col(name).is_in([*values, aggregate.total_label]) for name, values in aggregate.domain.items()]
    members = members_of(aggregate, firms.entities).select(pl.col(firms.code).alias("code"), *aggregate.by)
    groups = (
        members.drop_nulls(list(aggregate.by))
        .filter(pl.all_horizontal(pl.lit(value=True), *is_declared))
        .with_columns(pl.col("code", *aggregate.by).cast(pl.Categorical))
    )
    of_years = pl.lit(value=True) if aggregate.years is None else pl.col(PERIOD).is_in(aggregate.years)
    measures = (figures.filter(of_years) for (figures,) in _by_measure(panel))
    return pl.concat(_statistics(aggregate, groups, figures) for figures in chain([panel.clear()], measures))


def _statistics(aggregate: Aggregate, groups: pl.DataFrame, figures: pl.DataFrame) -> pl.DataFrame:
    value = pl.col("value")
    return (
        groups.lazy()
        .join(figures.lazy().drop_nulls("value").sort("value"), on="code", maintain_order="right")
        .group_by([*aggregate.by, PERIOD, "measure"])
        .agg(
            n=pl.len().cast(pl.Int64),
            sum=value.sum(),
            max=value.last(),
            min=value.first(),
            twice_median=value.get((pl.len() - 1) // 2) + value.get(pl.len() // 2),
        )
        .with_columns(pl.col(*aggregate.by, "measure").cast(pl.String))
        .collect()
    )


def counts_again(aggregate: Aggregate, entities: pl.DataFrame, breakdowns: tuple[tuple[str, ...], ...]) -> pl.DataFrame:
    """Return how many entities each group has, by each breakdown: `aggregate.by`, columns of breakdowns, `count`."""
    members = members_of(aggregate, entities).drop_nulls(list(aggregate.by))
    columns = dict.fromkeys(column for breakdown in breakdowns for column in breakdown)
    parts = [
        members.drop_nulls(list(breakdown)).group_by([*aggregate.by, *breakdown]).agg(count=pl.len().cast(pl.Int64))
        for breakdown in breakdowns
    ]
    absent = {column: pl.String() for column in columns}
    schema = pl.Schema({c: members.schema[c] for c in aggregate.by} | absent | {"count": pl.Int64()})
    return pl.concat([schema.to_frame(), *parts], how="diagonal")


def members_of(aggregate: Aggregate, entities: pl.DataFrame) -> pl.DataFrame:
    """Return the entities that count, then again under the total's label those that belong to a total."""
    members = aggregate.members(entities.lazy()).collect()
    if not aggregate.total_over:
        return members
    label = pl.lit(aggregate.total_label).alias(aggregate.total_over)
    return pl.concat([members, members.drop_nulls(aggregate.total_over).with_columns(label)])


def in_places(text: pl.Expr) -> pl.Expr:
    """Return a published number in 10**-`PLACES` (Int128), null where the text is no number."""
    return text.str.to_decimal(scale=PLACES).to_physical()


def _years(environment: Environment) -> list[str] | None:
    """Return the years that some aggregate covers, as text; None for all."""
    years = [aggregate.years for aggregate in environment.aggregates]
    return (
        None
        if None in years
        else sorted({environment.panel.period.name(year) for each in years for year in each or ()})
    )


def _figures(
    environment: Environment, view: LongFigures | WideFigures, published: pl.LazyFrame, years: list[str] | None
) -> pl.LazyFrame:
    of_years = published if years is None else published.filter(pl.col(view.year).is_in(years))
    rows = of_years.with_columns(period_number(pl.col(view.year), environment.panel.period.frequency))
    names = [measure.name for measure in environment.panel.measures]
    if isinstance(view, WideFigures):
        there = published.collect_schema()
        columns = dict(view.columns) or {name: name for name in names if name in there}
        long = figure_rows(rows, list(columns), index={"code": view.code, PERIOD: view.year}).drop_nulls("value")
        return _typed(long, "code", PERIOD, "measure", "value", columns)
    return _typed(
        rows, view.code, view.year, view.measure, view.value, dict(view.labels) or {name: name for name in names}
    )


def _typed(
    rows: pl.LazyFrame, code: str, year: str, measure: str, value: str, labels: Mapping[str, str]
) -> pl.LazyFrame:
    named = pl.col(measure).replace_strict(labels, default=None, return_dtype=pl.String)
    return rows.select(
        pl.col(code).cast(pl.Categorical).alias("code"),
        pl.col(year).cast(pl.Int64).alias(PERIOD),
        named.cast(pl.Categorical).alias("measure"),
        in_places(pl.col(value)).alias("value"),
    ).drop_nulls("measure")
