"""The layout of a file: dialect and headers; columns reordered, split, merged, or made of rows. Cells are other kinds."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.fields import NOT_EMPTY, Some, Text
from pipeline.documents.problems import Refusal
from pipeline.model import Environment, PublishedTable
from pipeline.noise.kinds.interface import Draws, Family, FileKind, NoisyRows, TextFile, WrittenColumn
from pipeline.noise.kinds.parts.refusals import refuse_any, refuse_header
from pipeline.noise.mechanisms import ColumnName


class OtherDialect(FileKind):
    """Writes the file with other quotes, or with a text where a field is empty."""

    name = "other_dialect"
    family = Family.FORMAT
    recovery = "Yes, by reading the file as it is written."

    quote: Literal["minimal", "non_empty", "all"] | None = None
    """Which fields are quoted: those that must be, those that are not empty, or all; as the table is declared if not given."""
    null_text: Text | None = None
    """What stands in an empty field (`NULL`, `NA`, `-`, `\\N`); a build in which a cell holds that text is refused."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a dialect that says nothing, and a text that would have to be quoted."""
        if self.quote is None and self.null_text is None:
            yield Refusal("", "neither quote nor null_text", "one of them, or both")
        if set(self.null_text or "") & set(',"\r\n'):
            yield Refusal("null_text", self.null_text, "a text without commas, quotes and line breaks")

    def restructured(self, file: TextFile, _choice: str, draws: Draws) -> TextFile:
        """Return the same table in the other dialect."""
        for column in file.frame.columns if self.null_text is not None else ():
            expected = "an empty field or another text, since it is to stand for empty fields; name another null_text"
            is_taken = pl.col(column) == self.null_text
            refuse_any(file.frame, draws.table, column, is_taken, expected, above=file.above)
        quote, null = self.quote or file.dialect.quote, file.dialect.null if self.null_text is None else self.null_text
        return TextFile(frame=file.frame, dialect=replace(file.dialect, quote=quote, null=null))

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows with empty cells for the text that stands for them."""
        return noisy.rows if self.null_text is None else noisy.rows.with_columns(pl.all().replace(self.null_text, None))


_HAN = re.compile(r"[\u4e00-\u9fff]")


class RenamedColumns(FileKind):
    """Gives columns other headers: abbreviated, misspelt, or those of another system.

    Each header is decided on alone.
    """

    name = "renamed_columns"
    family = Family.FORMAT
    recovery = "Yes, by what stands in the columns."

    names: Annotated[Mapping[ColumnName, Text], NOT_EMPTY]
    """Column -> its new header, which no other column may have."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse one header for two columns, and one that another of the columns has."""
        headers = list(self.names.values())
        if len({*headers, *self.names}) < 2 * len(headers):
            yield Refusal("names", headers, "each new header once, and none that is a column's own")

    def choices(self, _table: PublishedTable) -> tuple[str, ...]:
        """Return the columns to be renamed."""
        return tuple(self.names)

    def restructured(self, file: TextFile, choice: str, draws: Draws) -> TextFile:
        """Return the file with the column under its new header."""
        header = self.names[choice]
        if choice not in file.frame.columns:
            return file
        if header in file.frame.columns:
            refuse_header(draws.table, header, f"a header that no column has yet, for {choice!r}; name another")
        renamed = {choice: header}
        return TextFile(frame=file.frame.rename(renamed), dialect=file.dialect, renamed=renamed)

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows with the columns under their declared headers."""
        back = {header: column for column, header in self.names.items() if noisy.has(header) and not noisy.has(column)}
        return noisy.rows.rename(back)


class ForeignHeaders(RenamedColumns):
    """Gives columns headers in the other language: Chinese where they are English, English where they are Chinese."""

    name = "foreign_headers"
    family = Family.LANGUAGE
    recovery = "Yes, by translating the headers back, or by what stands in the columns."

    names: Annotated[Mapping[ColumnName, Text], NOT_EMPTY]
    """Column -> its header in the other language, which no other column may have."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse what `renamed_columns` refuses, and a header in the same script."""
        yield from super().refusals(environment)
        same = [
            header for column, header in self.names.items() if bool(_HAN.search(column)) == bool(_HAN.search(header))
        ]
        if same:
            yield Refusal("names", same, "headers in Chinese for columns in English, and the reverse")


class ReorderedColumns(FileKind):
    """Puts the columns of the file into another order."""

    name = "reordered_columns"
    family = Family.FORMAT
    recovery = "Yes, by the headers."

    first: Some[ColumnName] | None = None
    """The columns that come first, in this order; the others follow as they stood. All are drawn if not given."""

    def restructured(self, file: TextFile, _choice: str, draws: Draws) -> TextFile:
        """Return the file with its columns in the new order."""
        return TextFile(frame=file.frame.select(self._order(file.frame.columns, draws)), dialect=file.dialect)

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows with the declared columns in the declared order; columns that are not declared come last."""
        declared = [column for column in noisy.table.columns if noisy.has(column)]
        return noisy.rows.select(*declared, pl.exclude(declared))

    def _order(self, columns: list[str], draws: Draws) -> list[str]:
        if self.first is not None:
            given = [column for column in self.first if column in columns]
            return [*given, *(column for column in columns if column not in given)]
        drawn = pl.DataFrame({"column": columns}).sort(draws.of("", "order").uniform("column"))
        return drawn["column"].to_list()


class MergedColumns(FileKind):
    """Puts several columns into one with a separator, as province, city and district; an empty cell leaves nothing between.

    A build is refused if a cell holds the separator: cells could not be divided again.
    """

    name = "merged_columns"
    family = Family.FORMAT
    recovery = "Yes, by the separator, which stands in no cell."
    needs_whole_table = True
    """The ledger has all cells of a column in one entry."""

    columns: Some[WrittenColumn]
    """The columns, in the order of their texts; the new one stands where the first of them stood."""
    into: Text
    """The header of the new column."""
    separator: Text
    """What stands between the texts."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a single column."""
        if len(self.columns) < 2:  # noqa: PLR2004
            yield Refusal("columns", self.columns, "two columns or more")

    def restructured(self, file: TextFile, _choice: str, draws: Draws) -> TextFile:
        """Return the file with the new column in place of the others."""
        frame, first = file.frame, self.columns[0]
        if not set(self.columns) <= set(frame.columns):
            return file
        if self.into in set(frame.columns) - set(self.columns):
            refuse_header(draws.table, self.into, "a header that no column has yet; name another with into")
        cells = [pl.col(column).fill_null("") for column in self.columns]
        is_there = pl.any_horizontal(pl.col(column).is_not_null() for column in self.columns)
        merged = pl.when(is_there).then(pl.concat_str(cells, separator=self.separator))
        for cell, column, part in zip(cells, self.columns, self._split(merged), strict=True):
            is_other = (part != cell).fill_null(value=True) & is_there
            expected = f"no {self.separator!r} in cells that are merged with it; name another separator"
            refuse_any(frame, draws.table, column, is_other, expected)
        kept = [column for column in frame.columns if column == first or column not in self.columns]
        return TextFile(
            frame=frame.select(merged.alias(self.into) if column == first else pl.col(column) for column in kept),
            dialect=file.dialect,
        )

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows with the columns in place of the merged one."""
        rows, own = noisy.rows, set(self.columns) - {self.into}
        if not noisy.has(self.into) or own & set(rows.columns):
            return rows
        parts = [
            pl.when(part != "").then(part).alias(column)
            for part, column in zip(self._split(pl.col(self.into)), self.columns, strict=True)
        ]
        groups = [parts if column == self.into else [pl.col(column)] for column in rows.columns]
        return rows.select(column for group in groups for column in group)

    def _split(self, merged: pl.Expr) -> list[pl.Expr]:
        """Return the texts of a merged cell; null where there are not as many as columns."""
        texts = merged.str.split(self.separator)
        is_whole = texts.list.len() == len(self.columns)
        return [pl.when(is_whole).then(texts.list.get(place, null_on_oob=True)) for place in range(len(self.columns))]


_PART = re.compile(r"\{([^{}]+)\}")


class SplitColumns(FileKind):
    """Takes a column apart into several, as a date into year, month and day.

    A text that is not laid out like that stands whole in the first of the new columns, the others empty.
    """

    name = "split_columns"
    family = Family.FORMAT
    recovery = "Yes, by putting the parts together again."
    needs_whole_table = True
    """The ledger has all cells of a column in one entry."""

    column: WrittenColumn
    """The column that is taken apart; the new ones stand in its place."""
    layout: Text
    """How its texts are laid out, each new header in braces and something between them: `{day}/{month}/{year}`."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a layout of fewer than two parts, of one header twice, and of parts with nothing between them."""
        headers, between = self._parts()
        if len(headers) < 2 or len(set(headers)) < len(headers) or not all(between[1:-1]):  # noqa: PLR2004
            yield Refusal(
                "layout", self.layout, "two headers in braces or more, each once, with something between them"
            )

    def choices(self, _table: PublishedTable) -> tuple[str, ...]:
        """Return the column."""
        return (self.column,)

    def restructured(self, file: TextFile, choice: str, draws: Draws) -> TextFile:
        """Return the file with the parts in place of the column."""
        if choice not in file.frame.columns:
            return file
        headers, between = self._parts()
        others = [column for column in file.frame.columns if column != choice]
        for header in headers:
            if header in others:
                refuse_header(draws.table, header, f"headers that no column has yet, for the parts of {choice!r}")
        pattern = "(?s)^" + "(.+?)".join(map(pl.escape_regex, between)) + "$"
        found = [pl.col(choice).str.extract(pattern, number + 1) for number in range(len(headers))]
        whole = pl.coalesce(found[0], pl.col(choice)).alias(headers[0])
        parts = [whole, *(part.alias(header) for part, header in zip(found[1:], headers[1:], strict=True))]
        columns = [[pl.col(column)] if column != choice else parts for column in file.frame.columns]
        return TextFile(frame=file.frame.select(column for group in columns for column in group), dialect=file.dialect)

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows with the column in place of its parts; what stands alone in the first was not taken apart."""
        rows, (headers, between) = noisy.rows, self._parts()
        if noisy.has(self.column) or not noisy.has(*headers):
            return rows
        alternating = [text for header, literal in zip(headers, between[1:], strict=True) for text in (header, literal)]
        pieces = [pl.col(piece) if place % 2 == 0 else pl.lit(piece) for place, piece in enumerate(alternating)]
        joined = pl.concat_str(pl.lit(between[0]), *pieces)  # null if a part is
        whole = pl.coalesce(joined, pl.col(headers[0])).alias(self.column)
        return rows.select(
            whole if column == headers[0] else pl.col(column) for column in rows.columns if column not in headers[1:]
        )

    def _parts(self) -> tuple[list[str], list[str]]:
        """Return the headers, and the texts before, between and after them."""
        pieces = _PART.split(self.layout)
        return pieces[1::2], pieces[::2]


class LongToWide(FileKind):
    """Makes one row of all rows with the same keys, each name's value in a column of its own.

    Columns that are named nowhere are lost, and so are rows without a name. A build whose rows give two values for the same
    keys and name is refused, since one of them would be lost; so is one with a name that is the header of a key.
    """

    name = "long_to_wide"
    family = Family.FORMAT
    recovery = "No: keys, names and values can be read again, the other columns are lost."
    needs_whole_table = True
    """Rows for the same keys stand anywhere, and every name gives a column to all rows."""
    mends_each_row = False

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
