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


_AFTER_SENTENCE = re.compile(r"\s+[A-Z]|\s*$")
