"""Clean against noisy: can one filter tell the rows that a noise rule changed from those that it could have changed?

Noise that keeps to the rows of one year, one source or one range of ids is found without looking at what it changed, and
undone by leaving those rows out. Attacked are the columns that no rule changed: they are the same in the clean and the noisy
table. What a filter is, and how it is chosen, is `filters.py`; which rows a rule chooses is `pipeline/noise`.
"""

from typing import Any

import polars as pl

from pipeline.environment.model import Environment, Frames
from pipeline.keyed import Key
from pipeline.noise.engine import eligible_rows
from pipeline.noise.mechanisms import AtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from validation.attacks import Attack
from validation.attacks.filters import filter_attack, rows_by_ledger
from validation.attacks.limits import ALPHA

SAMPLE = 2_000
"""Rows of each kind that are looked at (our choice): enough to tell a balanced accuracy of 55 % from guessing at `ALPHA`."""


def noise_filter_attacks(
    environment: Environment, spec: NoiseSpec, rendered: Frames, ledger: pl.DataFrame, key: Key
) -> dict[tuple[str, str], Attack]:
    """Attack each rule in each table that it changed; return what was found by rule and table, in their order.

    A column on which a rule depends by declaration is inherent, and so is one that says no more than it (its code): they
    are named and not counted. Columns that correlate with it, or with the figure that a gap depends on, are counted.

    Args:
        environment: Declares the tables, and what rules refer to.
        spec: The rules.
        rendered: The tables without noise, as text, by name.
        ledger: What noise changed in them, of all tables.
        key: The release key; decides which rows are looked at, and in which half the filter is chosen.
    """
    return {
        (rule.name, name): _attack(environment, rule, name, rendered, changes, key)
        for rule in spec.rules
        for name in rule.tables
        if name in rendered
        for changes in [ledger.filter(pl.col("table") == name)]
        if rule.name in changes["rule"]
    }


def filter_entries(found: dict[tuple[str, str], Attack]) -> list[dict[str, Any]]:
    """Return the entries of `noise.json`: each attack with its rule and table, and whether it does better than guessing."""
    return [
        {"rule": rule, "table": table, **attack.published(), "told_apart": attack.beats_chance(ALPHA)}
        for (rule, table), attack in found.items()
    ]


def _attack(
    environment: Environment, rule: Rule, name: str, rendered: Frames, changes: pl.DataFrame, key: Key
) -> Attack:
    published = environment.table(name)
    order = key.derive("filters", rule.name, name)
    own = changes.filter(pl.col("rule") == rule.name)
    table = rendered[name]
    eligible = eligible_rows(table, published, rule, environment, key, beside=rendered)
    rows = table.filter(pl.col(published.row_key).is_in(_sampled(eligible, own["row_key"], order).implode()))
    touched = changes["column"].unique().to_list()
    changed, others = rows_by_ledger(rows.drop(touched, strict=False), own, row_key=published.row_key)
    return filter_attack(
        changed,
        others,
        kinds=f'those of {name} that "{rule.name}" changed against those that it could have changed',
        key=order,
        inherent=_inherent(rows, rule),
    )


def _sampled(eligible: pl.Series, changed: pl.Series, key: Key) -> pl.Series:
    """Return the keys of as many rows of each kind as are looked at."""
    rows = eligible.to_frame("row").select("row", is_changed=pl.col("row").is_in(changed.implode()))
    order = key.draw("row").rank("ordinal").over("is_changed")
    return rows.filter(order <= SAMPLE)["row"]


def _inherent(rows: pl.DataFrame, rule: Rule) -> list[str]:
    """Return the columns that say no more than the one on which the rule depends by declaration."""
    if not isinstance(rule.mechanism, AtRandom):
        return []
    declared = rule.mechanism.column
    values = rows.n_unique(declared)
    return [column for column in rows.columns if rows.n_unique(list({declared, column})) == values]
