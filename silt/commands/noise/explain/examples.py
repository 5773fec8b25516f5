"""What a rule changes, shown on rows of a clean database: before and after."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from pipeline.legible import WIDTH
from pipeline.model import Environment, PublishedTable
from pipeline.noise.described.examples import start_of_difference
from pipeline.noise.described.wording import level_of
from pipeline.noise.engine import Noised
from pipeline.noise.ledger import as_noised
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import write_table
from silt.commands.noise.explain.noised import NoisedTable, noised_tables

_WIDTH = WIDTH - 3
"""Characters of a row of a file: a sign and a blank stand before it, and behind it what says that it was cut."""

SHOWN = 60
"""Characters of a text that are shown."""

_NARROW = 30
"""The same in a table; the first that changes stands a third from the beginning."""
_CELL = 24
"""Characters of a cell that are shown where whole rows stand in one line."""
_HEADERS = 12
"""Columns that are named where a file's come, go or move."""
_LINES = 3
"""Records of a file that are shown before and after a rule on the file."""


def examples(rule: Rule, tables: Sequence[NoisedTable], rows: int) -> Iterator[str]:
    """Yield lines that show what the rule changes, of so many rows at most over all tables together."""
    changed = [table for table in tables if table.entries(rule).height]
    for number, table in enumerate(changed):
        share = rows // len(changed) + (number < rows % len(changed))
        if share:
            level = level_of(type(rule.kind))
            examples = {"cells": _example_cells, "rows": _example_rows, "file": _example_file}[level]
            yield f"  {table.published.name}, before -> after"
            yield from (f"    {line}" for line in examples(rule, table, share))


def _example_cells(rule: Rule, table: NoisedTable, rows: int) -> Iterator[str]:
    entries = table.entries(rule)
    keys = _spread(entries["row_key"].unique(maintain_order=True), rows)
    chosen = entries.filter(pl.col("row_key").is_in(keys.implode()))
    clean = table.clean.filter(pl.col(table.published.row_key).is_in(keys.implode()))
    known = {row[table.published.row_key]: row for row in clean.iter_rows(named=True)}
    width = max(map(len, chosen["column"]), default=0)
    for key in keys:
        own = chosen.filter(pl.col("row_key") == key)
        yield f"{table.published.row_key} {key}{_context(rule, known[key], own['column'].to_list())}"
        for column, before, after in own.select("column", "before", "after").iter_rows():
            shown = " -> ".join(shown_change(before, after))
            yield f"  {column:<{width}}  {shown}"


def _context(rule: Rule, row: Mapping[str, str | None], changed: Sequence[str]) -> str:
    """Return the clean cells by which the rule chose the row, but those that changed."""
    judged = getattr(rule.mechanism, "column", None)
    columns = dict.fromkeys([*(condition.column for condition in rule.where), *([judged] if judged else [])])
    judged_by = [f"{column} {_shown(row[column])}" for column in columns if column not in changed]
    return f" ({', '.join(judged_by)})" if judged_by else ""


def _example_rows(rule: Rule, table: NoisedTable, rows: int) -> Iterator[str]:
    yield f"  {', '.join(table.published.columns)}"
    for key, before, after in _spread_rows(table.entries(rule), rows).select("row_key", "before", "after").iter_rows():
        if before and after:
            yield f"~ {table.published.row_key} {key} moves from place {int(before) + 1:,} to {int(after) + 1:,}"
        else:
            row = json.loads(before or after)
            cells = ", ".join(_cell(cell or "") for cell in row["cells"])
            yield f"{'-' if before else '+'} {cells} (as record {row['position'] + 1:,})"


def _example_file(rule: Rule, table: NoisedTable, rows: int) -> Iterator[str]:
    before, after = table.up_to(rule, included=False), table.up_to(rule, included=True)
    yield from _layout_change(before, after)
    for sign, noised in (("-", before), ("+", after)):
        yield from (f"{sign} {_cut(line, 0, _WIDTH)}" for line in _lines(table.published, noised, min(rows, _LINES)))


def _layout_change(before: Noised, after: Noised) -> Iterator[str]:
    old, new = before.frame.columns, after.frame.columns
    gone, come = [c for c in old if c not in new], [c for c in new if c not in old]
    if gone or come:
        yield f"columns: {_headers(gone)} -> {_headers(come)}"
    elif old != new:
        yield f"order of columns: {_headers(old)} -> {_headers(new)}"
    if before.frame.height != after.frame.height:
        yield f"records: {before.frame.height:,} -> {after.frame.height:,}"
    is_now = asdict(after.dialect)
    for name, value in asdict(before.dialect).items():
        if is_now[name] != value:
            yield f"{name}: {value!r} -> {is_now[name]!r}"


def _headers(columns: Sequence[str]) -> str:
    more = [f"and {len(columns) - _HEADERS} more"] if len(columns) > _HEADERS else []
    return ", ".join([*columns[:_HEADERS], *more]) or "none"


def _lines(published: PublishedTable, noised: Noised, records: int) -> list[str]:
    """Return the beginning of the file as it stands on the disk; bytes that are no UTF-8 are escaped."""
    table = as_noised(published, noised.ledger)
    with TemporaryDirectory() as folder:
        write_table(noised.frame.head(records), table, Path(folder))
        text = (Path(folder) / table.folder / table.path).read_bytes().decode(errors="backslashreplace")
    return [_printable(line) for line in text.splitlines()]


def _spread(keys: pl.Series, count: int) -> pl.Series:
    """Return some of the values, the first among them and the others at even distances."""
    return keys.gather([index * len(keys) // count for index in range(count)]) if len(keys) > count else keys


def _spread_rows(entries: pl.DataFrame, count: int) -> pl.DataFrame:
    return entries[_spread(pl.int_range(entries.height, eager=True), count)]


def first_change(spec: NoiseSpec, environment: Environment, database: Path) -> tuple[str, str] | None:
    """Return the shortest change of a specification as it reads before and after; None if it makes none here."""
    tables = noised_tables(environment, spec, database)
    ledgers = [(table, table.noised.ledger) for table in tables.values() if table.noised.ledger.height]
    if not ledgers:
        return None
    table, entries = ledgers[0]
    length = pl.col("before").str.len_chars() + pl.col("after").str.len_chars()
    key, column, before, after = (
        entries.filter(length == length.min()).select("row_key", "column", "before", "after").row(0)
    )
    if not key:
        clean, noisy = table.clean.columns, table.noised.frame.columns
        gone, come = [c for c in clean if c not in noisy], [c for c in noisy if c not in clean]
        if gone or come or clean != noisy:
            return _cut(", ".join(gone or clean), 0, _NARROW), _cut(", ".join(come or noisy), 0, _NARROW)
        before_it = replace(table.noised, ledger=entries.clear(), frame=table.clean, dialect=table.published.dialect)
        first, second = (_lines(table.published, one, 1)[1] for one in (before_it, table.noised))
        return _cut(first, 0, _NARROW), _cut(second, 0, _NARROW)
    if column:
        return shown_change(before, after, width=_NARROW)
    if before and after:
        return f"record {int(before) + 1}", f"record {int(after) + 1}"
    cells = ", ".join(_cell(cell or "") for cell in json.loads(before or after)["cells"][:5])
    return (cells, "(gone)") if before else ("(nothing)", cells)


# --- texts -------------------------------------------------------------------------------------------------------------


def shown_change(before: str, after: str, width: int = SHOWN) -> tuple[str, str]:
    """Return both texts, quoted and cut around what differs."""
    start = start_of_difference(before, after, width)
    return _shown(before, start, width), _shown(after, start, width)


def _shown(text: str | None, start: int = 0, width: int = SHOWN) -> str:
    return _cut(text, start, width, is_quoted=True) if text else "(empty)"


def _cut(text: str, start: int, length: int, *, is_quoted: bool = False) -> str:
    part = text[start : start + length]
    head, tail = "…" if start else "", "…" if len(text) > start + length else ""
    return f"{head}{repr(part) if is_quoted else part}{tail}"


def _cell(text: str) -> str:
    """Return the beginning of a cell in a row, quoted where its ends would not show."""
    part = text[:_CELL]
    is_plain = part == part.strip() and part.isprintable()
    return f"{part if is_plain else repr(part)}{'…' if len(text) > _CELL else ''}"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
