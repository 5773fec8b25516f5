"""Reads the files of a raw table into text columns: CSV, Parquet or a flat JSON object, whichever is there.

Everything about bytes belongs here: encoding, quoting, the number of fields of a record, storage types. Which files are a
table's belongs to `files/listing.py`, which headers one must have to `headers.py`, what cells must hold to `cells.py`.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate, groupby, zip_longest
from pathlib import Path

import numpy as np
import polars as pl

from pipeline.conform.csv_layout import Layout, broken_quote, layout
from pipeline.conform.files.listing import among, choice_problems, names_in, opened, whole_of
from pipeline.conform.shaping import below, partitioned, reshaped, stacked
from pipeline.conform.source import HEADER_ROWS, PROBLEMS_SHOWN, Source, line_note, shortened
from pipeline.errors import ContractError, InputError, Problem
from pipeline.model import Column, CsvDialect, RawTable, Role
from pipeline.parquet import ColumnError, read_parquet
from pipeline.small_files import refuse_key
from pipeline.wording import counted

_BOM = b"\xef\xbb\xbf"

_BEYOND = "(a day beyond the calendar)"
"""What is said of a stored day that has no text."""

_AGAIN = "run again"

_SURROGATE = re.compile("[\ud800-\udfff]")


def read(table: RawTable, directory: Path, *, known: Mapping[str, str] | None = None) -> Source | None:
    """Read the files of a raw table; return None if the table is optional and has none.

    Args:
        known: The digests of all raw files when a build began (`digests_of`): what is read has to be that.

    Raises:
        ContractError: a file is missing, is there in two formats, or is not what its ending says.
        InputError: the folder or a file can't be opened, or is not what is known.
    """
    names = names_in(directory, table)
    found = among(table, names)
    if known is not None and found != among(table, known):
        raise InputError(f"files of the table {table.name!r} in {directory} came or went while it was read; {_AGAIN}")
    if problems := list(choice_problems(table, names)):
        raise ContractError(problems)
    if not found:
        return None
    wholes = [(whole, list(files)) for whole, files in groupby(found, whole_of)]
    return reshaped(stacked(table, [_whole(table, directory, *each, known) for each in wholes]))


def _whole(table: RawTable, directory: Path, whole: str, files: list[str], known: Mapping[str, str] | None) -> Source:
    """Read one file, or the parts that stand for one."""
    if files == [whole]:
        return _read(table, directory, whole, known)
    return below(table, whole, [partitioned(_read(table, directory, name, known)) for name in files])


def _read(table: RawTable, directory: Path, name: str, known: Mapping[str, str] | None) -> Source:
    content = _content(directory / name)
    if known is not None and hashlib.sha256(content).hexdigest() != known[name]:
        raise InputError(f"{directory / name} was written while it was read; {_AGAIN}")
    return _READERS[Path(name).suffix](table, name, content)


def _content(path: Path) -> bytes:
    with opened(path) as file:
        content = file.read()
    refuse_key(path, content)
    return content


def _read_csv(table: RawTable, file: str, content: bytes) -> Source:
    dialect = table.dialect
    body = _in_one_line(_table_alone(_as_utf8(file, content, dialect), dialect), dialect)
    if not body:
        raise ContractError([Problem(file, 0, "", "", "the file is empty; a header row is needed")])
    found = layout(body, dialect.separator)
    if dialect.encoding == "utf-8":
        _refuse_wrong_encoding(table, file, body, found, skipped=len(content) - len(body))
    _refuse_broken_records(table, file, body, found)
    headers = _header(file, body, found)
    # Quoted line feeds make lines and records differ; only then do problems name both.
    above = dialect.title_lines + dialect.header_lines - 1
    lines = found.lines() + above if above or found.breaks.size > found.ends.size else None
    return _without_totals(Source(table, file, headers, _text(body, len(headers), dialect.separator), lines))


def _without_totals(source: Source) -> Source:
    """Return a file without its rows of totals, as the dialect knows them; lines still tell where each record stands."""
    totals = source.table.dialect.totals
    if not totals:
        return source
    first = source.text.select(pl.coalesce(pl.all().str.strip_chars().replace("", None)).fill_null("")).to_series()
    kept = ~first.is_in(totals)
    lines = np.arange(1, len(kept) + HEADER_ROWS + 1) if source.lines is None else source.lines
    stays = np.concatenate(([True], kept.to_numpy()))
    return replace(source, text=source.text.filter(kept), lines=lines[stays], totals=len(kept) - int(kept.sum()))


def _as_utf8(file: str, content: bytes, dialect: CsvDialect) -> bytes:
    """Return a file in UTF-8 without a byte order mark; one that is declared so is looked at later."""
    if dialect.encoding == "utf-8":
        return content.removeprefix(_BOM)
    try:
        return content.decode(dialect.encoding).removeprefix("\ufeff").encode()
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        expected = f"the file must be {dialect.encoding}, as its declaration says (`CsvDialect.encoding`)"
        raise ContractError([Problem(file, 0, "", f"at offset {error.start}", expected)]) from None


def _table_alone(body: bytes, dialect: CsvDialect) -> bytes:
    """Return a file without the lines before its header and below its last row."""
    if dialect.foot:
        below = b"|".join(re.escape(text.encode()) for text in dialect.foot)
        found = re.search(rb'^[ \t]*"?(?:' + below + b")", body, re.MULTILINE)
        body = body[: found.start()] if found else body
    lines = dialect.title_lines
    return body.split(b"\n", lines)[-1] if body.count(b"\n") >= lines else b""


def _in_one_line(body: bytes, dialect: CsvDialect) -> bytes:
    """Return a file with its header in one line: what stands above a name goes before it, over empty cells behind it, too."""
    if dialect.header_lines == 1:
        return body
    *lines, rest = body.split(b"\n", dialect.header_lines)
    rows = list(csv.reader((line.decode(errors="replace") for line in lines), delimiter=dialect.separator))
    filled = (accumulate(row, _or_before) for row in rows[:-1])
    names = [" ".join(filter(None, map(str.strip, cells))) for cells in zip_longest(*filled, *rows[-1:], fillvalue="")]
    header = io.StringIO()
    csv.writer(header, delimiter=dialect.separator, lineterminator="\n").writerow(names)
    return header.getvalue().encode() + rest


def _or_before(before: str, cell: str) -> str:
    return cell.strip() or before


def _refuse_wrong_encoding(table: RawTable, file: str, body: bytes, found: Layout, *, skipped: int) -> None:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        value = f"byte 0x{body[error.start]:02X} at offset {error.start + skipped}"
        other = '`RawTable(..., dialect=CsvDialect(encoding="cp1252"))`'
        expected = f"the file must be UTF-8; save it in that encoding, or declare the one that it has, as in {other}"
        raise ContractError([_byte_problem(table, file, body, found, error.start, value, expected)]) from None


def _refuse_broken_records(table: RawTable, file: str, body: bytes, found: Layout) -> None:
    quote = broken_quote(body, found)
    if quote is not None:
        expected = "the quotes around this field are broken or never end; inside quotes, a quote is doubled"
        raise ContractError([_byte_problem(table, file, body, found, quote, '"', expected)])
    if found.stray_returns.size:
        expected = "a carriage return outside of quotes stands before a line feed only; end lines with \\n or \\r\\n"
        offset = int(found.stray_returns[0])
        raise ContractError([_byte_problem(table, file, body, found, offset, "\r", expected)])
    problems = tuple(_width_problems(file, found, may_be_blank="" in table.dialect.totals))
    if problems:
        raise ContractError(problems)


def _byte_problem(
    table: RawTable, file: str, body: bytes, found: Layout, offset: int, value: str, expected: str
) -> Problem:
    place = found.place(offset)
    headers = _header(file, body, found) if place.row > HEADER_ROWS else ()
    name = headers[place.field] if place.field < len(headers) else ""
    # In a file without a header row the first record takes its place; only a declared name is sure to identify nobody.
    column = name if any(name == declared.name for declared in table.columns) else ""
    return Problem(file, place.row, column, value, expected + line_note(place.row, place.line))


def _width_problems(file: str, found: Layout, *, may_be_blank: bool) -> Iterator[Problem]:
    widths = found.widths()
    header = int(widths[0])
    lines = found.lines()
    wrong = np.flatnonzero((widths != header) & ~(found.blank & may_be_blank))
    for record in wrong[:PROBLEMS_SHOWN].tolist():
        note = line_note(record + 1, int(lines[record]))
        expected = f"expected {header}, as the header has{note}; cells are read once every row has its fields"
        yield Problem(file, record + 1, "", counted(int(widths[record]), "field"), expected)
    if wrong.size > PROBLEMS_SHOWN:
        yield Problem(file, 0, "", "", f"{wrong.size - PROBLEMS_SHOWN} more records have another number of fields")


def _header(file: str, body: bytes, found: Layout) -> tuple[str, ...]:
    text = body[: found.ends[0]].decode(errors="replace")
    try:
        fields = next(csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=chr(found.separator)), [])
    except csv.Error as error:
        problem = f"the header row can't be read ({error}); write its names anew"
        raise ContractError([Problem(file, HEADER_ROWS, "", "", problem)]) from None
    return tuple(fields) or ("",)


def _text(body: bytes, width: int, separator: str) -> pl.DataFrame:
    # The header is read as data and dropped afterwards, because polars strips a byte order mark from the first record.
    schema = {str(position): pl.String for position in range(width)}
    frame = pl.read_csv(body, has_header=False, schema=schema, infer_schema=False, separator=separator)
    return frame.slice(HEADER_ROWS).with_columns(_empty_as_null(pl.all()))


def _empty_as_null(text: pl.Expr) -> pl.Expr:
    return pl.when(text != "").then(text)


def _read_parquet(table: RawTable, file: str, content: bytes) -> Source:
    try:
        frame = read_parquet(content)
    except ColumnError as error:
        raise ContractError([Problem(file, 0, shortened(error.column), "", error.expected)]) from None
    except (OSError, ValueError):
        expected = "the file can't be read as Parquet; write it again"
        raise ContractError([Problem(file, 0, "", "", expected)]) from None
    dropped = {*table.ignored, *(column.name for column in table.of_role(Role.IGNORED))}
    kept = [series.name for series in frame.iter_columns() if series.name not in dropped]
    problems = [problem for name in kept for problem in _stored_problems(file, frame[name])]
    if problems:
        raise ContractError(problems)
    declared = {column.name: column for column in table.columns}
    text = frame.select(
        (_as_text(frame[name], declared.get(name)) if name in kept else pl.lit(None, pl.String)).alias(str(position))
        for position, name in enumerate(frame.columns)
    )
    return Source(table, file, tuple(frame.columns), text)


def _has_text(dtype: pl.DataType) -> bool:
    is_plain = dtype.is_numeric() or dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)
    return is_plain or dtype in (pl.Date, pl.Datetime)


def _stored_problems(file: str, series: pl.Series) -> Iterator[Problem]:
    """Find a column that has no text, and days that cannot be written as one."""
    if not _has_text(series.dtype):
        expected = f"expected a column of text, numbers or dates; this one is stored as {series.dtype}"
        yield Problem(file, 0, series.name, "", expected)
    elif series.dtype.is_temporal():
        is_written = series.dt.year().is_between(1, 9999).fill_null(value=False)
        for record in (~is_written & series.is_not_null()).arg_true().head(PROBLEMS_SHOWN):
            expected = "expected a date of the years 1 to 9999"
            yield Problem(file, record + HEADER_ROWS + 1, series.name, _BEYOND, expected)


def _as_text(series: pl.Series, column: Column | None) -> pl.Expr:
    """Write a stored column as text that its declaration reads without loss: floats shortest, dates as declared."""
    stored = pl.col(series.name)
    if not series.dtype.is_temporal():
        return _empty_as_null(stored.cast(pl.String))
    written = stored.dt.strftime(column.date_format if column and column.type == "date" else "%Y-%m-%d")
    if series.dtype == pl.Date:
        return written
    # Dates stored as timestamps at midnight are written as dates.
    is_day = stored.dt.truncate("1d") == stored
    return pl.when(is_day).then(written).otherwise(stored.dt.to_string("iso"))


def _read_json(table: RawTable, file: str, content: bytes) -> Source:
    try:
        pairs = json.loads(content.removeprefix(_BOM).decode(), object_pairs_hook=tuple)
    except UnicodeDecodeError as error:
        value = f"byte 0x{error.object[error.start]:02X} at offset {error.start}"
        raise ContractError([Problem(file, 0, "", value, "the file must be UTF-8; save it in that encoding")]) from None
    except RecursionError:
        raise ContractError([Problem(file, 0, "", "", "the file must hold one JSON object without nesting")]) from None
    except json.JSONDecodeError as error:
        raise ContractError([Problem(file, error.lineno, "", "", f"the file must be JSON: {error.msg}")]) from None
    except ValueError:  # a number of more digits than Python reads
        raise ContractError([Problem(file, 0, "", "", "the file must hold text alone, and no such number")]) from None
    if not isinstance(pairs, tuple):
        raise ContractError([Problem(file, 0, "", "", "the file must hold one JSON object, text to text")])
    text = pl.DataFrame(
        {str(part): [pair[part] if _is_text(pair[part]) else None for pair in pairs] for part in range(2)},
        schema={"0": pl.String, "1": pl.String},
    )
    source = Source(table, file, ("key", "value"), text.with_columns(_empty_as_null(pl.all())))
    wrong = [record for record, pair in enumerate(pairs) if not all(map(_is_text, pair))]
    if wrong:
        raise ContractError(
            source.cell_problem(record, ("value",), "", "a key and a value that are text, without nesting")
            for record in wrong
        )
    return source


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not _SURROGATE.search(value)


_READERS: Mapping[str, Callable[[RawTable, str, bytes], Source]] = {
    ".csv": _read_csv,
    ".parquet": _read_parquet,
    ".json": _read_json,
}
