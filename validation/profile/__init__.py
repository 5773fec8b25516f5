"""What stands in each published table: its columns, its first records, and records with and without noise, side by side.

    columns.py     a column's empty cells, distinct texts, histogram and examples
    histograms.py  the bars of a histogram
    changed.py     records that noise changed, chosen so that many rules show

Belongs here: counting and choosing. Nothing is judged. Every text is one that a variant publishes, clipped where it is long.
Tables are counted lazily, and only figures leave them, so that a long one is never whole in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.model import Environment, PublishedTable
from pipeline.model.types import PUBLISHED
from pipeline.publish.variant import CLEAN
from pipeline.release.metadata.described import DescribedColumn, Known
from pipeline.render import path_of
from validation.expectations.following import facts_of
from validation.expectations.typed import types_of
from validation.profile.changed import ChangedRow, clipped
from validation.profile.columns import Counts, counted

SHOWN = 5
"""First records that are shown."""


@dataclass(frozen=True, kw_only=True)
class ColumnProfile(Counts):
    """One column of a published table: what it means, and what stands in it."""

    column: str
    type: str
    unit: str
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


def table_profile(
    environment: Environment,
    table: PublishedTable,
    rows: pl.LazyFrame,
    *,
    variant: str,
    changed: tuple[ChangedRow, ...] = (),
) -> TableProfile:
    """Return what stands in a published table.

    Args:
        environment: Declares what columns mean.
        table: The table, or a document's rows as one.
        rows: The table as the variant publishes it, as text; null for an empty field.
        variant: Where it is published.
        changed: The records that noise changed and that are shown.
    """
    described = _described(environment, table, rows.collect_schema().names(), variant)
    records, counts = counted(rows, {column.name: column.type for column in described}, table.row_key)
    lineage = environment.lineage.get(table.name)
    columns = (
        ColumnProfile(
            column=column.name,
            type=column.type,
            unit=column.unit,
            meaning=column.meaning,
            is_key=column.is_key,
            refers_to=column.refers_to,
            made_of=tuple(map(".".join, lineage.columns.get(column.name, ()))) if lineage else (),
            **vars(counts[column.name]),
        )
        for column in described
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
    )


def _described(
    environment: Environment, table: PublishedTable, names: Sequence[str], variant: str
) -> list[DescribedColumn]:
    """Describe columns as a release's data dictionary does."""
    facts = facts_of(environment, table)
    types = {column: PUBLISHED[read.type] for column, read in types_of(environment, table).items()}
    known = Known(
        environment=environment,
        facts=lambda *_: facts,
        types={path_of(table): types},
        fates={},
        has_keys=variant == CLEAN,
    )
    return [known.column(table, path_of(table), name) for name in names]
