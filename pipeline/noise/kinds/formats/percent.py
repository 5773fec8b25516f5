"""Percentages as fractions: a figure in percent is stated as a share of one, with the label that then fits, or none."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn
from pipeline.noise.kinds.parts.plain_decimals import PLAIN, decimals, sign, whole_digits, with_decimals

_PLACES = 2
"""A percentage is a fraction with its point moved by two digits."""


class PercentAsFraction(CellKind):
    """States a percentage as a fraction (28.63 % becomes 0.2863), its label moved along or emptied.

    The point moves by two digits and no other digit changes: 100 % is 1.00.
    """

    name: ClassVar[str] = "percent_as_fraction"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by the label: a hundred times the figure; not where the label is emptied."

    unit_column: WrittenColumn
    """The column of the label."""
    value_column: WrittenColumn
    """The column of the figure; what is no plain decimal is left alone."""
    percent_label: Text = "%"
    """The label of percentages."""
    fraction_label: Text | None = None
    """The label of fractions, one that the clean column never has; the cell is emptied if not given."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse one column as both, and a label of fractions that means something else."""
        if self.unit_column == self.value_column:
            yield Refusal("value_column", self.value_column, "another column than unit_column")
        units = {unit for family in environment.units.values() for unit in family} | {self.percent_label}
        if self.fraction_label in units:
            yield Refusal("fraction_label", self.fraction_label, "a label that is no unit of the environment, or none")

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return the one edit, of the value's cell and its label's."""
        label, value = pl.col(self.unit_column), pl.col(self.value_column)
        is_moved = (label == self.percent_label) & (value.is_null() | value.str.contains(PLAIN))
        return (
            Edit(
                column=self.value_column,
                owner=draws.row_key,
                is_eligible=(label == self.percent_label) & value.str.contains(PLAIN),
                after={
                    self.value_column: pl.when(is_moved).then(_hundredth(value)).otherwise(value),
                    self.unit_column: pl.when(is_moved).then(pl.lit(self.fraction_label, pl.String)).otherwise(label),
                },
                is_recoverable=pl.lit(self.fraction_label is not None),
            ),
        )

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Each row is mended by itself."""
        return True

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """State whatever is labelled as a fraction in percent."""
        if self.fraction_label is None or {self.unit_column, self.value_column} - set(rows.columns):
            return rows
        label, value = pl.col(self.unit_column), pl.col(self.value_column)
        is_fraction = (label == self.fraction_label) & (value.is_null() | value.str.contains(PLAIN))
        return rows.with_columns(
            pl.when(is_fraction).then(_hundredfold(value)).otherwise(value).alias(self.value_column),
            pl.when(is_fraction).then(pl.lit(self.percent_label)).otherwise(label).alias(self.unit_column),
        )


def _hundredth(text: pl.Expr) -> pl.Expr:
    """Return a plain decimal with its point moved two digits to the left: as many digits, zeros in front where needed."""
    whole = whole_digits(text).str.zfill(_PLACES + 1)
    places = whole.str.len_bytes() - _PLACES
    return sign(text) + whole.str.head(places) + "." + whole.str.slice(places) + decimals(text)


def _hundredfold(text: pl.Expr) -> pl.Expr:
    """Return a plain decimal with its point moved two digits to the right, without superfluous zeros in front."""
    fraction = decimals(text).str.pad_end(_PLACES, "0")
    whole = (whole_digits(text) + fraction.str.head(_PLACES)).str.replace("^0+([0-9])", "${1}")
    return with_decimals(sign(text) + whole, fraction.str.slice(_PLACES))
