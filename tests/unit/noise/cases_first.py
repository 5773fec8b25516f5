"""The case of missing values."""

import polars as pl

from pipeline.noise.kinds.missing import MissingValues
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

_ENVIRONMENT = small_environment()
_MEASURES = ("revenue", "revenue total mean", "profit", "head count", None)
_UNITS = ("yuan", "10k", "ton", "heads", None)
_FIGURES = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "firm": f"F{row % 7}" if row % 9 else None,
            "measure": _MEASURES[row % 5],
            "unit": _UNITS[row % 4 if row % 11 else 4],
            "value": str(row * 7919 % 1000 - 500) if row % 6 else None,
        }
        for row in range(40)
    ],
    schema=dict.fromkeys(("id", "firm", "measure", "unit", "value"), pl.String),
)

FIRST = (
    KindCase(
        kind=MissingValues(columns=("firm", "value")),
        environment=_ENVIRONMENT,
        published=_ENVIRONMENT.table("figures"),
        rows=_FIGURES,
    ),
)
