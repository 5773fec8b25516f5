"""How a CSV file and its numbers are written: encoding, separator, header, totals, decimal marks; and files that are none.

Only a first look at strange files guesses (`silt init`). What it finds goes into the declaration, by which `reading.py` reads.
"""

import csv
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
from pipeline.wording import counted

_HINTS = get_type_hints(CsvDialect)
_SEPARATORS: tuple[str, ...] = get_args(_HINTS["separator"])
_ENCODINGS: tuple[str, ...] = get_args(_HINTS["encoding"])

_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

_AROUND = r"(?:€|\$|£|¥|￥|%|元|EUR|USD|CHF|GBP|CNY|JPY|Fr\.)"
_FLAG = r"\d[.,]\d+\s?([bcdepru*])$"
"""What offices of statistics write behind a decimal: `p` if provisional, `e` if estimated (not `k` and `m`, which multiply)."""

_SIGNS = 3
"""What may stand around numbers, so many of them at most."""

_BLANKS = (" ", "\xa0", "\u202f", "\u2009")
_WAYS = (
    (".", ""), (".", ","), (",", ""), (",", "."), *((",", blank) for blank in _BLANKS), (",", "'"), (".", "'"), (".", "’"),
    *((".", blank) for blank in _BLANKS),
)  # fmt: skip
"""Marks of decimals and groupings of thousands, the plainest first."""

NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"

_BEHIND = r"^[^-−()]*\d\s*[-−]\D*$"

_BRACKETS = r"^\s*\([^()-]*\d[^()-]*\)\s*$"

_IS_NUMBER = re.compile(r"[^\w]*\d[\d.,'’ ]*\W*$")

_UNIT = re.compile(
    r"(?i)[\[(（]?(?:in |en )?(?:[tkm]|bn|mio\.?|mrd\.?|tsd\.?|thousand|million|[千万亿]|百万)?\s?"
    r"(?:€|\$|£|¥|%|eur|usd|chf|gbp|cny|jpy|元|kg|t|km|m2|m²|h|stück|stk\.?|pieces|persons|[人个件吨])[\])）]?"
)
"""A cell of a line of units below the names."""

_LABEL = 20
"""Signs of such a beginning, at most: more are a sentence, or a name."""

_LINES = 200
"""Lines by which the separator and the header are found (our choice)."""

_TITLES = _FOOT = 20
"""Lines before a header, and below a table, at most (our choice)."""

_TABLE = 3
"""One line of so many, at least, belongs to the table (our choice: a small one may have many titles and notes)."""

_NOTE = re.compile(
    r"(?i)^\s*(?:(?:sources?|notes?|quellen?|anmerkung(?:en)?|hinweise?|stand|fuentes?|notas?|来源|数据来源|资料来源|注|说明)"
    r"\s*(?:[:：]|\d|$)|©|\*|\d\))"
)
"""How a note below a table begins."""

TOTAL = re.compile(
    r"(?i)^(?:(?:sub|grand |net )?totals?|summen?|gesamt(?:summe)?|zwischensumme|insgesamt|somme|suma|合计|总计|小计|总和)\b"
)
"""What rows begin with that add up others."""

_SUBTOTAL = re.compile(r"(?i)^(?:sub|zwischen|gesamt|grand |小计|合计|总计)")

_FEW = 0.05
"""Part of the rows that add up others, at most, and five at least (our choice): one a year below the rows of twenty owners."""


def written(path: Path) -> CsvDialect:
    """Return how a file is written; the defaults for one that is not there or empty."""
    content = path.read_bytes() if path.is_file() else b""
    encoding = _encoding(content)
    text = content.decode(encoding, errors="replace").removeprefix("\ufeff")
    if not text.strip():
        return CsvDialect()
    # A carriage return that ends no line is named where the file is read.
    lines = text.rstrip().replace("\r\n", "\n").replace("\r", " ").split("\n")
    separator, titles = max(((sign, *_begins(lines[:_LINES], sign)) for sign in _SEPARATORS), key=lambda each: each[2])[
        :2
    ]
    below = _below(lines[titles:], separator)
    body = lines[titles : len(lines) - len(below)]
    rows = list(csv.reader((line + "\n" for line in body), delimiter=separator))
    header = _header_lines(rows)
    has_blank = text.endswith(("\n\n", "\n\r\n"))
    return CsvDialect(
        separator=separator,  # type: ignore[arg-type]
        encoding=encoding,  # type: ignore[arg-type]
        title_lines=titles,
        header_lines=header,
        foot=_foot(below, body),
        totals=_totals([*rows[header:], *([[]] if has_blank and not below else [])], rows[header - 1] if rows else []),
    )


def not_read(folder: Path) -> Iterator[str]:
    """Say of each spreadsheet, database or other text file of a folder how its tables are written as CSV."""
    for path in sorted(folder.iterdir()):
        file = shlex.quote(str(path))
        match path.suffix.lower():
            case ".xlsx" | ".xlsm":
                command = f"pip install xlsx2csv && xlsx2csv --all {file} {shlex.quote(str(folder))}"
                yield f"{path.name} is a spreadsheet: write each sheet as CSV: {command}"
            case ".xls" | ".xlsb" | ".ods":
                command = f"soffice --headless --convert-to xlsx --outdir {shlex.quote(str(folder))} {file}"
                yield f"{path.name} is a spreadsheet: write it as .xlsx, and begin again: {command}"
            case ".db" | ".sqlite" | ".sqlite3":
                for table in _tables(path):
                    name = table.replace('"', '""')
                    asked = shlex.quote(f'SELECT * FROM "{name}"')  # noqa: S608  (shown, not run)
                    to = shlex.quote(str(folder / f"{table.replace('/', '_')}.csv"))
                    yield f"{path.name} is a database: sqlite3 -csv -header {file} {asked} > {to}"
            case ".tsv" | ".txt" | ".psv":
                yield f"{path.name} may be a table: mv {file} {shlex.quote(str(path.with_suffix('.csv')))}"


def numerals(values: pl.Series, mark: str) -> Numerals:
    """Return how numbers are written: what reads most of them, of equal ones the plainest.

    Args:
        mark: What stands before decimals elsewhere in the file: beside `1,5`, `1.204` is a whole number.
    """
    signs = pl.concat([values.str.extract_all(_AROUND).explode(empty_as_null=True), values.str.extract(_FLAG)])
    shown = signs.drop_nulls().str.strip_chars().unique().sort()
    has_brackets, is_behind = (bool(values.str.contains(pattern).any()) for pattern in (_BRACKETS, _BEHIND))
    plain, beside = Numerals(brackets=has_brackets, minus_behind=is_behind), tuple(shown[:_SIGNS])
    ways = [plain, *(replace(plain, mark=each, grouping=apart, around=beside) for each, apart in _WAYS)]  # type: ignore[arg-type]
    read = [int(plain_numbers(values, each).str.contains(NUMBER).sum()) for each in ways]
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
    behind = ", those with a minus behind them are below zero" if written.minus_behind else ""
    return f"? numbers have {written.mark!r} before decimals{between}{beside}{below}{behind}"


def dialect_said(dialect: CsvDialect) -> Iterator[str]:
    """Yield in words how a file is written, where that is not as by default."""
    if dialect.header_lines > 1:
        yield f"? the header has {dialect.header_lines} lines: a cell above goes on over the empty ones behind it"
    if (dialect.separator, dialect.encoding, dialect.title_lines) != (",", "utf-8", 0):
        yield f"? written in {dialect.encoding} with {dialect.separator!r} after {counted(dialect.title_lines, 'title line')}"
    if dialect.foot:
        yield f"? the first line that begins with {' or '.join(map(repr, dialect.foot))}, and those below it, are not read"
    if dialect.totals:
        firsts = ", ".join(map(repr, dialect.totals))
        yield f"? rows that begin with {firsts} add up others, head sections, repeat the header or are empty: left out"


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
    rows = list(csv.reader(lines, delimiter=separator))
    widths = Counter(len(row) for row in rows if len(row) > 1)
    usual, often = widths.most_common(1)[0] if widths else (0, 0)
    if often * _TABLE < len(rows):
        return 0, 0.0
    places = [place for place, row in enumerate(rows) if len(row) == usual]
    header = next((place for place in places if not _is_title(rows[place:])), places[0])
    first = places[0] if any(map(_is_figure, rows[header])) else header
    return (first if first <= _TITLES and len(rows) == len(lines) else 0), often / len(rows) * usual**0.1


def _is_title(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether a line that is as wide as the table says something above it: little, and that at its beginning."""
    filled = [place for place, cell in enumerate(rows[0]) if cell.strip()]
    return all(place <= max(0, len(rows[0]) // 3 - 1) for place in filled) and not _is_merged(rows)


def _is_figure(cell: str) -> bool:
    """Say whether a cell holds a number that is no year: no header is called so."""
    return bool(_IS_NUMBER.match(cell)) and not re.fullmatch(r"(?:1[89]|20)\d\d", cell.strip())


def _below(lines: Sequence[str], separator: str) -> Sequence[str]:
    """Return the lines below a table, from the first note on: notes stand in one cell each, or have another width."""
    rows = list(csv.reader(lines[-_FOOT:], delimiter=separator))
    usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    if usual < 2 or len(rows) != len(lines[-_FOOT:]):  # noqa: PLR2004
        return ()
    count = next((at for at, row in enumerate(reversed(rows)) if not _may_be_note(row, usual)), 0)
    below = rows[len(rows) - count :]
    apart = (at for at, row in enumerate(below) if not any(row) or len(row) != usual or _NOTE.match(row[0]))
    start = next((at for at in range(next(apart, count), count) if any(below[at])), count)
    return lines[len(lines) - count + start :]


def _foot(below: Sequence[str], body: Sequence[str]) -> tuple[str, ...]:
    """Return how the first line below a table begins, up to a colon or with its first words; nothing if a row begins so."""
    words = re.match(rf'[ \t]*"?([^"]{{1,{_LABEL}}}?[:：]|[^"]{{1,{_LABEL}}}(?!\w))', below[0]) if below else None
    first = words[1].rstrip(",;\t| ") if words else ""
    return (first,) if first and not any(line.lstrip(' \t"').startswith(first) for line in body) else ()


def _may_be_note(row: Sequence[str], usual: int) -> bool:
    first = next(filter(None, map(str.strip, row)), "")
    is_alone = len(row) != usual or sum(map(bool, map(str.strip, row))) <= 1
    is_said = bool(_NOTE.match(first)) and not any(map(_IS_NUMBER.match, row))
    return (is_alone or is_said) and not _adds_up(first)


def _header_lines(rows: Sequence[Sequence[str]]) -> int:
    """Return how many lines a header has: one, another if names go on over several columns, and another of units."""
    lines = 2 if _is_merged(rows) else 1
    units = [cell.strip() for cell in rows[lines] if cell.strip()] if len(rows) > lines + 1 else []
    is_said = len(units) > 1 and all(map(_UNIT.fullmatch, units)) and any(map(_IS_NUMBER.match, rows[lines + 1]))
    return lines + is_said


def _is_merged(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether a header has two lines: cells that go on over empty ones, and below them names without a number."""
    if len(rows) < 3 or not len(rows[0]) == len(rows[1]) == len(rows[2]):  # noqa: PLR2004
        return False
    above, below = ([cell.strip() for cell in row] for row in rows[:2])
    names = list(filter(None, below))
    goes_on = any(first and not then for first, then in pairwise(above))
    is_named = all(map(any, zip(above, below, strict=True))) and len(set(names)) < len(names)
    is_said = not any(map(_IS_NUMBER.match, names)) and any(map(_IS_NUMBER.match, rows[2]))
    return goes_on and is_named and is_said and len(list(filter(None, above))) > 1


def _totals(rows: Sequence[Sequence[str]], header: Sequence[str]) -> tuple[str, ...]:
    """Return with what rows begin that add up others (if few), head sections, repeat the header or, as "", are empty."""
    firsts = [next((cell.strip() for cell in row if cell.strip()), "") for row in rows]
    found = Counter(filter(_adds_up, firsts))
    totals = tuple(found) if found.total() <= max(5, _FEW * len(firsts)) else ()
    again = [header[0].strip()] if header and header[0].strip() and header in rows else []
    return (*totals, *_headings(rows, firsts), *again, *([""] if "" in firsts else []))


def _headings(rows: Sequence[Sequence[str]], firsts: Sequence[str]) -> list[str]:
    """Return the names of sections: alone in rows that follow a total, an empty row or nothing, and nowhere else."""
    alone = [at for at, row in enumerate(rows) if len(row) > 2 and firsts[at] and not any(map(str.strip, row[1:]))]  # noqa: PLR2004
    names = {firsts[at]: at for at in alone if not _adds_up(firsts[at])}
    is_heading = all(at == 0 or not firsts[at - 1] or _adds_up(firsts[at - 1]) for at in names.values())
    return list(names) if len(names) > 1 and is_heading and all(firsts.count(name) == 1 for name in names) else []


def _adds_up(first: str) -> bool:
    """Say whether a row with this first cell adds up others: companies are called `Total ...`, and none `Subtotal ...`."""
    return bool(TOTAL.match(first)) and (len(first) <= _LABEL or bool(_SUBTOTAL.match(first)))


def _tables(path: Path) -> list[str]:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            names = base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return [name for (name,) in names if not name.startswith("sqlite_")]
    except sqlite3.DatabaseError:
        return []
