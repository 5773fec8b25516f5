"""Dates as text: which moment a text means under a strftime format, and a found piece of a text replaced by another.

What noise does to dates belongs to the kinds in `dates/`; how an environment writes its dates to its declaration.
"""

from datetime import datetime

import polars as pl

_SOME_MOMENTS = (datetime(2019, 11, 26, 14, 5, 7), datetime(2021, 2, 3, 4, 56, 38))  # noqa: DTZ001  (texts have no zone)
"""Moments that no two parts of a date confuse: an afternoon after the twelfth, and figures of one digit."""

_MARK = "\x1e"
"""Stands where something was found, while what takes its place is worked out."""


def moment_of(text: pl.Expr, form: str) -> pl.Expr:
    """Return the moment that a text means under a format, midnight if the format has no time; null if it does not fit.

    Leading zeros may be there or not, whatever the format says; years have four digits, unless the format gives two.
    """
    moment = text.str.strptime(pl.Datetime("us"), form, strict=False)
    fits = (_unpadded(moment.dt.strftime(form)) == _unpadded(text)) & moment.dt.year().is_between(1000, 9999)
    return pl.when(fits).then(moment)


def exact_moment_of(text: pl.Expr, form: str) -> pl.Expr:
    """Return the moment that a text means, null unless the format writes the moment just so."""
    moment = text.str.strptime(pl.Datetime("us"), form, strict=False)
    return pl.when((moment.dt.strftime(form) == text) & moment.dt.year().is_between(1000, 9999)).then(moment)


def is_date_format(form: str) -> bool:
    """Say whether a format writes whole days: its texts can be read back to year, month and day."""
    return all(read is not None and read.date() == moment.date() for moment, read in _read_back(form, _SOME_MOMENTS))


def writes_all_of(form: str, other: str) -> bool:
    """Say whether a format writes everything that another one does, a time of the day if that has one."""
    moments = tuple(read for _, read in _read_back(other, _SOME_MOMENTS) if read is not None)
    return all(read == moment for moment, read in _read_back(form, moments))


def replaced(text: pl.Expr, pattern: str, new: pl.Expr) -> pl.Expr:
    """Return a text in which the first piece that a pattern finds is another; null where there is no other one."""
    marked = text.str.replace(pattern, _MARK)
    return pl.when(new.is_not_null()).then(marked.str.replace(_MARK, new, literal=True))


def _read_back(form: str, moments: tuple[datetime, ...]) -> list[tuple[datetime, datetime | None]]:
    """Return each moment with what its text is read as, None if it cannot be written or read."""
    written = pl.Series(moments, dtype=pl.Datetime("us"))
    try:
        read = pl.select(exact_moment_of(pl.lit(written.dt.strftime(form)), form)).to_series().to_list()
    except pl.exceptions.ComputeError:  # polars knows no such format
        read = [None] * len(moments)
    return list(zip(moments, read, strict=True))


def _unpadded(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(r"(^|[^0-9])0+([0-9])", "${1}${2}")
