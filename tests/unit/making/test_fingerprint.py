"""The fingerprint of a value: the same for what means the same, another for anything else, and none where it cannot be told."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.making.fingerprint import fingerprint
from assets.making.parameters import RawFiles
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Column, Role
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner).map(tuple) | st.lists(inner) | st.dictionaries(st.text(), inner) | st.frozensets(st.text())
    ),
    max_leaves=8,
)


def typed(value: object) -> object:
    """Return a value with its types, which equality of Python's does not look at: True is 1."""
    if isinstance(value, dict):
        return ("dict", [(name, typed(inner)) for name, inner in value.items()])
    if isinstance(value, frozenset):
        return ("frozenset", sorted(value))
    if isinstance(value, list | tuple):
        return (type(value).__name__, [typed(inner) for inner in value])
    return (type(value).__name__, repr(value))


@given(PLAIN, PLAIN)
def test_two_values_share_a_fingerprint_only_if_they_are_the_same(first: object, second: object) -> None:
    """For anything that is made of texts, numbers and containers: the fingerprint says what the values say."""
    assert (fingerprint(first) == fingerprint(second)) == (typed(first) == typed(second))


@dataclass(frozen=True)
class Pair:
    """Two of anything."""

    first: object
    second: object


def scaled(by: int) -> Callable[[int], int]:
    """Return a function that is bound to a number."""
    return lambda value: value * by


def other(by: int) -> Callable[[int], int]:
    """Return another function that is bound to a number."""
    return lambda value: value + by


class Plain:
    """An object of a class that says nothing of itself."""

    def __init__(self, name: str) -> None:
        """Take a name."""
        self.name = name


FRAME = pl.DataFrame({"a": [1, 2]})

DIFFERENT: list[Any] = [
    Pair(1, 2),
    Pair(2, 1),
    Column(name="a"),
    Column(name="b"),
    Role.CODE,
    Role.NAME,
    Key(b"a" * 32),
    Key(b"b" * 32),
    scaled(2),
    scaled(3),
    other(2),
    scaled,
    partial(scaled, 2),
    partial(scaled, 3),
    partial(scaled, by=3),
    lambda given=1: given,
    lambda given=2: given,
    lambda *, given=1: given,
    lambda *, given=2: given,
    Pair,
    len,
    sorted,
    re.compile("a"),
    re.compile("a", re.IGNORECASE),
    pl.col("a"),
    pl.col("a") + 1,
    FRAME,
    FRAME.with_columns(pl.col("a").cast(pl.Int32)),
    FRAME["a"],
    FRAME["a"].alias("b"),
    Fraction(1, 20),
    Fraction(1, 25),
    Decimal("1.0"),
    Decimal("1.00"),
    date(2024, 1, 1),
    datetime(2024, 1, 1, tzinfo=UTC),
    timedelta(days=1),
    Counter("aab"),
    Plain("a"),
    Plain("b"),
    pl.Int64(),
    pl.List(pl.Int64),
]


def test_values_that_mean_something_else_have_another_fingerprint() -> None:
    """Functions by what they do and what they are bound to, expressions, tables, keys, and all else that declarations hold."""
    assert len({fingerprint(value) for value in DIFFERENT}) == len(DIFFERENT)
    assert fingerprint(scaled(2)) == fingerprint(scaled(2))


def test_environments_have_one_each() -> None:
    """The same each time; another for one decimal of one column."""
    assert fingerprint(DATACLAW_18) == fingerprint(replace(DATACLAW_18))
    table, *others = US_LISTED.raw_tables
    column, *columns = table.columns
    changed = replace(table, columns=(replace(column, decimals=7), *columns))
    assert fingerprint(replace(US_LISTED, raw_tables=(changed, *others))) != fingerprint(US_LISTED)


def test_a_file_stands_for_its_content(tmp_path: Path) -> None:
    """Wherever it lies; one that cannot be read is an error that names it."""
    for folder, text in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "table.csv").write_text(text)
    first, same, changed = (fingerprint(tmp_path / folder / "table.csv") for folder in "abc")
    assert first == same != changed
    with pytest.raises(InputError, match=r"can't read .*none\.csv: No such file"):
        fingerprint(tmp_path / "none.csv")


def test_raw_files_stand_for_their_content_wherever_they_lie() -> None:
    """A cell that is another makes other raw tables; another folder does not."""
    first, same, changed = (
        fingerprint(RawFiles(Path(folder), {"shops.csv": digest})) for folder, digest in ("a1", "b1", "c2")
    )
    assert first == same != changed


def test_what_cannot_be_told_has_none() -> None:
    """What cannot be copied would pass for anything else of its kind."""
    with pytest.raises(TypeError, match=r"a generator has no fingerprint \(cannot pickle 'generator' object\)"):
        fingerprint([(number for number in range(2))])
