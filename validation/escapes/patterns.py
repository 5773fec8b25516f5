"""Finds many patterns in long data: every place is looked up by four bytes, and few are left to be compared.

Each pattern is known by four bytes of its own that, with the four before, are rare among all patterns. A table says whether the
four bytes at a place may be such; a second one, whether the four before fit as well. What is left is compared byte by byte, so
that exactly what stands is found. Unlike an automaton, this needs next to no preparation, so that small files and blocks are
cheap, too.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

SHORTEST = 4
"""Bytes of the shortest pattern that the tables know; shorter ones are searched for one by one."""

_CHUNK = 2**18
"""Bytes that are looked up at a time: few enough for a processor's cache."""

_BITS, _BITS_BEFORE = 20, 24
"""Of the tables' slots: many more than there are patterns; the first table, where every place is looked up, fits the cache."""

_MIXERS = np.uint32(0x9E3779B1), np.uint32(0x85EBCA6B)
"""Odd factors that spread bytes over slots (Knuth's golden ratio; MurmurHash3)."""

_Ints = npt.NDArray[np.int64]
_Grams = npt.NDArray[np.uint32]


class Patterns:
    """Patterns that are found together. They are never empty."""

    def __init__(self, patterns: Iterable[bytes]) -> None:
        """Choose by which four bytes each pattern is known."""
        distinct = dict.fromkeys(patterns)
        self._short = [pattern for pattern in distinct if len(pattern) < SHORTEST]
        known = [pattern for pattern in distinct if len(pattern) >= SHORTEST]
        # End to end and in arrays: an object for each would take ten times the memory.
        self._text = b"".join(known)
        sizes = np.fromiter(map(len, known), np.int64, len(known))
        starts = np.cumsum(sizes) - sizes
        fours = _every_four(self._text)
        is_long = sizes >= 2 * SHORTEST
        anchors = _rarest(self._text, fours, starts, sizes, is_long)
        grams, before = fours[starts + anchors], fours[np.maximum(starts + anchors - SHORTEST, 0)]
        places = np.stack([anchors, starts, starts + sizes], axis=1)
        self._short_ones = _Known(grams[~is_long], places[~is_long])
        self._long_ones = _Known(_eight(grams[is_long], before[is_long]), places[is_long])
        self._is_gram, self._is_alone = np.zeros((2, 2**_BITS), dtype=np.bool_)
        self._is_before = np.zeros(2**_BITS_BEFORE, dtype=np.bool_)
        self._learn(grams, before[is_long], is_long)

    def __getstate__(self) -> dict[str, Any]:
        """Return what it is made of, of its tables the slots that are taken: all else of their 18 MB is empty."""
        tables = {name: value for name, value in vars(self).items() if getattr(value, "dtype", None) == np.bool_}
        return vars(self) | {name: (table.size, np.flatnonzero(table)) for name, table in tables.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if isinstance(value, tuple):
                size, taken = value
                state[name] = np.zeros(size, dtype=np.bool_)
                state[name][taken] = True
        vars(self).update(state)

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield where each pattern stands, also within others."""
        candidates = self._candidates(data)
        grams = _as_numbers(data[at : at + SHORTEST] for at in candidates)
        before = _as_numbers(data[max(at - SHORTEST, 0) : at].rjust(SHORTEST) for at in candidates)
        for known, sought in ((self._short_ones, grams), (self._long_ones, _eight(grams, before))):
            for at, anchor, start, end in known.of(candidates, sought):
                pattern = self._text[start:end]
                if anchor <= at and data.startswith(pattern, at - anchor):
                    yield at - anchor, pattern
        for pattern in self._short:
            at = data.find(pattern)
            while at >= 0:
                yield at, pattern
                at = data.find(pattern, at + 1)

    def held(self, texts: pl.Series) -> dict[int, set[bytes]]:
        """Return, by row, which patterns stand in texts without line breaks."""
        data = texts.str.join("\n").cast(pl.Binary).item()
        hits = list(self.find(data))
        held: dict[int, set[bytes]] = defaultdict(set)
        if hits:
            breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
            for row, (_, pattern) in zip(np.searchsorted(breaks, [at for at, _ in hits]), hits, strict=True):
                held[int(row)].add(pattern)
        return held

    def _learn(self, grams: _Grams, before: _Grams, is_long: npt.NDArray[np.bool_]) -> None:
        """Fill the tables: all fours; those of short patterns, before which anything may stand; others with what is before."""
        self._is_gram[_slots(grams)] = True
        self._is_alone[_slots(grams[~is_long])] = True
        self._is_before[_slots_of_both(grams[is_long], before)] = True

    def _candidates(self, data: bytes) -> list[int]:
        """Return the places whose four bytes, and those before, may be a pattern's."""
        starts = range(0, max(len(data) - SHORTEST + 1, 0), _CHUNK)
        places = [self._in_chunk(data, first) for start in starts for first in range(start, start + SHORTEST)]
        return sorted(place for of_chunk in places for place in of_chunk.tolist())

    def _in_chunk(self, data: bytes, first: int) -> _Ints:
        """Return those among every fourth place of a chunk."""
        count = max(min(_CHUNK, len(data) - first) // SHORTEST, 0)
        has_before = min(first // SHORTEST, 1)
        grams = np.frombuffer(data, dtype="<u4", count=count + has_before, offset=first - SHORTEST * has_before)
        hits = np.flatnonzero(self._is_gram.take(_slots(grams[has_before:])))
        which, before = grams[has_before:][hits], grams[np.maximum(hits + has_before - 1, 0)]
        fits = self._is_alone[_slots(which)] | self._is_before[_slots_of_both(which, before)]
        places: _Ints = first + SHORTEST * hits[fits]
        return places


class _Known:
    """Patterns by the bytes by which they are known."""

    def __init__(self, known: npt.NDArray[Any], places: _Ints) -> None:
        """Sort them; of each place: how far into the pattern its bytes are, where it begins and where it ends."""
        order = np.argsort(known, kind="stable")
        self._known, self._places = known[order], places[order]

    def of(self, candidates: list[int], sought: npt.NDArray[Any]) -> Iterator[tuple[int, int, int, int]]:
        """Yield each candidate with the place of each pattern that is known by the bytes that stand there."""
        first, last = self._known.searchsorted(sought), self._known.searchsorted(sought, "right")
        for number in np.flatnonzero(first < last).tolist():
            for anchor, start, end in self._places[first[number] : last[number]].tolist():
                yield candidates[number], anchor, start, end


def _every_four(text: bytes) -> _Grams:
    """Return the four bytes at every place of a text."""
    if len(text) < SHORTEST:
        return np.empty(0, "<u4")
    raw = np.frombuffer(text, dtype=np.uint8)
    grams: _Grams = np.lib.stride_tricks.sliding_window_view(raw, SHORTEST).copy().view("<u4").ravel()
    return grams


def _slots(grams: _Grams) -> _Grams:
    return (grams * _MIXERS[0]) >> np.uint32(32 - _BITS)


def _slots_of_both(grams: _Grams, before: _Grams) -> _Grams:
    return ((grams * _MIXERS[0]) ^ (before * _MIXERS[1])) * _MIXERS[0] >> np.uint32(32 - _BITS_BEFORE)


def _as_numbers(fours: Iterable[bytes]) -> _Grams:
    return np.frombuffer(b"".join(fours), dtype="<u4")


def _eight(grams: _Grams, before: _Grams) -> npt.NDArray[np.uint64]:
    """Return eight bytes as one number."""
    return (before.astype(np.uint64) << np.uint64(32)) | grams


def _rarest(text: bytes, fours: _Grams, starts: _Ints, sizes: _Ints, is_long: npt.NDArray[np.bool_]) -> _Ints:
    """Return where in each pattern the rarest four bytes begin, a letter among them; of a long one, with four more before."""
    before = np.concatenate([np.zeros(min(SHORTEST, len(fours)), "<u4"), fours[:-SHORTEST]])
    alone = _counts(_slots(fours))
    with_before = _counts(_slots_of_both(fours, before) >> np.uint32(_BITS_BEFORE - _BITS))
    is_letter = np.frombuffer(text, dtype=np.uint8) >= ord("A")
    if len(fours):
        has_none = ~np.lib.stride_tricks.sliding_window_view(is_letter, SHORTEST).any(axis=1)
        alone[has_none] += len(text)
        with_before[has_none] += len(text)
    first = starts + np.where(is_long, SHORTEST, 0)
    last = starts + sizes - SHORTEST + 1
    found = (
        low + (with_before if long else alone)[low:end].argmin()
        for low, end, long in zip(first.tolist(), last.tolist(), is_long.tolist(), strict=True)
    )
    return np.fromiter(found, np.int64, len(starts)) - starts


def _counts(slots: _Grams) -> npt.NDArray[np.int32]:
    """Return how often each slot is there."""
    counts: npt.NDArray[np.int32] = np.bincount(slots, minlength=2**_BITS).astype(np.int32)[slots]
    return counts
