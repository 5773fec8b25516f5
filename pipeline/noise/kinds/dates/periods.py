"""Labels whose period is lost: collapsed to one month, or a month's passed off as the year's.

Periods that are moved, but still distinguish months, are `calendar_shift`.
"""

from typing import Annotated, ClassVar

import polars as pl

from pipeline.noise.documents.fields import PATTERN, Some, Text
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn


class CollapsedPeriod(ColumnsKind):
    """Replaces the period in a label by one and the same for all (hundreds of months that are all `1974年1月`)."""

    name: ClassVar[str] = "collapsed_period"
    family: ClassVar[Family] = Family.DATES
    recovery: ClassVar[str] = "No: nothing tells the labels apart any more."

    columns: Some[WrittenColumn]
    """Columns that hold labels, each by its own draw."""
    pattern: Annotated[Text, PATTERN]
    """A regular expression (Rust syntax) of the period; the first that it finds is replaced."""
    period: Text
    """The period that all of them get."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        return _relabelled(column, self.pattern, self.period.replace("$", "$$"), draws)


class PartialYear(ColumnsKind):
    """Makes a month's label the year's (`（2022年5月）` becomes `（年度）`), so that a part passes for the whole."""

    name: ClassVar[str] = "partial_year"
    family: ClassVar[Family] = Family.DATES
    recovery: ClassVar[str] = "No: the month is gone, and the figure looks like a year's."

    columns: Some[WrittenColumn]
    """Columns that hold labels, each by its own draw."""
    pattern: Annotated[Text, PATTERN]
    """A regular expression (Rust syntax) of a month's mark; the first that it finds is replaced."""
    replacement: Text
    """A year's mark; `${1}` in it stands for what the first group of the pattern found."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        return _relabelled(column, self.pattern, self.replacement, draws)


def _relabelled(column: str, pattern: str, replacement: str, draws: Draws) -> Edit:
    """Return the edit that replaces what a pattern finds; a label that would become empty is left alone."""
    label = pl.col(column).str.replace(pattern, replacement)
    return Edit(
        column=column,
        owner=draws.row_key,
        is_eligible=(label != pl.col(column)) & (label != ""),
        after={column: pl.when(label != "").then(label).otherwise(pl.col(column))},
    )
