"""Texts beside their normal forms, with the place in the text of each character of the normal form.

All texts are laid end to end, so that each step is one over all characters. What is looked for belongs to `finding.py`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.normal_form import CODE_POINTS, is_seen, letters, used

_Places = npt.NDArray[np.int32]
_Points = npt.NDArray[np.uint32]
_Flags = npt.NDArray[np.bool_]

_PIECES = (1, 2, 4, 8)
"""How many characters at either end are compared, to see whether a needle may stand in texts: the largest that it has."""

_BITS, _FACTOR = 22, np.uint32(0x9E3779B1)
"""Of hashes: two to this power are distinguished; the factor is Knuth's (The Art of Computer Programming, 6.4)."""

_APART = r"[0-9a-zß-öø-ɏͰ-ԯ]"
"""Characters in normal form of scripts that set words apart: Latin, Greek, Cyrillic, and digits."""


@dataclass(frozen=True)
class Aligned:
    """Texts (no nulls) and their normal forms; places in these count characters over all texts."""

    texts: Sequence[str]
    points: _Points
    """All characters of the texts."""
    starts: _Places
    """Where in them each text begins."""
    normal: _Points
    """All characters of the normal forms."""
    origin: _Places
    """For each of these, which character of the texts it comes from."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Aligned":
        """Lay texts end to end and bring them into normal form."""
        points, starts = code_points(texts), np.cumsum([0, *map(len, texts)], dtype=np.int32)
        there = used(points)
        normals = [letters(chr(point)) for point in there]
        counts, first = np.zeros(CODE_POINTS, dtype=np.uint8), np.zeros(CODE_POINTS, dtype=np.int32)
        counts[there] = [len(normal) for normal in normals]
        first[there] = np.cumsum(counts[there], dtype=np.int32) - counts[there]
        origin = np.repeat(np.arange(len(points), dtype=np.int32), counts[points])
        places = first[points[origin]]
        # Few characters have more letters than one.
        further = np.flatnonzero(origin[1:] == origin[:-1]) + 1
        places[further] += further - np.searchsorted(origin, origin[further])
        return cls(texts, points, starts, code_points(normals)[places], origin)

    @cached_property
    def bounds(self) -> npt.NDArray[np.intp]:
        """Return where each text's normal form begins, and the end of the last."""
        return np.searchsorted(self.origin, self.starts)

    @cached_property
    def normals(self) -> list[str]:
        """Return the normal form of each text."""
        joined = self.normal.tobytes().decode("utf-32-le")
        return [joined[start:end] for start, end in pairwise(self.first)]

    @cached_property
    def first(self) -> list[int]:
        """Return where each begins, and the end of the last, as a list."""
        return list(map(int, self.bounds))

    @cached_property
    def gaps(self) -> _Places:
        """Return, for each place and the end, how many places up to it have something that is seen before them."""
        between = np.flatnonzero(_marked(self.points, lambda one: is_seen(one) and not letters(one))[self.points])
        gaps = np.zeros(len(self.origin) + 1, dtype=np.int32)
        is_apart = np.zeros(len(gaps), dtype=np.bool_)
        is_apart[np.searchsorted(self.origin, between.astype(np.int32))] = True
        is_apart[self.bounds[:-1]] = True
        np.cumsum(is_apart[:-1], dtype=np.int32, out=gaps[1:])
        return gaps

    @cached_property
    def whole(self) -> _Flags:
        """Return, for each place and the end, whether a token may begin or end there: it cuts through no word."""
        word = _marked(self.normal, re.compile(_APART).match)[self.normal]
        whole = np.ones(len(word) + 1, dtype=np.bool_)
        whole[1:-1] = (self.gaps[2:] > self.gaps[1:-1]) | ~(word[1:] & word[:-1])
        return whole

    def found(self, needles: "Needles") -> pl.DataFrame:
        """Return where needles stand in normal forms, cutting through no word: `row, needle, start, end`, overlaps included."""
        none = {"row": pl.UInt32, "needle": pl.String, "start": pl.Int64, "end": pl.Int64}
        likely = needles.likely_in(self.normal)
        if not likely:
            return pl.DataFrame(schema=none)
        forms = pl.Series(self.normals, dtype=pl.String).to_frame("normal").with_row_index("row")
        extracted = pl.col("normal").str.extract_many(likely, overlapping=True)
        hits = forms.select("row", needle=extracted).explode("needle", empty_as_null=False)
        start = pl.Series("start", self._places(hits["row"].to_list(), hits["needle"].to_list()), dtype=pl.Int64)
        return (
            hits.with_columns(start, end=start + hits["needle"].str.len_chars())
            .filter(pl.Series(self.whole[start.to_numpy()]))
            .sort("row", "start", "end")
        )

    def _places(self, rows: Sequence[int], needles: Sequence[str]) -> Iterator[int]:
        """Yield where needles begin that an automaton found in rows: in the order of their ends, none twice."""
        last_row = -1
        for row, needle in zip(rows, needles, strict=True):
            if row != last_row:
                last_row, normal, first, reached = row, self.normals[row], self.first[row], 0
                last: dict[str, int] = {}
            at = normal.find(needle, max(reached - len(needle), last.get(needle, -1) + 1))
            last[needle], reached = at, at + len(needle)
            yield first + at

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in all texts of a piece of the normal forms that is not empty."""
        return int(self.origin[start]), int(self.origin[end - 1]) + 1

    def text_at(self, place: int) -> tuple[int, int]:
        """Return in which text a character stands, and where that begins."""
        row = int(self.starts.searchsorted(place, side="right")) - 1
        return row, int(self.starts[row])


@dataclass(frozen=True)
class Needles:
    """What is looked for in one text block after the other: an automaton of all takes time, and most memory."""

    texts: Sequence[str]

    def likely_in(self, normal: _Points) -> list[str]:
        """Return the needles that begin and end as anything does in normal forms."""
        is_likely = np.zeros(len(self.texts), dtype=np.bool_)
        for length, which, first, last in self._ends:
            is_there = np.zeros(1 << _BITS, dtype=np.bool_)
            is_there[_hashes(normal, length)] = True
            is_likely[which] = is_there[first] & is_there[last]
        return [self.texts[place] for place in np.flatnonzero(is_likely).tolist()]

    @cached_property
    def _ends(self) -> list[tuple[int, npt.NDArray[np.intp], _Points, _Points]]:
        """Return, for each length that is compared: it, which needles have it, and the hashes of their two ends."""
        points, sizes = code_points(self.texts), np.fromiter(map(len, self.texts), np.int64, len(self.texts))
        starts, ends = np.cumsum(sizes) - sizes, list[tuple[int, npt.NDArray[np.intp], _Points, _Points]]()
        for length, longer in zip(_PIECES, (*_PIECES[1:], np.inf), strict=True):
            which, hashes = np.flatnonzero((sizes >= length) & (sizes < longer)), _hashes(points, length)
            if len(which):
                ends.append((length, which, hashes[starts[which]], hashes[(starts + sizes)[which] - length]))
        return ends


def code_points(texts: Sequence[str]) -> npt.NDArray[np.uint32]:
    """Return the characters of texts, end to end."""
    return np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)


def _hashes(points: _Points, length: int) -> _Points:
    """Return a number for every piece of so many characters, the same for the same piece."""
    count = max(len(points) - length + 1, 0)
    hashes = np.zeros(count, dtype=np.uint32)
    for at in range(length):
        hashes *= _FACTOR
        hashes += points[at : at + count]
    hashes *= _FACTOR
    hashes >>= np.uint32(32 - _BITS)
    return hashes


def _marked(points: _Points, is_marked: Callable[[str], object]) -> _Flags:
    """Return by character whether it is used and marked."""
    table = np.zeros(CODE_POINTS, dtype=np.bool_)
    table[[point for point in used(points) if is_marked(chr(point))]] = True
    return table
