"""A rendered table as blocks: consecutive records in published order, each block checked against the declaration.

Nothing that is published depends on the size of blocks. How the records of a part look is decided by the declaration.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from pipeline.errors import SiltError
from pipeline.keyed import canonical_numbers
from pipeline.model import Parts, PublishedTable
from pipeline.model.published import RECORDS


class RenderingError(SiltError):
    """A rendering did not return what its declaration says. The defect is in the declaration, not in the data."""


@dataclass(frozen=True)
class Rendered:
    """The blocks of a table, in order and at least one, rendered anew each time that they are walked through."""

    table: PublishedTable
    content: pl.DataFrame | Parts
    """What the declaration rendered."""
    records: int | None = None
    """How many records a block has at most, unless a single part has more; as the parts say if not given."""

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """Render one block after the other; raise `RenderingError` if one is not as declared."""
        if isinstance(self.content, Parts):
            yield from self._of_parts(self.content)
        else:
            whole = _checked(self.table, self.content, None)
            yield from whole.iter_slices(self.records or RECORDS) if whole.height else [whole]

    def _of_parts(self, parts: Parts) -> Iterator[pl.DataFrame]:
        ends = parts.sizes.cast(pl.Int64).cum_sum()
        part = first = 0
        while part < len(ends) or not part:
            stop = int(ends.search_sorted(first + (self.records or parts.records), "right"))
            stop = min(max(stop, part + 1), len(ends))
            numbers = range(first + 1, (int(ends[stop - 1]) if stop else 0) + 1)
            yield _checked(self.table, parts.render(part, stop, numbers.start), numbers)
            part, first = max(stop, 1), numbers.stop - 1


def _checked(table: PublishedTable, block: pl.DataFrame, numbers: range | None) -> pl.DataFrame:
    """Return a block as it is; raise `RenderingError` if it is not as declared."""
    if faults := _faults(table, block, numbers):
        raise RenderingError(f"rendering of {table.path}: " + "; ".join(faults))
    return block


def _faults(table: PublishedTable, block: pl.DataFrame, numbers: range | None) -> list[str]:
    if not isinstance(block, pl.DataFrame):
        return [f"a value of type {type(block).__name__} instead of a frame"]
    if tuple(block.columns) != table.columns:
        return [f"columns {block.columns} instead of {list(table.columns)}"]
    faults = [f"column {name!r} is {dtype}, not text" for name, dtype in block.schema.items() if dtype != pl.String]
    if faults:
        return faults
    empty = block.select((pl.all() == "").any())
    faults += [
        f"column {name!r} holds the empty string; a null is an empty field" for name in block.columns if empty[name][0]
    ]
    if table.row_key:
        faults += _faults_of_key(table.row_key, block[table.row_key], numbers)
    return faults


def _faults_of_key(row_key: str, keys: pl.Series, numbers: range | None) -> list[str]:
    """Return what is wrong with the row keys of a block of parts, which are these numbers, or of a whole table."""
    if numbers is None:
        is_key = not keys.null_count() and not keys.is_duplicated().any()
        return [] if is_key else [f"row key {row_key!r} is null or not unique"]
    # Then none occurs in another block, and none twice in this one.
    is_counted = canonical_numbers(keys).equals(pl.int_range(numbers.start, numbers.stop, dtype=pl.UInt64, eager=True))
    return [] if is_counted else [f"row key {row_key!r} does not count the records from {numbers.start} on"]
