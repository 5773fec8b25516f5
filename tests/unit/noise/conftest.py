"""A small environment with two published tables, and keys, for the tests of noise."""

from collections.abc import Sequence

import polars as pl
import pytest

from pipeline.keyed import Key
from pipeline.model import Entities, Environment, Panel, PublishedTable, Vocabulary

UNITS = {"yuan": {"yuan": 1, "10k": 10_000, "million": 1_000_000}, "ton": {"ton": 1, "kt": 1_000}}
MEASURES = {
    "revenue total": ("turnover total", "sales total"),
    "revenue": ("turnover", "sales", "receipts", "takings"),
    "profit": ("income",),
    "head count": (),
}


def published(name: str, columns: Sequence[str]) -> PublishedTable:
    """Declare a published table that is never rendered."""
    return PublishedTable(path=f"{name}.csv", columns=tuple(columns), needs=(), render=lambda _: pl.DataFrame())


@pytest.fixture(scope="session")
def environment() -> Environment:
    """Give an environment with figures, policies and two vocabularies."""
    return small_environment()


def small_environment() -> Environment:
    """Return an environment with figures, policies and two vocabularies."""
    return Environment(
        name="small",
        title="Small",
        raw_tables=(),
        entities=Entities(
            tables=(), code="code", name="name", industry="i", sub_industry="s", language="en", code_mention="()"
        ),
        panel=Panel(tables=(), measures=()),
        aggregates=(),
        tables=(
            published("figures", ("id", "firm", "measure", "unit", "value")),
            published("policies", ("id", "firm", "measure", "agencies")),
        ),
        vocabularies=(
            Vocabulary(name="measures", aliases=MEASURES),
            Vocabulary(
                name="agencies",
                aliases={"Treasury": ("HMT", "T$1"), "Bank": ("BoE", "HMT"), "City": ("Mint",), "Mint": ()},
            ),
            Vocabulary(name="nothing", aliases={}),
        ),
        units=UNITS,
    )


@pytest.fixture(scope="session")
def key() -> Key:
    """Give a fixed release key."""
    return Key(bytes(range(32)))
