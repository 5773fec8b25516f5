"""What is documented about the real data that an environment stands for: typed facts, each with how ours is measured.

A fact says what its source says and how the same thing is counted in the published tables, and judges nothing: holding one
against the other is `validation/realism.py`. The facts themselves stand with their environment.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

Tables = Mapping[str, pl.DataFrame]
"""Published tables as text, by name; a measure is given the tables that its fact needs."""

Part = tuple[int, int]
"""How many, and of how many."""


@dataclass(frozen=True, kw_only=True)
class _Documented:
    what: str
    """What is compared, in a few words."""
    where: str
    """The section of the reference that tells it."""
    needs: tuple[str, ...]
    """Published tables that are looked at."""


@dataclass(frozen=True, kw_only=True)
class DocumentedShare(_Documented):
    """So many of so many, counted in a sample or in all of the real data."""

    documented: Part
    measure: Callable[[Tables], Part]


@dataclass(frozen=True, kw_only=True)
class DocumentedCounts(_Documented):
    """How often each of several forms was counted. The measure counts the same forms, and any it wants counted beside."""

    documented: Mapping[str, int]
    measure: Callable[[Tables], Mapping[str, int]]


@dataclass(frozen=True, kw_only=True)
class DocumentedRange(_Documented):
    """A share told without its counts: in words, or as a span. Bounds are inclusive."""

    told: str
    low: float
    high: float
    measure: Callable[[Tables], Part]


@dataclass(frozen=True, kw_only=True)
class DocumentedNumber(_Documented):
    """A number that the structure of the data fixes, or that is told by its size. Bounds are inclusive."""

    told: str
    least: int
    most: int | None
    """None if it may be any larger number."""
    measure: Callable[[Tables], int]


@dataclass(frozen=True, kw_only=True)
class DocumentedExamples(_Documented):
    """Literal examples, of which nobody counted how many there are."""

    documented: tuple[str, ...]
    measure: Callable[[Tables], Sequence[str]]
    """Gives ours, each as it stands in the tables; none if there are none."""


@dataclass(frozen=True, kw_only=True)
class DocumentedText(_Documented):
    """What can be told beside ours and nothing more, because agreeing would mean nothing."""

    documented: str
    measure: Callable[[Tables], str]


Documented = (
    DocumentedShare | DocumentedCounts | DocumentedRange | DocumentedNumber | DocumentedExamples | DocumentedText
)
