"""Long to wide: what stood in rows stands in columns. Columns that are split or merged are other kinds."""

from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from pipeline.model import Environment, PublishedTable
from pipeline.noise.documents.fields import Some
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import Draws, Family, FileKind, TextFile, WrittenColumn
from pipeline.noise.kinds.parts.refusals import refuse_any
from pipeline.noise.mechanisms import ColumnName


class LongToWide(FileKind):
    """Makes one row of all rows with the same keys, each name's value in a column of its own.

    Columns that are named nowhere are lost, and so are rows without a name. A build whose rows give two values for the same
    keys and name is refused, since one of them would be lost; so is one with a name that is the header of a key.
    """

    name: ClassVar[str] = "long_to_wide"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "No: keys, names and values can be read again, the other columns are lost."
    needs_whole_table: ClassVar[bool] = True
    """Rows for the same keys stand anywhere, and every name gives a column to all rows."""

    keys: Some[ColumnName]
    """The columns that a row is for."""
    names: WrittenColumn
    """The column whose texts become headers, in ascending order."""
    values: WrittenColumn
    """The column whose cells stand under them."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a column in two parts."""
        if len({*self.keys, self.names, self.values}) < len(self.keys) + 2:
            yield Refusal(
                "", (*self.keys, self.names, self.values), "other columns as names and as values than as keys"
            )

    def restructured(self, file: TextFile, _choice: str, draws: Draws) -> TextFile:
        """Return the file with one row for each combination of keys, in the order of their first rows."""
        frame, keys = file.frame, list(self.keys)
        if not {*keys, self.names, self.values} <= set(frame.columns):
            return file
        self._refuse_loss(frame, draws.table)
        named = frame.filter(pl.col(self.names).is_not_null())
        cells = named.group_by([*keys, self.names], maintain_order=True).agg(pl.col(self.values).drop_nulls().first())
        wide = cells.pivot(self.names, index=keys, values=self.values, sort_columns=True, maintain_order=True)
        return TextFile(frame=wide, dialect=file.dialect, renamed={key: key for key in keys}, is_reshaped=True)

    def _refuse_loss(self, frame: pl.DataFrame, table: PublishedTable) -> None:
        clash = f"names other than the headers of the keys, {', '.join(self.keys)}"
        refuse_any(frame, table, self.names, pl.col(self.names).is_in(self.keys), clash)
        first = pl.col(self.values).drop_nulls().first().over(*self.keys, self.names)
        is_second = pl.col(self.names).is_not_null() & (pl.col(self.values) != first).fill_null(value=False)
        refuse_any(frame, table, self.values, is_second, "one value for the same keys and name; name more keys")
