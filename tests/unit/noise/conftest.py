"""A small environment with two published tables, and keys, for the tests of noise."""

import pytest

from pipeline.keyed import Key
from pipeline.model import Environment, Vocabulary
from tests.bare import bare, published

UNITS = {"yuan": {"yuan": 1, "10k": 10_000, "million": 1_000_000}, "ton": {"ton": 1, "kt": 1_000}}
MEASURES = {
    "revenue total": ("turnover total", "sales total"),
    "revenue": ("turnover", "sales", "receipts", "takings"),
    "profit": ("income",),
    "head count": (),
}


@pytest.fixture(scope="session")
def environment() -> Environment:
    """Give an environment with figures, policies and two vocabularies."""
    return small_environment()


def small_environment() -> Environment:
    """Return an environment with figures, policies and two vocabularies."""
    return bare(
        "small",
        published("figures", ("id", "firm", "measure", "unit", "value")),
        published("policies", ("id", "firm", "measure", "agencies")),
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
