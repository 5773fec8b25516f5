"""The reference cleaner in `noise.json`: what it mended, missed and broke, by kind, and the aggregates after it.

Belongs here: running the cleaner on a table that noise touched, and counting, first in each table and then in all. Outcomes are
found in `scoring.py` and `aggregates.py`; the page is worded in `validation/report/sections/noise.py`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.model import Environment, Frames
from pipeline.noise.kinds import KINDS
from validation.noise.cleaner.aggregates import Firms, Tables, recomputed
from validation.noise.cleaner.cleaning import CleanerSight, clean_up, cleaning
from validation.noise.cleaner.rereading import Reread, Schema, all_of, reread
from validation.noise.cleaner.scoring import CHANGES, WRONG, culprits, lost_cells, score
from validation.noise.cleaner.shares import Share

LEAST_SHARE = 0.999
"""Share of recoverable changes that a cleaner must undo for an environment to count as hard and not as broken."""

_PLACE = ("table", "row_key", "column")


Counts = Mapping[str, int]
"""How many changes there are, and how many of them are what."""


@dataclass(frozen=True, kw_only=True)
class Cleaned:
    """What the cleaner made of one table. Findings of several tables are added up."""

    changes: Counts
    kinds: Mapping[str, Counts]
    """The same for each kind that changed something."""
    wrong: Counts
    """What differs although noise did not touch it, by the kind of the step that changed it last."""
    read: Reread


@dataclass(frozen=True, kw_only=True)
class CleanedRows:
    """What the cleaner made of some rows of a table."""

    changes: pl.DataFrame
    """As `scoring.CHANGES`."""
    wrong: pl.DataFrame
    """As `scoring.WRONG`, with the `kind` of the step that changed it last."""
    read: Reread


def outcome(
    environment: Environment,
    sight: CleanerSight,
    name: str,
    *,
    clean: pl.DataFrame,
    noisy: Frames,
    ledger: pl.DataFrame,
    schema: Schema,
    share: Share | None = None,
) -> CleanedRows:
    """Clean rows of one table that noise touched. The cleaner sees only noisy tables and the plan.

    Args:
        sight: What the cleaner looks for in the tables that noise touched (`in_sight`).
        clean: The rows without noise: all of the table, or of a share.
        noisy: It and those in sight with noise, all rows or those of the share; they are read when they are needed.
        ledger: Every change that noise made in the rows, and those of the file; it judges.
        schema: Columns and types of the first entity table as it is conformed.
        share: Of which entities the rows are; all if not given.

    Raises:
        NotApartError: Mended rows are of other entities than those of the share.
    """
    tables = clean_up(noisy, sight.plan, environment)
    mended = tables.get(name, noisy[name])
    if share is not None:
        share.refuse_others({**{table: noisy[table] for table in (name, *sight.beside)}, **tables})
    scores = score({name: clean}, {name: mended}, ledger, environment)
    steps = cleaning(noisy, sight.plan, environment) if scores.wrong.height else ()
    return CleanedRows(
        changes=scores.changes,
        wrong=culprits(scores.wrong, steps, environment),
        read=reread(environment, name, clean, mended, lost_cells(scores.changes), schema),
    )


def cleaned(outcomes: Sequence[CleanedRows]) -> Cleaned:
    """Return what the cleaner made of a table, given what it made of its rows; changes of the file are listed with each."""
    changes = pl.concat(one.changes for one in outcomes)
    wrong = pl.concat(one.wrong for one in outcomes).unique(WRONG.names())
    return Cleaned(
        changes=_counted(_once(changes)),
        kinds={
            str(kind): _counted(_once(part)) for (kind,), part in changes.partition_by("kind", as_dict=True).items()
        },
        wrong=dict(wrong.group_by("kind").len().iter_rows()),
        read=all_of([one.read for one in outcomes]),
    )


def cleaner_report(
    environment: Environment, found: Mapping[str, Cleaned], *, clean: Tables, derived: Frames, firms: Firms
) -> dict[str, Any]:
    """Report what the cleaner made of all tables that noise touched.

    Args:
        found: The outcome by table.
        clean: The tables without noise, by name, read when they are needed.
        derived: The tables that the aggregates give for the firms.
        firms: The firms of the clean tables.
    """
    compared = recomputed(environment, {name: one.read for name, one in found.items()}, clean, derived, firms)
    totals = _sum(one.changes for one in found.values())
    published = _sum(found[name].changes for name in _aggregate_tables(environment) if name in found)
    wrong = sum(sum(one.wrong.values()) for one in found.values())
    share = totals["mended"] / totals["recoverable"] if totals["recoverable"] else 1.0
    is_exact = not published["missed"] and not any(one.unexplained for one in compared)
    return {
        "passed": share >= LEAST_SHARE and is_exact and not wrong,
        **totals,
        "share": share,
        "wrong": wrong,
        "aggregates_are_exact": is_exact,
        "published_aggregates": published,
        "recomputed_aggregates": [vars(one) for one in compared],
        "kinds": _by_kind(found.values()),
    }


def _sum(parts: Iterable[Counts]) -> dict[str, int]:
    counts = dict.fromkeys(_counted(_once(CHANGES.to_frame())), 0)
    for part in parts:
        counts = {name: count + part[name] for name, count in counts.items()}
    return counts


def _once(changes: pl.DataFrame) -> pl.DataFrame:
    """Return every change once, however many kinds contributed to it."""
    return changes.group_by(_PLACE).agg(pl.col("is_recoverable", "is_right").all())


def _counted(changes: pl.DataFrame) -> dict[str, int]:
    is_recoverable, is_right = pl.col("is_recoverable"), pl.col("is_right")
    counts = changes.select(
        changes=pl.len(),
        recoverable=is_recoverable.sum(),
        mended=(is_recoverable & is_right).sum(),
        missed=(is_recoverable & ~is_right).sum(),
        unrecoverable=(~is_recoverable).sum(),
        right_anyway=(~is_recoverable & is_right).sum(),
    )
    return dict(counts.row(0, named=True))


def _by_kind(found: Collection[Cleaned]) -> list[dict[str, Any]]:
    """Return the counts of each kind that changed or broke something, in the order of the registry."""
    return [
        {
            "kind": name,
            "family": str(kind.family),
            **_sum(one.kinds[name] for one in found if name in one.kinds),
            "wrong": sum(one.wrong.get(name, 0) for one in found),
        }
        for name, kind in KINDS.items()
        if any(name in one.kinds or name in one.wrong for one in found)
    ]


def _aggregate_tables(environment: Environment) -> list[str]:
    """Return the published tables that are rendered from aggregates."""
    derived = {name for aggregate in environment.aggregates for name in aggregate.tables()}
    return [table.name for table in environment.tables if derived.intersection(table.needs)]
