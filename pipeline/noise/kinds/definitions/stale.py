"""Stale revision: a figure as it stood before a restatement. Wrong units and rounding are other kinds."""

from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import Share, Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, clean, drawn
from pipeline.noise.kinds.parts.figures import figure_text, places, unless_changed

_PARTS = 10**6
"""Parts that a whole is divided into to compare shares exactly; a smaller share than one part is none."""

_LARGEST = 10**18
"""Bound of a figure's digits, so that twice the number stays below 2**63."""

_FIGURE = r"^-?(0|[1-9][0-9]*)(\.0|\.[0-9]*[1-9])?$"


class StaleRevision(ColumnsKind):
    """Moves a figure by a small share of itself, up or down, to what it was before a restatement; as many decimals stay."""

    name: ClassVar[str] = "stale_revision"
    family: ClassVar[Family] = Family.DEFINITIONS
    recovery: ClassVar[str] = "No, unless another table has the figure as restated."
    claims_realism: ClassVar[bool] = True

    columns: Some[WrittenColumn]
    """The columns of figures, each with its own draws."""
    most: Share
    """The largest change as a share of the figure (0.05: five percent); each change up to it is alike."""
    stamp: WrittenColumn | None = None
    """A column of times that tells when the row was brought up to date: by it such a figure can be found."""
    stamped: Text | None = None
    """The earlier time that then stands in `stamp`."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a change that is none or all, a stamp without its text, and a stamp that is a figure."""
        if not 1 / _PARTS <= self.most < 1:
            yield Refusal("most", self.most, f"a share from {1 / _PARTS:f} to less than 1")
        if (self.stamp is None) != (self.stamped is None):
            yield Refusal("stamped", self.stamped, "given together with stamp")
        if self.stamp in self.columns:
            yield Refusal("stamp", self.stamp, "another column than `columns`")

    def _edit(self, column: str, draws: Draws) -> Edit:
        """Return the edit of a figure and its stamp."""
        after = {column: unless_changed(column, _text(drawn("number") + drawn("change"), like=clean(column)))}
        if self.stamp is not None:
            after[self.stamp] = (
                pl.when(pl.col(column) == clean(column)).then(pl.lit(self.stamped)).otherwise(self.stamp)
            )
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._has_room(pl.col(column)),
            draws={
                "number": _number(clean(column)),
                "size": draws.uniform(column, "what"),
                "sign": pl.when(draws.uniform(column, "sign") < 1 / 2).then(-1).otherwise(1),
                "change": self._change(has_decimals=_has_decimals(clean(column))),
            },
            after=after,
        )

    @property
    def _share(self) -> int:
        """Return the largest change in parts of a whole."""
        return round(self.most * _PARTS)

    def _has_room(self, figure: pl.Expr) -> pl.Expr:
        """Return whether a figure can change: by two quanta where it has decimals, so that it need not end in a zero."""
        number = _number(figure).abs()
        least = pl.when(_has_decimals(figure)).then(-(-2 * _PARTS // self._share)).otherwise(-(-_PARTS // self._share))
        return ((number >= least) & (number < _LARGEST)).fill_null(value=False)

    def _change(self, *, has_decimals: pl.Expr) -> pl.Expr:
        """Return 1 to the largest number of quanta, up or down; one more or less if the figure would end in a decimal 0."""
        most = drawn("number").abs().cast(pl.Int128) * self._share // _PARTS
        size = 1 + (drawn("size") * most).cast(pl.Int64)
        ends_in_zero = has_decimals & ((drawn("number") + drawn("sign") * size) % 10 == 0)
        other = pl.when(size > 1).then(size - 1).otherwise(size + 1)
        return drawn("sign") * pl.when(ends_in_zero).then(other).otherwise(size)


def _number(figure: pl.Expr) -> pl.Expr:
    """Return a figure as a whole number of its last decimal (Int64), null if it is none; `.0` is no decimal."""
    digits = figure.str.strip_suffix(".0").str.replace(".", "", literal=True).cast(pl.Int64, strict=False)
    return pl.when(figure.str.contains(_FIGURE)).then(digits)


def _has_decimals(figure: pl.Expr) -> pl.Expr:
    return figure.str.contains(".", literal=True) & ~figure.str.ends_with(".0")


def _text(number: pl.Expr, *, like: pl.Expr) -> pl.Expr:
    """Return a number of last decimals with the point where another figure has it."""
    return figure_text(number, pl.when(_has_decimals(like)).then(places(like)).otherwise(0), like=like)
