"""Carries out a cleaning plan: noisy tables in; out come tables as clean as the environment alone allows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from pipeline.documents.document import texts_of
from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.cleaning_plan import CleaningPlan, Suspicion
from pipeline.noise.kinds.interface import FileKind


@dataclass(frozen=True)
class MendingStep:
    """One suspicion of the plan, carried out in one table."""

    suspicion: Suspicion
    table: str
    before: pl.DataFrame
    after: pl.DataFrame


def clean_up(tables: Frames, plan: CleaningPlan, environment: Environment) -> Frames:
    """Return the mended tables of the plan. Other tables are read if a kind needs them, and not changed.

    Args:
        tables: The noisy tables as text, by name. They are read when they are needed, so unused ones may be loaded lazily.
        plan: What to look for, in order.
    """
    return {step.table: step.after for step in cleaning(tables, plan, environment)}


def cleaning(tables: Frames, plan: CleaningPlan, environment: Environment) -> Iterator[MendingStep]:
    """Yield every step of the plan as it is done; arguments as in `clean_up`."""
    mended: dict[str, pl.DataFrame] = {}
    for suspicion in plan.suspicions:
        for name in suspicion.tables:
            if name in tables:
                current = _Current(tables, mended)
                before = current[name]
                after = _mended(before, suspicion, environment.table(name), environment, current)
                mended[name] = after
                yield MendingStep(suspicion, name, before, after)


@dataclass(frozen=True)
class CleanerSight:
    """What is needed to mend one table."""

    plan: CleaningPlan
    """Its own suspicions, and those by which tables that it looks into are mended before it looks."""
    beside: frozenset[str]
    """The other tables whose noisy rows may be looked into, directly or by another: those that a suspicion names."""


def in_sight(plan: CleaningPlan, name: str, environment: Environment) -> CleanerSight:
    """Return what is needed to mend one table as the whole plan mends it."""
    tables = frozenset(table.name for table in environment.noisy_tables())
    seen, suspicions = {name}, list[Suspicion]()
    for suspicion in reversed(plan.suspicions):
        if seen.intersection(suspicion.tables):
            seen |= tables.intersection(texts_of(suspicion.kind))
            suspicions.append(replace(suspicion, tables=tuple(table for table in suspicion.tables if table in seen)))
    return CleanerSight(replace(plan, suspicions=tuple(reversed(suspicions))), frozenset(seen - {name}))


class _Current(Mapping[str, pl.DataFrame]):
    """The tables as far as they have been mended."""

    def __init__(self, noisy: Frames, mended: Frames) -> None:
        self._noisy, self._mended = noisy, mended

    def __getitem__(self, name: str) -> pl.DataFrame:
        return self._mended[name] if name in self._mended else self._noisy[name]

    def __contains__(self, name: object) -> bool:
        return name in self._noisy

    def __iter__(self) -> Iterator[str]:
        return iter(self._noisy)

    def __len__(self) -> int:
        return len(self._noisy)


def _mended(
    rows: pl.DataFrame, suspicion: Suspicion, table: PublishedTable, environment: Environment, beside: Frames
) -> pl.DataFrame:
    """Mend one table. Kinds about cells or rows get every declared column, empty if the file lost it."""
    kind = suspicion.kind
    if isinstance(kind, FileKind):
        return kind.mended(rows, table, environment, beside)
    lost = [column for column in table.columns if column not in rows.columns]
    whole = rows.with_columns(pl.lit(None, pl.String).alias(column) for column in lost)
    made = kind.mended(whole, table, environment, beside)
    return made.drop(column for column in lost if made[column].null_count() == made.height)
