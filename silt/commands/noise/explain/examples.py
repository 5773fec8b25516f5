"""What a noise specification will do, rule by rule: in plain words, and on rows of a clean database, before and after.

How a rule is put in words belongs to `pipeline/noise/described/wording.py`, applying it to `pipeline/noise/engine.py`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from pipeline.documents.document import summary
from pipeline.legible import WIDTH
from pipeline.model import Environment, PublishedTable
from pipeline.noise.described.examples import start_of_difference
from pipeline.noise.described.wording import condition_text, in_order, level_of, mechanism_text, parameter_texts
from pipeline.noise.engine import Noised
from pipeline.noise.kinds import KINDS
from pipeline.noise.ledger import as_noised
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from pipeline.publish.files import write_table
from silt.commands.noise.explain.noised import NoisedTable, noised_tables
from silt.commands.waiting import running

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


_LABEL = 13


def explain(environment: Environment, spec: NoiseSpec, database: Path, *, rows: int = 10) -> str:
    """Return in plain words what a specification does, with rows before and after of each rule.

    Args:
        database: Folder of the clean database's files; only tables that rules name, and those beside them, are read.
        rows: How many example rows each rule gets at most.

    Raises:
        InputError: There is no such folder, or a file in it is no clean table.
    """
    if not spec.rules:
        return f"{environment.name}: no rules, so nothing happens and every file stays as it is.\n"
    tables = noised_tables(environment, spec, database, watch=running)
    lines = [*_head(environment, spec, database)]
    rules = in_order(spec.rules)
    for number, rule in enumerate(rules, start=1):
        running(f"looking at what rule {number} of {len(rules)} changes")
        level = level_of(type(rule.kind))
        if number == 1 or level != level_of(type(rules[number - 2].kind)):
            lines += ["", f"RULES ON {level.upper()}"]
        own = [tables[name] for name in rule.tables if name in tables]
        lines += ["", *_rule_in_words(number, rule, own), *examples(rule, own, rows)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def example_table(environment: Environment, specifications: Path, database: Path) -> str:
    """Return a table in Markdown with one change that each example specification makes, in the order of the kinds.

    Args:
        specifications: Folder of specifications that are named after their one kind.

    Raises:
        InputError: There is no such folder, or a file in it is no clean table.
    """
    lines = ["| kind | before | after |", "|---|---|---|"]
    for number, name in enumerate(KINDS, start=1):
        running(f"looking for a change by kind {number} of {len(KINDS)}, {name}")
        path = specifications / f"{name}.yaml"
        if path.is_file() and (shown := first_change(load_spec(path, environment), environment, database)):
            cells = (text.replace("|", "\\|").replace("`", "'") for text in shown)
            lines.append(f"| `{name}` | " + " | ".join(f"`{text}`" for text in cells) + " |")
    return "\n".join(lines) + "\n"


def _head(environment: Environment, spec: NoiseSpec, database: Path) -> Iterator[str]:
    count = f"{len(spec.rules)} rule{'s' if len(spec.rules) > 1 else ''}"
    yield f"{environment.name}: {count}, in order of application. {spec.description}".strip()
    yield ""
    yield (
        f"Examples and counts are of the clean database in {database}, drawn with a fixed example key: a release draws "
        "other rows with a key of its own, and its ledger stays with the curator."
    )


def _rule_in_words(number: int, rule: Rule, tables: Sequence[NoisedTable]) -> Iterator[str]:
    kind = rule.kind
    yield f"Rule {number}: {rule.name} ({kind.name}, family {kind.family})"
    yield _paragraph("what", summary(type(kind)))
    for name, value, doc in parameter_texts(kind):
        yield _paragraph("", f"{name}: {value}{f' ({doc.removesuffix(chr(46))})' if doc else ''}", indent=2)
    yield _paragraph("tables", _tables_in_words(rule, tables))
    conditions = " and ".join(condition_text(condition) for condition in rule.where)
    yield _paragraph("which rows", conditions or ("the whole file" if level_of(type(kind)) == "file" else "every row"))
    yield _paragraph("how often", mechanism_text(rule.mechanism, kind))
    yield _paragraph("why", rule.reason)
    yield _paragraph("recoverable", _recovery_in_words(rule, tables))
    for table in tables:
        yield _paragraph("here" if table is tables[0] else "", _counted(rule, table))


def _paragraph(label: str, text: str, indent: int = 0) -> str:
    """Return a line of a list, which is folded where it is said."""
    return f"  {label:<{_LABEL}}{' ' * indent}{' '.join(text.split())}"


def _tables_in_words(rule: Rule, tables: Sequence[NoisedTable]) -> str:
    there = {table.published.name: _columns_in_words(rule, table) for table in tables}
    return "; ".join(f"{name}{there.get(name, ' (not in this database)')}" for name in rule.tables)


def _columns_in_words(rule: Rule, table: NoisedTable) -> str:
    columns = _opportunities(rule, table)["column"].unique(maintain_order=True).to_list()
    return f" ({', '.join(columns)})" if any(columns) else ""


def _recovery_in_words(rule: Rule, tables: Sequence[NoisedTable]) -> str:
    if rule.recoverable is not None:
        return f"{'Yes' if rule.recoverable else 'No'}, as the rule itself says (of its kind: {rule.kind.recovery})"
    marks = (
        pl.concat([table.entries(rule)["recoverable"] for table in tables])
        if tables
        else pl.Series([], dtype=pl.Boolean)
    )
    marked = f" Marked so are {marks.sum():,} of the {len(marks):,} example changes." if len(marks) else ""
    return rule.kind.recovery + marked


def _counted(rule: Rule, table: NoisedTable) -> str:
    """Return how much the rule changes in a table, of how much it could have changed."""
    counted, entries, name = _opportunities(rule, table), table.entries(rule), table.published.name
    if not counted["eligible"].sum():
        return f"{name}: nothing that the rule could change"
    if level_of(type(rule.kind)) == "cells":
        changed = dict(entries.group_by("column").len().iter_rows())
        counts = [
            f"{column} {changed.get(column, 0):,} of {eligible:,} eligible cells"
            for column, eligible in counted.group_by("column", maintain_order=True).agg(pl.col("eligible").sum()).rows()
        ]
        return f"{name}: changes in {'; '.join(counts)}"
    if level_of(type(rule.kind)) == "rows":
        return f"{name}: {_rows_counted(entries)}, of {counted['eligible'].sum():,} eligible rows"
    return f"{name}: {entries.filter(pl.col('column') == '').height} of {counted['eligible'].sum()} choices"


def _rows_counted(entries: pl.DataFrame) -> str:
    is_gone, is_new = pl.col("after") == "", pl.col("before") == ""
    gone, new, moved = entries.select(
        is_gone.sum(), is_new.sum().alias("new"), (~is_gone & ~is_new).sum().alias("m")
    ).row(0)
    counts = {"gone": gone, "new": new, "moved": moved}
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "nothing changed"


def _opportunities(rule: Rule, table: NoisedTable) -> pl.DataFrame:
    return table.noised.opportunities.filter(pl.col("rule") == rule.name)
