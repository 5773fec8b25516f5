"""What the cells of one declared column mean: their typed values, their faults and how they were treated.

All parsing is exact and without a locale. Whole columns in, whole columns out: rows, files and the problems that are
made of faults belong to `checking.py`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.environment.model import Column
from pipeline.environment.periods import WRITTEN, period_number
from pipeline.errors import InputError

_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?$"

_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"

_DATE_PARTS = {
    "%d": "[0-9]{1,2}",
    "%m": "[0-9]{1,2}",
    "%Y": "[0-9]{4}",
    "%b": "[A-Za-z]+",
    "%B": "[A-Za-z]+",
}
_TIME_PARTS = _DATE_PARTS | dict.fromkeys(("%H", "%M", "%S"), "[0-9]{1,2}") | {"%.f": r"\.[0-9]{1,6}"}
"""Directives that the format of a date, or of a timestamp, may have, each with the text it reads; the parser alone would take
`15` for a year."""

_DIGITS = 18
"""Digits that any signed 64-bit integer can have; twice as many fit a 128-bit decimal."""


@dataclass(frozen=True)
class Fault:
    """One way in which cells break their declaration, and which do."""

    is_found: pl.Series
    expected: str


@dataclass(frozen=True)
class Cells:
    """The cells of one column, understood."""

    column: Column
    raw: pl.Series
    """The text as it stands in the file (String)."""
    text: pl.Series
    """The text, null for a null token."""
    parsed: pl.Series
    """The typed value (`Column` in the model says which type), null where the text can't be read as one."""

    @property
    def values(self) -> pl.Series:
        """Return the typed values, null where they are treated as null."""
        if not _is_nulled(self.column):
            return self.parsed
        return self.parsed.set(_is_outside(self.column, self.parsed), None)


def understand(column: Column, raw: pl.Series) -> Cells:
    """Parse the cells of one column (String, null for an empty cell)."""
    text = raw.set(raw.is_in(column.null_tokens), None) if column.null_tokens else raw
    return Cells(column, raw, text, _parsed(column, text))


def faults(cells: Cells) -> Iterator[Fault]:
    """Return the faults of a column's cells, by cell the first being the one to report."""
    column, text, parsed = cells.column, cells.text, cells.parsed
    if column.type == "text":
        expected = "text without control characters (tab and line ends may stand)"
        yield Fault(text.str.contains(_CONTROL).fill_null(value=False), expected)
    else:
        yield Fault(parsed.is_null() & text.is_not_null(), _readable(column))
    if column.allowed is not None:
        # NOTE: an integer may be written `1.0`; what is allowed says `1`.
        shown = parsed.cast(pl.String) if column.type == "integer" else text
        yield Fault(shown.is_not_null() & ~shown.is_in(column.allowed), f"one of {', '.join(column.allowed)}")
    if _is_bounded(column) and not _is_nulled(column):
        yield Fault(_is_outside(column, parsed), _bounds(column))
    if not column.nullable:
        yield Fault(cells.values.is_null(), "a value; this column may not be empty")


def treatments(cells: Cells) -> Iterator[tuple[str, int]]:
    """Return the kinds of treatment with the number of cells that each changed, or whose text it reads as a number."""
    column = cells.column
    for token in column.null_tokens:
        yield f"null token {token!r}", int((cells.raw == token).sum())
    if column.type in ("integer", "decimal"):
        is_scientific = cells.text.str.contains("[eE]") & cells.parsed.is_not_null()
        yield "scientific notation", int(is_scientific.sum())
    if _is_nulled(column):
        yield f"out of range, made null (expected {_bounds(column)})", int(_is_outside(column, cells.parsed).sum())


# ----------------------------------------------------------------------------------------------------------------------


def _parsed(column: Column, text: pl.Series) -> pl.Series:
    match column.type:
        case "text":
            return text
        case "integer":
            return _quanta(text, 0)
        case "decimal":
            return _quanta(text, column.decimals)
        case "float":
            floats = _kept(text, text.str.contains(_NUMBER)).cast(pl.Float64)
            return _kept(floats, floats.is_finite())
        case "date" | "timestamp":
            return _temporal(column, text)
        case "year" | "quarter" | "month" | "week" | "day":
            return pl.select(period_number(pl.lit(text), column.type)).to_series()


def _temporal(column: Column, text: pl.Series) -> pl.Series:
    dtype, parts = (pl.Date(), _DATE_PARTS) if column.type == "date" else (pl.Datetime("us"), _TIME_PARTS)
    written = _kept(text, text.str.contains(_pattern(column, parts)))
    return written.str.strptime(dtype, column.date_format, strict=False)


def _quanta(text: pl.Series, decimals: int) -> pl.Series:
    """Count quanta of 10**-decimals exactly (Int64), null where a number has more decimals or does not fit."""
    is_plain = text.str.contains(rf"^[+-]?[0-9]{{1,{_DIGITS}}}(?:\.[0-9]{{0,{min(decimals, _DIGITS)}}})?$")
    wide = _kept(text, is_plain).cast(pl.Decimal(2 * _DIGITS + 2, decimals), strict=False)
    plain = wide.to_physical().cast(pl.Int64, strict=False)
    others = (~is_plain).fill_null(value=False).arg_true()
    return plain.scatter(others, _quanta_of_any(text.gather(others), decimals))


def _quanta_of_any(text: pl.Series, decimals: int) -> pl.Series:
    """Count quanta in any notation, by moving the significant digits as text by the power of ten that is left."""
    halves = _kept(text, text.str.contains(_NUMBER)).str.to_lowercase().str.split_exact("e", 1).struct.unnest()
    mantissa, exponent = halves.to_series(0), halves.to_series(1).cast(pl.Int64).fill_null(0)
    parts = mantissa.str.strip_chars_start("+-").str.split_exact(".", 1).struct.unnest()
    whole, fraction = parts.to_series(0), parts.to_series(1).fill_null("")
    digits = (whole + fraction).str.strip_chars_start("0")
    significant = digits.str.strip_chars_end("0")
    power = exponent + decimals - _length(fraction) + _length(digits) - _length(significant)
    length = _length(significant) + power
    magnitude = significant.str.pad_end(_kept(length, (power >= 0) & (length <= _DIGITS + 1)), "0")
    signed = mantissa.str.extract("^(-)").fill_null("") + magnitude
    return signed.cast(pl.Int64, strict=False).set(significant == "", 0)


def _length(text: pl.Series) -> pl.Series:
    return text.str.len_bytes().cast(pl.Int64)


def _kept(values: pl.Series, is_kept: pl.Series) -> pl.Series:
    return values.set(~is_kept, None)


def _pattern(column: Column, known: Mapping[str, str]) -> str:
    parts = re.split(r"(%\.f|%.)", column.date_format)
    unknown = [part for part in parts if part.startswith("%") and part not in known]
    if unknown:
        raise InputError.unknown(f"directive in the date format of column {column.name!r}", unknown[0], known)
    return f"^{''.join(known.get(part) or re.escape(part) for part in parts)}$"


def _is_bounded(column: Column) -> bool:
    return column.type in ("integer", "year", "date", "timestamp") and not (
        column.minimum is None and column.maximum is None
    )


def _is_nulled(column: Column) -> bool:
    return _is_bounded(column) and column.out_of_range == "null"


def _is_outside(column: Column, parsed: pl.Series) -> pl.Series:
    bounded = parsed.dt.year().cast(pl.Int64) if parsed.dtype.is_temporal() else parsed
    return (bounded != bounded.clip(column.minimum, column.maximum)).fill_null(value=False)


def _bounds(column: Column) -> str:
    what = f"a {column.type} whose year is" if column.type in ("date", "timestamp") else "a number of"
    lowest = [f"at least {column.minimum}"] if column.minimum is not None else []
    highest = [f"at most {column.maximum}"] if column.maximum is not None else []
    return f"{what} {' and '.join(lowest + highest)}"


def _readable(column: Column) -> str:
    plain = "digits without spaces or separators"
    match column.type:
        case "integer":
            return f"a whole number: {plain}, at most 64 bits"
        case "decimal":
            places = column.decimals
            return f"a number: {plain}, at most {places} after the point, at most 64 bits when counted in 10**-{places}"
        case "float":
            return f"a finite number: {plain}"
        case "year" | "quarter" | "month" | "week" | "day":
            return f"a {column.type} of the calendar, written like {WRITTEN[column.type]}"
        case _:
            return f"a {column.type} of the calendar written as {column.date_format}"
