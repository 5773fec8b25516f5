"""What noise does to tasks: which cells it touches, what a naive reader then answers, and which rules are the cause.

A rule selects by the clean rows and draws with a key of its own, so a specification without one rule leaves all other noise as
it was. Every answer here is found on tables that were noised with a part of the specification; nothing is taken from the ledger
but which cells were touched.

A task that the naive reader gets wrong has one of three causes, which exclude each other:

- *one*: there is exactly one rule without which it is right;
- *any*: there are several such rules; they spoil it only together;
- *several*: there is none; rules spoil it independently of each other.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import polars as pl

from pipeline.model import Environment
from pipeline.noise.ablation import Ablation
from pipeline.noise.spec import NoiseSpec
from pipeline.places import CLEAN, NOISY
from pipeline.tasks.drawing import Draw, Plain
from pipeline.tasks.program.operators import TableRows
from pipeline.tasks.program.shapes import KnownTables
from pipeline.tasks.records import Cause, TaskImpact, TouchedBy
from validation.tasks.naive import NaiveTables, naive_answer

Rules = frozenset[str]


@dataclass(frozen=True)
class Impact:
    """What noise does to one task."""

    touched: Mapping[str, int]
    """Rules, with the number of cells of the task's evidence that each changed; a row that came or went counts once."""
    naive: Mapping[str, Plain | None]
    """What the naive reader answers on each variant."""
    mended: Plain | None
    """What it answers on the tables that the reference cleaner made."""
    cause: Cause
    broken_by: tuple[str, ...]
    """The rules of the cause. For several: those that spoil the task alone; if none does, a least set that does so together."""
    gold: Plain
    has_cleaner: bool = True
    """Whether a file says how the tables are cleaned; if not, `mended` is what stands there."""

    @property
    def is_robust(self) -> bool:
        """Say whether the naive reader is right with all noise."""
        return self.naive[NOISY] == self.gold

    @property
    def is_answerable(self) -> bool | None:
        """Say whether the gold can be had from what is published: by the cleaner, or as it stands; None if no cleaner tried."""
        return self.is_robust or (self.mended == self.gold if self.has_cleaner else None)

    def record(self) -> TaskImpact:
        """Return it as it is published."""
        return TaskImpact(
            touched=[TouchedBy(rule=rule, cells=cells) for rule, cells in self.touched.items()],
            naive=dict(self.naive),
            mended=self.mended,
            cause=self.cause,
            broken_by=list(self.broken_by),
            answerable=self.is_answerable,
        )


@dataclass(frozen=True, kw_only=True)
class NoiseParts:
    """Tables with parts of a specification."""

    environment: Environment
    spec: NoiseSpec
    known: KnownTables
    noised: Callable[[str, NoiseSpec], pl.DataFrame]
    """Returns a table with the noise of a specification, as text."""
    ledger: pl.DataFrame
    """What the whole specification changes."""

    @cached_property
    def rules(self) -> Rules:
        """Return all rules."""
        return frozenset(rule.name for rule in self.spec.rules)

    @cached_property
    def columns(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Return, by table, the rules that change something there, each with the columns; "" for rows or the file."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        by_rule = self.ledger.group_by("table", "rule").agg(pl.col("column").unique())
        for table, rule, columns in by_rule.sort("table", "rule").iter_rows():
            found.setdefault(table, {})[rule] = frozenset(columns)
        return found

    @cached_property
    def noisy(self) -> NaiveTables:
        """Return the tables with all noise."""
        return self.read(lambda name: self.noised(name, self.spec))

    @cached_property
    def clean(self) -> NaiveTables:
        """Return the tables without noise."""
        return self.read(lambda name: self.noised(name, replace(self.spec, rules=())))

    def with_rules(self, rules: Rules) -> NaiveTables:
        """Return all tables with the noise of some rules, each made when it is first read."""
        return _SomeNoise(self, rules, self.known, lambda name: self.noised(name, self._part(rules)), self._row_key)

    def read(self, texts: Callable[[str], pl.DataFrame]) -> NaiveTables:
        """Return tables as the naive reader reads them, given their texts."""
        return NaiveTables(self.known, texts, self._row_key)

    def _part(self, rules: Rules) -> NoiseSpec:
        return replace(self.spec, rules=tuple(rule for rule in self.spec.rules if rule.name in rules))

    def _row_key(self, table: str) -> str | None:
        return self.environment.table(table).row_key


class _SomeNoise(NaiveTables):
    """Tables with some rules: those with all noise or none are the same for every part, and are kept."""

    def __init__(self, parts: NoiseParts, rules: Rules, *read: Any) -> None:
        super().__init__(*read)
        self.parts, self.rules = parts, rules

    def typed(self, table: str) -> pl.DataFrame:
        on_table = self.parts.columns.get(table, {}).keys()
        if not self.rules & on_table:
            return self.parts.clean.typed(table)
        return self.parts.noisy.typed(table) if self.rules >= on_table else super().typed(table)


def impacts(
    draws: Mapping[str, Draw],
    parts: NoiseParts,
    variants: Sequence[Ablation],
    mended: Callable[[str], pl.DataFrame] | None = None,
    *,
    watch: Callable[[str], None] = lambda _what: None,
) -> dict[str, Impact]:
    """Return what noise does to each task, in their order.

    Args:
        draws: The tasks by id.
        variants: Parts of the specification on which the naive reader is asked; the whole and the empty one are always asked.
        mended: Returns a table as the reference cleaner leaves it; without one, all are as they are with noise.
        watch: Called with what the tasks are tried on next.
    """
    asked = [_Asked(draw, parts) for draw in draws.values()]
    named = {NOISY: parts.rules, CLEAN: frozenset[str]()}
    named |= {variant.name: frozenset(rule.name for rule in variant.rules) for variant in variants}
    every = len(named) + 2 * len(parts.spec.rules)
    part = (f"part {number} of {every} of the noise" for number in count(1))
    for rules in named.values():
        watch(next(part))
        _ask(asked, parts, rules)
    broken = [one for one in asked if one.is_broken]
    for rule in parts.spec.rules:
        watch(next(part))
        _ask([one for one in broken if rule.name in one.relevant], parts, parts.rules - {rule.name})
    for rule in parts.spec.rules:
        watch(next(part))
        _ask([one for one in broken if rule.name in one.relevant and not one.restoring], parts, frozenset({rule.name}))
    by_cleaner = parts.read(mended) if mended else parts.noisy
    found = dict[str, Impact]()
    for name, one in zip(draws, asked, strict=True):
        watch(f"task {len(found) + 1} of {len(asked)} on the tables that the cleaner mended")
        impact = one.impact(named, naive_answer(one.draw, by_cleaner))
        found[name] = replace(impact, has_cleaner=mended is not None)
    return found


def accounted(found: Mapping[str, Impact]) -> dict[str, Any]:
    """Return how many tasks the naive reader gets wrong, by cause and rules; `alone` and `together` add up to `wrong`."""
    wrong = [impact for impact in found.values() if not impact.is_robust]
    alone = Counter(rule for impact in wrong if impact.cause == "one" for rule in impact.broken_by)
    together = Counter((impact.cause, impact.broken_by) for impact in wrong if impact.cause != "one")
    return {
        "tasks": len(found),
        "wrong": len(wrong),
        "answerable": sum(impact.is_answerable is True for impact in found.values()),
        "alone": dict(sorted(alone.items())),
        "together": [
            {"cause": cause, "rules": list(rules), "tasks": count} for (cause, rules), count in sorted(together.items())
        ],
    }


def _ask(asked: Sequence["_Asked"], parts: NoiseParts, rules: Rules) -> None:
    """Ask tasks on one part of the noise, so that its tables are made once and then let go."""
    tables = parts.with_rules(rules)
    for one in asked:
        one.ask(rules, tables)


class _Asked:
    """One task and its answers. Noise that touches no column that it reads is left aside, so that nothing is asked twice."""

    def __init__(self, draw: Draw, parts: NoiseParts) -> None:
        self.draw, self.parts = draw, parts
        self.answers: dict[Rules, Plain | None] = {}
        read: dict[str, set[str]] = {step.table: {""} for step in draw.steps.values() if isinstance(step, TableRows)}
        for table, column in draw.outcome.read:
            read[table].add(column)
        self.relevant: Rules = frozenset(
            rule
            for table, columns in read.items()
            for rule, changed in parts.columns.get(table, {}).items()
            if columns & changed
        )

    def ask(self, rules: Rules, tables: NaiveTables) -> None:
        kept = rules & self.relevant
        if kept not in self.answers:
            self.answers[kept] = naive_answer(self.draw, tables)

    def is_right(self, rules: Rules) -> bool:
        return self.answers[rules & self.relevant] == self.draw.answer

    @property
    def is_broken(self) -> bool:
        """Say whether the reader is wrong because of noise."""
        return not self.is_right(self.relevant) and self.is_right(frozenset())

    @property
    def restoring(self) -> tuple[str, ...]:
        """Return the rules of which each alone, taken out, makes a broken task right."""
        return tuple(rule for rule in self._in_order() if self.is_right(self.relevant - {rule}))

    def impact(self, named: Mapping[str, Rules], mended: Plain | None) -> Impact:
        cause, broken_by = self._cause()
        return Impact(
            touched=self._touched(),
            naive={name: self.answers[rules & self.relevant] for name, rules in named.items()},
            mended=mended,
            cause=cause,
            broken_by=broken_by,
            gold=self.draw.answer,
        )

    def _cause(self) -> tuple[Cause, tuple[str, ...]]:
        if not self.is_broken:
            return "", ()
        if restoring := self.restoring:
            return ("one" if len(restoring) == 1 else "any"), restoring
        alone = tuple(rule for rule in self._in_order() if not self.is_right(frozenset({rule})))
        return "several", alone or self._least()

    def _least(self) -> tuple[str, ...]:
        """Return rules that spoil the task together, none of which can be left out: each is left out in turn, if it can be."""
        kept = self.relevant
        for rule in self._in_order():
            _ask([self], self.parts, kept - {rule})
            if not self.is_right(kept - {rule}):
                kept = kept - {rule}
        return tuple(rule for rule in self._in_order() if rule in kept)

    def _in_order(self) -> list[str]:
        return [rule.name for rule in self.parts.spec.rules if rule.name in self.relevant]

    def _touched(self) -> dict[str, int]:
        read = [
            pl.DataFrame({"table": table, "column": column, "row_key": sorted(keys)})
            for (table, column), keys in self.draw.outcome.read.items()
            if keys  # of no rows, the frame would have no types
        ]
        if not read:
            return {}
        cells = pl.concat(read)
        rows = cells.with_columns(column=pl.lit("")).unique()
        touching = pl.concat([cells, rows]).join(self.parts.ledger, on=["table", "column", "row_key"])
        return dict(touching.group_by("rule").len().sort("rule").iter_rows())
