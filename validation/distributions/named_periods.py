"""Periods in reports by their published names: `2023Q1`, not the number that stages use."""

from typing import Any

import polars as pl

from pipeline.model import PERIOD
from pipeline.model.periods import Period

_FIELDS = (PERIOD, f"{PERIOD}s")


def with_named_periods(report: Any, period: Period) -> Any:
    """Return JSON with names for numbers in every field that holds periods; a year stays a number."""
    if period.frequency == "year":
        return report
    match report:
        case dict():
            return {
                name: _named(value, period) if name in _FIELDS else with_named_periods(value, period)
                for name, value in report.items()
            }
        case list() | tuple():
            return [with_named_periods(each, period) for each in report]
        case _:
            return report


def _named(value: Any, period: Period) -> Any:
    if isinstance(value, list):
        return pl.select(period.text(pl.lit(pl.Series(value, dtype=pl.Int64)))).to_series().to_list()
    return period.name(value) if isinstance(value, int) else value
