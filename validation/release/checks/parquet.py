"""Tables as Parquet hold what the same tables as CSV hold, cell by cell, as the types that are declared.

Whether their bytes are those that were published is for the lists of files to say.
"""

from collections.abc import Iterator

import polars as pl

from pipeline.conform.source import HEADER_ROWS, shortened
from pipeline.errors import Problem
from pipeline.model import PublishedTable
from pipeline.parquet import columns_and_rows, read_parquet
from pipeline.release.layout import PARQUET
from validation.expectations.typed import typed
from validation.release.opened import Release, Variant
from validation.release.tree import UNREADABLE

SHOWN = 3
"""Cells of a column that are named."""


def parquet_as_csv(release: Release) -> Iterator[Problem]:
    """Find cells of Parquet files that are others than those of the CSV, or of another type than is declared."""
    for variant in release.variants:
        copies = {path for path in variant.files if path.startswith(f"{variant.prefix}{PARQUET}/")}
        tables = {_copy_of(variant, path): path for path in variant.declared if _is_table(variant, path)}
        for copy in sorted(copies - tables.keys()):
            yield Problem(copy, 0, "", "a file", "expected nothing: there is no such table as CSV")
        for copy in sorted(tables.keys() - copies) if copies else ():
            yield Problem(copy, 0, "", "no such file", f"expected the table of {tables[copy]}")
        for copy in sorted(tables.keys() & copies):
            yield from _of_table(variant, tables[copy], copy)


def _is_table(variant: Variant, path: str) -> bool:
    return path in variant.tree.files and variant.declared[path].document is None


def _copy_of(variant: Variant, path: str) -> str:
    return f"{variant.prefix}{PARQUET}/{path.removeprefix(variant.prefix).removesuffix('.csv')}.parquet"


def _of_table(variant: Variant, path: str, copy: str) -> Iterator[Problem]:
    table, text = variant.declared[path], variant.read(path)
    if text is None:
        return  # the check of tables names it
    try:
        file = variant.tree.table(copy)
        # What it says of its size is read first: a few bytes can stand for very many rows.
        header, height = columns_and_rows(file)
        if (header, height) != (text.columns, text.height):
            stands = f"{height:,} records of {', '.join(header)}"
            yield Problem(copy, 0, "", shortened(stands), f"expected those of {path}: {text.height:,}")
            return
        for name in text.columns:
            yield from _of_column(variant, table, text.select(name), read_parquet(file, [name]), copy)
    except UNREADABLE as error:
        yield Problem(copy, 0, "", shortened(str(error)), "expected a table as Parquet")


def _of_column(
    variant: Variant, table: PublishedTable, text: pl.DataFrame, stored: pl.DataFrame, copy: str
) -> Iterator[Problem]:
    assert variant.environment is not None  # noqa: S101  (tables are its declared ones)
    expected, found = (side.to_series() for side in (typed(variant.environment, table, text), stored))
    if found.dtype != expected.dtype:
        yield Problem(copy, 0, found.name, str(found.dtype), f"expected cells of the type {expected.dtype}")
        return
    for row in found.ne_missing(expected).arg_true().head(SHOWN):
        stands, asked = ("nothing" if cell is None else shortened(str(cell)) for cell in (found[row], expected[row]))
        yield Problem(copy, row + 1 + HEADER_ROWS, found.name, stands, f"expected {asked}, as the CSV has it")
