"""Whether a task can be answered from the noisy tables: tried, with the naive reader, the reference cleaner and the ledger.

A task is *answerable* if the naive reader is right on the noisy tables as they were published, or on those that the cleaner
made of them. It is *lost* if its program finds nothing at all: neither there, nor where every change is taken back that the
ledger calls recoverable, because a cell that it looks up is empty or its row is not there. In between is *unclear* what a
reader can know: a wrong value that looks like any other, say. Such a task is neither asked nor marked.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import polars as pl

from pipeline.model import Environment, PublishedTable
from pipeline.noise.ledger import added_rows, of_file
from pipeline.tasks.drawing import Draw
from pipeline.tasks.making import Answerability
from pipeline.tasks.program.shapes import KnownTables
from validation.tasks.naive import NaiveTables, naive_answer


@dataclass(eq=False)
class NoisySides:
    """The tables of a noisy variant: as published, mended, and with what lasts. Each is made when it is first read."""

    environment: Environment
    known: KnownTables
    _: KW_ONLY
    clean: Callable[[str], pl.DataFrame]
    """Returns a clean table as text."""
    noisy: Callable[[str], pl.DataFrame]
    """Returns it as it was published with noise."""
    mended: Callable[[str], pl.DataFrame]
    """Returns it as the reference cleaner leaves it."""
    ledger: pl.DataFrame
    named: set[str]
    """What the programs of tasks may name, as far as that is known: columns among it."""

    def answerability(self, draw: Draw) -> Answerability:
        """Say what noise makes of a task."""
        self._read_columns_of(draw)
        found = [naive_answer(draw, self._noisy)]
        if found[-1] != draw.answer:
            found.append(naive_answer(draw, self._mended))
        if found[-1] == draw.answer:
            return "answerable"
        is_gone = all(answer is None for answer in found) and naive_answer(draw, self._lasting) is None
        return "lost" if is_gone else "unclear"

    def lost_rows(self) -> Mapping[str, list[frozenset[str]]]:
        """Return the texts of clean rows in which a cell is empty for good, or that are gone, by table."""
        gone = self.ledger.filter(~pl.col("recoverable"), pl.col("row_key") != "", pl.col("after") == "")
        return {
            str(table): self._texts(str(table), changes["row_key"])
            for (table,), changes in gone.sort("table").partition_by("table", as_dict=True).items()
        }

    def _texts(self, table: str, keys: pl.Series) -> list[frozenset[str]]:
        clean, key = self.clean(table), self.environment.table(table).row_key
        rows = clean.filter(pl.col(key).is_in(keys.implode())).drop(key)
        return [frozenset(filter(None, row)) for row in rows.iter_rows()]

    def _read_columns_of(self, draw: Draw) -> None:
        """Read the tables anew if a draw names a column that was not foreseen."""
        if further := {column for _, column in draw.outcome.read} - self.named:
            self.named |= further
            for side in ("_noisy", "_mended", "_lasting"):
                vars(self).pop(side, None)

    @cached_property
    def _noisy(self) -> NaiveTables:
        return self._read(self.noisy)

    @cached_property
    def _mended(self) -> NaiveTables:
        return self._read(self.mended)

    @cached_property
    def _lasting(self) -> NaiveTables:
        return self._read(lambda name: lasting(self.clean(name), self.ledger, self.environment.table(name)))

    def _read(self, texts: Callable[[str], pl.DataFrame]) -> NaiveTables:
        return NaiveTables(self.known, texts, lambda name: self.environment.table(name).row_key, self.named)


def lasting(clean: pl.DataFrame, ledger: pl.DataFrame, table: PublishedTable) -> pl.DataFrame:
    """Return a clean table with those changes alone that nobody can take back.

    A cell that several rules changed has what the last of these changes left. A column that has another name is not there.
    """
    lost = ledger.filter(pl.col("table") == table.name, ~pl.col("recoverable"))
    is_row, is_gone = pl.col("column") == "", pl.col("after") == ""
    gone = lost.filter(is_row, is_gone, pl.col("row_key") != "")["row_key"]
    cells = lost.filter(~is_row, pl.col("row_key") != "")
    frame = _with_cells(clean, cells, table).filter(~pl.col(table.row_key).is_in(gone.implode()))
    layouts = of_file(lost).filter(is_row)["after"]
    columns = [name for name in frame.columns if all(name in json.loads(layout)["columns"] for layout in layouts)]
    return pl.concat([frame, added_rows(lost, table)]).select(columns)


def _with_cells(frame: pl.DataFrame, changes: pl.DataFrame, table: PublishedTable) -> pl.DataFrame:
    latest = changes.group_by("column", "row_key").agg(pl.col("after").last())
    for (column,), cells in latest.partition_by("column", as_dict=True, include_key=False).items():
        name = str(column)
        after = frame.join(cells, left_on=table.row_key, right_on="row_key", how="left", maintain_order="left")["after"]
        text = pl.when(after != "").then(after)
        frame = frame.with_columns(pl.when(after.is_not_null()).then(text).otherwise(name).alias(name))
    return frame
