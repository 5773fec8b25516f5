"""What a step tells Dagster, as it stands in a record: assets with their metadata, and the outcomes of checks."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

Result = dg.MaterializeResult[None] | dg.AssetCheckResult

Told = Mapping[str, Any]
"""A result as JSON has it: `asset`, `metadata`, and `rows`; or `check`, `is_passed` and `severity`."""


def told_of(result: Result) -> Told:
    """Return a result as JSON has it."""
    metadata: dict[str, Any] = dict(result.metadata or {})
    shown = dg.serialize_value(metadata)
    if isinstance(result, dg.MaterializeResult):
        return {"asset": _path(result.asset_key), "metadata": shown, "rows": _rows(metadata)}
    judged = {"check": result.check_name, "is_passed": result.passed, "severity": result.severity.value}
    return judged | {"asset": _path(result.asset_key), "metadata": shown}


def result_of(told: Told, *, version: str) -> Result:
    """Return the result that a record tells; an asset is of a version of its data."""
    asset = dg.AssetKey(told["asset"]) if told["asset"] else None
    metadata: Any = dg.deserialize_value(told["metadata"], dict)
    if "check" not in told:
        return dg.MaterializeResult(asset_key=asset, metadata=metadata, data_version=dg.DataVersion(version))
    return dg.AssetCheckResult(
        passed=told["is_passed"],
        asset_key=asset,
        check_name=told["check"],
        severity=dg.AssetCheckSeverity(told["severity"]),
        metadata=metadata,
    )


def is_refusal(told: Told) -> bool:
    """Say whether a result is a check that failed and does not only warn."""
    return "check" in told and not told["is_passed"] and told["severity"] == dg.AssetCheckSeverity.ERROR.value


def _rows(metadata: Mapping[str, Any]) -> int:
    rows = metadata.get("dagster/row_count", 0)
    return int(getattr(rows, "value", rows))


def _path(asset: dg.AssetKey | None) -> list[str]:
    return list(asset.path) if asset else []
