"""Slips of a writer: one place in a text, drawn among all where the slip can happen, is written wrong.

Which slips there are belongs to the kinds. A slip looks at one character and the one after it, and rewrites both.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.noise.kinds.interface import Draws, drawn
from pipeline.noise.kinds.parts.distinct import by_distinct

Codes = npt.NDArray[np.uint32]
"""Characters as Unicode's code points."""
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Characters:
    """All characters of many texts in a row; the arrays are of one length."""

    this: Codes
    after: Codes
    """The next character of the same text, 0 after its last."""
    is_first: Flags
    is_last: Flags


@dataclass(frozen=True, kw_only=True)
class Slip:
    """One way to write something wrong."""

    name: str
    can_happen: Callable[[Characters], Flags]
    """Returns the characters at which it can happen."""
    written: Callable[[pl.Expr, pl.Expr, pl.Expr], pl.Expr]
    """What is written, given the character, the next one and a uniform draw on [0, 1): never what was there."""


def one_of(characters: Iterable[str]) -> Callable[[Codes], Flags]:
    """Return a test of code points: whether each is one of some characters."""
    table = np.zeros(sys.maxunicode + 1, dtype=np.bool_)
    table[[ord(character) for character in characters]] = True
    return lambda codes: cast("Flags", table[codes])


def is_possible(text: pl.Expr, slips: Sequence[Slip]) -> pl.Expr:
    """Return whether any slip can happen anywhere in a text; null for null."""
    return text.map_batches(partial(_is_possible, slips=slips), return_dtype=pl.Boolean, is_elementwise=True)


def _is_possible(texts: pl.Series, slips: Sequence[Slip]) -> pl.Series:
    distinct = texts.drop_nulls().unique()
    has_none = distinct.filter(~_has_place(distinct, slips))
    is_there = texts.is_not_null()
    # in most columns a slip can happen everywhere, and nothing has to be looked up
    return is_there if has_none.is_empty() else is_there & ~texts.is_in(has_none.implode())


def slip_draws(text: pl.Expr, slips: Sequence[Slip], draws: Draws, column: str) -> dict[str, pl.Expr]:
    """Draw a slip, each alike of those that can happen, a place for it, each alike, and what is written: `slipped`.

    A text in which none can happen stays.
    """
    places = {index: drawn("places").struct.field(slip.name) for index, slip in enumerate(slips)}
    uniform = {f"uniform {what}": draws.uniform(column, what) for what in ("slip", "place", "option")}
    of_slips = pl.Struct({slip.name: pl.List(pl.Int64) for slip in slips})
    return {
        "places": by_distinct(text, partial(_places, slips=slips), of_slips),
        **uniform,
        "slip": _slip(places, drawn("uniform slip")),
        "start": pl.coalesce(
            pl.when(drawn("slip") == index).then(picked(at, drawn("uniform place"))) for index, at in places.items()
        ),
        "slipped": _slipped(text, slips, drawn("uniform option")),
    }


def option(piece: pl.Expr, options: Mapping[str, Sequence[str]], uniform: pl.Expr) -> pl.Expr:
    """Return one of the options of a piece of text, each alike; null if it has none."""
    counts = {piece: float(len(row)) for piece, row in options.items()}
    by_rank = {f"{piece}/{rank}": text for piece, row in options.items() for rank, text in enumerate(row)}
    rank = (uniform * piece.replace_strict(counts, default=None, return_dtype=pl.Float64)).cast(pl.Int64)
    return pl.concat_str(piece, rank, separator="/").replace_strict(by_rank, default=None, return_dtype=pl.String)


def picked(items: pl.Expr, uniform: pl.Expr) -> pl.Expr:
    """Return one item of a list, each alike, by a uniform draw on [0, 1); null of an empty list."""
    return items.list.get((uniform * items.list.len()).cast(pl.Int64), null_on_oob=True)


def _slip(places: Mapping[int, pl.Expr], uniform: pl.Expr) -> pl.Expr:
    """Return the number of one of the slips that have places, each alike; null if none has."""
    has_place = [at.list.len() > 0 for at in places.values()]
    rank = (uniform * pl.sum_horizontal(has_place)).cast(pl.Int64)
    before = accumulate(has_place[:-1], lambda count, one: count + one.cast(pl.Int64), initial=pl.lit(0, pl.Int64))
    return pl.coalesce(
        pl.when(has & (ahead == rank)).then(index) for index, has, ahead in zip(places, has_place, before, strict=True)
    )


def _slipped(text: pl.Expr, slips: Sequence[Slip], uniform: pl.Expr) -> pl.Expr:
    start = drawn("start")
    here, after = text.str.slice(start, 1), text.str.slice(start + 1, 1)
    written = pl.coalesce(
        pl.when(drawn("slip") == index).then(slip.written(here, after, uniform)) for index, slip in enumerate(slips)
    )
    return pl.concat_str(text.str.slice(0, start), written, text.str.slice(start + 2)).fill_null(text)


def _has_place(texts: pl.Series, slips: Sequence[Slip]) -> pl.Series:
    characters, lengths = _characters(texts)
    flags = np.logical_or.reduce([slip.can_happen(characters) for slip in slips])
    return pl.Series(_counts(flags, lengths) > 0, dtype=pl.Boolean)


def _places(texts: pl.Series, slips: Sequence[Slip]) -> pl.Series:
    """Return a struct: for each slip, by its name, the positions of the characters at which it can happen."""
    characters, lengths = _characters(texts)
    return pl.DataFrame([_positions(slip, characters, lengths) for slip in slips]).to_struct()


def _characters(texts: pl.Series) -> tuple[Characters, npt.NDArray[np.int64]]:
    """Return the characters of texts (no nulls), and how many each has."""
    lengths = texts.str.len_chars().cast(pl.Int64).to_numpy()
    this = np.frombuffer("".join(texts).encode("utf-32-le"), dtype="<u4")
    ends = np.cumsum(lengths)[lengths > 0]
    is_last = np.zeros(len(this), dtype=np.bool_)
    is_last[ends - 1] = True
    after = np.append(this[1:], np.zeros(min(1, len(this)), this.dtype))
    after[is_last] = 0
    is_first = np.append(np.ones(min(1, len(this)), np.bool_), is_last[:-1])
    return Characters(this=this, after=after, is_first=is_first, is_last=is_last), lengths


def _positions(slip: Slip, characters: Characters, lengths: npt.NDArray[np.int64]) -> pl.Series:
    """Return for each text the positions in it at which a slip can happen."""
    flags = slip.can_happen(characters)
    number = np.repeat(np.arange(len(lengths)), _counts(flags, lengths))
    starts = np.cumsum(lengths) - lengths
    found = pl.DataFrame({"number": number, slip.name: np.flatnonzero(flags) - starts[number]})
    lists = found.group_by("number", maintain_order=True).agg(slip.name)
    numbers = pl.DataFrame({"number": np.arange(len(lengths))})
    return numbers.join(lists, on="number", how="left", maintain_order="left")[slip.name].fill_null([])


def _counts(flags: Flags, lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how many flags each text has."""
    until = np.append(0, np.cumsum(flags))
    ends = np.cumsum(lengths)
    return cast("npt.NDArray[np.int64]", until[ends] - until[ends - lengths])
