"""Tables that files hold in another shape than a declaration speaks of: one below the other, or in wide format.

Takes text as it was read and returns text with the same places, so that a problem is named where it stands. How a shape is
found out belongs to `first_look/shapes.py`, what a reshaping is to `pipeline/model/columns.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

import polars as pl
import polars.selectors as cs

from pipeline.conform.files.listing import stem_of
from pipeline.conform.source import PROBLEMS_SHOWN, CellPlace, Source
from pipeline.errors import ContractError, Problem
from pipeline.model import RawTable, Reshape
from pipeline.model.periods_said import period_column, period_said

_RECORD, _PERIOD, _FIGURE = "record", "period", "figure "
"""Columns while a table is reshaped, and how those of figures begin; all others are called by their positions."""

_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""What Hive and Spark call the folder of rows without a value."""

_NOTHING: Mapping[tuple[str, str], str] = {}


@dataclass(frozen=True, kw_only=True)
class Stacked(Source):
    """Files with one header, one below the other."""

    parts: tuple[Source, ...]

    def place(self, record: int, column: str) -> CellPlace:
        """Return where a cell stands in its own file."""
        for part in self.parts:
            if record < part.text.height:
                return part.place(record, column)
            record -= part.text.height
        raise AssertionError


@dataclass(frozen=True, kw_only=True)
class Long(Source):
    """A table in long format, made of one in wide format."""

    wide: Source
    records: pl.DataFrame
    """For each cell, by position, the record in which it stood."""
    under: Mapping[tuple[str, str], str]
    """Column and period (the empty text if headers say none) -> the header below which a cell stood."""
    period: int | None
    """Position of the period."""

    @property
    def as_filed(self) -> Source:
        """Return the wide table, which has all cells of columns that are ignored."""
        return self.wide.as_filed

    def place(self, record: int, column: str) -> CellPlace:
        """Return where a cell stands in the wide table; a figure that is not there, where others of its row do."""
        at = self.headers.index(column) if column in self.headers else 0
        stood = self.records.to_series(at)[record]
        period = "" if self.period is None else str(self.text.to_series(self.period)[record])
        header = self.under.get((column, period)) or self.under.get((column, ""), column)
        return self.wide.place(self.records.to_series(0)[record] if stood is None else stood, header)


def stacked(table: RawTable, sources: Sequence[Source]) -> Source:
    """Return the files of a table as one, with the period that names say as a column; or raise as `below` does."""
    column = period_column(table.file)
    if not column:
        return sources[0]
    dated = [_led_by(source, column, period_said(table.file, stem_of(source.file))) for source in sources]
    return below(table, f"{table.file}.*", dated)


def below(table: RawTable, file: str, sources: Sequence[Source]) -> Source:
    """Return files with one header as one file, one below the other; raise `ContractError` if one lacks another's column."""
    headers = tuple(dict.fromkeys(header for source in sources for header in source.headers))
    if problems := [problem for source in sources for problem in _lacking(source, headers)]:
        raise ContractError(problems)
    frames = [_in_order(source, headers) for source in sources]
    totals = sum(source.totals for source in sources)
    return Stacked(table, file, headers, pl.concat(frames), totals=totals, parts=tuple(sources))


def partitioned(part: Source) -> Source:
    """Return a part with the columns that the names of its folders state, as Spark and Hive write them: `year=2014/`."""
    for folder in reversed(part.file.split("/")[1:-1]):
        column, is_stated, value = folder.partition("=")
        if is_stated:
            part = _led_by(part, unquote(column), None if value == _HIVE_NULL else unquote(value) or None)
    return part


def reshaped(source: Source) -> Source:
    """Return a table in long format, if its declaration says that it is in wide format.

    Raises:
        ContractError: A figure has no header, or a row of figures has no name or that of another one.
    """
    reshape = source.table.reshape
    if reshape is None:
        return source
    cells = {
        (figure, period): at
        for figure, pattern in reshape.figures.items()
        for at, header in enumerate(source.headers)
        if (period := "" if header == pattern else period_said(pattern, header)) is not None
    }
    if lacking := reshape.figures.keys() - {figure for figure, _ in cells}:
        said = "no header is written so, from which the column is to be made"
        raise ContractError(source.header_problem(name, said, value=reshape.figures[name]) for name in sorted(lacking))
    kept = [at for at in range(len(source.headers)) if at not in cells.values()]
    if _is_listing(source, reshape):
        return _without_figures(source, [at for at in kept if source.headers[at] != reshape.named_by])
    long = _unpivoted(source, reshape, cells, kept)
    is_named = {reshape.named_by, *reshape.figures} <= set(long.headers)
    return _named(long, reshape.named_by, next(iter(reshape.figures))) if is_named else long


def _lacking(source: Source, headers: Sequence[str]) -> Iterator[Problem]:
    optional = {column.name for column in source.table.columns if not column.required} | set(source.table.ignored)
    for header in headers:
        if header not in source.headers and header not in optional:
            yield source.header_problem(header, "the column is missing, which another file of the table has")


def _led_by(source: Source, column: str, value: str | None) -> Source:
    """Return a file with one more column before all others, which holds the same in every row."""
    texts = [source.column(at).alias(str(at + 1)) for at in range(len(source.headers))]
    text = pl.DataFrame(texts).select(pl.lit(value, pl.String).alias("0"), pl.all())
    return replace(source, headers=(column, *source.headers), text=text)


def _in_order(source: Source, headers: Sequence[str]) -> pl.DataFrame:
    """Return the text of a file with columns in another order, null where it has none."""
    places = [source.headers.index(header) if header in source.headers else None for header in headers]
    return pl.DataFrame([source.column(place).alias(str(at)) for at, place in enumerate(places)])


def _is_listing(source: Source, reshape: Reshape) -> bool:
    """Say whether a table declares columns, and none of the figures."""
    declared, figures = {column.name for column in source.table.columns}, set(reshape.figures)
    if reshape.named_by in source.headers:
        figures |= set(source.column(source.headers.index(reshape.named_by)).drop_nulls())
    return bool(declared) and declared.isdisjoint(figures)


def _without_figures(source: Source, kept: Sequence[int]) -> Source:
    text = source.text.select(pl.col(str(at)) for at in kept)
    records = text.select(pl.int_range(pl.len()).alias(name) for name in text.columns)
    return _long(source, [source.headers[at] for at in kept], text, records)


def _unpivoted(source: Source, reshape: Reshape, cells: Mapping[tuple[str, str], int], kept: Sequence[int]) -> Source:
    """Return a row for each record and period that has a figure."""
    headers, column = [source.headers[at] for at in kept], period_column(next(iter(reshape.figures.values())))
    numbered = source.text.with_row_index(_RECORD)
    frames = [
        numbered.select(
            _RECORD,
            *(pl.col(str(at)) for at in kept),
            pl.lit(period).alias(_PERIOD),
            *(_cell(cells.get((figure, period))).alias(_FIGURE + figure) for figure in reshape.figures),
        )
        for period in dict.fromkeys(period for _, period in cells)
    ]
    is_given = pl.any_horizontal(cs.starts_with(_FIGURE).is_not_null())
    rows = pl.concat(frames).filter(is_given).sort(_RECORD, maintain_order=True)
    text = rows.drop(_RECORD, *([] if column else [_PERIOD]))
    records = rows.select(pl.col(_RECORD).alias(name) for name in text.columns)
    under = {cell: source.headers[at] for cell, at in cells.items()}
    headers += [column, *reshape.figures] if column else reshape.figures
    return _long(source, headers, text, records, under, len(kept) if column else None)


def _cell(at: int | None) -> pl.Expr:
    return pl.lit(None, pl.String) if at is None else pl.col(str(at))


def _named(long: Source, named_by: str, value: str) -> Source:
    """Return a table with a column for each name of figures, in place of the one that holds the names and their values."""
    by, of = (str(long.headers.index(name)) for name in (named_by, value))
    others = {str(at): name for at, name in enumerate(long.headers) if str(at) not in (by, of)}
    index = [at for at, name in others.items() if name not in long.table.ignored]
    rows = long.text.with_row_index(_RECORD)
    _refuse_unnamed(long, rows, by, index, named_by)
    names = rows[by].unique(maintain_order=True)
    text, records = (
        rows.pivot(by, on_columns=names, index=index, values=each, maintain_order=True).select(names.to_list())
        for each in (of, _RECORD)
    )
    first = rows.unique(index, keep="first", maintain_order=True)
    text = first.select(list(others)).hstack(text)
    records = first.select(pl.col(_RECORD).alias(at) for at in others).hstack(records)
    under = {(name, ""): value for name in names}
    return _long(long, [*others.values(), *names], text, records, under)


def _refuse_unnamed(long: Source, rows: pl.DataFrame, by: str, index: Sequence[str], named_by: str) -> None:
    """Refuse figures whose name is empty, or that another row of the same entity and period has."""
    again = rows.select(pl.struct(*index, by).is_first_distinct()).to_series()
    unnamed = [(record, "", "the name of a figure") for record in rows[by].is_null().arg_true()]
    repeated = [
        (record, rows[by][record] or "", "a name that no other row of the same entity and period has")
        for record in (~again).arg_true()
    ]
    if unnamed or repeated:
        found = sorted([*unnamed, *repeated])[:PROBLEMS_SHOWN]
        raise ContractError(long.cell_problem(record, (named_by,), name, expected) for record, name, expected in found)


def _long(
    wide: Source,
    headers: Sequence[str],
    text: pl.DataFrame,
    records: pl.DataFrame,
    under: Mapping[tuple[str, str], str] = _NOTHING,
    period: int | None = None,
) -> Source:
    places = dict(zip(text.columns, map(str, range(text.width)), strict=True))
    return Long(
        wide.table, wide.file, tuple(headers), text.rename(places), totals=wide.totals,
        wide=wide, records=records.rename(places), under=under, period=period,
    )  # fmt: skip
