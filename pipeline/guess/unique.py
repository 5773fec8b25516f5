"""Which rows of records would be published as they were and be found by that, and what prevents it.

A row is found if no other has what it has in all columns that stay. Under `lsd` attributes, weekdays and times of day stay, and
so do the leading digits of figures, of small figures all of them. In turn fewer digits stay, down to none, and the attribute
with most values is left out, until hardly a row is published whole that is the only one of its kind.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from pipeline.conform.cells import plain_numbers
from pipeline.guess.looking import Looked

MOST = 0.01
"""Part of the rows that may be unique and published as they were (our choice)."""

_SHORT = 2
"""Digits of the median of small figures, at most: of these no digit stays before one of others does not."""


class Prevented(NamedTuple):
    """Leading digits of each figure that may stay, attributes that are left out, and the part of the rows found even so."""

    digits: Mapping[str, int]
    left_out: tuple[str, ...]
    share: float


def prevented(
    figures: Sequence[Looked], digits: Mapping[str, int], kept: Sequence[Looked], times: Sequence[Looked]
) -> Prevented:
    """Say what prevents it, for figures of which so many digits would stay, attributes that are kept, and times that move."""
    moments = [_moment(each).alias(f"time of day {number}") for number, each in enumerate(times)]
    frame = pl.DataFrame([*(each.text.alias(each.name) for each in (*figures, *kept)), *moments])
    lengths = {each.name: _length(plain_numbers(each.text, each.column.numerals)) for each in figures}
    short = {name: length for name, length in lengths.items() if float(length.median() or 0) <= _SHORT}  # type: ignore[arg-type]
    clocks, left_out = [each.name for each in moments], list[str]()
    fewest = dict.fromkeys(digits, 0)

    def share(staying: Mapping[str, int], kept: Sequence[str]) -> float:
        """Return what is found by all figures or, since others are known to be drawn, by the small ones alone."""
        return max(_share(frame, [*known, *kept], known, staying) for known in (lengths, short))

    if share(fewest, clocks) > MOST:
        clocks = []  # they alone tell rows apart, and moving them is all that this policy does
    attributes = sorted((each.name for each in kept), key=lambda name: frame[name].n_unique())
    for most, least in ((3, 3), (2, 2), (1, 1), (1, 0), (0, 0)):
        staying = {name: min(least if name in short else most, given) for name, given in digits.items()}
        found = share(staying, [*clocks, *attributes])
        if found <= MOST:
            return Prevented(staying, (), found)
    while attributes and found > MOST:
        left_out.append(attributes.pop())
        found = share(fewest, [*clocks, *attributes])
    return Prevented(fewest, tuple(left_out), found)


# ----------------------------------------------------------------------------------------------------------------------


def _moment(looked: Looked) -> pl.Series:
    """Return what a move by whole weeks leaves of times: the weekday and the time of day."""
    return looked.values.cast(pl.Datetime("us")).dt.to_string("%u %H:%M:%S%.f")


def _length(text: pl.Series) -> pl.Series:
    """Return how many digits each number has, from its first to its last that is not a zero behind the point."""
    plain = text.str.replace_all(r"[^\d.]", "").str.replace(r"(\.\d*?)0+$", "$1").str.replace_all(r"\.", "")
    return plain.str.strip_chars_start("0").str.len_chars().cast(pl.Int64).fill_null(0)


def _share(
    frame: pl.DataFrame, columns: Sequence[str], lengths: Mapping[str, pl.Series], digits: Mapping[str, int]
) -> float:
    """Return the part of the rows that are the only ones of their kind and, in the mean, published as they were."""
    if not columns or not frame.height:
        return 0.0
    alike = pl.Series([1.0]).new_from_index(0, frame.height)
    for name, length in lengths.items():
        drawn = (length - digits[name]).clip(0).cast(pl.Float64)
        # Where no digit stays, no figure but 0 stays what it was.
        alike = alike * (10.0**-drawn if digits[name] else (length == 0).cast(pl.Float64))
    is_alone = frame.select(pl.struct(columns).is_unique()).to_series()
    return float((is_alone * alike).sum()) / frame.height
