"""Rows that are gone, stand twice, or stand elsewhere. Records of what does not exist are `decoys.py`."""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.fields import NOT_EMPTY, Within
from pipeline.documents.problems import Refusal
from pipeline.keyed import Key
from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.kinds.interface import CHOSEN, ELIGIBLE, Draws, Family, NoisyRows, RowKind, WrittenColumn
from pipeline.noise.kinds.parts.added_rows import Place, fitting, number, offset_key, offsets, with_added
from pipeline.noise.kinds.parts.refusals import refuse_any
from pipeline.noise.mechanisms import ColumnName
from pipeline.numerals import number_of


class DroppedRows(RowKind):
    """Leaves rows out; the row keys of the others stay, so gaps of ids are what is left of them."""

    name = "dropped_rows"
    family = Family.ROWS
    recovery = "No, unless other tables tell what the row said."
    claims_realism = True

    def rearranged(self, rows: pl.DataFrame, _draws: Draws, _beside: Frames) -> pl.DataFrame:
        """Return the rows that were not chosen."""
        return rows.filter(~pl.col(CHOSEN))


Alteration = Literal["blank", "case", "load_time"]
"""A blank at the end; Latin letters all large, or all small where they were large; a time up to a day later."""

_TIMES = {
    r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2}$": ("%d/%m/%Y %H:%M:%S", "%-d/%-m/%Y %-H:%M:%S"),
    r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$": ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S"),
}
"""Forms of times, with how each is read and written: the original's load times (reference 2.1), and ISO 8601."""

_DAY_SECONDS = 86_400


class DuplicateRows(RowKind):
    """Puts a copy of a row into the table: the same record loaded twice, maybe not quite alike."""

    name = "duplicate_rows"
    family = Family.ROWS
    recovery = "Yes, by its row key or its equal cells; of near copies with one key the first is right."

    place: Place = "after"
    """Where the copy stands: right after its row, after all rows, or behind a row drawn from its own on."""
    alter: Annotated[Mapping[WrittenColumn, Alteration], NOT_EMPTY] | None = None
    """What is another in the copy: a stray blank at the end, the other case, a load time up to a day later."""
    id_offset: Annotated[int, Within(1)] | None = None
    """What is added to the row key for the copy's own, which must be a number; it keeps the row's if not given. It gets zeros
    more until no two rows of the table are so far apart."""

    def rearranged(self, rows: pl.DataFrame, draws: Draws, _beside: Frames) -> pl.DataFrame:
        """Return the rows with copies of the chosen ones; see `parts/added_rows.py` for where, and for row keys."""
        key = draws.row_key
        copies = rows.filter(CHOSEN)
        later = copies.select(
            _later(column, draws.of(column, "load_time"), key) for column in self._altered("load_time")
        )
        copies = copies.with_columns(
            *(pl.col(column) + pl.lit(" ") for column in self._altered("blank")),
            *(_other_case(column) for column in self._altered("case")),
            *later,
        )
        places = draws.of("", "place")
        if self.id_offset is not None:
            copies = copies.with_columns(offset_key(key, fitting(rows, draws.table, self.id_offset)).alias(key))
        return with_added(rows, copies, self.place, places, key)

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """No row key stands twice, and cells of copies are equal but for those that are altered."""
        return by[table] not in (self.alter or {})

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows without copies: those whose key, or whose cells under another key, stood before."""
        rows, table = noisy.rows, noisy.table
        if not noisy.has(table.row_key):
            return rows
        if self.id_offset is None:
            return rows.unique(table.row_key, keep="first", maintain_order=True)
        same = [column for column in rows.columns if column not in {table.row_key, *(self.alter or {})}]
        kept = rows.with_columns(number(table.row_key).alias("\x1fnumber"))
        numbered = kept.select(*same, "\x1fnumber").drop_nulls("\x1fnumber")
        span = numbered.select(pl.max("\x1fnumber") - pl.min("\x1fnumber")).item() or 0
        for offset in takewhile(lambda offset: offset <= span, offsets(self.id_offset)):
            copies = numbered.with_columns(pl.col("\x1fnumber") + offset)
            kept = kept.join(copies, on=[*same, "\x1fnumber"], how="anti", nulls_equal=True, maintain_order="left")
        return kept.select(rows.columns)

    def _altered(self, alteration: Alteration) -> list[str]:
        return [column for column, how in (self.alter or {}).items() if how == alteration]


def _other_case(column: str) -> pl.Expr:
    large, small = pl.col(column).str.to_uppercase(), pl.col(column).str.to_lowercase()
    return pl.when(pl.col(column) == large).then(small).otherwise(large).alias(column)


def _later(column: str, draw: Key, row_key: str) -> pl.Expr:
    """Return a time from one second to one day later, in the form that it has; any other text as it is."""
    text = pl.col(column)
    seconds = 1 + (draw.uniform(row_key) * _DAY_SECONDS).cast(pl.Int64)
    later = [
        (text.str.to_datetime(read, strict=False, exact=True) + pl.duration(seconds=seconds)).dt.to_string(written)
        for read, written in _TIMES.values()
    ]
    fitting = [pl.when(text.str.contains(form)).then(moved) for form, moved in zip(_TIMES, later, strict=True)]
    return pl.coalesce(*fitting, text).alias(column)


class ReorderedRows(RowKind):
    """Sorts the chosen rows by a column, or shuffles them; the other rows keep their places.

    Rules on rows that come after see the order that it leaves.
    """

    name = "reordered_rows"
    family = Family.ROWS
    mends_each_row = True
    recovery = "Yes, by the row key, if its numbers rise in the clean table."

    order: Literal["shuffled", "ascending", "descending"]
    """The order of the chosen rows: drawn for each by its row key, or by a column."""
    by: ColumnName | None = None
    """The column that they are sorted by; rows without it come last, and rows alike keep their order."""
    compared_as: Literal["number", "text"] = "number"
    """How its cells are compared; text that is no number then comes last."""
    is_keyed: bool = True
    """Whether the row keys of the clean table are numbers that rise, so that they tell the order; refused where they do not."""

    @property
    def is_recoverable(self) -> bool:
        """Return whether the row key gives the order."""
        return self.is_keyed

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse to sort by nothing, and to shuffle by something."""
        if (self.order == "shuffled") != (self.by is None):
            yield Refusal("by", self.by, "a column if rows are sorted, nothing if they are shuffled")

    def rearranged(self, rows: pl.DataFrame, draws: Draws, _beside: Frames) -> pl.DataFrame:
        """Return the rows with the chosen ones in their new order, among the places that they had."""
        if self.is_keyed:
            _refuse_other_order(rows, draws.table)
        places = rows[CHOSEN].arg_true()
        ranked = rows.select(self._rank(draws).alias("rank"))[places].with_columns(places.alias("from"))
        is_falling = self.order == "descending"
        ordered = ranked.sort("rank", descending=is_falling, nulls_last=True, maintain_order=True)["from"]
        return rows[pl.int_range(rows.height, dtype=pl.UInt32, eager=True).scatter(places, ordered)]

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows in the order of their row keys, where all are numbers."""
        rows, key = noisy.rows, noisy.table.row_key
        if not self.is_keyed or not noisy.has(key) or rows.select(number(key).has_nulls()).item():
            return rows
        return rows.sort(number(key), maintain_order=True)

    def _rank(self, draws: Draws) -> pl.Expr:
        if self.by is None:
            return draws.of("", "order").uniform(draws.row_key)
        return number_of(pl.col(self.by)) if self.compared_as == "number" else pl.col(self.by)


def _refuse_other_order(rows: pl.DataFrame, table: PublishedTable) -> None:
    """Refuse row keys of the table's own rows that do not rise; rows that noise added may stand anywhere."""
    own = number(table.row_key)
    before = pl.when(pl.col(ELIGIBLE).is_not_null()).then(own).shift(1).forward_fill()
    is_wrong = pl.col(ELIGIBLE).is_not_null() & (own.is_null() | (own <= before).fill_null(value=False))
    refuse_any(rows, table, table.row_key, is_wrong, "numbers that rise from row to row; or say is_keyed: false")
