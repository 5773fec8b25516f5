"""Lineage of columns as Dagster shows it: from which columns of the stage before a table's columns are made.

The web pages draw the lineage of columns only in Dagster's paid edition. So `said` puts it in words beside each column as well.

Belongs here: what follows from the declarations for the stages that treat all environments alike, and how the declared lineage
of renderings is shown. Columns that a stage makes by itself have no origin. Where a declaration names none, none is shown.
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from anonymize.tables import FIGURES, NAMES
from assets.making.keys import Stage, origins, path_of
from assets.making.results import AssetPath, Fact
from pipeline.model import PERIOD, Aggregate, Environment, Origin, PublishedDocument, PublishedTable, Role
from pipeline.noise.ledger import renamed_columns

_KEY = "dagster/column_lineage"

_NAMED = 4
"""Columns of one table that are named in words; more are counted."""

_Metadata = dict[str, Fact]


def of_anonymised(environment: Environment, name: str, frame: pl.DataFrame | None) -> _Metadata:
    """Return the lineage of an anonymised table: its own columns, names by the code, re-derived figures by their inputs."""
    if frame is None:
        return {}
    if name == FIGURES:
        return _metadata(_of_figures(environment))
    if name == NAMES:
        return _metadata(_of_names(environment))
    table = environment.raw_table(name)
    conformed = path_of(environment, Stage.CONFORMED, name)
    named = {
        column.name: [code.name for code in table.of_role(Role.CODE, of=column.of)]
        for column in table.of_role(Role.NAME)
    }
    return _metadata(
        {column: [(conformed, source) for source in (column, *named.get(column, ()))] for column in frame.columns}
    )


def of_aggregate(environment: Environment, aggregate: Aggregate) -> _Metadata:
    """Return the lineage of an aggregate, counts included: groups of firms, and all their figures for each statistic."""
    firms = environment.entities.tables[0]
    groups: dict[str, tuple[Origin, ...]] = {column: ((firms, column),) for column in aggregate.by}
    measured = tuple((FIGURES, measure.name) for measure in environment.panel.measures)
    numbers: dict[str, tuple[Origin, ...]] = dict.fromkeys(("n", "mantissa", "scale"), measured)
    statistics = groups | {PERIOD: ((FIGURES, PERIOD),)} | numbers
    if not aggregate.counts:
        return _of_origins(environment, statistics)
    broken_by = dict.fromkeys(column for breakdown in aggregate.counts for column in breakdown)
    counted = groups | {column: ((firms, column),) for column in broken_by}
    count = tuple(origin for of_column in counted.values() for origin in of_column)
    return _of_origins(environment, statistics | counted | {"count": count})


def of_rendered(environment: Environment, published: PublishedTable | PublishedDocument) -> _Metadata:
    """Return the declared lineage of a published file; nothing if none is declared."""
    table = published.table if isinstance(published, PublishedDocument) else published
    declared = {field.name: field.origins for field in table.fields if field.origins is not None} if table else {}
    return _of_origins(environment, declared) if declared else {}


def of_noisy(environment: Environment, published: PublishedTable, ledger: pl.DataFrame) -> _Metadata:
    """Return the lineage of a table with noise: the columns that live on in it, by the names that they have there."""
    rendered = path_of(environment, Stage.RENDERED, published.name)
    return _metadata({now: [(rendered, column)] for column, now in renamed_columns(published, ledger).items()})


def said(shown: _Metadata, notes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return in words where each column comes from, after the notes that there are on columns."""
    deps = shown[_KEY].value if _KEY in shown else {}
    words = {column: [_in_words(of_column)] for column, of_column in deps.items()}
    known = notes or {}
    return {
        column: "; ".join([*([known[column]] if column in known else []), *words.get(column, [])])
        for column in (*words, *(column for column in known if column not in words))
    }


def _in_words(deps: Sequence[tuple[AssetPath, str]]) -> str:
    columns: dict[str, list[str]] = {}
    for asset, column in deps:
        columns.setdefault("/".join(asset[1:]), []).append(column)
    parts = [
        f"{table}: {', '.join(names) if len(names) <= _NAMED else f'{len(names)} columns'}"
        for table, names in columns.items()
    ]
    return f"from {'; '.join(parts)}" if parts else "made here"


def _of_figures(environment: Environment) -> dict[str, list[tuple[AssetPath, str]]]:
    panel = environment.panel
    inputs = {identity.output: identity.inputs for identity in panel.identities}
    raw, tables = {PERIOD: panel.period.column}, [path_of(environment, Stage.CONFORMED, name) for name in panel.tables]
    columns = (environment.entities.code, PERIOD, *(measure.name for measure in panel.measures))
    return {
        column: [
            (table, raw.get(source, source))
            for source in dict.fromkeys((column, *inputs.get(column, ())))
            for table in tables
        ]
        for column in columns
    }


def _of_names(environment: Environment) -> dict[str, list[tuple[AssetPath, str]]]:
    """Return the lineage of invented names: drawn by the code, in the words of the industry."""
    keys = environment.entities
    tables = [path_of(environment, Stage.CONFORMED, table) for table in keys.tables]
    drawn = [(table, column) for table in tables for column in (keys.code, keys.industry)]
    return {"code": [(table, keys.code) for table in tables]} | dict.fromkeys(("legal", "short", "english"), drawn)


def _of_origins(environment: Environment, columns: Mapping[str, Iterable[Origin]]) -> _Metadata:
    tables = dict.fromkeys(table for of_column in columns.values() for table, _ in of_column)
    paths = {table: path_of(environment, *place) for table, place in origins(environment, tables).items()}
    return _metadata(
        {column: [(paths[table], source) for table, source in of_column] for column, of_column in columns.items()}
    )


def _metadata(columns: Mapping[str, Iterable[tuple[AssetPath, str]]]) -> _Metadata:
    return {_KEY: Fact("lineage", {column: list(dict.fromkeys(of_column)) for column, of_column in columns.items()})}
