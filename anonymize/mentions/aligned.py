"""Texts beside their normal forms, with the place in the text of each character of the normal form.

All texts are laid end to end, so that each step is one over all characters. What is looked for belongs to `finding.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.normal_form import is_seen, letters

_Ints = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]

_CODE_POINTS = 0x110000
_WIDER = (0x80, 0x800, 0x10000)
"""Characters from which on UTF-8 takes one byte more."""

_APART = r"[0-9a-zß-öø-ɏͰ-ԯ]"
"""Characters in normal form of scripts that set words apart: Latin, Greek, Cyrillic, and digits."""


@dataclass(frozen=True)
class Aligned:
    """Texts (no nulls) and their normal forms; places in these count characters over all texts."""

    texts: Sequence[str]
    points: npt.NDArray[np.uint32]
    """All characters of the texts."""
    starts: _Ints
    """Where in them each text begins."""
    normal: npt.NDArray[np.uint32]
    """All characters of the normal forms."""
    origin: _Ints
    """For each of these, which character of the texts it comes from."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Aligned":
        """Lay texts end to end and bring them into normal form."""
        points = _points(texts)
        starts = np.concatenate([[0], np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))]).astype(np.int64)
        counts, first, pool = _table(points)
        repeats = counts[points]
        origin = np.repeat(np.arange(len(points)), repeats)
        ends = np.cumsum(repeats)
        within = np.arange(len(origin)) - np.repeat(ends - repeats, repeats)
        return cls(texts, points, starts, pool[first[points[origin]] + within], origin)

    @cached_property
    def bounds(self) -> _Ints:
        """Return where each text's normal form begins, and the end of the last."""
        return np.searchsorted(self.origin, self.starts).astype(np.int64)

    @cached_property
    def forms(self) -> pl.Series:
        """Return the normal form of each text."""
        raw = self.normal.astype("<u4").tobytes()
        ends = zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True)
        return pl.Series("normal", [raw[4 * a : 4 * b].decode("utf-32-le") for a, b in ends], dtype=pl.String)

    @cached_property
    def normals(self) -> list[str]:
        """Return them as a list."""
        return self.forms.to_list()

    @cached_property
    def first(self) -> list[int]:
        """Return where each begins, as a list."""
        return list(map(int, self.bounds))

    @cached_property
    def gaps(self) -> _Ints:
        """Return, for each place and the end, how many places up to it have something that is seen before them."""
        apart = np.diff(self._between[self.origin], prepend=-1) > 0
        apart[self.bounds[:-1][self.bounds[:-1] < len(apart)]] = True
        return np.concatenate([[0], np.cumsum(apart)]).astype(np.int64)

    @cached_property
    def whole(self) -> _Flags:
        """Return, for each place and the end, whether a token may begin or end there: it cuts through no word."""
        word = self._is_word
        inside = np.zeros(len(word) + 1, dtype=np.bool_)
        inside[1:-1] = word[1:] & word[:-1] & ~(np.diff(self.gaps)[1:] > 0)
        return ~inside

    @cached_property
    def _is_word(self) -> _Flags:
        used = np.flatnonzero(np.bincount(self.normal)) if len(self.normal) else np.array([], dtype=np.int64)
        is_apart = pl.Series([chr(point) for point in used], dtype=pl.String).str.contains(_APART).to_numpy()
        table = np.zeros(_CODE_POINTS, dtype=np.bool_)
        table[used] = is_apart
        return table[self.normal]

    @cached_property
    def _between(self) -> _Ints:
        """Return, for each character of the texts, how many up to it are seen but neither letter nor digit."""
        used = np.flatnonzero(np.bincount(self.points)) if len(self.points) else np.array([], dtype=np.int64)
        table = np.zeros(_CODE_POINTS, dtype=np.bool_)
        table[[point for point in used if is_seen(chr(point)) and not letters(chr(point))]] = True
        return np.cumsum(table[self.points]).astype(np.int64)

    def found(self, needles: Sequence[str]) -> pl.DataFrame:
        """Return where needles stand in normal forms, cutting through no word: `row, needle, start, end`, overlaps included."""
        none = {"row": pl.UInt32, "needle": pl.String, "start": pl.Int64, "end": pl.Int64}
        if not needles or not len(self.normal):
            return pl.DataFrame(schema=none)
        frame = self.forms.to_frame().with_row_index("row")
        wanted = list(needles)
        hits = frame.select(
            "row",
            needle=pl.col("normal").str.extract_many(wanted, overlapping=True),
            offset=pl.col("normal").str.find_many(wanted, overlapping=True),
        ).explode("needle", "offset", empty_as_null=False)
        start = self._place(hits["row"].to_numpy(), hits["offset"].to_numpy())
        end = start + hits["needle"].str.len_chars().to_numpy()
        is_whole = pl.Series(self.whole[start])
        return (
            hits.select("row", "needle", start=pl.Series(start), end=pl.Series(end))
            .filter(is_whole)
            .sort("row", "start", "end")
        )

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in all texts of a piece of the normal forms that is not empty."""
        return int(self.origin[start]), int(self.origin[end - 1]) + 1

    def _place(self, rows: npt.NDArray[np.uint32], offsets: npt.NDArray[np.uint32]) -> _Ints:
        """Return the places that byte offsets in the normal forms mean."""
        widths = 1 + sum((self.normal >= first).astype(np.int64) for first in _WIDER)
        reached = np.concatenate([[0], np.cumsum(widths)])
        return np.searchsorted(reached, reached[self.bounds[rows]] + offsets).astype(np.int64)


def _points(texts: Sequence[str]) -> npt.NDArray[np.uint32]:
    return np.frombuffer("".join(texts).encode("utf-32-le"), dtype="<u4").astype(np.uint32)


def _table(points: npt.NDArray[np.uint32]) -> tuple[_Ints, _Ints, npt.NDArray[np.uint32]]:
    """Return, by character, how long its normal form is and where it begins in a pool of normal forms."""
    used = np.flatnonzero(np.bincount(points)) if len(points) else np.array([], dtype=np.int64)
    normals = [letters(chr(point)) for point in used]
    counts, first = np.zeros(_CODE_POINTS, dtype=np.int64), np.zeros(_CODE_POINTS, dtype=np.int64)
    counts[used] = [len(normal) for normal in normals]
    first[used] = np.cumsum(counts[used]) - counts[used]
    return counts, first, _points(normals)
