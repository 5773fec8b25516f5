"""An expectation as data, and what is handed to and fro when it is judged. The process that judges imports no more of Silt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class Expected:
    """One expectation: its name, its column (empty for the whole table), and its arguments."""

    name: str
    column: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    reads: Literal["texts", "numbers", "findings"] = "texts"
    """What it is judged by: the table's texts, the numbers that these stand for, or only findings among the arguments."""


Observed = Mapping[str, Any]
"""Metric -> value. Counts of parts of a table add up, and bounds are the bounds of its parts'. Besides, `ends` (`Ends`)."""


@dataclass(frozen=True, kw_only=True)
class JudgedSuite:
    """What a table is judged by."""

    table: str
    variant: str
    title: str
    """The environment's title."""
    expected: Sequence[Expected]
    seen: Sequence[Observed]
    """What the published table shows of each expectation."""


@dataclass(frozen=True, kw_only=True)
class SuiteVerdict:
    """What came out of a suite."""

    results: Sequence[tuple[bool, Mapping[str, Any]]]
    """Whether each expectation is met, and what was observed."""
    page: str
    """What Data Docs show of the table."""
