"""Types of columns, and what polars and each standard of metadata call them: the one map of types."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

ColumnType = Literal[
    "text", "integer", "decimal", "float", "date", "timestamp", "year", "quarter", "month", "week", "day"
]

PublishedType = Literal["text", "integer", "number", "date", "timestamp"]
"""What a reader of published files meets."""

CONFORMED: Mapping[ColumnType, pl.DataType] = {
    "text": pl.String(),
    "integer": pl.Int64(),
    "decimal": pl.Int64(),
    "float": pl.Float64(),
    "date": pl.Date(),
    "timestamp": pl.Datetime("us"),
    **dict.fromkeys(("year", "quarter", "month", "week", "day"), pl.Int64()),
}
"""The type of a raw column after conforming: decimals are counted in their last place, periods as `periods.py` does."""

PUBLISHED: Mapping[ColumnType, PublishedType] = {
    "integer": "integer",
    "decimal": "number",
    "float": "number",
    "date": "date",
    "day": "date",
    "timestamp": "timestamp",
}
"""What a column is published as; every other type is text."""


@dataclass(frozen=True)
class Names:
    """What a published type is called."""

    read_as: ColumnType
    """As which type its cells are parsed."""
    polars: pl.DataType
    croissant: str
    data_package: str


NAMES: Mapping[PublishedType, Names] = {
    "text": Names("text", pl.String(), "sc:Text", "string"),
    "integer": Names("integer", pl.Int64(), "sc:Integer", "integer"),
    "number": Names("float", pl.Float64(), "sc:Float", "number"),
    "date": Names("date", pl.Date(), "sc:Text", "string"),
    "timestamp": Names("timestamp", pl.Datetime("us"), "sc:Text", "string"),
}
"""In both standards of metadata dates are text: a cell is written in its table's way, which their readers do not know."""


def published_type(dtype: pl.DataType) -> PublishedType:
    """Return the published type that polars has as `dtype`; text if there is none."""
    return next((name for name, names in NAMES.items() if isinstance(dtype, type(names.polars))), "text")
