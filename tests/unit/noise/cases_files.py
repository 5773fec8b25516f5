"""Cases of kinds on files: headers, the order and the cut of columns, rows made columns, dialects."""

import polars as pl

from pipeline.noise.kinds.files import (
    ForeignHeaders,
    LongToWide,
    MergedColumns,
    OtherDialect,
    RenamedColumns,
    ReorderedColumns,
    SplitColumns,
)
from pipeline.noise.kinds.interface import FileKind
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

_ENVIRONMENT = small_environment()
FIGURES = _ENVIRONMENT.table("figures")
ROWS = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "firm": f"F{row // 4}" if row % 9 else None,
            "measure": ("revenue", "profit, net", 'head "count"', None)[row % 4],
            "unit": (f"{row}/9/2025", "unknown", "7//2025", "1/2/3/4", None)[row % 5],
            "value": str(row) if row % 6 else None,
        }
        for row in range(40)
    ],
    schema=dict.fromkeys(FIGURES.columns, pl.String),
)

_KINDS: dict[str, FileKind] = {
    "renamed_columns": RenamedColumns(names={"id": "no", "firm": "company", "value": "amount"}),
    "foreign_headers": ForeignHeaders(names={"firm": "企业", "measure": "指标"}),
    "reordered_columns": ReorderedColumns(),
    "split_columns": SplitColumns(column="unit", layout="{day}/{month}/{year}"),
    "merged_columns": MergedColumns(columns=("unit", "firm", "value"), into="all", separator=" | "),
    "other_dialect: all quoted": OtherDialect(quote="all"),
    "other_dialect: a text for null": OtherDialect(quote="non_empty", null_text="\\N"),
}

CASES_OF_FILES = (
    *(
        KindCase(kind=kind, environment=_ENVIRONMENT, published=FIGURES, rows=ROWS, name=name)
        for name, kind in _KINDS.items()
    ),
    KindCase(
        kind=LongToWide(keys=("firm", "unit"), names="measure", values="value"),
        environment=_ENVIRONMENT,
        published=FIGURES,
        rows=ROWS.unique(["firm", "unit", "measure"], keep="first", maintain_order=True),
        grouped_by="firm",
        name="long_to_wide",
    ),
)
