"""Applies a noise specification to one rendered table, whole or block by block, and keeps the ledger.

Rules on cells go first, then rules on rows, then rules on the file; within a level in the order of the specification. A
rule selects by the clean rows (where, eligibility, rate, draws) and acts on the current text: so switching one rule off
leaves every cell it did not touch as it was. Nothing depends on order or blocks, nor on other rows but those that a kind
looks up; a kind that does says so (`Kind.needs_whole_table`). What a kind does belongs to `kinds/`, which cells a rule
chooses to `mechanisms.py`, rules on cells to `steps.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Dialect, Environment, PublishedTable
from pipeline.noise import ledger
from pipeline.noise.changes import NoiseChanges, merged
from pipeline.noise.kinds.interface import CHOSEN, ELIGIBLE, ORIGIN, Draws, FileKind, RowKind, TextFile
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.noise.steps import (
    Answers,
    Count,
    Source,
    Surroundings,
    TableEdit,
    blocks_of,
    looked_up,
    on_cells,
    steps_of,
)

_POSITION = "\x1fposition"


@dataclass(frozen=True)
class Noised:
    """A table with noise, what was changed (`ledger.SCHEMA`) and what could have been (`ledger.OPPORTUNITIES`)."""

    frame: pl.DataFrame
    ledger: pl.DataFrame
    opportunities: pl.DataFrame
    dialect: Dialect = field(default_factory=Dialect)
    """How the file is written."""


@dataclass(frozen=True)
class NoisedBlock:
    """A block of a table with noise, and what was changed in it."""

    clean: pl.DataFrame
    frame: pl.DataFrame
    changes: NoiseChanges
    dialect: Dialect
    """How the file is written; the same for all blocks."""


def noised_blocks(
    table: Source,
    published: PublishedTable,
    spec: NoiseSpec,
    environment: Environment,
    key: Key,
    *,
    beside: Mapping[str, Source] | None = None,
    reserved: pl.Series | None = None,
    around: Surroundings | None = None,
) -> Iterator[NoisedBlock]:
    """Apply every rule of the specification that names the table, one block after the other.

    A table with a rule whose kind needs it whole is one block. Where rules look something up, the table is walked through
    twice, and once each table that they look into.

    Args:
        table: The rendered table or its blocks, at least one: String columns, null for an empty field, `published.row_key`
            unique in the whole table and never null.
        spec: The specification; without rules frames come back as they were.
        key: The release key; draws are PRF(purpose "noise", rule, table, column and decision; row key or entity).
        beside: The rendered tables that `published.beside` names; a rule that looks into one that is not there does nothing.
        reserved: What no made-up code may equal (`Draws.reserved`); nothing is reserved if not given.
        around: What stands around the blocks if they are not all of the table (`answers_of`); then only the names of tables
            beside it count.

    Raises:
        InputError: A rule on rows or on the file cannot keep its word on these rows: file, row, column and value.
    """
    job = _Job(published, _rules(published, spec), key, beside or {}, reserved)
    blocks = blocks_of(table)
    if needs_whole_table(published, spec):
        blocks = [pl.concat(blocks)]
    steps = list(steps_of(published, job.rules, environment, key, job.beside))
    around = around or Surroundings(0, looked_up(steps, blocks, job.beside))
    above = around.above
    for block in blocks:
        yield job.noised(block, above, steps, around.answers)
        above += block.height


def answers_of(
    table: Source,
    published: PublishedTable,
    spec: NoiseSpec,
    environment: Environment,
    key: Key,
    beside: Mapping[str, Source],
) -> list[Answers]:
    """Return what the rules of the specification look up in a table and those beside it; arguments as in `noised_blocks`."""
    return looked_up(list(steps_of(published, _rules(published, spec), environment, key, beside)), table, beside)


def needs_whole_table(published: PublishedTable, spec: NoiseSpec) -> bool:
    """Say whether a rule of the specification needs all rows of the table at once."""
    return any(rule.kind.needs_whole_table for rule in _rules(published, spec))


def apply_noise(
    table: pl.DataFrame,
    published: PublishedTable,
    spec: NoiseSpec,
    environment: Environment,
    key: Key,
    *,
    beside: Mapping[str, Source] | None = None,
    reserved: pl.Series | None = None,
) -> Noised:
    """Apply every rule of the specification that names the table to all of it; arguments as in `noised_blocks`."""
    blocks = list(noised_blocks(table, published, spec, environment, key, beside=beside, reserved=reserved))
    changes = merged([block.changes for block in blocks])
    frame = pl.concat([block.frame for block in blocks])
    return Noised(frame, changes.ledger, changes.opportunities, blocks[0].dialect)


def eligible_rows(
    table: Source,
    published: PublishedTable,
    rule: Rule,
    environment: Environment,
    key: Key,
    *,
    beside: Mapping[str, Source] | None = None,
) -> pl.Series:
    """Return the keys of the clean rows in which a rule could have changed something, whatever was drawn.

    Arguments as in `noised_blocks`. A rule on the file concerns every row.
    """
    return pl.concat(keys for _, keys in eligible_in_blocks(table, published, rule, environment, key, beside or {}))


def eligible_in_blocks(
    table: Source,
    published: PublishedTable,
    rule: Rule,
    environment: Environment,
    key: Key,
    beside: Mapping[str, Source],
) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
    """Yield the blocks of a clean table, each with the keys of those rows that are in it."""
    steps = list(steps_of(published, [rule], environment, key, beside))
    answers = looked_up(steps, table, beside)
    yield from ((block, _eligible(block, published, rule, steps, answers)) for block in blocks_of(table))


def _eligible(
    block: pl.DataFrame, published: PublishedTable, rule: Rule, steps: Sequence[TableEdit], answers: Sequence[Answers]
) -> pl.Series:
    keys = block[published.row_key]
    if isinstance(rule.kind, FileKind):
        return keys
    if isinstance(rule.kind, RowKind):
        return keys.gather(_row_candidates(block, published, rule, rule.kind))
    rows = [step.candidates(block, said)[published.row_key] for step, said in zip(steps, answers, strict=True)]
    return pl.concat([keys.clear(), *rows]).unique(maintain_order=True)


def _rules(published: PublishedTable, spec: NoiseSpec) -> list[Rule]:
    return [rule for rule in spec.rules if published.name in rule.tables]


@dataclass(frozen=True)
class _Job:
    """What is done to one table."""

    published: PublishedTable
    rules: Sequence[Rule]
    key: Key
    beside: Mapping[str, Source]
    reserved: pl.Series | None

    def noised(
        self, block: pl.DataFrame, above: int, steps: Sequence[TableEdit], answers: Sequence[Answers]
    ) -> NoisedBlock:
        """Return a block after all rules, given how many rows stand above it."""
        frame, of_cells, eligible = on_cells(block, steps, answers)
        frame, of_rows, counts_of_rows = self._on_rows(frame, block)
        file, of_file, counts_of_file = self._on_file(
            TextFile(frame=frame, dialect=self.published.dialect, above=above)
        )
        named = pl.lit(self.published.name).alias("table")
        changes = NoiseChanges.of_cells(
            [entries.with_columns(named) for entries in of_cells],
            eligible=self._counted(eligible),
            others=pl.concat([ledger.SCHEMA.to_frame(), *of_rows, *of_file]).with_columns(named),
            choices=self._counted([*counts_of_rows, *counts_of_file]),
        )
        return NoisedBlock(block, file.frame, changes, file.dialect)

    def _on_rows(
        self, frame: pl.DataFrame, table: pl.DataFrame
    ) -> tuple[pl.DataFrame, list[pl.DataFrame], list[Count]]:
        """Return the table after all rules on rows, with their ledger and counts."""
        changes: list[pl.DataFrame] = []
        counts: list[Count] = []
        positions = pl.int_range(table.height, dtype=pl.UInt32, eager=True)
        for rule in self.rules:
            if isinstance(rule.kind, RowKind) and all(name in self.beside for name in rule.kind.looks_into()):
                draws = self._draws(rule)
                candidates = _row_candidates(table, self.published, rule, rule.kind)
                chosen = _chosen_rows(table, candidates, rule, rule.kind, draws)
                flags = [_flagged(table.height, which).gather(positions) for which in (chosen, candidates)]
                rows = frame.with_row_index(ORIGIN).with_columns(flags[0].alias(CHOSEN), flags[1].alias(ELIGIBLE))
                rows = rows.with_columns(pl.col(CHOSEN).fill_null(value=False))
                beside = {name: pl.concat(blocks_of(self.beside[name])) for name in rule.kind.looks_into()}
                after = rule.kind.rearranged(rows, draws, beside)
                changes.append(
                    ledger.rearrangement(frame, after.select(frame.columns), after[ORIGIN], draws.row_key, rule)
                )
                counts.append((rule, "", len(candidates)))
                frame, positions = after.select(frame.columns), positions.gather(after[ORIGIN])
        return frame, changes, counts

    def _on_file(self, file: TextFile) -> tuple[TextFile, list[pl.DataFrame], list[Count]]:
        """Return the file after all rules on files, with their ledger and counts."""
        changes: list[pl.DataFrame] = []
        counts: list[Count] = []
        for rule in self.rules:
            if isinstance(rule.kind, FileKind):
                draws = self._draws(rule)
                choices = pl.DataFrame({"choice": rule.kind.choices(self.published)}, schema={"choice": pl.String})
                hits = rule.mechanism.hits(draws.of("", "whether").uniform("choice"), "choice")
                counts.append((rule, "", choices.height))
                for choice in choices.filter(hits)["choice"]:
                    before = TextFile(frame=file.frame, dialect=file.dialect, above=file.above)
                    file = replace(rule.kind.restructured(before, choice, draws), above=file.above)
                    changes.append(ledger.restructuring(before, file, rule))
        return file, changes, counts

    def _draws(self, rule: Rule) -> Draws:
        return Draws(rule=self.key.derive("noise", rule.name), table=self.published, reserved=self.reserved)

    def _counted(self, counts: Iterable[Count]) -> pl.DataFrame:
        rows = [(rule.name, self.published.name, column, eligible) for rule, column, eligible in counts]
        return pl.DataFrame(rows, schema=ledger.OPPORTUNITIES, orient="row")


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
