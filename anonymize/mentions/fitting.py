"""What is said in the place of a mention, in the shape of what stood there: its capitals, and its full stop."""

import re

from anonymize.mentions.forms import FEWEST_IN_FULL
from anonymize.mentions.ordinary import HAN


def fitted(text: str, start: int, end: int, says: str) -> tuple[int, str]:
    """Return what is said in the shape of what stood there: capitals stay capitals, a full stop stays one."""
    written = text[start:end]
    if len(written) >= FEWEST_IN_FULL and written.isupper():
        says = says.upper()
    elif written.islower() and not HAN.search(written):
        says = says.lower()
    if written.endswith(".") and not says.endswith(".") and _AFTER_SENTENCE.match(text[end : end + 4]):
        return end - 1, says
    if says.endswith(".") and text[end : end + 1] == ".":
        return end, says[:-1]
    return end, says


def closed(text: str, start: int, end: int) -> int:
    """Take in a bracket that closes what was opened."""
    if text[end : end + 1] not in _CLOSING:
        return end
    written = text[start:end]
    is_open = written.count("(") + written.count("（") > written.count(")") + written.count("）")
    return end + 1 if is_open else end


def with_full_stop(text: str, start: int, end: int) -> int:
    """Take in the full stop of an abbreviation."""
    return end + 1 if text[end : end + 1] == "." and _ABBREVIATION.search(text[start:end]) else end


_AFTER_SENTENCE = re.compile(r"\s+[A-Z]|\s*$")
_CLOSING = frozenset(")）")
_ABBREVIATION = re.compile(r"(?:\b(?:co|corp|inc|ltd)|\.\w)$", re.IGNORECASE)
