"""Values that are seldom asked for, packed: what is found of them is little, and their objects take twenty times the memory."""

import pickle
import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from anonymize.mentions.finding import Finder
from anonymize.mentions.forms import Form

T = TypeVar("T")

_TOGETHER = 256
"""Needles whose forms are packed together: they are unpacked in a millisecond (our choice)."""


@dataclass(frozen=True, repr=False)
class PackedValue(Generic[T]):
    """A value, which is made anew each time that it is asked for. Its `repr` shows nothing of it."""

    _content: bytes

    @classmethod
    def of(cls, value: T) -> Self:
        """Pack a value."""
        return cls(zlib.compress(pickle.dumps(value), level=1))

    @property
    def value(self) -> T:
        """Return the value."""
        value: T = pickle.loads(zlib.decompress(self._content))  # noqa: S301  (as it was packed)
        return value


@dataclass(frozen=True, repr=False)
class PackedForms:
    """The forms of names and words, of which those are unpacked whose needles stand somewhere. Its `repr` shows none."""

    firsts: Sequence[str]
    """The first needle of each pack; packs are in the order of needles."""
    packs: Sequence[PackedValue[tuple[Form, ...]]]

    @classmethod
    def of(cls, by_needle: Mapping[str, Sequence[Form]]) -> Self:
        """Pack forms by their needles."""
        known = sorted(by_needle)
        each = [known[first : first + _TOGETHER] for first in range(0, len(known), _TOGETHER)]
        packs = [PackedValue.of(tuple(form for needle in needles for form in by_needle[needle])) for needles in each]
        return cls([needles[0] for needles in each], packs)

    def finder(self, needles: Iterable[str]) -> Finder:
        """Return what finds these needles, which must be known."""
        by_pack: dict[int, set[str]] = defaultdict(set)
        for needle in needles:
            by_pack[bisect_right(self.firsts, needle) - 1].add(needle)
        return Finder(
            tuple(
                form for place in sorted(by_pack) for form in self.packs[place].value if form.needle in by_pack[place]
            )
        )
