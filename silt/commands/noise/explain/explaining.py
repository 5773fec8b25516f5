"""What a noise specification will do, rule by rule, in plain words and on example rows of a clean database.

How a rule is put in words belongs to `pipeline/noise/described/wording.py`, applying it to `pipeline/noise/engine.py`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from pipeline.documents.document import summary
from pipeline.model import Environment
from pipeline.noise.described.wording import condition_text, in_order, level_of, mechanism_text, parameter_texts
from pipeline.noise.kinds import KINDS
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from silt.commands.noise.explain.examples import examples, first_change
from silt.commands.noise.explain.noised import NoisedTable, noised_tables

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
    tables = noised_tables(environment, spec, database)
    lines = [*_head(environment, spec, database)]
    rules = in_order(spec.rules)
    for number, rule in enumerate(rules, start=1):
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
        database: Folder of the clean database's files.

    Raises:
        InputError: There is no such folder, or a file in it is no clean table.
    """
    lines = ["| kind | before | after |", "|---|---|---|"]
    for name in KINDS:
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
