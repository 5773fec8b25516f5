"""Renders tables from changed sources, and says which published columns a change shows in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from pipeline.errors import SiltError
from pipeline.keyed import Key
from pipeline.model import Environment, PublishedTable, Truth
from pipeline.model.schema.fields import Origin
from pipeline.render import render_table
from tests.stages import kept

FEW = 12
"""Columns that are tried of those that are declared alike."""

MOST_ROWS = 400
"""Rows of a source table: enough for every label, few enough to render it hundreds of times."""

_STAGES = ("anonymised", "derived")

# NOTE: a change may give what no table can hold (a key twice, a label that is none), which says nothing of lineage.
_IMPOSSIBLE = (PolarsError, SiltError, PanicException, KeyError)


@dataclass
class Laboratory:
    """The sources of one published table, and what becomes of it when they are changed."""

    table: PublishedTable
    sources: Mapping[str, pl.DataFrame]
    _plain: dict[str, pl.Series] = field(init=False)

    def __post_init__(self) -> None:
        self._plain = self._columns(self.sources)

    @property
    def origins(self) -> list[Origin]:
        """Return the columns of every source; of many that are said to lead to the same ones, as measures are, a few."""
        found = dict[frozenset[str], list[Origin]]()
        for origin in ((name, column) for name, frame in self.sources.items() for column in frame.columns):
            leads = frozenset(field.name for field in self.table.fields if origin in (field.origins or ()))
            found.setdefault(leads, []).append(origin)
        return [
            origin for leads, alike in found.items() for origin in alike[:: max(len(alike) // FEW, 1) if leads else 1]
        ]

    def is_empty(self, column: str) -> bool:
        """Say whether a published column holds nothing, so that it cannot show where it comes from."""
        return self._plain[column].null_count() == len(self._plain[column])

    def shown_in(self, origin: Origin) -> set[str]:
        """Return the published columns whose values, whatever their order, a change of the source column shows in."""
        shown: set[str] = set()
        name, column = origin
        for changed in changes(self.sources[name][column]):
            frames = {**self.sources, name: self.sources[name].with_columns(changed)}
            try:
                found = self._columns(frames)
            except _IMPOSSIBLE:
                continue
            shown |= {at for at, values in found.items() if not values.equals(self._plain[at], null_equal=True)}
        return shown

    def _columns(self, frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.Series]:
        rendered = render_table(self.table, Truth(tables=frames, order=Key(b"k" * 32)))
        return {column: rendered[column].sort() for column in rendered.columns}


def laboratory(environment: Environment, table: PublishedTable, out: Path) -> Laboratory:
    """Return the laboratory of a table, with a part of the tables of a build."""
    names = [name for name in (*table.needs, *table.uses) if name not in environment.panel.tables]
    frames = {name: _stage(environment, name, out) for name in names}
    if "company_profile" in table.needs and "figures" in table.needs:
        frames["company_profile"] = _stage(environment, "company_profile", out, is_whole=True)
    return Laboratory(table, frames)


def changes(column: pl.Series) -> Iterator[pl.Series]:
    """Yield a column with its values exchanged (with nulls among them or without), copied over, new, and nulls filled."""
    values = column.to_list()
    known = sorted({value for value in values if value is not None})
    for cycle in (known, [*known, None]):
        if len(cycle) > 1:
            following = dict(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
            yield _as(column, [following.get(value, value) for value in values])
    for value in [value for value in values if value != values[0]][:1]:
        yield _as(column, [value, *values[1:]])
    other = _other(column.dtype, known)
    yield _as(column, [other, *values[1:]])
    if known:
        yield _as(column, [None if value is None else _new(value, known) for value in values])
    if None in values:
        yield _as(column, [other if value is None else value for value in values])


def _as(column: pl.Series, values: list[Any]) -> pl.Series:
    return pl.Series(column.name, values, dtype=column.dtype)


def _other(dtype: pl.DataType, known: list[Any]) -> object:
    """Return a value that none of the column's is."""
    if known:
        return _new(known[-1], known)
    return "x" if dtype == pl.String else date(2022, 1, 1) if dtype == pl.Date else 1


def _new(value: Any, known: list[Any]) -> object:
    """Return a value that none of the column's is, another one for each."""
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, date):
        return value + (known[-1] - known[0]) + timedelta(days=1)
    return value + known[-1] - known[0] + 1


def _stage(environment: Environment, name: str, out: Path, *, is_whole: bool = False) -> pl.DataFrame:
    found = (kept(out / environment.name, stage, name) for stage in _STAGES)
    frame = next(value for value in found if isinstance(value, pl.DataFrame))
    return frame if is_whole else _part(environment, frame)


def _part(environment: Environment, frame: pl.DataFrame) -> pl.DataFrame:
    """Return some groups of a table of aggregates with all of their rows, the first rows of another."""
    if {"mantissa", "statistic"} & set(frame.columns) or "breakdown" in frame.columns:
        for column in (environment.entities.industry, "province", "state"):
            if column in frame.columns:
                size = pl.col("count" if "count" in frame.columns else "n").sum()
                sizes = frame.drop_nulls(column).group_by(column).agg(size.alias("size")).sort("size", column)
                frame = frame.filter(pl.col(column).is_in(sizes[column].tail(3).to_list()))
        # Zeros have no decimals to change, and groups that are all there no gaps: other numbers show more.
        place = pl.int_range(pl.len())
        return frame.with_columns(mantissa=7 * place + 1, n=place % 3) if "mantissa" in frame.columns else frame
    code = environment.entities.code
    if code in frame.columns and frame[code].is_duplicated().any():
        return frame.filter(pl.col(code).is_in(frame[code].unique().sort().head(12).to_list()))
    return frame.head(MOST_ROWS)
