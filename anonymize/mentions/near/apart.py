"""In which pieces a name may stand, besides its words: letter by letter, each with a capital, or with a gap within a word.

What else a name needs where it stands belongs to `finding.py`.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from anonymize.mentions.aligned import Aligned
from anonymize.mentions.forms import FEWEST_LETTERS, IN_PIECES, Form, Strength
from anonymize.mentions.ordinary import english_words, syllables

SHORTEST_TORN = 5
"""Letters of the shortest name of which a word may stand with a gap within (our choice; `python -m benchmarks.mentions
--misspelt` counts)."""


def may_stand(aligned: Aligned, form: Form, start: int, end: int, apart: Sequence[int], *, is_torn: bool) -> bool:
    """Say whether the letters of a form may be set apart at these places, counted from its first letter.

    Args:
        is_torn: Whether gaps may stand within words.
    """
    if form.breaks.issuperset(apart) or _is_spaced(form, apart) or _is_spelt(aligned, start, end, apart):
        return True
    return is_torn and _is_torn(aligned, form, start, apart)


def is_hyphenated(aligned: Aligned, form: Form, start: int, end: int) -> bool:
    """Say whether a code, no public word, stands in its own case with hyphens and strokes between letters and digits.

    With a blank it may be a sum of money (`RMB 596`), in small letters the name of a column (`col-12`).
    """
    if form.rule != IN_PIECES or form.strength is not Strength.NAMED or len(form.needle) < FEWEST_LETTERS:
        return False
    low, high = aligned.span(start, end)
    return _HYPHEN.sub("", "".join(map(chr, aligned.points[low:high].tolist()))) == "".join(form.words)


def _is_spaced(form: Form, apart: Sequence[int]) -> bool:
    """Say whether the words of a name are set apart letter by letter, each wholly or not at all."""
    ends = sorted(form.breaks)
    inner = [set(range(a + 1, b)) for a, b in pairwise(ends)]
    return all(letters <= set(apart) or not letters & set(apart) for letters in inner)


def _is_spelt(aligned: Aligned, start: int, end: int, apart: Sequence[int]) -> bool:
    """Say whether a name is written in pieces that all have capitals (`Hai Di Lao`)."""
    pieces = [0, *apart]
    first = [_character(aligned, start + place) for place in pieces]
    sizes = [b - a for a, b in zip(pieces, [*apart, end - start], strict=True)]
    if not all(map(str.isupper, first)) or min(sizes) == 1:
        return False
    row, base = aligned.text_at(int(aligned.origin[start]))
    at = int(aligned.origin[start]) - base
    before = _SYLLABLE_BEFORE.search(aligned.texts[row], max(at - _LONGEST_BEFORE, 0), at)
    return before is None or (before[1].lower() in english_words() and before[1].lower() not in syllables())


def _is_torn(aligned: Aligned, form: Form, start: int, apart: Sequence[int]) -> bool:
    """Say whether a name has gaps within words, one if it is one word, and no capital behind them, as syllables have."""
    within = set(apart) - form.breaks
    is_name = not form.term.kind.endswith("code") and len(form.needle) >= SHORTEST_TORN
    is_any = len(form.words) > 1 or len(within) == 1
    return is_name and is_any and not any(_character(aligned, start + place).isupper() for place in within)


def _character(aligned: Aligned, place: int) -> str:
    return chr(aligned.points[aligned.origin[place]])


_HYPHEN = re.compile("[-/\u00ad\u2010-\u2013]")

_SYLLABLE_BEFORE = re.compile(r"(?<![A-Za-z])([A-Z][a-z]{1,5})[ -]$")
"""A word that may be the first syllable of another name, of which what follows is the rest (`Na Shen Tao`)."""

_LONGEST_BEFORE = 7
"""Characters of the longest such word, with what is behind it."""
