"""Do mended tables give the clean aggregates? Statistics and counts are derived anew from the mended firms.

Only firms with a row that still differs are read back; the figures of other firms are those of the clean tables, because their
text is the same. A group that unrecoverable noise touched may differ, and is counted; no other may.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.conform.read_back import read_back
from pipeline.derive import contributions, counts, derive_aggregate
from pipeline.model import PERIOD, Aggregate, Environment, Frames, LongFigures, Views, WideFigures
from pipeline.model.periods import period_number

_MEASURE = "measure"
_NUMBERS = ("n", "mantissa", "scale", "count")
"""Columns of derived tables that do not identify a cell."""


@dataclass(frozen=True, kw_only=True)
class Recomputed:
    """One derived table, from mended firms compared with clean ones."""

    table: str
    cells: int
    touched: int
    """Cells to which a figure or firm touched by unrecoverable noise belongs, or came to belong."""
    differing: int
    """Cells that differ."""
    unexplained: int
    """Cells that differ although unrecoverable noise did not touch them."""


@dataclass(frozen=True)
class Firms:
    """The input of aggregates."""

    entities: pl.DataFrame
    """Columns of the first entity table, its code among them."""
    figures: pl.DataFrame
    """Code, year and measures in quanta."""


def recomputed(
    environment: Environment, clean: Frames, mended: Frames, lost: pl.DataFrame, truth: Firms
) -> list[Recomputed]:
    """Derive every aggregate from mended firms and from clean ones, and compare.

    Args:
        environment: Declares aggregates and, in its views, where firms and figures stand; without views nothing is compared.
        clean: The published tables without noise: at least those in `mended` and those that the views name.
        mended: The tables that noise touched, after mending. The others are unchanged.
        lost: `table, row_key, column` of what cannot be recovered (`scoring.lost_cells`).
        truth: The firms of the clean tables (the audit guarantees that reading the tables back gives them).
    """
    if environment.views is None:
        return []
    books = _Books(environment, environment.views)
    now = books.mended_firms(clean, mended, truth)
    after = {name: mended[name] if name in mended else clean[name] for name in books.codes}
    return [
        one
        for aggregate in environment.aggregates
        for one in _compared(
            environment,
            aggregate,
            _Side(firms=truth, lost=books.lost_places(aggregate, clean, lost, truth)),
            _Side(firms=now, lost=books.lost_places(aggregate, after, lost, truth)),
        )
    ]


# --- reading -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Places:
    """Where, in clean or mended tables, figures and firms are that unrecoverable noise touched."""

    figures: pl.DataFrame
    """Code, year (Int64) and measure; a null measure stands for all measures of the firm and year."""
    firms: pl.Series
    """Codes."""


@dataclass(frozen=True)
class _Books:
    """The published tables that hold firms and figures."""

    environment: Environment
    views: Views

    @property
    def codes(self) -> dict[str, str]:
        """Return the tables, each with its column of codes."""
        of_entities = {raw: column for column, raw in self.views.entities.columns.items()}
        figures = {view.table: view.code for view in self.views.figures}
        return {self.views.entities.table: of_entities[self.environment.entities.code]} | figures

    def mended_firms(self, clean: Frames, mended: Frames, truth: Firms) -> Firms:
        """Return the firms of the mended tables."""
        differing = [
            _differing_codes(clean[name], mended[name], code, self.environment.table(name).row_key)
            for name, code in self.codes.items()
            if name in mended
        ]
        codes = pl.concat([pl.Series(dtype=pl.String), *differing]).unique()
        if codes.is_empty():
            return truth
        rows = {
            name: _of_codes(mended[name] if name in mended else clean[name], code, codes)
            for name, code in self.codes.items()
        }
        read = read_back(self.environment, rows, {}, truth.entities.schema)
        code = self.environment.entities.code
        needed = {
            code,
            *(name for each in self.environment.aggregates for name in _needed_columns(each, truth.entities)),
        }
        entities = read.entities.select(name for name in read.entities.columns if name in needed)
        is_read = pl.col(code).is_in(codes.implode())
        parts = [(truth.entities, entities), (truth.figures, read.figures)]
        if all(_same_rows(before.filter(is_read), after) for before, after in parts):
            return truth
        return Firms(*(pl.concat([before.filter(~is_read).select(after.columns), after]) for before, after in parts))

    def lost_places(self, aggregate: Aggregate, tables: Frames, lost: pl.DataFrame, truth: Firms) -> _Places:
        """Return where unrecoverable noise touched the input of an aggregate."""
        listed = self.views.entities
        needed = _needed_columns(aggregate, truth.entities)
        columns = [column for column, raw in listed.columns.items() if raw in needed]
        firms = self._lost_rows(tables, listed.table, lost, [self.codes[listed.table], *columns])
        figures = [self._lost_figures(tables, view, lost) for view in self.views.figures]
        return _Places(
            figures=pl.concat(figures).unique(),
            firms=_column(firms, self.codes[listed.table]).drop_nulls().unique().rename(self.environment.entities.code),
        )

    def _lost_figures(self, tables: Frames, view: LongFigures | WideFigures, lost: pl.DataFrame) -> pl.DataFrame:
        """Return code, year and measure of the figures whose cells are lost."""
        rows = self._lost_rows(tables, view.table, lost, self._columns_of(view))
        names = [measure.name for measure in self.environment.panel.measures]
        measure = pl.Series([None] * rows.height, dtype=pl.String)
        if isinstance(view, LongFigures):
            labels = view.labels or {name: name for name in names}
            measure = _column(rows, view.measure).replace_strict(labels, default=None, return_dtype=pl.String)
        code, frequency = self.environment.entities.code, self.environment.panel.period.frequency
        lost_cells = pl.DataFrame({code: _column(rows, view.code), PERIOD: _column(rows, view.year), _MEASURE: measure})
        return lost_cells.with_columns(period_number(pl.col(PERIOD), frequency)).drop_nulls([code, PERIOD])

    def _lost_rows(self, tables: Frames, name: str, lost: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows of a table that are lost, or lose one of these cells or columns."""
        published, rows = self.environment.table(name), tables[name]
        own = lost.filter(pl.col("table") == name, pl.col("column").is_in(["", *columns]))
        if own.is_empty():
            return rows.clear()
        if "" in own["row_key"] or published.row_key not in rows.columns:
            return rows
        return rows.filter(pl.col(published.row_key).is_in(own["row_key"].implode()))

    def _columns_of(self, view: LongFigures | WideFigures) -> list[str]:
        if isinstance(view, LongFigures):
            return [view.code, view.year, view.measure, view.value, *([view.unit] if view.unit else [])]
        return [view.code, view.year, *(view.columns or [each.name for each in self.environment.panel.measures])]


def _differing_codes(clean: pl.DataFrame, mended: pl.DataFrame, code: str, row_key: str) -> pl.Series:
    """Return the codes in rows that are not the same in both tables, on either side."""
    if clean.columns == mended.columns and clean[row_key].equals(mended[row_key]):
        is_other = pl.any_horizontal(clean[column].ne_missing(mended[column]) for column in clean.columns)
        return pl.concat([frame.filter(is_other)[code] for frame in (clean, mended)]).drop_nulls()
    shared = [column for column in clean.columns if column in mended.columns]
    if code not in shared:
        return clean[code].drop_nulls()
    before, after = clean.select(shared), mended.select(shared)
    sides = [here.join(there, on=shared, how="anti", nulls_equal=True) for here, there in _both_ways(before, after)]
    return pl.concat([rows[code] for rows in sides]).drop_nulls()


def _same_rows(before: pl.DataFrame, after: pl.DataFrame) -> bool:
    """Say whether two tables have the same rows, in any order, in the columns of the second."""
    return before.select(after.columns).sort(pl.all()).equals(after.sort(pl.all()))


def _both_ways(before: pl.DataFrame, after: pl.DataFrame) -> tuple[tuple[pl.DataFrame, pl.DataFrame], ...]:
    return (before, after), (after, before)


def _of_codes(rows: pl.DataFrame, column: str, codes: pl.Series) -> pl.DataFrame:
    return rows.filter(pl.col(column).is_in(codes.implode())) if column in rows.columns else rows.clear()


def _column(rows: pl.DataFrame, name: str) -> pl.Series:
    return rows[name] if name in rows.columns else pl.Series([None] * rows.height, dtype=pl.String)


def _needed_columns(aggregate: Aggregate, entities: pl.DataFrame) -> set[str]:
    """Return the columns of the entity table, beside the code, on which an aggregate depends."""
    grouping = {*aggregate.by, *(column for breakdown in aggregate.counts for column in breakdown)}
    return grouping | {column for column in entities.columns if not _selects_without(aggregate, entities, column)}


def _selects_without(aggregate: Aggregate, entities: pl.DataFrame, column: str) -> bool:
    try:
        aggregate.members(entities.clear().drop(column).lazy()).collect()
    except pl.exceptions.ColumnNotFoundError:
        return False
    return True


# --- comparing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Side:
    """Firms, and which of them unrecoverable noise touched."""

    firms: Firms
    lost: _Places


def _compared(environment: Environment, aggregate: Aggregate, clean: _Side, mended: _Side) -> list[Recomputed]:
    """Compare the tables that one aggregate gives."""
    before = derive_aggregate(environment, aggregate, clean.firms.entities, clean.firms.figures)
    after = before
    if mended.firms is not clean.firms:
        after = derive_aggregate(environment, aggregate, mended.firms.entities, mended.firms.figures)
    touched = {aggregate.name: [_touched_statistics(environment, aggregate, side) for side in (clean, mended)]}
    if aggregate.counts:
        touched[aggregate.counts_name] = [_touched_counts(environment, aggregate, side) for side in (clean, mended)]
    return [_difference(name, before[name], after[name], pl.concat(touched[name]).unique()) for name in before]


def _touched_statistics(environment: Environment, aggregate: Aggregate, side: _Side) -> pl.DataFrame:
    """Return the groups, years and measures with a contribution that unrecoverable noise touched."""
    code, lost = environment.entities.code, side.lost
    concerned = pl.concat([lost.figures[code], lost.firms]).unique()
    figures = side.firms.figures.filter(pl.col(code).is_in(concerned.implode()))
    contributed = contributions(aggregate, side.firms.entities, figures, panel=environment.panel, code=code).collect()
    is_whole_year = pl.col(_MEASURE).is_null()
    parts = [
        contributed.join(lost.figures.filter(~is_whole_year), on=[code, PERIOD, _MEASURE], how="semi"),
        contributed.join(lost.figures.filter(is_whole_year), on=[code, PERIOD], how="semi"),
        contributed.filter(pl.col(code).is_in(lost.firms.implode())),
    ]
    return pl.concat(parts).select(*aggregate.by, PERIOD, _MEASURE).unique()


def _touched_counts(environment: Environment, aggregate: Aggregate, side: _Side) -> pl.DataFrame:
    is_concerned = pl.col(environment.entities.code).is_in(side.lost.firms.implode())
    return counts(aggregate, side.firms.entities.filter(is_concerned)).drop("count")


def _difference(name: str, before: pl.DataFrame, after: pl.DataFrame, touched: pl.DataFrame) -> Recomputed:
    place = [column for column in before.columns if column not in _NUMBERS]
    sides = [
        here.join(there, on=here.columns, how="anti", nulls_equal=True).select(place)
        for here, there in _both_ways(before, after)
    ]
    differing, keys = pl.concat(sides).unique(), touched.columns
    return Recomputed(
        table=name,
        cells=before.height,
        touched=before.join(touched, on=keys, how="semi", nulls_equal=True).height,
        differing=differing.height,
        unexplained=differing.join(touched, on=keys, how="anti", nulls_equal=True).height,
    )
