"""`python -m benchmarks.mentions --pieces`: where ordinary text could be a code of letters and digits in pieces.

Counted are all places at which any code of a form could stand, as if a register had every code of it: no register finds more.
Ordinary text is that of invented descriptions, without mentions, and the manual that comes with Python.
"""

import re
from collections.abc import Iterator, Mapping
from pydoc_data.topics import topics

from benchmarks.mentions.companies import companies
from benchmarks.mentions.writing import texts

SHAPES = (
    "A000",
    "A0000",
    "A00000",
    "AA00",
    "AA000",
    "AA0000",
    "AAA000",
    "AAA0000",
    "AAAA0000",
    "AA00AA",
    "000A",
    "0000AA",
)
"""Forms of codes: letters and digits."""

GAPS: Mapping[str, tuple[str, re.RegexFlag]] = {
    "a hyphen or stroke": ("[-/\u2010-\u2013]", re.NOFLAG),
    "the same, in any case": ("[-/\u2010-\u2013]", re.IGNORECASE),
    "a blank": (" ", re.NOFLAG),
    "a blank, in any case": (" ", re.IGNORECASE),
}
"""What stands between letters and digits, and whether letters are capitals."""


def ordinary_texts(count: int = 2_000) -> Iterator[str]:
    """Yield texts in which no code is mentioned."""
    for text in texts(companies(count)):
        ends = [end for _, end in text.zones]
        yield from (
            text.text[end:start]
            for end, start in zip([0, *ends], [start for start, _ in text.zones] + [None], strict=True)
        )
    yield from (" ".join(one.split()) for text in topics.values() for one in text.split("\n\n"))


def places(gap: str) -> dict[str, int]:
    """Return by form at how many places of ordinary texts a code could stand."""
    between, flags = GAPS[gap]
    patterns = {
        shape: re.compile(
            r"(?<![^\W_])"
            + between.join(
                "[A-Z]" * len(run) if run[0] == "A" else r"\d" * len(run) for run in re.findall("A+|0+", shape)
            )
            + r"(?![^\W_])",
            flags,
        )
        for shape in SHAPES
    }
    counted = dict.fromkeys(SHAPES, 0)
    for text in ordinary_texts():
        for shape, pattern in patterns.items():
            counted[shape] += len(pattern.findall(text))
    return counted
