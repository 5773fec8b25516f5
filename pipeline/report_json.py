"""Reports as JSON: the same findings give the same bytes. The content of a report is decided where it is made."""

import json
from collections.abc import Mapping
from typing import Any

SIGNIFICANT_DIGITS = 12
"""Digits of a float in a report: fewer than the 15 that are certain, so that differences in the last bit do not show."""


def report_json(report: Mapping[str, Any]) -> bytes:
    """Return a report as UTF-8 JSON: fields in their order, one line a record, floats with `SIGNIFICANT_DIGITS` digits."""
    fields = (f"  {_compact(name)}: {_listed(value)}" for name, value in report.items())
    return ("{\n" + ",\n".join(fields) + "\n}\n").encode()


def _listed(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _compact(value)
    return "[\n" + ",\n".join(f"    {_compact(item)}" for item in value) + "\n  ]"


def _compact(value: object) -> str:
    return _ENCODER.encode(_rounded(value))


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
"""One for all records: `json.dumps` would make one for each."""


def _rounded(value: object) -> object:
    match value:
        case float():
            return float(f"{value:.{SIGNIFICANT_DIGITS}g}") + 0.0  # zero has no sign
        case str() | int() | None:  # most values, for which it would take long to find out that they are no mapping
            return value
        case Mapping():
            return {key: _rounded(item) for key, item in value.items()}
        case list() | tuple():
            return [_rounded(item) for item in value]
        case _:
            return value
