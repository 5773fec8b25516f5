"""How the outcome of a check is told: facts, a few samples, a small picture. What fails is judged elsewhere.

Metadata is kept in Dagster's event log for good, so it holds counts, names of published tables and what stands in published
cells, never an original.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

SAMPLES = 5
"""Rows of a sample: enough to see what is meant."""


def verdict(
    check: str,
    *,
    is_passed: bool,
    facts: Mapping[str, Any],
    is_warning: bool = False,
    samples: Sequence[Mapping[str, Any]] = (),
    picture: str = "",
) -> dg.AssetCheckResult:
    """Return the outcome of a check.

    Args:
        check: its name.
        is_passed: the outcome.
        facts: what was counted.
        is_warning: whether a failure only warns.
        samples: records of which the first few are shown, all with the same fields.
        picture: a small drawing (`validation/report/charts/drawings.py`), empty for none.
    """
    shown: dict[str, Any] = dict(facts)
    if samples:
        shown["samples"] = dg.MetadataValue.md(_table(samples[:SAMPLES]))
    if picture:
        shown["picture"] = drawn(check, picture)
    severity = dg.AssetCheckSeverity.WARN if is_warning else dg.AssetCheckSeverity.ERROR
    return dg.AssetCheckResult(passed=bool(is_passed), check_name=check, severity=severity, metadata=shown)


def drawn(name: str, picture: str) -> dg.MetadataValue:
    """Return a drawing, which is SVG, as Dagster's pages show it."""
    return dg.MetadataValue.md(f"![{name}](data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()})")


def _table(samples: Sequence[Mapping[str, Any]]) -> str:
    """Return records as a table of Markdown; what would end a cell is written otherwise."""
    cells = [[_cell(value) for value in sample.values()] for sample in samples]
    rows = [list(samples[0]), ["---"] * len(samples[0]), *cells]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return " ".join(text.split()).replace("|", "/")
