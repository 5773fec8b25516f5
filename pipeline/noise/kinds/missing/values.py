"""Missing values: a cell becomes empty. Texts that stand for missing are `sentinels`; whole rows gone are a kind on rows."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.document import YamlDocument
from pipeline.noise.documents.fields import NOT_EMPTY, KnownName, Some
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, Lookup, WrittenColumn, drawn
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
    """Empties each of the columns' cells, every column by its own draw."""

    name: ClassVar[str] = "missing_values"
    family: ClassVar[Family] = Family.MISSING
    recovery: ClassVar[str] = (
        "No, unless another table repeats the value (`repeated_in`): then where its text is the same."
    )

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

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Fill empty cells with what the other table says there."""
        repetition, column = self.repeated_in, self.columns[0]
        if repetition is None or repetition.table not in beside:
            return rows
        source = beside[repetition.table]
        here, there = {column, *repetition.joined_on}, {repetition.value, *repetition.joined_on.values()}
        if here - set(rows.columns) or there - set(source.columns):
            return rows
        found = repetition.lookup().joined(rows, source, "repeated")
        return found.with_columns(pl.col(column).fill_null(drawn("repeated"))).select(rows.columns)

    def _edit(self, column: str, draws: Draws) -> Edit:
        is_repeated = drawn("repeated").eq_missing(pl.col(column)) if self.repeated_in else pl.lit(value=False)
        return Edit(
            column=column,
            owner=draws.row_key,
            lookups={"repeated": self.repeated_in.lookup()} if self.repeated_in else {},
            is_eligible=pl.lit(value=True),
            after={column: pl.lit(None, pl.String)},
            is_recoverable=is_repeated,
        )
