"""How single values read, in every report and on every page: numbers, names, places.

Belongs here: values of one kind, as text. What they say together is worded once, in the section that shows them
(`report/sections`).
"""

from collections.abc import Mapping
from math import inf

NO_GROUP = "(none)"
"""What stands for a group that is null."""

NOTHING = "nothing to compare"
"""Verdict on what would have to hold, where there is none of it: that is no evidence."""


def number(value: float | None) -> str:
    """Return a number as a reader wants it: integers in full, others with four digits, large ones without an exponent."""
    if value is None:
        return "none"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{float(f'{value:.4g}'):,.0f}" if _LARGE <= abs(value) < inf else f"{value:.4g}"


_LARGE = 10**4
"""From here on four digits have an exponent, which few readers know."""


def verdict(is_passed: object) -> str:
    """Return the word of a verdict."""
    return "passed" if is_passed else "failed"


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


def _plain(value: object) -> str:
    return number(value) if value is None or isinstance(value, float) else str(value)


def briefly(listed: str, what: str = "values") -> str:
    """Return the first few entries of a list in words, and how many more there are of what."""
    every = listed.split(", ")
    return listed if len(every) <= _FEW + 1 else f"{', '.join(every[:_FEW])} and {len(every) - _FEW} more {what}"


_FEW = 3
"""Entries of a list that a sentence names (our choice: tables have them all)."""
