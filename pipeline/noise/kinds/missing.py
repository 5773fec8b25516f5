"""Values that are missing: a cell becomes empty, or some text stands where the value was. Rows gone are a kind on rows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated

import polars as pl

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import NOT_EMPTY, KnownName, Some, Text
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.noise.kinds.interface import (
    ColumnsKind,
    Draws,
    Edit,
    Family,
    Lookup,
    NoisyRows,
    Restored,
    WrittenColumn,
    drawn,
)
from pipeline.noise.kinds.parts.sentences import picked
from pipeline.noise.mechanisms import ColumnName


class Repetition(YamlDocument):
    """Another published table that repeats a column's values."""

    table: Annotated[str, KnownName("table"), KnownName("table beside")]
    """The table; the declaration of the rule's tables names it in `beside`."""
    joined_on: Annotated[Mapping[ColumnName, str], NOT_EMPTY]
    """Which cells say that two rows are about the same: column here -> column there."""
    value: str
    """The column there that repeats the value."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse columns that the other table does not have."""
        columns = environment.table(self.table).columns
        for column in (*self.joined_on.values(), self.value):
            if column not in columns:
                place = "value" if column == self.value else "joined_on"
                yield Refusal(place, column, f"a column of {self.table}: {', '.join(columns)}")

    def lookup(self) -> Lookup:
        """Return the one value that the rows there give for a row here; null if they give none, or several."""
        on = tuple((pl.col(here), pl.col(there)) for here, there in self.joined_on.items())
        value = pl.col(self.value)
        return Lookup(table=self.table, on=on, value=pl.when(value.n_unique() == 1).then(value.first()))


class MissingValues(ColumnsKind):
    """Leaves cells empty."""

    name = "missing_values"
    family = Family.MISSING
    recovery = "No, unless another table repeats the value (`repeated_in`): then where its text is the same."

    columns: Some[WrittenColumn]
    """Columns whose cells go missing, each by its own draw."""
    repeated_in: Repetition | None = None
    """The table beside that repeats the values of the one column; nothing is recoverable without it."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse several columns that one column repeats."""
        if self.repeated_in and len(self.columns) > 1:
            yield Refusal("columns", ", ".join(self.columns), "one column, since `repeated_in` repeats one")

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """The rows that repeat a value have the same text in the column."""
        other, column = self.repeated_in, by[table]
        return other is None or (column in other.joined_on and other.joined_on[column] == by.get(other.table))

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Fill empty cells with what the other table says there."""
        rows, repetition, column = noisy.rows, self.repeated_in, self.columns[0]
        if repetition is None or repetition.table not in noisy.beside:
            return rows
        source = noisy.beside[repetition.table]
        there = {repetition.value, *repetition.joined_on.values()}
        if not noisy.has(column, *repetition.joined_on) or there - set(source.columns):
            return rows
        found = repetition.lookup().joined(rows, source, "repeated")
        return found.with_columns(pl.col(column).fill_null(drawn("repeated"))).select(rows.columns)

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        edit = replace(super()._edit(column, draws, restored), is_recoverable=pl.lit(value=False))
        if self.repeated_in is None:
            return edit
        is_repeated = drawn("repeated").eq_missing(pl.col(column))
        return replace(edit, lookups={"repeated": self.repeated_in.lookup()}, is_recoverable=is_repeated)

    def _steps(self, _column: str, _draws: Draws) -> Mapping[str, pl.Expr]:
        return {"text": pl.lit(None, pl.String)}


class Sentinels(ColumnsKind):
    """Puts a text that stands for "missing" (0, -1, 9999, 无, N/A) in place of the value."""

    name = "sentinels"
    family = Family.MISSING
    recovery = "No: the value is gone, and its text may be a value elsewhere."

    columns: Some[WrittenColumn]
    """Columns whose values go missing, each by its own draw."""
    texts: Some[Text]
    """What may stand for a missing value, each text alike; cells that hold one of them anyway are left alone."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return ~text.is_in(self.texts)

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        return {"text": picked(draws.uniform(column, "which"), self.texts)}
