"""Latin typos: one slip of the fingers or of a scanner in Latin letters and digits. Chinese typos are another kind."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import ClassVar, Literal, cast

import polars as pl
from rapidfuzz.distance import OSA

from pipeline.noise.documents.fields import Some
from pipeline.noise.kinds.parts.slips import Characters, Flags, Slip, one_of, option
from pipeline.noise.kinds.parts.typos import Typos

_Means = Literal["keyboard", "scan", "transposition", "omission", "doubling"]

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
"""The keys of a US keyboard (QWERTY); each row stands half a key to the right of the one above."""

_SCANNED = (
    *(("0", "O"), ("1", "l"), ("1", "I"), ("l", "I"), ("5", "S"), ("8", "B"), ("2", "Z"), ("6", "G"), ("c", "e")),
    *(("rn", "m"), ("cl", "d"), ("vv", "w"), ("li", "h"), ("ii", "u")),
)
"""What optical character recognition takes for each other: our choice of the confusions that are most often listed."""


class LatinTypos(Typos):
    """Writes one place wrong: a neighbouring key, a misread sign, two letters swapped, one left out or doubled."""

    name: ClassVar[str] = "latin_typos"
    recovery: ClassVar[str] = (
        "Yes, where a vocabulary is given and exactly one of its names is one slip away; prose is lost."
    )

    means: Some[_Means] = ("keyboard", "scan", "transposition", "omission", "doubling")
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
