"""Compares mended tables with the clean ones and the ledger: what was undone, what was missed, what was broken?

A *change* is the effect of noise on one thing: a cell (of all rules that touched it), a row dropped, added or moved, the file's
layout, a column. It counts under each kind that contributed to it, and as recoverable only if all its parts are. A cell that
noise did not touch and that differs from the clean one is *wrong*. Who mended the tables is not known here.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.ledger import renamed_columns
from validation.noise.cleaner.cleaning import MendingStep

CHANGES = pl.Schema(
    {
        "table": pl.String,
        "row_key": pl.String,
        "column": pl.String,
        "kind": pl.String,
        "is_recoverable": pl.Boolean,
        "is_right": pl.Boolean,
    }
)
"""One row for each change and kind that contributed to it. As in the ledger, `column` is "" for rows, both are for files."""

WRONG = pl.Schema({"table": pl.String, "row_key": pl.String, "column": pl.String})
"""What differs although noise did not touch it: a cell; a missing or invented row (`column` is ""); a missing column
(`row_key` is "")."""

_AT = "\x1fat"
_CELL = ("row_key", "column")


@dataclass(frozen=True)
class Scores:
    """The outcome, change by change."""

    changes: pl.DataFrame
    """As `CHANGES`."""
    wrong: pl.DataFrame
    """As `WRONG`."""


def score(clean: Frames, mended: Frames, ledger: pl.DataFrame, environment: Environment) -> Scores:
    """Judge the mended tables.

    Args:
        clean: The tables without noise: at least those that were mended.
        ledger: Every change that noise made (`pipeline.noise.ledger.SCHEMA`); entries of other tables are skipped.
    """
    judged = [
        _judged(clean[name], frame, ledger.filter(pl.col("table") == name), environment.table(name))
        for name, frame in mended.items()
    ]
    return Scores(
        changes=pl.concat([CHANGES.to_frame(), *(one.changes for one in judged)]),
        wrong=pl.concat([WRONG.to_frame(), *(one.wrong for one in judged)]),
    )


def lost_cells(changes: pl.DataFrame) -> pl.DataFrame:
    """Return `table, row_key, column` of changes that no cleaner can undo."""
    return changes.filter(~pl.col("is_recoverable")).select(WRONG.names()).unique(maintain_order=True)


def culprits(wrong: pl.DataFrame, steps: Iterable[MendingStep], environment: Environment) -> pl.DataFrame:
    """Return what is wrong (`WRONG`) with the `kind` of the step that changed it last; "" if no step did.

    Args:
        steps: The cleaning, step by step, repeated.
    """
    blamed = wrong.with_columns(kind=pl.lit(""))
    for step in steps:
        own = blamed.filter(table=step.table)
        if own.height:
            key = environment.table(step.table).row_key
            is_changed = _watched(own, step.before, key).ne_missing(_watched(own, step.after, key))
            kind = pl.when(is_changed).then(pl.lit(step.suspicion.kind.name)).otherwise("kind")
            others = blamed.filter(pl.col("table") != step.table)
            blamed = pl.concat([others, own.with_columns(kind.alias("kind"))])
    return blamed


# --- one table ---------------------------------------------------------------------------------------------------------


def _judged(clean: pl.DataFrame, mended: pl.DataFrame, ledger: pl.DataFrame, published: PublishedTable) -> Scores:
    now = _Comparison.of(clean, mended, renamed_columns(published, ledger), key=published.row_key)
    is_of_file, is_of_column = pl.col("row_key") == "", pl.col("column") != ""
    cells, rows = ledger.filter(~is_of_file, is_of_column), ledger.filter(~is_of_file, ~is_of_column)
    file = ledger.filter(is_of_file)
    changed_cells = _judged_cells(cells, rows, file, now)
    lost = changed_cells.filter(~pl.col("is_recoverable")).select(_CELL)
    judged = [
        changed_cells,
        _judged_rows(rows, lost, now),
        _judged_columns(file, changed_cells, now),
    ]
    changes = pl.concat([part.select(CHANGES.names()[1:]) for part in judged])
    table = pl.lit(published.name).alias("table")
    return Scores(
        changes=changes.select(table, pl.all()),
        wrong=_wrong(changed_cells, rows, _touched_columns(file), now).select(table, pl.all()),
    )


@dataclass(frozen=True)
class _Comparison:
    """A mended table beside its clean one."""

    clean: pl.DataFrame
    mended: pl.DataFrame
    """With columns under their clean names, as far as they exist."""
    key: str
    header: list[str]
    """The header of the mended table as it is."""
    gone: pl.Series
    """Keys of clean rows that are missing."""
    absent: list[str]
    """Clean columns that are missing."""
    differing: pl.DataFrame
    """`row_key, column` of each cell that exists and has another text."""

    @classmethod
    def of(cls, clean: pl.DataFrame, mended: pl.DataFrame, renamed: Mapping[str, str], *, key: str) -> "_Comparison":
        """Compare two tables; a column that still has a name from noise counts as the clean column."""
        names = {
            now: column for column, now in renamed.items() if column not in mended.columns and now in mended.columns
        }
        named = mended.rename(names)
        at = _places(clean, named, key)
        return cls(
            clean=clean,
            mended=named,
            key=key,
            header=mended.columns,
            gone=clean[key].filter(at.is_null()),
            absent=[column for column in clean.columns if column not in named.columns],
            differing=_differing(clean, named, at, key),
        )

    def invented(self, added: pl.Series) -> pl.Series:
        """Return the keys of surplus mended rows, except for some that noise added."""
        if self.key in self.mended.columns and self.mended[self.key].equals(self.clean[self.key]):
            return added.clear()
        is_clean = pl.col("row_key").is_in(self.clean[self.key].implode())
        is_added = pl.col("row_key").is_in(added.implode())
        return self.keys().filter(pl.col("count") > is_clean.cast(pl.UInt32), ~is_added)["row_key"]

    def keys(self) -> pl.DataFrame:
        """Return `row_key` and how often it occurs in the mended table."""
        if self.key not in self.mended.columns:
            return pl.DataFrame(schema={"row_key": pl.String, "count": pl.UInt32})
        return self.mended.group_by(pl.col(self.key).alias("row_key")).agg(count=pl.len())


def _places(clean: pl.DataFrame, mended: pl.DataFrame, key: str) -> pl.Series:
    """Return the position of each clean row in the mended table (the first one), null if it is missing."""
    if key not in mended.columns:  # then rows are identified by their order, if none is missing
        here = pl.int_range(clean.height, eager=True, dtype=pl.UInt32)
        return here if mended.height == clean.height else pl.Series([None] * clean.height, dtype=pl.UInt32)
    if mended[key].equals(clean[key]):
        return pl.int_range(clean.height, eager=True, dtype=pl.UInt32)
    places = mended.select(key).with_row_index(_AT).drop_nulls(key).unique(key, keep="first")
    return clean.select(key).join(places, on=key, how="left", maintain_order="left")[_AT]


def _differing(clean: pl.DataFrame, mended: pl.DataFrame, at: pl.Series, key: str) -> pl.DataFrame:
    is_there = at.is_not_null()
    rows, places = clean.filter(is_there), at.drop_nulls()
    beside = mended[places]
    parts = [
        pl.DataFrame({"row_key": rows[key].filter(rows[column].ne_missing(beside[column]))}).with_columns(
            column=pl.lit(column)
        )
        for column in clean.columns
        if column in mended.columns
    ]
    return pl.concat([pl.DataFrame(schema=dict.fromkeys(_CELL, pl.String)), *parts])


def _judged_cells(cells: pl.DataFrame, rows: pl.DataFrame, file: pl.DataFrame, now: _Comparison) -> pl.DataFrame:
    """Return the cells that noise touched, each with every `kind`: `row_key`, `column`, `is_recoverable`, `is_right`."""
    lost_rows = rows.filter(pl.col("after") == "", ~pl.col("recoverable"))["row_key"].unique()
    lost_columns = file.filter(pl.col("before") != "", ~pl.col("recoverable"))["column"].unique()
    is_whole = ~pl.col("row_key").is_in(lost_rows.implode()) & ~pl.col("column").is_in(lost_columns.implode())
    is_there = ~pl.col("row_key").is_in(now.gone.implode()) & ~pl.col("column").is_in(now.absent)
    touched = cells.select(*_CELL, "kind").unique()
    return touched.select(
        *_CELL,
        "kind",
        is_recoverable=~_is_among(cells.filter(~pl.col("recoverable")), touched) & is_whole,
        is_right=~_is_among(now.differing, touched) & is_there,
    )


def _is_among(places: pl.DataFrame, cells: pl.DataFrame) -> pl.Series:
    """Say which cells are among some places, mostly few."""
    is_near = cells["row_key"].is_in(places["row_key"].implode())
    known = places.select(_CELL).unique().with_columns(pl.lit(value=True).alias(_AT))
    found = cells.filter(is_near).join(known, on=_CELL, how="left", maintain_order="left")[_AT].fill_null(value=False)
    return is_near.scatter(is_near.arg_true(), found)


def _judged_rows(rows: pl.DataFrame, lost: pl.DataFrame, now: _Comparison) -> pl.DataFrame:
    """Judge rows: a dropped row must be complete again, an added one must be gone, a moved one must be in its place."""
    if rows.is_empty():
        return CHANGES.to_frame()
    is_dropped, is_added = pl.col("after") == "", pl.col("before") == ""
    unlike = pl.concat([now.gone, now.differing.join(lost, on=_CELL, how="anti")["row_key"].rename(now.gone.name)])
    is_whole = ~pl.col("row_key").is_in(unlike.implode())
    is_alone = pl.col("count").fill_null(0) <= pl.col("row_key").is_in(now.clean[now.key].implode()).cast(pl.UInt32)
    is_in_place = pl.col("row_key").is_in(_in_place(now).implode())
    is_right = pl.when(is_dropped).then(is_whole).when(is_added).then(is_alone).otherwise(is_in_place)
    return rows.join(now.keys(), on="row_key", how="left").select(
        *_CELL, "kind", is_recoverable="recoverable", is_right=is_right
    )


def _in_place(now: _Comparison) -> pl.Series:
    """Return the keys of rows with as many clean rows before them as in the clean table."""
    if now.key not in now.mended.columns:
        return now.clean[now.key].clear()
    there = now.mended[now.key].unique(maintain_order=True)
    before = now.clean[now.key].filter(~now.clean[now.key].is_in(now.gone.implode()))
    after = there.filter(there.is_in(before.implode()))
    return before.filter(before == after)


def _judged_columns(file: pl.DataFrame, cells: pl.DataFrame, now: _Comparison) -> pl.DataFrame:
    """Judge the layout (it must have its header again) and columns: dropped ones must be restored, added ones gone."""
    broken = now.differing.join(cells.select(_CELL), on=_CELL, how="anti")["column"].unique().to_list()
    is_layout, is_added = pl.col("column") == "", pl.col("before") == ""
    is_whole = ~pl.col("column").is_in([*broken, *now.absent])
    is_gone = ~pl.col("column").is_in([name for name in now.header if name not in now.clean.columns])
    is_right = (
        pl.when(is_layout)
        .then(pl.lit(now.header == now.clean.columns))
        .when(is_added)
        .then(is_gone)
        .otherwise(is_whole)
    )
    return file.select(*_CELL, "kind", is_recoverable="recoverable", is_right=is_right)


def _touched_columns(file: pl.DataFrame) -> list[str]:
    """Return the clean columns that noise renamed, dropped or made anew."""
    layouts = file.filter(pl.col("column") == "")
    sides = [[set(json.loads(layout)["columns"]) for layout in layouts[side]] for side in ("before", "after")]
    renamed = {column for before, after in zip(*sides, strict=True) for column in before - after}
    return sorted(renamed.union(file["column"]))


def _wrong(cells: pl.DataFrame, rows: pl.DataFrame, columns: list[str], now: _Comparison) -> pl.DataFrame:
    """Return what differs although noise did not touch it."""
    is_dropped = pl.col("after") == ""
    dropped, added = rows.filter(is_dropped)["row_key"], rows.filter(pl.col("before") == "")["row_key"]
    differing = now.differing.join(cells.select(_CELL), on=_CELL, how="anti")
    is_untouched = ~pl.col("row_key").is_in(dropped.implode()) & ~pl.col("column").is_in(columns)
    is_unidentified = now.key in columns and now.key not in now.mended.columns  # noise took away what rows are known by
    gone = now.gone.clear() if is_unidentified else now.gone.filter(~now.gone.is_in(dropped.implode()))
    absent = [column for column in now.absent if column not in columns]
    return pl.concat(
        [
            differing.filter(is_untouched),
            pl.DataFrame({"row_key": [*gone, *now.invented(added)], "column": ""}, schema=differing.schema),
            pl.DataFrame({"row_key": "", "column": absent}, schema=differing.schema),
        ]
    )


# --- who did it --------------------------------------------------------------------------------------------------------


def _watched(wrong: pl.DataFrame, frame: pl.DataFrame, key: str) -> pl.Series:
    """Return the table's content at each wrong place: a cell's text; how often a row, or a column, occurs."""
    watched = wrong.select(*_CELL).with_row_index(_AT)
    parts = [
        _found(part, frame, str(column), key)
        for (column,), part in watched.partition_by("column", as_dict=True).items()
    ]
    return pl.concat(parts).sort(_AT)["found"]


def _found(part: pl.DataFrame, frame: pl.DataFrame, column: str, key: str) -> pl.DataFrame:
    """Return `_AT` and `found` (String, null if nothing is there) of the places in one column."""
    if key not in frame.columns or (column and column not in frame.columns):
        return part.select(_AT, found=pl.lit(None, pl.String))
    value = pl.col(column).first() if column else pl.len().cast(pl.String)
    texts = frame.group_by(pl.col(key).alias("row_key")).agg(found=value)
    found = part.select(_AT, "row_key").join(texts, on="row_key", how="left")
    is_column = pl.col("row_key") == ""
    return found.select(_AT, found=pl.when(is_column).then(pl.lit(column)).otherwise("found"))
