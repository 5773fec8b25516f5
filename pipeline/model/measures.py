"""Measures, and the identities between them, as they are declared. `identities.py` computes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import polars as pl

from pipeline.errors import InputError
from pipeline.model.columns import PLAIN, Cause, CellTreatment, Column, Numerals, Role


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A figure that entities report for a period, and how it is treated everywhere."""

    name: str
    unit: str
    decimals: int = 0
    additive: bool = True
    """Whether a sum over entities makes sense; it does not for ratios and rates."""
    significant_digits: int = 3
    """Leading digits that the `lsd` mechanism keeps. With 0, which only figures of events may have, sign and number of
    digits stay."""
    numerals: Numerals = PLAIN
    """How it is written in the raw table, as in `Column`."""
    null_tokens: tuple[str, ...] = ()
    treat: Mapping[Cause, CellTreatment] = field(default_factory=dict)
    """What is done with cells that break the declaration, as in `Column`."""
    description: str = ""

    def column(self) -> Column:
        """Return the raw column that holds the measure in a wide table."""
        return Column(
            name=self.name,
            role=Role.MEASURE,
            type="decimal",
            unit=self.unit,
            decimals=self.decimals,
            numerals=self.numerals,
            null_tokens=self.null_tokens,
            treat=self.treat,
            description=self.description,
        )


@dataclass(frozen=True, kw_only=True)
class Sum:
    """output = sum of `plus` - sum of `minus`, in the unit that all share."""

    output: str
    plus: tuple[str, ...]
    minus: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return self.plus + self.minus


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """output = scale * sum of `numerator` / denominator, rounded half away from zero to the output's decimals."""

    output: str
    numerator: tuple[str, ...]
    denominator: str
    scale: int = 100
    is_absolute: bool = False
    """Whether the sign is dropped."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return (*self.numerator, self.denominator)


@dataclass(frozen=True, kw_only=True)
class _Change:
    output: str
    base: str
    periods: int = 1
    """How many periods back the base is compared: 1 is the period before; of quarters, 4 is the same quarter a year before."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return (self.base,)


@dataclass(frozen=True, kw_only=True)
class Growth(_Change):
    """output = 100 * (base - base before) / |base before|, rounded half away from zero."""


@dataclass(frozen=True, kw_only=True)
class Difference(_Change):
    """output = base - base before; both have the same decimals."""


@dataclass(frozen=True, kw_only=True)
class Product:
    """output = scale * product of `factors`, rounded half away from zero to the output's decimals."""

    output: str
    factors: tuple[str, ...]
    scale: int | Fraction = 1
    """Factor of the product: Fraction(1, 100) where one factor is a percentage."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures that the output is computed from."""
        return self.factors


@dataclass(frozen=True, kw_only=True)
class Formula:
    """output = the fraction of whole numbers that `compute` returns, rounded as `rounding` says."""

    output: str
    inputs: tuple[str, ...]
    compute: Callable[..., tuple[pl.Expr, pl.Expr]]
    """Takes the inputs in quanta (Int128), in order; returns numerator and denominator of the output in quanta."""
    rounding: Literal["half away from zero", "down"] = "half away from zero"
    """`down` is towards minus infinity."""
    text: str = ""
    """The formula in words, for reports; the inputs' names if empty."""


@dataclass(frozen=True, kw_only=True)
class Total:
    """output = the number of an entity's events in a period, or sum or mean (rounded like a ratio) of one of their measures.

    It is an identity of the panel: where it held in the originals, it is computed from the published events, so that panel and
    events agree.
    """

    output: str
    events: str
    """The raw table of the events."""
    of: str = ""
    """The measure of the events; empty for a count."""
    statistic: Literal["count", "sum", "mean"] = "sum"

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the measures of the panel that the output is computed from. There are none: it is computed from events."""
        return ()


Identity = Sum | Ratio | Growth | Difference | Product | Formula | Total
"""Identities are restored in the order of their declaration, each in the records in which it held in the originals."""


_EITHER = " If it is the measure whose name is misspelt, correct that"


def refuse_unordered(identities: Sequence[Identity], measures: set[str]) -> None:
    """Refuse identities of unknown measures, or declared before those of their inputs."""
    restored: set[str] = set()
    for identity in identities:
        later = {i.output for i in identities} - restored
        for name in (identity.output, *identity.inputs):
            if name not in measures:
                said = str(InputError.unknown(f"measure in the identity of {identity.output!r}", name, measures))
                raise InputError(f"{said}{_EITHER if said.endswith('?') else ''}")
        if set(identity.inputs) & later:
            raise InputError(
                f"identity of {identity.output!r} is declared before those of its inputs {sorted(set(identity.inputs) & later)}"
            )
        restored.add(identity.output)
