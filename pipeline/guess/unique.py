"""Which rows of records would be published as they were and be found by that, and what prevents it.

A row is found if no other has what it has in all columns that stay, or in two figures and the hour of a weekday, as an attack
on events looks for it. Under `lsd` attributes, weekdays and times of day stay, as do the leading digits of figures, of small
ones all. In turn fewer digits stay, down to none, and the attribute with most values is left out, until hardly a row is
published whole that is the only one of its kind.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
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
    moments = [_moment(each, "%u %H:%M:%S%.f").alias(f"time of day {number}") for number, each in enumerate(times)]
    hours = [_moment(each, "%u %H").alias(f"hour {number}") for number, each in enumerate(times)]
    frame = pl.DataFrame([*(each.text.alias(each.name) for each in (*figures, *kept)), *moments, *hours])
    lengths = {each.name: _length(plain_numbers(each.text, each.column.numerals)).alias(each.name) for each in figures}
    short = {name: length for name, length in lengths.items() if float(length.median() or 0) <= _SHORT}  # type: ignore[arg-type]
    clocks, left_out = [each.name for each in moments], list[str]()
    fewest = dict.fromkeys(digits, 0)
    pairs = [[lengths[name] for name in pair] for pair in combinations(lengths, min(2, len(lengths)))]
    alone = [_alone(frame, [one.name for one in (*pair, *hours)]) for pair in pairs]

    def share(staying: Mapping[str, int], kept: Sequence[str]) -> float:
        """Return what is found by all figures, since others are known to be drawn by the small ones alone, or by two."""
        known = ((_alone(frame, [*each, *kept]), each.values()) for each in (lengths, short))
        return max(_as_it_was(rows, by, staying) for rows, by in (*known, *zip(alone, pairs, strict=True)))

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


def _moment(looked: Looked, form: str) -> pl.Series:
    """Return what a move by whole weeks leaves of times: the weekday and the time of day."""
    return looked.values.cast(pl.Datetime("us")).dt.to_string(form)


def _length(text: pl.Series) -> pl.Series:
    """Return how many digits each number has, from its first to its last that is not a zero behind the point."""
    plain = text.str.replace_all(r"[^\d.]", "").str.replace(r"(\.\d*?)0+$", "$1").str.replace_all(r"\.", "")
    return plain.str.strip_chars_start("0").str.len_chars().cast(pl.Int64).fill_null(0)


def _alone(frame: pl.DataFrame, columns: Sequence[str]) -> pl.Series:
    """Say which rows are the only ones of their kind."""
    is_alone = pl.struct(columns).is_unique() if columns else pl.lit(value=False)
    return frame.with_columns(is_alone.alias("is alone"))["is alone"]


def _as_it_was(is_alone: pl.Series, lengths: Iterable[pl.Series], digits: Mapping[str, int]) -> float:
    """Return the part of the rows that are alone and, in the mean, published as they were."""
    alike = is_alone.cast(pl.Float64)
    for length in lengths:
        drawn = (length - digits[length.name]).clip(0).cast(pl.Float64)
        # Where no digit stays, no figure but 0 stays what it was.
        alike = alike * (10.0**-drawn if digits[length.name] else (length == 0).cast(pl.Float64))
    return float(alike.mean() or 0.0)  # type: ignore[arg-type]
