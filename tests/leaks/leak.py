"""What a leak is. Which there are stands in `catalogue.py`, how they are built in `laboratory.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from anonymize.policy import LSD, Policy
from pipeline.model import Environment, Frames


class Check(StrEnum):
    """What notices a leak."""

    LOAD = "refused while the environment is loaded"
    ESCAPES = "found in the search of every published file"
    CELLS = "copied columns, cell by cell"
    VALUES = "copied columns, as sets of values"
    UNCHANGED = "measures as they were"
    ALONE = "record alone in its period, as it was"
    SUMMARY = "told in the first line of the report"
    REGISTER = "quasi-identifier linkage"


Declare = Callable[[Environment], Environment]
Raw = Callable[[Frames], Mapping[str, pl.DataFrame]]
Spoil = Callable[[Mapping[str, pl.DataFrame], Frames, Mapping[str, str]], Mapping[str, pl.DataFrame]]
"""Takes anonymised tables, conformed ones and published codes by original; returns the tables that are published instead."""


@dataclass(frozen=True, kw_only=True)
class Leak:
    """One way in which an original reaches what is published."""

    name: str
    does: str
    """What is wrong, in one sentence."""
    meant: Check
    """The check that is there to find it; others may notice, too."""
    says: str
    """What the check says of it: the column that is at fault."""
    declare: Declare = lambda environment: environment
    raw: Raw = lambda tables: tables
    spoil: Spoil = lambda anonymised, _conformed, _codes: anonymised
    policy: Policy = LSD
