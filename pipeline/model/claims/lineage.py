"""Where the columns of published tables come from, as a declaration states it, for people who look at the graph.

Belongs here: the types, and the shape that most tables have. What each environment states stands beside its renderings; how
the graph shows it belongs to `assets/wiring/lineage.py`. A test proves the declared lineage by the renderings: changing a
column changes the columns that are declared to come from it, and no others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Origin = tuple[str, str]
"""An anonymised or derived table and one of its columns."""


@dataclass(frozen=True, kw_only=True)
class TableLineage:
    """The lineage of one published table."""

    columns: Mapping[str, tuple[Origin, ...]]
    """Every published column with the columns that its values are made of; empty for columns that rendering makes: ids, load
    times, labels from the declaration."""
    rows: tuple[Origin, ...] = ()
    """Columns that decide which rows there are and which id each has. They may change every column."""


def taken(table: str, columns: Iterable[str]) -> dict[str, tuple[Origin, ...]]:
    """Return the lineage of published columns that repeat the columns of the same names of one table."""
    return {column: ((table, column),) for column in columns}


def made(columns: Iterable[str]) -> dict[str, tuple[Origin, ...]]:
    """Return the lineage of published columns that rendering makes."""
    return dict.fromkeys(columns, ())


def origins(table: str, columns: Iterable[str]) -> tuple[Origin, ...]:
    """Return several columns of one table as origins."""
    return tuple((table, column) for column in columns)
