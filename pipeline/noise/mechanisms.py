"""Which cells of a rule get noise: conditions over clean rows, and the three mechanisms with their rates.

After Rubin (1976), Inference and Missing Data: completely at random, depending on another column, depending on the
value itself. What happens to a chosen cell belongs to `kinds/`. Expressions here are over the clean text columns.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Annotated, ClassVar

import polars as pl

from pipeline.environment.model import Environment
from pipeline.noise.documents import Known, NotEmpty, Pattern, Refusal, Share, yaml_name

Rate = Annotated[float, Share()]
ColumnName = Annotated[str, Known("column")]


@dataclass(frozen=True, kw_only=True)
class Condition:
    """One test of a clean cell; a rule's conditions must all hold. An empty cell passes `is_null` and `not_in` only."""

    column: ColumnName
    in_: Annotated[tuple[str, ...], NotEmpty()] | None = None
    not_in: Annotated[tuple[str, ...], NotEmpty()] | None = None
    equals: str | None = None
    matches: Annotated[str, Pattern()] | None = None
    """A regular expression (Rust syntax) that finds something in the cell."""
    is_null: bool | None = None

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a condition with no test or several."""
        tests = {yaml_name(item): getattr(self, item.name) for item in fields(self)[1:]}
        given = [name for name, test in tests.items() if test is not None]
        if len(given) != 1:
            yield Refusal("", ", ".join(given) or "no test", f"exactly one of {', '.join(tests)}")

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


@dataclass(frozen=True, kw_only=True)
class CompletelyAtRandom:
    """Every eligible cell alike."""

    type: ClassVar[str] = "completely_at_random"
    rate: Rate

    def hits(self, uniform: pl.Expr, _own: str) -> pl.Expr:
        """Return whether a cell is chosen, given a uniform draw on [0, 1) for each row."""
        if self.rate in {0.0, 1.0}:  # no draw decides anything here, and it is the only cost
            return pl.lit(self.rate == 1.0)
        return uniform < self.rate


@dataclass(frozen=True, kw_only=True)
class AtRandom:
    """At a rate that depends on the text of another column."""

    type: ClassVar[str] = "at_random"
    column: ColumnName
    rates: Annotated[Mapping[str, Rate], NotEmpty()]
    otherwise: Rate = 0.0

    def hits(self, uniform: pl.Expr, _own: str) -> pl.Expr:
        """Return whether a cell is chosen, given a uniform draw on [0, 1) for each row."""
        return uniform < _looked_up(pl.col(self.column), self.rates, self.otherwise)


@dataclass(frozen=True, kw_only=True)
class Band:
    """Numbers under a bound (exclusive) and not under the bound of an earlier band."""

    below: float
    rate: Rate


@dataclass(frozen=True, kw_only=True)
class NotAtRandom:
    """At a rate that depends on the cell's own value: numeric bands, or rates by text."""

    type: ClassVar[str] = "not_at_random"
    bands: Annotated[tuple[Band, ...], NotEmpty()] | None = None
    rates: Annotated[Mapping[str, Rate], NotEmpty()] | None = None
    otherwise: Rate = 0.0
    """The rate of values above all bands, of text that is no number, and of text without a rate."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse both or neither of the two forms, and bands out of order."""
        if (self.bands is None) == (self.rates is None):
            yield Refusal("", "both" if self.bands else "neither", "exactly one of bands, rates")
        bounds = [band.below for band in self.bands or ()]
        if not all(low < high for low, high in pairwise(bounds)):
            yield Refusal("bands", bounds, "bounds that rise")

    def hits(self, uniform: pl.Expr, own: str) -> pl.Expr:
        """Return whether a cell is chosen, given a uniform draw on [0, 1) for each row."""
        if self.rates is not None:
            return uniform < _looked_up(pl.col(own), self.rates, self.otherwise)
        number = pl.col(own).cast(pl.Float64, strict=False).fill_nan(None)
        rate = pl.lit(self.otherwise)
        for band in reversed(self.bands or ()):
            rate = pl.when(number < band.below).then(band.rate).otherwise(rate)
        return uniform < rate


Mechanism = CompletelyAtRandom | AtRandom | NotAtRandom


def _looked_up(text: pl.Expr, rates: Mapping[str, float], otherwise: float) -> pl.Expr:
    return text.replace_strict(dict(rates), default=otherwise, return_dtype=pl.Float64)
