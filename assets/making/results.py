"""Results that a step reports to Dagster, as they stand in a record: assets with their metadata, and the outcomes of checks."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

Result = dg.MaterializeResult[None] | dg.AssetCheckResult

Recorded = Mapping[str, Any]
"""A result as JSON has it: `asset`, `metadata`, and `rows`; or `check`, `is_passed` and `severity`."""


def recorded(result: Result) -> Recorded:
    """Return a result as JSON has it."""
    metadata: dict[str, Any] = dict(result.metadata or {})
    shown = dg.serialize_value(metadata)
    if isinstance(result, dg.MaterializeResult):
        rows = metadata.get("dagster/row_count", 0)
        return {"asset": _path(result.asset_key), "metadata": shown, "rows": int(getattr(rows, "value", rows))}
    judged = {"check": result.check_name, "is_passed": result.passed, "severity": result.severity.value}
    return judged | {"asset": _path(result.asset_key), "metadata": shown}


def result_of(record: Recorded, *, version: str) -> Result:
    """Return the result that a record holds; an asset is of a version of its data."""
    asset = dg.AssetKey(record["asset"]) if record["asset"] else None
    metadata: Any = dg.deserialize_value(record["metadata"], dict)
    if "check" not in record:
        return dg.MaterializeResult(asset_key=asset, metadata=metadata, data_version=dg.DataVersion(version))
    return dg.AssetCheckResult(
        passed=record["is_passed"],
        asset_key=asset,
        check_name=record["check"],
        severity=dg.AssetCheckSeverity(record["severity"]),
        metadata=metadata,
    )


def is_refusal(record: Recorded) -> bool:
    """Say whether a result is a check that failed and does not only warn."""
    return "check" in record and not record["is_passed"] and record["severity"] == dg.AssetCheckSeverity.ERROR.value


def _path(asset: dg.AssetKey | None) -> list[str]:
    return list(asset.path) if asset else []
