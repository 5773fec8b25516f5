"""Words behind which digits are somebody's number: `Customer 1954`. Which numbers are known is for `codes.py`."""

import re
from collections.abc import Collection, Iterable

from anonymize.mentions.ordinary import HAN
from anonymize.names.vocabulary import words

_NUMBER_WORDS = "number|num|no|nr|id|code|key|ref|reference|nummer|numero|numéro|número|编号|编码|号码|代码|号"
_FOR_NUMBER = re.compile(rf"(?:{_NUMBER_WORDS})$", re.IGNORECASE)
_HEADER_WORD = re.compile(r"[A-Z]?[a-zß-ÿ]+|[A-Z]+(?![a-z])|[\u3400-\u9fff]+")
_ENDING = re.compile(r"(?<=\w\w\w)(?:en|n|es|s)$")
_SAYS_NOTHING = frozenset(words("name index row table list data detail profile main master line"))
"""Words of headers that do not say whose number it is."""

FOR_PEOPLE = frozenset(
    words("customer client buyer user member account patient student employee kund cliente 客户 会员")
)
"""What people are called by their number, whatever their table is called."""


def labels_of(headers: Iterable[str]) -> frozenset[str]:
    """Return the words of headers that say what an entity is: `customer` of `CustomerID`, `Kunde` of `Kundennummer`."""
    said = (word for header in headers for word in _HEADER_WORD.findall(header))
    stems = {_ENDING.sub("", _FOR_NUMBER.sub("", word)) for word in said}
    return frozenset(stem.lower() for stem in stems if len(stem) > (1 if HAN.match(stem) else 2)) - _SAYS_NOTHING


def labelled(labels: Collection[str], longest: int) -> re.Pattern[str]:
    """Return the pattern of a label with a `code` behind it, of so many digits at most."""
    any_label = "|".join(map(re.escape, sorted(labels, key=lambda label: (-len(label), label))))
    return re.compile(
        rf"(?<![A-Za-z])(?P<label>(?i:{any_label})(?i:[a-zß-ÿ]{{0,3}}?(?:[\s_\-]{{0,2}}(?:{_NUMBER_WORDS}))?))"
        rf"[.:：#\s]{{0,3}}(?P<code>0*\d{{1,{longest}}})(?!\w|[.,]\d)"
    )
