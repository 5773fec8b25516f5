"""Figures by another definition than the label says: another scope, another ratio, an earlier vintage.

Wrong labels, wrong units and rounding are other kinds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal

import polars as pl

from pipeline.derive import MEAN_DIGITS
from pipeline.documents.fields import NOT_EMPTY, KnownName, Share, Some, Text, Within
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.model.identities import rounded_quotient
from pipeline.noise.kinds.interface import (
    ColumnsKind,
    Draws,
    Edit,
    Family,
    Lookup,
    OneEdit,
    Restored,
    WrittenColumn,
    clean,
    drawn,
)
from pipeline.noise.kinds.parts.figures import figure_text, only, places, quanta, unless_changed
from pipeline.noise.mechanisms import ColumnName, Conditions
from pipeline.numerals import decimal_text, digit_count, power_of_ten


class ScopeMismatch(OneEdit):
    """Gives a row the figure of its sibling of another scope (all exchanges, the nation, another year); the label stays."""

    name = "scope_mismatch"
    family = Family.DEFINITIONS
    recovery = "No: the figure is right for another row, and its own stands nowhere else."

    figure: WrittenColumn
    """The column of figures."""
    same: Some[ColumnName]
    """Columns in which a row and its sibling agree; an empty cell agrees with nothing."""
    scope: ColumnName | None = None
    """The column that says the scope."""
    instead: Annotated[Mapping[str, Text], NOT_EMPTY] | None = None
    """What stands in `scope`, and what stands there in the sibling's row; other rows are left alone."""
    position: Literal["whole", "prefix", "contains"] = "whole"
    """Where in `scope` the keys of `instead` stand: all of it, its beginning, its first occurrence."""
    table: Annotated[str, KnownName("table beside")] | None = None
    """The table beside in which the sibling stands (with columns of the same names); the row's own if not given."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse a scope without its siblings', siblings that are the row itself, and a table without the columns."""
        if (self.scope is None) != (self.instead is None):
            yield Refusal("instead", self.instead, "given together with scope")
        if self.scope is None and self.table is None:
            yield Refusal("scope", self.scope, "a column, or a table where the sibling stands")
        if self.figure in {*self.same, self.scope}:
            yield Refusal("figure", self.figure, "another column than scope and same")
        if self.table is not None:
            there = environment.table(self.table).columns
            needed = (self.figure, *self.same, *((self.scope,) if self.scope else ()))
            yield from (Refusal("table", self.table, f"a table with a column {c}") for c in needed if c not in there)

    def _edit(self, _environment: Environment, draws: Draws) -> Edit:
        other = drawn("other")
        return Edit(
            column=self.figure,
            owner=draws.row_key,
            lookups={"other": Lookup(table=self.table or "", on=self._agreeing(), value=only(pl.col(self.figure)))},
            is_eligible=(other != pl.col(self.figure)).fill_null(value=False),
            after={self.figure: unless_changed(self.figure, other)},
        )

    def _agreeing(self) -> tuple[tuple[pl.Expr, pl.Expr], ...]:
        agreeing = tuple((pl.col(column), pl.col(column)) for column in self.same)
        if self.scope is None:
            return agreeing
        return (*agreeing, (self._other_scope(pl.col(self.scope)), pl.col(self.scope)))

    def _other_scope(self, scope: pl.Expr) -> pl.Expr:
        """Return what stands in the sibling's scope, null where nothing is to stand instead; the longest key counts."""
        other = pl.lit(None, pl.String)
        for key, instead in sorted((self.instead or {}).items(), key=lambda pair: (len(pair[0]), pair[0])):
            other = pl.when(self._has(scope, key)).then(scope.str.replace(key, instead, literal=True)).otherwise(other)
        return other

    def _has(self, scope: pl.Expr, key: str) -> pl.Expr:
        """Return whether a key stands in a scope where it is to stand."""
        if self.position == "contains":
            return scope.str.contains(key, literal=True)
        return scope.str.starts_with(key) if self.position == "prefix" else scope == key


_PLACES = 4
"""Decimals of a sum; one with more is left alone."""

_LARGEST_SUM = 10**22
"""Bound of a scaled numerator in quanta, so that its quotient to 15 digits stays below 2**127."""

_LARGEST_SCALE = 1000


class RatioOfSums(OneEdit):
    """Replaces the mean of a ratio by the ratio of the sums of numerator and denominator over the same group.

    It is worked out exactly and rounded half away from zero to 15 significant digits, as means are; where one of the sums
    is missing, or the denominator is zero, the mean stays.
    """

    name = "ratio_of_sums"
    family = Family.DEFINITIONS
    recovery = "No, unless the table of the single ratios is there to take their mean again."
    claims_realism = True

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

    def _edit(self, _environment: Environment, draws: Draws) -> Edit:
        quotient = self._quotient(drawn("numerator"), drawn("denominator"))
        is_other = (quotient != pl.col(self.figure)).fill_null(value=False)
        return Edit(
            column=self.figure,
            owner=draws.row_key,
            lookups={"numerator": self._sum(self.numerator), "denominator": self._sum(self.denominator)},
            is_eligible=pl.all_horizontal(is_other, *(condition.holds() for condition in self.ratio)),
            after={self.figure: unless_changed(self.figure, quotient)},
        )

    def _sum(self, conditions: Conditions) -> Lookup:
        return Lookup(
            on=tuple((pl.col(column), pl.col(column)) for column in self.same),
            where=pl.all_horizontal(condition.holds() for condition in conditions),
            value=quanta(only(pl.col(self.figure)), _PLACES),
        )

    def _quotient(self, numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
        """Return scale * numerator / denominator, both in quanta, as text; null where it cannot be had."""
        above = pl.when(numerator.abs() < _LARGEST_SUM // self.scale).then(numerator * self.scale)
        below = pl.when(denominator != 0).then(denominator)
        scale = (MEAN_DIGITS - digit_count(above.abs() // below.abs())).clip(0, MEAN_DIGITS)
        return decimal_text(rounded_quotient(above * power_of_ten(scale), below), scale)


_PARTS = 10**6
"""Parts that a whole is divided into to compare shares exactly; a smaller share than one part is none."""

_LARGEST_FIGURE = 10**18
"""Bound of a figure's digits, so that twice the number stays below 2**63."""

_FIGURE = r"^-?(0|[1-9][0-9]*)(\.0|\.[0-9]*[1-9])?$"


class StaleRevision(ColumnsKind):
    """Moves a figure by a small share of itself, up or down, to what it was before a restatement; as many decimals stay."""

    name = "stale_revision"
    family = Family.DEFINITIONS
    recovery = "No, unless another table has the figure as restated."
    claims_realism = True

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

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        edit = super()._edit(column, draws, restored)
        if self.stamp is None:
            return edit
        stamp = pl.when(pl.col(column) == clean(column)).then(pl.lit(self.stamped)).otherwise(self.stamp)
        return replace(edit, after={**edit.after, self.stamp: stamp}, is_recoverable=pl.lit(value=False))

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        return {
            "number": _number(clean(column)),
            "size": draws.uniform(column, "what"),
            "sign": pl.when(draws.uniform(column, "sign") < 1 / 2).then(-1).otherwise(1),
            "change": self._change(has_decimals=_has_decimals(clean(column))),
            "text": unless_changed(column, _text(drawn("number") + drawn("change"), like=clean(column))),
        }

    @property
    def _share(self) -> int:
        """Return the largest change in parts of a whole."""
        return round(self.most * _PARTS)

    def _fits(self, figure: pl.Expr) -> pl.Expr:
        """Return whether a figure can change: by two quanta where it has decimals, so that it need not end in a zero."""
        number = _number(figure).abs()
        least = pl.when(_has_decimals(figure)).then(-(-2 * _PARTS // self._share)).otherwise(-(-_PARTS // self._share))
        return ((number >= least) & (number < _LARGEST_FIGURE)).fill_null(value=False)

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
