"""What steps give: rows with typed columns, one value or a list; and what is known of tables before any is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pipeline.model import Environment, LongFigures
from pipeline.model.schema.complete import schema_of
from pipeline.model.schema.fields import Field
from pipeline.tasks.program.operators import Operand, Steps, read_steps

UNKNOWN = "(unknown)"
"""The unit of figures whose label is a slot: it fits every unit, until a task is drawn."""

Kind = Literal["number", "text", "date", "yes or no"]

_KINDS: Mapping[str, Kind] = {"integer": "number", "decimal": "number", "date": "date"}
"""What a column of a declared type holds; any other is a text."""


@dataclass(frozen=True)
class Value:
    """The type of one value, or of the cells of a column."""

    kind: Kind
    unit: str = ""
    scale: int | None = None
    """Digits after the point of an exact number; None for one that division or a root made."""
    date_format: str = ""


@dataclass(frozen=True)
class RowsShape:
    """Rows with these columns."""

    columns: Mapping[str, Value]
    is_ranked: bool = False


@dataclass(frozen=True)
class ValuesShape:
    """A list of values of one type."""

    of: Value
    is_ranked: bool = False


Shape = RowsShape | Value | ValuesShape


@dataclass(frozen=True)
class FigureTable:
    """A table with one row for each figure: where it says what the figure is, its unit and its value."""

    label: str
    value: str
    unit: str = ""


@dataclass(frozen=True)
class KnownTables:
    """The published tables as a program sees them."""

    tables: Mapping[str, Mapping[str, Value]]
    measured: Mapping[str, FigureTable]
    unit_of: Callable[[str, Operand], str]
    """Returns the unit of the figures with a label in a measured table."""


def declared(environment: Environment, measured: Mapping[str, FigureTable]) -> KnownTables:
    """Return what the declaration says; the unit of a figure is unknown unless its label is a measure's."""
    units = {measure.name: measure.unit for measure in environment.panel.measures}
    views = environment.views.figures if environment.views else ()
    labels = {view.table: view.labels for view in views if isinstance(view, LongFigures)}
    tables = {
        table.name: {name: _value(field) for name, field in schema_of(environment, table).items()}
        for table in environment.tables
        if table.folder == "database" and table.document is None
    }

    def unit_of(table: str, label: Operand) -> str:
        return units.get(labels.get(table, {}).get(str(label), str(label)), UNKNOWN)

    return KnownTables(tables, all_measured(environment) | dict(measured), unit_of)


def all_measured(environment: Environment) -> dict[str, FigureTable]:
    """Return the measured tables that the environment's views declare."""
    figures = environment.views.figures if environment.views else ()
    return {
        view.table: FigureTable(view.measure, view.value, view.unit)
        for view in figures
        if isinstance(view, LongFigures)
    }


def in_order(steps: Steps) -> list[str]:
    """Return the steps, each after all that it reads; raise a `ValueError` that names those that read each other in a cycle."""
    done: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(" -> ".join([*above[above.index(name) :], name]))
        if name not in done:
            for read in read_steps(steps[name]):
                if read in steps:
                    visit(read, (*above, name))
            done.append(name)

    for name in steps:
        visit(name, ())
    return done


def _value(field: Field) -> Value:
    kind = _KINDS.get(field.type, "text")
    return Value(kind, field.unit, 0 if kind == "number" else None, field.date_format if kind == "date" else "")
