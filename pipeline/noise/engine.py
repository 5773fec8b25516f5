"""Applies a noise specification to one rendered table, and keeps the ledger.

Rules on cells go first, then rules on rows, then rules on the file; within a level in the order of the specification. A
rule selects by the clean rows (where, eligibility, rate, draws) and acts on the current text: so switching one rule off
leaves every cell it did not touch as it was. Nothing depends on order or batches, nor on other rows but those that a kind
looks up. What a kind does belongs to `kinds/`, which cells a rule chooses to `mechanisms.py`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import polars as pl

from pipeline.keyed import Key, canonical_numbers
from pipeline.model import Dialect, Environment, Frames, PublishedTable
from pipeline.noise import ledger
from pipeline.noise.kinds.interface import (
    CHOSEN,
    ELIGIBLE,
    ORIGIN,
    CellKind,
    Draws,
    Edit,
    FileKind,
    RowKind,
    TextFile,
    clean_name,
    drawn_name,
)
from pipeline.noise.spec import NoiseSpec, Rule

_POSITION = "\x1fposition"
_NUMBER = "\x1fnumber"
"""The row key as a number, where it is one: read once, and drawn by in every rule."""
_BEFORE, _AFTER = "\x1fbefore:", "\x1fafter:"
_RECOVERABLE = "\x1frecoverable:"


@dataclass(frozen=True)
class Noised:
    """A table with noise, what was changed (`ledger.SCHEMA`) and what could have been (`ledger.OPPORTUNITIES`)."""

    frame: pl.DataFrame
    ledger: pl.DataFrame
    opportunities: pl.DataFrame
    dialect: Dialect = field(default_factory=Dialect)
    """How the file is written."""


def apply_noise(
    table: pl.DataFrame,
    published: PublishedTable,
    spec: NoiseSpec,
    environment: Environment,
    key: Key,
    *,
    beside: Frames | None = None,
    reserved: pl.Series | None = None,
) -> Noised:
    """Apply every rule of the specification that names the table.

    Args:
        table: The rendered table: String columns, null for an empty field, `published.row_key` unique and never null.
        published: The table's declaration.
        spec: The specification; without rules the frame comes back as it was.
        environment: Gives units and vocabularies.
        key: The release key; draws are PRF(purpose "noise", rule, table, column and decision; row key or entity).
        beside: The rendered tables that `published.beside` names; a rule that looks into one that is not there does nothing.
        reserved: What no made-up code may equal (`Draws.reserved`); nothing is reserved if not given.

    Raises:
        InputError: A rule on rows or on the file cannot keep its word on these rows: file, row, column and value.
    """
    rules = [rule for rule in spec.rules if published.name in rule.tables]
    steps = list(_steps(published, rules, environment, key, beside or {}))
    frame, changes, counts = _on_cells(table, steps)
    draws = {rule.name: _draws(rule, published, key, reserved) for rule in rules}
    frame, of_rows, counts_of_rows = _on_rows(frame, table, rules, draws, beside or {})
    file, of_file, counts_of_file = _on_file(frame, published, rules, draws)
    changed = pl.concat([ledger.SCHEMA.to_frame(), *changes, *of_rows, *of_file])
    counted = pl.concat([ledger.OPPORTUNITIES.to_frame(), *counts, *counts_of_rows, *counts_of_file])
    return Noised(file.frame, changed.with_columns(table=pl.lit(published.name)), counted, file.dialect)


def eligible_rows(
    table: pl.DataFrame,
    published: PublishedTable,
    rule: Rule,
    environment: Environment,
    key: Key,
    *,
    beside: Frames | None = None,
) -> pl.Series:
    """Return the keys of the clean rows in which a rule could have changed something, whatever was drawn.

    Arguments as in `apply_noise`. A rule on the file concerns every row.
    """
    if isinstance(rule.kind, FileKind):
        return table[published.row_key]
    if isinstance(rule.kind, RowKind):
        return table[published.row_key].gather(_row_candidates(table, published, rule, rule.kind))
    steps = _steps(published, [rule], environment, key, beside or {})
    rows = [step.candidates(table, table)[published.row_key] for step in steps]
    return pl.concat([table[published.row_key].clear(), *rows]).unique(maintain_order=True)


# --- cells -------------------------------------------------------------------------------------------------------------


_BLOCK = 100_000
"""Rows that a thread of its own is worth (our choice); what happens to a cell does not hang on it."""


def _on_cells(
    table: pl.DataFrame, steps: Sequence["_Step"]
) -> tuple[pl.DataFrame, list[pl.DataFrame], list[pl.DataFrame]]:
    """Return the table after all rules on cells, with their ledger and counts; blocks of rows side by side."""
    threads_at_most = os.cpu_count() or 1
    blocks = list(table.iter_slices(max(_BLOCK, -(-table.height // threads_at_most)))) or [table]
    with ThreadPoolExecutor(threads_at_most) as threads:
        done = list(threads.map(lambda block: _on_block(block, table, steps), blocks))
    written = [(step, column) for step in steps for column in step.edit.after]
    changes = [block.changes[place] for place in range(len(written)) for block in done]
    counts = [
        _opportunity(step.rule, step.published, column, sum(block.eligible[place] for block in done))
        for place, (step, column) in enumerate(written)
    ]
    return pl.concat([block.frame for block in done]), changes, counts


@dataclass(frozen=True)
class _Block:
    """A block of rows with noise on its cells; for each step and written column the entries, and the eligible cells."""

    frame: pl.DataFrame
    changes: list[pl.DataFrame]
    eligible: list[int]


def _on_block(block: pl.DataFrame, table: pl.DataFrame, steps: Sequence["_Step"]) -> _Block:
    frame = block
    numbers = canonical_numbers(block[steps[0].published.row_key]) if steps else None
    if numbers is not None and not numbers.null_count():
        block = block.with_columns(numbers.alias(_NUMBER))
    changes, eligible = [], []
    for step in steps:
        candidates = step.candidates(block, table)
        made = step.made(frame, block, step.chosen(candidates, table))
        frame = frame.with_columns(_written(frame[column], made, column) for column in step.edit.after)
        changes += [step.recorded(made, column) for column in step.edit.after]
        eligible += [candidates[column].count() for column in step.edit.after]
    return _Block(frame, changes, eligible)


@dataclass(frozen=True)
class _Step:
    """One edit of one rule in one table."""

    published: PublishedTable
    rule: Rule
    draws: Draws
    edit: Edit
    beside: Frames

    def candidates(self, block: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
        """Return the clean rows of a block of the table that could be chosen, with positions in it and what was looked up.

        One test after the other, regular expressions last, each on the rows that are left; only columns that are named.
        """
        edit, hits = self.edit, self._hits(block)
        here = [pair[0] for lookup in edit.lookups.values() for pair in lookup.on]
        wheres = sorted(self.rule.where, key=lambda condition: condition.matches is not None)
        is_there = [pl.col(column).is_not_null() for column in {edit.column, edit.owner} if block[column].null_count()]
        tests = [*is_there, *(condition.holds() for condition in wheres)]
        named = _named([*tests, *here, hits, edit.is_eligible], block.columns)
        columns = {self.published.row_key, edit.column, edit.owner, *edit.after, *named}
        rows = block.select(columns).with_row_index(_POSITION)
        for test in tests:
            rows = _passing(rows, test)
        return _passing(self._told(rows, table) if self._asks_first else rows, edit.is_eligible)

    def chosen(self, candidates: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
        """Return the candidates that the mechanism picks, with what was looked up for them."""
        chosen = candidates.filter(self._hits(candidates))
        return chosen if self._asks_first else self._told(chosen, table)

    @property
    def _asks_first(self) -> bool:
        """Whether what is looked up says which rows are eligible; if not, only the chosen ones need to know."""
        found = {drawn_name(name) for name in self.edit.lookups}
        return not found.isdisjoint(self.edit.is_eligible.meta.root_names())

    def _told(self, rows: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
        for name, lookup in self.edit.lookups.items():
            rows = lookup.joined(rows, self.beside[lookup.table] if lookup.table else table, name)
        return rows

    def made(self, frame: pl.DataFrame, block: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
        """Return before and after of every written column of the chosen rows; an empty cell stays empty.

        Args:
            frame: The current rows of the block.
            block: Its clean rows.
            chosen: The chosen ones, with their positions.
        """
        edit, at = self.edit, chosen[_POSITION]
        used = [*edit.draws.values(), *edit.after.values(), *map(edit.recoverability, edit.after)]
        current = {self.published.row_key, *edit.after, *_named(used, block.columns)}
        cleaned = {clean_name(column): column for column in block.columns}
        rows = chosen.select(_POSITION, *(drawn_name(name) for name in edit.lookups)).with_columns(
            *(frame[column].gather(at) for column in current),
            *(block[cleaned[name]].gather(at).alias(name) for name in _named(used, list(cleaned))),
        )
        for name, draw in self.edit.draws.items():
            rows = rows.with_columns(draw.alias(drawn_name(name)))
        return rows.select(
            _POSITION,
            self.published.row_key,
            *(self._is_recoverable(column).alias(_RECOVERABLE + column) for column in self.edit.after),
            *(pl.col(column).alias(_BEFORE + column) for column in self.edit.after),
            *(_kept_empty(column, after).alias(_AFTER + column) for column, after in self.edit.after.items()),
        )

    def recorded(self, made: pl.DataFrame, column: str) -> pl.DataFrame:
        """Return the ledger's rows of one written column."""
        before, after = pl.col(_BEFORE + column), pl.col(_AFTER + column)
        changed = made.filter(before.ne_missing(after)).select(
            row_key=self.published.row_key, before=before, after=after, recoverable=_RECOVERABLE + column
        )
        return ledger.entries(changed, self.rule, column=column)

    def _is_recoverable(self, column: str) -> pl.Expr:
        stated = self.rule.recoverable
        return self.edit.recoverability(column) if stated is None else pl.lit(stated)

    def _hits(self, rows: pl.DataFrame) -> pl.Expr:
        is_numbered = self.edit.owner == self.published.row_key and _NUMBER in rows.columns
        owner = _NUMBER if is_numbered else self.edit.owner
        whether = self.edit.whether or self.draws.of(self.edit.column, "whether")
        return self.rule.mechanism.hits(whether.uniform(owner), self.edit.column)


def _steps(
    published: PublishedTable, rules: Sequence[Rule], environment: Environment, key: Key, beside: Frames
) -> Iterator[_Step]:
    for rule in rules:
        if isinstance(rule.kind, CellKind):
            draws = _draws(rule, published, key)
            for edit in rule.kind.edits(environment, draws):
                if all(lookup.table in beside for lookup in edit.lookups.values() if lookup.table):
                    yield _Step(published, rule, draws, edit, beside)


def _passing(rows: pl.DataFrame, test: pl.Expr) -> pl.DataFrame:
    """Return the rows for which a test holds; as they are where it holds for all, which saves a copy."""
    passes = rows.select(test).to_series()
    if passes.all(ignore_nulls=False):
        return rows
    return rows.filter(passes) if len(passes) == rows.height else rows.clear()


def _named(expressions: Sequence[pl.Expr], columns: Sequence[str]) -> list[str]:
    """Return those of the columns that the expressions name."""
    roots = {root for expression in expressions for root in expression.meta.root_names()}
    return [column for column in columns if column in roots]


def _kept_empty(column: str, after: pl.Expr) -> pl.Expr:
    return pl.when(pl.col(column).is_not_null()).then(after)


def _written(current: pl.Series, made: pl.DataFrame, column: str) -> pl.Series:
    """Return the column with the new texts at their positions."""
    return current.clone().scatter(made[_POSITION], made[_AFTER + column])


# --- rows --------------------------------------------------------------------------------------------------------------


def _on_rows(
    frame: pl.DataFrame, table: pl.DataFrame, rules: Sequence[Rule], draws: Mapping[str, Draws], beside: Frames
) -> tuple[pl.DataFrame, list[pl.DataFrame], list[pl.DataFrame]]:
    """Return the table after all rules on rows, with their ledger and counts."""
    changes, counts = [], []
    positions = pl.int_range(table.height, dtype=pl.UInt32, eager=True)
    for rule in rules:
        if isinstance(rule.kind, RowKind) and all(name in beside for name in rule.kind.looks_into()):
            own = draws[rule.name]
            candidates = _row_candidates(table, own.table, rule, rule.kind)
            chosen = _chosen_rows(table, candidates, rule, rule.kind, own)
            flags = [_flagged(table.height, which).gather(positions) for which in (chosen, candidates)]
            rows = frame.with_row_index(ORIGIN).with_columns(flags[0].alias(CHOSEN), flags[1].alias(ELIGIBLE))
            rows = rows.with_columns(pl.col(CHOSEN).fill_null(value=False))
            after = rule.kind.rearranged(rows, own, beside)
            changes.append(ledger.rearrangement(frame, after.select(frame.columns), after[ORIGIN], own.row_key, rule))
            counts.append(_opportunity(rule, own.table, "", len(candidates)))
            frame, positions = after.select(frame.columns), positions.gather(after[ORIGIN])
    return frame, changes, counts


def _row_candidates(table: pl.DataFrame, published: PublishedTable, rule: Rule, kind: RowKind) -> pl.Series:
    """Return the positions of the clean rows that could be chosen."""
    is_judged = pl.col(kind.judged_by or published.row_key).is_not_null()
    conditions = [condition.holds() for condition in rule.where]
    is_eligible = pl.all_horizontal(is_judged, kind.is_eligible(), *conditions)
    return table.select(is_eligible).to_series().arg_true()


def _chosen_rows(table: pl.DataFrame, candidates: pl.Series, rule: Rule, kind: RowKind, draws: Draws) -> pl.Series:
    """Return the positions of the clean rows that the mechanism picks."""
    uniform = draws.of("", "whether").uniform(draws.row_key)
    hits = rule.mechanism.hits(uniform, kind.judged_by or draws.row_key)
    rows = table.select({draws.row_key, *hits.meta.root_names()})[candidates]
    return rows.with_columns(candidates.alias(_POSITION)).filter(hits)[_POSITION]


def _flagged(size: int, positions: pl.Series) -> pl.Series:
    return pl.repeat(value=False, n=size, dtype=pl.Boolean, eager=True).scatter(positions, True)


# --- files -------------------------------------------------------------------------------------------------------------


def _on_file(
    frame: pl.DataFrame, published: PublishedTable, rules: Sequence[Rule], draws: Mapping[str, Draws]
) -> tuple[TextFile, list[pl.DataFrame], list[pl.DataFrame]]:
    """Return the file after all rules on files, with their ledger and counts."""
    changes, counts = [], []
    file = TextFile(frame=frame, dialect=published.dialect)
    for rule in rules:
        if isinstance(rule.kind, FileKind):
            own = draws[rule.name]
            choices = pl.DataFrame({"choice": rule.kind.choices(published)}, schema={"choice": pl.String})
            hits = rule.mechanism.hits(own.of("", "whether").uniform("choice"), "choice")
            counts.append(_opportunity(rule, published, "", choices.height))
            for choice in choices.filter(hits)["choice"]:
                before = TextFile(frame=file.frame, dialect=file.dialect)
                file = rule.kind.restructured(before, choice, own)
                changes.append(ledger.restructuring(before, file, rule))
    return file, changes, counts


def _draws(rule: Rule, published: PublishedTable, key: Key, reserved: pl.Series | None = None) -> Draws:
    return Draws(rule=key.derive("noise", rule.name), table=published, reserved=reserved)


def _opportunity(rule: Rule, published: PublishedTable, column: str, eligible: int) -> pl.DataFrame:
    row = (rule.name, published.name, column, eligible)
    return pl.DataFrame([row], schema=ledger.OPPORTUNITIES, orient="row")
