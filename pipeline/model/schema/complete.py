"""The schema of a published table: its fields, and what follows of each from the rest of a declaration.

A field says what nothing else says. A view names the raw column or the measures that a column shows; origins name the columns
that it is made of: type, unit and meaning are taken from these. Files, expectations, metadata, dictionary, lineage and
`silt.open` are made from the schema. Belongs here: what follows, and from what.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pipeline.model import Column, Entities, Environment, Field, LongFigures, Measure, PublishedTable, Role, WideFigures
from pipeline.model.schema.types import NAMES, PUBLISHED
from pipeline.model.treatments import in_a_register

Schema = Mapping[str, Field]
"""Fields by column, in the order of the table."""

_MADE_OF: Mapping[Role, str] = {
    Role.CODE: "invented code of {of}",
    Role.NAME: "invented name of {of}",
    Role.ALIAS: "invented other name of {of}",
    Role.TEXT: "prose; names in it are invented",
}
"""What columns of a role hold, where their declaration says no more."""


def schema_of(environment: Environment, table: PublishedTable) -> Schema:
    """Return the fields of a table, complete; of a column of which nothing is known, one that holds any text or none."""
    viewed = _viewed(environment, table)
    return {
        field.name: _with_meaning(environment, table, _as_viewed(field, viewed.get(field.name)))
        for field in table.fields
    }


def types_of(environment: Environment, table: PublishedTable) -> dict[str, Column]:
    """Return how the columns of a table are read that are no text, by their published names."""
    return {
        name: Column(name=name, type=NAMES[PUBLISHED[field.type]].read_as, date_format=field.date_format)
        for name, field in schema_of(environment, table).items()
        if field.type in PUBLISHED
    }


def meanings(environment: Environment, table: PublishedTable) -> dict[str, str]:
    """Return in words what each column of a table holds."""
    return {name: field.words for name, field in schema_of(environment, table).items()}


def invented(environment: Environment, found: Column | Measure) -> tuple[str, str]:
    """Return unit and meaning of an anonymised column of a raw table, or of a measure."""
    words = _MADE_OF.get(found.role, "").format(of=_called(environment, found.of)) if isinstance(found, Column) else ""
    return found.unit, found.description or words or environment.meanings.get(found.name, "")


# --- views -------------------------------------------------------------------------------------------------------------


def _as_viewed(field: Field, viewed: Field | None) -> Field:
    """Return a field with what a view says of its cells, if it says nothing itself; and the type, if it is only a text."""
    viewed = viewed or Field(nullable=True)
    if field.nullable is None:
        cells = replace(viewed, name=field.name, origins=field.origins)
    elif field.type == "text":
        pattern = field.pattern if viewed.type == "text" else field.form or None
        cells = replace(field, type=viewed.type, date_format=viewed.date_format, pattern=pattern)
    else:
        cells = field
    unit_in = "" if field.unit else field.unit_in or viewed.unit_in
    return replace(cells, unit=field.unit or viewed.unit, unit_in=unit_in, meaning=field.meaning or viewed.meaning)


def _viewed(environment: Environment, table: PublishedTable) -> dict[str, Field]:
    """Return what follows from the views of a table: that a row key is unique, and what raw columns and figures are."""
    found = dict(_of_events(environment, table))
    if table.row_key:
        found[table.row_key] = replace(found.get(table.row_key, Field()), unique=True, nullable=False)
    return found | dict(_of_entities(environment, table)) | _of_figures(environment, table)


def _of_entities(environment: Environment, table: PublishedTable) -> Iterator[tuple[str, Field]]:
    """Yield what conforming guarantees of the columns of a table that lists entities."""
    listings = environment.views.listings if environment.views else ()
    view = next((view for view in listings if view.table == table.name), None)
    if view is None:
        return
    kind = environment.kind(view.of)
    known = {column.name: column for column in environment.raw_table(kind.tables[0]).columns}
    for shown, raw in view.columns.items():
        if raw in known:
            yield shown, _of_raw(environment, kind, known[raw])


def _of_raw(environment: Environment, kind: Entities, column: Column) -> Field:
    is_number = column.type == "integer"
    return Field(
        type=column.type,
        nullable=column.nullable or column.name in in_a_register(environment, kind),
        allowed=column.allowed,
        minimum=column.minimum if is_number else None,
        maximum=column.maximum if is_number else None,
        unique=column.name == kind.code,
        pattern="" if is_number else None,
        date_format=column.date_format,
    )


def _of_events(environment: Environment, table: PublishedTable) -> Iterator[tuple[str, Field]]:
    for view in environment.views.events if environment.views else ():
        known = {column.name: column for column in environment.raw_table(view.events).columns}
        for shown, raw in view.columns.items():
            if view.table == table.name and raw in known:
                found, form = known[raw], known[raw].date_format
                yield shown, Field(type=found.type, unit=found.unit, nullable=True, pattern=None, date_format=form)


def _of_figures(environment: Environment, table: PublishedTable) -> dict[str, Field]:
    """Return what views say of a table of figures: owners and periods exist, figures are numbers."""
    found: dict[str, Field] = {}
    for view in environment.views.figures if environment.views else ():
        if view.table == table.name:
            found = dict(_of_long(view) if isinstance(view, LongFigures) else _of_wide(environment, view)) | found
            period = found.get(view.year, Field())
            found[view.year] = replace(period, type=environment.panel.period.type)
    return found


def _of_long(view: LongFigures) -> Iterator[tuple[str, Field]]:
    yield view.code, Field(meaning="code of whom the figure is")
    yield view.year, Field(meaning="period of the figure")
    yield view.measure, Field(meaning="what the figure is", nullable=True)
    unit_in = view.unit or view.measure
    yield view.value, Field(meaning="the figure", type="decimal", unit_in=unit_in, pattern=None, nullable=True)
    yield view.unit, Field(meaning="unit of the figure", nullable=True)


def _of_wide(environment: Environment, view: WideFigures) -> Iterator[tuple[str, Field]]:
    panel = environment.panel
    yield view.code, Field()
    yield view.year, Field(meaning=f"{panel.period.frequency} of the figures")
    measures = {measure.name: measure for measure in panel.measures}
    for shown, name in (view.columns or dict(zip(measures, measures, strict=True))).items():
        measure = measures.get(name)
        words = measure.description or f"the figure {name!r}" if measure else ""
        unit = measure.unit if measure else ""
        yield shown, Field(meaning=words, unit=unit, type="decimal", pattern=None, nullable=True)


# --- meanings ----------------------------------------------------------------------------------------------------------


def _with_meaning(environment: Environment, table: PublishedTable, field: Field) -> Field:
    """Return a field that says in words what it holds: its own, those of its view, or of what it is made of."""
    unit, words = (
        ("", "")
        if field.meaning
        else _of_origins(environment, field)
        or (
            "",
            "identifies the row" if field.name == table.row_key else "",
        )
    )
    words = field.meaning or words or environment.meanings.get(field.name, "")
    return replace(field, unit=field.unit or unit, meaning=words)


def _of_origins(environment: Environment, field: Field) -> tuple[str, str] | None:
    """Return unit and meaning of the first raw column of which a column is made, or of the measure of its name."""
    origins, tables = field.origins or (), {table.name: table for table in environment.raw_tables}
    raw = (
        column
        for table, source in origins
        if table in tables
        for column in (*tables[table].columns, *tables[table].adds)
        if column.name == source
    )
    measures = (
        each for _, source in origins for each in environment.panel.measures if each.name == source == field.name
    )
    found: Column | Measure | None = next(raw, None) or next(measures, None)
    if found is not None:
        return invented(environment, found)
    is_code = any(source == environment.entities.code for _, source in origins)
    return ("", _MADE_OF[Role.CODE].format(of=_called(environment, ""))) if is_code else None


def _called(environment: Environment, kind: str) -> str:
    entities = environment.kind(kind)
    return f"a {entities.kind or entities.named}"
