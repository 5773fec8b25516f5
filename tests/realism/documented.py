"""Documented facts about the real data that an environment stands for, each with the way to measure the same in our tables.

A fact holds what its source states and a function that counts the same thing in the published tables. Comparing the two belongs
to `comparing.py`. The facts themselves stand beside this module.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

Tables = Mapping[str, pl.DataFrame]
"""Published tables as text, by name; a measure is given the tables that its fact needs."""

Part = tuple[int, int]
"""A share: how many, and out of how many."""


@dataclass(frozen=True)
class _Documented:
    what: str
    """What is compared, in a few words."""
    where: str
    """The section of the reference that states it."""
    needs: tuple[str, ...]
    """Published tables from which it is measured."""


@dataclass(frozen=True)
class DocumentedShare(_Documented):
    """A share counted in a sample or in all of the real data."""

    documented: Part
    measure: Callable[[Tables], Part]


@dataclass(frozen=True)
class DocumentedCounts(_Documented):
    """How often each of several forms was counted. `measure` counts the same forms, and may count further ones of ours."""

    documented: Mapping[str, int]
    measure: Callable[[Tables], Mapping[str, int]]


@dataclass(frozen=True)
class DocumentedRange(_Documented):
    """A share stated without its counts: in words, or as a span. Bounds are inclusive."""

    stated: str
    low: float
    high: float
    measure: Callable[[Tables], Part]


@dataclass(frozen=True)
class DocumentedNumber(_Documented):
    """A number that the structure of the data fixes, or of which only the size is stated. Bounds are inclusive."""

    stated: str
    least: int
    most: int | None
    """The upper bound; None if there is none."""
    measure: Callable[[Tables], int]


@dataclass(frozen=True)
class DocumentedExamples(_Documented):
    """Literal examples. Nobody counted how many of them there are."""

    documented: tuple[str, ...]
    measure: Callable[[Tables], Sequence[str]]
    """Returns our examples, each as it stands in the tables; none if there are none."""


@dataclass(frozen=True)
class DocumentedText(_Documented):
    """Two texts that are printed side by side and not compared, because agreement would mean nothing."""

    documented: str
    measure: Callable[[Tables], str]


Documented = (
    DocumentedShare | DocumentedCounts | DocumentedRange | DocumentedNumber | DocumentedExamples | DocumentedText
)
