"""What conforming treated in the raw tables as their declaration says: counted, for the log and the manifest.

A defect without a declared treatment is a problem, and is never treated.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import polars as pl


@dataclass(frozen=True)
class Treated:
    """One treatment of one cause in one column, and how often. Nothing in it comes from a cell, so it may be published."""

    table: str
    column: str
    cause: str
    treatment: str
    """What was done, in one word: `null`, `round`, `drop` (the row), `keep`, `read`, `ignore` (the column)."""
    count: int

    def __str__(self) -> str:
        """Return a line for the log."""
        return f"{self.table}, column {self.column!r}: {self.cause}: {self.treatment}, {self.count:,} time(s)"


def together(treated: Iterable[Treated]) -> tuple[Treated, ...]:
    """Return each treatment once with the sum of its counts, in the order in which they first occur."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for each in treated:
        counts[each.table, each.column, each.cause, each.treatment] += each.count
    return tuple(Treated(*name, count) for name, count in counts.items() if count)


def as_frame(treated: Iterable[Treated]) -> pl.DataFrame:
    """Return the treatments as a table that is stored between stages."""
    schema = {"table": pl.String, "column": pl.String, "cause": pl.String, "treatment": pl.String, "count": pl.Int64}
    return pl.DataFrame([asdict(each) for each in treated], schema=schema)
