"""Dates written in another way: mixed formats, day and month exchanged. Labels of periods are `periods.py`."""

from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.date_texts import exact_moment_of, is_date_format, moment_of, writes_all_of

_WHOLE_DATE = "a strftime format of whole dates, with or without a time (%-d/%-m/%Y)"


class MixedDateFormats(ColumnsKind):
    """Writes a date, or a date with its time, in another format, each of `formats` alike."""

    name: ClassVar[str] = "mixed_date_formats"
    family: ClassVar[Family] = Family.DATES
    recovery: ClassVar[str] = (
        "Yes, where the text is one date only under all the formats (a day past 12, the year first)."
    )

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

    def _edit(self, column: str, draws: Draws) -> Edit:
        uniform = draws.uniform(column, "which")
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=exact_moment_of(pl.col(column), self.format).is_not_null(),
            draws={
                "which": (uniform * len(self.formats)).cast(pl.Int64),
                "moment": exact_moment_of(pl.col(column), self.format),
                "text": pl.coalesce(self._written(drawn("moment"), drawn("which")), column),
            },
            after={column: drawn("text")},
            is_recoverable=self._restored(drawn("text")) == pl.col(column),
        )

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

    name: ClassVar[str] = "swapped_day_month"
    family: ClassVar[Family] = Family.DATES
    recovery: ClassVar[str] = "No: both readings are dates."
    claims_realism: ClassVar[bool] = True

    columns: Some[WrittenColumn]
    """Columns that hold dates; days past 12, and days like their month, are left alone."""
    format: Text
    """The format of the dates, as of strftime (`%-d/%-m/%Y` is 2/7/1987)."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a format that is none."""
        if not is_date_format(self.format):
            yield Refusal("format", self.format, _WHOLE_DATE)

    def _edit(self, column: str, draws: Draws) -> Edit:
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._swapped(pl.col(column)) != pl.col(column),
            after={column: pl.coalesce(self._swapped(pl.col(column)), column)},
        )

    def _swapped(self, text: pl.Expr) -> pl.Expr:
        """Return the text with day and month exchanged, null if that is no date."""
        moment = exact_moment_of(text, self.format)
        day, month = moment.dt.day(), moment.dt.month()
        fits = day <= 12  # noqa: PLR2004  (months)
        # NOTE: `replace` takes null for "as it is", so that no row asks for a thirteenth month
        swapped = moment.dt.replace(day=pl.when(fits).then(month), month=pl.when(fits).then(day))
        return pl.when(fits).then(swapped.dt.strftime(self.format))
