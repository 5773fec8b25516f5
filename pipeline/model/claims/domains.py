"""How an environment's published tables hang together: which of them state what follows from others, and in what words.

Belongs here: the declaration alone, so that stated aggregates and counts can be read back and computed again from the published
companies and texts (`validation/consistency/domains.py`). How they are derived before they are published is no matter of this.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import polars as pl

Domain = Literal["enterprise", "industry", "region", "policy"]

Reading = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True, kw_only=True)
class StatedStatistics:
    """A published table in which statistics of an aggregate stand."""

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
    """A published table in which the entities of an aggregate's groups are counted."""

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
    """A published table that counts the rows of another by rules of its own."""

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
    """What stands between several values of a cell, if there can be several."""


@dataclass(frozen=True, kw_only=True)
class Domains:
    """What published tables say of each other across enterprise, industry, region and policy. Needs the environment's views."""

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
