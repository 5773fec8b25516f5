"""Where the columns of published tables come from: what a declaration says of it, for people who look at the graph.

Belongs here: the types, and the shape that most tables have. What each environment says stands beside its renderings; how
it is shown in the graph belongs to `assets/wiring/lineage.py`. A test holds every word of it against the renderings: a
change of a column shows in what is declared to come from it, and in nothing else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Origin = tuple[str, str]
"""An anonymised or derived table and one of its columns."""


@dataclass(frozen=True, kw_only=True)
class TableLineage:
    """The lineage of one published table."""

    columns: Mapping[str, tuple[Origin, ...]]
    """Every published column with the columns of whose values it is made; none of those that rendering makes: ids, load
    times, labels that stand in the declaration."""
    rows: tuple[Origin, ...] = ()
    """Columns that decide which rows there are and which of them have which id, and so may change every column."""


def taken(table: str, columns: Iterable[str]) -> dict[str, tuple[Origin, ...]]:
    """Return published columns that are the columns of the same names of one table."""
    return {column: ((table, column),) for column in columns}


def made(columns: Iterable[str]) -> dict[str, tuple[Origin, ...]]:
    """Return published columns that rendering makes."""
    return dict.fromkeys(columns, ())


def origins(table: str, columns: Iterable[str]) -> tuple[Origin, ...]:
    """Return several columns of one table."""
    return tuple((table, column) for column in columns)
