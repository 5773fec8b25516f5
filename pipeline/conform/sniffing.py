"""How a CSV file and its numbers are written: encoding, separator, header, totals, decimal marks; and files that are none.

Only a first look at strange files guesses (`silt init`); what it finds goes into the declaration, by which `reading.py` reads.
"""

import csv
import io
import re
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import get_args, get_type_hints

import charset_normalizer
import polars as pl

from pipeline.conform.cells import plain_numbers
from pipeline.model import CsvDialect, Numerals
from pipeline.model.columns import PLAIN

_HINTS = get_type_hints(CsvDialect)
_SEPARATORS: tuple[str, ...] = get_args(_HINTS["separator"])
_ENCODINGS: tuple[str, ...] = get_args(_HINTS["encoding"])

_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

_AROUND = r"(?:€|\$|£|¥|￥|%|元|EUR|USD|CHF|GBP|CNY|JPY|Fr\.)"
_SIGNS = 3
"""What may stand around numbers, so many of them at most."""

_WAYS = (
    (".", ""), (".", ","), (",", ""), (",", "."), (",", " "), (",", "\xa0"), (",", "\u202f"), (",", "'"), (".", "'"),
    (".", "’"), (".", " "),
)  # fmt: skip
"""Marks of decimals and groupings of thousands, the plainest first."""

_NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"

_BRACKETS = r"^\s*\([^()-]*\d[^()-]*\)\s*$"

_IS_NUMBER = re.compile(r"[^\w]*\d[\d.,'’ ]*\W*$")

_LABEL = 20
"""Signs of such a beginning, at most: more are a sentence, or a name."""

_LINES = 200
"""Lines by which the separator and the header are found (our choice)."""

_TITLES = 20
"""Lines before a header, at most (our choice)."""

_TOTAL = re.compile(
    r"(?i)^(?:(?:sub|grand |net )?totals?|summen?|gesamt(?:summe)?|zwischensumme|insgesamt|somme|suma|合计|总计|小计|总和)\b"
)
"""What rows begin with that add up others."""

_FEW = 0.05
"""Part of the rows that add up others, at most, and five at least (our choice): one a year below the rows of twenty owners."""


def written(path: Path) -> tuple[CsvDialect, tuple[str, ...]]:
    """Return how a file is written, with what was guessed; the defaults for one that is not there or empty."""
    content = path.read_bytes() if path.is_file() else b""
    encoding = _encoding(content)
    text = content.decode(encoding, errors="replace").removeprefix("\ufeff")
    if not text.strip():
        return CsvDialect(), ()
    head = text.splitlines()[:_LINES]
    separator, titles = max(((sign, *_begins(head, sign)) for sign in _SEPARATORS), key=lambda each: each[2])[:2]
    rows = list(csv.reader(io.StringIO(text.split("\n", titles)[-1]), delimiter=separator))
    header = 2 if _is_merged(rows) else 1
    known = CsvDialect(separator=separator, encoding=encoding)  # type: ignore[arg-type]
    dialect = replace(known, title_lines=titles, header_lines=header, totals=_totals(rows[header - 1 :]))
    return dialect, tuple(_notes(dialect))


def not_read(folder: Path) -> Iterator[str]:
    """Say of each spreadsheet, database or other text file of a folder how its tables are written as CSV."""
    for path in sorted(folder.iterdir()):
        file = shlex.quote(str(path))
        match path.suffix.lower():
            case ".xlsx" | ".xls" | ".xlsm" | ".ods":
                command = f"soffice --headless --convert-to csv --outdir {shlex.quote(str(folder))} {file}"
                yield f"{path.name} is a spreadsheet: write each sheet as CSV, for example: {command}"
            case ".db" | ".sqlite" | ".sqlite3":
                for table in _tables(path):
                    asked = shlex.quote(f'SELECT * FROM "{table}"')  # noqa: S608  (shown, not run)
                    to = shlex.quote(str(folder / f"{table}.csv"))
                    yield f"{path.name} is a database: sqlite3 -csv -header {file} {asked} > {to}"
            case ".tsv" | ".txt" | ".psv":
                yield f"{path.name} may be a table: mv {file} {shlex.quote(str(path.with_suffix('.csv')))}"


def numerals(values: pl.Series, mark: str) -> Numerals:
    """Return how numbers are written: what reads most of them, of equal ones the plainest.

    Args:
        values: Cells.
        mark: What stands before decimals elsewhere in the file: beside `1,5`, `1.204` is a whole number.
    """
    shown = values.str.extract_all(_AROUND).explode(empty_as_null=True).drop_nulls().str.strip_chars().unique().sort()
    has_brackets = bool(values.str.contains(_BRACKETS).any())
    plain, beside = Numerals(brackets=has_brackets), tuple(shown[:_SIGNS])
    ways = [plain, *(replace(plain, mark=each, grouping=apart, around=beside) for each, apart in _WAYS)]  # type: ignore[arg-type]
    read = [int(plain_numbers(values, each).str.contains(_NUMBER).sum()) for each in ways]
    best = [each for each, count in zip(ways, read, strict=True) if count == max(read)]
    other = r"\." if mark == "," else ","
    is_grouped = (
        values.str.contains(rf"\d{other}\d").any() and values.str.contains(rf"^\D*\d{{1,3}}({other}\d{{3}})*\D*$").all()
    )
    return next((each for each in best if is_grouped and each.grouping == other[-1]), best[0]) if max(read) else PLAIN


def numerals_said(written: Numerals) -> str:
    """Return in words how numbers are written."""
    between = f", {written.grouping!r} between thousands" if written.grouping else ""
    beside = f", {', '.join(map(repr, written.around))} beside them" if written.around else ""
    below = ", those in brackets are below zero" if written.brackets else ""
    return f"? numbers have {written.mark!r} before decimals{between}{beside}{below}"


# ----------------------------------------------------------------------------------------------------------------------


def _encoding(content: bytes) -> str:
    """Return the encoding: what a mark says, UTF-8 if all is, or what the letters fit best."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return encoding
    try:
        content.decode()
    except UnicodeDecodeError:
        names = [name.replace("-", "_") for name in _ENCODINGS if not name.startswith("utf")]
        best = charset_normalizer.from_bytes(content, cp_isolation=names).best()
        found = next((name for name in _ENCODINGS if best and name.replace("-", "_") == best.encoding), "latin-1")
        # Many texts of Western Europe are the same in several code pages; this is the one of most programs.
        return "cp1252" if content.decode("cp1252", errors="replace") == content.decode(found) else found
    return "utf-8"


def _begins(lines: Sequence[str], separator: str) -> tuple[int, float]:
    """Return before how many lines a header with this separator stands, and how well the lines go with it."""
    widths = [len(row) for row in csv.reader(lines, delimiter=separator)]
    usual, often = Counter(widths).most_common(1)[0]
    if usual < 2:  # noqa: PLR2004
        return 0, 0.0
    first = next(place for place, width in enumerate(widths) if width == usual)
    return (first if first <= _TITLES and len(widths) == len(lines) else 0), often / len(widths) * usual**0.1


def _is_merged(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether a header has two lines: cells that go on over empty ones, and below them names without a number."""
    if len(rows) < 3 or not len(rows[0]) == len(rows[1]) == len(rows[2]):  # noqa: PLR2004
        return False
    below = [cell.strip() for cell in rows[1]]
    goes_on = any(first.strip() and not then.strip() for first, then in pairwise(rows[0]))
    is_named = all(below) and len(set(below)) < len(below) and not any(map(_IS_NUMBER.match, below))
    return goes_on and is_named and any(map(_IS_NUMBER.match, rows[2]))


def _totals(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return with what rows begin that add up others, and the empty text if some are empty, if these are few."""
    firsts = [next((cell.strip() for cell in row if cell.strip()), "") for row in rows[1:] if row]
    found = Counter(first for first in firsts if not first or (_TOTAL.match(first) and len(first) <= _LABEL))
    return tuple(found) if found.total() <= max(5, _FEW * len(firsts)) else ()


def _notes(dialect: CsvDialect) -> Iterator[str]:
    if dialect.header_lines > 1:
        yield "? the header has two lines: a cell above goes on over the empty ones behind it"
    if dialect != CsvDialect(totals=dialect.totals, header_lines=dialect.header_lines):
        yield f"? written in {dialect.encoding} with {dialect.separator!r} after {dialect.title_lines} title line(s)"
    if dialect.totals:
        yield f"? rows that begin with {', '.join(map(repr, dialect.totals))} add up others or are empty: they are left out"


def _tables(path: Path) -> list[str]:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            return [
                name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            ]
    except sqlite3.DatabaseError:
        return []
