"""The attacks of a privacy report as a table of plain text, for a terminal. Nothing is computed or judged here.

What an attacker knows is the last column, because it is long and may be Chinese, whose width differs between terminals.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.wording import tenths
from validation.attacks.limits import in_words

HEADER = ("family", "attack", "records", "successes", "rate", "upper 95", "chance", "limit", "verdict", "knowledge")

_NUMBERS = frozenset({"records", "successes", "rate", "upper 95", "chance"})
"""Columns that are aligned to the right."""


def attack_table(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return a header and one line for each attack.

    Args:
        entries: The field `attacks` of a privacy report.
    """
    rows = [HEADER, *(_row(entry) for entry in entries)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADER) - 1)]
    return "\n".join(_line(row, widths) for row in rows)


def _row(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        entry["family"],
        entry["attack"],
        f"{entry['records']:,}",
        f"{entry['successes']:,}",
        *(tenths(entry[name]) for name in ("rate", "upper_95", "chance")),
        entry["limit"],
        in_words(entry),
        entry["knowledge"],
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        text.rjust(width) if name in _NUMBERS else text.ljust(width)
        for name, text, width in zip(HEADER, row, widths, strict=False)
    ]
    return "  ".join((*cells, row[-1]))
