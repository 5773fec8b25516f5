"""The sailings of sixty companies, and releases of them under `guarded`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from anonymize.synthesis import Synthesis, synthesise
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Column, Environment, Panel
from tests.unit.events.lines import lines, write_lines
from tests.unit.events.lines_declared import LINES

KEY = Key(b"s" * 32)
BUDGET, NO_LIMIT = 20.0, 1e6
"""What a release may spend by default, and what is as good as no noise at all."""
KEYS = [Key(bytes([number]) * 32) for number in range(4)]


@cache
def originals(companies: int = 60) -> dict[str, pl.DataFrame]:
    """Return the conformed tables."""
    with TemporaryDirectory() as folder:
        return conform(LINES.raw_tables, write_lines(Path(folder), lines(companies)), kinds=LINES.kinds).frames


@cache
def sampled(key: Key = KEY, budget: float = BUDGET) -> Synthesis:
    """Return a release."""
    return released(LINES, originals(), key, budget=budget)


def released(
    environment: Environment, tables: Mapping[str, pl.DataFrame], key: Key = KEY, *, budget: float = BUDGET
) -> Synthesis:
    """Sample what an environment declares."""
    return synthesise(environment, tables, original_figures(environment, tables), key, budget=budget)


def rows(key: Key = KEY, budget: float = BUDGET) -> pl.DataFrame:
    """Return the sampled sailings."""
    return sampled(key, budget).events["sailings"].rows


WITHOUT_PANEL = replace(
    LINES,
    raw_tables=tuple(table for table in LINES.raw_tables if table.name != "annual"),
    panel=Panel(),
    tables=(),
    views=None,
)
"""The environment without totals, so that events alone decide who is refused."""


def with_sailings(*columns: Column, **changes: Any) -> Environment:
    """Return the environment with more columns of sailings, and nothing published."""
    table = LINES.raw_table("sailings")
    table = replace(table, columns=(*table.columns, *columns))
    kept = tuple(each for each in LINES.raw_tables if each.name != "sailings")
    return replace(LINES, raw_tables=(*kept, table), tables=(), views=None, **changes)
