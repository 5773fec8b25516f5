"""Dates and periods: written in another way, moved, lost from their labels, or with a time that no clock shows.

Periods that are moved still distinguish months (`calendar_shift`); collapsed ones do not.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import polars as pl

from pipeline.documents.fields import PATTERN, Some, Text
from pipeline.documents.problems import Refusal
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, OneEdit, WrittenColumn, drawn
from pipeline.noise.mechanisms import ColumnName

_WHOLE_DATE = "a strftime format of whole dates, with or without a time (%-d/%-m/%Y)"


class MixedDateFormats(ColumnsKind):
    """Writes a date, with or without a time, in another format.

    Each of `formats` is drawn alike.
    """

    name = "mixed_date_formats"
    family = Family.DATES
    recovery = "Yes, where the text is one date only under all the formats (a day past 12, the year first)."

    columns: Some[WrittenColumn]
    """Columns that hold dates; text that the clean format would not write is left alone."""
    format: Text
    """The clean format, as of strftime (`%-d/%-m/%Y` is 2/7/1987)."""
    formats: Some[Text]
    """The other formats to draw from; each must tell all that the clean one tells."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse formats that are none, that lose something, and the clean one among the others."""
        if not is_date_format(self.format):
            yield Refusal("format", self.format, _WHOLE_DATE)
            return
        for form in self.formats:
            if form == self.format or not writes_all_of(form, self.format):
                yield Refusal("formats", form, "other strftime formats that tell all that `format` tells")

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return exact_moment_of(text, self.format).is_not_null()

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        return {
            "which": (draws.uniform(column, "which") * len(self.formats)).cast(pl.Int64),
            "moment": exact_moment_of(pl.col(column), self.format),
            "text": pl.coalesce(self._written(drawn("moment"), drawn("which")), column),
        }

    def _written(self, moment: pl.Expr, which: pl.Expr) -> pl.Expr:
        return pl.coalesce(pl.when(which == n).then(moment.dt.strftime(form)) for n, form in enumerate(self.formats))

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Write every text that can only be one date in the clean format."""
        readings = [moment_of(text, form) for form in (self.format, *self.formats)]
        moment = pl.min_horizontal(readings)
        is_one = moment == pl.max_horizontal(readings)
        return pl.when(is_one).then(moment.dt.strftime(self.format)).otherwise(text)


class SwappedDayMonth(ColumnsKind):
    """Exchanges day and month of a date, where the result is another date."""

    name = "swapped_day_month"
    family = Family.DATES
    recovery = "No: both readings are dates."
    claims_realism = True

    columns: Some[WrittenColumn]
    """Columns that hold dates; days past 12, and days like their month, are left alone."""
    format: Text
    """The format of the dates, as of strftime (`%-d/%-m/%Y` is 2/7/1987)."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a format that is none."""
        if not is_date_format(self.format):
            yield Refusal("format", self.format, _WHOLE_DATE)

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return self._swapped(text) != text

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        return {"text": pl.coalesce(self._swapped(pl.col(column)), column)}

    def _swapped(self, text: pl.Expr) -> pl.Expr:
        """Return the text with day and month exchanged, null if that is no date."""
        moment = exact_moment_of(text, self.format)
        day, month = moment.dt.day(), moment.dt.month()
        fits = day <= 12  # noqa: PLR2004  (months)
        # NOTE: `replace` takes null for "as it is", so that no row asks for a thirteenth month
        swapped = moment.dt.replace(day=pl.when(fits).then(month), month=pl.when(fits).then(day))
        return pl.when(fits).then(swapped.dt.strftime(self.format))


class _Relabelled(ColumnsKind):
    """Replaces what a pattern finds in a label; one that would become empty is left alone."""

    family = Family.DATES

    columns: Some[WrittenColumn]
    """Columns that hold labels, each by its own draw."""
    pattern: Annotated[Text, PATTERN]

    @property
    @abstractmethod
    def _instead(self) -> str:
        """Return what takes its place."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        label = text.str.replace(self.pattern, self._instead)
        return (label != text) & (label != "")

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        label = pl.col(column).str.replace(self.pattern, self._instead)
        return {"label": pl.when(label != "").then(label).otherwise(pl.col(column))}


class CollapsedPeriod(_Relabelled):
    """Replaces the period in a label by one and the same for all (hundreds of months that are all `1974年1月`)."""

    name = "collapsed_period"
    recovery = "No: nothing tells the labels apart any more."

    pattern: Annotated[Text, PATTERN]
    """A regular expression (Rust syntax) of the period; the first that it finds is replaced."""
    period: Text
    """The period that all of them get."""

    @property
    def _instead(self) -> str:
        return self.period.replace("$", "$$")


class PartialYear(_Relabelled):
    """Makes a month's label the year's (`（2022年5月）` becomes `（年度）`), so that a part passes for the whole."""

    name = "partial_year"
    recovery = "No: the month is gone, and the figure looks like a year's."

    pattern: Annotated[Text, PATTERN]
    """A regular expression (Rust syntax) of a month's mark; the first that it finds is replaced."""
    replacement: Text
    """A year's mark; `${1}` in it stands for what the first group of the pattern found."""

    @property
    def _instead(self) -> str:
        return self.replacement


_YEAR = r"[0-9]{4}"
_FOUR_DIGITS = {year: str(year) for year in range(1000, 10_000)}


class CalendarShift(OneEdit):
    """Moves the year of all rows of a series by some years, in every column that tells it."""

    name = "calendar_shift"
    family = Family.DATES
    recovery = "No: the series agrees with itself; only a source from outside dates it."

    columns: Some[WrittenColumn]
    """Columns that tell the year, moved together; a row whose first one tells none is left alone."""
    years: int
    """How many years later (earlier if negative)."""
    consistent_by: ColumnName
    """The column that tells which series a row belongs to: each is moved as a whole or not at all, in all tables alike."""
    series: Annotated[Text, PATTERN] | None = None
    """A regular expression (Rust syntax) whose first group is the series' name in `consistent_by`; all of it if not given."""
    pattern: Annotated[Text, PATTERN] = _YEAR
    """A regular expression (Rust syntax): the first four digits of what it first finds in a text are the year."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse no move, and a pattern of series that has no group."""
        if self.years == 0:
            yield Refusal("years", self.years, "a whole number but 0")
        if self.series and not pl.Series([""]).str.extract_groups(self.series).struct.fields:
            yield Refusal("series", self.series, "a regular expression with a group")

    def _edit(self, _environment: Environment, draws: Draws) -> Edit:
        first, whether = self.columns[0], draws.shared("whether")
        is_in_series = pl.col(self.consistent_by).str.contains(self.series) if self.series else pl.lit(value=True)
        return Edit(
            column=first,
            owner=self.consistent_by,
            whether=_PartKey(whether.secret, self.series) if self.series else whether,
            is_eligible=is_in_series & self._year(pl.col(first)).is_not_null(),
            after={column: pl.coalesce(self._moved(pl.col(column)), column) for column in self.columns},
        )

    def _year(self, text: pl.Expr) -> pl.Expr:
        """Return the year that a text gets, null if it has none, or would have more or fewer than four digits then."""
        year = text.str.extract(self.pattern, 0).str.extract(f"({_YEAR})", 1).cast(pl.Int64) + self.years
        return year.replace_strict(_FOUR_DIGITS, default=None, return_dtype=pl.String)

    def _moved(self, text: pl.Expr) -> pl.Expr:
        """Return the text with its year moved, null if there is none to move."""
        return replaced(text, self.pattern, text.str.extract(self.pattern, 0).str.replace(_YEAR, self._year(text)))


@dataclass(frozen=True)
class _PartKey(Key):
    """Draws by what the first group of a pattern finds in an identity, so that its other parts do not matter."""

    pattern: str

    def mac(self, *identity: pl.Expr | str) -> pl.Expr:
        """Return the PRF of each row's identity as 64 hexadecimal digits, null where the pattern finds nothing."""
        parts = (pl.col(part) if isinstance(part, str) else part for part in identity)
        return super().mac(*(part.str.extract(self.pattern, 1) for part in parts))


_TIME = r"\b[0-9]{1,2}:[0-9]{2}:[0-5][0-9]\b"

_FIRST, _LAST = 60, 105
"""The seconds that are put in, both included: the release goes up to `10:16:105` (reference 4.16e)."""


class ImpossibleSeconds(ColumnsKind):
    """Gives a time seconds that no clock has, from 60 to 105 (`10:16:93`).

    Each of them is drawn alike.
    """

    name = "impossible_seconds"
    family = Family.DATES
    recovery = "No: the true seconds are gone."

    columns: Some[WrittenColumn]
    """Columns that hold times H:MM:SS, alone or with a date; other text is left alone."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains(_TIME)

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        text, uniform = pl.col(column), draws.uniform(column, "seconds")
        seconds = (uniform * (_LAST - _FIRST + 1)).cast(pl.Int64) + _FIRST
        time = text.str.extract(_TIME, 0).str.head(-2) + drawn("seconds").cast(pl.String)
        return {"seconds": seconds, "text": pl.coalesce(replaced(text, _TIME, time), text)}


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
