"""Tables are as they were written: header, dialect and encoding to the byte, and as many records as the manifest states.

What stands in their cells belongs to other checks.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np
import polars as pl

from pipeline.conform.csv_layout import broken_quote, layout
from pipeline.conform.source import shortened
from pipeline.errors import InputError, Problem
from pipeline.model import Dialect, PublishedTable
from pipeline.publish.files import read_published, read_undeclared
from pipeline.publish.formats import format_of_path
from pipeline.publish.formats.csv import Csv, read_csv, write_csv
from pipeline.publish.variant import CLEAN
from validation.release.opened import Release, ReleasedVariant
from validation.release.tree import UNREADABLE

_QUOTES: tuple[Literal["minimal", "non_empty", "all"], ...] = ("minimal", "non_empty", "all")


def as_written(release: Release) -> Iterator[Problem]:
    """Find tables whose header, dialect, encoding or number of records is another than declared and listed."""
    for variant in release.variants:
        for path in variant.listed:
            if path in variant.tree.files:
                yield from _of_file(variant, path)


def _of_file(variant: ReleasedVariant, path: str) -> Iterator[Problem]:
    declared = variant.declared.get(path)
    try:
        file = variant.tree.table(path)
        content = file.read_bytes()
    except InputError as error:
        yield Problem(path, 0, "", str(error), "expected a table as it is listed")
        return
    if declared is not None and declared.document is not None:
        yield from _of_document(path, content, declared)
    elif path.endswith(Csv.suffix):
        yield from _of_csv(variant, path, content, declared)
    elif format_of_path(path) is not None:
        frame = read_published(file, declared) if declared else read_undeclared(file)
        yield from _of_header(variant, path, frame, declared)
        yield from _of_counts(variant, path, frame)


def _of_document(path: str, content: bytes, declared: PublishedTable) -> Iterator[Problem]:
    rows = declared.document
    try:
        is_same = rows is not None and rows.text(rows.rows(content.decode())).encode() == content
    except UNREADABLE as error:
        yield Problem(path, 0, "", shortened(str(error)), "expected the document as it is declared")
        return
    if not is_same:
        yield Problem(path, 0, "", "", "expected the document as its rows are written")


def _of_csv(variant: ReleasedVariant, path: str, content: bytes, declared: PublishedTable | None) -> Iterator[Problem]:
    own = declared.dialect if declared else Dialect()
    file = variant.tree.folder / path
    try:
        frame = read_csv(file, null=own.null)
    except InputError:
        yield _broken(path, content) or Problem(path, 0, "", "", "expected a table as CSV")
        return
    if _written(frame, own) != content:
        if (broken := _broken(path, content)) is not None:
            yield broken
            return
        others = _other_dialects(own) if declared is None or variant.name != CLEAN else ()
        if not any(_written(read_csv(file, null=other.null), other) == content for other in others):
            yield _first_difference(path, content, _written(frame, own))
    yield from _of_header(variant, path, frame, declared)
    yield from _of_counts(variant, path, frame)


def _of_header(
    variant: ReleasedVariant, path: str, frame: pl.DataFrame, declared: PublishedTable | None
) -> Iterator[Problem]:
    if declared is None or frame.columns == list(declared.columns):
        return
    if variant.name != CLEAN and variant.listed[path].get("columns") == frame.width and not _stays(variant, declared):
        return  # noise may give a file another form
    for position in range(max(frame.width, len(declared.columns))):
        found, expected = ("".join(names[position : position + 1]) for names in (frame.columns, declared.columns))
        if found != expected:
            yield Problem(path, 1, expected or found, found or "nothing", f"expected {expected or 'nothing'!r}")


def _stays(variant: ReleasedVariant, declared: PublishedTable) -> bool:
    """Say whether the report on noise tells of no rule that gives this table another form."""
    rules = variant.report("noise").get("rules")
    listed = [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    of_form = [rule for rule in listed if rule.get("table") == declared.name and rule.get("column") == ""]
    return bool(listed) and not of_form


def _of_counts(variant: ReleasedVariant, path: str, frame: pl.DataFrame) -> Iterator[Problem]:
    stated = variant.listed[path]
    for what, found in (("records", frame.height), ("columns", frame.width)):
        if stated.get(what) != found:
            yield Problem(path, 0, "", f"{found:,} {what}", f"the manifest states {stated.get(what)} {what}")


def _other_dialects(own: Dialect) -> Iterator[Dialect]:
    """Yield other dialects in which noise may have written a file."""
    nulls = dict.fromkeys((own.null, ""))
    yield from (replace(own, quote=quote, null=null) for quote, null in product(_QUOTES, nulls))


def _written(frame: pl.DataFrame, dialect: Dialect) -> bytes:
    written = io.BytesIO()
    write_csv(frame, written, dialect)
    return written.getvalue()


def _broken(path: str, content: bytes) -> Problem | None:
    """Return where a file is no CSV in UTF-8; None if it is."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return _at(path, content, error.start, "expected text in UTF-8")
    found = layout(content) if content else None
    if found is None:
        return Problem(path, 0, "", "an empty file", "expected a table")
    if (quote := broken_quote(content, found)) is not None:
        return _at(path, content, quote, "expected quotes that open and close a field")
    widths = found.widths()
    wrong = np.flatnonzero(widths != widths[0])
    if wrong.size:
        row = int(wrong[0])
        return Problem(path, row + 1, "", f"{widths[row]} fields", f"expected {widths[0]}, as the header has")
    return None


def _first_difference(path: str, content: bytes, expected: bytes) -> Problem:
    size = min(len(content), len(expected))
    one, other = (np.frombuffer(each, np.uint8, size) for each in (content, expected))
    differing = np.flatnonzero(one != other)
    return _at(path, content, int(differing[0]) if differing.size else size, "expected the field as the dialect has it")


def _at(path: str, content: bytes, offset: int, expected: str) -> Problem:
    place = layout(content).place(min(offset, len(content) - 1))
    header = next(csv.reader(io.StringIO(content.partition(b"\n")[0].decode(errors="replace"))), [])
    found = content[max(0, offset - 10) : offset + 10].decode(errors="replace")
    return Problem(path, place.row, "".join(header[place.field : place.field + 1]), found, expected)
