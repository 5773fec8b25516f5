"""Which cells of a rule get noise: conditions over clean rows, and the three mechanisms with their rates.

After Rubin (1976), Inference and Missing Data: completely at random, depending on another column, depending on the
value itself. What happens to a chosen cell belongs to `kinds/`. Expressions here are over the clean text columns.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import polars as pl

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import NOT_EMPTY, PATTERN, KnownName, Share, Some
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.numerals import number_of

ColumnName = Annotated[str, KnownName("column")]


class Condition(YamlDocument):
    """One test of a clean cell; a rule's conditions must all hold. An empty cell passes `is_null` and `not_in` only."""

    exactly_one_of: ClassVar[tuple[str, ...]] = ("in", "not_in", "equals", "matches", "is_null")

    column: ColumnName
    """The column whose cell is tested; it may be one that the rule does not change."""
    in_: Some[str] | None = None
    """Texts of which the cell is one."""
    not_in: Some[str] | None = None
    """Texts of which the cell is none."""
    equals: str | None = None
    """The cell's text."""
    matches: Annotated[str, PATTERN] | None = None
    """A regular expression (Rust syntax) that finds something in the cell."""
    is_null: bool | None = None
    """Whether the cell is empty."""

    def holds(self) -> pl.Expr:
        """Return a Boolean without nulls."""
        cell = pl.col(self.column)
        if self.is_null is not None:
            return cell.is_null() == self.is_null
        if self.in_ is not None:
            return cell.is_in(self.in_).fill_null(value=False)
        if self.not_in is not None:
            return ~cell.is_in(self.not_in).fill_null(value=False)
        if self.matches is not None:
            return cell.str.contains(self.matches).fill_null(value=False)
        return cell.eq_missing(pl.lit(self.equals, pl.String))


Conditions = Some[Condition]


class CompletelyAtRandom(YamlDocument):
    """Every eligible cell alike."""

    type: Literal["completely_at_random"] = "completely_at_random"
    rate: Share
    """The share of eligible cells that is changed, from 0 to 1."""

    def hits(self, uniform: pl.Expr, _own: str) -> pl.Expr:
        """Return whether a cell is chosen, given a uniform draw on [0, 1) for each row."""
        if self.rate in {0.0, 1.0}:  # no draw decides anything here, and it is the only cost
            return pl.lit(self.rate == 1.0)
        return uniform < self.rate


class AtRandom(YamlDocument):
    """At a rate that depends on the text of another column."""

    type: Literal["at_random"] = "at_random"
    column: ColumnName
    """The column whose text says the rate."""
    rates: Annotated[Mapping[str, Share], NOT_EMPTY]
    """The rate by text."""
    otherwise: Share = 0.0
    """The rate of every other text, and of an empty cell."""

    def hits(self, uniform: pl.Expr, _own: str) -> pl.Expr:
        """Return whether a cell is chosen, given a uniform draw on [0, 1) for each row."""
        return uniform < _looked_up(pl.col(self.column), self.rates, self.otherwise)


class Band(YamlDocument):
    """Numbers under a bound (exclusive) and not under the bound of an earlier band."""

    below: float
    """The upper bound, exclusive."""
    rate: Share
    """The share of these cells that is changed, from 0 to 1."""


class NotAtRandom(YamlDocument):
    """At a rate that depends on the cell's own value: numeric bands, or rates by text."""

    type: Literal["not_at_random"] = "not_at_random"
    exactly_one_of: ClassVar[tuple[str, ...]] = ("bands", "rates")

    bands: Some[Band] | None = None
    """The rate by number: bands with rising bounds."""
    rates: Annotated[Mapping[str, Share], NOT_EMPTY] | None = None
    """The rate by text."""
    otherwise: Share = 0.0
    """The rate of values above all bands, of text that is no number, and of text without a rate."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse bands out of order."""
        bounds = [band.below for band in self.bands or ()]
        if not all(low < high for low, high in pairwise(bounds)):
            yield Refusal("bands", bounds, "bounds that rise")

    def hits(self, uniform: pl.Expr, own: str) -> pl.Expr:
        """Return whether a cell is chosen, given a uniform draw on [0, 1) for each row."""
        if self.rates is not None:
            return uniform < _looked_up(pl.col(own), self.rates, self.otherwise)
        number = number_of(pl.col(own))
        rate = pl.lit(self.otherwise)
        for band in reversed(self.bands or ()):
            rate = pl.when(number < band.below).then(band.rate).otherwise(rate)
        return uniform < rate


Mechanism = CompletelyAtRandom | AtRandom | NotAtRandom


def _looked_up(text: pl.Expr, rates: Mapping[str, float], otherwise: float) -> pl.Expr:
    return text.replace_strict(dict(rates), default=otherwise, return_dtype=pl.Float64)
