"""Where the records and fields of a CSV file lie, and the first place at which it is no valid CSV (RFC 4180).

Works on all bytes at once, so that it can name the record that is broken; a parser that has lost its place cannot.
Turning the bytes into text columns belongs to `reading.py`, parsing the cells to `cells.py`.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.intp]

QUOTE, LINE_FEED, CARRIAGE_RETURN = b'"\n\r'


@dataclass(frozen=True)
class FieldPlace:
    """The place of a byte: record (the header is 1), field (the first is 0), physical line (the first is 1)."""

    row: int
    field: int
    line: int


@dataclass(frozen=True)
class Layout:
    """Byte offsets of the dividers of lines, records and fields; a divider within quotes is text."""

    quotes: Offsets
    commas: Offsets
    ends: Offsets
    """The end of each record: its line feed, or the end of the file."""
    stray_returns: Offsets
    """Carriage returns outside of quotes that no line feed follows."""
    breaks: Offsets
    """All line feeds, the quoted ones included."""
    separator: int = ord(",")
    blank: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Which records are lines without a sign."""

    def place(self, offset: int) -> FieldPlace:
        """Return the place of one byte."""
        row = int(np.searchsorted(self.ends, offset))
        start = int(self.ends[row - 1]) + 1 if row else 0
        before_record, before_byte = np.searchsorted(self.commas, (start, offset))
        return FieldPlace(row + 1, int(before_byte - before_record), int(np.searchsorted(self.breaks, offset)) + 1)

    def widths(self) -> Offsets:
        """Return the number of fields of each record."""
        return np.diff(np.searchsorted(self.commas, self.ends), prepend=0) + 1

    def lines(self) -> Offsets:
        """Return the physical line on which each record starts."""
        starts = np.concatenate(([0], self.ends[:-1] + 1))
        return np.searchsorted(self.breaks, starts) + 1


def layout(content: bytes, separator: str = ",") -> Layout:
    """Find the dividers of a non-empty file. They are right up to the first misplaced quote."""
    data = np.frombuffer(content, dtype=np.uint8)
    is_quote = data == QUOTE
    is_outside = ~np.logical_xor.accumulate(is_quote)
    is_break = data == LINE_FEED
    returns = np.flatnonzero((data == CARRIAGE_RETURN) & is_outside)
    ends = _closed(np.flatnonzero(is_break & is_outside), data.size)
    return Layout(
        quotes=np.flatnonzero(is_quote),
        commas=np.flatnonzero((data == ord(separator)) & is_outside),
        ends=ends,
        stray_returns=returns[~_stands_in(data, returns + 1, (LINE_FEED,))],
        breaks=np.flatnonzero(is_break),
        separator=ord(separator),
        blank=_are_blank(data, ends),
    )


def broken_quote(content: bytes, found: Layout) -> int | None:
    """Return the offset of the first misplaced quote, or None.

    Quotes open and close in turn. An opening quote stands at the start of a field or, in a doubled quote, right after the
    closing one. A closing quote stands at the end of a field or right before such a double.
    """
    data = np.frombuffer(content, dtype=np.uint8)
    opening, closing = found.quotes[0::2], found.quotes[1::2]
    is_start = (opening == 0) | _stands_in(data, opening - 1, (found.separator, LINE_FEED, QUOTE))
    is_end = (closing == data.size - 1) | _stands_in(
        data, closing + 1, (found.separator, LINE_FEED, CARRIAGE_RETURN, QUOTE)
    )
    never_closed = opening[closing.size :]
    wrong = np.concatenate((opening[~is_start], closing[~is_end], never_closed))
    return int(wrong.min()) if wrong.size else None


def _closed(ends: Offsets, size: int) -> Offsets:
    """Return the ends of records, with the end of the file unless a line feed closes the last record."""
    return ends if ends.size and ends[-1] == size - 1 else np.append(ends, size)


def _are_blank(data: npt.NDArray[np.uint8], ends: Offsets) -> npt.NDArray[np.bool_]:
    """Return which records have no byte, a carriage return aside."""
    lengths: Offsets = np.diff(ends, prepend=-1) - 1
    is_return = (lengths == 1) & _stands_in(data, ends - 1, (CARRIAGE_RETURN,))
    return np.asarray((lengths == 0) | is_return, dtype=np.bool_)


def _stands_in(data: npt.NDArray[np.uint8], offsets: Offsets, allowed: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return, for each offset, whether one of the allowed bytes stands there; false outside of the file."""
    is_inside = (offsets >= 0) & (offsets < data.size)
    return is_inside & np.isin(data[np.where(is_inside, offsets, 0)], allowed)
