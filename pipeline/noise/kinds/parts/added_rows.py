"""What kinds that add rows have in common: where an added row stands, and which row key it has."""

from collections.abc import Iterator
from itertools import count
from typing import Literal

import polars as pl

from pipeline.keyed import Key
from pipeline.model import PublishedTable
from pipeline.noise.kinds.interface import ELIGIBLE, ORIGIN
from pipeline.noise.kinds.parts.refusals import refuse_any

Place = Literal["after", "end", "anywhere"]
"""Right after the row that an added one was made for, after all rows, or after a row drawn from that one on."""


def with_added(rows: pl.DataFrame, added: pl.DataFrame, place: Place, draw: Key, drawn_by: str) -> pl.DataFrame:
    """Return the rows with others among them, each behind the row that it was made for.

    Args:
        rows: Text columns and `ORIGIN`, in order.
        added: The same columns; `ORIGIN` is that of the row that each was made for, and null in what comes back.
        draw: Draws the place if it is `anywhere`.
        drawn_by: Text column of `added` by which it is drawn.
    """
    columns = [column for column in rows.columns if column in added.columns]
    behind = _behind(rows.height, place, draw.uniform(drawn_by))
    added = added.with_columns(behind.alias("\x1fbehind")).sort("\x1fbehind", ORIGIN, maintain_order=True)
    at = added["\x1fbehind"] + 1 + pl.int_range(added.height, eager=True)
    unowned = added.with_columns(pl.lit(None, pl.UInt32).alias(ORIGIN))
    return interleaved(rows.select(columns), unowned.select(columns), at)


def interleaved(rows: pl.DataFrame, others: pl.DataFrame, at: pl.Series) -> pl.DataFrame:
    """Return the rows, in order, with others of the same columns among them, which then stand `at` these positions."""
    size = rows.height + others.height
    source = pl.int_range(size, eager=True).scatter(at, pl.int_range(rows.height, size, eager=True))
    is_other = pl.int_range(size, eager=True).is_in(at.implode())
    return pl.concat([rows, others])[source.scatter((~is_other).arg_true(), pl.int_range(rows.height, eager=True))]


def _behind(height: int, place: Place, uniform: pl.Expr) -> pl.Expr:
    """Return the number of the row behind which each added one stands."""
    origin = pl.col(ORIGIN).cast(pl.Int64)
    if place == "end":
        return pl.lit(height - 1, pl.Int64)
    return origin if place == "after" else origin + (uniform * (height - origin)).cast(pl.Int64)


def number(row_key: str) -> pl.Expr:
    """Return a row key as a number, null if it is none."""
    return pl.col(row_key).cast(pl.Int64, strict=False)


def offset_key(row_key: str, offset: int) -> pl.Expr:
    """Return the row key of what was added for a row."""
    return (number(row_key) + offset).cast(pl.String)


def offsets(declared: int) -> Iterator[int]:
    """Yield the offset as it is declared, then with one zero more each time: what a table of any size finds room with."""
    return (declared * 10**zeros for zeros in count())


def fitting(rows: pl.DataFrame, table: PublishedTable, declared: int) -> int:
    """Return the first of the offsets by which no two row keys of the table's own rows are apart.

    All rows are looked at, whichever were chosen: so it does not depend on draws, and whatever is so far above a row of the
    table was added.

    Raises:
        InputError: A row key is no number, or an earlier rule added one that is just so far above another.
    """
    own = rows.filter(pl.col(ELIGIBLE).is_not_null()).select(number(table.row_key)).to_series().drop_nulls()
    fits = (offset for offset in offsets(declared) if not own.is_in((own - offset).implode()).any())
    _refuse_taken(rows, table, offset := next(fits))
    return offset


def _refuse_taken(rows: pl.DataFrame, table: PublishedTable, offset: int) -> None:
    """Raise `InputError` for the first row key that is no number, or that another one is `offset` above."""
    own = number(table.row_key)
    expected = (
        f"numbers, for a row key of its own is {offset} above that of the row it was made for; leave id_offset out"
    )
    refuse_any(rows, table, table.row_key, own.is_null(), expected)
    numbers = rows.select(own).to_series()
    is_taken = own.is_in((numbers - offset).implode())
    expected = f"no two row keys {offset} apart, for those of added rows are: name another id_offset"
    refuse_any(rows, table, table.row_key, is_taken, expected) if rows.height else None
