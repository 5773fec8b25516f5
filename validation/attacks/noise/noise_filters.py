"""Clean against noisy: can one filter distinguish the rows that a noise rule changed from those that it could have changed?

Noise that keeps to the rows of one year, one source or one range of ids can be found without looking at the changed columns,
and avoided by leaving those rows out. The attack uses the columns that no rule changed, which are equal in the clean and the
noisy table. Rows that a rule added are compared with the clean ones among which they stand; changes to a file concern no row.
`filters.py` defines filters and how they are chosen; `pipeline/noise` decides which rows a rule changes.
"""

from dataclasses import replace
from typing import Any

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.noise.engine import eligible_rows
from pipeline.noise.kinds.interface import FileKind, RowKind
from pipeline.noise.ledger import added_rows
from pipeline.noise.mechanisms import AtRandom, CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from validation.attacks import Attack
from validation.attacks.limits import ALPHA
from validation.attacks.noise.classifier import classifier_attack
from validation.attacks.noise.filters import filter_attack, rows_by_ledger

REALISTIC = 0.6
"""Largest balanced accuracy for a kind that claims realism (our choice): with such a filter, leaving out six noisy rows costs
four clean ones."""

_POSITION = "\x1fposition"

SAMPLE = 1_000
"""Rows of each kind that are used (our choice): half of them are counted on, where a balanced accuracy of 58 % is distinguished
from guessing at `ALPHA` nine times in ten."""


def noise_filter_attacks(
    environment: Environment, spec: NoiseSpec, rendered: Frames, ledger: pl.DataFrame, key: Key
) -> dict[tuple[str, str], tuple[Attack, Attack]]:
    """Attack each rule in each table that it changed, by one filter and by a small classifier; by rule and table, in order.

    A column on which a rule depends by declaration is inherent, and so is one that is a function of it (its code): they are
    named and not counted. Columns that correlate with it, or with the figure that a gap depends on, are counted.

    Args:
        environment: Declares the tables, and what rules refer to.
        spec: The rules.
        rendered: The tables without noise, as text, by name.
        ledger: What noise changed in them, of all tables.
        key: The release key; decides which rows are used, and in which half the filter is chosen.
    """
    return {
        (rule.name, name): _attacks(environment, rule, name, rendered, changes, key)
        for rule in spec.rules
        for name in rule.tables
        if name in rendered
        for changes in [ledger.filter(pl.col("table") == name)]
        if rule.name in changes["rule"] and not isinstance(rule.kind, FileKind)
    }


def filter_entries(found: dict[tuple[str, str], tuple[Attack, Attack]], spec: NoiseSpec) -> list[dict[str, Any]]:
    """Return the entries of `noise.json`: each attack with its rule, kind and table, and its judgement.

    `told_apart` is whether it does better than guessing; `limit` the largest balanced accuracy of a kind that claims realism,
    None if the kind makes no claim or its mechanism depends on another column; `passed` whether it keeps to the limit.
    """
    rules = {rule.name: rule for rule in spec.rules}
    return [
        {
            "rule": name,
            "kind": rules[name].kind.name,
            "table": table,
            **attack.published(),
            "told_apart": attack.beats_chance(ALPHA),
            "limit": limit,
            "passed": limit is None or not replace(attack, chance=limit).beats_chance(ALPHA),
        }
        for (name, table), attacks in found.items()
        for attack in attacks
        for limit in [_limit(rules[name])]
    ]


def _limit(rule: Rule) -> float | None:
    is_random = isinstance(rule.mechanism, CompletelyAtRandom)
    return REALISTIC if rule.kind.claims_realism and is_random else None


def _attacks(
    environment: Environment, rule: Rule, name: str, rendered: Frames, changes: pl.DataFrame, key: Key
) -> tuple[Attack, Attack]:
    published = environment.table(name)
    order = key.derive("filters", rule.name, name)
    own = changes.filter(pl.col("rule") == rule.name)
    table = rendered[name].with_columns(pl.int_range(pl.len()).alias(_POSITION))
    eligible = eligible_rows(rendered[name], published, rule, environment, key, beside=rendered)
    added = added_rows(own, published) if isinstance(rule.kind, RowKind) else table.clear()
    changes_of_own = own.clear() if added.height else own
    rows = table.filter(pl.col(published.row_key).is_in(_sampled(eligible, changes_of_own["row_key"], order).implode()))
    touched = changes["column"].unique().to_list()
    changed, others = rows_by_ledger(rows.drop(touched, strict=False), changes_of_own, row_key=published.row_key)
    did = "added" if added.height else "changed"
    kinds = f'those of {name} that "{rule.name}" {did} against those that it could have changed'
    inherent = [*_inherent(rows, rule), *([published.row_key] if added.height else [])]
    first = added.head(SAMPLE).drop(touched, strict=False) if added.height else changed
    looks = [
        _as_written(side, rows, own, published.row_key).drop(
            *inherent, *([_POSITION] if added.height else []), strict=False
        )
        for side in (first, others)
    ]
    return (
        filter_attack(first, others.drop(_POSITION), kinds=kinds, key=order, inherent=inherent),
        classifier_attack(*looks, kinds=kinds, key=order),
    )


def _as_written(side: pl.DataFrame, rows: pl.DataFrame, own: pl.DataFrame, row_key: str) -> pl.DataFrame:
    """Return rows with the rule's cells as they are written: the noisy text where it changed them, else the clean text."""
    for column in own["column"].unique(maintain_order=True):
        if column and column in rows.columns:
            after = own.filter(pl.col("column") == column).select(pl.col("row_key").alias(row_key), "after")
            clean = rows.select(row_key, pl.col(column).alias(column))
            side = side.join(clean, on=row_key, how="left", maintain_order="left")
            side = side.join(after.unique(row_key), on=row_key, how="left", maintain_order="left")
            written = pl.coalesce("after", column).replace("", None)
            side = side.with_columns(written.alias(column)).drop("after")
    return side


def _sampled(eligible: pl.Series, changed: pl.Series, key: Key) -> pl.Series:
    """Return the keys of the sampled rows of each kind."""
    rows = eligible.to_frame("row").select("row", is_changed=pl.col("row").is_in(changed.implode()))
    order = key.draw("row").rank("ordinal").over("is_changed")
    return rows.filter(order <= SAMPLE)["row"]


def _inherent(rows: pl.DataFrame, rule: Rule) -> list[str]:
    """Return the columns that are functions of the one on which the rule depends by declaration."""
    if not isinstance(rule.mechanism, AtRandom):
        return []
    declared = rule.mechanism.column
    values = rows.n_unique(declared)
    return [column for column in rows.columns if rows.n_unique(list({declared, column})) == values]
