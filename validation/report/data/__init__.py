"""The section on the data: each published table with its columns, records to page and search, and what noise changed in it.

Belongs here: words, order and small pictures; every figure stands in `profile.json`. A column leads to its rules, tests and
expectations, and says where it comes from. Only what a variant publishes is shown, names as the file has them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.wording import counted, percent
from validation.profile import ColumnProfile, TableProfile
from validation.profile.changed import ChangedRow
from validation.profile.rows import COLUMNS, ShownRows
from validation.report.charts.drawings import histogram
from validation.report.data.links import Links
from validation.report.data.rows import as_shown, most_on_page, on_page
from validation.report.documents.profile import Profile
from validation.report.html import render
from validation.report.labels import Labels
from validation.wording import number

SHOWN_BESIDE = 8
"""Columns that are shown of records that noise changed: their key, what was changed, and the first others."""


@dataclass(frozen=True, kw_only=True)
class RowPair:
    """A record without and with noise, cell by cell."""

    key: str
    without: Sequence[Markup | str]
    with_noise: Sequence[Markup | str]
    rules: Sequence[str]


def data_section(of: Profile, links: Links, *, rows: Mapping[str, ShownRows], labels: Labels) -> Markup:
    """Return the section's HTML.

    Args:
        links: Where the columns of a table lead.
        rows: Rows that can be looked into, by the table's name; of a table without any its first records are shown.
    """
    most = most_on_page(rows.values())
    return render(
        "data.html",
        tables=of.tables,
        links=links,
        labels=labels,
        shown_columns=COLUMNS,
        records=lambda table: on_page(rows.get(table.table) or _first(table), most),
        changes=_changes,
        nothing=_NOTHING[links.is_sampled],
        drawn=_drawn,
        beside=_beside,
        pairs=_pairs,
        formulas=lambda table: {each.column: each.formulas for each in table.columns if each.formulas},
        missing=lambda table, column: percent(column.missing / table.records) if table.records else "",
    )


_NOTHING = {
    False: "Nothing of the originals comes here.",
    True: "No record of this kind was sampled: the originals have none, or few.",
}
"""Why a table is empty, by whether records are sampled."""


def _first(table: TableProfile) -> ShownRows:
    columns = tuple(column.column for column in table.columns[:COLUMNS])
    rows = tuple(row[:COLUMNS] for row in table.first)
    return ShownRows(table=table.table, columns=columns, records=table.records, rows=rows, first=len(rows))


def _changes(table: TableProfile) -> str:
    """Return in a sentence how much noise changed of a table; nothing where the variant has no noise."""
    found = table.changes
    if found is None:
        return ""
    if not (found.rows or found.added or found.removed or found.is_rebuilt):
        return "Noise changed nothing here."
    kept = found.of_rows - found.removed
    share = percent(found.rows / kept if kept else 0)
    parts = [
        f"changed {counted(found.cells, 'cell')} in {number(found.rows)} of {counted(kept, 'record')} ({share})",
        *([f"added {counted(found.added, 'record')}"] if found.added else []),
        *([f"removed {counted(found.removed, 'record')} (in the curator's ledger)"] if found.removed else []),
        *(["changed columns or the form of the file"] if found.is_rebuilt else []),
    ]
    return f"Noise {', '.join(parts)}."


def _drawn(column: ColumnProfile) -> Markup:
    """Return a column's histogram with its ends in words."""
    shown = column.histogram
    if column.unit_in:
        return Markup("<small>several units: see {}</small>").format(column.unit_in)
    if shown is None or not sum(shown.counts) or column.distinct == 1:
        return Markup()
    filled = sum(shown.counts) + shown.other
    if shown.of == "values":
        most = sorted(zip(shown.counts, shown.values, strict=True), key=lambda each: -each[0])[:3]
        named = ", ".join(f"{text} {percent(count / filled)}" for count, text in most)
        label, ends = f"most frequent: {named}", ""
    else:
        highest = max(range(len(shown.counts)), key=shown.counts.__getitem__)
        low, high = map(_edge, shown.edges[highest : highest + 2])
        ends = f"{_edge(shown.edges[0])} to {_edge(shown.edges[-1])}"
        label = f"figures from {ends}, most often from {low} to {high}"
    beside = Markup("<small>{}</small>").format(ends) if ends else Markup()
    return histogram(shown.counts, label=label) + beside


def _edge(edge: float) -> str:
    """Return an edge in words: one of four digits, which may be a year, without a comma."""
    text = number(int(edge) if edge.is_integer() else edge)
    return text if abs(edge) >= _FIVE_DIGITS else text.replace(",", "")


_FIVE_DIGITS = 10_000


# --- records that noise changed ----------------------------------------------------------------------------------------


def _beside(table: TableProfile) -> list[str]:
    """Return the columns that are shown of records that noise changed."""
    changed = {cell.column for row in table.changed for cell in row.cells}
    declared = table.declared
    first = [name for name in declared if name in changed or name == table.row_key]
    further = [name for name in declared if name not in first][: max(SHOWN_BESIDE - len(first), 0)]
    return [name for name in declared if name in {*first, *further}]


def _pairs(table: TableProfile) -> list[RowPair]:
    columns = _beside(table)
    return [
        _pair(row, dict(zip(table.declared, row.row, strict=True)), columns, table.row_key) for row in table.changed
    ]


def _pair(row: ChangedRow, cells: Mapping[str, str | None], columns: Sequence[str], row_key: str) -> RowPair:
    changed = {cell.column: cell for cell in row.cells}
    return RowPair(
        key=cells[row_key] or "",
        without=[_mark("was", changed[name].before) if name in changed else cells[name] or "" for name in columns],
        with_noise=[_mark("now", changed[name].after) if name in changed else cells[name] or "" for name in columns],
        rules=list(dict.fromkeys(rule for cell in row.cells for rule in cell.rules)),
    )


def _mark(kind: str, text: str) -> Markup:
    """Return a cell's text, marked as what was taken away or what came in its place."""
    tag = {"was": "del", "now": "ins"}[kind]
    return Markup("<{0}>{1}</{0}>").format(Markup(tag), as_shown(text))
