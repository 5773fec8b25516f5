"""Text that somebody reads: what cannot be seen, or would turn or overwrite what stands beside it, is made visible.

Belongs here: which characters these are, and how a terminal shows them. Data and published files keep them.
"""

import re

UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]"
)
"""Controls but for tab and line feed, separators, blanks without width, what turns the direction, halves of surrogates."""


_TURNS = str.maketrans({"\n": r"\n", "\t": r"\t"})


def legible(text: str) -> str:
    """Return text for a terminal or a log: such characters are written as Python writes them."""
    return UNSEEN.sub(lambda found: repr(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return text that is one line of a list: what it quotes cannot begin another one."""
    return legible(text).translate(_TURNS)
