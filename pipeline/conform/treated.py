"""What conforming did to the raw tables as their declaration told it to: counted, for the log and the manifest.

What nobody declared how to treat is a problem, never treated.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import polars as pl


@dataclass(frozen=True)
class Treated:
    """One treatment of one cause in one column, and how often. None of it comes from a cell, so all of it may be told."""

    table: str
    column: str
    cause: str
    treatment: str
    """In one word, what was done: `null`, `round`, `drop` (the row), `keep`, `read`, `ignore` (the column)."""
    count: int

    def __str__(self) -> str:
        """Return a line for the log."""
        return f"{self.table}, column {self.column!r}: {self.cause}: {self.treatment}, {self.count:,} time(s)"


def together(treated: Iterable[Treated]) -> tuple[Treated, ...]:
    """Return each treatment that happened once, the counts of equal ones added, in the order in which they first come."""
    counts: dict[tuple[str, str, str, str], int] = {}
    for each in treated:
        name = (each.table, each.column, each.cause, each.treatment)
        counts[name] = counts.get(name, 0) + each.count
    return tuple(Treated(*name, count) for name, count in counts.items() if count)


def as_frame(treated: Iterable[Treated]) -> pl.DataFrame:
    """Return the treatments as a table, to be kept between stages."""
    schema = {"table": pl.String, "column": pl.String, "cause": pl.String, "treatment": pl.String, "count": pl.Int64}
    return pl.DataFrame([asdict(each) for each in treated], schema=schema)
