"""What `noise.json` finds in one table, and how the findings of all tables make the report.

All that is dear is found in one table (`table_findings`), and is small: it goes to JSON and back unchanged, so that it can be
kept while nothing that it depends on changes. Putting findings together (`noise_findings`) is cheap. What is looked for, and
how, is in the modules that each part names; outcomes are worded in `validation/report/sections/noise.py`.

Findings of a table depend on nothing but what `TableAndLedger` and `Rows` hold, and the rules that name it. Of its parts:

- *rules* and *examples* (`pipeline/noise/ledger.py`) need the table's whole ledger, and no rows;
- *filters* (`validation/attacks/noise/`) are a matter of each row, but for what a kind looks up to say where it could have
  acted: samples of parts of the table give the sample of the whole;
- *reading* (`ladder.py`) is a matter of each row: readings of parts of the table add up;
- *cleaned* (`cleaner/`) needs all rows that the cleaner may look into: the whole table, or all rows of some entities where
  entities can be looked at apart from each other (`cleaner/shares.py`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, Self

import polars as pl
from pydantic import TypeAdapter

from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.noise.cleaning_plan import CleaningPlan
from pipeline.noise.described.examples import examples
from pipeline.noise.ledger import SCHEMA, noise_report
from pipeline.noise.spec import NoiseSpec
from pipeline.noise.steps import blocks_of
from validation.attacks.noise.noise_filters import (
    FilterSample,
    attacked,
    filter_attacks,
    filter_entries,
    in_order,
    samples,
    together,
)
from validation.noise.cleaner import shares
from validation.noise.cleaner.aggregates import Firms, Tables
from validation.noise.cleaner.cleaning import in_sight
from validation.noise.cleaner.report import Cleaned, CleanedRows, cleaned, cleaner_report, outcome
from validation.noise.cleaner.rereading import Schema
from validation.noise.cleaner.shares import Share
from validation.noise.ladder import Reading, Readings, if_untouched, ladder, reading, readings

Entry = dict[str, str | int | float | bool | None]
"""An entry of `noise.json`: field -> value."""


@dataclass(frozen=True, kw_only=True)
class TableFindings:
    """What is found in one table."""

    rules: tuple[Entry, ...] = ()
    """What each rule changed, by column; in the order of the specification."""
    filters: tuple[Entry, ...] = ()
    """What one filter and a small classifier find of each rule; in the order of the specification."""
    examples: tuple[Entry, ...] = ()
    """One change for each rule."""
    reading: Readings = field(default_factory=Readings)
    cleaned: Cleaned | None = None
    """None where noise changed nothing, or nobody wrote down what to look for."""


FINDINGS: TypeAdapter[TableFindings] = TypeAdapter(TableFindings)
"""Takes findings to JSON (`dump_json`) and back (`validate_json`)."""


@dataclass(frozen=True, kw_only=True)
class NoiseInputs:
    """What is asked of every table."""

    environment: Environment
    spec: NoiseSpec
    plan: CleaningPlan | None
    """What the reference cleaner looks for; None if nobody wrote it down."""
    families: Sequence[str]
    """In which order the ladder mends families."""
    key: Key
    """The release key under the policy."""

    def on(self, name: str, touched: Collection[str]) -> Self:
        """Return what of it concerns one table, given which tables noise changed."""
        plan = self.plan and in_sight(self.plan.within(touched), name, self.environment).plan
        return replace(self, spec=self.spec.on(name), plan=plan)


@dataclass(frozen=True, kw_only=True)
class TableAndLedger:
    """One table, and what noise did to it."""

    name: str
    ledger: pl.DataFrame
    opportunities: pl.DataFrame
    touched: Collection[str]
    """Which tables in the cleaner's sight noise changed: others are not mended."""
    firms: pl.DataFrame | None
    """How the firms are found (`ladder.found_firms`), for tables of figures. It follows from the clean rows
    and the ledger of the table of entities. None if there are none."""
    schema: Schema
    """Columns and types of the first entity table."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows of one table: all, or those of some entities."""

    clean: pl.DataFrame
    places: pl.Series
    """Where the clean rows stand in the table, from 0 on; as they follow each other."""
    beside: Frames
    """Other tables without noise: those that the table's declaration names (`PublishedTable.beside`), where a rule looks up
    whether it can act."""
    noisy: Frames
    """The table itself with noise, and others in the cleaner's sight (`looked_into`); they are read when they are needed."""
    share: Share | None = None
    """Which entities all these rows are of; None for all."""


def looked_into(asked: NoiseInputs, name: str, touched: Collection[str]) -> frozenset[str]:
    """Return the other tables whose noisy rows the findings of a table look into, given which tables noise changed."""
    plan = asked.plan
    return in_sight(plan.within(touched), name, asked.environment).beside if plan and name in touched else frozenset()


def is_divisible(asked: NoiseInputs, table: TableAndLedger) -> bool:
    """Say whether a table can be looked at share by share, as far as that is declared."""
    environment, rules = asked.environment, attacked(asked.spec.rules, table.ledger)
    sight = in_sight(asked.plan.within(table.touched), table.name, environment) if asked.plan else None
    return shares.is_divisible(environment, table.name, table.ledger, rules, sight, asked.key)


def table_findings(asked: NoiseInputs, table: TableAndLedger, rows: Iterable[Rows]) -> TableFindings:
    """Find what `noise.json` says of one table. Where noise changed nothing, only the ledger is looked at.

    Args:
        rows: All its rows together, or share by share; walked through once.

    Raises:
        NotApartError: Shares cannot be looked at apart, after all.
    """
    rules = noise_report(table.ledger, asked.spec, table.opportunities)["rules"]
    if table.ledger.is_empty():
        return TableFindings(rules=tuple(rules))
    found = [_found(asked, table, part) for part in rows]
    outcomes = [one.cleaned for one in found if one.cleaned]
    return TableFindings(
        rules=tuple(rules),
        filters=_filters(
            asked, table, [together(drawn) for drawn in zip(*(one.samples for one in found), strict=True)]
        ),
        examples=tuple(examples(table.ledger, [rule.name for rule in asked.spec.rules])),
        reading=readings(reduce(add, (one.reading for one in found)), table.ledger, asked.families),
        cleaned=cleaned(outcomes) if outcomes else None,
    )


def read_through(
    asked: NoiseInputs, name: str, clean: pl.DataFrame, ledger: pl.DataFrame, firms: pl.DataFrame | None
) -> Readings:
    """Return how a table is read."""
    found = reading(asked.environment, name, clean, ledger, asked.families, firms=firms)
    return readings(found, ledger, asked.families)


def noise_findings(
    asked: NoiseInputs,
    found: Mapping[str, TableFindings],
    *,
    clean: Tables,
    heights: Mapping[str, int],
    derived: Frames,
    firms: pl.DataFrame | None,
    truth: Firms,
) -> dict[str, Any]:
    """Put the findings of all tables together: `noise.json`, but for whether it stops publishing.

    Args:
        found: The findings of every table that is there, in the order of the tables.
        clean: The tables without noise. They are read where several tables hold a figure and one lost it, or where no table has
            noise.
        heights: Records of each of them.
        derived: The tables that the aggregates give for the firms.
        firms: As in `Beside`.
        truth: The firms of the clean tables.
    """
    environment, parts = asked.environment, found.values()
    order = {rule.name: number for number, rule in enumerate(asked.spec.rules)}
    mended = {name: one.cleaned for name, one in found.items() if one.cleaned}
    read = {name: one.reading for name, one in found.items()}
    if not any(one.changes for one in read.values()):
        nothing = SCHEMA.to_frame()
        read |= {
            name: read_through(asked, name, pl.concat(blocks_of(clean[name])), nothing, firms)
            for name in if_untouched(environment, read)
        }
    return {
        "rules": sorted((entry for one in parts for entry in one.rules), key=lambda entry: order[str(entry["rule"])]),
        "filters": _in_order(asked.spec, [entry for one in parts for entry in one.filters]),
        "cleaner": cleaner_report(environment, mended, clean=clean, derived=derived, firms=truth)
        if asked.plan
        else None,
        "examples": sorted(
            (entry for one in parts for entry in one.examples),
            key=lambda entry: (order[str(entry["rule"])], str(entry["table"])),
        ),
        **ladder(environment, read, asked.families, heights),
    }


# --- one table ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What is found in some rows of a table."""

    samples: Sequence[FilterSample]
    reading: Reading
    cleaned: CleanedRows | None


def _found(asked: NoiseInputs, table: TableAndLedger, rows: Rows) -> _Found:
    environment, published = asked.environment, asked.environment.table(table.name)
    ledger = table.ledger
    if rows.share is not None:
        keys = rows.clean[published.row_key]
        ledger = ledger.filter((pl.col("row_key") == "") | pl.col("row_key").is_in(keys.implode()))
    rules = attacked(asked.spec.rules, table.ledger)
    return _Found(
        samples=samples(
            environment, rules, rows.clean, published, ledger, asked.key, beside=rows.beside, places=rows.places
        ),
        reading=reading(environment, table.name, rows.clean, ledger, asked.families, firms=table.firms),
        cleaned=outcome(
            environment,
            in_sight(asked.plan.within(table.touched), table.name, environment),
            table.name,
            clean=rows.clean,
            noisy=rows.noisy,
            ledger=ledger,
            schema=table.schema,
            share=rows.share,
        )
        if asked.plan
        else None,
    )


def _filters(asked: NoiseInputs, table: TableAndLedger, drawn: Sequence[FilterSample]) -> tuple[Entry, ...]:
    whole = [in_order(sample, table.ledger) for sample in drawn]
    attacks = zip(whole, filter_attacks(whole, asked.key), strict=True)
    return tuple(entry for one, both in attacks for entry in filter_entries(one.rule, table.name, both))


def _in_order(spec: NoiseSpec, entries: Sequence[Entry]) -> list[Entry]:
    """Return entries in the order of rules, and of the tables that each names."""
    places = [(rule.name, table) for rule in spec.rules for table in rule.tables]
    order = {place: number for number, place in enumerate(places)}
    return sorted(entries, key=lambda entry: order[str(entry["rule"]), str(entry["table"])])
