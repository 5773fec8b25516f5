"""Cases of the kinds of noise about units: figures in other units, other labels, figures off by a power of ten."""

from dataclasses import replace

import polars as pl

from pipeline.model import Vocabulary
from pipeline.noise.kinds.names.drift import UnitSynonyms
from pipeline.noise.kinds.units import ScaleError, UnitMismatch
from tests.bare import published
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

UNIT_LABELS = {"亿千瓦时": ("亿kWh", "亿度", "亿千瓦小时"), "亿千瓦小时": (), "个": ("项",), "%": ("百分比", "pct")}

_ENVIRONMENT = replace(
    small_environment(),
    tables=(published("figures", ("id", "unit", "value")),),
    vocabularies=(Vocabulary(name="unit_labels", aliases=UNIT_LABELS),),
)
_UNITS = ("yuan", "ton", "亿千瓦时", "亿千瓦小时", "个", "%")
_VALUES = ("{}", "-{}.25", "{}.0", "{}000.5", "0.00{}")
_FIGURES = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "unit": _UNITS[row % 6 if row % 3 else row % 2] if row % 13 else None,
            "value": _VALUES[row % 5].format(row * 7919 % 1000) if row % 11 else None,
        }
        for row in range(60)
    ],
    schema=dict.fromkeys(("id", "unit", "value"), pl.String),
)

UNITS = tuple(
    KindCase(kind=kind, environment=_ENVIRONMENT, published=_ENVIRONMENT.table("figures"), rows=_FIGURES)
    for kind in (
        UnitMismatch(unit_column="unit", value_column="value"),
        UnitSynonyms(columns=("unit",), vocabulary="unit_labels"),
        ScaleError(columns=("value",), factors=(0.0001, 100.0, 1000.0)),
    )
)
