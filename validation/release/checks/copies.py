"""Tables in further formats hold what the tables themselves hold, cell by cell, as the types that are declared.

Whether their bytes are those that were published is for the lists of files to say.
"""

from collections.abc import Iterator

import polars as pl

from pipeline.conform.source import HEADER_ROWS, shortened
from pipeline.errors import Problem
from pipeline.model.schema.complete import types_of
from pipeline.parquet import ColumnError
from pipeline.publish.formats import FORMATS, Format, WrittenAs
from pipeline.release.layout import copy_of, is_copy
from validation.release.opened import SHOWN, Release, ReleasedVariant
from validation.release.tree import UNREADABLE


def copies_hold_the_same(release: Release) -> Iterator[Problem]:
    """Find cells of copies that are others than those of the table, or of another type than is declared."""
    for variant in release.variants:
        copies = {path for path in variant.files if is_copy(path.removeprefix(variant.prefix))}
        for each in FORMATS.values():
            yield from _of_format(
                variant, each, {path for path in copies if path.startswith(f"{variant.prefix}{each.name}/")}
            )


def _of_format(variant: ReleasedVariant, format_: Format, copies: set[str]) -> Iterator[Problem]:
    tables = {
        variant.prefix + copy_of(path.removeprefix(variant.prefix), format_): path
        for path, table in variant.declared.items()
        if path in variant.tree.files and table.document is None
    }
    for copy in sorted(copies - tables.keys()):
        yield Problem(copy, 0, "", "a file", "expected nothing: there is no such table")
    for copy in sorted(tables.keys() - copies) if copies else ():
        yield Problem(copy, 0, "", "no such file", f"expected the table of {tables[copy]}")
    for copy in sorted(tables.keys() & copies):
        yield from _of_table(variant, format_, tables[copy], copy)


def _of_table(variant: ReleasedVariant, format_: Format, path: str, copy: str) -> Iterator[Problem]:
    table, text = variant.declared[path], variant.read(path)
    if text is None:
        return  # the check of tables names it
    assert variant.environment is not None  # noqa: S101  (tables are its declared ones)
    written = WrittenAs(types=types_of(variant.environment, table))
    try:
        file = variant.tree.table(copy)
        # What it says of its size is read first: a few bytes can stand for very many rows.
        header, height = format_.header(file), format_.records(file)
        if (header, height) != (text.columns, text.height):
            stands = f"{height:,} records of {', '.join(header)}"
            yield Problem(copy, 0, "", shortened(stands), f"expected those of {path}: {text.height:,}")
            return
        for name in text.columns:
            stored = format_.read(file, written, [name])
            expected, found = (written.typed(side).to_series() for side in (text.select(name), stored))
            yield from _of_column(expected, found, copy)
    except ColumnError as error:
        yield Problem(copy, 0, error.column, "", error.expected)
    except UNREADABLE as error:
        yield Problem(copy, 0, "", shortened(str(error)), f"expected a table as {format_.title}")


def _of_column(expected: pl.Series, found: pl.Series, copy: str) -> Iterator[Problem]:
    if found.dtype != expected.dtype:
        yield Problem(copy, 0, found.name, str(found.dtype), f"expected cells of the type {expected.dtype}")
        return
    for row in found.ne_missing(expected).arg_true().head(SHOWN):
        stands, asked = ("nothing" if cell is None else shortened(str(cell)) for cell in (found[row], expected[row]))
        yield Problem(copy, row + 1 + HEADER_ROWS, found.name, stands, f"expected {asked}, as the table has it")
