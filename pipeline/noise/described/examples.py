"""One example of what each rule did to each table, from the ledger: what stood there and what stands there, for people.

Belongs here: choosing a change and cutting its texts. Wording of rules is in `wording.py`; examples of a specification that
has not been applied are `silt/commands/noise/explain`'s.
"""

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from pipeline.noise.kinds import KINDS

SHOWN = 40
"""Characters of a text."""

_MARK = "\u2026"
_CELLS = 4
"""Cells that are shown of a whole row."""

_NAMES = 3
"""Names of columns that are shown."""


def examples(ledger: pl.DataFrame, order: Sequence[str]) -> list[dict[str, Any]]:
    """Return one change for each rule and table: `rule, kind, family, table, column, before, after, recoverable`.

    The first change of the rule in the table whose texts are short enough to be shown whole, else the first one.

    Args:
        ledger: The noise ledger, of one table or of several.
        order: Names of the rules, in the order in which they are shown.
    """
    is_short = (pl.col("before").str.len_chars() <= SHOWN) & (pl.col("after").str.len_chars() <= SHOWN)
    chosen = (
        ledger.with_row_index("place")
        .with_columns(is_long=~is_short)
        .group_by("rule", "table")
        .agg(pl.all().sort_by("is_long", "place").first())
    )
    rank = {name: number for number, name in enumerate(order)}
    rows = sorted(chosen.iter_rows(named=True), key=lambda row: (rank.get(row["rule"], len(rank)), row["table"]))
    return [_example(row) for row in rows]


def around_difference(before: str, after: str, shown: int = SHOWN) -> tuple[str, str]:
    """Return the part of two texts in which they begin to differ, so many characters of each at most."""
    start = start_of_difference(before, after, shown)
    return _cut(before, start, shown), _cut(after, start, shown)


def start_of_difference(before: str, after: str, shown: int) -> int:
    """Return from where on to show so many characters of two texts, so that where they begin to differ is among them."""
    pairs = zip(before, after, strict=False)
    same = next((place for place, (old, new) in enumerate(pairs) if old != new), min(len(before), len(after)))
    return max(0, min(same - shown // 3, max(len(before), len(after)) - shown))


def _example(row: dict[str, Any]) -> dict[str, Any]:
    before, after = _texts(row)
    return {
        "rule": row["rule"],
        "kind": row["kind"],
        "family": str(KINDS[row["kind"]].family),
        "table": row["table"],
        "column": row["column"],
        "before": before,
        "after": after,
        "recoverable": row["recoverable"],
    }


def _texts(row: dict[str, Any]) -> tuple[str, str]:
    before, after = row["before"], row["after"]
    if row["row_key"] and row["column"]:
        return around_difference(before, after)
    if row["row_key"]:
        return _of_row(before, after)
    if row["column"]:
        return _of_cells(before, json.loads(before or after))
    return _of_file(json.loads(before), json.loads(after))


def _of_row(before: str, after: str) -> tuple[str, str]:
    """Return a row's first cells on the side where it stands, or its old and new places."""
    if before and after:
        return f"record {int(before) + 1}", f"record {int(after) + 1}"
    return _of_cells(before, json.loads(before or after)["cells"])


def _of_cells(before: str, cells: Sequence[str | None]) -> tuple[str, str]:
    """Return the first cells on the side where they stand: before, if something stood there, or after."""
    shown = _cut(", ".join(cell or "" for cell in cells[:_CELLS]))
    return (shown, "") if before else ("", shown)


def _of_file(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, str]:
    """Return the columns that went and came, or else their order, or else what changed of the dialect."""
    old, new = before["columns"], after["columns"]
    if old != new:
        gone = [name for name in old if name not in new] or old
        come = [name for name in new if name not in old] or new
        return _cut(", ".join(gone[:_NAMES])), _cut(", ".join(come[:_NAMES]))
    names = [name for name, value in before["dialect"].items() if after["dialect"][name] != value]
    changed = (", ".join(f"{name} {layout['dialect'][name]!r}" for name in names) for layout in (before, after))
    first, second = map(_cut, changed)
    return first, second


def _cut(text: str, start: int = 0, shown: int = SHOWN) -> str:
    """Return at most so many characters of a text, marks of what was left out among them."""
    head = _MARK if start else ""
    tail = _MARK if len(text) - start > shown else ""
    return f"{head}{text[start + len(head) : start + shown - len(tail)]}{tail}"
