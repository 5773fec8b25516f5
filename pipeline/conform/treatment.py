"""What conforming did to the raw tables as their declaration told it to: counted, for the log.

What nobody declared how to treat is a problem, never a treatment.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Treatment:
    """One kind of treatment in one column, and how often. None of it comes from a cell, so all of it may be logged."""

    table: str
    column: str
    kind: str
    count: int

    def __str__(self) -> str:
        """Return a line for the log."""
        return f"{self.table}, column {self.column!r}: {self.kind}, {self.count:,} time(s)"
