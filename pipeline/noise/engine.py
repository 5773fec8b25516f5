"""Applies a noise specification to one rendered table, and keeps the ledger.

Rules on cells go first, then rules on rows, then rules on the file; within a level in the order of the specification. A
rule selects by the clean rows (where, eligibility, rate, draws) and acts on the current text: so switching one rule off
leaves every cell it did not touch as it was. Nothing depends on order or batches, nor on other rows but those that a kind
looks up. What a kind does belongs to `kinds/`, which cells a rule chooses to `mechanisms.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from pipeline.environment.model import Dialect, Environment, Frames, PublishedTable
from pipeline.keyed import Key
from pipeline.noise import ledger
from pipeline.noise.kinds.interface import (
    CHOSEN,
    ORIGIN,
    CellKind,
    Draws,
    Edit,
    FileKind,
    Lookup,
    RowKind,
    TextFile,
    clean_name,
    drawn_name,
)
from pipeline.noise.spec import NoiseSpec, Rule

_POSITION = "\x1fposition"
_BEFORE, _AFTER = "\x1fbefore:", "\x1fafter:"
_RECOVERABLE = "\x1frecoverable"


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
) -> Noised:
    """Apply every rule of the specification that names the table.

    Args:
        table: The rendered table: String columns, null for an empty field, `published.row_key` unique and never null.
        published: The table's declaration.
        spec: The specification; without rules the frame comes back as it was.
        environment: Gives units and vocabularies.
        key: The release key; draws are PRF(purpose "noise", rule, table, column and decision; row key or entity).
        beside: The rendered tables that `published.beside` names; a rule that looks into one that is not there does nothing.
    """
    rules = [rule for rule in spec.rules if published.name in rule.tables]
    frame, changes, counts = table, [ledger.SCHEMA.to_frame()], [ledger.OPPORTUNITIES.to_frame()]
    for step in _steps(published, rules, environment, key, beside or {}):
        candidates = step.candidates(table)
        made = step.made(frame, step.chosen(candidates))
        frame = frame.with_columns(_written(frame[column], made, column) for column in step.edit.after)
        changes += [step.recorded(made, column) for column in step.edit.after]
        counts += [step.counted(candidates, column) for column in step.edit.after]
    frame, of_rows, counts_of_rows = _on_rows(frame, table, published, rules, environment, key)
    file, of_file, counts_of_file = _on_file(frame, published, rules, environment, key)
    changed = pl.concat([*changes, *of_rows, *of_file]).with_columns(table=pl.lit(published.name))
    return Noised(file.frame, changed, pl.concat([*counts, *counts_of_rows, *counts_of_file]), file.dialect)


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
        return _row_candidates(table, published, rule, rule.kind, environment)[published.row_key]
    steps = _steps(published, [rule], environment, key, beside or {})
    rows = [step.candidates(table)[published.row_key] for step in steps]
    return pl.concat([table[published.row_key].clear(), *rows]).unique(maintain_order=True)


# --- cells -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Step:
    """One edit of one rule in one table."""

    published: PublishedTable
    rule: Rule
    draws: Draws
    edit: Edit
    beside: Frames

    def candidates(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the clean rows that could be chosen, with their positions and what was looked up for them."""
        rows = table.with_row_index(_POSITION)
        is_there = pl.col(self.edit.column, self.edit.owner).is_not_null()
        conditions = [condition.holds() for condition in self.rule.where]
        if not self.edit.lookups:
            return rows.filter(pl.all_horizontal(is_there, self.edit.is_eligible, *conditions))
        rows = rows.filter(pl.all_horizontal(is_there, *conditions))
        for name, lookup in self.edit.lookups.items():
            rows = _looked_up(rows, table, self.beside, lookup, drawn_name(name))
        return rows.filter(self.edit.is_eligible)

    def chosen(self, candidates: pl.DataFrame) -> pl.DataFrame:
        """Return the candidates that the mechanism picks."""
        whether = self.edit.whether or self.draws.of(self.edit.column, "whether")
        return candidates.filter(self.rule.mechanism.hits(whether.uniform(self.edit.owner), self.edit.column))

    def made(self, frame: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
        """Return before and after of every written column of the chosen rows; an empty cell stays empty."""
        found = [drawn_name(name) for name in self.edit.lookups]
        clean_rows = chosen.drop(_POSITION, *found).rename(clean_name)
        rows = pl.concat([chosen.select(_POSITION, *found), frame[chosen[_POSITION]], clean_rows], how="horizontal")
        for name, draw in self.edit.draws.items():
            rows = rows.with_columns(draw.alias(drawn_name(name)))
        is_stated = self.rule.recoverable is not None
        is_recoverable = pl.lit(self.rule.recoverable) if is_stated else self.edit.is_recoverable
        return rows.select(
            _POSITION,
            self.published.row_key,
            is_recoverable.alias(_RECOVERABLE),
            *(pl.col(column).alias(_BEFORE + column) for column in self.edit.after),
            *(_kept_empty(column, after).alias(_AFTER + column) for column, after in self.edit.after.items()),
        )

    def recorded(self, made: pl.DataFrame, column: str) -> pl.DataFrame:
        """Return the ledger's rows of one written column."""
        before, after = pl.col(_BEFORE + column), pl.col(_AFTER + column)
        changed = made.filter(before.ne_missing(after)).select(
            row_key=self.published.row_key, before=before, after=after, recoverable=_RECOVERABLE
        )
        return ledger.entries(changed, self.rule, column=column)

    def counted(self, candidates: pl.DataFrame, column: str) -> pl.DataFrame:
        """Return how many cells of one written column the rule could have changed."""
        return _opportunity(self.rule, self.published, column, candidates[column].count())


def _steps(
    published: PublishedTable, rules: Sequence[Rule], environment: Environment, key: Key, beside: Frames
) -> Iterator[_Step]:
    for rule in rules:
        if isinstance(rule.kind, CellKind):
            draws = _draws(rule, published, key)
            for edit in rule.kind.edits(environment, draws):
                if all(lookup.table in beside for lookup in edit.lookups.values() if lookup.table):
                    yield _Step(published, rule, draws, edit, beside)


def _looked_up(rows: pl.DataFrame, table: pl.DataFrame, beside: Frames, lookup: Lookup, name: str) -> pl.DataFrame:
    """Return the rows with one more column: the lookup's value, null where nothing fits."""
    here = [pair[0].alias(f"{name}{index}") for index, pair in enumerate(lookup.on)]
    there = [pair[1].alias(f"{name}{index}") for index, pair in enumerate(lookup.on)]
    keys = [f"{name}{index}" for index in range(len(lookup.on))]
    source = beside[lookup.table] if lookup.table else table
    values = source.filter(lookup.where).group_by(there).agg(lookup.value.alias(name))
    return rows.with_columns(here).join(values, on=keys, how="left", maintain_order="left").drop(keys)


def _kept_empty(column: str, after: pl.Expr) -> pl.Expr:
    return pl.when(pl.col(column).is_not_null()).then(after)


def _written(current: pl.Series, made: pl.DataFrame, column: str) -> pl.Series:
    """Return the column with the new texts at their positions, by one gather over old and new texts."""
    size = len(current)
    source = pl.int_range(size, dtype=pl.UInt32, eager=True)
    source = source.scatter(made[_POSITION], pl.int_range(size, size + made.height, dtype=pl.UInt32, eager=True))
    return pl.concat([current, made[_AFTER + column].alias(column)])[source]


# --- rows --------------------------------------------------------------------------------------------------------------


def _on_rows(
    frame: pl.DataFrame,
    table: pl.DataFrame,
    published: PublishedTable,
    rules: Sequence[Rule],
    environment: Environment,
    key: Key,
) -> tuple[pl.DataFrame, list[pl.DataFrame], list[pl.DataFrame]]:
    """Return the table after all rules on rows, with their ledger and counts."""
    changes, counts = [], []
    positions = pl.int_range(table.height, dtype=pl.UInt32, eager=True)
    for rule in rules:
        if isinstance(rule.kind, RowKind):
            candidates = _row_candidates(table, published, rule, rule.kind, environment)
            chosen = _chosen_rows(candidates, published, rule, rule.kind, key)
            is_chosen = positions.is_in(chosen.implode()).fill_null(value=False)
            rows = frame.with_row_index(ORIGIN).with_columns(is_chosen.alias(CHOSEN))
            after = rule.kind.rearranged(rows, environment, _draws(rule, published, key))
            frame, origins = after.select(frame.columns), after[ORIGIN]
            changes.append(ledger.rearrangement(rows.drop(ORIGIN, CHOSEN), frame, origins, published.row_key, rule))
            counts.append(_opportunity(rule, published, "", candidates.height))
            positions = positions.gather(origins)
    return frame, changes, counts


def _row_candidates(
    table: pl.DataFrame, published: PublishedTable, rule: Rule, kind: RowKind, environment: Environment
) -> pl.DataFrame:
    is_judged = pl.col(kind.judged_by or published.row_key).is_not_null()
    conditions = [condition.holds() for condition in rule.where]
    is_eligible = pl.all_horizontal(is_judged, kind.is_eligible(environment, published), *conditions)
    return table.with_row_index(_POSITION).filter(is_eligible)


def _chosen_rows(candidates: pl.DataFrame, published: PublishedTable, rule: Rule, kind: RowKind, key: Key) -> pl.Series:
    uniform = _draws(rule, published, key).of("", "whether").uniform(published.row_key)
    return candidates.filter(rule.mechanism.hits(uniform, kind.judged_by or published.row_key))[_POSITION]


# --- files -------------------------------------------------------------------------------------------------------------


def _on_file(
    frame: pl.DataFrame, published: PublishedTable, rules: Sequence[Rule], environment: Environment, key: Key
) -> tuple[TextFile, list[pl.DataFrame], list[pl.DataFrame]]:
    """Return the file after all rules on files, with their ledger and counts."""
    changes, counts = [], []
    file = TextFile(frame=frame, dialect=published.dialect)
    for rule in rules:
        if isinstance(rule.kind, FileKind):
            draws = _draws(rule, published, key)
            choices = pl.DataFrame({"choice": rule.kind.choices(published)}, schema={"choice": pl.String})
            hits = rule.mechanism.hits(draws.of("", "whether").uniform("choice"), "choice")
            counts.append(_opportunity(rule, published, "", choices.height))
            for choice in choices.filter(hits)["choice"]:
                before = TextFile(frame=file.frame, dialect=file.dialect)
                file = rule.kind.restructured(before, choice, environment, draws)
                changes.append(ledger.restructuring(before, file, rule))
    return file, changes, counts


def _draws(rule: Rule, published: PublishedTable, key: Key) -> Draws:
    return Draws(rule=key.derive("noise", rule.name), table=published)


def _opportunity(rule: Rule, published: PublishedTable, column: str, eligible: int) -> pl.DataFrame:
    row = (rule.name, published.name, column, eligible)
    return pl.DataFrame([row], schema=ledger.OPPORTUNITIES, orient="row")
