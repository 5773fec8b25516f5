"""Cases of kinds on rows: dropped, doubled, made up and moved."""

from dataclasses import replace

import polars as pl

from pipeline.noise.kinds.decoys import DecoyRows, KnownIn
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows, ReorderedRows
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

_SMALL = small_environment()
ENVIRONMENT = replace(_SMALL, tables=(replace(_SMALL.table("figures"), beside=("policies",)), _SMALL.table("policies")))
FIGURES = ENVIRONMENT.table("figures")
ROWS = pl.DataFrame(
    [
        {
            "id": str(row + 1),
            "firm": f"{100_000 + 7919 * (row % 13)}" if row % 9 else None,
            "measure": ("revenue", "Profit", "收入", None)[row % 4],
            "unit": (f"{row + 1}/9/2025 1{row % 10}:59:09", "2025-09-07 23:59:59", "10:16:93", None)[row % 4],
            "value": str(row * 7919 % 1000 - 500) if row % 6 else None,
        }
        for row in range(30)
    ],
    schema=dict.fromkeys(FIGURES.columns, pl.String),
)
POLICIES = pl.DataFrame(
    {"id": ["1"] * 13, "firm": [f"{100_000 + 7919 * row}" for row in range(13)], "measure": None, "agencies": None},
    schema=dict.fromkeys(ENVIRONMENT.table("policies").columns, pl.String),
)

_ALTERED = {"measure": "case", "unit": "load_time", "value": "blank"}

CASES_OF_ROWS = (
    KindCase(kind=DroppedRows(), environment=ENVIRONMENT, published=FIGURES, rows=ROWS),
    *(
        KindCase(kind=kind, environment=ENVIRONMENT, published=FIGURES, rows=ROWS, name=f"duplicate_rows: {name}")
        for name, kind in {
            "exact": DuplicateRows(place="end"),
            "near": DuplicateRows(alter=_ALTERED, place="anywhere"),
            "near, own keys": DuplicateRows(id_offset=1000, alter=_ALTERED),
        }.items()
    ),
    *(
        KindCase(
            kind=kind,
            environment=ENVIRONMENT,
            published=FIGURES,
            rows=ROWS,
            beside={"policies": POLICIES},
            is_ordered=True,
            name=f"decoy_rows: {name}",
        )
        for name, kind in {
            "untold": DecoyRows(keys=("firm",), id_offset=30, place="end"),
            "told by another table": DecoyRows(
                keys=("firm",),
                id_offset=100,
                together=(("unit", "measure"),),
                known_in=KnownIn(key="firm", table="policies", column="firm"),
            ),
        }.items()
    ),
    *(
        KindCase(
            kind=kind,
            environment=ENVIRONMENT,
            published=FIGURES,
            rows=ROWS,
            is_ordered=True,
            name=f"reordered_rows: {name}",
        )
        for name, kind in {
            "shuffled": ReorderedRows(order="shuffled", is_keyed=False),
            "sorted": ReorderedRows(order="descending", by="value", is_keyed=False),
        }.items()
    ),
)
