"""Applies a noise specification to one rendered table, and keeps the ledger.

Rules go in order. A rule selects by the clean rows (where, eligibility, rate, draws) and acts on the current text: so
switching one rule off leaves every cell it did not touch as it was. Nothing depends on other rows, order or batches.
What a kind does belongs to `kinds/`, which cells a rule chooses to `mechanisms.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from pipeline.environment.model import Environment, PublishedTable
from pipeline.keyed import Key
from pipeline.noise import ledger
from pipeline.noise.kinds.interface import Draws, Edit, clean_name, drawn_name
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


def apply_noise(
    table: pl.DataFrame, published: PublishedTable, spec: NoiseSpec, environment: Environment, key: Key
) -> Noised:
    """Apply every rule of the specification that names the table.

    Args:
        table: The rendered table: String columns, null for an empty field, `published.row_key` unique and never null.
        published: The table's declaration.
        spec: The specification; without rules the frame comes back as it was.
        environment: Gives units and vocabularies.
        key: The release key; draws are PRF(purpose "noise", rule, table, column and decision; row key or entity).
    """
    frame, changes, counts = table, [ledger.SCHEMA.to_frame()], [ledger.OPPORTUNITIES.to_frame()]
    for step in _steps(published, spec, environment, key):
        candidates = step.candidates(table)
        made = step.made(frame, step.chosen(candidates))
        frame = frame.with_columns(_written(frame[column], made, column) for column in step.edit.after)
        changes += [step.recorded(made, column) for column in step.edit.after]
        counts += [step.counted(candidates, column) for column in step.edit.after]
    return Noised(frame, pl.concat(changes), pl.concat(counts))


def eligible_rows(
    table: pl.DataFrame, published: PublishedTable, rule: Rule, environment: Environment, key: Key
) -> pl.Series:
    """Return the keys of the clean rows in which a rule could have changed a cell, whatever was drawn.

    Arguments as in `apply_noise`.
    """
    spec = NoiseSpec(environment=environment.name, rules=(rule,))
    rows = [step.candidates(table)[published.row_key] for step in _steps(published, spec, environment, key)]
    return pl.concat(rows).unique(maintain_order=True)


@dataclass(frozen=True)
class _Step:
    """One edit of one rule in one table."""

    published: PublishedTable
    rule: Rule
    draws: Draws
    edit: Edit

    def candidates(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the clean rows that could be chosen, with their positions."""
        is_there = pl.col(self.edit.column, self.edit.owner).is_not_null()
        conditions = [condition.holds() for condition in self.rule.where]
        return table.with_row_index(_POSITION).filter(pl.all_horizontal(is_there, self.edit.is_eligible, *conditions))

    def chosen(self, candidates: pl.DataFrame) -> pl.DataFrame:
        """Return the candidates that the mechanism picks."""
        uniform = self.draws.of(self.edit.column, "whether").uniform(self.edit.owner)
        return candidates.filter(self.rule.mechanism.hits(uniform, self.edit.column))

    def made(self, frame: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
        """Return before and after of every written column of the chosen rows; an empty cell stays empty."""
        clean_rows = chosen.drop(_POSITION).rename(clean_name)
        rows = pl.concat([chosen.select(_POSITION), frame[chosen[_POSITION]], clean_rows], how="horizontal")
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
        return made.filter(before.ne_missing(after)).select(
            pl.lit(self.published.name).alias("table"),
            pl.col(self.published.row_key).alias("row_key"),
            pl.lit(column).alias("column"),
            pl.lit(self.rule.kind.name).alias("kind"),
            pl.lit(self.rule.name).alias("rule"),
            before.fill_null("").alias("before"),
            after.fill_null("").alias("after"),
            pl.col(_RECOVERABLE).alias("recoverable"),
        )

    def counted(self, candidates: pl.DataFrame, column: str) -> pl.DataFrame:
        """Return how many cells of one written column the rule could have changed."""
        row = (self.rule.name, self.published.name, column, candidates[column].count())
        return pl.DataFrame([row], schema=ledger.OPPORTUNITIES, orient="row")


def _steps(published: PublishedTable, spec: NoiseSpec, environment: Environment, key: Key) -> Iterator[_Step]:
    for rule in spec.rules:
        if published.name in rule.tables:
            draws = Draws(key.derive("noise", rule.name, published.name), published.row_key)
            yield from (_Step(published, rule, draws, edit) for edit in rule.kind.edits(environment, draws))


def _kept_empty(column: str, after: pl.Expr) -> pl.Expr:
    return pl.when(pl.col(column).is_not_null()).then(after)


def _written(current: pl.Series, made: pl.DataFrame, column: str) -> pl.Series:
    """Return the column with the new texts at their positions, by one gather over old and new texts."""
    size = len(current)
    source = pl.int_range(size, dtype=pl.UInt32, eager=True)
    source = source.scatter(made[_POSITION], pl.int_range(size, size + made.height, dtype=pl.UInt32, eager=True))
    return pl.concat([current, made[_AFTER + column].alias(column)])[source]
