"""What a noise specification will do, rule by rule, in plain words and on example rows of a clean database.

Examples are drawn with a fixed key of their own, so nothing of any release's ledger shows. How a rule is put in words belongs
to `noise/wording.py`, applying it to `noise/engine.py`.
"""

import hashlib
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Dialect, Environment, Frames, PublishedTable
from pipeline.noise.described.wording import condition_told, in_order, level_of, mechanism_told, parameters_told
from pipeline.noise.documents.document import summary
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds import KINDS
from pipeline.noise.ledger import as_noised
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from pipeline.publish.files import write_table
from pipeline.publish.replay import read_published

EXAMPLE_KEY = Key(hashlib.sha256(b"silt example key: for examples alone").digest())
"""What examples are drawn with; no build uses it."""

WIDTH = 120
"""Of a line of words, in characters; lines of examples are as long as their texts."""

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
_LABEL = 13


def explain(environment: Environment, spec: NoiseSpec, database: Path, *, rows: int = 10) -> str:
    """Return in plain words what a specification does, with rows before and after of each rule.

    Args:
        environment: The environment of the specification.
        spec: The specification.
        database: Folder of the clean database's files; only tables that rules name, and those beside them, are read.
        rows: How many example rows each rule gets at most.

    Raises:
        InputError: There is no such folder, or a file in it is no clean table.
    """
    if not spec.rules:
        return f"{environment.name}: no rules, so nothing happens and every file stays as it is.\n"
    tables = _noised_tables(environment, spec, database)
    lines = [*_head(environment, spec, database)]
    rules = in_order(spec.rules)
    for number, rule in enumerate(rules, start=1):
        level = level_of(type(rule.kind))
        if number == 1 or level != level_of(type(rules[number - 2].kind)):
            lines += ["", f"RULES ON {level.upper()}"]
        own = [tables[name] for name in rule.tables if name in tables]
        lines += ["", *_rule_told(number, rule, own), *_examples(rule, own, rows)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def example_table(environment: Environment, specifications: Path, database: Path) -> str:
    """Return a table in Markdown with one change that each example specification makes, in the order of the kinds.

    Args:
        environment: The environment of the specifications.
        specifications: Folder of specifications that are named after their one kind.
        database: Folder of the clean database's files.

    Raises:
        InputError: There is no such folder, or a file in it is no clean table.
    """
    lines = ["| kind | before | after |", "|---|---|---|"]
    for name in KINDS:
        path = specifications / f"{name}.yaml"
        if path.is_file() and (shown := _first_change(load_spec(path, environment), environment, database)):
            cells = (text.replace("|", "\\|").replace("`", "'") for text in shown)
            lines.append(f"| `{name}` | " + " | ".join(f"`{text}`" for text in cells) + " |")
    return "\n".join(lines) + "\n"


def _first_change(spec: NoiseSpec, environment: Environment, database: Path) -> tuple[str, str] | None:
    """Return the shortest change of a specification as it reads before and after; None if it makes none here."""
    tables = _noised_tables(environment, spec, database)
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
        return _shown_change(before, after, width=_NARROW)
    if before and after:
        return f"record {int(before) + 1}", f"record {int(after) + 1}"
    told = ", ".join(_cell(cell or "") for cell in json.loads(before or after)["cells"][:5])
    return (told, "(gone)") if before else ("(nothing)", told)


@dataclass(frozen=True, kw_only=True)
class _Table:
    """A clean table, and what the whole specification makes of it."""

    published: PublishedTable
    environment: Environment
    spec: NoiseSpec
    clean: pl.DataFrame
    beside: Frames
    noised: Noised

    def entries(self, rule: Rule) -> pl.DataFrame:
        """Return the ledger's entries of a rule."""
        return self.noised.ledger.filter(pl.col("rule") == rule.name)

    def up_to(self, rule: Rule, *, included: bool) -> Noised:
        """Return the table after the rules that go before one on the file, or after that one as well."""
        rules = in_order(self.spec.rules)
        first = rules[: rules.index(rule) + included]
        return _noised(
            self.published, replace(self.spec, rules=tuple(first)), self.environment, self.clean, self.beside
        )


# --- reading -----------------------------------------------------------------------------------------------------------


def _noised_tables(environment: Environment, spec: NoiseSpec, database: Path) -> dict[str, _Table]:
    if not database.is_dir():
        raise InputError(
            f"no clean database at {database}; build it with `make env-clean`, or say where one is with --out or --data"
        )
    named = [table for table in environment.noisy_tables() if any(table.name in rule.tables for rule in spec.rules)]
    read = {table.name for table in named} | {name for table in named for name in table.beside}
    frames = {name: frame for name in read if (frame := _clean_table(environment.table(name), database)) is not None}
    if not frames.keys() & {table.name for table in named}:
        paths = ", ".join(table.path for table in named)
        raise InputError(f"{database} holds none of the tables that the rules name ({paths}); give a clean database")
    there = [table for table in named if table.name in frames]
    for table in there:
        _refuse_repeated_keys(table, frames[table.name], database)
    return {table.name: _noised_table(table, environment, spec, frames) for table in there}


def _noised_table(table: PublishedTable, environment: Environment, spec: NoiseSpec, frames: Frames) -> _Table:
    clean, beside = frames[table.name], {name: frames[name] for name in table.beside if name in frames}
    noised = _noised(table, spec, environment, clean, beside)
    return _Table(published=table, environment=environment, spec=spec, clean=clean, beside=beside, noised=noised)


def _clean_table(table: PublishedTable, database: Path) -> pl.DataFrame | None:
    file = database / table.path
    if not file.is_file():
        return None
    try:
        frame = read_published(file, table)
    except InputError as error:
        raise InputError(f"{file} is no published table; give the database of a clean variant") from error
    if tuple(frame.columns) != table.columns:
        raise InputError(
            f"{file}: found the columns {', '.join(frame.columns)}; declared: {', '.join(table.columns)}; "
            "give the database of a clean variant"
        )
    return frame


def _refuse_repeated_keys(table: PublishedTable, frame: pl.DataFrame, database: Path) -> None:
    keys = frame[table.row_key]
    if keys.null_count() or not keys.is_unique().all():
        file = database / table.path
        raise InputError(f"{file}: column {table.row_key!r} is not unique; give the database of a clean variant")


def _noised(
    table: PublishedTable, spec: NoiseSpec, environment: Environment, clean: pl.DataFrame, beside: Frames
) -> Noised:
    return apply_noise(clean, table, spec, environment, EXAMPLE_KEY, beside=beside)


# --- words -------------------------------------------------------------------------------------------------------------


def _head(environment: Environment, spec: NoiseSpec, database: Path) -> Iterator[str]:
    count = f"{len(spec.rules)} rule{'s' if len(spec.rules) > 1 else ''}"
    yield from textwrap.wrap(f"{environment.name}: {count}, in order of application. {spec.description}".strip(), WIDTH)
    yield ""
    yield from textwrap.wrap(
        f"Examples and counts are of the clean database in {database}, drawn with a fixed example key: a release draws "
        "other rows with a key of its own, and its ledger stays with the curator.",
        WIDTH,
    )


def _rule_told(number: int, rule: Rule, tables: Sequence[_Table]) -> Iterator[str]:
    kind = rule.kind
    yield f"Rule {number}: {rule.name} ({kind.name}, family {kind.family})"
    yield from _paragraph("what", summary(type(kind)))
    for name, value, doc in parameters_told(kind):
        yield from _paragraph("", f"{name}: {value}{f' ({doc.removesuffix(chr(46))})' if doc else ''}", indent=2)
    yield from _paragraph("tables", _tables_told(rule, tables))
    conditions = " and ".join(condition_told(condition) for condition in rule.where)
    yield from _paragraph(
        "which rows", conditions or ("the whole file" if level_of(type(kind)) == "file" else "every row")
    )
    yield from _paragraph("how often", mechanism_told(rule.mechanism, kind))
    yield from _paragraph("why", rule.reason)
    yield from _paragraph("recoverable", _recovery_told(rule, tables))
    for table in tables:
        yield from _paragraph("here" if table is tables[0] else "", _counted(rule, table))


def _paragraph(label: str, text: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"  {label:<{_LABEL}}{' ' * indent}",
        subsequent_indent=" " * (_LABEL + 2 + indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _tables_told(rule: Rule, tables: Sequence[_Table]) -> str:
    there = {table.published.name: _columns_told(rule, table) for table in tables}
    return "; ".join(f"{name}{there.get(name, ' (not in this database)')}" for name in rule.tables)


def _columns_told(rule: Rule, table: _Table) -> str:
    columns = _opportunities(rule, table)["column"].unique(maintain_order=True).to_list()
    return f" ({', '.join(columns)})" if any(columns) else ""


def _recovery_told(rule: Rule, tables: Sequence[_Table]) -> str:
    if rule.recoverable is not None:
        return f"{'Yes' if rule.recoverable else 'No'}, as the rule itself says (of its kind: {rule.kind.recovery})"
    marks = (
        pl.concat([table.entries(rule)["recoverable"] for table in tables])
        if tables
        else pl.Series([], dtype=pl.Boolean)
    )
    marked = f" Marked so are {marks.sum():,} of the {len(marks):,} example changes." if len(marks) else ""
    return rule.kind.recovery + marked


def _counted(rule: Rule, table: _Table) -> str:
    """Return how much the rule changes in a table, of how much it could have changed."""
    counted, entries, name = _opportunities(rule, table), table.entries(rule), table.published.name
    if not counted["eligible"].sum():
        return f"{name}: nothing that the rule could change"
    if level_of(type(rule.kind)) == "cells":
        changed = dict(entries.group_by("column").len().iter_rows())
        told = [
            f"{column} {changed.get(column, 0):,} of {eligible:,} eligible cells"
            for column, eligible in counted.group_by("column", maintain_order=True).agg(pl.col("eligible").sum()).rows()
        ]
        return f"{name}: changes in {'; '.join(told)}"
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


def _opportunities(rule: Rule, table: _Table) -> pl.DataFrame:
    return table.noised.opportunities.filter(pl.col("rule") == rule.name)


# --- examples ----------------------------------------------------------------------------------------------------------


def _examples(rule: Rule, tables: Sequence[_Table], rows: int) -> Iterator[str]:
    changed = [table for table in tables if table.entries(rule).height]
    for number, table in enumerate(changed):
        share = rows // len(changed) + (number < rows % len(changed))
        if share:
            level = level_of(type(rule.kind))
            examples = {"cells": _example_cells, "rows": _example_rows, "file": _example_file}[level]
            yield f"  {table.published.name}, before -> after"
            yield from (f"    {line}" for line in examples(rule, table, share))


def _example_cells(rule: Rule, table: _Table, rows: int) -> Iterator[str]:
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
            shown = " -> ".join(_shown_change(before, after))
            yield f"  {column:<{width}}  {shown}"


def _context(rule: Rule, row: Mapping[str, str | None], changed: Sequence[str]) -> str:
    """Return the clean cells by which the rule chose the row, but those that changed."""
    judged = getattr(rule.mechanism, "column", None)
    columns = dict.fromkeys([*(condition.column for condition in rule.where), *([judged] if judged else [])])
    told = [f"{column} {_shown(row[column])}" for column in columns if column not in changed]
    return f" ({', '.join(told)})" if told else ""


def _example_rows(rule: Rule, table: _Table, rows: int) -> Iterator[str]:
    yield f"  {', '.join(table.published.columns)}"
    for key, before, after in _spread_rows(table.entries(rule), rows).select("row_key", "before", "after").iter_rows():
        if before and after:
            yield f"~ {table.published.row_key} {key} moves from place {int(before) + 1:,} to {int(after) + 1:,}"
        else:
            told = json.loads(before or after)
            cells = ", ".join(_cell(cell or "") for cell in told["cells"])
            yield f"{'-' if before else '+'} {cells} (as record {told['position'] + 1:,})"


def _example_file(rule: Rule, table: _Table, rows: int) -> Iterator[str]:
    before, after = table.up_to(rule, included=False), table.up_to(rule, included=True)
    yield from _layout_told(before, after)
    for sign, noised in (("-", before), ("+", after)):
        yield from (f"{sign} {_cut(line, 0, WIDTH)}" for line in _lines(table.published, noised, min(rows, _LINES)))


def _layout_told(before: Noised, after: Noised) -> Iterator[str]:
    old, new = before.frame.columns, after.frame.columns
    gone, come = [c for c in old if c not in new], [c for c in new if c not in old]
    if gone or come:
        yield f"columns: {_headers(gone)} -> {_headers(come)}"
    elif old != new:
        yield f"order of columns: {_headers(old)} -> {_headers(new)}"
    if before.frame.height != after.frame.height:
        yield f"records: {before.frame.height:,} -> {after.frame.height:,}"
    yield from _dialect_told(before.dialect, after.dialect)


def _headers(columns: Sequence[str]) -> str:
    more = [f"and {len(columns) - _HEADERS} more"] if len(columns) > _HEADERS else []
    return ", ".join([*columns[:_HEADERS], *more]) or "none"


def _dialect_told(before: Dialect, after: Dialect) -> Iterator[str]:
    is_now = asdict(after)
    for name, value in asdict(before).items():
        if is_now[name] != value:
            yield f"{name}: {value!r} -> {is_now[name]!r}"


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


# --- texts -------------------------------------------------------------------------------------------------------------


def _shown_change(before: str, after: str, width: int = SHOWN) -> tuple[str, str]:
    """Return both texts, quoted and cut around what differs."""
    same = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = max(0, min(same - width // 3, max(len(before), len(after)) - width))
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
