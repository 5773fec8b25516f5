"""How figures and foreign text read on the page: shares, counts, signed figures, cells with their blanks visible.

Belongs here: wording of single values. What they say together stands with the sections.
"""

import re
import unicodedata
from collections.abc import Mapping
from html import escape
from typing import Any

LEAST_SHOWN = 0.0005
"""Share from which a tenth of a per cent shows."""

NO_GROUP = "(none)"
"""What stands for a group that is null."""

_HIDDEN = {"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"}
"""Unicode categories of characters that a reader cannot see, the plain blank apart."""


def percent(share: float) -> str:
    """Return a share so that only 0 reads as 0% and only 1 as 100%."""
    if share in {0, 1}:
        return f"{share:.0%}"
    if share < LEAST_SHOWN:
        return "under 0.1%"
    return f"{share:.1%}" if share < 1 - LEAST_SHOWN else "over 99.9%"


def command(text: str) -> str:
    """Return a command as HTML that breaks between its words and nowhere else."""
    return f"<code>{' '.join(f'<span>{escape(each)}</span>' for each in text.split(' '))}</code>"


def verdict(is_passed: object) -> str:
    """Return the word of a verdict."""
    return "passed" if is_passed else "failed"


NOTHING = "nothing to compare"
"""Verdict on what would have to hold, where there is none of it: that is no evidence."""


def spoken(name: str) -> str:
    """Return a field's name as words."""
    return name.replace("_", " ")


def group_name(group: object) -> str:
    """Return the name of a group, which may be null."""
    return NO_GROUP if group is None else str(group)


def cell_of(cell: object) -> str:
    """Return where a worst cell stands, as text: its columns and values; one that is null or absent as nothing."""
    if not cell:
        return ""
    if isinstance(cell, Mapping):
        return ", ".join(f"{spoken(str(name))} {_plain(value)}" for name, value in cell.items())
    return str(cell)


def visible(text: str | None) -> str:
    """Return a cell's text as HTML, with what cannot be seen made visible: no value, nothing, blanks and marks."""
    if text is None:
        return "<i>absent</i>"
    if not text:
        return "<i>empty</i>"
    shown = "".join(_seen(character) for character in text)
    shown = re.sub("^ +| +$| {2,}", lambda blanks: _mark("\u2423" * len(blanks.group())), shown)
    return f"<q>{shown}</q>"


def _seen(character: str) -> str:
    if character != " " and unicodedata.category(character) in _HIDDEN:
        return _mark(f"U+{ord(character):04X}")
    return escape(character)


def _mark(text: str) -> str:
    return f"<mark>{text}</mark>"


def _plain(value: Any) -> str:
    return "none" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
