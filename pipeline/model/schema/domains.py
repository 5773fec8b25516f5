"""How the published tables of an environment depend on each other: which ones state what follows from others, in what words.

Belongs here: the declaration alone. With it, stated aggregates and counts are read back and computed again from the published
companies and texts (`validation/consistency/domains.py`). Deriving them before publishing belongs to `pipeline/derive`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import polars as pl

Domain = Literal["enterprise", "industry", "region", "policy"]

Reading = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True, kw_only=True)
class StatedStatistics:
    """A published table that states statistics of an aggregate."""

    table: str
    aggregate: str
    domain: Domain
    read: Reading
    """Takes the published text; returns the text columns `by` of the aggregate, `year`, `measure`, `statistic` and `value`,
    one row for each statistic that the table has a place for (null where the place is empty)."""
    has_totals: bool = True
    """Whether the totals of the aggregate, if it has some, stand in this table."""


@dataclass(frozen=True, kw_only=True)
class StatedCounts:
    """A published table that states how many entities each group of an aggregate has."""

    table: str
    aggregate: str
    domain: Domain
    breakdowns: tuple[tuple[str, ...], ...]
    """The aggregate's breakdowns that stand in this table."""
    read: Reading
    """Takes the published text; returns the text columns `by` of the aggregate, every column of a breakdown (null where the
    row is not broken down by it) and `value`."""
    has_totals: bool = True


@dataclass(frozen=True, kw_only=True)
class StatedRecount:
    """A published table that counts the rows of another table by rules of its own."""

    table: str
    domain: Domain
    rows: str
    """The published table whose rows are counted."""
    rows_domain: Domain
    recount: Reading
    """Takes the published text of `rows`; returns columns of `table` as text, `value` and those that name what is counted."""


@dataclass(frozen=True, kw_only=True)
class NamedElsewhere:
    """Every value of a published column stands in a column of another published table."""

    table: str
    column: str
    domain: Domain
    to_table: str
    to_column: str
    to_domain: Domain
    separator: str = ""
    """The text between the values of a cell, if a cell can hold several."""


@dataclass(frozen=True, kw_only=True)
class Domains:
    """What published tables say about each other, from enterprise to policy. Needs the environment's views."""

    statistics: tuple[StatedStatistics, ...] = ()
    counts: tuple[StatedCounts, ...] = ()
    recounts: tuple[StatedRecount, ...] = ()
    names: tuple[NamedElsewhere, ...] = ()

    def tables(self) -> tuple[str, ...]:
        """Return the names of all published tables that are named here."""
        named = [
            *(stated.table for stated in self.statistics),
            *(stated.table for stated in self.counts),
            *(name for stated in self.recounts for name in (stated.rows, stated.table)),
            *(name for named in self.names for name in (named.table, named.to_table)),
        ]
        return tuple(dict.fromkeys(named))
