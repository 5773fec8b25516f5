"""Reads published tables back: text -> typed entities, the panel in quanta, names, events, as the environment's views declare.

Reverses only what the text itself states: a stated unit, an alias with a single meaning, blanks around a code. Unreadable cells
are skipped and counted, so that noise never stops an audit; text without noise gives exactly what was rendered. Reading files
belongs to the caller. Nothing here knows which original a published code stands for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from pipeline.conform.cells import ISO, understand
from pipeline.derive.figure_rows import figure_rows
from pipeline.errors import InputError
from pipeline.keyed import SEPARATOR
from pipeline.model import (
    ALL_IN_ONE,
    PERIOD,
    Column,
    Entities,
    EntityView,
    Environment,
    EventView,
    Frames,
    LongFigures,
    Measure,
    NameList,
    Role,
    Views,
    Vocabulary,
    WideFigures,
)
from pipeline.model.schema.types import NAMES, published_type
from pipeline.numerals import number_of


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """A published table whose figures differ from those of an earlier table. It holds only the figures that differ."""

    table: str
    figures: pl.DataFrame
    """The figures of this table: the columns of `ReadBack.figures`, null where it agrees."""
    instead_of: pl.DataFrame
    """The figures of the first table, in the same rows and columns."""


@dataclass(frozen=True, kw_only=True)
class ReadBack:
    """Everything that an outsider gets by reading the published tables."""

    entities: pl.DataFrame
    """One row for each published code, sorted by it: the columns of the first entity table, null where not published."""
    further: Mapping[str, pl.DataFrame]
    """The same for each further kind that has a view, by kind."""
    figures: pl.DataFrame
    """Code, year and every measure in quanta (Int64), sorted by code and year; records with one figure or more."""
    contradictions: tuple[Contradiction, ...]
    """The tables that differ from an earlier table, with the figures concerned."""
    names: pl.DataFrame
    """`code`, and `legal` and `english` where they are published, by entity; the empty text where a name is missing."""
    unread: int
    """Cells of figures whose text is no number, or whose unit, year or row cannot be read."""
    cells: int
    """All cells of figures that have a text."""


def read_back(
    environment: Environment,
    tables: Frames,
    pairs: Mapping[str, str],
    schema: Mapping[str, pl.DataType],
    further: Mapping[str, Mapping[str, pl.DataType]] | None = None,
) -> ReadBack:
    """Read the published tables that the environment's views name.

    Args:
        environment: Declares the views, of which there must be some.
        tables: Published tables as text, by name; at least those of the views.
        pairs: Published legal names and their English ones; empty if they are not published.
        schema: Columns and types of the first entity table as it is conformed.
        further: The same of the first table of each further kind to be read, by kind.

    Raises:
        InputError: The views name something that is not declared.
    """
    views = declared_views(environment)
    entities = _listed(environment, environment.entities, views.listings, tables, schema)
    viewed = {view.of for view in views.further}
    listed = {
        kind: _listed(environment, environment.kind(kind), views.listings, tables, of_kind)
        for kind, of_kind in (further or {}).items()
        if kind in viewed
    }
    longs = {view.table: _figures(environment, view, tables[view.table]) for view in views.figures}
    together = pl.concat([_LONG.to_frame(), *(long.figures for long in longs.values())]).unique(
        _CELL, keep="first", maintain_order=True
    )
    differing = {table: _differing(long.figures, together) for table, long in longs.items()}
    return ReadBack(
        entities=entities,
        further=listed,
        figures=_panel(together, environment),
        contradictions=tuple(
            Contradiction(
                table=table,
                figures=_panel(cells, environment),
                instead_of=_panel(cells.with_columns(value="first"), environment),
            )
            for table, cells in differing.items()
            if cells.height
        ),
        names=_names(environment, views, entities, pairs),
        unread=sum(long.unread for long in longs.values()),
        cells=sum(long.cells for long in longs.values()),
    )


def read_entities(environment: Environment, published: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read only the published table of entities: `ReadBack.entities`.

    Raises:
        InputError: There are no views, or they name something that is not declared.
    """
    return _entities(environment, environment.entities, declared_views(environment).entities, published, schema)


def declared_views(environment: Environment) -> Views:
    """Return the environment's views, after checking that every table, column and measure in them is declared.

    Raises:
        InputError: There are none, or they name something that is not declared.
    """
    views = environment.views
    if views is None:
        raise InputError(
            f"environment {environment.name!r} does not declare how its published files are read back; give it "
            "`views=Views(...)`: the published table of entities (EntityView) and those of figures (LongFigures, "
            "WideFigures), as in silt/environments/us_listed/__init__.py"
        )
    for listing in views.listings:
        _refuse_strange_listing(environment, listing)
    for view in views.figures:
        _refuse_unknown(environment, view.table, (view.code, view.year, *_own_columns(view)))
        _refuse_unknown_measures(environment, view)
    if views.english is not None:
        environment.document(views.english.document)
    for shown in views.events:
        entity = environment.events_of(shown.events).entity
        _refuse_unknown(environment, shown.table, shown.columns)
        if entity not in shown.columns.values():
            raise InputError(f"views of {environment.name!r}: no published column of {shown.table!r} holds {entity!r}")
    return views


def _refuse_strange_listing(environment: Environment, view: EntityView) -> None:
    _refuse_unknown(environment, view.table, view.columns)
    _refuse_unknown(environment, view.table, view.vocabularies)
    for name in view.vocabularies.values():
        environment.vocabulary(name)
    code = environment.kind(view.of).code
    if code not in view.columns.values():
        raise InputError(f"views of {environment.name!r}: no published column of {view.table!r} holds {code!r}")


def pairs_of(content: object, listed: NameList) -> dict[str, str]:
    """Return the pairs of names in a document's JSON, skipping whatever is no pair of texts."""
    inner = content.get(listed.field) if listed.field and isinstance(content, dict) else content
    pairs = inner.items() if isinstance(inner, dict) else ()
    return {legal: english for legal, english in pairs if isinstance(legal, str) and isinstance(english, str)}


_CELL = ("code", PERIOD, "measure")
"""The columns that identify a figure."""

_LONG = pl.Schema({"code": pl.String(), PERIOD: pl.Int64(), "measure": pl.String(), "value": pl.Int64()})


@dataclass(frozen=True)
class _Long:
    """The figures of one published table, one row each (`_LONG`), and how many of how many cells could not be read."""

    figures: pl.DataFrame
    unread: int
    cells: int


def _refuse_unknown(environment: Environment, table: str, columns: Sequence[str] | Mapping[str, str]) -> None:
    declared = environment.table(table).columns
    for column in columns:
        if column not in declared:
            raise InputError.unknown(f"column of the published table {table!r} in the views", column, declared)


def _own_columns(view: LongFigures | WideFigures) -> tuple[str, ...]:
    if isinstance(view, WideFigures):
        return tuple(view.columns)
    return (view.measure, view.value, *([view.unit] if view.unit else []))


def _refuse_unknown_measures(environment: Environment, view: LongFigures | WideFigures) -> None:
    known = {measure.name for measure in environment.panel.measures}
    named = view.columns if isinstance(view, WideFigures) else view.labels
    for measure in named.values():
        if measure not in known:
            raise InputError.unknown(f"measure in the views of {view.table!r}", measure, known)
    if isinstance(view, LongFigures) and view.vocabulary:
        environment.vocabulary(view.vocabulary)


def _listed(
    environment: Environment,
    kind: Entities,
    views: Sequence[EntityView],
    tables: Frames,
    schema: Mapping[str, pl.DataType],
) -> pl.DataFrame:
    """Read the entities of a kind from all tables that list them."""
    parts = [
        _entities(environment, kind, view, tables[view.table], schema)
        for view in views
        if view.of == kind.kind and view.table in tables
    ]
    return pl.concat(parts).unique(kind.code, keep="first", maintain_order=True).sort(kind.code)


def _entities(
    environment: Environment,
    kind: Entities,
    view: EntityView,
    published: pl.DataFrame,
    schema: Mapping[str, pl.DataType],
) -> pl.DataFrame:
    declared = {column.name: column for column in environment.raw_table(kind.tables[0]).columns}
    withheld = {name for name, column in declared.items() if column.role is Role.IDENTIFIER}
    from_published = {raw: column for column, raw in view.columns.items()}
    for raw in from_published:
        if raw not in schema:
            raise InputError.unknown(f"column of {kind.tables[0]!r} in the views", raw, schema)
    series = []
    for name, dtype in schema.items():
        if name in withheld:
            continue
        text = column_of(published, from_published.get(name, "")) if name != ALL_IN_ONE else _one_group(published)
        vocabulary = view.vocabularies.get(from_published.get(name, ""), "")
        if vocabulary:
            text = text.replace(_canonical(environment.vocabulary(vocabulary)))
        series.append(
            _parsed(text, declared.get(name) or Column(name=name, type=NAMES[published_type(dtype)].read_as)).alias(
                name
            )
        )
    code = kind.code
    rows = pl.DataFrame(series).with_columns(pl.col(code).str.strip_chars())
    return rows.drop_nulls(code).unique(code, keep="first", maintain_order=True).sort(code)


def _one_group(published: pl.DataFrame) -> pl.Series:
    """Return the industry of entities that have none; it need not be published."""
    return pl.Series([ALL_IN_ONE] * published.height, dtype=pl.String)


def column_of(published: pl.DataFrame, name: str) -> pl.Series:
    """Return a column; all null if the file does not have it."""
    return published[name] if name in published.columns else pl.Series([None] * published.height, dtype=pl.String)


def _parsed(text: pl.Series, column: Column) -> pl.Series:
    """Parse a column like its raw table's; a date may be in the raw table's format or in that of ISO 8601."""
    if column.type == "text":
        return text
    text = text.str.strip_chars()
    parsed = understand(column, text).parsed
    if column.type != "date":
        return parsed
    return parsed.zip_with(parsed.is_not_null(), understand(replace(column, date_format=ISO), text).parsed)


def _canonical(vocabulary: Vocabulary) -> dict[str, str]:
    """Return alias -> canonical name, for aliases that mean one name only and are no canonical name themselves."""
    meant: dict[str, set[str]] = {}
    for name, aliases in vocabulary.aliases.items():
        for alias in aliases:
            meant.setdefault(alias, set()).add(name)
    return {alias: min(names) for alias, names in meant.items() if len(names) == 1 and alias not in vocabulary.aliases}


def _figures(environment: Environment, view: LongFigures | WideFigures, published: pl.DataFrame) -> _Long:
    rows = _long_rows(environment, view, published) if isinstance(view, LongFigures) else _wide_rows(view, published)
    measures = environment.panel.measures
    known = rows.filter(pl.col("measure").is_in([measure.name for measure in measures])).drop_nulls("text")
    year = Column(name=PERIOD, type=environment.panel.period.type)
    stated = known.with_columns(
        pl.col("code").str.strip_chars(),
        pl.col("text").str.strip_chars(),
        pl.col("unit").str.strip_chars(),
        _parsed(known[PERIOD], year).alias(PERIOD),
    )
    parts = [_quanta(stated.filter(measure=measure.name), measure, environment) for measure in measures]
    figures = pl.concat([_LONG.to_frame(), *(part.select(_LONG.names()) for part in parts)])
    readable = figures.drop_nulls()
    first = readable.unique(_CELL, keep="first", maintain_order=True)
    return _Long(first, unread=figures.height - readable.height, cells=figures.height)


def _long_rows(environment: Environment, view: LongFigures, published: pl.DataFrame) -> pl.DataFrame:
    labels = dict(view.labels) or {measure.name: measure.name for measure in environment.panel.measures}
    if view.vocabulary:
        canonical = _canonical(environment.vocabulary(view.vocabulary))
        aliases = {alias: labels[name] for alias, name in canonical.items() if name in labels and alias not in labels}
        labels |= aliases
    measure = column_of(published, view.measure).str.strip_chars()
    return pl.DataFrame(
        {
            "code": column_of(published, view.code),
            PERIOD: column_of(published, view.year),
            "measure": measure.replace_strict(labels, default=None, return_dtype=pl.String),
            "unit": column_of(published, view.unit),
            "text": column_of(published, view.value),
        }
    )


def _wide_rows(view: WideFigures, published: pl.DataFrame) -> pl.DataFrame:
    keys = {"code": f"{SEPARATOR}code", PERIOD: f"{SEPARATOR}year"}
    ids = [column_of(published, view.code).alias(keys["code"]), column_of(published, view.year).alias(keys[PERIOD])]
    columns = dict(view.columns) or {name: name for name in published.columns if name not in (view.code, view.year)}
    cells = [column_of(published, column).alias(measure) for column, measure in columns.items()]
    wide = pl.DataFrame([*ids, *cells])
    long = figure_rows(wide.lazy(), list(columns.values()), index=keys, value="text").collect()
    return long.with_columns(unit=pl.lit(None, pl.String))


def _quanta(rows: pl.DataFrame, measure: Measure, environment: Environment) -> pl.DataFrame:
    """Return the rows with `value` in quanta of the measure, null if text or unit cannot be read.

    Text in the measure's own unit is read exactly. A value in another unit is the shortest text of a float, so it is rounded to
    the measure's decimals, as is text with more decimals than the measure has. A blank unit counts as the measure's unit.
    """
    factors = {measure.unit: 1} | dict(environment.units.get(measure.unit, {}))
    unit = pl.col("unit").fill_null(measure.unit)
    column = Column(name="value", type="decimal", decimals=measure.decimals)
    factor = unit.replace_strict(factors, default=None, return_dtype=pl.Float64)
    stated = number_of(pl.col("text")) * factor * 10.0**measure.decimals
    rounded = stated.round().cast(pl.Int64, strict=False)
    exact = pl.when(unit == measure.unit).then(understand(column, rows["text"]).parsed)
    return rows.with_columns(value=pl.coalesce(exact, rounded))


def _differing(figures: pl.DataFrame, together: pl.DataFrame) -> pl.DataFrame:
    """Return the figures of a table that differ from the first figure of their cell, which is added as `first`."""
    first = together.rename({"value": "first"})
    return figures.join(first, on=_CELL, maintain_order="left").filter(pl.col("value") != pl.col("first"))


def _panel(figures: pl.DataFrame, environment: Environment) -> pl.DataFrame:
    names = [measure.name for measure in environment.panel.measures]
    code = environment.entities.code
    wide = figures.rename({"code": code}).pivot("measure", index=[code, PERIOD], values="value")
    absent = [pl.lit(None, pl.Int64).alias(name) for name in names if name not in wide.columns]
    return wide.with_columns(absent).select(code, PERIOD, *names).sort(code, PERIOD)


def _names(environment: Environment, views: Views, entities: pl.DataFrame, pairs: Mapping[str, str]) -> pl.DataFrame:
    keys = environment.entities
    names = entities.select(code=keys.code)
    if keys.name not in views.entities.columns.values():
        return names
    names = names.with_columns(legal=entities[keys.name].fill_null(""))
    if views.english is None:
        return names
    english = pl.col("legal").replace_strict(pairs, default="", return_dtype=pl.String)
    return names.with_columns(english=english)


def read_events(
    environment: Environment, view: EventView, published: pl.DataFrame, owners: Mapping[str, str]
) -> pl.DataFrame:
    """Return the rows whose owner is known, with the published columns of the raw table; unpublished figures are null.

    Args:
        view: Maps published columns to columns of the raw table.
        published: The published table as text.
        owners: Published code -> the code to put in its place.
    """
    events, table = environment.events_of(view.events), environment.raw_table(view.events)
    raw = {column.name: column for column in table.columns}
    typed = {
        name: understand(raw[name], published[shown].str.strip_chars()).values.alias(name)
        for shown, name in view.columns.items()
    }
    owner = typed[events.entity].replace_strict(owners, default=None, return_dtype=pl.String)
    absent = [pl.lit(None, pl.Int64).alias(each.name) for each in events.measures if each.name not in typed]
    return pl.DataFrame([*typed.values()]).with_columns(owner, *absent).drop_nulls(events.entity)
