"""What stands in each published table: its columns, its first records, and records with and without noise, side by side.

    columns.py     a column's empty cells, distinct texts, histogram and examples
    histograms.py  the bars of a histogram
    changed.py     how much noise changed, and records that it changed, chosen so that many rules show
    rows.py        the rows that a reader can look into

Belongs here: counting and choosing. Nothing is judged. Every text is one that a variant publishes, clipped where it is long.
Tables are counted lazily, and only figures leave them, so that a long one is never whole in memory.
"""

from dataclasses import dataclass

import polars as pl

from pipeline.model import Environment, Field, PublishedTable
from pipeline.model.schema.complete import schema_of
from pipeline.model.schema.types import PUBLISHED
from pipeline.publish.variant import CLEAN
from pipeline.render import path_of
from validation.profile.changed import ChangedRow, TableChanges, clipped
from validation.profile.columns import Counts, counted

SHOWN = 5
"""First records that are shown."""


@dataclass(frozen=True, kw_only=True)
class ColumnProfile(Counts):
    """One column of a published table: what it means, and what stands in it."""

    column: str
    type: str
    unit: str
    unit_in: str
    """The column that says of each row which unit its figure has, or which measure it is of; empty if all have one unit."""
    meaning: str
    is_key: bool
    """Whether it names the record, and no other has the same."""
    refers_to: str
    """Table and column in which its texts occur, with a dot between; empty if that is not declared."""
    made_of: tuple[str, ...]
    """Anonymised and derived columns that it is made of, each after its table and a dot; none if that is not declared."""


@dataclass(frozen=True, kw_only=True)
class TableProfile:
    """What stands in one published table."""

    table: str
    file: str
    """Its path below the variant."""
    description: str
    records: int
    row_key: str
    """The column that names a record; empty if there is none."""
    columns: tuple[ColumnProfile, ...]
    """As the file has them: noise may have renamed some."""
    first: tuple[tuple[str | None, ...], ...]
    """The first records in published order, long texts clipped; null for an empty field."""
    declared: tuple[str, ...]
    """The columns without noise, those of the records that noise changed."""
    changed: tuple[ChangedRow, ...] = ()
    """Records that noise changed; none where the variant has no noise."""
    changes: TableChanges | None = None
    """How much noise changed; null where the variant has no noise."""


def table_profile(
    environment: Environment,
    table: PublishedTable,
    rows: pl.LazyFrame,
    *,
    variant: str,
    changed: tuple[ChangedRow, ...] = (),
    changes: TableChanges | None = None,
) -> TableProfile:
    """Return what stands in a published table.

    Args:
        table: The table, or a document's rows as one.
        rows: The table as the variant publishes it, as text; null for an empty field.
        variant: Where it is published.
        changed: The records that noise changed and that are shown.
        changes: How much noise changed.
    """
    schema = schema_of(environment, table)
    fields = [schema.get(name, Field(name)) for name in rows.collect_schema().names()]
    types = {field.name: PUBLISHED.get(field.type, "text") for field in fields}
    mixed = [field.name for field in fields if field.unit_in]
    records, counts = counted(rows, types, {table.row_key, *mixed})
    columns = (
        ColumnProfile(
            column=field.name,
            type=types[field.name],
            unit=field.unit,
            unit_in=field.unit_in,
            meaning=field.meaning,
            is_key=variant == CLEAN and field.name == table.row_key,
            refers_to=".".join(field.refers_to or ()),
            made_of=tuple(map(".".join, field.origins or ())),
            **vars(counts[field.name]),
        )
        for field in fields
    )
    return TableProfile(
        table=table.name,
        file=path_of(table),
        description=table.description,
        records=records,
        row_key=table.row_key,
        columns=tuple(columns),
        first=tuple(tuple(map(clipped, row)) for row in rows.head(SHOWN).collect().iter_rows()),
        declared=table.columns,
        changed=changed,
        changes=changes,
    )
