"""Judges one variant: its suites, the results of its tables, `expectations.json` and the pages that show them.

The clean variant must meet the strict suite. The noisy one must meet its own: every cell equals the clean one and meets the
strict suite, or the ledger names the rule that changed it; every rule keeps its rate; rows and columns are those that
result from the ledger.
"""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.ledger import as_noised, of_rows_and_file
from pipeline.noise.spec import NoiseSpec
from validation.expectations.deviations import deviations
from validation.expectations.evidence import evidence
from validation.expectations.following import facts_of
from validation.expectations.observing import observed
from validation.expectations.rates import RuleRate, rule_rates
from validation.expectations.suites import Expected, Referred, of_columns, of_table

RATE = "expect_rule_rate_to_be_within_bounds"
"""The expectation about a rule's rate, which has a check of its own."""

PAGES = "data_docs"
"""The folder of the pages, beside the reports."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The findings (`expectations.json`), and the pages by file name."""

    report: Mapping[str, Any]
    pages: Mapping[str, bytes]


def judge_clean(
    environment: Environment,
    clean: Frames,
    *,
    entities: int,
    ks: Mapping[str, Any],
    consistency: Mapping[str, Any],
) -> Judged:
    """Judge the clean variant.

    Args:
        environment: Declares the facts.
        clean: The rendered tables of the database, as text; those that are not there are not judged.
        entities: Number of entities: records of the table that lists them.
        ks: The content of `ks.json`; empty if no figures are declared.
        consistency: The content of `consistency.json`.
    """
    found = evidence(environment, ks, consistency)
    referred = referred_columns(environment, clean)
    listing = environment.views.entities.table if environment.views else ""
    suites = {
        table.name: (
            *of_table(table.columns, entities if table.name == listing else rows.height),
            *of_columns(facts_of(environment, table), rows, referred),
            *found.get(table.name, ()),
        )
        for table in environment.noisy_tables()
        if (rows := clean.get(table.name)) is not None
    }
    return _judged(environment, suites, clean, (), variant="clean")


def judge_noisy(
    environment: Environment,
    spec: NoiseSpec,
    clean: Frames,
    noisy: Frames,
    ledger: pl.DataFrame,
    opportunities: pl.DataFrame,
    key: Key,
) -> Judged:
    """Judge the noisy variant.

    Args:
        environment: Declares the facts.
        spec: The specification that was applied.
        clean: The rendered tables of the database, as text.
        noisy: The same with noise.
        ledger: Every change.
        opportunities: How many cells each rule could change.
        key: The release key; it determines which cells are decided on together.
    """
    rates = rule_rates(environment, spec, ledger, opportunities, clean, key)
    referred = referred_columns(environment, clean)
    suites = {
        table.name: (
            *_of_noisy_table(environment, table, rows, noisy[table.name], ledger, referred),
            *(_of_rate(rate) for rate in rates if rate.table == table.name),
        )
        for table in environment.noisy_tables()
        if (rows := clean.get(table.name)) is not None
    }
    return _judged(environment, suites, noisy, rates, variant="noisy")


def load() -> None:
    """Import Great Expectations, which takes seconds. Only builds that judge call this, and may do so early."""
    with warnings.catch_warnings(action="ignore"):  # its libraries use what Python and pandas have deprecated
        from validation.expectations import data_docs, running  # noqa: F401, PLC0415


def referred_columns(environment: Environment, clean: Frames) -> Referred:
    """Return the columns that others refer to, from the tables that are there."""
    wanted = {
        facts.refers_to
        for table in environment.noisy_tables()
        for facts in facts_of(environment, table).values()
        if facts.refers_to is not None and facts.refers_to[0] in clean
    }
    return {(table, column): clean[table][column].drop_nulls().unique() for table, column in sorted(wanted)}


def _of_noisy_table(
    environment: Environment,
    table: PublishedTable,
    clean: pl.DataFrame,
    noisy: pl.DataFrame,
    ledger: pl.DataFrame,
    referred: Referred,
) -> Iterator[Expected]:
    own = ledger.filter(pl.col("table") == table.name)
    rows = own.filter(pl.col("row_key") != "", pl.col("column") == "")
    gone, come = (rows.filter(pl.col(side) == "").height for side in ("after", "before"))
    noised = as_noised(table, own)
    if noised.columns == table.columns:
        yield from of_table(table.columns, clean.height - gone + come)
    else:  # the rows of a restructured file are counted by the ledger alone, which restores them below
        yield of_table(noised.columns, 0)[0]
    try:
        found = deviations(table, facts_of(environment, table), clean, noisy, own, referred)
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
    suites: Mapping[str, Sequence[Expected]],
    tables: Frames,
    rates: Sequence[RuleRate],
    *,
    variant: str,
) -> Judged:
    load()
    from validation.expectations.data_docs import INDEX, index_page, page_of  # noqa: PLC0415
    from validation.expectations.running import run  # noqa: PLC0415

    results = {name: run(name, suite, observed(suite, tables[name])) for name, suite in suites.items()}
    pages = {f"{name}.html": page_of(each, variant=variant, title=environment.title) for name, each in results.items()}
    failed = [
        _failure(name, expected, found.result)
        for name, suite in suites.items()
        for expected, found in zip(suite, results[name].results, strict=True)
        if not found.success
    ]
    unmet = Counter(entry["table"] for entry in failed)
    entries = [
        {
            "table": name,
            "records": tables[name].height,
            "expectations": len(suite),
            "met": len(suite) - unmet[name],
            "page": f"{name}.html",
        }
        for name, suite in suites.items()
    ]
    pages[INDEX] = index_page(entries, variant=variant, title=environment.title)
    return Judged(report=_report(variant, entries, failed, rates), pages=pages)


def _report(
    variant: str, entries: Sequence[Mapping[str, Any]], failed: Sequence[Mapping[str, Any]], rates: Sequence[RuleRate]
) -> dict[str, Any]:
    return {
        "passed": not failed,
        "variant": variant,
        "expectations": sum(entry["expectations"] for entry in entries),
        "met": sum(entry["met"] for entry in entries),
        "tables": [{**entry, "page": f"{PAGES}/{entry['page']}"} for entry in entries],
        "failed": list(failed),
        "rules": [vars(rate) for rate in rates],
    }


def _failure(table: str, expected: Expected, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return an expectation that was not met, with the observation as a sentence, or as a number of unexpected cells."""
    observed = result.get("observed_value", f"{result.get('unexpected_count', 0):,} cells are not")
    return {"table": table, "column": expected.column, "expectation": expected.name, "observed": str(observed)}
