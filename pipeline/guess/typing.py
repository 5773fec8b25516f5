"""What the cells of a raw column say of its type: numbers and their decimals, dates and their format, periods, gaps.

A type is guessed if the stage that conforms tables would read the cells so: each candidate is tried by `conform`'s own parser.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import polars as pl

from pipeline.conform.cells import plain_numbers, understand
from pipeline.conform.first_look.sniffing import NUMBER, numerals, numerals_said
from pipeline.guess.words import DATE, words
from pipeline.model import Column

TOKENS = ("NA", "N/A", "n/a", "#N/A", "#N/A N/A", "NULL", "null", "None", "nan", "NaN", "-", "--", ".", "..", "?", ":")
"""Texts that stand for a gap in many tables."""

_DAYS = (
    "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%d-%b-%Y", "%d %b %Y", "%d %B %Y",
    "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y", "%d. %B %Y", "%Y年%m月%d日",
)  # fmt: skip
_CLOCKS = ("%H:%M:%S", "%H:%M", "%H:%M:%S%.f")
_ENDS = ("", "Z", "+00:00")
_MIDNIGHTS = ("00:00:00", "00:00", "00:00:00.000", "00:00:00.000000")

_MOST_DECIMALS = 9

_READ = 0.9
"""Part of the cells that a type has to read (our choice); the others are gaps or mistakes, and are reported."""

_OFTEN = 0.95
"""Part of the numbers that have no more decimals than are declared, if the others are to be rounded (our choice)."""

_NOISE = 3
"""Further decimals in a few cells that are the noise of floats, rather than figures (our choice)."""

_LONG = rf"\.\d{{{_MOST_DECIMALS},}}"
_EXACT = 7
"""Digits that a float of 32 bits holds."""

_TRIED = 300
"""Distinct values on which a candidate is tried first."""

_ROWS_SHOWN = 5

_FLAGS = ({"0", "1"}, {"Y", "N"}, {"yes", "no"}, {"Yes", "No"}, {"true", "false"}, {"True", "False"}, {"T", "F"})

_LONGEST_TOKEN = 12


@dataclass(frozen=True)
class Typed:
    """A raw column with the type that its cells have."""

    column: Column
    notes: tuple[str, ...] = ()
    """What was guessed, with the evidence."""


def typed(name: str, text: pl.Series, mark: str = ".") -> Typed:
    """Guess the type of a column from its cells (String, null for an empty one); `mark` begins the decimals of its file."""
    counts = text.drop_nulls().value_counts(name="rows").sort(text.name)
    values, rows = counts[text.name], counts["rows"]
    if not len(values):
        return Typed(Column(name=name))
    if len(values) <= 2 and any(set(values) <= flags for flags in _FLAGS):  # noqa: PLR2004
        return Typed(Column(name=name, allowed=tuple(values)))
    tried = values.filter(~values.is_in(TOKENS)).head(_TRIED)
    likely = (column for column in _all(name, tried, mark) if understand(column, tried).parsed.is_not_null().any())
    read = [(column, _share(column, values, rows)) for column in likely if len(tried)]
    best = max((part for _, part in read), default=0.0)
    if best < _READ:
        return _floats(name, values) or Typed(Column(name=name))
    return _decided([column for column, part in read if part == best], text, values)


def cells(column: Column, text: pl.Series) -> pl.Series:
    """Return the typed cells of a column as conforming will treat them, null where it would refuse."""
    return understand(column, text).values


def _all(name: str, tried: pl.Series, mark: str) -> Iterator[Column]:
    is_code = tried.str.contains(r"^[+-]?0\d").any()  # a number has no leading zero
    if not is_code and (tried.str.contains(r"\d").sum() == len(tried)):
        plain = Column(name=name, type="decimal", numerals=numerals(tried, mark))
        yield from (replace(plain, decimals=places) for places in range(_MOST_DECIMALS + 1))
    for frequency in ("quarter", "month", "week"):
        yield Column(name=name, type=frequency)
    days = [*_DAYS, *(["%Y%m%d"] if DATE.intersection(words(name)) else [])]
    yield from (Column(name=name, type="date", date_format=day) for day in days)
    if share(tried.str.contains(r"\d:\d")) > _READ:
        clocks = [*_standing(_MIDNIGHTS, tried), *_CLOCKS]
        for day, between, end, clock in product(_DAYS, _standing(" T", tried), _standing(_ENDS, tried), clocks):
            kind = "timestamp" if clock in _CLOCKS else "date"
            yield Column(name=name, type=kind, date_format=f"{day}{between}{clock}{end}")  # type: ignore[arg-type]


def _standing(parts: Sequence[str], tried: pl.Series) -> list[str]:
    """Return the parts of formats, without directives, that stand in some value: no value is read by a format with others."""
    return [part for part in parts if tried.str.contains(part, literal=True).any()]


def _share(column: Column, values: pl.Series, rows: pl.Series) -> float:
    """Return the part of the rows that are read, gaps aside."""
    is_given = ~values.is_in(TOKENS)
    is_read = understand(column, values).parsed.is_not_null() & is_given
    given = int(rows.filter(is_given).sum())
    return int(rows.filter(is_read).sum()) / given if given else 0.0


def _decided(likely: Sequence[Column], text: pl.Series, values: pl.Series) -> Typed:
    column, notes = likely[0], list[str]()
    if column.type == "decimal":
        column, notes = _number(column, values)
    elif len(likely) > 1 and {"%d", "%m"} <= set(column.date_format.replace("/", " ").replace("-", " ").split()):
        notes = [f"? day first: read as {likely[1].date_format} all cells are days as well"]
    return _with_gaps(column, text, values, notes)


def _number(column: Column, values: pl.Series) -> tuple[Column, list[str]]:
    """Decide on the decimals of a number: all that occur, or those of nearly all cells and the rest rounded."""
    plain = plain_numbers(values, column.numerals)
    numbers = values.filter(plain.str.contains(NUMBER))
    shares = [
        (share(understand(replace(column, decimals=places), numbers).parsed.is_not_null()), places)
        for places in range(_MOST_DECIMALS + 1)
    ]
    most = max(shares)[0]
    needed = next(places for part, places in shares if part == most)
    notes = [] if column.numerals.is_plain else [numerals_said(column.numerals)]
    column = replace(column, numerals=replace(column.numerals, least_decimals=_least_decimals(plain)))
    if needed == 0:
        return replace(column, type="integer", decimals=0), notes
    often = next(places for part, places in shares if part >= _OFTEN * most)
    often = often if needed - often >= _NOISE or most < 1 else needed
    finer = numbers.filter(understand(replace(column, decimals=often), numbers).parsed.is_null())
    if not len(finer):
        return replace(column, decimals=often), notes
    note = f"? decimals: {often} in nearly all cells; what has more ({len(finer):,} values) is rounded"
    return replace(column, decimals=often, treat={"too precise": "round"}), [*notes, note]


def _least_decimals(plain: pl.Series) -> int:
    """Return the decimals that each number has, if some number shows by a zero at its end that they are written always."""
    decimals = plain.filter(plain.str.contains(NUMBER)).str.extract(r"\.(\d+)$").fill_null("")
    least = int(decimals.str.len_chars().min() or 0)  # type: ignore[arg-type]
    return least if (decimals.str.ends_with("0") & (decimals.str.len_chars() == least)).any() else 0


def _floats(name: str, values: pl.Series) -> Typed | None:
    """Return numbers that floats gave more decimals than are exact: rounded to as many digits as a float of 32 bits has."""
    numbers = values.filter(values.str.contains(NUMBER))
    if len(numbers) < _READ * int((~values.is_in(TOKENS)).sum()) or not numbers.str.contains(_LONG).any():
        return None
    whole = int(float(str(numbers.str.extract(r"^[+-]?(\d*)").str.len_chars().median() or 1)))
    places = max(2, _EXACT - whole)
    note = f"? floats: rounded to {places} decimals"
    return Typed(Column(name=name, type="decimal", decimals=places, treat={"too precise": "round"}), (note,))


def _with_gaps(column: Column, text: pl.Series, values: pl.Series, notes: list[str]) -> Typed:
    """Say what becomes of cells that are not of the type: gaps by another name, and mistakes."""
    known = understand(column, values)
    strange = values.filter(known.values.is_null())
    tokens = [value for value in strange if value in TOKENS]
    others = [value for value in strange if value not in TOKENS]
    if len(others) == 1 and len(others[0]) <= _LONGEST_TOKEN and not any(sign.isdigit() for sign in others[0]):
        tokens, others = [*tokens, others[0]], []
    notes.extend(f"? {token!r} stands for a gap" for token in tokens)
    column = replace(column, null_tokens=tuple(tokens))
    if others:
        rows = (text.is_in(others).arg_true() + 2).to_list()
        shown = ", ".join(map(str, rows[:_ROWS_SHOWN])) + (", ..." if len(rows) > _ROWS_SHOWN else "")
        notes.append(f"? emptied, being no {column.type}: {len(rows):,} of {len(text):,} cells (row {shown})")
        column = replace(column, treat={**column.treat, "unreadable": "null"})
    return Typed(column, tuple(notes))


def share(trues: pl.Series) -> float:
    """Return the part of values that are true; null counts as neither."""
    return int(trues.sum()) / max(len(trues) - trues.null_count(), 1)
