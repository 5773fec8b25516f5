"""A published table as SQL: the statement that creates it, for systems of databases that know standard SQL."""

from collections.abc import Iterator

from pipeline.model import Environment, Field, PublishedTable
from pipeline.model.schema.complete import schema_of
from pipeline.model.schema.types import NAMES, PUBLISHED


def ddl(environment: Environment, table: PublishedTable) -> str:
    """Return the statement that creates a table, with what holds of its rows without noise."""
    fields = schema_of(environment, table).values()
    columns = ",\n".join(f"  {' '.join(_column(field, is_key=field.name == table.row_key))}" for field in fields)
    return f"CREATE TABLE {_quoted(table.name)} (\n{columns}\n);\n"


def _column(field: Field, *, is_key: bool) -> Iterator[str]:
    yield _quoted(field.name)
    yield NAMES[PUBLISHED.get(field.type, "text")].sql
    if not field.nullable:
        yield "NOT NULL"
    if field.unique:
        yield "PRIMARY KEY" if is_key else "UNIQUE"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
