"""The noise ledger: its schema, the way from clean to noisy and back, and the rates it shows.

Who writes rows belongs to `engine.py`, where the file goes to whoever publishes.
"""

from typing import Any

import polars as pl

from pipeline.environment.model import PublishedTable
from pipeline.errors import InputError
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
"""One row for each change of a cell's text, in order of application; `before` and `after` are "" for an empty field."""

OPPORTUNITIES = pl.Schema({"rule": pl.String, "table": pl.String, "column": pl.String, "eligible": pl.Int64})
"""For each rule, table and written column: the non-empty clean cells that the rule could have changed."""


def replay(frame: pl.DataFrame, ledger: pl.DataFrame, published: PublishedTable) -> pl.DataFrame:
    """Return the noisy table, given the clean one and a ledger (of this table, others' rows are ignored).

    Raises:
        InputError: The ledger is of other data: a row it names is not there, or a cell holds another text.
    """
    return _walked(frame, ledger, published, start=pl.first("before"), end=pl.last("after"))


def undo(frame: pl.DataFrame, ledger: pl.DataFrame, published: PublishedTable) -> pl.DataFrame:
    """Return the clean table, given the noisy one and a ledger (of this table, others' rows are ignored).

    Raises:
        InputError: The ledger is of other data: a row it names is not there, or a cell holds another text.
    """
    return _walked(frame, ledger, published, start=pl.last("after"), end=pl.first("before"))


def explains(ledger: pl.DataFrame, clean: pl.DataFrame, noisy: pl.DataFrame, published: PublishedTable) -> bool:
    """Say whether the ledger turns the clean table into the noisy one, and back, cell for cell."""
    try:
        return replay(clean, ledger, published).equals(noisy) and undo(noisy, ledger, published).equals(clean)
    except InputError:
        return False


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


def _walked(
    frame: pl.DataFrame, ledger: pl.DataFrame, published: PublishedTable, *, start: pl.Expr, end: pl.Expr
) -> pl.DataFrame:
    own = ledger.filter(pl.col("table") == published.name)
    for column in own["column"].unique(maintain_order=True):
        if column not in frame.columns:
            raise InputError.unknown(f"column of {published.name} in the noise ledger", column, frame.columns)
        cells = own.filter(pl.col("column") == column).group_by("row_key").agg(start.alias("start"), end.alias("end"))
        frame = frame.with_columns(_replaced(frame, cells, published, column))
    return frame


def _replaced(frame: pl.DataFrame, cells: pl.DataFrame, published: PublishedTable, column: str) -> pl.Series:
    rows = frame.select(pl.col(published.row_key).alias("row_key"), pl.col(column).alias("found"))
    joined = rows.join(cells, on="row_key", how="left", maintain_order="left")
    is_touched = pl.col("end").is_not_null()
    fits = joined.select((is_touched & (pl.col("found").fill_null("") == pl.col("start"))).sum()).item()
    if fits != cells.height:
        raise InputError(
            f"the noise ledger is not of this {published.name}: {cells.height - fits} of its {cells.height} cells of "
            f"column {column!r} are not there or hold another text; give the ledger and the table of one build"
        )
    text = pl.col("end").replace("", None)
    return joined.select(pl.when(is_touched).then(text).otherwise(pl.col("found")).alias(column)).to_series()
