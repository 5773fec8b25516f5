"""The reference cleaner in `noise.json`: what it mended, missed and broke, by kind, and the aggregates after it.

Belongs here: running the cleaner on the tables that noise touched, and counting. Outcomes are found in `scoring.py` and
`aggregates.py`; the page is worded in `validation/report/noise_page.py`.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from pipeline.model import Environment, Frames
from pipeline.noise.cleaning_plan import CleaningPlan
from pipeline.noise.kinds import KINDS
from validation.noise.cleaner.aggregates import Firms, Recomputed, recomputed
from validation.noise.cleaner.cleaning import clean_up, cleaning
from validation.noise.cleaner.scoring import Scores, culprits, lost_cells, score

LEAST_SHARE = 0.999
"""Share of recoverable changes that a cleaner must undo for an environment to count as hard and not as broken."""

_PLACE = ("table", "row_key", "column")


def cleaner_report(
    environment: Environment,
    plan: CleaningPlan,
    ledger: pl.DataFrame,
    *,
    clean: Frames,
    noisy: Frames,
    firms: Firms,
) -> dict[str, Any]:
    """Clean the tables that noise touched, and report the outcome. The cleaner sees only the noisy tables and the plan.

    Args:
        environment: Declares the tables.
        plan: What the cleaner looks for.
        ledger: Every change that noise made; it decides which tables are cleaned, and judges.
        clean: The tables without noise, by name.
        noisy: The tables with noise. They are read when they are needed, so unused ones may be loaded lazily.
        firms: The firms of the clean tables.
    """
    touched = [name for name in ledger["table"].unique(maintain_order=True) if name in noisy]
    own = plan.within(touched)
    cleaned = clean_up(noisy, own, environment)
    mended = {name: cleaned[name] if name in cleaned else noisy[name] for name in touched}
    scores = score(clean, mended, ledger, environment)
    steps = cleaning(noisy, own, environment) if scores.wrong.height else ()
    blamed = culprits(scores.wrong, steps, environment)
    compared = recomputed(environment, clean, mended, lost_cells(scores.changes), firms)
    return _report(environment, scores, blamed, compared)


def _report(
    environment: Environment, scores: Scores, blamed: pl.DataFrame, compared: Sequence[Recomputed]
) -> dict[str, Any]:
    changes = _once(scores.changes)
    totals = _counted(changes)
    share = totals["mended"] / totals["recoverable"] if totals["recoverable"] else 1.0
    published = changes.filter(pl.col("table").is_in(_aggregate_tables(environment)))
    is_exact = not _counted(published)["missed"] and not any(one.unexplained for one in compared)
    return {
        "passed": share >= LEAST_SHARE and is_exact and blamed.is_empty(),
        **totals,
        "share": share,
        "wrong": blamed.height,
        "aggregates_are_exact": is_exact,
        "published_aggregates": _counted(published),
        "recomputed_aggregates": [vars(one) for one in compared],
        "kinds": _by_kind(scores.changes, blamed),
    }


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


def _by_kind(changes: pl.DataFrame, blamed: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the counts of each kind that changed or broke something, in the order of the registry."""
    broken = dict(blamed.group_by("kind").len().iter_rows())
    by_kind = {str(name): part for (name,), part in changes.partition_by("kind", as_dict=True).items()}
    return [
        {
            "kind": name,
            "family": str(kind.family),
            **_counted(_once(by_kind.get(name, changes.clear()))),
            "wrong": broken.get(name, 0),
        }
        for name, kind in KINDS.items()
        if name in by_kind or name in broken
    ]


def _aggregate_tables(environment: Environment) -> list[str]:
    """Return the published tables that are rendered from aggregates."""
    derived = {name for aggregate in environment.aggregates for name in aggregate.tables()}
    return [table.name for table in environment.tables if derived.intersection(table.needs)]
