"""Parses and checks the cells of one declared column: typed values, faults, and how the faults were treated.

Parsing is exact and without a locale. Functions take and return whole columns; rows, files and error messages belong to
`checking.py`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from pipeline.errors import InputError
from pipeline.model import Cause, CellTreatment, Column, Numerals
from pipeline.model.columns import LONGEST
from pipeline.model.periods import WRITTEN, period_number

ISO = "%Y-%m-%d"
"""The format of dates of ISO 8601."""

_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?$"

_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"

_DATE_PARTS = {"%d": "[0-9]{1,2}", "%m": "[0-9]{1,2}", "%Y": "[0-9]{4}", "%b": "[A-Za-z]+", "%B": "[A-Za-z]+"}
_TIME_PARTS = _DATE_PARTS | dict.fromkeys(("%H", "%M", "%S"), "[0-9]{1,2}") | {"%.f": r"\.[0-9]{1,6}"}
"""Directives allowed in the format of a date or a timestamp, each with the text it reads. The parser alone would read `15`
as a year."""

_DIGITS = 18
"""Digits that fit a signed 64-bit integer for certain; twice as many fit a 128-bit decimal."""


@dataclass(frozen=True)
class Finding:
    """One cause for which cells break their declaration, the cells concerned, and their treatment."""

    cause: Cause
    is_found: pl.Series
    expected: str
    treatment: CellTreatment


@dataclass(frozen=True)
class Cells:
    """The cells of one column, parsed and checked."""

    column: Column
    raw: pl.Series
    """The text as it stands in the file (String)."""
    text: pl.Series
    """The text, null for a null token; a number as digits with a point, whatever its numerals."""
    parsed: pl.Series
    """The typed value (`Column` in the model says which type), null where the text can't be read as one."""
    values: pl.Series
    """The typed value after treatment: null or rounded where it was wrong."""
    findings: tuple[Finding, ...]
    """Everything that is wrong, in the order of causes; a cause without cells is left out."""


def understand(column: Column, raw: pl.Series) -> Cells:
    """Parse the cells of one column (String, null for an empty cell), and treat wrong ones as declared."""
    text = raw.set(raw.is_in(column.null_tokens), None) if column.null_tokens else raw
    text = plain_numbers(text, column.numerals) if column.type in ("integer", "decimal", "float") else text
    parsed = _parsed(column, text)
    values, findings = _treated(column, text, parsed)
    return Cells(column, raw, text, parsed, values, findings)


def typed(types: Mapping[str, Column], text: pl.DataFrame) -> pl.DataFrame:
    """Return columns as their types; one with a cell that cannot be read so stays text. Dates may be in ISO 8601, too."""
    return text.with_columns(_as_type(types[name], text[name]) for name in text.columns if name in types)


def _as_type(column: Column, text: pl.Series) -> pl.Series:
    for date_format in dict.fromkeys((column.date_format, ISO)):
        values = understand(replace(column, date_format=date_format), text).parsed
        if values.null_count() == text.null_count():
            return values.alias(text.name)
    return text


def plain_numbers(text: pl.Series, numerals: Numerals) -> pl.Series:
    """Return numbers as digits with a point; what is not written in these numerals as a text that is no number."""
    if numerals.is_plain:
        return text
    sign = rf"(?:{'|'.join(map(re.escape, numerals.around))})" if numerals.around else ""
    grouped = rf"[0-9]{{1,3}}(?:{re.escape(numerals.grouping)}[0-9]{{3}})+|" if numerals.grouping else ""
    mark = re.escape(numerals.mark)
    pattern = rf"^(?<minus>[+−-]?)\s*{sign}?\s*(?<whole>{grouped}[0-9]+)(?:{mark}(?<rest>[0-9]*))?\s*{sign}?$"
    signed = text.str.replace(r"^\s*\(([^-−()]*)\)\s*$", "-$1") if numerals.brackets else text
    signed = signed.str.replace(r"^\s*([^-−()]*\d)\s*[-−]([^\d−-]*)$", "-$1$2") if numerals.minus_behind else signed
    parts = signed.str.strip_chars().str.extract_groups(pattern).struct.unnest()
    whole = parts["whole"].str.replace_all(numerals.grouping, "", literal=True) if numerals.grouping else parts["whole"]
    plain = parts["minus"].str.replace("−", "-") + whole + "." + parts["rest"].fill_null("")
    return plain.str.strip_suffix(".").fill_null("not " + text).alias(text.name)


def faults(cells: Cells) -> Iterator[Finding]:
    """Return the findings for which no treatment is declared."""
    return (finding for finding in cells.findings if finding.treatment == "error")


def treatments(cells: Cells) -> Iterator[tuple[str, str, int]]:
    """Yield cause, treatment and number of treated cells. Dropped rows are left out: they are counted as rows."""
    column = cells.column
    for token in column.null_tokens:
        yield f"null token {token!r}", "null", int((cells.raw == token).sum())
    if column.type in ("integer", "decimal"):
        is_scientific = cells.text.str.contains("[eE]") & cells.parsed.is_not_null()
        yield "scientific notation", "read", int(is_scientific.sum())
    for finding in cells.findings:
        if finding.treatment in ("null", "round"):
            yield finding.cause, finding.treatment, int(finding.is_found.sum())


def _treated(column: Column, text: pl.Series, parsed: pl.Series) -> tuple[pl.Series, tuple[Finding, ...]]:
    """Check every cause in turn, each on the cells that the treatments of earlier causes left."""
    values, findings = parsed, []
    rounded = _rounded(column, text, parsed)
    is_open = pl.Series([True]).new_from_index(0, len(text))
    for cause, wrong in _WRONGS.items():
        found = wrong(column, text, values, rounded)
        if found is None or not found[0].any():
            continue
        is_wrong, expected = found
        finding = Finding(cause, is_wrong.fill_null(value=False) & is_open, expected, column.treat.get(cause, "error"))
        findings.append(finding)
        match finding.treatment:
            case "round":
                values = values.zip_with(~finding.is_found, rounded)
            case "null":
                values = values.set(finding.is_found, None)
            case _:
                is_open &= ~finding.is_found
    return values, tuple(findings)


_Found = tuple[pl.Series, str] | None
"""Which cells are wrong, and what was expected; None if a column can't be wrong in that way."""


def _unreadable(column: Column, text: pl.Series, values: pl.Series, rounded: pl.Series) -> _Found:
    if column.type == "text":
        return text.str.contains(_CONTROL), "text without control characters (tab and line ends may stand)"
    return values.is_null() & text.is_not_null() & rounded.is_null(), _readable(column)


def _too_long(column: Column, text: pl.Series, _values: pl.Series, _rounded: pl.Series) -> _Found:
    longest = column.longest or LONGEST.get(column.role)
    if column.type != "text" or longest is None:
        return None
    is_long = text.str.len_bytes() > longest
    # Bytes are counted at once; characters only where there are more bytes.
    is_found = text.str.len_chars() > longest if is_long.any() else is_long
    return is_found, f"at most {longest:,} characters (`Column.longest`)"


def _too_precise(column: Column, _text: pl.Series, _values: pl.Series, rounded: pl.Series) -> _Found:
    return (rounded.is_not_null(), _readable(column)) if column.type == "decimal" else None


def _not_allowed(column: Column, text: pl.Series, values: pl.Series, _rounded: pl.Series) -> _Found:
    if column.allowed is None:
        return None
    # An integer may be written `1.0`, while the closed set says `1`.
    shown = values.cast(pl.String) if column.type == "integer" else text
    return values.is_not_null() & ~shown.is_in(column.allowed), f"one of {', '.join(column.allowed)}"


def _out_of_range(column: Column, _text: pl.Series, values: pl.Series, _rounded: pl.Series) -> _Found:
    if column.type == "text" or (column.minimum is None and column.maximum is None):
        return None
    scale = 10**column.decimals if column.type == "decimal" else 1
    lowest, highest = (None if bound is None else bound * scale for bound in (column.minimum, column.maximum))
    bounded = values.dt.year().cast(pl.Int64) if values.dtype.is_temporal() else values
    return bounded != bounded.clip(lowest, highest), _bounds(column)


def _empty(column: Column, _text: pl.Series, values: pl.Series, _rounded: pl.Series) -> _Found:
    return None if column.nullable else (values.is_null(), "a value; this column may not be empty")


_WRONGS: Mapping[Cause, Callable[[Column, pl.Series, pl.Series, pl.Series], _Found]] = {
    "unreadable": _unreadable,
    "too long": _too_long,
    "too precise": _too_precise,
    "not allowed": _not_allowed,
    "out of range": _out_of_range,
    "empty": _empty,
}


def _rounded(column: Column, text: pl.Series, parsed: pl.Series) -> pl.Series:
    """Return decimals with too many places in quanta, rounded (Int64); null for all other cells."""
    nothing = pl.Series([None], dtype=pl.Int64).new_from_index(0, len(text))
    if column.type != "decimal" or parsed.null_count() == text.null_count():
        return nothing
    places = (parsed.is_null() & text.str.contains(_NUMBER)).fill_null(value=False).arg_true()
    return nothing.scatter(places, _nearest(text.gather(places), column.decimals)) if len(places) else nothing


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
    parsed = written.str.strptime(dtype, column.date_format, strict=False)
    return _kept(parsed, parsed.dt.year() > 0)


def _quanta(text: pl.Series, decimals: int) -> pl.Series:
    """Return numbers in quanta of 10**-decimals, exact (Int64); null if a number has more decimals or does not fit."""
    is_plain = text.str.contains(rf"^[+-]?[0-9]{{1,{_DIGITS}}}(?:\.[0-9]{{0,{min(decimals, _DIGITS)}}})?$")
    wide = _kept(text, is_plain).cast(pl.Decimal(2 * _DIGITS + 2, decimals), strict=False)
    plain = wide.to_physical().cast(pl.Int64, strict=False)
    others = (~is_plain).fill_null(value=False).arg_true()
    return plain.scatter(others, _quanta_of_any(text.gather(others), decimals)) if len(others) else plain


def _quanta_of_any(text: pl.Series, decimals: int) -> pl.Series:
    """Return numbers in any notation in quanta: their significant digits as text, shifted by the remaining power of ten."""
    sign, significant, power = _scientific(text, decimals)
    length = _length(significant) + power
    magnitude = significant.str.pad_end(_kept(length, (power >= 0) & (length <= _DIGITS + 1)), "0")
    return (sign + magnitude).cast(pl.Int64, strict=False).set(significant == "", 0)


def _nearest(text: pl.Series, decimals: int) -> pl.Series:
    """Return numbers with too many places in the nearest quanta, half away from zero; null if they do not fit."""
    sign, significant, power = _scientific(text, decimals)
    length = _length(significant) + power
    kept = _kept(significant, (power < 0) & (length <= _DIGITS + 1))
    whole = kept.str.slice(0, length.clip(0)).str.pad_start(1, "0")
    next_digit = kept.str.slice(length.clip(0), 1).set(length < 0, "0")
    magnitude = whole.cast(pl.Int128) + (next_digit >= "5").cast(pl.Int128)
    return (magnitude * (sign + "1").cast(pl.Int128)).cast(pl.Int64, strict=False)


def _scientific(text: pl.Series, decimals: int) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Return sign, significant digits (none for zero) and the power of ten that makes these quanta; null if no number."""
    halves = _kept(text, text.str.contains(_NUMBER)).str.to_lowercase().str.split_exact("e", 1).struct.unnest()
    mantissa, exponent = halves.to_series(0), halves.to_series(1).cast(pl.Int64).fill_null(0)
    parts = mantissa.str.strip_chars_start("+-").str.split_exact(".", 1).struct.unnest()
    whole, fraction = parts.to_series(0), parts.to_series(1).fill_null("")
    digits = (whole + fraction).str.strip_chars_start("0")
    significant = digits.str.strip_chars_end("0")
    power = exponent + decimals - _length(fraction) + _length(digits) - _length(significant)
    return mantissa.str.extract("^(-)").fill_null(""), significant, power


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


def _bounds(column: Column) -> str:
    what = f"a {column.type} whose year is" if column.type in ("date", "timestamp") else "a number of"
    lowest = [f"at least {column.minimum}"] if column.minimum is not None else []
    highest = [f"at most {column.maximum}"] if column.maximum is not None else []
    return f"{what} {' and '.join(lowest + highest)}"


def _readable(column: Column) -> str:
    plain, written = "digits without spaces or separators", column.numerals
    if not written.is_plain:
        plain = f"digits, decimals after {written.mark!r}" + (
            f", groups apart by {written.grouping!r}" * bool(written.grouping)
        )
    match column.type:
        case "integer":
            return f"a whole number: {plain}, at most 64 bits"
        case "decimal":
            behind = "after the point" if written.is_plain else "of them"
            places = f", at most {column.decimals} {behind}" if column.decimals else ""
            return f"a {'' if places else 'whole '}number: {plain}{places}, and not larger than 64 bits hold"
        case "float":
            return f"a finite number: {plain}"
        case "year" | "quarter" | "month" | "week" | "day":
            return f"a {column.type} of the calendar, written like {WRITTEN[column.type]}"
        case _:
            return f"a {column.type} of the calendar written as {column.date_format}"
