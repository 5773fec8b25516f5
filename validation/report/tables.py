"""Tables of the page: one form, which the script sorts and filters.

Belongs here: form alone. Cells are given as values; a number stands to the right and is sorted as what it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from validation.report.frame import number
from validation.report.words import NOTHING

MANY = 12
"""Rows above which a table scrolls in a box and has a filter."""


@dataclass(frozen=True)
class Html:
    """A cell that is HTML already; `value` is what it is sorted and filtered by, if not its text."""

    text: str
    value: float | str | None = None
    kind: str = ""
    """Class of the cell."""


Cell = Html | str | float | int | None


def sortable(headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, name: str) -> str:
    """Return a table that sorts by any column; a long one filters, too, and scrolls.

    Args:
        headings: one for each column.
        rows: as many cells each.
        name: what the table lists, for readers who do not see it.
    """
    rows = list(rows)
    numeric = [_is_numeric([row[i] for row in rows]) for i in range(len(headings))]
    heads = "".join(
        f'<th scope="col"{_class("n" if right else "")}>{escape(heading)}</th>'
        for heading, right in zip(headings, numeric, strict=True)
    )
    body = "".join(_row(row) for row in rows)
    long = " tall" if len(rows) > MANY else ""
    return (
        f'<div class="wide{long}" tabindex="0" role="region" aria-label="{escape(name)}">'
        f'<table class="sortable"{" data-filter" if long else ""}>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )


def word(is_passed: object, *, good: str = "passed", bad: str = "FAILED", compared: int = 1) -> Html:
    """Return a verdict as a cell: the word says it, colour repeats it; of nothing compared nothing holds."""
    if is_passed and not compared:
        return Html(NOTHING, kind="told")
    return Html(escape(good if is_passed else bad), kind="kept" if is_passed else "exceeded")


def _is_numeric(column: Sequence[Cell]) -> bool:
    numbers = [
        isinstance(cell, int | float) or (isinstance(cell, Html) and isinstance(cell.value, float)) for cell in column
    ]
    return any(numbers) and all(known or cell is None for known, cell in zip(numbers, column, strict=True))


def _row(cells: Sequence[Cell]) -> str:
    return f"<tr>{''.join(map(_cell, cells))}</tr>\n"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Html):
        kind = f"{cell.kind} n".strip() if isinstance(cell.value, float) else cell.kind
        value = "" if cell.value is None else f' data-value="{escape(str(cell.value))}"'
        return f"<td{_class(kind)}{value}>{cell.text}</td>"
    if cell is None:
        return "<td></td>"
    if isinstance(cell, int | float):
        return _number(cell)
    return f"<td>{escape(cell)}</td>"


def _number(value: float) -> str:
    text = number(value)
    exact = "" if isinstance(value, int) else f' data-value="{value:.12g}"'
    return f'<td class="n"{exact}>{text}</td>'


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""
