"""Rules on cells, as steps over blocks of a table: which rows a step chooses, what it looks up, what it writes.

A step selects by the clean rows and acts on the current text. Nothing depends on which rows are in a block, nor on other rows
but those that a step looks up: these are found in one walk through the blocks that ask and one through those that answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.keyed import Key, canonical_numbers
from pipeline.model import Environment, PublishedTable
from pipeline.model.published import RECORDS
from pipeline.noise import ledger
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Lookup, clean_name, drawn_name
from pipeline.noise.spec import Rule

Source = pl.DataFrame | Iterable[pl.DataFrame]
"""A clean table: whole, or its blocks, through which one can walk more than once."""
Answers = Mapping[str, pl.DataFrame]
"""What the rows that are looked at say, by name of the look-up: its keys, and the value."""

Count = tuple[Rule, str, int]
"""A rule, a column it writes ("" for rows and the file), and how many cells, rows or choices it could have changed."""

_POSITION = "\x1fposition"
_NUMBER = "\x1fnumber"
"""The row key as a number, where it is one: read once, and drawn by in every rule."""
_BEFORE, _AFTER = "\x1fbefore:", "\x1fafter:"
_RECOVERABLE = "\x1frecoverable:"


@dataclass(frozen=True)
class Surroundings:
    """What a block has to know of the rest of its table, and of the tables beside it."""

    above: int
    """How many rows stand above it."""
    answers: Sequence[Answers]
    """What each step looks up."""


@dataclass(frozen=True)
class TableEdit:
    """One edit of one rule in one table."""

    published: PublishedTable
    rule: Rule
    draws: Draws
    edit: Edit

    def candidates(self, block: pl.DataFrame, answers: Answers) -> pl.DataFrame:
        """Return the clean rows of a block that could be chosen, with positions in it and what was looked up."""
        rows = self._open(block)
        return _passing(self._answered(rows, answers) if self.asks_first else rows, self.edit.is_eligible)

    def chosen(self, candidates: pl.DataFrame, answers: Answers) -> pl.DataFrame:
        """Return the candidates that the mechanism picks, with what was looked up for them."""
        chosen = candidates.filter(self._hits(candidates))
        return chosen if self.asks_first else self._answered(chosen, answers)

    def asking(self, block: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of a block for which something is looked up."""
        rows = self._open(block)
        return rows if self.asks_first else _passing(rows, self.edit.is_eligible).filter(self._hits(rows))

    @property
    def asks_first(self) -> bool:
        """Whether what is looked up says which rows are eligible; if not, only the chosen ones need to know."""
        found = {drawn_name(name) for name in self.edit.lookups}
        return not found.isdisjoint(self.edit.is_eligible.meta.root_names())

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

    def _open(self, block: pl.DataFrame) -> pl.DataFrame:
        """Return the rows that pass the rule's conditions, with positions.

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
        return rows

    def _answered(self, rows: pl.DataFrame, answers: Answers) -> pl.DataFrame:
        for name, lookup in self.edit.lookups.items():
            rows = lookup.answered(rows, answers[name])
        return rows

    def _is_recoverable(self, column: str) -> pl.Expr:
        stated = self.rule.recoverable
        return self.edit.recoverability(column) if stated is None else pl.lit(stated)

    def _hits(self, rows: pl.DataFrame) -> pl.Expr:
        is_numbered = self.edit.owner == self.published.row_key and _NUMBER in rows.columns
        owner = _NUMBER if is_numbered else self.edit.owner
        whether = self.edit.whether or self.draws.of(self.edit.column, "whether")
        return self.rule.mechanism.hits(whether.uniform(owner), self.edit.column)


def steps_of(
    published: PublishedTable, rules: Sequence[Rule], environment: Environment, key: Key, beside: Iterable[str]
) -> Iterator[TableEdit]:
    """Return the steps of the rules on cells; one that looks into a table that is not beside does nothing."""
    for rule in rules:
        if isinstance(rule.kind, CellKind):
            draws = Draws(rule=key.derive("noise", rule.name), table=published)
            for edit in rule.kind.edits(environment, draws):
                if all(lookup.table in beside for lookup in edit.lookups.values() if lookup.table):
                    yield TableEdit(published, rule, draws, edit)


def on_cells(
    block: pl.DataFrame, steps: Sequence[TableEdit], answers: Sequence[Answers]
) -> tuple[pl.DataFrame, list[pl.DataFrame], list[Count]]:
    """Return a block after all steps, with the entries and the number of eligible cells of each written column."""
    frame, clean = block, _numbered(block, steps)
    entries, eligible = [], []
    for step, known in zip(steps, answers, strict=True):
        candidates = step.candidates(clean, known)
        made = step.made(frame, clean, step.chosen(candidates, known))
        frame = frame.with_columns(
            frame[column].clone().scatter(made[_POSITION], made[_AFTER + column]) for column in step.edit.after
        )
        entries += [step.recorded(made, column) for column in step.edit.after]
        eligible += [(step.rule, column, candidates[column].count()) for column in step.edit.after]
    return frame, entries, eligible


# --- look-ups ----------------------------------------------------------------------------------------------------------

_Which = tuple[int, str]
"""The place of a step, and the name of one of its look-ups."""


def looked_up(steps: Sequence[TableEdit], table: Source, beside: Mapping[str, Source]) -> list[Answers]:
    """Return for each step what it looks up, given the clean table and those beside it.

    If anything is looked up, one walk through the table collects what is asked for, one through each table that is looked
    into what is said there.
    """
    lookups = {(place, name): lookup for place, step in enumerate(steps) for name, lookup in step.edit.lookups.items()}
    asked = _asked(steps, lookups, table) if lookups else {}
    answers: dict[_Which, pl.DataFrame] = {}
    for source in {lookup.table for lookup in lookups.values()}:
        into = {which: lookup for which, lookup in lookups.items() if lookup.table == source}
        answers |= _answered(into, asked, beside[source] if source else table)
    return [{name: answers[place, name] for name in step.edit.lookups} for place, step in enumerate(steps)]


def packed(answers: Sequence[Answers]) -> pl.DataFrame:
    """Return what is looked up as one frame, so that it can be kept."""
    rows = [
        (step, name, table.write_ipc(None).getvalue())
        for step, one in enumerate(answers)
        for name, table in one.items()
    ]
    return pl.DataFrame([(len(answers), "", b""), *rows], schema=_PACKED, orient="row")


def unpacked(kept: pl.DataFrame) -> list[Answers]:
    """Return what was looked up, given as `packed` returns it."""
    (steps, *_), *rows = kept.rows()
    answers: list[dict[str, pl.DataFrame]] = [{} for _ in range(steps)]
    for step, name, table in rows:
        answers[step][name] = pl.read_ipc(table)
    return list(answers)


_PACKED = {"step": pl.UInt32, "name": pl.String, "table": pl.Binary}
"""What was looked up, by step; before it, how many steps there are."""


def _asked(steps: Sequence[TableEdit], lookups: Mapping[_Which, Lookup], table: Source) -> dict[_Which, pl.DataFrame]:
    keys: dict[_Which, list[pl.DataFrame]] = {which: [] for which in lookups}
    for block in blocks_of(table):
        clean = _numbered(block, steps)
        rows = {place: steps[place].asking(clean) for place in {place for place, _ in lookups}}
        for which, lookup in lookups.items():
            keys[which].append(lookup.asked(rows[which[0]]))
    return {which: pl.concat(of_blocks).unique() for which, of_blocks in keys.items()}


def _answered(
    lookups: Mapping[_Which, Lookup], asked: Mapping[_Which, pl.DataFrame], source: Source
) -> dict[_Which, pl.DataFrame]:
    """Return what a table that is looked into says for the keys."""
    said: dict[_Which, list[pl.DataFrame]] = {which: [] for which in lookups}
    for block in blocks_of(source):
        for which, lookup in lookups.items():
            said[which].append(lookup.said(asked[which], block))
    return {which: lookup.answers(pl.concat(said[which]), which[1]) for which, lookup in lookups.items()}


def blocks_of(table: Source) -> Iterable[pl.DataFrame]:
    """Return the blocks of a table; slices, at least one, if it is a frame."""
    return (list(table.iter_slices(RECORDS)) or [table]) if isinstance(table, pl.DataFrame) else table


def _numbered(block: pl.DataFrame, steps: Sequence[TableEdit]) -> pl.DataFrame:
    """Return a block with its row keys as numbers, if all are."""
    numbers = canonical_numbers(block[steps[0].published.row_key]) if steps else None
    return block if numbers is None or numbers.null_count() else block.with_columns(numbers.alias(_NUMBER))


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
