"""Cases of the kinds that write figures in another way."""

import polars as pl

from pipeline.noise.kinds.formats import DecimalPoint, PercentAsFraction, ScientificNotation, ThousandsSeparators
from pipeline.noise.kinds.interface import Kind
from tests.bare import published
from tests.unit.noise.applied import environment_of
from tests.unit.noise.kind_case import KindCase

_FIGURES = ("0", "-5", "28.63", "1234", "-1234567.8", "228062000000", "1578131781573.04", "0.07", "n/a", None)
_UNITS = ("%", "yuan", None, "%", "%", "%", "1%")

_ROWS = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "unit": _UNITS[row % 7],
            "value": _FIGURES[row % 10],
            "other": str(row**9) if row % 6 else None,
        }
        for row in range(60)
    ],
    schema=dict.fromkeys(("id", "unit", "value", "other"), pl.String),
)
_TABLE = published("figures", _ROWS.columns)


def _case(kind: Kind, name: str = "") -> KindCase:
    return KindCase(kind=kind, environment=environment_of(_TABLE), published=_TABLE, rows=_ROWS, name=name)


CASES_OF_FORMATS = (
    _case(ThousandsSeparators(columns=("value", "other"))),
    _case(ScientificNotation(columns=("value", "other"))),
    _case(ScientificNotation(columns=("value", "other"), digits=15, from_digits=2), "scientific_notation in full"),
    _case(PercentAsFraction(unit_column="unit", value_column="value", fraction_label="1")),
    _case(PercentAsFraction(unit_column="unit", value_column="value"), "percent_as_fraction without a label"),
    _case(DecimalPoint(columns=("value", "other"))),
    _case(DecimalPoint(columns=("value",), style="comma"), "decimal_point as a comma"),
)
