"""Judges one variant: its suites, and the results of its tables.

The clean variant must meet the strict suite. The noisy one must meet its own: every cell equals the clean one and meets the
strict suite, or the ledger names the rule that changed it; every rule keeps its rate; rows and columns are those that
result from the ledger.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Environment, PublishedTable
from pipeline.model.schema.complete import Schema, schema_of
from pipeline.noise.ledger import as_noised, of_rows_and_file
from pipeline.noise.spec import NoiseSpec
from pipeline.noise.steps import Source, blocks_of
from validation.expectations.deviations import deviations
from validation.expectations.expected import Expected, JudgedSuite
from validation.expectations.judge import judged
from validation.expectations.observing import observed
from validation.expectations.rates import RuleRate, rule_rates
from validation.expectations.suites import Referred, of_columns, of_table

RATE = "expect_rule_rate_to_be_within_bounds"
"""The expectation about a rule's rate, which has a check of its own."""


@dataclass(frozen=True, kw_only=True)
class JudgedTable:
    """The findings of one table, as JSON has them, and what its page shows."""

    table: str
    records: int
    expectations: int
    failed: Sequence[Mapping[str, Any]]
    rules: Sequence[Mapping[str, Any]]
    """The rates of the rules on the table (`RuleRate`)."""
    page: str


@dataclass(frozen=True)
class NoisyTable:
    """A table with noise, what was changed (`ledger.SCHEMA`) and what could have been (`ledger.OPPORTUNITIES`)."""

    rows: Source
    ledger: pl.DataFrame
    opportunities: pl.DataFrame


def clean_table(
    environment: Environment,
    table: PublishedTable,
    clean: Mapping[str, Source],
    *,
    entities: int,
    found: Sequence[Expected],
) -> JudgedTable:
    """Judge a table of the clean variant.

    Args:
        clean: It, and those that it refers to (`referred_by`) as far as they are there, as text.
        entities: Number of entities: records of the table that lists them.
        found: What other reports found of it (`evidence`).
    """
    rows, facts = clean[table.name], schema_of(environment, table)
    listing = environment.views.entities.table if environment.views else ""
    suite = (
        *of_table(table.columns, entities if table.name == listing else _height(rows)),
        *of_columns(facts, rows, referred_columns(facts, clean)),
        *found,
    )
    return _judged(environment, table, suite, rows, (), variant="clean")


def noisy_table(
    environment: Environment,
    spec: NoiseSpec,
    table: PublishedTable,
    noised: NoisyTable,
    clean: Mapping[str, Source],
    key: Key,
    *,
    alpha: float,
) -> JudgedTable:
    """Judge a table of the noisy variant.

    Args:
        spec: The specification that was applied; rules on other tables may be missing.
        clean: The clean table, those that it refers to (`referred_by`), and those beside it, as far as they are there, as text.
        key: The release key; it determines which cells are decided on together.
        alpha: How rarely a bound of a rate is exceeded by chance (`alpha_of`).
    """
    rates = rule_rates(environment, spec, noised.ledger, noised.opportunities, clean, key, alpha)
    suite = (*_of_noisy_table(environment, table, noised, clean), *map(_of_rate, rates))
    return _judged(environment, table, suite, noised.rows, rates, variant="noisy")


def referred_by(environment: Environment, table: PublishedTable) -> set[str]:
    """Return the tables that columns of a table refer to."""
    facts = schema_of(environment, table).values()
    return {known.refers_to[0] for known in facts if known.refers_to is not None}


def referred_columns(facts: Schema, clean: Mapping[str, Source]) -> Referred:
    """Return the columns that a table refers to, from the tables that are there."""
    wanted = {known.refers_to for known in facts.values() if known.refers_to and known.refers_to[0] in clean}
    return {place: _distinct(clean[place[0]], place[1]) for place in sorted(wanted)}


def _distinct(table: Source, column: str) -> pl.Series:
    return pl.concat(block[column].drop_nulls().unique() for block in blocks_of(table)).unique()


def _height(table: Source) -> int:
    """Return how many rows a table has; most tables know it, and are not read for it."""
    known: int | None = getattr(table, "height", None)
    return sum(block.height for block in blocks_of(table)) if known is None else known


def _of_noisy_table(
    environment: Environment, table: PublishedTable, result: NoisyTable, clean: Mapping[str, Source]
) -> Iterator[Expected]:
    own, facts = result.ledger, schema_of(environment, table)
    rows = own.filter(pl.col("row_key") != "", pl.col("column") == "")
    gone, come = (rows.filter(pl.col(side) == "").height for side in ("after", "before"))
    noised = as_noised(table, own)
    if noised.columns == table.columns:
        yield from of_table(table.columns, _height(clean[table.name]) - gone + come)
    else:  # the rows of a restructured file are counted by the ledger alone, which restores them below
        yield of_table(noised.columns, 0)[0]
    try:
        found = deviations(table, facts, clean[table.name], result.rows, own, referred_columns(facts, clean))
    except InputError:
        found = ()
    entries = of_rows_and_file(own).height
    yield Expected(
        name="expect_rows_to_come_from_clean_ones",
        arguments={"entries": entries, "is_met": bool(found)},
        reads="findings",
    )
    for deviation in found:
        arguments = {name: value for name, value in vars(deviation).items() if name != "column"}
        cause = {"rules": ", ".join(deviation.rules) or "none", "row_keys": list(deviation.row_keys)}
        yield Expected(
            name="expect_column_deviations_to_be_rules",
            column=deviation.column,
            arguments=arguments | cause,
            reads="findings",
        )


def _of_rate(rate: RuleRate) -> Expected:
    arguments = {name: getattr(rate, name) for name in ("rule", "kind", "eligible", "cells", "expected", "low", "high")}
    return Expected(name=RATE, column=rate.column, arguments=arguments | {"is_met": rate.passed}, reads="findings")


def _judged(
    environment: Environment,
    table: PublishedTable,
    suite: Sequence[Expected],
    rows: Source,
    rates: Sequence[RuleRate],
    *,
    variant: str,
) -> JudgedTable:
    asked = JudgedSuite(
        table=table.name, variant=variant, title=environment.title, expected=suite, seen=observed(suite, rows)
    )
    verdict = judged(asked)
    failed = [
        _failure(table.name, expected, found)
        for expected, (is_met, found) in zip(suite, verdict.results, strict=True)
        if not is_met
    ]
    return JudgedTable(
        table=table.name,
        records=_height(rows),
        expectations=len(suite),
        failed=failed,
        rules=[vars(rate) for rate in rates],
        page=verdict.page,
    )


def _failure(table: str, expected: Expected, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return an expectation that was not met, with the observation as a sentence, or as a number of unexpected cells."""
    observed = result.get("observed_value", f"{result.get('unexpected_count', 0):,} cells are not")
    return {"table": table, "column": expected.column, "expectation": expected.name, "observed": str(observed)}
