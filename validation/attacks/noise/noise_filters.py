"""Clean against noisy: can one filter distinguish the rows that a noise rule changed from those that it could have changed?

Noise that keeps to the rows of one year, one source or one range of ids can be found without looking at the changed columns,
and avoided by leaving those rows out. The attack uses the columns that no rule changed, which are equal in the clean and the
noisy table. Rows that a rule added are compared with the clean ones among which they stand; changes to a file concern no row.
`filters.py` defines filters and how they are chosen; `pipeline/noise` decides which rows a rule changes.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.engine import eligible_rows
from pipeline.noise.kinds.interface import FileKind, RowKind
from pipeline.noise.ledger import added_rows
from pipeline.noise.mechanisms import AtRandom, CompletelyAtRandom
from pipeline.noise.spec import Rule
from validation.attacks import Attack
from validation.attacks.limits import ALPHA
from validation.attacks.noise.classifier import classifier_attack
from validation.attacks.noise.filters import filter_attack
from validation.attacks.noise.looks import NoiseLooks

REALISTIC = 0.6
"""Largest balanced accuracy for a kind that claims realism (our choice): with such a filter, leaving out six noisy rows costs
four clean ones."""

_POSITION, _DRAWN, _IS_CHANGED = "\x1fposition", "\x1fdrawn", "\x1fis changed"

SAMPLE = 1_000
"""Rows of each kind that are used (our choice): half of them are counted on, where a balanced accuracy of 58 % is distinguished
from guessing at `ALPHA` nine times in ten."""


@dataclass(frozen=True, kw_only=True)
class FilterSample:
    """The rows by which one rule is attacked in one table. Samples of parts of the table give that of the whole (`together`).

    It is a matter of each row by itself but for what a kind looks up in other rows to say where it could have acted.
    """

    rule: Rule
    published: PublishedTable
    changed: pl.DataFrame
    """Clean rows that the rule changed, with their position in the file and the number drawn for each: the lowest `SAMPLE`."""
    others: pl.DataFrame
    """The same of those that it could have changed."""
    added: pl.DataFrame
    """Rows that the rule added: the first `SAMPLE`."""
    written: pl.DataFrame
    """What the rule wrote into the changed rows: `row_key, column, after`."""
    own: tuple[str, ...]
    """Columns that the rule changed, in the order of the ledger."""
    touched: frozenset[str]
    """Columns that any rule changed."""

    @property
    def rows(self) -> pl.DataFrame:
        """Return the clean rows of both kinds."""
        return pl.concat([self.changed, self.others]).drop(_DRAWN)


def attacked(rules: Iterable[Rule], changes: pl.DataFrame) -> list[Rule]:
    """Return the rules that are attacked in a table: those that changed cells or rows there."""
    acted = set(changes["rule"].unique())
    return [rule for rule in rules if rule.name in acted and not isinstance(rule.kind, FileKind)]


def samples(
    environment: Environment,
    rules: Sequence[Rule],
    rows: pl.DataFrame,
    published: PublishedTable,
    changes: pl.DataFrame,
    key: Key,
    *,
    beside: Frames,
    places: pl.Series | None = None,
) -> list[FilterSample]:
    """Draw the rows by which rules are attacked in a table; changes to a file concern no row.

    Args:
        rules: Those that changed something in the table, in these rows or others (`attacked`).
        rows: Rows of the table without noise, as text.
        changes: What all rules changed in these rows, and the rows that they added among them.
        key: The release key; decides which rows are used.
        beside: The rendered tables that a rule may look into.
        places: Positions of the rows in the table; from 0 on if not given.
    """
    chosen = [
        _Chosen.of(environment, rule, rows, published, changes.filter(pl.col("rule") == rule.name), key, beside)
        for rule in rules
    ]
    drawn = pl.concat([pl.Series(dtype=pl.String), *(one.drawn["row"] for one in chosen)]).unique()
    # One look at the whole table serves all rules.
    rows = rows.with_columns((pl.int_range(pl.len()) if places is None else places).alias(_POSITION))
    rows = rows.filter(pl.col(published.row_key).is_in(drawn.implode()))
    touched = frozenset(changes["column"].unique())
    return [_sample(one, rows, published, touched) for one in chosen]


def together(parts: Sequence[FilterSample]) -> FilterSample:
    """Return the sample of a table, given those of its parts; added rows stand in their order."""
    changed, others = (
        pl.concat(frames).filter(pl.col(_DRAWN).rank("ordinal") <= SAMPLE).sort(_POSITION)
        for frames in ([part.changed for part in parts], [part.others for part in parts])
    )
    return replace(
        parts[0],
        changed=changed,
        others=others,
        added=pl.concat(part.added for part in parts).head(SAMPLE),
        written=_about(pl.concat(part.written for part in parts), changed, parts[0].published),
        own=tuple(dict.fromkeys(column for part in parts for column in part.own)),
        touched=frozenset[str]().union(*(part.touched for part in parts)),
    )


def in_order(sample: FilterSample, changes: pl.DataFrame) -> FilterSample:
    """Return the sample of a table with the rule's columns in the order in which the table's ledger tells of them."""
    named = changes.filter(pl.col("rule") == sample.rule.name)["column"].unique(maintain_order=True)
    return replace(sample, own=tuple(column for column in named if column in sample.own))


def filter_attacks(samples: Sequence[FilterSample], key: Key) -> list[tuple[Attack, Attack]]:
    """Attack each rule in a table by one filter and by a small classifier, given the samples of the whole table.

    A column on which a rule depends by declaration is inherent, and so is one that is a function of it (its code): they are
    named and not counted. Columns that correlate with it, or with the figure that a gap depends on, are counted.
    """
    sides = [_Sides.of(each) for each in samples]
    looks = NoiseLooks.of(rows for both in sides for rows in (both.first, both.others))
    return [_attacks(each, both, looks, key) for each, both in zip(samples, sides, strict=True)]


def filter_entries(rule: Rule, table: str, attacks: Iterable[Attack]) -> list[dict[str, Any]]:
    """Return the entries of `noise.json`: each attack with its rule, kind and table, and its judgement.

    `is_detected` is whether it does better than guessing; `limit` the largest balanced accuracy of a kind that claims realism,
    None if the kind makes no claim or its mechanism depends on another column; `passed` whether it keeps to the limit.
    """
    is_random = isinstance(rule.mechanism, CompletelyAtRandom)
    limit = REALISTIC if rule.kind.claims_realism and is_random else None
    return [
        {
            "rule": rule.name,
            "kind": rule.kind.name,
            "table": table,
            **attack.published(),
            "is_detected": attack.beats_chance(ALPHA),
            "limit": limit,
            "passed": limit is None or not replace(attack, chance=limit).beats_chance(ALPHA),
        }
        for attack in attacks
    ]


# --- which rows --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chosen:
    """The rows by which a rule is attacked, before they are fetched."""

    rule: Rule
    own: pl.DataFrame
    """What it changed in rows."""
    added: pl.DataFrame
    drawn: pl.DataFrame
    """`row`, the number drawn for it, and `is_changed`: of either kind the lowest `SAMPLE`."""

    @classmethod
    def of(
        cls,
        environment: Environment,
        rule: Rule,
        rows: pl.DataFrame,
        published: PublishedTable,
        entries: pl.DataFrame,
        key: Key,
        beside: Frames,
    ) -> "_Chosen":
        added = added_rows(entries, published) if isinstance(rule.kind, RowKind) else rows.clear()
        # What a rule added is held against the rows among which it stands, none of which it changed.
        own = entries.clear() if added.height else entries
        eligible = eligible_rows(rows, published, rule, environment, key, beside=beside)
        is_changed = pl.col("row").is_in(own["row_key"].implode()).alias(_IS_CHANGED)
        drawn = eligible.to_frame("row").with_columns(
            _order(rule, published, key).draw("row").alias(_DRAWN), is_changed
        )
        lowest = (drawn.filter(kind).bottom_k(SAMPLE, by=_DRAWN) for kind in (is_changed, ~is_changed))
        return cls(rule, own, added, pl.concat(lowest))


def _sample(chosen: _Chosen, rows: pl.DataFrame, published: PublishedTable, touched: frozenset[str]) -> FilterSample:
    row_key = published.row_key
    looked_at = rows.join(chosen.drawn, left_on=row_key, right_on="row", maintain_order="left")
    changed, others = (looked_at.filter(kind).drop(_IS_CHANGED) for kind in (_IS_CHANGED, ~pl.col(_IS_CHANGED)))
    return FilterSample(
        rule=chosen.rule,
        published=published,
        changed=changed,
        others=others,
        added=chosen.added.head(SAMPLE),
        written=_about(chosen.own.select("row_key", "column", "after"), changed, published),
        own=tuple(column for column in chosen.own["column"].unique(maintain_order=True) if column in rows.columns),
        touched=touched,
    )


def _order(rule: Rule, published: PublishedTable, key: Key) -> Key:
    return key.derive("filters", rule.name, published.name)


def _about(entries: pl.DataFrame, rows: pl.DataFrame, published: PublishedTable) -> pl.DataFrame:
    return entries.join(rows, left_on="row_key", right_on=published.row_key, how="semi", maintain_order="left")


# --- one rule ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sides:
    """Rows that noise made or changed and others, in the columns by which they may be distinguished.

    These are the columns that no rule changed, then their position in the file, then the rule's own as they are written.
    """

    first: pl.DataFrame
    others: pl.DataFrame

    @classmethod
    def of(cls, sample: FilterSample) -> "_Sides":
        untouched = [column for column in sample.published.columns if column not in sample.touched]
        if sample.added.height:
            return cls(sample.added.select(untouched), sample.others.select(untouched))
        columns = [*untouched, _POSITION, *sample.own]
        return cls(_as_written(sample).select(columns), sample.others.select(columns))

    def without(self, columns: Collection[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
        return self.first.drop(columns, strict=False), self.others.drop(columns, strict=False)


def _as_written(sample: FilterSample) -> pl.DataFrame:
    """Return the changed rows with the texts that the rule wrote."""
    rows, key = sample.changed, sample.published.row_key
    for column in sample.own:
        written = sample.written.filter(column=column).unique("row_key").select("row_key", "after")
        beside = rows.join(written, left_on=key, right_on="row_key", how="left", maintain_order="left")
        rows = beside.with_columns(pl.coalesce("after", column).replace("", None).alias(column)).drop("after")
    return rows


def _attacks(sample: FilterSample, sides: _Sides, looks: NoiseLooks, key: Key) -> tuple[Attack, Attack]:
    rule, name, order = sample.rule, sample.published.name, _order(sample.rule, sample.published, key)
    did = "added" if sample.added.height else "changed"
    kinds = f'those of {name} that "{rule.name}" {did} against those that it could have changed'
    inherent = [*_inherent(sample.rows, rule), *([sample.published.row_key] if sample.added.height else [])]
    return (
        filter_attack(*sides.without([_POSITION, *sample.own]), kinds=kinds, key=order, inherent=inherent, looks=looks),
        classifier_attack(*sides.without(inherent), kinds=kinds, key=order, looks=looks),
    )


def _inherent(rows: pl.DataFrame, rule: Rule) -> list[str]:
    """Return the columns that are functions of the one on which the rule depends by declaration."""
    if not isinstance(rule.mechanism, AtRandom):
        return []
    declared = rule.mechanism.column
    values = rows.n_unique(declared)
    return [column for column in rows.columns if rows.n_unique(list({declared, column})) == values]
