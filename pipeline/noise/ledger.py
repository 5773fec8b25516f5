"""The noise ledger: its schema, how changes are written down, and the way from clean to noisy and back.

Four forms of entry, in order of application, each with its table, kind and rule:

- cell: `row_key` and `column` name it; `before` and `after` are its texts, "" for an empty field;
- row: `column` is ""; JSON of `position` (from 0) and `cells` on the side where the row stands, "" on the other; of a row that
  moved, its places among the rows that stay;
- file: `row_key` and `column` are ""; JSON of `columns` and `dialect`, after with what was `renamed`;
- column: `row_key` is ""; JSON of all its cells on the side where the column stands, "" on the other.

Who makes changes belongs to `engine.py`, where the ledger's file goes to whoever publishes.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from pipeline.errors import InputError
from pipeline.model import Dialect, PublishedTable
from pipeline.noise.kinds.interface import TextFile
from pipeline.noise.kinds.parts.added_rows import interleaved
from pipeline.noise.spec import NoiseSpec, Rule

SCHEMA = pl.Schema(
    {
        "table": pl.String,
        "row_key": pl.String,
        "column": pl.String,
        "kind": pl.String,
        "rule": pl.String,
        "before": pl.String,
        "after": pl.String,
        "recoverable": pl.Boolean,
    }
)
"""One row for each change, in order of application."""

OPPORTUNITIES = pl.Schema({"rule": pl.String, "table": pl.String, "column": pl.String, "eligible": pl.Int64})
"""For each rule, table and written column: the non-empty clean cells that the rule could have changed.

The column is "" for a rule on rows, which could have changed so many rows, and on the file, which had so many choices.
"""

_ROW = pl.Struct({"position": pl.Int64, "cells": pl.List(pl.String)})


# --- writing down ------------------------------------------------------------------------------------------------------


def entries(changed: pl.DataFrame, rule: Rule, *, column: str = "") -> pl.DataFrame:
    """Return entries of one rule, given `row_key`, `before`, `after`, `recoverable`; their table is yet to be said."""
    return changed.select(
        pl.lit("").alias("table"),
        "row_key",
        pl.lit(column).alias("column"),
        pl.lit(rule.kind.name).alias("kind"),
        pl.lit(rule.name).alias("rule"),
        pl.col("before").fill_null(""),
        pl.col("after").fill_null(""),
        "recoverable",
    )


def rearrangement(
    before: pl.DataFrame, after: pl.DataFrame, origins: pl.Series, row_key: str, rule: Rule
) -> pl.DataFrame:
    """Return the entries of rows dropped, moved and added.

    Args:
        origins: For each row after, its number before (UInt32), null for an added row.
        row_key: The column by which rows are known.
    """
    stays = origins.drop_nulls()
    is_dropped = pl.repeat(value=True, n=before.height, dtype=pl.Boolean, eager=True).scatter(stays, False)
    places = pl.DataFrame({"origin": stays}).select(
        "origin", before=pl.col("origin").rank("ordinal").cast(pl.Int64) - 1, after=pl.int_range(pl.len())
    )
    moved = places.filter(pl.col("before") != pl.col("after"))
    changed = pl.concat(
        [
            _as_json(before, is_dropped.arg_true(), row_key).select("row_key", before="row", after=pl.lit("")),
            moved.select(
                row_key=before[row_key].gather(moved["origin"]),
                before=pl.col("before").cast(pl.String),
                after=pl.col("after").cast(pl.String),
            ),
            _as_json(after, origins.is_null().arg_true(), row_key).select("row_key", before=pl.lit(""), after="row"),
        ]
    )
    return entries(changed.with_columns(recoverable=_is_recoverable(rule)), rule)


def restructuring(before: TextFile, after: TextFile, rule: Rule) -> pl.DataFrame:
    """Return the entries of a file whose columns or dialect changed; none if it is as it was."""
    if not after.is_reshaped and after.dialect == before.dialect and after.frame.equals(before.frame):
        return SCHEMA.to_frame()
    dropped, added = _exchanged(before.frame, after)
    layout = _layout(after) | {"renamed": dict(after.renamed), "reshaped": after.is_reshaped}
    rows = [
        ("", json.dumps(_layout(before), ensure_ascii=False), json.dumps(layout, ensure_ascii=False)),
        *((column, _column_text(before.frame[column]), "") for column in dropped),
        *((column, "", _column_text(after.frame[column])) for column in added),
    ]
    changed = pl.DataFrame(rows, schema=["column", "before", "after"], orient="row")
    changed = changed.with_columns(row_key=pl.lit(""), recoverable=_is_recoverable(rule))
    return entries(changed, rule).with_columns(changed["column"])


# --- there and back ----------------------------------------------------------------------------------------------------


def replay(frame: pl.DataFrame, ledger: pl.DataFrame, published: PublishedTable) -> pl.DataFrame:
    """Return the noisy table, given the clean one and a ledger (of this table, others' rows are ignored).

    Raises:
        InputError: The ledger is of other data: a row it names is not there, or a cell holds another text.
    """
    own = ledger.filter(pl.col("table") == published.name)
    with _legible(published):
        frame = _walked(frame, of_cells(own), published, start=pl.first("before"), end=pl.last("after"))
        for changes in _by_rule(of_rows(own)):
            frame = _exchanged_rows(frame, changes, published, start="before", end="after")
        for changes in _by_restructuring(own):
            frame = _rebuilt(frame, changes, published, start="before", end="after")
    return frame


def undo(frame: pl.DataFrame, ledger: pl.DataFrame, published: PublishedTable) -> pl.DataFrame:
    """Return the clean table, given the noisy one and a ledger (of this table, others' rows are ignored).

    Raises:
        InputError: The ledger is of other data: a row it names is not there, or a cell holds another text.
    """
    own = ledger.filter(pl.col("table") == published.name)
    with _legible(published):
        for changes in reversed(_by_restructuring(own)):
            frame = _rebuilt(frame, changes, published, start="after", end="before")
        for changes in reversed(_by_rule(of_rows(own))):
            frame = _exchanged_rows(frame, changes, published, start="after", end="before")
        return _walked(frame, of_cells(own), published, start=pl.last("after"), end=pl.first("before"))


def explains(ledger: pl.DataFrame, clean: pl.DataFrame, noisy: pl.DataFrame, published: PublishedTable) -> bool:
    """Say whether the ledger turns the clean table into the noisy one, and back, cell for cell."""
    try:
        return replay(clean, ledger, published).equals(noisy) and undo(noisy, ledger, published).equals(clean)
    except InputError:
        return False


def as_noised(published: PublishedTable, ledger: pl.DataFrame) -> PublishedTable:
    """Return the declaration of the noisy file: columns and dialect as the ledger leaves them."""
    layouts = of_file(ledger.filter(pl.col("table") == published.name)).filter(pl.col("column") == "")["after"]
    if layouts.is_empty():
        return published
    layout = json.loads(layouts[-1])
    return replace(published, columns=tuple(layout["columns"]), dialect=Dialect(**layout["dialect"]))


def renamed_columns(published: PublishedTable, ledger: pl.DataFrame) -> dict[str, str]:
    """Return for each clean column that the noisy file still has, whole, what it is called there.

    Of a file whose rows were made anew, these are the columns that its kind says live on (`TextFile.renamed`).
    """
    names = {column: column for column in published.columns}
    for changes in _by_restructuring(ledger.filter(pl.col("table") == published.name)):
        layout = json.loads(changes["after"][0])
        renamed = {
            clean: layout["renamed"].get(now, now)
            for clean, now in names.items()
            if now in layout["renamed"] or not layout["reshaped"]
        }
        names = {clean: now for clean, now in renamed.items() if now in layout["columns"]}
    return names


def of_file(ledger: pl.DataFrame) -> pl.DataFrame:
    """Return the changes of columns and dialect alone; undone, they leave the noisy rows under the declared columns."""
    return ledger.filter(pl.col("row_key") == "")


def of_rows_and_file(ledger: pl.DataFrame) -> pl.DataFrame:
    """Return all changes but those of cells; undone, they leave the rows of the clean table with the texts of the noisy."""
    return ledger.filter((pl.col("row_key") == "") | (pl.col("column") == ""))


def added_rows(ledger: pl.DataFrame, published: PublishedTable) -> pl.DataFrame:
    """Return the rows that the rules of a ledger put into a table, as text, by its declared columns."""
    added = _stated(of_rows(ledger).filter(pl.col("table") == published.name, pl.col("before") == ""), "after")
    return _cells(added, published.columns)


# --- what the ledger shows ---------------------------------------------------------------------------------------------


def noise_report(ledger: pl.DataFrame, spec: NoiseSpec, opportunities: pl.DataFrame) -> dict[str, Any]:
    """Return `noise.json`: for each rule, table and column the cells changed, and their share of those eligible."""
    place = ["rule", "table", "column"]
    changed = ledger.group_by(place).agg(pl.len().alias("cells"), pl.col("recoverable").all())
    counted = opportunities.join(changed, on=place, how="left", maintain_order="left")
    rules = {rule.name: rule for rule in spec.rules}
    order = {name: index for index, name in enumerate(rules)}
    rows = sorted(counted.iter_rows(named=True), key=lambda row: order[row["rule"]])
    return {"rules": [_reported(rules[row["rule"]], row) for row in rows]}


def _reported(rule: Rule, row: dict[str, Any]) -> dict[str, Any]:
    cells = row["cells"] or 0
    return {
        "rule": rule.name,
        "kind": rule.kind.name,
        "table": row["table"],
        "column": row["column"],
        "cells": cells,
        "rate": cells / row["eligible"] if row["eligible"] else 0.0,
        "recoverable": row["recoverable"],
    }


# --- entries by their form ---------------------------------------------------------------------------------------------


def of_cells(ledger: pl.DataFrame) -> pl.DataFrame:
    """Return the changes of single cells."""
    return ledger.filter(pl.col("row_key") != "", pl.col("column") != "")


def of_rows(ledger: pl.DataFrame) -> pl.DataFrame:
    """Return the changes of whole rows."""
    return ledger.filter(pl.col("row_key") != "", pl.col("column") == "")


def _by_rule(ledger: pl.DataFrame) -> list[pl.DataFrame]:
    return ledger.partition_by("rule", maintain_order=True) if ledger.height else []


def _by_restructuring(ledger: pl.DataFrame) -> list[pl.DataFrame]:
    """Return the entries of each change of the file, the one of the file itself first."""
    numbered = of_file(ledger).with_columns(number=(pl.col("column") == "").cum_sum())
    return numbered.partition_by("number", maintain_order=True, include_key=False) if numbered.height else []


@contextmanager
def _legible(published: PublishedTable) -> Iterator[None]:
    """Walk over a ledger; what nobody can read in it was not written by a build."""
    try:
        yield
    except (KeyError, TypeError, ValueError, PolarsError) as error:
        raise _of_another_build(published, "it holds what no build writes") from error


def _of_another_build(published: PublishedTable, why: str) -> InputError:
    what_to_do = "give the ledger and the table of one build"
    return InputError(f"the noise ledger is not of this table {published.name!r}: {why}; {what_to_do}")


def _is_recoverable(rule: Rule) -> pl.Expr:
    return pl.lit(rule.kind.is_recoverable if rule.recoverable is None else rule.recoverable)


# --- cells -------------------------------------------------------------------------------------------------------------


def _walked(
    frame: pl.DataFrame, cells: pl.DataFrame, published: PublishedTable, *, start: pl.Expr, end: pl.Expr
) -> pl.DataFrame:
    if cells.is_empty():
        return frame
    columns = cells["column"].unique(maintain_order=True).to_list()
    for column in (*columns, published.row_key):
        if column not in frame.columns:
            raise InputError.unknown(f"column of {published.name} in the noise ledger", column, frame.columns)
    rows = frame.select(pl.col(published.row_key).alias("row_key")).with_row_index("place")
    places = rows.join(cells.select(pl.col("row_key").unique()), on="row_key", how="semi")
    for column in columns:
        own = cells.filter(pl.col("column") == column).group_by("row_key").agg(start.alias("start"), end.alias("end"))
        frame = frame.with_columns(_replaced(frame[column], own, places, published))
    return frame


def _replaced(texts: pl.Series, cells: pl.DataFrame, places: pl.DataFrame, published: PublishedTable) -> pl.Series:
    placed = cells.join(places, on="row_key", how="left")
    found = texts.gather(placed["place"]).fill_null("")
    fits = int((placed["place"].is_not_null() & (found == placed["start"])).sum())
    if fits != cells.height:
        wrong = f"{cells.height - fits} of its {cells.height} cells of column {texts.name!r}"
        raise _of_another_build(published, f"{wrong} are not there or hold another text")
    return texts.clone().scatter(placed["place"], placed["end"].replace("", None))


# --- rows --------------------------------------------------------------------------------------------------------------


def _as_json(frame: pl.DataFrame, positions: pl.Series, row_key: str) -> pl.DataFrame:
    """Return `row_key` and `row`, as JSON, of the rows at some positions."""
    position = positions.cast(pl.Int64).alias("position")
    row = pl.struct(position, cells=pl.concat_list(frame.columns)).struct.json_encode()
    return frame[positions].select(row_key=pl.col(row_key), row=row)


def _exchanged_rows(
    frame: pl.DataFrame, changes: pl.DataFrame, published: PublishedTable, *, start: str, end: str
) -> pl.DataFrame:
    """Take away the rows that stand at the start alone, move the others, put in those that stand at the end alone."""
    gone = _stated(changes.filter(pl.col(end) == ""), start)
    come = _stated(changes.filter(pl.col(start) == ""), end)
    places = pl.col(start, end).cast(pl.Int64)
    moved = changes.filter(pl.col(start) != "", pl.col(end) != "").select(places, "row_key")
    _refuse_unless_there(frame, gone, published)
    stays = frame.filter(~pl.int_range(frame.height, eager=True).is_in(gone["position"].implode()))
    _refuse_other_places(stays, moved, come, published, start=start, end=end)
    order = pl.int_range(stays.height, eager=True).scatter(moved[end], moved[start])
    return interleaved(stays[order], _cells(come, frame.columns), come["position"])


def _stated(changes: pl.DataFrame, side: str) -> pl.DataFrame:
    return changes.select(pl.col(side).str.json_decode(_ROW).alias("row")).unnest("row")


def _cells(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    cells = pl.col("cells").list
    return rows.select(cells.get(place, null_on_oob=True).alias(column) for place, column in enumerate(columns))


def _refuse_unless_there(frame: pl.DataFrame, gone: pl.DataFrame, published: PublishedTable) -> None:
    is_inside = pl.col("position").is_between(0, frame.height, closed="left")
    inside = gone.filter(is_inside, pl.col("cells").list.len() == frame.width)
    there, stated = frame[inside["position"]], _cells(inside, frame.columns)
    is_other = [there[column].ne_missing(stated[column]).alias(column) for column in frame.columns]
    wrong = gone.height - inside.height + pl.select(pl.any_horizontal(is_other).sum()).item()
    if wrong:
        raise _of_another_build(published, f"{wrong} of its {gone.height} whole rows are not there")


def _refuse_other_places(
    stays: pl.DataFrame, moved: pl.DataFrame, come: pl.DataFrame, published: PublishedTable, *, start: str, end: str
) -> None:
    inside = moved.filter(pl.col(start).is_between(0, stays.height, closed="left"))
    wrong = (stays[published.row_key].gather(inside[start]) != inside["row_key"]).sum() + moved.height - inside.height
    is_permuted = moved[start].sort().equals(moved[end].sort())
    is_within = come["position"].is_between(0, stays.height + come.height, closed="left")
    has_room = come["position"].n_unique() == come.height and is_within.all()
    if wrong or not is_permuted or not has_room:
        why = f"{wrong} of its {moved.height} moved rows are not there, or there is no room for those that it puts in"
        raise _of_another_build(published, why)


# --- files -------------------------------------------------------------------------------------------------------------


def _layout(file: TextFile) -> dict[str, Any]:
    return {"columns": file.frame.columns, "dialect": asdict(file.dialect)}


def _exchanged(before: pl.DataFrame, after: TextFile) -> tuple[list[str], list[str]]:
    """Return the columns that stand before alone, and those that stand after alone."""
    if after.is_reshaped:
        return before.columns, after.frame.columns
    kept = {column: after.renamed.get(column, column) for column in before.columns}
    dropped = [column for column, name in kept.items() if name not in after.frame.columns]
    staying = {name for column, name in kept.items() if column not in dropped}
    return dropped, [column for column in after.frame.columns if column not in staying]


def _column_text(column: pl.Series) -> str:
    return json.dumps(column.to_list(), ensure_ascii=False)


def _rebuilt(
    frame: pl.DataFrame, changes: pl.DataFrame, published: PublishedTable, *, start: str, end: str
) -> pl.DataFrame:
    """Return the frame with the columns of the other side of one change of the file."""
    head, columns = changes.row(0, named=True), changes[1:]
    here, there = json.loads(head[start]), json.loads(head[end])
    if frame.columns != here["columns"]:
        own, stated = ", ".join(frame.columns), ", ".join(here["columns"])
        raise _of_another_build(published, f"its columns are {own}, the ledger says {stated}")
    given = {row["column"]: json.loads(row[end]) for row in columns.iter_rows(named=True) if row[end]}
    for row in columns.filter(pl.col(start) != "").iter_rows(named=True):
        if frame[row["column"]].to_list() != json.loads(row[start]):
            raise _of_another_build(published, f"its column {row['column']!r} holds other texts")
    renamed = json.loads(head["after"])["renamed"]
    renamed = {new: old for old, new in renamed.items()} if end == "before" else renamed
    source = {renamed.get(column, column): column for column in frame.columns}
    height = {len(cells) for cells in given.values()} or {frame.height}
    if len(height) != 1 or (len(given) < len(there["columns"]) and height != {frame.height}):
        raise _of_another_build(published, "its columns are not as long as the table")
    return pl.DataFrame(
        [
            pl.Series(name, given[name], dtype=pl.String) if name in given else frame[source[name]].alias(name)
            for name in there["columns"]
        ]
    )
