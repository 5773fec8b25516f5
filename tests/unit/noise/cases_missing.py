"""Cases of the kinds that take values away: repeated in another table, and with a text in their place."""

from dataclasses import replace

import polars as pl

from pipeline.noise.kinds.missing import MissingValues, Repetition, Sentinels
from tests.bare import published
from tests.unit.noise.applied import environment_of
from tests.unit.noise.kind_case import KindCase

_FIGURES = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "firm": f"F{row // 4}" if row % 13 else None,
            "code": f"C{row % 4}" if row % 11 else None,
            "value": str(row * 7919 % 1000 - 500) if row % 6 else None,
            "place": ("无", "here", "there", None)[row % 4],
        }
        for row in range(40)
    ],
    schema=dict.fromkeys(("id", "firm", "code", "value", "place"), pl.String),
)

_DETAIL = pl.concat(
    [
        _FIGURES.drop_nulls("value").filter(pl.col("code") != "C3"),
        _FIGURES.filter(pl.col("firm") == "F4")
        .drop_nulls("value")
        .with_columns(id="id" + pl.lit("b"), value=pl.lit("7")),
        _FIGURES.filter(pl.col("code") == "C3").drop_nulls("value").with_columns(value=pl.lit("0.5")),
    ]
).select("id", who="firm", what="code", amount="value")
"""Most figures again; those of one firm with a second value, those of one code with another one."""

_TABLE = replace(published("figures", _FIGURES.columns), beside=("detail",))
_ENVIRONMENT = environment_of(_TABLE, published("detail", _DETAIL.columns))

CASES_OF_MISSING = (
    KindCase(
        kind=MissingValues(
            columns=("value",),
            repeated_in=Repetition(table="detail", joined_on={"firm": "who", "code": "what"}, value="amount"),
        ),
        environment=_ENVIRONMENT,
        published=_TABLE,
        rows=_FIGURES,
        beside={"detail": _DETAIL},
        name="missing_values repeated in a table beside",
    ),
    KindCase(
        kind=Sentinels(columns=("value", "place"), texts=("0", "-1", "9999", "无", "N/A")),
        environment=_ENVIRONMENT,
        published=_TABLE,
        rows=_FIGURES,
    ),
)
