"""Periods of figures: years, quarters, months, weeks and days as consecutive whole numbers, read from text and written back.

Consecutive numbers are consecutive periods, so that growth over the period before is the same computation for all frequencies.
A year is its own number. The others count from a fixed period; no published number depends on which.
"""

import re
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pipeline.errors import InputError

Frequency = Literal["year", "quarter", "month", "week", "day"]

FREQUENCIES: tuple[Frequency, ...] = ("year", "quarter", "month", "week", "day")

PATTERNS: dict[Frequency, str] = {
    "year": r"^(\d{4})$",
    "quarter": r"^(\d{4})Q([1-4])$",
    "month": r"^(\d{4})-(0[1-9]|1[0-2])$",
    "week": r"^(\d{4})-W(0[1-9]|[1-4]\d|5[0-3])$",
    "day": r"^(\d{4})-(\d{2})-(\d{2})$",
}
WRITTEN: dict[Frequency, str] = {
    "year": "2023",
    "quarter": "2023Q1",
    "month": "2023-01",
    "week": "2023-W05",
    "day": "2023-01-31",
}
"""One period of each frequency, as it is written; a week by ISO 8601."""

_SAID = r"\d{4}(?:[-_ ]?Q[1-4]|[-_](?:0[1-9]|1[0-2]))?"
"""A year, quarter or month in the name of a column or file."""

_COLUMN = re.compile(r"\{(\w+)\}")

_MONDAY = 3
"""Days from a Monday to 1 January 1970, a Thursday, from which dates are counted."""

_NESTED: dict[Frequency, tuple[Frequency, ...]] = {
    "year": ("year", "quarter", "month"),
    "quarter": ("quarter", "month"),
    "month": ("month",),
    "week": (),
    "day": (),
}
"""Frequency -> the frequencies that divide its periods and are long enough for moving an event by whole weeks."""


@dataclass(frozen=True)
class Period:
    """The period of a panel: the raw column that holds it, and how long it is."""

    column: str
    frequency: Frequency

    @property
    def type(self) -> Literal["integer", "quarter", "month", "week", "day"]:
        """Return the type of a column that holds it, raw or published."""
        return "integer" if self.frequency == "year" else self.frequency

    def text(self, number: pl.Expr) -> pl.Expr:
        """Return periods as they are published."""
        return period_text(number, self.frequency)

    def name(self, number: int) -> str:
        """Return one period as it is published."""
        return str(pl.select(self.text(pl.lit(number, pl.Int64))).item())

    def number(self, name: str) -> int:
        """Return the number of a published period, or raise `InputError`."""
        found = pl.select(period_number(pl.lit(name), self.frequency)).item()
        if found is None:
            raise InputError(f"{name!r} is no {self.frequency}; one is written like {WRITTEN[self.frequency]}")
        return int(found)


YEARS = Period("year", "year")


def is_made_of(frequency: Frequency, part: Frequency) -> bool:
    """Return whether whatever stays within a period of frequency `part` stays within one of `frequency`, too."""
    return part in _NESTED[frequency]


def period_of(date: pl.Expr, frequency: Frequency) -> pl.Expr:
    """Return the number of the period in which a date or timestamp falls (Int64)."""
    year, days = date.dt.year().cast(pl.Int64), date.cast(pl.Date).cast(pl.Int32).cast(pl.Int64)
    match frequency:
        case "year":
            return year
        case "quarter":
            return year * 4 + date.dt.quarter() - 1
        case "month":
            return year * 12 + date.dt.month() - 1
        case "week":
            return (days + _MONDAY) // 7
        case "day":
            return days


def first_day(number: pl.Expr, frequency: Frequency) -> pl.Expr:
    """Return the first day of a period (Date)."""
    match frequency:
        case "year":
            return pl.date(number, 1, 1)
        case "quarter":
            return pl.date(number // 4, number % 4 * 3 + 1, 1)
        case "month":
            return pl.date(number // 12, number % 12 + 1, 1)
        case "week":
            return (number * 7 - _MONDAY).cast(pl.Int32).cast(pl.Date)
        case "day":
            return number.cast(pl.Int32).cast(pl.Date)


def period_text(number: pl.Expr, frequency: Frequency) -> pl.Expr:
    """Return periods as text that matches `PATTERNS`; null stays null."""
    match frequency:
        case "year":
            return number.cast(pl.String)
        case "quarter":
            return pl.format("{}Q{}", _year_text(number // 4), number % 4 + 1)
        case "month":
            return pl.format("{}-{}", _year_text(number // 12), (number % 12 + 1).cast(pl.String).str.zfill(2))
        case "week":
            return first_day(number, frequency).dt.to_string("%G-W%V")
        case "day":
            return first_day(number, frequency).dt.to_string("%Y-%m-%d")


def period_number(text: pl.Expr, frequency: Frequency) -> pl.Expr:
    """Return the number of each period in text (Int64); null for text that is no period of the calendar."""
    pattern = PATTERNS[frequency]
    year, part = (text.str.extract(pattern, place).cast(pl.Int64) for place in (1, min(2, pattern.count("("))))
    match frequency:
        case "year":
            return year
        case "quarter":
            return year * 4 + part - 1
        case "month":
            return year * 12 + part - 1
        case "week":
            monday = period_of(pl.date(year, 1, 4), "week") + part - 1
            return pl.when(period_text(monday, "week") == text).then(monday)
        case "day":
            written = pl.when(text.str.contains(pattern)).then(text).str.to_date("%Y-%m-%d", strict=False)
            return period_of(written, "day")


def _year_text(year: pl.Expr) -> pl.Expr:
    return year.cast(pl.String).str.zfill(4)


def period_column(pattern: str) -> str:
    """Return the column of the period in the pattern of a name, `year` in `sales_{year}`; the empty text if there is none."""
    found = _COLUMN.search(pattern)
    return found[1] if found else ""


def period_said(pattern: str, name: str) -> str | None:
    """Return which period a name says in the place of the pattern's braces, as periods are written; None if it is none such."""
    parts = [re.escape(part) for part in _COLUMN.sub("\n", pattern).split("\n")]
    found = re.fullmatch(f"({_SAID})".join(parts), name) if len(parts) == 2 else None  # noqa: PLR2004
    return _plainly(found[1]) if found else None


def pattern_said(name: str, column: str) -> tuple[str, str] | None:
    """Return the pattern of a name that says a period, with a column in its place, and the period; None if it says none."""
    found = re.search(rf"(?<!\d){_SAID}(?!\d)", name)
    return (f"{name[: found.start()]}{{{column}}}{name[found.end() :]}", _plainly(found[0])) if found else None


def _plainly(period: str) -> str:
    return re.sub("[-_ ]?Q", "Q", period).replace("_", "-")


@dataclass(frozen=True)
class WithPeriod:
    """A `RawTable.complete` that adds the period in which a date of the row falls."""

    column: str
    """The column of the date or timestamp."""
    period: Period
    days: int = 0
    """Days by which the date is moved first: -7 puts the first week of January into the year before."""

    def __call__(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Add the column `period.column`."""
        date = pl.col(self.column) + pl.duration(days=self.days)
        return rows.with_columns(period_of(date, self.period.frequency).alias(self.period.column))
