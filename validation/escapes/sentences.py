"""Where sentences end: no name runs from one into the next (`in China. Its products` does not name China ITS).

How names are looked for belongs to the searches.
"""

import re

from anonymize.names.legal_forms import ENGLISH_FORMS
from validation.escapes.identities import LATIN

_ABBREVIATIONS = (*ENGLISH_FORMS, "bros", "dept", "est", "messrs", "mrs")
"""After these a stop ends no sentence as a rule, after words of one or two letters never: `St. Paul`, `J. C. Penney`."""

_END = re.compile(
    rf"(?<![{LATIN}])(?!(?i:{'|'.join(_ABBREVIATIONS)})\.)[{LATIN}]{{3,}}[.!?][\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-ZÀ-Þ])|[。！？]"
)
"""A stop after a Latin word and before one with a capital, or a Chinese stop."""

MARK = "\ua66e"
"""A letter that no text has and no name: what may stand between the words of a name cannot run over it."""


def with_ends(text: str) -> str:
    """Return a text with a mark after each end of a sentence."""
    return _END.sub(rf"\g<0>{MARK}", text)


def has_end(text: str) -> bool:
    """Return whether a sentence ends within a text, as far as its writing says."""
    return _END.search(text) is not None
