"""Ratio of sums: another definition of an average ratio. Wrong units of a ratio are other kinds."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

import polars as pl

from pipeline.derive import MEAN_DIGITS
from pipeline.model import Environment
from pipeline.model.identities import rounded_quotient
from pipeline.noise.documents.fields import Some, Within
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, Lookup, WrittenColumn, drawn
from pipeline.noise.kinds.parts.figures import only, quanta, unless_changed
from pipeline.noise.mechanisms import ColumnName, Conditions
from pipeline.numerals import decimal_text, digit_count, power_of_ten

_PLACES = 4
"""Decimals of a sum; one with more is left alone."""

_LARGEST = 10**22
"""Bound of a scaled numerator in quanta, so that its quotient to 15 digits stays below 2**127."""

_LARGEST_SCALE = 1000


class RatioOfSums(CellKind):
    """Replaces the mean of a ratio by the ratio of the sums of numerator and denominator over the same group.

    It is worked out exactly and rounded half away from zero to 15 significant digits, as means are; where one of the sums
    is missing, or the denominator is zero, the mean stays.
    """

    name: ClassVar[str] = "ratio_of_sums"
    family: ClassVar[Family] = Family.DEFINITIONS
    recovery: ClassVar[str] = "No, unless the table of the single ratios is there to take their mean again."
    claims_realism: ClassVar[bool] = True

    figure: WrittenColumn
    """The column of figures."""
    ratio: Conditions
    """Which rows hold the mean of the ratio."""
    numerator: Conditions
    """Which row of the group holds the sum above the line."""
    denominator: Conditions
    """Which row of the group holds the sum below the line, in the same unit."""
    same: Some[ColumnName]
    """Columns in which the rows of a group agree; an empty cell agrees with nothing."""
    scale: Annotated[int, Within(1, _LARGEST_SCALE)] = 100
    """What the quotient is multiplied by: 100 for percent."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a group that is identified by the figure itself."""
        if self.figure in self.same:
            yield Refusal("same", self.same, "other columns than figure")

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return the one edit, of the figure."""
        quotient = self._quotient(drawn("numerator"), drawn("denominator"))
        is_other = (quotient != pl.col(self.figure)).fill_null(value=False)
        return (
            Edit(
                column=self.figure,
                owner=draws.row_key,
                lookups={"numerator": self._sum(self.numerator), "denominator": self._sum(self.denominator)},
                is_eligible=pl.all_horizontal(is_other, *(condition.holds() for condition in self.ratio)),
                after={self.figure: unless_changed(self.figure, quotient)},
            ),
        )

    def _sum(self, conditions: Conditions) -> Lookup:
        return Lookup(
            on=tuple((pl.col(column), pl.col(column)) for column in self.same),
            where=pl.all_horizontal(condition.holds() for condition in conditions),
            value=quanta(only(pl.col(self.figure)), _PLACES),
        )

    def _quotient(self, numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
        """Return scale * numerator / denominator, both in quanta, as text; null where it cannot be had."""
        above = pl.when(numerator.abs() < _LARGEST // self.scale).then(numerator * self.scale)
        below = pl.when(denominator != 0).then(denominator)
        scale = (MEAN_DIGITS - digit_count(above.abs() // below.abs())).clip(0, MEAN_DIGITS)
        return decimal_text(rounded_quotient(above * power_of_ten(scale), below), scale)
