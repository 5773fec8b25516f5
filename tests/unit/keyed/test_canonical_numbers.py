"""Labels that are whole numbers are drawn for as numbers: a regular expression is the oracle of which they are."""

import re

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.keyed import canonical_numbers

_CANONICAL = re.compile("0|[1-9][0-9]{0,17}")

LABELS = st.none() | st.text("019+-. x", max_size=3) | st.integers(0, 2 * 10**19).map(str)


@given(st.lists(LABELS))
@example(["0", "00", "01", "", None, str(10**18 - 1), str(10**18), str(2**64)])
def test_canonical_decimals_are_numbers_and_nothing_else_is(labels: list[str | None]) -> None:
    """Zero is one; what has a sign, a blank, a leading zero or more than 18 digits is none."""
    expected = [int(label) if label is not None and _CANONICAL.fullmatch(label) else None for label in labels]
    assert canonical_numbers(pl.Series(labels, dtype=pl.String)).to_list() == expected
