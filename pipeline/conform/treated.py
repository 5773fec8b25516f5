"""What conforming treated in the raw tables as their declaration says: counted, for the log and the manifest.

A defect without a declared treatment is a problem, and is never treated.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

import polars as pl

from pipeline.wording import counted


@dataclass(frozen=True)
class Treated:
    """One treatment of one cause in one column, and how often. Nothing in it comes from a cell, so it may be published."""

    table: str
    column: str
    cause: str
    treatment: str
    """What was done, in one word: `null`, `round`, `drop` (the row), `keep`, `read`, `ignore` (the column)."""
    count: int


KEY_OF_ANOTHER = "key of another record"
"""The cause for which a row is dropped that repeats one that is kept."""

_NAMED = 5
"""Columns that a line of the log names; the manifest has all."""


def lines(treated: Iterable[Treated]) -> Iterator[str]:
    """Yield a line for the log for each cause of a table, whatever the number of its columns."""
    of_cause: dict[tuple[str, str, str], list[Treated]] = {}
    for each in treated:
        of_cause.setdefault((each.table, each.cause, each.treatment), []).append(each)
    for (table, cause, treatment), found in of_cause.items():
        if treatment == "ignore":
            yield f"{table}: {len(found)} {'columns are' if found[1:] else 'column is'} ignored as declared"
            continue
        names = ", ".join(repr(each.column) for each in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if found[_NAMED:] else ""
        are_several = found[1:] or (cause == KEY_OF_ANOTHER and ", " in found[0].column)
        columns = f", column{'s' if are_several else ''} {names}{more}" if found[0].column else ""
        count = sum(each.count for each in found)
        if cause == KEY_OF_ANOTHER:
            yield f"{table}{columns}: {counted(count, 'row')} dropped, since a row that is kept has the same key"
            continue
        yield f"{table}{columns}: {cause}: {treatment}, {counted(count, 'time')}"


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
