"""The rows of a table on the page, and the script beside it that holds all of a short one.

Belongs here: how rows look, and the script's form. Which rows there are is decided in `validation/profile/rows.py`. A page
that is opened from a file may load a script beside it, and no other kind of data. The script has each cell in a line of its
own, so that the search for escapes looks at single cells, as it does in the file itself.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from validation.profile.rows import FIRST, ShownRows
from validation.report.html import marked_unseen, visible

FOLDER = "tables"
"""The folder of the scripts, beside the page."""


@dataclass(frozen=True, kw_only=True)
class RowsOnPage:
    """The first rows of a table as HTML, and where the others are."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Markup, ...], ...]
    known: int
    """Rows that can be paged and searched: those on the page and those of the script."""
    first: int
    """How many of these are the first of the file; the others are some that noise changed."""
    has_changes: bool
    script: str
    """The path of the script; empty if it would hold no further row."""


def read(content: str) -> ShownRows:
    """Return rows of which the JSON is given."""
    return ShownRows(**json.loads(content))


_MOST = (FIRST, 20, 5)
"""Rows of each table on the page: as many as have room."""

_ROOM = 600_000
"""Bytes of all rows on the page (our choice: pages stay below 2 MB)."""

_TAGS = len("<td></td>")


def most_on_page(tables: Iterable[ShownRows]) -> int:
    """Return how many rows of each table the page shows."""
    sizes = [[sum(len((cell or "").encode()) + _TAGS for cell in row) for row in found.rows] for found in tables]
    return next((most for most in _MOST if sum(sum(each[:most]) for each in sizes) <= _ROOM), _MOST[-1])


def on_page(found: ShownRows, most: int) -> RowsOnPage:
    """Return what the page shows of a table: so many rows at most."""
    changed = {(row, column): (before, after) for row, column, before, after in found.changed}
    return RowsOnPage(
        columns=tuple(found.columns),
        rows=tuple(tuple(_cells(found, changed, row)) for row in range(min(len(found.rows), most))),
        known=len(found.rows),
        first=found.first,
        has_changes=bool(changed),
        script=_path(found) if len(found.rows) > most else "",
    )


def scripts(tables: Mapping[str, ShownRows]) -> dict[str, bytes]:
    """Return the scripts of tables with more rows than the page shows, by path."""
    most = most_on_page(tables.values())
    return {_path(found): _script(found) for found in tables.values() if len(found.rows) > most}


def _path(found: ShownRows) -> str:
    return f"{FOLDER}/{found.table}.js"


def _script(found: ShownRows) -> bytes:
    """Return a call of the page's `takeRows`, with texts as they are shown."""
    rows = [[marked_unseen(cell) if cell else cell for cell in row] for row in found.rows]
    changed = [[row, column, *map(as_shown, texts)] for row, column, *texts in found.changed]
    held = json.dumps({"table": found.table, "rows": rows, "changed": changed}, ensure_ascii=False, indent=0)
    return f"takeRows(\n{held})\n".encode()


def as_shown(text: str) -> str:
    """Return a changed text as it is shown, without markup."""
    return str(visible(text).striptags())


def _cells(found: ShownRows, changed: Mapping[tuple[int, int], tuple[str, str]], row: int) -> Iterator[Markup]:
    """Yield the cells of a row; of a changed one both texts."""
    for column, text in enumerate(found.rows[row]):
        if texts := changed.get((row, column)):
            yield Markup("<del>{}</del> <ins>{}</ins>").format(*map(as_shown, texts))
        else:
            yield Markup("{}").format(text or "")
