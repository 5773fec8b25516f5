"""Chinese typos: a character gives way to one that sounds or looks like it. Typos in Latin letters are another kind."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import ClassVar, Literal

import polars as pl

from pipeline.noise.documents.fields import Some
from pipeline.noise.kinds.parts.look_alikes import LOOK_ALIKES
from pipeline.noise.kinds.parts.slips import Slip, one_of
from pipeline.noise.kinds.parts.typos import Typos

_Means = Literal["pinyin", "shape"]


class ChineseTypos(Typos):
    """Replaces one character by a homophone (办公室, 办公司) or a look-alike, out of the 3755 common characters."""

    name: ClassVar[str] = "chinese_typos"
    recovery: ClassVar[str] = (
        "Yes, where a vocabulary is given and exactly one of its names differs by one character; prose is lost."
    )

    means: Some[_Means] = ("pinyin", "shape")
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
