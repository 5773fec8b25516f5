"""Typos: one slip in a text, and the one known name that a misspelt one is near to.

In Chinese a character gives way to one that sounds or looks like it; in Latin letters and digits fingers or a scanner slip.
Drawing slips and writing them belongs to `parts/slips.py`.
"""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Annotated, Literal, cast

import polars as pl
from rapidfuzz.distance import OSA

from pipeline.documents.fields import KnownName, Some, Text
from pipeline.noise.kinds.interface import Draws, Family, WrittenColumn
from pipeline.noise.kinds.parts.known_names import NamesKind, NearNames
from pipeline.noise.kinds.parts.look_alikes import LOOK_ALIKES
from pipeline.noise.kinds.parts.slips import Characters, Flags, Slip, is_possible, one_of, option, slip_draws


class Typos(NamesKind):
    """Writes one place of a text wrong."""

    family = Family.NAMES

    columns: Some[WrittenColumn]
    """Columns of names or prose, each with its own draw."""
    separator: Text | None = None
    """What stands between the names of a list, where a reader looks them up in the vocabulary one by one."""
    vocabulary: Annotated[str, KnownName("vocabulary")] | None = None
    """The names, if a reader can know them."""

    @abstractmethod
    def slips(self) -> tuple[Slip, ...]:
        """Return the slips to draw from."""

    @abstractmethod
    def is_near(self, text: str, name: str) -> bool:
        """Return whether a text is one slip away from a name, as a reader counts who does not know which slips there are."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return is_possible(text, self.slips())

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        return slip_draws(pl.col(column), self.slips(), draws, column)

    def _meaning(self, names: frozenset[str]) -> Callable[[str], str]:
        return NearNames(names, self.is_near).mended


_ChineseMeans = Literal["pinyin", "shape"]


class ChineseTypos(Typos):
    """Replaces one character by a homophone (办公室, 办公司) or a look-alike, out of the 3755 common characters."""

    name = "chinese_typos"
    recovery = "Yes, where a vocabulary is given and exactly one of its names differs by one character; prose is lost."

    means: Some[_ChineseMeans] = ("pinyin", "shape")
    """How characters are mixed up, each alike where it can happen: by sound without tone (zh, ch, sh as z, c, s), by shape."""

    def slips(self) -> tuple[Slip, ...]:
        """Return the slips to draw from."""
        options = {"pinyin": _homophones, "shape": _look_alikes}
        return tuple(_slip(means, options[means]()) for means in self.means)

    def is_near(self, text: str, name: str) -> bool:
        """Return whether a text differs from a name by one character."""
        return len(text) == len(name) and sum(a != b for a, b in zip(text, name, strict=True)) == 1


def common_characters() -> str:
    """Return the 3755 characters of level 1 of GB/T 2312-1980: rows 16 to 55, the last five cells empty."""
    cells = [(row, cell) for row in range(16, 56) for cell in range(1, 95)][:-5]
    return bytes(0xA0 + number for place in cells for number in place).decode("gb2312")


def _slip(name: str, options: Mapping[str, str]) -> Slip:
    has_options = one_of(options)

    def written(this: pl.Expr, after: pl.Expr, uniform: pl.Expr) -> pl.Expr:
        others = this.replace_strict(options, default=None, return_dtype=pl.String)
        return others.str.slice((uniform * others.str.len_chars()).cast(pl.Int64), 1) + after

    return Slip(name=name, can_happen=lambda characters: has_options(characters.this), written=written)


@cache
def _homophones() -> Mapping[str, str]:
    """Return for each common character the others of its sound."""
    from pypinyin import lazy_pinyin  # noqa: PLC0415  (its tables take 0.4 s to load)

    by_sound = defaultdict(list)
    for character in common_characters():
        sound = lazy_pinyin(character)[0]
        by_sound[sound[0] + sound[1:].removeprefix("h")].append(character)
    return _others("".join(group) for group in by_sound.values())


@cache
def _look_alikes() -> Mapping[str, str]:
    """Return for each character of the table those that look like it."""
    return _others(LOOK_ALIKES)


def _others(groups: Iterable[str]) -> Mapping[str, str]:
    """Return for each character of any group all others of its groups."""
    others: dict[str, dict[str, None]] = defaultdict(dict)
    for group in groups:
        for character in group:
            others[character] |= dict.fromkeys(group.replace(character, ""))
    return {character: "".join(row) for character, row in others.items() if row}


_LatinMeans = Literal["keyboard", "scan", "transposition", "omission", "doubling"]

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
"""The keys of a US keyboard (QWERTY); each row stands half a key to the right of the one above."""

_SCANNED = (
    *(("0", "O"), ("1", "l"), ("1", "I"), ("l", "I"), ("5", "S"), ("8", "B"), ("2", "Z"), ("6", "G"), ("c", "e")),
    *(("rn", "m"), ("cl", "d"), ("vv", "w"), ("li", "h"), ("ii", "u")),
)
"""What optical character recognition takes for each other: our choice of the confusions that are most often listed."""


class LatinTypos(Typos):
    """Writes one place wrong: a neighbouring key, a misread sign, two letters swapped, one left out or doubled."""

    name = "latin_typos"
    recovery = "Yes, where a vocabulary is given and exactly one of its names is one slip away; prose is lost."

    means: Some[_LatinMeans] = ("keyboard", "scan", "transposition", "omission", "doubling")
    """How it is written wrong, each alike where it can happen; letters and digits only."""

    def slips(self) -> tuple[Slip, ...]:
        """Return the slips to draw from."""
        return tuple(_SLIPS[means] for means in self.means)

    def is_near(self, text: str, name: str) -> bool:
        """Return whether a text is one substitution, transposition, insertion or omission away from a name."""
        return OSA.distance(text, name, score_cutoff=1) == 1


def _neighbours() -> Mapping[str, tuple[str, ...]]:
    """Return for each letter and digit the keys around its own, in its own case."""
    beside = [pair for row in _ROWS for pair in pairwise(row)]
    below = [pair for upper, lower in pairwise(_ROWS) for pair in zip(upper, lower, strict=False)]
    below_left = [pair for upper, lower in pairwise(_ROWS) for pair in zip(upper[1:], lower, strict=False)]
    lower_case = _both_ways(beside + below + below_left)
    upper_case = {key.upper(): tuple(near.upper() for near in keys) for key, keys in lower_case.items()}
    return upper_case | lower_case


def _both_ways(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return for each member of any pair all its partners, in ascending order."""
    partners = defaultdict(set)
    for one, other in pairs:
        partners[one].add(other)
        partners[other].add(one)
    return {one: tuple(sorted(others)) for one, others in partners.items()}


_NEIGHBOURS, _MISREAD = _neighbours(), _both_ways(_SCANNED)
_PAIRS = {piece: others for piece, others in _MISREAD.items() if len(piece) > 1}
_SINGLES = {piece: others for piece, others in _MISREAD.items() if len(piece) == 1}


def _neighbouring_key(this: pl.Expr, after: pl.Expr, uniform: pl.Expr) -> pl.Expr:
    return option(this, _NEIGHBOURS, uniform) + after


def _misread_sign(this: pl.Expr, after: pl.Expr, uniform: pl.Expr) -> pl.Expr:
    return pl.coalesce(option(this + after, _PAIRS, uniform), option(this, _SINGLES, uniform) + after)


_is_sign, _is_single = one_of(_NEIGHBOURS), one_of(_SINGLES)


def _is_misread(characters: Characters) -> Flags:
    found = _is_single(characters.this)
    for pair in _PAIRS:
        found |= (characters.this == ord(pair[0])) & (characters.after == ord(pair[1]))
    return found


def _is_swapped(characters: Characters) -> Flags:
    this, after = characters.this, characters.after
    return cast("Flags", _is_sign(this) & _is_sign(after) & (this != after))


def _is_left_out(characters: Characters) -> Flags:
    """Return where a character may go, which is nowhere in a text of one."""
    return _is_sign(characters.this) & ~(characters.is_first & characters.is_last)


def _is_typed(characters: Characters) -> Flags:
    return _is_sign(characters.this)


_SLIPS = {
    slip.name: slip
    for slip in (
        Slip(name="keyboard", can_happen=_is_typed, written=_neighbouring_key),
        Slip(name="scan", can_happen=_is_misread, written=_misread_sign),
        Slip(name="transposition", can_happen=_is_swapped, written=lambda this, after, _: after + this),
        Slip(name="omission", can_happen=_is_left_out, written=lambda _this, after, _: after),
        Slip(name="doubling", can_happen=_is_typed, written=lambda this, after, _: this + this + after),
    )
}
